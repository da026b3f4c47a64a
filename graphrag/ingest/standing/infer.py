"""Inferred facts as they are stored: with an id that follows from what they rest on.

An id begins with that of the first stated fact that it rests on, so that it does not depend on the
order of telling.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import NamedTuple, TypeVar

from graphrag.ingest.lifetimes import to_moment
from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.ingest.standing.sweep import Inferred
from graphrag.model.assertion import FOREVER
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations

_BETWEEN = ">"
_UNFOUNDED = "it does not follow from what was said"


class PlacedFact(NamedTuple):
    """A fact of a line, by when it holds."""

    start: int
    end: int
    id: str
    observed: bool
    inferred: bool = False


def fallen(
    facts: Iterable[Fact], known: Mapping[str, Fact], relations: Relations, now: datetime
) -> Iterator[Fact]:
    """Yield facts that were inferred as they are when they follow no longer, nor ever did.

    One that somebody said by now is part of what they said, and no read shows it.
    """
    said = {
        relations.line(fact.relation, fact.subject_id, fact.object_id): fact
        for fact in sorted(known.values(), key=lambda fact: fact.id, reverse=True)
        if fact.statements and fact.retracted_at is None and not fact.pending
    }
    for fact in facts:
        other = said.get(relations.line(fact.relation, fact.subject_id, fact.object_id))
        yield replace(
            fact,
            retracted_at=fact.retracted_at or now,
            closed_as="superseded" if other else "retracted",
            invalidated_by=other.id if other else None,
            reason=f"says the same as: {other.text}" if other else _UNFOUNDED,
            pending=other is not None,
        )


Stretched = TypeVar("Stretched", PlacedFact, Inferred)


@dataclass(slots=True)
class InferredFacts:
    """Makes facts of what was inferred."""

    places: Mapping[ClaimKey, Sequence[PlacedFact]]
    """Stated facts, and inferred ones that are not worked out here."""
    facts: Mapping[str, Fact]
    """The same, and all others, by id."""
    known: Mapping[str, Fact]
    """Facts that were inferred before and are worked out here."""
    now: datetime
    _spells: dict[ClaimKey, list[Inferred]] = field(default_factory=lambda: defaultdict(list))
    _ids: dict[Inferred, str] = field(default_factory=dict)
    _roots: dict[Inferred, str] = field(default_factory=dict)
    _sure: dict[Inferred, float] = field(default_factory=dict)
    _names: dict[str, str] = field(default_factory=dict)

    def name(self, spells: Sequence[Inferred]) -> None:
        """Give each stretch its id."""
        for fact in self.facts.values():
            self._names[fact.subject_id] = fact.subject
            self._names[fact.object_id] = fact.object
        for spell in spells:
            self._spells[spell.line].append(spell)
        self._root(spells)
        taken = Counter[str]()
        for spell in sorted(spells, key=lambda spell: (spell.line, spell.start)):
            relation, subject, object_ = spell.line
            id_ = _BETWEEN.join((self._roots[spell], subject, relation, object_))
            taken[id_] += 1
            self._ids[spell] = id_ if taken[id_] == 1 else f"{id_}{_BETWEEN}{taken[id_]}"

    def fact(self, spell: Inferred) -> Fact:
        """Return the fact of a stretch."""
        id_ = self._ids[spell]
        ways = [self.at(line, moment) for way, moment in spell.ways for line in way.body]
        placed = [support for support in ways if support is not None]
        started = [support for support in placed if support.start == spell.start]
        relation, subject, object_ = spell.line
        known = self.known.get(id_) or Fact(
            id_,
            next(iter(self.facts.values())).group_id,
            self.now,
            subject,
            object_,
            self._names.get(subject, ""),
            relation,
            self._names.get(object_, ""),
            self.words(spell.line),
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
            pending=False,
            observed=bool(started) and all(support.observed for support in started),
            confidence=self._sure[spell],
            closed_as=None if end is None else "ended",
            invalidated_by=by,
            reason=reason,
            provenance=tuple(f"rule {name}" for name in rules),
            derived_from=tuple(dict.fromkeys(support.id for support in placed)),
        )

    def _closing(self, spell: Inferred) -> tuple[str | None, str | None]:
        """Return the fact that ended a stretch, and why in words."""
        if spell.end == FOREVER:
            return None, None
        assert spell.clause is not None, "what has an end has a rule"
        why = f"rule {spell.clause.name!r}: "
        why += "it was said then" if spell.by == spell.line else "it follows no longer"
        if spell.by is None:
            return None, why
        closer = self.at(spell.by, spell.end) or self.at(spell.by, spell.end - 1)
        if closer is None:
            return None, f"rule {spell.clause.name!r}: it follows no longer"
        fact = self.facts.get(closer.id)
        return closer.id, f"{why}: {self.words(spell.by) if fact is None else fact.text}"

    def words(self, line: ClaimKey) -> str:
        """Return a line as a sentence."""
        relation, subject, object_ = line
        names = self._names.get(subject, subject), self._names.get(object_, object_)
        return f"{names[0]} {relation.replace('_', ' ')} {names[1]}."

    def _root(self, spells: Iterable[Inferred]) -> None:
        """Find the first stated fact that the start of each stretch rests on.

        A stretch is as sure as the least sure fact that its start rests on.
        """
        below: dict[Inferred, list[Inferred]] = {}
        for spell in spells:
            first, below[spell], sure = "", [], 1.0
            ways = (way for way, moment in spell.ways if moment == spell.start)
            for line in {line for way in ways for line in way.body}:
                placed = _at(self.places.get(line, ()), spell.start)
                if placed is not None:
                    root = placed.id.partition(_BETWEEN)[0]
                    first = min(first, root) if first else root
                    sure = min(sure, self.facts[placed.id].confidence)
                elif (other := _at(self._spells.get(line, ()), spell.start)) is not None:
                    below[spell].append(other)
            self._roots[spell], self._sure[spell] = first, sure
        changing = True
        while changing:
            changing = False
            for spell, others in below.items():
                all_of = (spell, *others)
                first = min(filter(None, (self._roots[each] for each in all_of)), default="")
                sure = min(self._sure[each] for each in all_of)
                if (first, sure) != (self._roots[spell], self._sure[spell]):
                    self._roots[spell], self._sure[spell], changing = first, sure, True

    def at(self, line: ClaimKey, moment: int) -> PlacedFact | None:
        """Return the fact that says a line at a moment."""
        if (placed := _at(self.places.get(line, ()), moment)) is not None:
            return placed
        if (spell := _at(self._spells.get(line, ()), moment)) is not None:
            return PlacedFact(spell.start, spell.end, self._ids[spell], False, inferred=True)
        return None


def _at(stretches: Iterable[Stretched], moment: int) -> Stretched | None:
    """Return the stretch that goes over a moment."""
    return next((each for each in stretches if each.start <= moment < each.end), None)
