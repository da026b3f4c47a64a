"""The facts that a question is worked out on: of all times, seen from a viewpoint, as plain rows.

Relations that are declared to say the same are one here, inverses with their ends swapped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from graphrag.ask.query import Term, Unit
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.ontology.relations import Relations
from graphrag.search.near import bearers
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.temporal.period import shift


class CannotAnswer(QueryError):
    """The graph does not hold what the question needs; the message says what is missing."""


_YEAR: Final = 366 * 86_400_000_000
_UNITS: Final[tuple[Unit, ...]] = ("day", "month", "year")
Rows = npt.NDArray[np.intp]


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

    def holds(self, at: int) -> bool:
        """Tell whether it holds at a moment."""
        return self.start <= at < self.end

    def meets(self, start: int, end: int) -> bool:
        """Tell whether it holds at some moment of a stretch."""
        return max(self.start, start) < min(self.end, end)

    def at(self, side: str) -> int:
        """Return one of both ends, which may be the same entity."""
        return self.subject if side == "subject" else self.object

    def other(self, row: int) -> int:
        """Return the end that is not this entity."""
        return self.object if self.subject == row else self.subject


@dataclass(frozen=True, slots=True)
class World:
    """What is known of a group from a viewpoint."""

    index: GroupIndex
    seen: Visible
    """Facts of all times."""
    past: Past
    relations: Relations
    now: int
    """The moment that is looked from, in microseconds."""
    closed: bool = False
    """Whether what begins after that moment is left out."""
    dated: Mapping[int, int] = field(default_factory=dict)
    """When what holds for ever came about, by row: a birth."""

    def rows_of(self, term: Term) -> list[int]:
        """Return the rows of the entities that a name may mean."""
        row_of = self.index.entities.row_of
        ids: Sequence[str] = (
            bearers(term, self.index, self.seen) if isinstance(term, str) else term.ids
        )
        if not ids:
            raise CannotAnswer(f"no entity is called {term!r}")
        return [row_of[id_] for id_ in ids if id_ in row_of]

    @property
    def begun(self) -> bool:
        """Tell whether anything has a known beginning before now; of a world to come all counts."""
        valid = self.seen.valid[self.seen.facts[: len(self.seen.valid)]]
        return bool(((valid > BEGINNING) & (valid <= self.now)).any())

    def began(self, line: FactRow) -> bool:
        """Tell whether a fact's beginning is known, not only a day on which it was so already."""
        return line.start != BEGINNING and not (line.row >= 0 and self._observed(line))

    def already(self, lines: Iterable[FactRow]) -> str:
        """Say since when at the latest it is so, of what it is not known of since when."""
        seen = [line.start for line in lines if line.placed and not self.began(line)]
        seen = [start for start in seen if start != BEGINNING]
        day = from_micros(min(seen)) if seen else None
        return "" if day is None else f"; it was so on {day.date().isoformat()}"

    def _observed(self, line: FactRow) -> bool:
        facts = self.index.facts
        return bool(facts["observed"][line.row] and facts["valid"][line.row] == line.start)

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
        read = {
            code: self.relations.canonical(self.index.relations[code])
            for code in np.unique(self.index.facts["relation"][found]).tolist()
        }
        return [
            FactRow(row, two, name, one, self.dated.get(row, start), end)
            if swapped
            else FactRow(row, one, name, two, self.dated.get(row, start), end)
            for row, one, two, start, end, (name, swapped) in zip(
                found.tolist(),
                subject[found].tolist(),
                object_[found].tolist(),
                self.seen.valid[found].tolist(),
                self.seen.invalid[found].tolist(),
                (read[code] for code in self.index.facts["relation"][found].tolist()),
                strict=True,
            )
        ]

    def newest(self, rows: Sequence[FactRow]) -> list[FactRow]:
        """Return what was said last of relations that hold one value for ever, and all others.

        Two birthplaces stand as a contradiction that is listed; an answer goes by the newer one.
        """
        last: dict[tuple[int, str], FactRow] = {}
        for row in sorted(rows, key=lambda row: row.row):
            known = self.relations[row.relation]
            if known.timeless and known.single_valued:
                last[row.subject, row.relation] = row
        return [row for row in rows if last.get((row.subject, row.relation), row) == row]

    def unit(self, relation: str) -> str:
        """Return the coarsest unit that the dates of a relation are all whole in.

        A table of years comes as the first moments of January.
        """
        code = [
            place
            for place, name in enumerate(self.index.relations)
            if self.relations.canonical(name)[0] == relation
        ]
        mask = np.isin(self.index.facts["relation"], code)[: len(self.seen.valid)] & self.seen.facts
        moments = np.concatenate((self.seen.valid[mask], self.seen.invalid[mask]))
        moments = moments[(moments != BEGINNING) & (moments != FOREVER)][:_SAMPLE]
        days = moments.astype("datetime64[us]")
        for unit, letter in (("year", "Y"), ("month", "M"), ("day", "D")):
            whole = days.astype(f"datetime64[{letter}]").astype("datetime64[us]") == days
            if len(days) >= _FEWEST and whole.all():
                return unit
        return "day"


_SAMPLE = 2_000
_FEWEST = 4
"""Dates that tell a unit: three may fall on the first of January."""


def bounds_of(interval: Interval) -> tuple[int, int]:
    """Return an interval in microseconds."""
    return to_micros(interval.start, BEGINNING), to_micros(interval.end, FOREVER)


def by_start(rows: Sequence[FactRow]) -> list[FactRow]:
    """Return facts in the order of their beginning."""
    return sorted(rows, key=lambda row: (row.start, row.end, row.row))
