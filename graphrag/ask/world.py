"""The facts that a question is worked out on: of all times, seen from a viewpoint, as plain rows.

Relations that are declared to say the same are one here, inverses with their ends swapped.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from graphrag.ask.asked import Named
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.ontology.relations import Relations
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros, to_micros

Rows = npt.NDArray[np.intp]


class Line(NamedTuple):
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

    def meets(self, start: int, end: int) -> bool:
        """Tell whether it holds at some moment of a stretch."""
        return max(self.start, start) < min(self.end, end)

    def at(self, side: str) -> int:
        """Return one of both ends, which may be the same entity."""
        return self.subject if side == "subject" else self.object

    def other(self, row: int) -> int:
        """Return the end that is not this entity."""
        return self.object if self.subject == row else self.subject


class Derived(NamedTuple):
    """What a line follows from that is no fact of its own."""

    parts: tuple[Line, ...]
    unsure: bool = False
    """Whether what was asked for is more than follows: an uncle, of a parent's sibling."""


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
    derived: dict[int, "Derived"] = field(default_factory=dict)
    """What was worked out of several facts, by the negative row of its line."""

    def derive(self, line: Line, parts: Sequence[Line], *, unsure: bool = False) -> Line:
        """Return what follows from some facts as a line of its own."""
        line = line._replace(row=-len(self.derived) - 1)
        self.derived[line.row] = Derived(tuple(parts), unsure)
        return line

    def stored(self, lines: Iterable[Line]) -> list[Line]:
        """Return the stored facts that some lines are or follow from, each once."""
        parts = (self.derived[one.row].parts if one.row < 0 else (one,) for one in lines)
        return list(dict.fromkeys(line for some in parts for line in some))

    def rows_of(self, named: Named) -> list[int]:
        """Return the rows of the entities that a name may mean."""
        row_of = self.index.entities.row_of
        return [row_of[id_] for id_ in named.ids if id_ in row_of]

    @property
    def begun(self) -> bool:
        """Tell whether anything has a known beginning before now; of a world to come all counts."""
        valid = self.seen.valid[self.seen.facts[: len(self.seen.valid)]]
        return bool(((valid > BEGINNING) & (valid <= self.now)).any())

    def began(self, line: Line) -> bool:
        """Tell whether a fact's beginning is known, not only a day on which it was so already."""
        return line.start != BEGINNING and not (line.row >= 0 and self._observed(line))

    def already(self, lines: Iterable[Line]) -> str:
        """Say since when at the latest it is so, of what it is not known of since when."""
        seen = [one.start for one in lines if one.placed and not self.began(one)]
        seen = [start for start in seen if start != BEGINNING]
        day = from_micros(min(seen)) if seen else None
        return "" if day is None else f"; it was so on {day.date().isoformat()}"

    def _observed(self, line: Line) -> bool:
        facts = self.index.facts
        return bool(facts["observed"][line.row] and facts["valid"][line.row] == line.start)

    def name(self, row: int) -> str:
        """Return the name of an entity, as it was then."""
        return self.past.name(self.index.entities.ids[row], self.index)

    def kind(self, row: int) -> str:
        """Return the type of an entity, as it was then."""
        return self.past.type_of(self.index.entities.ids[row], self.index)

    def lines(self, rows: Iterable[int]) -> list[Line]:
        """Return the facts about some entities."""
        places = np.array(sorted(set(rows)), dtype=np.intp)
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
            Line(row, two, name, one, self.dated.get(row, start), end)
            if swapped
            else Line(row, one, name, two, self.dated.get(row, start), end)
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

    def newest(self, lines: Sequence[Line], relation: str) -> list[Line]:
        """Return what was said last of a relation that holds one value for ever, else all.

        Two birthplaces stand as a contradiction that is listed; an answer goes by the newer one.
        """
        known = self.relations[relation]
        if not (known.timeless and known.single_valued):
            return list(lines)
        last: dict[int, Line] = {}
        for line in sorted(lines, key=lambda line: line.row):
            last[line.subject] = line
        return [line for line in lines if last[line.subject] == line]

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


def by_start(lines: Sequence[Line]) -> list[Line]:
    """Return facts in the order of their beginning."""
    return sorted(lines, key=lambda line: (line.start, line.end, line.row))
