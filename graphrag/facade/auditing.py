"""Look at the graph as a whole, and clean it up."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.audit.about import About
from graphrag.audit.contradictions import Contradictions, Outcome
from graphrag.audit.growth import Growth, Period
from graphrag.audit.orphans import Orphans
from graphrag.differences import Axis
from graphrag.facade.asking import Asking
from graphrag.facade.opened import Moment
from graphrag.index.group import GroupIndex
from graphrag.models import DEFAULT_GROUP, Entity, Fact
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now

if TYPE_CHECKING:
    from graphrag.audit.cleanup import Cleanup, Kind


class Auditing(Asking):
    """Facts by entity and by relation, contradictions, orphans; ``at(...)`` has the reads."""

    async def facts_about(
        self,
        entity: Entity | str,
        *,
        relation: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> About:
        """Return the facts about an entity, those it is the subject of and those that point to it.

        ``facts(entity)`` gives the same facts as one list.

        Args:
            entity: An entity, its name or its id.
            relation: Only facts of this relation, as of ``facts_of``.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such entity.
        """
        return await self.at().facts_about(entity, relation=relation, group=group)

    async def facts_of(
        self, relation: str, *, limit: int = 100, offset: int = 0, group: str = DEFAULT_GROUP
    ) -> list[Fact]:
        """Return the facts of a relation that hold now by their start, unknown starts first.

        Facts told from the other end count: ``employs`` gives those of ``works_at`` where one is
        declared the inverse of the other. They come as they are stored.

        Args:
            relation: As ``works_at``; one that nobody used has no facts.
            limit: How many at most.
            offset: How many to leave out before: the length of the pages that were read.
            group: The graph inside the store.

        Raises:
            QueryError: for an impossible limit or offset.
        """
        return await self.at().facts_of(relation, limit=limit, offset=offset, group=group)

    async def contradictions(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        outcomes: Sequence[Outcome] | None = None,
        limit: int = 100,
        group: str = DEFAULT_GROUP,
    ) -> Contradictions:
        """Return where facts cannot both hold: what was settled and why, and what is still open.

        Facts of all times are compared; a view with ``valid_at`` gives those that both were told
        for that moment.

        Args:
            since: The earliest moment; default: any.
            until: The first moment that is too late; default: none.
            axis: ``system``: when it was settled, or when the later of an open pair was told.
                ``world``: the time for which both facts were told.
            outcomes: Only those of which this became, as ``open`` or ``replaced``; default: any.
            limit: How many at most; open ones come first, the latest first.
            group: The graph inside the store.

        Raises:
            QueryError: if the moments are not in order, for another axis or outcome, or an
                impossible limit.
            TimeError: if a moment cannot be read.
        """
        return await self.at().contradictions(
            since, until, axis=axis, outcomes=outcomes, limit=limit, group=group
        )

    async def orphans(self, *, limit: int = 100, group: str = DEFAULT_GROUP) -> Orphans:
        """Return what leads nowhere: entities that nothing speaks of, texts that told nothing, ...

        Args:
            limit: How many of each kind at most.
            group: The graph inside the store.

        Raises:
            QueryError: for an impossible limit.
        """
        return await self.at().orphans(limit=limit, group=group)

    async def growth(self, by: Period = "month", *, group: str = DEFAULT_GROUP) -> Growth:
        """Return how many episodes, entities and facts the graph was told in each period.

        Args:
            by: ``day``, ``week`` (from Monday on), ``month`` or ``year``, in UTC.
            group: The graph inside the store.

        Raises:
            QueryError: for another period.
        """
        return await self.at().growth(by, group=group)

    async def cleanup(
        self,
        kinds: "Sequence[Kind]" = ("entities",),
        *,
        group: str = DEFAULT_GROUP,
        dry_run: bool = True,
        reason: str = "",
        actor: str | None = None,
    ) -> "Cleanup":
        """Take the orphans out of the reads, and say why each goes or stays.

        Nothing is deleted and no fact is touched. What was taken out comes back when it is told of
        again, and ``revert`` of the event brings all of it back. Entities that somebody entered for
        their own sake, or that have attributes, stay.

        Args:
            kinds: ``entities``, and ``episodes`` if texts that told nothing should go as well,
                which are searched otherwise. Each is one transaction with one event.
            group: The graph inside the store.
            dry_run: Write nothing and only say what would be done; the policy is not asked.
            reason: Why, kept with the events.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: for an unknown kind.
            QueryError: if there is no such group.
            PolicyError: if the write policy refused; what was done of another kind stays.
        """
        from graphrag.audit.cleanup import Cleanup, checked_kinds

        wanted = checked_kinds(kinds)
        await self.at()._group(group)  # a misspelt one is no empty one
        parts = [await self._cleaned(kind, group, dry_run, reason, actor) for kind in wanted]
        return Cleanup(
            group,
            tuple(one for part in parts for one in part.removed),
            tuple(one for part in parts for one in part.kept),
            tuple(event for part in parts for event in part.events),
            dry_run,
        )

    async def _cleaned(
        self, kind: "Kind", group: str, dry_run: bool, reason: str, actor: str | None
    ) -> "Cleanup":
        """Clean up one kind in one transaction."""
        from graphrag.audit.cleanup import Cleanup, plan_cleanup

        ingestion = self._open()
        done = Cleanup(group)

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal done
            changes, done = await plan_cleanup(kind, index, ingestion.store, now=utc_now())
            changes.actor, changes.note = actor or "", reason or None
            return changes

        if dry_run:
            await build(await ingestion.catalog.group(group))
            return done
        seq = await ingestion.writer.commit(group, build)
        events = (await ingestion.store.events(group, after=seq - 1))[:1] if seq else []
        return replace(done, events=tuple(events))
