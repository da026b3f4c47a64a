"""Entity summaries composed from facts, without a model.

Clauses hold names, a relation and absolute dates, never source sentences, which may state retracted
or erased facts too. One fact of every relation before a second of any; current before ended, new
before old. The cost is independent of degree: the index holds the latest facts per relation.

Old summaries stay in event images and name neighbours: erasing an entity or fact must clean its
neighbours' images with ``without``.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.assertion import held_from
from graphrag.model.values import Entity, Fact
from graphrag.store.changes import Update
from graphrag.temporal.moment import from_micros, to_micros

if TYPE_CHECKING:
    from graphrag.ingest.plan import Plan

LONGEST = 500
"""Characters of a summary."""
_CLAUSES = 8
_BETWEEN = "; "
_RELATIONS = 16
"""Relations of an entity that are looked at: those added last."""
_EACH = 16
"""Facts of one relation that are looked at: those added last."""

Changed = Mapping[str, Fact | None]
"""Facts by id as they are about to be; None for one that is erased."""


_Side = tuple[str, bool]
"""A relation, and whether the entity is its subject."""
_Tie = tuple[bool, int, str, int, str, bool, bool]
"""A fact from one side: whether it goes on, start, id, end; the other end, whether that is its name
and not its id, and whether the start is only when it was seen to hold. A plain tuple: a batch has a
hundred thousand, and they sort as they are."""


def summarize(entity: Entity, facts: Iterable[Fact], now: datetime) -> str:
    """Describe an entity by those of the facts that are live: not retracted, not pending."""
    at = to_micros(now, FOREVER)
    ties: dict[_Side, list[_Tie]] = defaultdict(list)
    for fact in facts:
        if entity.id in _ends(fact):
            _add(fact, entity.id, at, ties)
    return _compose(entity.name, ties, lambda id_: id_)


def refreshed(
    entities: Iterable[str], index: GroupIndex, changed: Changed, *, now: datetime
) -> list[Update]:
    """Return the updates that make the summaries of these stored entities right again.

    Call it in the transaction that changes their facts, with ``changed`` as they will be: new ones,
    closed or retracted ones, None for erased ones. ``ends_of`` gives the entities to ask for.
    """
    names = {id_: index.entity_name(id_) for id_ in entities if id_ in index.entities.row_of}
    return _updates(names, index, changed, now)


def summarize_plan(
    plan: "Plan",
    index: GroupIndex,
    *,
    now: datetime,
    before: Mapping[str, Fact] | None = None,
    lazily: bool = False,
) -> None:
    """Describe the new entities of a plan, and the stored ones whose facts or name it changes.

    Args:
        plan: What is about to be written.
        index: The group as it is.
        now: What decides which facts go on.
        before: New facts that are being written and are not in the index yet.
        lazily: Leave all but what would become wrong to a later transaction: an empty summary
            says nothing that has become wrong.
    """
    closed = {id_: after for id_, (_, after) in plan.changed_facts.items()}
    changed: Changed = {**(before or {}), **plan.facts, **closed}
    if lazily:
        touched = [id_ for id_ in ends_of(closed.values()) if index.summary(id_)]
        plan.summaries = refreshed(touched, index, changed, now=now)
        return
    renamed = {id_: after.name for id_, (_, after) in plan.changed_entities.items()}
    stored = (id_ for id_ in plan.touched if id_ in index.entities.row_of)
    plan.summaries = _updates(
        {id_: index.entity_name(id_) for id_ in stored} | renamed, index, changed, now
    )
    new = {id_: entity.name for id_, entity in plan.entities.items()}
    for id_, summary in composed(new, index, changed, now=now).items():
        plan.entities[id_] = replace(plan.entities[id_], summary=summary)


def composed(
    names: Mapping[str, str], index: GroupIndex, changed: Changed, *, now: datetime
) -> dict[str, str]:
    """Return the summary of each entity, given by id and name; new entities are welcome.

    That of an entity merged into another is empty: its facts are those of the other, and nothing
    may be left behind of those that are erased there.
    """
    if not names:
        return {}
    new: dict[str, list[Fact]] = defaultdict(list)
    for fact in changed.values():
        if fact is not None and fact.id not in index.facts.row_of:
            for end in set(_ends(fact)):
                new[end].append(fact)
    last = {
        id_: index.latest_facts(id_, relations=_RELATIONS, each=_EACH)
        for id_ in names
        if id_ not in index.heirs
    }
    stored = _Stored(index, last.values())
    at = to_micros(now, FOREVER)
    return {
        id_: _compose(name, _ties(id_, last[id_], new[id_], changed, stored, at), index.entity_name)
        if id_ in last
        else ""
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


def _add(fact: Fact, entity: str, now: int, ties: dict[_Side, list[_Tie]]) -> None:
    """Add a fact, if it is live, to those of its relation."""
    if not _live(fact):
        return
    outgoing = fact.subject_id == entity
    start, end = to_micros(held_from(fact), BEGINNING), to_micros(fact.invalid_at, FOREVER)
    other = fact.object if outgoing else fact.subject
    ties[fact.relation, outgoing].append(
        (end > now, start, fact.id, end, other, True, fact.observed)
    )


class _Stored:
    """The columns of some facts, read at once: one number out of numpy costs ten times as much."""

    def __init__(self, index: GroupIndex, latest: Iterable[Mapping[str, list[int]]]) -> None:
        self.ids = index.facts.ids
        rows = list(dict.fromkeys(chain.from_iterable(chain.from_iterable(map(_values, latest)))))
        subjects, objects, retracted, pending, starts, ends, observed = (
            index.facts[name][rows].tolist()
            for name in (
                *("subject", "object", "retracted", "pending", "valid", "invalid"),
                "observed",
            )
        )
        of, ids = index.heirs.of, index.entities.ids
        self.live = {
            row: (of(ids[subject]), of(ids[object_]), start, end, seen)
            for row, subject, object_, taken, waits, start, end, seen in zip(
                rows, subjects, objects, retracted, pending, starts, ends, observed, strict=True
            )
            if taken == FOREVER and not waits
        }
        """Subject, object, start, end and whether that start is only when it was seen of every live
        one, by row; heirs for the merged."""


def _values(latest: Mapping[str, list[int]]) -> Iterable[list[int]]:
    return latest.values()


def _ties(
    entity: str,
    latest: Mapping[str, list[int]],
    new: Iterable[Fact],
    changed: Changed,
    stored: _Stored,
    now: int,
) -> dict[_Side, list[_Tie]]:
    """Return the live facts at an entity that were added last, as they are about to be."""
    ties: dict[_Side, list[_Tie]] = defaultdict(list)
    by_relation: dict[str, list[Fact]] = defaultdict(list)
    for fact in new:
        by_relation[fact.relation].append(fact)
    left = _RELATIONS - len(by_relation)
    ids, live = stored.ids, stored.live
    others = [relation for relation in latest if relation not in by_relation]
    for relation in [*by_relation, *others[: max(left, 0)]]:
        fresh = by_relation[relation][-_EACH:] if by_relation else ()
        for fact in fresh:
            _add(fact, entity, now, ties)
        rows = latest.get(relation, ())
        for row in rows[max(0, len(rows) + len(fresh) - _EACH) :]:
            id_ = ids[row]
            if changed and id_ in changed:
                after = changed[id_]
                if after is not None:
                    _add(after, entity, now, ties)
            elif row in live:
                subject, object_, start, end, seen = live[row]
                other = object_ if subject == entity else subject
                if other != entity:  # both ends may have been found to be the same entity
                    side = relation, other == object_
                    ties[side].append((end > now, start, id_, end, other, False, seen))
    return ties


def _compose(name: str, ties: Mapping[_Side, list[_Tie]], name_of: Callable[[str], str]) -> str:
    ranked = []
    for side, group in ties.items():
        if len(group) > 1:
            group.sort(reverse=True)
        for place, tie in enumerate(group[:_CLAUSES]):
            ranked.append((place, not tie[0], -tie[1], tie[2], side, tie))
    ranked.sort()
    summary = ""
    for *_, side, (_, start, _, end, other, named, seen) in ranked[:_CLAUSES]:
        times = _times(start, end, seen)
        clause = f"{_words(name, side, other if named else name_of(other))}{times}"
        longer = f"{summary}{_BETWEEN}{clause}" if summary else clause
        if len(longer) > LONGEST:
            break
        summary = longer
    return summary


def _words(name: str, side: _Side, other: str) -> str:
    relation = side[0].replace("_", " ")
    return f"{relation} {other}" if side[1] else f"{other} {relation} {name}"


def _times(since: int, until: int, observed: bool) -> str:
    """Return a lifetime in brackets; a start at which something was only seen is no start."""
    if since == until:
        return f" (at some time before {_day(until)})"
    start = None if since == BEGINNING else _day(since)
    end = None if until == FOREVER else _day(until)
    if observed:
        return f" (as of {start})" if end is None else f" (until {end})"
    if start and end:
        return f" ({start} to {end})"
    return f" ({'from' if start else 'until'} {start or end})" if start or end else ""


@lru_cache(maxsize=4096)
def _day(micros: int) -> str:
    return str(from_micros(micros).date())
