"""Erase for good, with vectors, log images and files beside the store: an entity, or a group.

A whole group cannot go in one transaction: it may be larger than memory. The policy is asked about
every row before anything goes; then the group is closed, its log goes, then its rows, in batches,
and its name last. A process that dies in between leaves a group that everybody sees to be half
gone.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import TYPE_CHECKING

from graphrag.edit.merge import entity_id
from graphrag.errors import InputError, UnknownGroupError
from graphrag.health.snapshot import TABLES, group_names
from graphrag.history.erase_plan import Forgotten, Texts
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.policy import Policy, refused
from graphrag.model.arguments import checked
from graphrag.model.values import Entity
from graphrag.session import Handle
from graphrag.store.changes import FORGET, ChangeSet
from graphrag.store.pages import group_pages
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now

if TYPE_CHECKING:
    from graphrag.history.repair_after_erase import Removal


@checked(door="graph.erase")
class Erase:
    """What deletes: ``graph.erase``. Nothing of it can be taken back.

    Answers that a language model's cache keeps, and backups, are yours to delete. A ``PolicyError``
    says that the write policy refused; whatever is raised, nothing was written.
    """

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle = handle
        self._group = group

    async def entity(
        self,
        entity: Entity | str,
        *,
        episodes: Texts = "erase",
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase an entity, with all that was said of it, in one transaction.

        Its facts go, the episodes that mention it, state something of it or have one of its names
        in their text, every fact and entity that nothing else speaks of, and the communities until
        they are built again. What an erased fact had closed holds again, as far as the rules leave
        room. What stays loses the names, in the log as well: events keep number, kind and time.

        Args:
            entity: The entity, its id or its name.
            episodes: ``keep`` lets every text stay as it was said: it is still found by its
                words, and no longer leads to the entity.
            actor: Who says so; default: the one given to ``GraphRAG.open``.
            dry_run: Erase nothing and only count what would go; the policy is not asked.

        Raises:
            InputError: if there is no such entity, or a name means several.
        """
        if episodes not in ("erase", "keep"):
            raise InputError(f"episodes is 'erase' or 'keep', not {episodes!r}")
        if entity is None:  # a look-up that found nothing
            raise InputError("there is no entity to forget: it is None, so nothing bears that name")
        ingestion, group = self._handle.session.ingestion, self._group
        from graphrag.history.repair_after_erase import Removal, forget

        removal: Removal | None = None

        async def planned(index: GroupIndex) -> Removal:
            return await Removal.of(entity_id(entity, index), index, ingestion, episodes, utc_now())

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal removal
            removal = await planned(index)
            changes = await forget(removal, index, ingestion, now=utc_now())
            changes.actor = actor or ""
            await ingestion.catalog.unsave(group)
            return changes

        if dry_run:
            async with ingestion.writer.locks[group]:  # of one state, as the real one
                removal = await planned(await ingestion.catalog.group(group))
            return Forgotten(group, removal.counted())
        seq = await ingestion.writer.commit(group, build)
        [event] = (await ingestion.store.events(group, after=seq - 1))[:1]
        assert removal is not None, "building gives it"
        return Forgotten(group, removal.counted(), event)

    async def group(
        self, *, confirm: str | None = None, actor: str | None = None, dry_run: bool = False
    ) -> Forgotten:
        """Erase the whole group with its log and its name, however large it is.

        It takes many small transactions. If that is cut short the group is closed: calling it again
        finishes it.

        Args:
            confirm: The name of the group once more: nothing is erased by leaving something out.
            actor: Who says so; default: the one given to ``GraphRAG.open``.
            dry_run: Erase nothing and only count what would go; the policy is not asked.

        Raises:
            InputError: if ``confirm`` is not the name of the group.
            QueryError: if there is no such group.
        """
        if confirm != self._group and not (dry_run and confirm is None):
            raise InputError(
                f"erasing group {self._group!r} takes its name twice: confirm={self._group!r}, "
                f"not {confirm!r}"
            )
        ingestion = self._handle.session.ingestion
        return await _erase_group(self._group, ingestion, actor or "", dry_run=dry_run)


async def _erase_group(group: str, ingestion: Ingestion, actor: str, *, dry_run: bool) -> Forgotten:
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
