"""Which stored facts a fact may meet: look-ups by relation and end, worked out once a relation.

Two facts meet if a statement of one may close the other, or if both say the same. Lifetimes are
settled for a fact with all that it meets, directly or through others.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.index.retention import Slot
from graphrag.model.assertion import held_from
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.standing import Program

Triple = tuple[str, str, str]
"""Relation, subject and object of a fact, as it is stored and as merges leave its ends."""
Side = Literal["subject", "object"]
Place = tuple[str, str, str | None, Side | None]
"""Relation, one end, the other if it is known, and which end the first one is, if that matters."""
Exclusion = Literal["single_valued", "single_holder", "exclusive_with"]
"""What a ``Relation`` may declare by which facts exclude each other."""
_EARLIEST = datetime.min.replace(tzinfo=UTC)
_LATEST = datetime.max.replace(tzinfo=UTC)
_MANY = 24
"""Rows that cost as much one by one as all at once."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Where others are that a fact of some relation may meet."""

    relation: str
    side: Side | None
    """At which of its ends; None for facts between the same two entities."""
    role: Side | None = None
    """Which end of the others that is; None for either."""


class Rivalry:
    """The look-ups of some relations."""

    def __init__(self, relations: Relations) -> None:
        self.relations = relations
        self._probes: dict[str, tuple[Probe, ...]] = {}

    @classmethod
    def of(cls, index: GroupIndex, relations: Relations) -> "Rivalry":
        """Return the look-ups of some relations, which a group keeps."""
        rivalry = _KEPT.get(index)
        if rivalry is None or rivalry.relations is not relations:
            rivalry = cls(relations)
            _KEPT.set(index, rivalry)
        return rivalry

    @cached_property
    def program(self) -> "Program | None":
        """Return the standing rules, None if there are none."""
        if not self.relations.standing:
            return None
        from graphrag.ingest.standing import program_of

        return program_of(self.relations)

    def probes(self, name: str) -> tuple[Probe, ...]:
        """Return where others are that a fact of this relation may meet."""
        if name not in self._probes:
            every = dict.fromkeys(self._worked_out(name))
            # What shares an end of its own role is found there, if both ends are the same, too.
            wide = {probe.relation for probe in every if probe.role is not None}
            self._probes[name] = tuple(
                probe for probe in every if probe.side is not None or probe.relation not in wide
            )
        return self._probes[name]

    def plain(self, name: str) -> bool:
        """Tell whether one lone statement of a relation says when it holds, without any rule."""
        return not self.relations[self.relations.canonical(name)[0]].timeless

    @cached_property
    def wide(self) -> frozenset[str]:
        """Names of relations that are looked for at one end."""
        probes = (probe for name in self.relations for probe in self.probes(name))
        return frozenset(probe.relation for probe in probes if probe.side is not None)

    @cached_property
    def nestable(self) -> frozenset[str]:
        """Names of relations that say what lies in what, or of which the values may do so."""
        nested = (alias for name in self.relations.nested for alias in self.relations.same(name))
        return self.relations.nesting.union(nested)

    def places(self, triple: Triple) -> Iterator[Place]:
        """Yield where others are that a fact may meet."""
        name, subject, object_ = triple
        for probe in self.probes(name):
            if probe.side is None:
                yield probe.relation, subject, object_, None
            else:
                end = subject if probe.side == "subject" else object_
                yield probe.relation, end, None, probe.role

    def ended(self, relation: str, entity: str, index: GroupIndex) -> Iterator[int]:
        """Yield the rows of what an end without an object may end."""
        canonical, turned = self.relations.canonical(relation)
        for name, other in self._same(canonical):
            role: Side | None = "object" if turned != other else "subject"
            role = None if self.relations[canonical].symmetric else role
            yield from rows_as(role, entity, index.rows_at(entity, name), index)

    def _worked_out(self, name: str) -> Iterator[Probe]:
        canonical, turned = self.relations.canonical(name)
        relation = self.relations[canonical]
        sides: tuple[Side, Side] = ("object", "subject") if turned else ("subject", "object")
        for other in (canonical, *relation.exclusive_with, *relation.ends_between):
            yield from (Probe(alias, None) for alias, _ in self._same(other))
        for place, exclusive in enumerate((relation.single_valued, relation.single_holder)):
            for alias, swapped in self._same(canonical):
                if relation.symmetric and (relation.single_valued or relation.single_holder):
                    yield Probe(alias, sides[place])
                elif exclusive:
                    yield Probe(alias, sides[place], _turned(place, swapped))
        yield from self._events(canonical)
        for ended in relation.ends:
            for alias, _ in self._same(ended):
                yield from (Probe(alias, side) for side in sides[: 1 + relation.symmetric])

    def _events(self, canonical: str) -> Iterator[Probe]:
        """Yield where the events are that end facts of a relation."""
        for event in self.relations.values():
            named = event.ends, event.ends_between
            ends, between = ({self.relations.canonical(it)[0] for it in names} for names in named)
            for alias, other in self._same(event.name) if canonical in ends else ():
                role = None if event.symmetric else _turned(0, other)
                yield Probe(alias, "subject", role)
                yield Probe(alias, "object", role)
            for alias, _ in self._same(event.name) if canonical in between else ():
                yield Probe(alias, None)

    def _same(self, name: str) -> list[tuple[str, bool]]:
        """Return all names that read as one, each with whether that swaps its ends."""
        names = dict.fromkeys(self.relations.same(self.relations.canonical(name)[0]))
        return [(alias, self.relations.canonical(alias)[1]) for alias in names]


