"""Entity summaries composed from facts, without a model.

Clauses hold names, a relation and absolute dates, never source sentences, which may state retracted
or erased facts too. One fact of every relation before a second of any; current before ended, new
before old. The cost is independent of degree: the index holds the latest facts per relation.

Old summaries stay in event images: erasing must clean those of neighbours with ``without``.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import NamedTuple

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.assertion import held_from
from graphrag.model.values import Fact
from graphrag.store.changes import Update
from graphrag.temporal.moment import from_micros, to_micros

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


class _Live(NamedTuple):
    """A fact that is neither retracted nor pending, as far as a summary tells it."""

    subject: str
    object: str
    start: int
    end: int
    observed: bool
    """True if the start is only when it was seen to hold."""
    names: tuple[str, str] | None = None
    """Of its ends; None for those of the index."""


_Side = tuple[str, bool]
"""A relation, and whether the entity is its subject."""
_Tie = tuple[bool, int, str, _Live]
"""A fact from one side: whether it goes on, its start, its id. A plain tuple: a batch has a hundred
thousand, and they sort as they are."""


def updated(
    entities: Iterable[str],
    index: GroupIndex,
    changed: Changed,
    *,
    now: datetime,
    names: Mapping[str, str] | None = None,
) -> list[Update]:
    """Return the updates that bring the summaries of entities up to date, if they are stored.

    ``changed`` are facts as they will be: new, closed, retracted, and None for erased ones.
    ``names`` are the new names of entities, by id.
    """
    stored = (id_ for id_ in entities if id_ in index.entities.row_of)
    named = {id_: index.entity_name(id_) for id_ in stored} | dict(names or {})
    return [
        Update("entity", id_, {"summary": before}, {"summary": after})
        for id_, after in composed(named, index, changed, now=now).items()
        if (before := index.summary(id_)) != after
    ]


def composed(
    names: Mapping[str, str], index: GroupIndex, changed: Changed, *, now: datetime
) -> dict[str, str]:
    """Return the summary of each entity, given by id and name; new entities are welcome.

    That of an entity merged into another is empty: its facts are those of the other.
    """
    if not names:
        return {}
    new: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for fact in changed.values():
        if fact is not None and fact.id not in index.facts.row_of:
            for end in {fact.subject_id, fact.object_id}:
                new[end][fact.relation].append(fact.id)
    left = (id_ for id_ in names if id_ not in index.heirs)
    latest = {id_: index.latest_facts(id_, relations=_RELATIONS, each=_EACH) for id_ in left}
    rows = dict.fromkeys(row for each in latest.values() for own in each.values() for row in own)
    live: dict[str, _Live | None] = dict(_stored(list(rows), index))
    live |= {id_: None if fact is None else _live(fact) for id_, fact in changed.items()}
    at, ids = to_micros(now, FOREVER), index.facts.ids
    summaries = dict.fromkeys(names, "")
    for id_, stored in latest.items():
        fresh = new.get(id_, {})
        others = [relation for relation in stored if relation not in fresh]
        by_relation: dict[str, Sequence[str]] = {}
        for relation in (*fresh, *others[: max(_RELATIONS - len(fresh), 0)]):
            told = fresh.get(relation, [])[-_EACH:]
            known = stored.get(relation, [])
            known = known[max(0, len(known) + len(told) - _EACH) :]
            by_relation[relation] = [*told, *(ids[row] for row in known)]
        summaries[id_] = _compose(id_, names, by_relation, live, at, index)
    return summaries


def without(summary: str, names: Iterable[str]) -> str:
    """Return an old summary without the clauses that have one of these names."""
    gone = [name.casefold() for name in names if name]
    if any(name in summary.casefold() and _BETWEEN in name for name in gone):
        return ""  # a name that holds the mark between clauses is cut in two
    clauses = summary.split(_BETWEEN)
    return _BETWEEN.join(
        clause for clause in clauses if not any(name in clause.casefold() for name in gone)
    )


def ends_of(facts: Iterable[Fact]) -> list[str]:
    """Return the ids of the entities that these facts are about, each once."""
    return list(dict.fromkeys(id_ for fact in facts for id_ in (fact.subject_id, fact.object_id)))


def _live(fact: Fact) -> _Live | None:
    if fact.retracted_at is not None or fact.pending:
        return None
    start, end = to_micros(held_from(fact), BEGINNING), to_micros(fact.invalid_at, FOREVER)
    names = fact.subject, fact.object
    return _Live(fact.subject_id, fact.object_id, start, end, fact.observed, names)


def _stored(rows: list[int], index: GroupIndex) -> Iterator[tuple[str, _Live]]:
    """Yield the live ones of some rows: read at once, one number costs ten times as much."""
    columns = ("retracted", "pending", "subject", "object", "valid", "invalid", "observed")
    values = (index.facts[name][rows].tolist() for name in columns)
    heir, ids = index.heirs.of, index.entities.ids
    for row, retracted, pending, subject, object_, *times in zip(rows, *values, strict=True):
        if retracted == FOREVER and not pending:
            yield index.facts.ids[row], _Live(heir(ids[subject]), heir(ids[object_]), *times)


def _compose(
    entity: str,
    names: Mapping[str, str],
    by_relation: Mapping[str, Iterable[str]],
    live: Mapping[str, _Live | None],
    now: int,
    index: GroupIndex,
) -> str:
    """Describe an entity by facts, given by relation, of the live ones among them."""
    ties: dict[_Side, list[_Tie]] = defaultdict(list)
    for relation, ids in by_relation.items():
        for id_ in ids:
            fact = live.get(id_)
            # Both ends may have been found to be the same entity.
            if fact is not None and (fact.names or fact.subject != fact.object):
                side = relation, fact.subject == entity
                ties[side].append((fact.end > now, fact.start, id_, fact))
    ranked = sorted(
        (place, not goes_on, -start, id_, side, fact)
        for side, group in ties.items()
        for place, (goes_on, start, id_, fact) in enumerate(sorted(group, reverse=True)[:_CLAUSES])
    )
    summary = ""
    for *_, (relation, outgoing), fact in ranked[:_CLAUSES]:
        end = fact.object if outgoing else fact.subject
        if fact.names is None:
            other = names[end] if end in names else index.entity_name(end)
        else:
            other = fact.names[outgoing]
        said = relation.replace("_", " ")
        words = f"{said} {other}" if outgoing else f"{other} {said} {names[entity]}"
        clause = words + _times(fact.start, fact.end, fact.observed)
        longer = f"{summary}{_BETWEEN}{clause}" if summary else clause
        if len(longer) > LONGEST:
            break
        summary = longer
    return summary


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
