"""The facts that a question is worked out on, as plain rows, and their moments in words.

They are of all times, seen from a viewpoint. Relations that are declared to say the same are one
here, inverses with their ends swapped. Dates are as fine as the question asks or the facts tell.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from graphrag.ask.query import Term, Unit
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.assertion import Precision
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.search.near import bearers
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import VisibleRows
from graphrag.temporal.interval import Interval, shift
from graphrag.temporal.moment import from_micros, to_micros


class CannotAnswer(QueryError):
    """The graph does not hold what the question needs; the message says what is missing."""


_YEAR: Final = 366 * 86_400_000_000
_UNITS: Final[tuple[Unit, ...]] = ("day", "month", "year")
_SAMPLE, _FEWEST = 2_000, 4
"""Dates that tell a unit: three may fall on the first of January."""
Times = npt.NDArray[np.int64]


class FactRow(NamedTuple):
    """A fact on the line of time, ``[start, end)`` in microseconds."""

    row: int
    subject: int
    relation: str
    object: int
    start: int
    end: int

    @property
    def placed(self) -> bool:
        """Tell whether any moment is known at which it held."""
        return self.start < self.end

    @property
    def turned(self) -> "FactRow":
        """Return it with its ends swapped."""
        return self._replace(subject=self.object, object=self.subject)

    @property
    def happened(self) -> bool:
        """Tell what happened on a day, in a month or in a year from a state that ended."""
        if self.start == BEGINNING or not 0 < self.end - self.start <= _YEAR:
            return False
        start, end = from_micros(self.start), from_micros(self.end)
        return any(shift(start, unit, 1) == end for unit in _UNITS)

    @property
    def lasts(self) -> bool:
        """Tell a state from what happened on a day."""
        return self.end - self.start > _YEAR // 366

    def holds(self, at: int) -> bool:
        """Tell whether it holds at a moment."""
        return self.start <= at < self.end

    def meets(self, start: int, end: int) -> bool:
        """Tell whether it holds at some moment of a stretch."""
        return max(self.start, start) < min(self.end, end)

    def at(self, side: str) -> int:
        """Return one of both ends, which may be the same entity."""
        return self.subject if side == "subject" else self.object


@dataclass(frozen=True, slots=True)
class World:
    """The facts, names and relations of a group as seen from one moment (``now``)."""

    index: GroupIndex
    seen: VisibleRows
    """Facts of all times."""
    past: Rewind
    relations: Relations
    now: int
    """The moment that is looked from, in microseconds."""
    closed: bool = False
    """Whether what begins after that moment is left out."""
    dated: Mapping[int, int] = field(default_factory=dict)
    """When what holds for ever came about, by row: a birth."""
    _known_times: dict[str, tuple[Times, Times]] = field(default_factory=dict, init=False)

    def rows_of(self, term: Term) -> list[int]:
        """Return the rows of the entities that a name may mean."""
        row_of = self.index.entities.row_of
        ids: Sequence[str] = (
            bearers(term, self.index, self.seen) if isinstance(term, str) else term.ids
        )
        if not ids:
            raise CannotAnswer(f"no entity is called {str(term)!r}")
        return [row_of[id_] for id_ in ids if id_ in row_of]

    @property
    def begun(self) -> bool:
        """Tell whether anything has a known beginning before now; of a world to come all counts."""
        valid = self.seen.valid[self.seen.facts[: len(self.seen.valid)]]
        return bool(((valid > BEGINNING) & (valid <= self.now)).any())

    def began(self, line: FactRow) -> bool:
        """Tell whether a fact's beginning is known, not only a day on which it was so already."""
        facts, row = self.index.facts, line.row
        seen = facts["observed"][row] and facts["valid"][row] == line.start
        return line.start != BEGINNING and not seen

    def already(self, lines: Iterable[FactRow]) -> str:
        """Say since when at the latest it is so, of what it is not known of since when."""
        seen = [line.start for line in lines if line.placed and not self.began(line)]
        seen = [start for start in seen if start != BEGINNING]
        return f"; it was so on {_written(from_micros(min(seen)), 'day')}" if seen else ""

    def name(self, row: int) -> str:
        """Return the name of an entity, as it was then."""
        return self.past.name(self.index.entities.ids[row], self.index)

    def kind(self, row: int) -> str:
        """Return the type of an entity, as it was then."""
        return self.past.type_of(self.index.entities.ids[row], self.index)

    def rows(self, entities: Iterable[int]) -> list[FactRow]:
        """Return the facts about some entities."""
        places = np.array(sorted(set(entities)), dtype=np.intp)
        if not len(places):
            return []
        subject, object_ = self.seen.ends
        found = self.seen.facts_at(places)
        if found is None:
            found = np.flatnonzero(np.isin(subject, places) | np.isin(object_, places))
        found = np.unique(found)
        kept = self.seen.facts[found] & (self.seen.retracted[found] == FOREVER)
        if self.closed:
            kept &= self.seen.valid[found] <= self.now
        found = found[kept]
        codes, times = self.index.facts["relation"], (self.seen.valid, self.seen.invalid)
        columns = (column[found].tolist() for column in (subject, object_, codes, *times))
        rows = []
        for row, left, right, code, start, end in zip(found.tolist(), *columns, strict=True):
            name, swapped = self.relations.canonical(self.index.relations[code])
            fact = FactRow(row, left, name, right, self.dated.get(row, start), end)
            rows.append(fact.turned if swapped else fact)
        return rows

    def unit(self, relation: str) -> str:
        """Return the coarsest unit that the dates of a relation are all whole in.

        A table of years comes as the first moments of January.
        """
        moments = np.concatenate(self._times(relation))
        moments = moments[(moments != BEGINNING) & (moments != FOREVER)][:_SAMPLE]
        days = moments.astype("datetime64[us]")
        for unit, letter in (("year", "Y"), ("month", "M"), ("day", "D")):
            whole = days.astype(f"datetime64[{letter}]").astype("datetime64[us]") == days
            if len(days) >= _FEWEST and whole.all():
                return unit
        return "day"

    def momentary(self, relation: str) -> bool:
        """Tell whether all facts of a relation happened, none is a state: births, visits."""
        valid, invalid = self._times(relation)
        known = valid != BEGINNING
        return bool(known.any() and (invalid[known] <= valid[known] + _YEAR).all())

    def _times(self, relation: str) -> tuple[Times, Times]:
        if relation not in self._known_times:
            names = [self.relations.canonical(name)[0] for name in self.index.relations]
            codes = [code for code, name in enumerate(names) if name == relation]
            valid = self.seen.valid
            mask = self.seen.facts & np.isin(self.index.facts["relation"], codes)[: len(valid)]
            self._known_times[relation] = valid[mask], self.seen.invalid[mask]
        return self._known_times[relation]


