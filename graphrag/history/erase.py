"""Erase for good, with vectors, log images and files beside the store: an entity, or a group."""

from __future__ import annotations

from graphrag.edit.merge import entity_id
from graphrag.errors import InputError
from graphrag.history.erasure import Forgotten, Texts
from graphrag.index.group import GroupIndex
from graphrag.model.arguments import checked
from graphrag.model.values import Entity
from graphrag.session import Handle
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now


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
        from graphrag.history.forget import Removal, forget

        removal: Removal | None = None

        async def found(index: GroupIndex) -> Removal:
            return await Removal.of(entity_id(entity, index), index, ingestion, episodes, utc_now())

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal removal
            removal = await found(index)
            changes = await forget(removal, index, ingestion, episodes, now=utc_now())
            changes.actor = actor or ""
            await ingestion.catalog.unsave(group)
            return changes

        if dry_run:
            async with ingestion.writer.locks[group]:  # of one state, as the real one
                removal = await found(await ingestion.catalog.group(group))
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
        from graphrag.history.forget_group import forget_group

        if confirm != self._group and not (dry_run and confirm is None):
            raise InputError(
                f"erasing group {self._group!r} takes its name twice: confirm={self._group!r}, "
                f"not {confirm!r}"
            )
        session = self._handle.session
        return await forget_group(self._group, session.ingestion, actor or "", dry_run=dry_run)
