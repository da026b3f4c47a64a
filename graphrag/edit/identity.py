"""Identity of entities: rename, merge, unmerge, split, keep apart, and merge candidates."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from graphrag.edit.editor import Door, entity_id, id_of, put_component, stored_event
from graphrag.edit.merge import RENAME, merge, unmerge
from graphrag.edit.split import Split, split
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.component import Component
from graphrag.model.arguments import checked
from graphrag.model.attributes import names_of
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.names.key import name_key
from graphrag.resolve.duplicates import MergeCandidate, merge_candidates
from graphrag.store.changes import ChangeSet
from graphrag.temporal.moment import utc_now


@checked(door="graph.identity")
class Identity(Door):
    """Identity of entities: ``graph.identity``.

    Entities, facts, episodes and events may be given by id or number, and entities by a unique
    name. Each write is one transaction with one event, which stores the ``reason`` and the
    ``actor`` (default: the one given to ``GraphRAG.open``). ``PolicyError`` is raised if the write
    policy refuses. After any error nothing was written.
    """

    async def candidates(self, limit: int = 50) -> list[MergeCandidate]:
        """Return pairs of entities that may be duplicates, most likely first; nothing changes.

        They share an identifier, or have similar names or names of similar meaning. Pairs with
        different identifiers, and pairs that ``keep_apart``, a split or an arbiter separated, are
        left out. The time grows with the group: about two minutes for 100,000 entities.

        Raises:
            InputError: if the limit is below 1.
        """
        if limit < 1:
            raise InputError(f"limit is {limit}: ask for at least 1 pair")
        session = self._handle.session
        index = await session.catalog.group(self._group)
        declared = session.ontology.identifiers
        return await merge_candidates(index, session.store, limit=limit, identifiers=declared)

    async def rename(
        self, entity: Entity | str, name: str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Change the primary name of an entity, and return the event; ``log.revert`` undoes it.

        All current views show the new name, and the old one becomes an alias. Facts keep the names
        with which they were stated. If a thing was renamed in the world at some time, add that as a
        fact instead: ``add_fact(old, "renamed_to", new, valid_at=...)``.

        Raises:
            InputError: if the entity does not exist, the name is empty or already its primary name,
                or another entity of the group has it as a name or alias: see ``merge``.
        """
        new = name.strip()

        async def build(index: GroupIndex) -> ChangeSet:
            id_, ingestion = entity_id(entity, index), self._handle.session
            _refuse_name(new, id_, index)
            [stored] = (await ingestion.store.get(Entity, [id_])).values()
            changes = ChangeSet(self._group, RENAME)
            renamed = _renamed(stored, new)
            changes.change(stored, renamed)
            nothing = Component.of(index, ingestion.relations, ingestion.store, utc_now())
            await put_component(changes, nothing, ingestion, renamed=[renamed])
            return changes

        return await self._write(build, reason=reason, actor=actor)

    async def keep_apart(
        self, one: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Record that two entities are different, and return the event; ``log.revert`` undoes it.

        ``candidates`` no longer proposes them. ``merge`` is still possible.

        Raises:
            InputError: if an entity does not exist, a name is ambiguous, both are the same entity,
                or this is recorded already.
        """

        async def build(index: GroupIndex) -> ChangeSet:
            first, second = entity_id(one, index), entity_id(other, index)
            name, other_name = index.entity_name(first), index.entity_name(second)
            if first == second:
                raise InputError(
                    f"both are the entity {name!r} ({first}): use "
                    "identity.unmerge(...) or identity.split(...)"
                )
            entities = await self._handle.session.store.get(Entity, [first, second])
            kept, apart = entities[first], entities[second]
            if second in kept.distinct_from or first in apart.distinct_from:
                raise InputError(f"{name!r} and {other_name!r} are known to be two already")
            changes = ChangeSet(self._group, "keep_apart")
            changes.change(kept, replace(kept, distinct_from=(*kept.distinct_from, second)))
            return changes

        return await self._write(build, reason=reason, actor=actor)

    async def merge(
        self, keep: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Merge two entities, and return the event, which ``unmerge`` accepts.

        ``keep`` takes over all statements about ``other``, and its names as aliases. The facts of
        both are settled again: equal ones are joined; a single-valued relation keeps the last
        value.

        Raises:
            InputError: if an entity does not exist, a name is ambiguous, or both are one already.
        """

        async def build(index: GroupIndex) -> ChangeSet:
            ids = entity_id(keep, index), entity_id(other, index)
            return await merge(*ids, index, self._handle.session, now=utc_now())

        return await self._write(build, reason=reason, actor=actor)

    async def unmerge(
        self, event: Event | int, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo a merge, given by its event or the number of it, and return the new event.

        Both entities get back their names and facts. Data added or edited since then stays with the
        entity that was kept; facts of the other one that it had ended hold again. The facts of each
        are settled again.

        Raises:
            InputError: if the event is not a merge or was undone already, ``keep`` was merged
                since, or it was renamed to the other's name, which must be reverted first.
        """
        ingestion = self._handle.session
        merged = await stored_event(event, self._group, ingestion.store)

        async def build(index: GroupIndex) -> ChangeSet:
            changes = ChangeSet(self._group, "unmerge")
            return await unmerge(changes, merged, index, ingestion, now=utc_now())

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
        """Move facts that were attributed to the wrong entity to a new one, and return it.

        The new entity gets copies of the facts with new ids; the old ones are retracted with a
        reference to them. A fact that rests on the given episodes and on others stays at both. Use
        ``unmerge`` to undo a merge.

        Args:
            entity: The old entity.
            name: Name of the new entity; if it is an alias of the old one, it moves.
            facts: Facts to move.
            episodes: Episodes whose statements about the entity all move.
            entity_type: Type of the new entity; default: that of the old one.
            reason: The reason, stored with the event.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the entity or a fact does not exist, nothing would move, or an entity has
                the name.
        """
        moving, sources = frozenset(map(id_of, facts)), frozenset(map(id_of, episodes))
        made: Entity | None = None

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal made
            wanted = Split(entity_id(entity, index), name, moving, sources, entity_type)
            ingestion = self._handle.session
            made, changes = await split(wanted, index, ingestion, now=utc_now())
            return changes

        await self._write(build, reason=reason, actor=actor)
        assert made is not None, "building makes one"
        return made


def _refuse_name(name: str, entity: str, index: GroupIndex) -> None:
    key = name_key(name)
    if not key:
        raise InputError(f"{name!r} is no name: give the entity one")
    if name == index.entity_name(entity):
        raise InputError(f"entity {entity} is called {name!r} already: nothing to rename")
    bearers = [id_ for id_ in index.entities_keyed(key) if id_ != entity]
    if bearers:
        shown = ", ".join(f"{index.entity_name(id_)!r} ({id_})" for id_ in bearers)
        raise InputError(
            f"{name!r} is already a name of {shown}: give another name, or make both one entity "
            "with identity.merge"
        )


def _renamed(entity: Entity, name: str) -> Entity:
    old = names_of(entity)[0]
    stored = name if entity.name == old else entity.name
    names = tuple(
        replace(it, name=name, source="") if (it.kind, it.name) == ("name", old) else it
        for it in entity.names
    )
    key, others = name_key(stored), dict.fromkeys((*entity.aliases, old, name))
    aliases = tuple(alias for alias in others if name_key(alias) != key)
    return replace(entity, name=stored, key=key, names=names, aliases=aliases)
