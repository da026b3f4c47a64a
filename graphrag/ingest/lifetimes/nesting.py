"""Values that lie in each other, as far as a graph knows: they hold side by side.

A thing counts as lying in another, and in what that lies in, until that was stated to end or it was
stated to lie elsewhere. Of two values that counts when the later one began. It follows from the
statements that stand, not from what holds by them, so the order of telling has no part in it.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from graphrag.index.group import FOREVER as OPEN
from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.accounts import ConflictKey, end_said, first_said, last_said
from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.ingest.lifetimes.rivalry import Triple, stands
from graphrag.model.assertion import BEGINNING, FOREVER, Assertion
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.temporal.moment import to_micros

_SUBJECT, _OBJECT = 1, 2
Stored = tuple[str, Triple, ClaimKey]
"""The id of a fact, how it says what it says, and what that is."""


class Nesting:
    """Which entities lie in which.

    ``said`` is what was said of lines that say so, ``values`` that of the values that may lie in
    each other, by line.
    """

    def __init__(
        self,
        said: Mapping[ClaimKey, Sequence[Assertion]],
        relations: Relations,
        values: Mapping[ClaimKey, Sequence[Assertion]] | None = None,
    ) -> None:
        self._relations = relations
        self._over: dict[tuple[str, str], set[str]] = defaultdict(set)
        for name, inner, other in said:
            self._over[name, inner].add(other)
        self._starts = {line: first_said(spoken) for line, spoken in (values or {}).items()}
        self._ends: dict[ClaimKey, int] = {}
        for line, spoken in said.items():
            end = min(end_said(spoken), self._gave_way(line, last_said(spoken), said))
            if end < FOREVER:
                self._ends[line] = end

    @classmethod
    def of(cls, facts: Iterable[Fact], relations: Relations) -> "Nesting":
        """Return what lies in what by stored facts."""
        return cls(said_of(facts, relations), relations)

    def _gave_way(
        self, line: ClaimKey, newest: int, said: Mapping[ClaimKey, Sequence[Assertion]]
    ) -> int:
        """Return when something was first said to lie elsewhere, after it was said to lie here."""
        name, inner, here = line
        if len(self._over[name, inner]) < 2 or not self._relations[name].single_valued:
            return FOREVER
        apart = (
            there
            for there in self._over[name, inner]
            if there not in self._above(here, (name,)) and here not in self._above(there, (name,))
        )
        moments = (first_said(said.get((name, inner, there), ())) for there in apart)
        return min((moment for moment in moments if moment > newest), default=FOREVER)

    def beside(self, fact: Fact, other: Fact | None) -> bool:
        """Tell whether two facts hold side by side because the value of one lies in the other's."""
        if other is None:
            return False
        (*about, value), (*others, its_value) = (
            self._relations.line(each.relation, each.subject_id, each.object_id)
            for each in (fact, other)
        )
        by = self._relations.nested.get(about[0], ())
        at = max(to_micros(each.valid_at, BEGINNING) for each in (fact, other))
        return about == others and (
            its_value in self._above(value, by, at) or value in self._above(its_value, by, at)
        )

    def parted(
        self, slots: Mapping[ClaimKey, Sequence[ConflictKey]]
    ) -> dict[ClaimKey, Sequence[ConflictKey]]:
        """Return slots that two values share only if neither lies in the other."""
        sharing: dict[ConflictKey, list[ClaimKey]] = defaultdict(list)
        for line, own in slots.items():
            for slot in own if line[0] in self._relations.nested else ():
                if slot[:3] == ("subject", *line[:2]):
                    sharing[slot].append(line)
        divided = dict(slots)
        for slot, lines in sharing.items():
            if near := self._near(lines):
                parts: dict[ClaimKey, list[ConflictKey]] = defaultdict(list)
                for number, together in enumerate(_rivals(lines, near)):
                    for line in together:
                        parts[line].append((*slot, str(number)))
                for line in lines:
                    others = (each for each in slots[line] if each != slot)
                    divided[line] = [*others, *parts[line]]
        return divided

    def _near(self, lines: Sequence[ClaimKey]) -> dict[ClaimKey, set[ClaimKey]]:
        """Return by line those of the others of which the values are not apart from its own."""
        by, known = self._relations.nested[lines[0][0]], {line[_OBJECT]: line for line in lines}
        near: dict[ClaimKey, set[ClaimKey]] = defaultdict(set)
        for value, line in known.items() if len(known) > 1 else ():
            for other in self._above(value, by) & known.keys() - {value}:
                starts = (self._starts.get(each, BEGINNING) for each in (line, known[other]))
                if self._ends and other not in self._above(value, by, max(starts)):
                    continue
                near[line].add(known[other])
                near[known[other]].add(line)
        return near

    def _above(self, value: str, by: Collection[str], at: int = BEGINNING) -> set[str]:
        """Return all that a value lies in, with itself, by what had not ended at a moment."""
        above = {value: None}
        queue = [value]
        for id_ in queue:
            for name in by:
                for other in self._over.get((name, id_), ()):
                    if other not in above and at < self._ends.get((name, id_, other), FOREVER):
                        above[other] = None
                        queue.append(other)
        return set(above)


def said_of(facts: Iterable[Fact], relations: Relations) -> dict[ClaimKey, list[Assertion]]:
    """Return what stands of stored facts, by what they say."""
    spoken: dict[ClaimKey, list[Assertion]] = defaultdict(list)
    for fact in facts:
        if stands(fact):
            line = relations.line(fact.relation, fact.subject_id, fact.object_id)
            spoken[line] += (said for said in fact.statements if not (said.void or said.pending))
    return spoken


