"""What the graph says of an entity, in a few clauses composed from its facts; no model writes them.

A clause is made of names, a relation and dates, never of the sentence that states the fact: one
sentence may say two things, and one of them may have been retracted or erased since. Which facts:
of each relation the current ones before the ended ones, new before old; one of every relation
before a second of any. Dates are absolute, so that a summary does not become false as time passes.

The work does not grow with an entity's degree: the index knows the facts told last at each
relation, and nothing is read from the store.

The event log keeps old summaries in its images. They name the other ends of facts: who erases an
entity or a fact for good cleans those of its neighbours with ``without``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.models import Entity, Fact
from graphrag.plan import Plan
from graphrag.store.changes import Update
from graphrag.temporal.moment import from_micros, to_micros

LONGEST = 500
"""Characters of a summary."""
_CLAUSES = 8
_BETWEEN = "; "
_RELATIONS = 16
"""Relations of an entity that are looked at: those told last."""
_EACH = 16
"""Facts of one relation that are looked at: those told last."""

Changed = Mapping[str, Fact | None]
"""Facts by id as they are about to be; None for one that is erased."""


@dataclass(frozen=True, slots=True)
class _Tie:
    """A fact from the side of one of its ends."""

    relation: str
    other: str
    """Id of the other end."""
    name: str
    """Name of the other end; empty where only the index has it."""
    outgoing: bool
    start: int
    end: int
    id: str


def summarize(entity: Entity, facts: Iterable[Fact], now: datetime) -> str:
    """Describe an entity by those of the facts that are live: not retracted, not pending."""
    ties = (_tie(fact, entity.id) for fact in facts if _live(fact) and entity.id in _ends(fact))
    return _compose(entity.name, ties, to_micros(now, FOREVER), lambda id_: id_)


def refreshed(
    entities: Iterable[str], index: GroupIndex, changed: Changed, *, now: datetime
) -> list[Update]:
    """Return the updates that make the summaries of these stored entities right again.

    Call it in the transaction that changes their facts, with ``changed`` as they will be: new ones,
    closed or retracted ones, None for erased ones. ``ends_of`` gives the entities to ask for.
    """
    names = {id_: index.entity_name(id_) for id_ in entities if id_ in index.entities.row_of}
    return _updates(names, index, changed, now)


def summarize_plan(plan: Plan, index: GroupIndex, *, now: datetime) -> None:
    """Describe the new entities of a plan, and the stored ones whose facts it changes."""
    changed: Changed = plan.facts | {id_: new for id_, (_, new) in plan.changed_facts.items()}
    renamed = {id_: after.name for id_, (_, after) in plan.changed_entities.items()}
    touched = [*ends_of(filter(None, changed.values())), *renamed]
    names = {id_: index.entity_name(id_) for id_ in touched if id_ not in plan.entities} | renamed
    plan.summaries = _updates(names, index, changed, now)
    new = {id_: entity.name for id_, entity in plan.entities.items()}
    for id_, summary in composed(new, index, changed, now=now).items():
        plan.entities[id_] = replace(plan.entities[id_], summary=summary)


def composed(
    names: Mapping[str, str], index: GroupIndex, changed: Changed, *, now: datetime
) -> dict[str, str]:
    """Return the summary of each entity, given by id and name; new entities are welcome.

    That of an entity merged into another is empty: its facts are told of the other, and nothing
    may be left behind of those that are erased there.
    """
    new: dict[str, list[Fact]] = defaultdict(list)
    for fact in changed.values():
        if fact is not None and fact.id not in index.facts.row_of:
            for end in set(_ends(fact)):
                new[end].append(fact)
    at = to_micros(now, FOREVER)
    return {
        id_: ""
        if id_ in index.heirs
        else _compose(name, _ties(id_, index, new[id_], changed), at, index.entity_name)
        for id_, name in names.items()
    }


def without(summary: str, names: Iterable[str]) -> str:
    """Return an old summary without the clauses that have one of these names."""
    gone = [name.casefold() for name in names if name]
    kept = [
        clause
        for clause in summary.split(_BETWEEN)
        if not any(name in clause.casefold() for name in gone)
    ]
    left = _BETWEEN.join(kept)
    # A name that holds the mark between clauses was cut in two.
    return "" if any(name in summary.casefold() and _BETWEEN in name for name in gone) else left


def ends_of(facts: Iterable[Fact]) -> list[str]:
    """Return the ids of the entities that these facts are about, each once."""
    return list(dict.fromkeys(end for fact in facts for end in _ends(fact)))


def _updates(
    names: Mapping[str, str], index: GroupIndex, changed: Changed, now: datetime
) -> list[Update]:
    return [
        Update("entity", id_, {"summary": before}, {"summary": after})
        for id_, after in composed(names, index, changed, now=now).items()
        if (before := index.summary(id_)) != after
    ]


def _ends(fact: Fact) -> tuple[str, str]:
    return fact.subject_id, fact.object_id


def _live(fact: Fact) -> bool:
    return fact.retracted_at is None and not fact.pending


def _tie(fact: Fact, entity: str) -> _Tie:
    outgoing = fact.subject_id == entity
    return _Tie(
        fact.relation,
        fact.object_id if outgoing else fact.subject_id,
        fact.object if outgoing else fact.subject,
        outgoing,
        to_micros(fact.valid_at, BEGINNING),
        to_micros(fact.invalid_at, FOREVER),
        fact.id,
    )


def _ties(entity: str, index: GroupIndex, new: Iterable[Fact], changed: Changed) -> Iterator[_Tie]:
    """Yield the live facts at an entity that were told last, as they are about to be."""
    told: dict[str, list[Fact]] = defaultdict(list)
    for fact in new:
        told[fact.relation].append(fact)
    stored = index.facts_told_last(entity, relations=_RELATIONS, each=_EACH)
    left = _RELATIONS - len(told)
    for relation in [*told, *[name for name in stored if name not in told][: max(left, 0)]]:
        fresh = told.get(relation, [])[-_EACH:]
        for fact in filter(_live, fresh):
            yield _tie(fact, entity)
        rows = stored.get(relation, [])
        rows = rows[max(0, len(rows) + len(fresh) - _EACH) :]
        then = (changed.get(index.facts.ids[row]) for row in rows)
        yield from (_tie(fact, entity) for fact in then if fact is not None and _live(fact))
        unchanged = [row for row in rows if index.facts.ids[row] not in changed]
        yield from _stored_ties(index, unchanged, relation, entity)


def _stored_ties(index: GroupIndex, rows: list[int], relation: str, entity: str) -> Iterator[_Tie]:
    # Whole columns at once: reading single numbers out of numpy costs ten times as much.
    columns = (
        index.facts[name][rows].tolist() for name in ("retracted", "pending", "valid", "invalid")
    )
    for row, retracted, pending, start, end in zip(rows, *columns, strict=True):
        if retracted == FOREVER and not pending:
            subject, object_ = index.ends_of(row)
            other = object_ if subject == entity else subject
            if other != entity:  # both ends may have been found to be the same entity
                yield _Tie(relation, other, "", other == object_, start, end, index.facts.ids[row])


def _compose(name: str, ties: Iterable[_Tie], now: int, name_of: Callable[[str], str]) -> str:
    by_relation: dict[tuple[str, bool], list[_Tie]] = defaultdict(list)
    for tie in ties:
        by_relation[tie.relation, tie.outgoing].append(tie)
    ranked = []
    for group in by_relation.values():
        group.sort(key=lambda tie: (tie.end > now, tie.start, tie.id), reverse=True)
        ranked += [
            (place, tie.end <= now, -tie.start, tie.id, tie) for place, tie in enumerate(group)
        ]
    ranked.sort()
    summary = ""
    for *_, tie in ranked[:_CLAUSES]:
        clause = _clause(name, tie, tie.name or name_of(tie.other))
        longer = f"{summary}{_BETWEEN}{clause}" if summary else clause
        if len(longer) > LONGEST:
            break
        summary = longer
    return summary


def _clause(name: str, tie: _Tie, other: str) -> str:
    relation = tie.relation.replace("_", " ")
    words = f"{relation} {other}" if tie.outgoing else f"{other} {relation} {name}"
    start = None if tie.start == BEGINNING else from_micros(tie.start).date()
    end = None if tie.end == FOREVER else from_micros(tie.end).date()
    if start and end:
        return f"{words} ({start} to {end})"
    if start or end:
        return f"{words} ({'from' if start else 'until'} {start or end})"
    return words
