"""Identity of entities: rename, merge, unmerge, split, keep apart, and proposals to merge."""

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
    """Which entities are one: ``graph.identity``.

    Where an argument is an entity, a fact, an episode or an event, its id or number does as well,
    and so does a name that only one entity bears. Each of these writes is one transaction with one
    event, which keeps the ``reason`` and the ``actor``, by default the one given to
    ``GraphRAG.open``. A ``PolicyError`` says that the write policy refused it. Whatever is raised,
    nothing was written.
    """

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

    async def rename(
        self, entity: Entity | str, name: str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Give an entity another primary name, and return the event; ``log.revert`` undoes it.

        Every view of the present knowledge shows the new name where it showed the old one, which
        becomes an alias; the new one may have been an alias. Facts keep the names they were stated
        with. If a thing really changed its name at some time, state that instead:
        ``add_fact(old, "renamed_to", new, valid_at=...)``.

        Raises:
            InputError: if the entity is not there, the name is empty or already its primary name,
                or another entity of the group has it as a name or an alias: see ``merge``.
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
        """Say that two entities are two, and return the event; ``log.revert`` takes it back.

        They are not proposed by ``candidates`` any more. ``merge`` still makes them one.

        Raises:
            InputError: if one is not there, a name means several, both are one, or it was said.
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
        """Make one entity of two, and return the event, which ``unmerge`` takes.

        All that was said of ``other`` is said of ``keep`` from now on; its names become aliases.
        The facts of both are judged anew: what says the same becomes one fact, and a relation that
        holds one value keeps the one stated last.

        Raises:
            InputError: if one is not there, a name means several, or both are one already.
        """

        async def build(index: GroupIndex) -> ChangeSet:
            ids = entity_id(keep, index), entity_id(other, index)
            return await merge(*ids, index, self._handle.session, now=utc_now())

        return await self._write(build, reason=reason, actor=actor)

    async def unmerge(
        self, event: Event | int, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo a merge, given by its event or the event's number, and return the new event.

        Both entities, their names and their facts are as they were. What was added or edited since
        stays, at the entity that was kept; what it had ended of the other one holds again, and the
        facts of each are judged anew by the rules of contradiction.

        Raises:
            InputError: if it is no merge, was undone before, ``keep`` was merged since, or it was
                renamed to the other's name: that is to be reverted first.
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
        """Make another entity of what was wrongly said of this one, and return it.

        The facts get copies with new ids at the new entity; the old ones are retracted and say so.
        A fact that rests on the given episodes and on others stays at both. To take back a merge,
        use ``unmerge``.

        Args:
            entity: The old one.
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
    aliases = dict.fromkeys((*entity.aliases, old, name))
    return replace(
        entity,
        name=stored,
        key=name_key(stored),
        names=names,
        aliases=tuple(alias for alias in aliases if name_key(alias) != name_key(stored)),
    )