def _rivals(
    lines: Sequence[ClaimKey], near: Mapping[ClaimKey, set[ClaimKey]]
) -> Iterator[list[ClaimKey]]:
    """Yield sets of values that all exclude each other; any two that do are together in one."""
    mixed, rest = sorted(near), [line for line in lines if line not in near]
    together: dict[ClaimKey, set[ClaimKey]] = {line: set() for line in mixed}
    for place, first in enumerate(mixed):
        for second in (*mixed[place + 1 :], first):
            if second in near[first] or second in together[first]:
                continue
            clique = list(dict.fromkeys((first, second)))
            clique += (
                line for line in mixed if line not in clique and near[line].isdisjoint(clique)
            )
            for line in clique:
                together[line].update(clique)
            if len(clique) + len(rest) > 1:
                yield [*clique, *rest]


@dataclass(slots=True)
class Surroundings:
    """Where a group says what lies in what: its columns, and facts that are not in there yet."""

    index: GroupIndex
    relations: Relations
    _at_end: dict[tuple[str, str], list[Stored]] = field(default_factory=lambda: defaultdict(list))

    def enter(self, fact: Fact) -> None:
        """Take in a fact that is not in the columns, or not yet."""
        triple = fact.relation, fact.subject_id, fact.object_id
        line = self.relations.line(*triple)
        for end in dict.fromkeys(triple[1:]):
            self._at_end[line[0], end].append((fact.id, triple, line))

    def links(self, triples: Iterable[Triple]) -> set[str]:
        """Return the facts that may tell of several values of one thing which lie in which.

        What gave way to others does, too: where it would hold may rest on what lies in what.
        """
        values: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for line in (self.relations.line(*triple) for triple in triples):
            values[line[:2]][line[_OBJECT]] = None
            # An edit that is not written yet may say so.
            known, supposed_link = self._at_end[line[:2]], ("", line, line)
            if line[0] in self.relations.nesting and supposed_link not in known:
                known.append(supposed_link)
        return {
            id_
            for (name, _), near in values.items()
            if name in self.relations.nested and len(near) > 1
            for id_ in self._linking(name, near)
        }

    def touched(self, triple: Triple, *, adding: bool) -> Iterator[tuple[str, Triple]]:
        """Yield the facts that may hold side by side because of one, or would not without it.

        ``adding``: nothing falls, so what stands already changes nothing.
        """
        name, inner, other = self.relations.line(*triple)
        known = dict(self._standing(name, inner))
        if adding and known.get((name, inner, other)):
            return
        for valued, by in self.relations.nested.items():
            if name not in by:
                continue
            below = self._walk(inner, by, _OBJECT)
            above: dict[str, None] = {}
            for place in dict.fromkeys((other, *(line[_OBJECT] for line in known))):
                above |= self._walk(place, by, _SUBJECT)
            low = [held for value in below for held in self._at(valued, value, _OBJECT)]
            if not low:
                continue
            many = sum(len(self.index.rows_at(value, valued)) for value in above) < len(low)
            high = chain.from_iterable(self._at(valued, value, _OBJECT) for value in above)
            fewer, others = (high, below) if many else (low, above)
            for id_, held, line in fewer:
                beside = [
                    (its, stored)
                    for its, stored, its_line in self._at(valued, line[_SUBJECT], _SUBJECT)
                    if its_line[_OBJECT] in others and its not in ("", id_)
                ]
                yield from ((id_, held), *beside) if beside and id_ else ()

    def _linking(self, relation: str, values: Collection[str]) -> Iterator[str]:
        """Yield the facts by which some values of a relation may lie in each other."""
        by = self.relations.nested[relation]
        for value in values:
            links: dict[str, None] = {}
            met = self._walk(value, by, _SUBJECT, links)
            if any(other in met for other in values if other != value):
                yield from links

    def _walk(
        self, start: str, by: Iterable[str], role: int, links: dict[str, None] | None = None
    ) -> dict[str, None]:
        """Return all that lies in an entity, or that it lies in, with itself; note by what."""
        reached, queue = {start: None}, [start]
        for entity in queue:
            for id_, _, line in (stored for name in by for stored in self._at(name, entity, role)):
                if links is not None and id_:
                    links[id_] = None
                if (other := line[_SUBJECT if role == _OBJECT else _OBJECT]) not in reached:
                    reached[other] = None
                    queue.append(other)
        return reached

    def _at(self, name: str, end: str, role: int) -> Iterator[Stored]:
        """Yield the facts of a relation in which an entity has a role."""
        for alias in self.relations.same(name):
            for row in self.index.rows_at(end, alias):
                triple = alias, *self.index.ends_of(row)
                line = self.relations.line(*triple)
                if line[role] == end:
                    yield self.index.facts.ids[row], triple, line
        yield from (
            stored for stored in self._at_end.get((name, end), ()) if stored[2][role] == end
        )

    def _standing(self, name: str, subject: str) -> Iterator[tuple[ClaimKey, bool]]:
        """Yield what is stored of an entity and neither waits nor fell, and whether it goes on."""
        facts = self.index.facts
        for id_, _, line in self._at(name, subject, _SUBJECT):
            row = facts.row_of.get(id_)
            if row is not None and facts["retracted"][row] == OPEN and not facts["pending"][row]:
                yield line, bool(facts["invalid"][row] == OPEN)
