"""Erase a whole group for good: every table, the log and the name.

The policy is asked about every row before anything goes; then the group is closed, its log goes,
then its rows, in batches, and its name last. It cannot be one transaction: a group may be larger
than memory. A process that dies in between leaves a group that everybody sees to be half gone.
"""

from collections.abc import AsyncIterator
from functools import partial

from graphrag.errors import UnknownGroupError
from graphrag.health.holdings import TABLES, group_names
from graphrag.history.erasure import Forgotten
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.policy import Policy, refused
from graphrag.store.changes import FORGET, ChangeSet
from graphrag.store.pages import group_pages
from graphrag.store.store import Store


async def forget_group(group: str, ingestion: Ingestion, actor: str, *, dry_run: bool) -> Forgotten:
    """Erase a group, or with ``dry_run`` only count what would go.

    Raises:
        UnknownGroupError: if there is none of this name.
        PolicyError: if the policy refused; nothing was erased.
        StoreError: if a copy beside the store cannot be deleted; nothing was erased.
    """
    store, catalog = ingestion.store, ingestion.catalog
    half_gone = await store.forgotten_since(group) is not None
    if not half_gone and group not in await group_names(store):
        raise UnknownGroupError(group)
    if dry_run:
        return Forgotten(group, await store.count_group(group))
    # What is half gone was allowed to go.
    if ingestion.writer.policy is not None and not half_gone:
        await _ask(group, ingestion, ingestion.writer.policy, actor)
    async with ingestion.writer.locks[group], catalog.gate(group).change():
        await catalog.drop(group)
        await catalog.unsave(group)
        try:
            erased = await store.erase_group(group)
        finally:
            await catalog.drop(group)  # whatever was read meanwhile
    return Forgotten(group, erased)


async def _ask(group: str, ingestion: Ingestion, policy: Policy, actor: str) -> None:
    """Ask the policy about every row; what it refuses is refused, and logged, by the writer."""
    index = await ingestion.catalog.group(group)
    async for changes in _pages(group, ingestion.store):
        changes.actor = actor or ingestion.writer.actor
        if refused(changes, index, policy):
            await ingestion.writer.commit(group, partial(_as_it_is, changes))


async def _as_it_is(changes: ChangeSet, _: GroupIndex) -> ChangeSet:
    return changes


async def _pages(group: str, store: Store) -> AsyncIterator[ChangeSet]:
    for table in TABLES:
        async for rows in group_pages(store, table, group):
            changes = ChangeSet(group, FORGET)
            changes.deletes = [(table, row) for row in rows]
            yield changes