_KEPT = Slot[Rivalry]()


def triple_of(fact: Fact) -> Triple:
    """Return what a fact says, by ids."""
    return fact.relation, fact.subject_id, fact.object_id


def rows_in(place: Place, index: GroupIndex) -> list[int]:
    """Return the rows of the stored facts at a place."""
    relation, end, other, role = place
    return rows_as(role, end, index.rows_at(end, relation, other), index)


def rows_as(role: Side | None, end: str, rows: list[int], index: GroupIndex) -> list[int]:
    """Return those of the rows at an entity in which it is the subject or the object."""
    if role is None or not rows:
        return rows
    family = [index.entities.row_of[id_] for id_ in index.heirs.family(end)]
    column = index.facts[role]
    if len(rows) <= _MANY:
        return [row for row in rows if column[row] in family]
    array = np.array(rows)
    return list(map(int, array[np.isin(column[array], family)]))


def _turned(place: int, turned: bool) -> Side:
    return "object" if (place == 1) != turned else "subject"


def exclusion(fact: Fact, other: Fact, relations: Relations) -> Exclusion | None:
    """Return what is declared by which two facts cannot both hold at one moment, if anything."""
    if fact.untyped or other.untyped or (fact.as_given and other.as_given):
        return None
    (name, *ends), (other_name, *others) = (
        relations.line(each.relation, each.subject_id, each.object_id) for each in (fact, other)
    )
    relation = relations[name]
    same = ends == others or (relation.symmetric and ends == others[::-1])
    if name != other_name:
        rivals = {relations.canonical(rival)[0] for rival in relation.exclusive_with}
        return "exclusive_with" if same and other_name in rivals else None
    if same:
        return None
    if relation.symmetric and (relation.single_valued or relation.single_holder):
        return "single_valued" if {*ends} & {*others} else None
    if relation.single_valued and ends[0] == others[0]:
        return "single_valued"
    return "single_holder" if relation.single_holder and ends[1] == others[1] else None


def shares_end(fact: Fact, other: Fact) -> bool:
    """Tell whether two facts have a subject or an object in common: only then one can end one."""
    same_object = bool(fact.object_id) and fact.object_id == other.object_id
    return same_object or fact.subject_id == other.subject_id


def stands(fact: Fact) -> bool:
    """Tell whether a source of a stored fact stands: also if the fact gave way to others."""
    return not fact.pending and (fact.retracted_at is None or fact.closed_as == "overruled")


def overlap(fact: Fact, other: Fact) -> bool:
    """Tell whether there is a moment at which both hold."""
    starts = (held_from(each) or _EARLIEST for each in (fact, other))
    stops = (each.invalid_at or _LATEST for each in (fact, other))
    return max(starts) < min(stops)
