"""Look after the graph: is it sound, and what can be repaired.

What does the work is imported when it is asked for: most programs never do.
"""

from graphrag.errors import QueryError
from graphrag.facade.opened import Opened
from graphrag.health.findings import CheckReport, RepairReport
from graphrag.models import DEFAULT_GROUP


class Health(Opened):
    """Checking and repairing."""

    async def check(self, group: str | None = None) -> CheckReport:
        """Check that a graph is whole; nothing is written.

        Every record is compared with the event log, with what it points to and with what this
        process holds in memory: a sound graph has no findings.

        Args:
            group: The graph inside the store; default: all of them.

        Raises:
            QueryError: for an unknown group.
            StoreError: if other processes write to the group all the while.
        """
        from graphrag.health.check import check_groups

        return await check_groups(await self._names(group), self._open())

    async def repair(self, group: str | None = None) -> RepairReport:
        """Repair what needs no guessing, in a logged event, and report what is left.

        Missing embeddings are computed again, the chain of episodes is linked anew, links and
        passages that lead nowhere are removed, and the memory of this process is read again.

        Args:
            group: The graph inside the store; default: all of them.

        Raises:
            QueryError: for an unknown group.
            PolicyError: if the write policy refused a repair.
            StoreError: if other processes write to the group all the while.
        """
        from graphrag.health.repair import repair_groups

        return await repair_groups(await self._names(group), self._open())

    async def _names(self, group: str | None) -> list[str]:
        from graphrag.health.snapshot import group_names

        names = await group_names(self._open().store)
        if group is None:
            return names
        if group not in names and group != DEFAULT_GROUP:
            known = ", ".join(map(repr, names)) or "none yet"
            raise QueryError(f"there is no group {group!r}; groups in this store: {known}")
        return [group]
