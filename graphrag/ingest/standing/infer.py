"""Facts that rules infer, as they are stored: with an id that follows from what they rest on.

An id begins with that of the first thing said that it rests on, so that it is the same whoever
works it out, in whatever order things were said.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple

from graphrag.ingest.lifetimes.statement import to_moment
from graphrag.ingest.lifetimes.support import Line
from graphrag.ingest.standing.sweep import Inferred
from graphrag.model.assertion import FOREVER
from graphrag.model.values import Fact

_BETWEEN = ">"
"""Stands between the parts of an id."""


class Placed(NamedTuple):
    """A fact of a line, by when it holds."""

    start: int
    end: int
    id: str
    observed: bool


@dataclass(slots=True)
class Writer:
    """Makes facts of what was inferred."""

    places: Mapping[Line, Sequence[Placed]]
    """Facts that were said, or were inferred before and are not worked out here."""
    facts: Mapping[str, Fact]
    """The same, and all others, by id."""
    known: Mapping[str, Fact]
    """Facts that were inferred before and are worked out here."""
    now: datetime
    _spells: dict[Line, list[Inferred]] = field(default_factory=lambda: defaultdict(list))
    _ids: dict[Inferred, str] = field(default_factory=dict)

    def name(self, spells: Sequence[Inferred]) -> None:
        """Give each stretch its id."""
        for spell in spells:
            self._spells[spell.line].append(spell)
        taken = Counter[str]()
        for spell in sorted(spells, key=lambda spell: (spell.line, spell.start)):
            relation, subject, object_ = spell.line
            id_ = _BETWEEN.join((self._root(spell), subject, relation, object_))
            taken[id_] += 1
            self._ids[spell] = id_ if taken[id_] == 1 else f"{id_}{_BETWEEN}{taken[id_]}"

    def fact(self, spell: Inferred) -> Fact:
        """Return the fact of a stretch."""
        id_ = self._ids[spell]
        placed = [
            found
            for instance, moment in spell.ways
            for line in instance.body
            if (found := self._at(line, moment)) is not None
        ]
        rests_on = tuple(dict.fromkeys(one.id for one in placed))
        facts = [self.facts[one] for one in rests_on if one in self.facts]
        started = [one for one in placed if one.start == spell.start]
        names = {
            end: name
            for instance, moment in spell.ways
            for fact in self._said(instance.body, moment)
            for end, name in ((fact.subject_id, fact.subject), (fact.object_id, fact.object))
        }
        relation, subject, object_ = spell.line
        known = self.known.get(id_) or Fact(
            id_,
            next(iter(self.facts.values())).group_id,
            self.now,
            subject,
            object_,
            names.get(subject, ""),
            relation,
            names.get(object_, ""),
            f"{names.get(subject, '')} {relation.replace('_', ' ')} {names.get(object_, '')}.",
            origin="inferred",
        )
        rules = sorted({instance.clause.name for instance, _ in spell.ways})
        end = to_moment(spell.end)
        kept = known.expired_at if known.invalid_at == end else None
        by, reason = self._closing(spell)
        return replace(
            known,
            valid_at=to_moment(spell.start),
            invalid_at=end,
            expired_at=None if end is None else kept or self.now,
            retracted_at=None,
            observed=bool(started) and all(one.observed for one in started),
            confidence=min((fact.confidence for fact in facts), default=1.0),
            closed_as=None if end is None else "ended",
            invalidated_by=by,
            reason=reason,
            provenance=tuple(f"rule {name}" for name in rules),
            derived_from=rests_on,
        )

    def _closing(self, spell: Inferred) -> tuple[str | None, str | None]:
        """Return the fact that ended a stretch, and why in words."""
        if spell.end == FOREVER:
            return None, None
        found = None
        if spell.by is not None:
            found = self._at(spell.by, spell.end) or self._at(spell.by, spell.end - 1)
        rule = spell.first.clause.name
        if found is None or found.id not in self.facts:
            return None, f"rule {rule!r}: it follows no longer"
        return found.id, f"rule {rule!r}: it follows no longer: {self.facts[found.id].text}"

    def _root(self, spell: Inferred) -> str:
        """Return the id of the first thing said that a stretch rests on."""
        while True:
            line, moment = spell.first.body[0], spell.start
            if (found := self._place(line, moment)) is not None:
                return found.id.partition(_BETWEEN)[0]
            below = self._spell(line, moment)
            assert below is not None, "what holds was said or follows"
            spell = below

    def _said(self, lines: Iterable[Line], moment: int) -> Iterator[Fact]:
        """Yield what was said of lines, or of what those follow from."""
        for line in lines:
            found = self._place(line, moment)
            if found is not None and found.id in self.facts:
                yield self.facts[found.id]
            elif (spell := self._spell(line, moment)) is not None:
                yield from self._said(spell.first.body, spell.start)

    def _at(self, line: Line, moment: int) -> Placed | None:
        found = self._place(line, moment)
        if found is None and (spell := self._spell(line, moment)) is not None:
            return Placed(spell.start, spell.end, self._ids[spell], observed=False)
        return found

    def _place(self, line: Line, moment: int) -> Placed | None:
        some = self.places.get(line, ())
        return next((one for one in some if one.start <= moment < one.end), None)

    def _spell(self, line: Line, moment: int) -> Inferred | None:
        some = self._spells.get(line, ())
        return next((one for one in some if one.start <= moment < one.end), None)


def written(spells: Sequence[Inferred], writer: Writer) -> Iterator[Fact]:
    """Yield the facts of what was inferred."""
    writer.name(spells)
    yield from map(writer.fact, spells)
