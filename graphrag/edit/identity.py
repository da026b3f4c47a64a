"""Say who is one and who is not: merge, unmerge, split, and what may be worth it."""

from __future__ import annotations

from collections.abc import Iterable

from graphrag.edit.editor import commit_event, id_of, stored_event
from graphrag.edit.merge import entity_id, keep_apart, merge, unmerge
from graphrag.edit.split import Split, split
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.commit import Build
from graphrag.model.arguments import checked
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.resolve.duplicates import MergeCandidate, merge_candidates
from graphrag.session import Handle
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now


@checked(door="graph.identity")
class Identity:
    """Which entities are one: ``graph.identity``.

    Where an argument is an entity, a fact, an episode or an event, its id or number does as well.
    Each of these writes is one transaction with one event; a ``PolicyError`` says that the write
    policy refused it. Whatever is raised, nothing was written.
    """

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle = handle
        self._group = group

    async def candidates(self, limit: int = 50) -> list[MergeCandidate]:
        """Return pairs of entities that may be one, likeliest first; nothing is changed.

        They share an identifier, their names are alike, or their names mean much the same. Pairs
        with different identifiers, and those that ``keep_apart``, a split or an arbiter found to
        be two, are left out. The work grows with the group: about two minutes for 100,000 entities.

        Raises:
            InputError: if the limit is below 1.
        """
        if limit < 1:
            raise InputError(f"limit is {limit}: ask for at least 1 pair")
        session = self._handle.session
        index = await session.catalog.group(self._group)
        declared = session.ontology.identifiers
        return await merge_candidates(index, session.store, limit=limit, identifiers=declared)

    async def keep_apart(
        self, one: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Say that two entities are two, and return the event; ``log.revert`` takes it back.

        They are not proposed by ``candidates`` any more. ``merge`` still makes them one.

        Args:
            one: The entity, its id, or a name that only it bears.
            other: The one that it is not.
            reason: Why, kept with the event.
            actor: Who says so; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if one is not there, a name means several, both are one, or it was said.
        """

        async def build(index: GroupIndex) -> ChangeSet:
            ids = entity_id(one, index), entity_id(other, index)
            return await keep_apart(*ids, index, self._handle.session.store)

        return await self._write(build, reason=reason, actor=actor)

    async def merge(
        self, keep: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Make one entity of two, and return the event, which ``unmerge`` takes.

        All that was said of ``other`` is said of ``keep`` from now on; its names become aliases.
        The facts of both are judged anew: what says the same becomes one fact, and a relation that
        holds one value keeps the one stated last.

        Args:
            keep: The entity, its id, or a name that only it bears.
            other: The one that is given up.
            reason: Why, kept with the event.
            actor: Who says so; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if one is not there, a name means several, or both are one already.
        """

        async def build(index: GroupIndex) -> ChangeSet:
            ids = entity_id(keep, index), entity_id(other, index)
            return await merge(*ids, index, self._handle.session.ingestion, now=utc_now())

        return await self._write(build, reason=reason, actor=actor)

    async def unmerge(
        self, event: Event | int, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo a merge, given by its event or the event's number, and return the new event.

        Both entities, their names and their facts are as they were. What was added or edited since
        stays, at the entity that was kept; what it had ended of the other one holds again, and the
        facts of each are judged anew by the rules of contradiction.

        Raises:
            InputError: if it is no merge, was undone before, or ``keep`` was merged since.
        """
        ingestion = self._handle.session.ingestion
        merged = await stored_event(event, self._group, ingestion.store)

        async def build(index: GroupIndex) -> ChangeSet:
            return await unmerge(merged, index, ingestion, now=utc_now())

        return await self._write(build, reason=reason, actor=actor)

    async def split(
        self,
        entity: Entity | str,
        *,
        name: str,
        facts: Iterable[Fact | str] = (),
        episodes: Iterable[Episode | str] = (),
        entity_type: str | None = None,
        reason: str = "",
        actor: str | None = None,
    ) -> Entity:
        """Make another entity of what was wrongly said of this one, and return it.

        The facts get copies with new ids at the new entity; the old ones are retracted and say so.
        A fact that rests on the given episodes and on others stays at both. To take back a merge,
        use ``unmerge``.

        Args:
            entity: The entity, its id, or a name that only it bears.
            name: What to call the new one; an alias of the old one is taken from it.
            facts: Facts to move.
            episodes: Episodes of which everything moves that they say about the entity.
            entity_type: Type of the new one; default: that of the old one.
            reason: Why, kept with the event.
            actor: Who says so; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the entity or a fact is not there, nothing is to move, or an entity has
                the name.
        """
        moving, sources = frozenset(map(id_of, facts)), frozenset(map(id_of, episodes))
        made: Entity | None = None

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal made
            wanted = Split(entity_id(entity, index), name, moving, sources, entity_type)
            ingestion = self._handle.session.ingestion
            made, changes = await split(wanted, index, ingestion, now=utc_now())
            return changes

        await self._write(build, reason=reason, actor=actor)
        assert made is not None, "building makes one"
        return made

    async def _write(self, build: Build, *, reason: str, actor: str | None) -> Event:
        ingestion = self._handle.session.ingestion
        return await commit_event(build, ingestion, self._group, reason=reason, actor=actor)
