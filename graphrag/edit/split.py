"""One entity found to be two: some of its facts become another's.

A fact cannot be moved in the database. The old row is retracted, with the reason, and a copy with a
new id stands at the new entity: it keeps sources, lifetime, confidence and confirmation. Where the
two had closed each other's facts those hold again, as far as the rest of each side leaves room.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.edit.edits import put_aside
from graphrag.edit.reopen import closed_by, recut
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import fact_text
from graphrag.ingest.summaries import composed, ends_of, refreshed
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import Embedder
from graphrag.store.changes import ChangeSet
from graphrag.store.rows import edge
from graphrag.store.store import Store

SPLIT = "split"


@dataclass(frozen=True, slots=True)
class Split:
    """What is to become another entity."""

    entity: str
    name: str
    facts: frozenset[str] = frozenset()
    """Ids of the facts to move."""
    episodes: frozenset[str] = frozenset()
    """Ids of the episodes of which everything moves that they say about the entity."""
    entity_type: str | None = None


@dataclass(slots=True)
class _Sides:
    """The live facts of an entity, as they are to be."""

    stay: dict[str, Fact] = field(default_factory=dict)
    moved: dict[str, Fact] = field(default_factory=dict)
    """Copies, by the id of the old fact."""


async def split(
    wanted: Split,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    relations: Relations,
    *,
    now: datetime,
) -> tuple[Entity, ChangeSet]:
    """Work out the new entity and what changes."""
    old = (await store.get(Entity, [wanted.entity]))[wanted.entity]
    new, left = _named(wanted, old, index, now)
    stored = await store.get(Fact, {*index.facts_of(old.id), *wanted.facts})
    stored = index.heirs.follow(stored, index.entity_name)
    live = {id_: fact for id_, fact in stored.items() if fact.retracted_at is None}
    _check(wanted, old, live)
    sides = _divide(wanted, live, new, now)
    if not sides.moved and left == old:
        raise InputError(f"nothing of {old.name!r} is to become {new.name!r}: give its facts")
    await _release(sides, live, store, relations, now)
    after = dict(sides.stay)
    for id_, copy in sides.moved.items():
        after[copy.id] = copy
        if id_ not in sides.stay:
            reason = f"split: said of {new.name}, not of {old.name}"
            after[id_] = put_aside(live[id_], copy, "corrected", reason, now=now)
    changed = {id_: fact for id_, fact in after.items() if live.get(id_) != fact}
    changes = ChangeSet(index.group_id, SPLIT)
    new = replace(new, summary=composed({new.id: new.name}, index, changed, now=now)[new.id])
    copies = list(sides.moved.values())
    texts = [new.name, *map(fact_text, copies)]
    vectors = await embedder.embed(texts, purpose="document")
    changes.insert(new, vectors[0])
    for copy, vector in zip(copies, vectors[1:], strict=True):
        changes.insert(copy, vector)
    changes.change(old, left)
    for id_, fact in changed.items():
        if id_ in live:
            changes.change(live[id_], fact)
    touched = [end for end in ends_of([*changed.values(), *copies]) if end != new.id]
    changes.updates += refreshed(dict.fromkeys([old.id, *touched]), index, changed, now=now)
    _mention(changes, new, copies)
    return new, changes


def _named(wanted: Split, old: Entity, index: GroupIndex, now: datetime) -> tuple[Entity, Entity]:
    """Return the new entity, and the old one without the name that it gives up."""
    name, key = wanted.name.strip(), name_key(wanted.name)
    if not key:
        raise InputError(f"{wanted.name!r} is no name: give the new entity one")
    merged = [id_ for id_ in index.names.keyed(key) if id_ in index.heirs]
    if any(index.heirs.of(id_) == old.id for id_ in merged):
        raise InputError(
            f"{name!r} was merged into {old.name!r}: identity.unmerge it instead, see log.events()"
        )
    others = [id_ for id_ in index.entities_keyed(key) if id_ != old.id]
    if key == name_key(old.name) or others:
        bearer = others[0] if others else old.id
        raise InputError(
            f"an entity is called {name!r} already ({bearer}): give a name that tells them apart"
        )
    new = Entity(
        new_id(),
        index.group_id,
        now,
        name,
        key,
        wanted.entity_type or old.entity_type,
        old.labels,
        distinct_from=(old.id,),
    )
    aliases = tuple(alias for alias in old.aliases if name_key(alias) != key)
    return new, replace(old, aliases=aliases)


def _check(wanted: Split, old: Entity, live: Mapping[str, Fact]) -> None:
    for id_ in sorted(wanted.facts):
        fact = live.get(id_)
        if fact is None:
            raise InputError(f"no fact that stands has the id {id_!r}: see facts({old.name!r})")
        if old.id not in (fact.subject_id, fact.object_id):
            raise InputError(f"fact {id_} ({fact.fact!r}) is not about {old.name!r}")


def _divide(wanted: Split, live: Mapping[str, Fact], new: Entity, now: datetime) -> _Sides:
    sides = _Sides()
    for id_, fact in live.items():
        said = [span for span in fact.sources if span.episode_id in wanted.episodes]
        rest = tuple(span for span in fact.sources if span not in said)
        whole = id_ in wanted.facts or (said and not rest)
        if not whole:
            sides.stay[id_] = replace(fact, sources=rest) if said else fact
        if whole or said:
            copy = _copy(fact, wanted.entity, new, now)
            sides.moved[id_] = copy if whole else replace(copy, sources=tuple(said))
    return sides


def _copy(fact: Fact, old: str, new: Entity, now: datetime) -> Fact:
    at_subject, at_object = fact.subject_id == old, fact.object_id == old
    return replace(
        fact,
        id=new_id(),
        created_at=now,
        subject_id=new.id if at_subject else fact.subject_id,
        subject=new.name if at_subject else fact.subject,
        object_id=new.id if at_object else fact.object_id,
        object=new.name if at_object else fact.object,
    )


async def _release(
    sides: _Sides,
    live: Mapping[str, Fact],
    store: Store,
    relations: Relations,
    now: datetime,
) -> None:
    """Let each side's facts hold again that only the other side had closed."""
    gone = [live[id_] for id_ in sides.moved if id_ not in sides.stay]
    kept = [live[id_] for id_ in sides.stay if id_ not in sides.moved]
    sides.stay |= await _freed(gone, sides.stay, store, relations, now)
    sides.moved |= await _freed(kept, sides.moved, store, relations, now)
    ids = {id_: copy.id for id_, copy in sides.moved.items() if id_ not in sides.stay}
    for id_, copy in sides.moved.items():
        if copy.invalidated_by in ids:
            sides.moved[id_] = replace(copy, invalidated_by=ids[copy.invalidated_by])


async def _freed(
    closers: Sequence[Fact],
    facts: Mapping[str, Fact],
    store: Store,
    relations: Relations,
    now: datetime,
) -> dict[str, Fact]:
    found: dict[str, Fact] = {}
    as_stored = {id_: replace(fact, id=id_) for id_, fact in facts.items()}
    closing = {fact.invalidated_by for fact in facts.values()}
    for closer in closers:
        if closer.id not in closing:
            continue
        released = await closed_by(closer, as_stored.values(), store, corrected=True)
        for id_, fact in released.items():
            cut, changed = recut(fact, as_stored, relations, now=now)
            as_stored |= {id_: cut, **changed}
            found |= {id_: cut, **changed}
    return {id_: replace(fact, id=facts[id_].id) for id_, fact in found.items()}


def _mention(changes: ChangeSet, new: Entity, copies: Iterable[Fact]) -> None:
    """Link the new entity to the episodes that speak of it."""
    first = {span.episode_id: span for copy in copies for span in reversed(copy.sources)}
    for episode, span in first.items():
        changes.insert_row(
            "mentions",
            edge(
                "mentions",
                new_id(),
                ("episode", episode),
                ("entity", new.id),
                group_id=new.group_id,
                start=span.start,
                end=span.end,
            ),
        )
