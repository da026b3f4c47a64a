"""Shared steps of every manual edit: resolve the arguments, settle the facts, write one event.

An edit changes which statements are valid. The component of facts that it touches is settled again
and the differences are written: the lifetime of each fact follows from its statements.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from graphrag.edit import Edit
from graphrag.errors import InputError
from graphrag.index.group import GroupIndex
from graphrag.index.texts import embed_texts, fact_text
from graphrag.ingest.ingestion import Build, Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.derive import Outcome
from graphrag.ingest.lifetimes.repeat import keep, let_fall
from graphrag.ingest.summaries import composed, ends_of, updated
from graphrag.model.assertion import Assertion, Void
from graphrag.model.attributes import names_of
from graphrag.model.ids import new_id
from graphrag.model.values import Entity, Episode, Event, Fact
from graphrag.search.results import Quote
from graphrag.session import Handle
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store

Stored = TypeVar("Stored", Fact, Episode)


def id_of(value: Fact | Entity | Episode | str) -> str:
    """Return the id of what a caller gave as a value or by its id."""
    return value if isinstance(value, str) else value.id


@dataclass(frozen=True, slots=True)
class Waiting:
    """A fact that waits for review, with the quotes that state it."""

    fact: Fact
    sources: tuple[Quote, ...]


async def stored(kind: type[Stored], given: Stored | str, group: str, store: Store) -> Stored:
    """Return a fact or an episode of a group as it is stored now."""
    id_ = id_of(given)
    value = (await store.get(kind, [id_])).get(id_)
    if value is None or value.group_id != group:
        name, article = ("fact", "a") if kind is Fact else ("episode", "an")
        advice = f"pass {article} {name} from a search, or its id"
        raise InputError(f"no {name} has the id {id_!r}: {advice}")
    return value


def entity_id(given: Entity | str, index: GroupIndex) -> str:
    """Return the id of the entity that a person means by an entity, its id or its name."""
    if isinstance(given, Entity) or given in index.entities.row_of:
        id_ = given.id if isinstance(given, Entity) else given
        if id_ not in index.entities.row_of:
            raise InputError(f"entity {id_!r} is not in group {index.group_id!r}: name its group")
        return index.heirs.of(id_)
    if not (named := index.entities_named(given)):
        raise InputError(f"no entity is called {given!r} in group {index.group_id!r}: try a search")
    if len(named) > 1:
        shown = ", ".join(f"{id_} ({index.entity_type(id_)})" for id_ in named)
        raise InputError(
            f"{len(named)} entities are called {given!r}: pass the entity or its id; "
            f"theirs are {shown}"
        )
    return named[0]


async def stored_event(event: Event | int, group: str, store: Store) -> Event:
    """Return an event of the log of a group, given by its number, too."""
    number = event if isinstance(event, int) else event.seq
    events = await store.events(group, after=number - 1, limit=1)
    if not events or events[0].seq != number:
        raise InputError(f"group {group!r} has no event {number}: log.events() shows them all")
    return events[0]


def stand(component: Component, current: Fact, wanted: Edit, before: Outcome) -> str:
    """Settle a component with an edit, and return the id of the fact that stands for it.

    What the person says is trusted as much as the most trusted statement that it meets.
    """
    rests_on, void = before.supporting(current.id), wanted.void
    trust = max((statement.trust for _, statement in before.said.by_id.values()), default=0.0)
    if void is not None:
        component.void(rests_on, void)
    elif wanted.stays:
        accepted = [component.facts[current.id]] if current.pending else []
        component.restate(
            rests_on, lambda said: [replace(said, pending=False, manual=True, trust=trust)]
        )
        for fact in accepted:
            let_fall(component, replace(fact, statements=component.facts[fact.id].statements))
    if (until := wanted.until) is not None:
        component.restate(rests_on, lambda said: _shortened(said, until))
    row = component.facts.get(wanted.fact.id)
    said = (replace(statement, trust=trust) for statement in wanted.said)
    statements = (*(row.statements if row is not None else ()), *said)
    new = replace(wanted.fact, statements=statements)
    component.facts[new.id] = new
    outcome = component.settle()
    stands = outcome.settlement.joins.get(new.id)
    if row is None and stands is not None:
        stands = keep(component, [new.id], outcome)[new.id]
        if void is not None:  # it is another fact that is right instead
            right = replace(void, fact=stands)
            component.restate(
                rests_on, lambda said: [replace(said, void=right) if said.void == void else said]
            )
        outcome = component.settle()
        return outcome.places.get(wanted.said[0].id, stands)
    placed = [outcome.places.get(statement.id) for statement in wanted.said]
    if wanted.until is None and placed and placed[0] is not None:
        return placed[0]
    return stands or new.id


def _shortened(statement: Assertion, until: datetime) -> list[Assertion]:
    """Return a statement of what a person ended; of one that reaches beyond, what is left of it."""
    since, at = statement.since, statement.at
    reached = [date.moment for date in (since, statement.until) if date] + ([at] if at else [])
    if statement.void is not None or max(reached, default=until) < until or not reached:
        return [statement]
    void = replace(statement, void=Void("corrected", reason="ended by hand"))
    if since is None or since.moment >= until:
        return [void]
    began = replace(statement, id=new_id(), until=None, at=None, kind="state", manual=True)
    return [void, began]


async def put_component(
    changes: ChangeSet,
    component: Component,
    ingestion: Ingestion,
    *,
    new: Sequence[Entity] = (),
    touched: Iterable[str] = (),
    renamed: Iterable[Entity] = (),
) -> None:
    """Note the facts of a settled component that are different, and the summaries that follow.

    ``new`` are entities that the facts need, ``touched`` more entities whose summaries may differ,
    ``renamed`` entities whose neighbours call them otherwise from now on.
    """
    before, index, now = component.stored, component.index, component.now
    names = {entity.id: names_of(entity)[0] for entity in renamed}
    named = {id_: name for id_, name in names.items() if name != index.entity_name(id_)}
    with component.supposed():  # nothing is awaited in here
        after = component.changed()
        facts = [*after.values(), *(before[id_] for id_ in after if id_ in before)]
        rows = [index.facts.row_of[fact] for id_ in named for fact in index.facts_of(id_)]
        neighbours = (end for row in rows for end in index.ends_of(row))
        ends = (*touched, *ends_of(facts), *neighbours)
        summaries = updated(ends, index, after, now=now, names=named)
        described = composed({it.id: it.name for it in new}, index, after, now=now)
    vectors = await embed_texts(ingestion.embedder, {entity.id: entity.name for entity in new})
    for entity in new:
        changes.insert(replace(entity, summary=described[entity.id]), vectors[entity.id])
    await put_facts(changes, before, after, ingestion)
    changes.updates += summaries  # last: a policy that refuses names what was asked for


async def put_facts(
    changes: ChangeSet, before: Mapping[str, Fact], after: Mapping[str, Fact], ingestion: Ingestion
) -> None:
    """Note facts that change or are new, with the vectors of what they say now."""
    facts = [
        fact
        for id_, fact in after.items()
        if id_ not in before or fact_text(before[id_]) != fact_text(fact)
    ]
    rows = await ingestion.store.get(Fact, [fact.id for fact in facts if fact.id in before])
    texts = {}
    for fact in facts:  # with the names that are stored, whoever its ends speak through now
        row = rows.get(fact.id, fact)
        texts[fact.id] = fact_text(replace(fact, subject=row.subject, object=row.object))
    vectors = await embed_texts(ingestion.embedder, texts)
    for id_, fact in after.items():
        if id_ in before:
            changes.change(before[id_], fact, vectors.get(id_))
        else:
            changes.insert(fact, vectors[id_])


class Door:
    """Writes by hand to one group: each is one transaction with one event."""

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle = handle
        self._group = group

    async def _write(self, build: Build, *, reason: str, actor: str | None) -> Event:
        async def signed(index: GroupIndex) -> ChangeSet:
            changes = await build(index)
            changes.note, changes.actor = reason or None, actor or ""
            return changes

        ingestion = self._handle.session
        seq = await ingestion.writer.commit(self._group, signed)
        return (await ingestion.store.events(self._group, after=seq - 1, limit=1))[0]
