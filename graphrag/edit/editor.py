"""One edit by hand as one transaction: read a fact and its rivals, say what stands, settle, write.

An edit only says which statements stand. When the fact holds, and what it had closed, follows.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.edit.edits import Edit, shortened
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import fact_text
from graphrag.ingest.commit import Build
from graphrag.ingest.effects import closed
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component, component_of, triple_of
from graphrag.ingest.lifetimes.derive import Outcome
from graphrag.ingest.lifetimes.repeat import keep, let_fall
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import composed, ends_of, refreshed
from graphrag.model.assertion import Assertion
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.protocols import Matrix
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now

Basis = tuple[Assertion, ...]
"""What a fact rests on."""
Decide = Callable[[Fact, Basis, GroupIndex, datetime], Edit]
"""Say what is wanted of a fact, given what it rests on."""


def id_of(value: Fact | Entity | Episode | str) -> str:
    """Return the id of what a caller gave as a value or by its id."""
    return value if isinstance(value, str) else value.id


async def stored_fact(fact: Fact | str, group: str, store: Store) -> Fact:
    """Return a fact of a group as it is stored now.

    Raises:
        InputError: if there is none with this id.
    """
    id_ = id_of(fact)
    stored = (await store.get(Fact, [id_])).get(id_)
    if stored is None or stored.group_id != group:
        raise InputError(f"no fact has the id {id_!r}: pass a fact from a search, or its id")
    return stored


async def stored_event(event: Event | int, group: str, store: Store) -> Event:
    """Return an event of the log of a group, given by its number, too.

    Raises:
        InputError: if there is none of this number.
    """
    number = event if isinstance(event, int) else event.seq
    stored = await store.events(group, after=number - 1, limit=1)
    if not stored or stored[0].seq != number:
        raise InputError(f"group {group!r} has no event {number}: log.events() shows them all")
    return stored[0]


async def edit(
    fact: Fact | str,
    decide: Decide,
    ingestion: Ingestion,
    *,
    group: str,
    kind: str,
    actor: str | None,
    note: str,
) -> Fact:
    """Write what ``decide`` makes of a fact of a group, and return the one that stands for it."""
    stands: Fact | None = None
    await stored_fact(fact, group, ingestion.store)

    async def build(index: GroupIndex) -> ChangeSet:
        nonlocal stands
        now, store = utc_now(), ingestion.store
        current = await stored_fact(fact, group, store)
        if current.derived_from:
            rule = ", ".join(current.provenance)
            raise InputError(
                f"fact {current.id} ({current.text!r}) was inferred by {rule}: change the facts "
                f"that it rests on, {', '.join(current.derived_from)}"
            )
        current = index.heirs.follow({current.id: current}, index.entity_name)[current.id]
        component = await component_of([current], index, store, ingestion.relations)
        outcome = component.settle(gone_from(index), now=now)
        rests_on = outcome.supporting(current.id)
        basis = tuple(outcome.said.by_id[id_][1] for id_ in rests_on)
        wanted = decide(current, basis, index, now)
        await component.read(component.reach([triple_of(wanted.fact)]), store)
        id_ = _say(component, current, wanted, outcome, now)
        stands = component.facts[id_]
        also = "; ".join(filter(None, (note, *_others(component, {current.id, id_}))))
        changes = ChangeSet(group, kind, actor=actor or "", note=also or None)
        await _write(changes, component, wanted.entities, ingestion)
        return changes

    await ingestion.writer.commit(group, build)
    assert stands is not None, "building gives a fact"
    return stands


def _say(component: Component, current: Fact, wanted: Edit, before: Outcome, now: datetime) -> str:
    """Let what a person says stand, and return the id of the fact that stands for it.

    A person is believed as far as the best source of what it meets.
    """
    rests_on, void = before.supporting(current.id), wanted.void
    trust = max((one.trust for _, one in before.said.by_id.values()), default=0.0)
    if void is not None:
        component.void(rests_on, void)
    elif wanted.stays:
        accepted = [component.facts[current.id]] if current.pending else []
        component.restate(
            rests_on, lambda one: replace(one, pending=False, manual=True, trust=trust)
        )
        for fact in accepted:
            let_fall(component, replace(fact, statements=component.facts[fact.id].statements))
    if wanted.until is not None:
        _shorten(component, rests_on, wanted.until)
    row = component.facts.get(wanted.fact.id)
    said = (replace(statement, trust=trust) for statement in wanted.said)
    statements = (*(row.statements if row is not None else ()), *said)
    new = replace(wanted.fact, statements=statements)
    component.facts[new.id] = new
    outcome = component.settle(gone_from(component.index), now=now)
    stands = outcome.settlement.joins.get(new.id)
    if row is None and stands is not None:
        stands = keep(component, [new.id], outcome)[new.id]
        if void is not None:  # it is another fact that is right instead
            right = replace(void, fact=stands)
            component.restate(
                rests_on,
                lambda statement: (
                    replace(statement, void=right) if statement.void == void else statement
                ),
            )
        outcome = component.settle(gone_from(component.index), now=now)
        return outcome.places.get(wanted.said[0].id, stands)
    placed = [outcome.places.get(statement.id) for statement in wanted.said]
    if wanted.until is None and placed and placed[0] is not None:
        return placed[0]
    return stands or new.id


def _others(component: Component, edited: Collection[str]) -> Iterator[str]:
    """Yield in words which facts end, hold again or fall beside those that were edited."""
    old = component.stored
    facts = [fact for fact in component.changed().values() if fact.id not in edited]
    known = [(old[fact.id], fact) for fact in facts if fact.id in old]
    yield from closed((fact for fact in facts if fact.id not in old), known)


def _shorten(component: Component, ids: tuple[str, ...], until: datetime) -> None:
    for fact in list(component.facts.values()):
        left: list[Assertion] = []
        for statement in fact.statements:
            was, rest = (statement, None)
            if statement.id in ids:
                was, rest = shortened(statement, until, "ended by hand")
            left += [was, *([] if rest is None else [rest])]
        if tuple(left) != fact.statements:
            component.facts[fact.id] = replace(fact, statements=tuple(left))


async def _write(
    changes: ChangeSet, component: Component, entities: tuple[Entity, ...], ingestion: Ingestion
) -> None:
    """Note what is different, with new entities."""
    now = utc_now()
    names = {entity.id: entity.name for entity in entities}
    described = composed(names, component.index, component.changed(), now=now)
    vectors = await embedded(names, ingestion)
    for entity in entities:
        new = replace(entity, summary=described[entity.id])
        changes.insert(new, vectors[entity.id])
    await put_component(changes, component, ingestion, now=now)


async def put_component(
    changes: ChangeSet, component: Component, ingestion: Ingestion, *, now: datetime
) -> None:
    """Note the facts of a component that are different, and the summaries that follow."""
    before, after = component.stored, component.changed()
    await put_facts(changes, before, after, ingestion)
    touched = ends_of([*after.values(), *(before[id_] for id_ in after if id_ in before)])
    changes.updates += refreshed(touched, component.index, after, now=now)


async def put_facts(
    changes: ChangeSet,
    before: Mapping[str, Fact],
    after: Mapping[str, Fact],
    ingestion: Ingestion,
) -> None:
    """Note facts that change or are new, with the vectors of what they say now."""
    vectors = await embedded(await _reworded(before, after, ingestion.store), ingestion)
    for id_, fact in after.items():
        if id_ in before:
            changes.change(before[id_], fact, vectors.get(id_))
        else:
            changes.insert(fact, vectors[id_])


async def embedded(texts: Mapping[str, str], ingestion: Ingestion) -> dict[str, Matrix]:
    """Return the vectors of texts, by their keys."""
    if not texts:
        return {}
    vectors = await ingestion.embedder.embed(list(texts.values()), purpose="document")
    return dict(zip(texts, vectors, strict=True))


async def _reworded(
    before: Mapping[str, Fact], after: Mapping[str, Fact], store: Store
) -> dict[str, str]:
    """Return what is to be embedded of facts whose words change, or that are new, by id."""
    facts = [
        fact
        for id_, fact in after.items()
        if id_ not in before or fact_text(before[id_]) != fact_text(fact)
    ]
    stored = await store.get(Fact, [fact.id for fact in facts if fact.id in before])
    texts = {}
    for fact in facts:  # with the names that are stored, whoever its ends speak through now
        named = stored.get(fact.id, fact)
        texts[fact.id] = fact_text(replace(fact, subject=named.subject, object=named.object))
    return texts


async def commit_event(
    build: Build, ingestion: Ingestion, group: str, *, reason: str, actor: str | None
) -> Event:
    """Write one transaction for a reason in somebody's name, and return its event."""

    async def signed(index: GroupIndex) -> ChangeSet:
        changes = await build(index)
        changes.note, changes.actor = reason or None, actor or ""
        return changes

    seq = await ingestion.writer.commit(group, signed)
    return (await ingestion.store.events(group, after=seq - 1, limit=1))[0]


SETTLE = "settle"
"""Kind of the event."""


async def resettle(
    group: str, ingestion: Ingestion, *, reason: str, actor: str | None
) -> tuple[Fact, ...]:
    """Settle all facts of a group, and return those that are new or different, as they are then."""
    changed: dict[str, Fact] = {}

    async def build(index: GroupIndex) -> ChangeSet:
        nonlocal changed
        component = Component.of(index, ingestion.relations)
        await component.read(component.reach_from(list(index.facts.row_of)), ingestion.store)
        component.settle(gone_from(index), now=utc_now())
        changed = component.changed()
        changes = ChangeSet(group, SETTLE, actor=actor or "", note=reason or None)
        await _write(changes, component, (), ingestion)
        return changes

    await ingestion.writer.commit(group, build)
    return tuple(changed.values())