def bounds_of(interval: Interval) -> tuple[int, int]:
    """Return an interval in microseconds."""
    return to_micros(interval.start, BEGINNING), to_micros(interval.end, FOREVER)


def by_start(rows: Sequence[FactRow]) -> list[FactRow]:
    """Return facts in the order of their beginning."""
    return sorted(rows, key=lambda row: (row.start, row.end, row.row))


Stated = tuple[Precision | None, Precision | None]
"""How finely a beginning and an end were stated; None if nobody stated that one."""

_DAY = timedelta(days=1)
_COARSEST = ("year", "month", "week", "day")


def date_words(
    wants: str, line: FactRow, unit: str, stated: Stated, *, fixed: bool = False, over: bool = False
) -> str | None:
    """Return the date of a fact that is asked for in a unit, None if it is not known.

    ``until`` names the last day, as a lifetime ends with the first moment after it; an end stated
    by its year or month, and the day on which it was ``over``, are said as stated. Of facts of
    whole years what ends with a year was over in that year. ``fixed``: the question says the unit.
    """
    units = (None, None) if fixed else stated
    start, end = _moment(line.start), _moment(line.end)
    if start is not None and not line.placed:
        return f"before {_written(start, 'day')}"
    first = None if start is None else _written(start, _coarser(unit, units[0]))
    last = None
    if end is not None:
        coarse = stated[1] in ("year", "month")
        day = end if coarse or (over and unit != "year") else end - timedelta(microseconds=1)
        last = _written(day, _coarser(unit, units[1]))
    if wants == "until":
        return last
    if wants == "since" or last is None or first is None:
        return first
    return first if first == last else f"{first} to {last}"


def stated_units(fact: Fact) -> Stated:
    """Return how finely the sources of a fact state its beginning and its end."""
    since = [statement.since for statement in fact.statements if statement.since is not None]
    until = [statement.until for statement in fact.statements if statement.until is not None]
    return (
        next((date.precision for date in since if date.moment == fact.valid_at), None),
        next((date.precision for date in until if date.moment == fact.invalid_at), None),
    )


def _coarser(unit: str, stated: Precision | None) -> str:
    return min(unit, stated or unit, key=_COARSEST.index) if stated != "exact" else unit


def stretch_words(line: FactRow) -> str:
    """Return when a fact holds, for the steps of an answer."""
    start, end = _moment(line.start), _moment(line.end)
    if start is not None and not line.placed:
        return f"of some time before {_written(start, 'day')}"
    first = "an unknown day" if start is None else _written(start, "day")
    return f"from {first}" + ("" if end is None else f" until {_written(end, 'day')}")


def between(start: int, end: int, unit: str) -> int:
    """Count the whole units between two moments."""
    first, last = _moment(start) or datetime.min.replace(tzinfo=UTC), _moment(end)
    if last is None or last < first:
        return 0
    if unit in ("day", "week"):
        return (last - first) // (_DAY if unit == "day" else 7 * _DAY)
    months = (last.year - first.year) * 12 + last.month - first.month
    months -= (last.day, last.time()) < (first.day, first.time())
    return months if unit == "month" else months // 12


def _moment(micros: int) -> datetime | None:
    return None if micros in (BEGINNING, FOREVER) else from_micros(micros)


def _written(moment: datetime, unit: str) -> str:
    length = {"year": 4, "month": 7}.get(unit, 10)
    return moment.date().isoformat()[:length]
