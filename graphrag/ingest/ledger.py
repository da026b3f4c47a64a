"""New statements with the facts that they meet, settled at once and written as few changes.

A fact that meets nothing is stored as it was stated. The others are settled with the facts that
they repeat, end or exclude; what only repeats one is kept by that one. A statement below the
confidence of the graph waits for a person, and no read shows the fact that it would make; one that
only repeats a known fact adds a source to it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.derive import alike
from graphrag.ingest.lifetimes.repeat import deny, keep, kept_by, let_fall
from graphrag.ingest.lifetimes.rivalry import Triple, exclusion, shares_end, triple_of
from graphrag.ingest.lifetimes.said import stated
from graphrag.model.assertion import Assertion, Ending
from graphrag.model.ids import new_id
from graphrag.model.values import Fact

_TRIPLE = ("subject_id", "subject", "relation", "object_id", "object")


@dataclass(slots=True)
class Ledger:
    """What some new statements change. Each is a fact of one statement, not stored yet.

    One without an object ends whatever its subject has of the relation.
    """

    component: Component
    """Without facts yet."""
    review_below: float
    judge: bool = True
    once: bool = False
    new_facts: dict[str, Fact] = field(default_factory=dict)
    changed: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    """Older facts by id, as they were before this transaction and as they are to be."""
    stands: dict[str, str] = field(default_factory=dict)
    """By the id of a new fact: the one that stands for it."""
    endings: dict[str, list[Ending]] = field(default_factory=dict)
    """What is said of entities, by id, that is no fact."""
    _alone: set[str] = field(default_factory=set)
    _denied: set[str] = field(default_factory=set)
    """Denials that took a fact back."""
    _retracted: defaultdict[Triple, list[Fact]] = field(default_factory=lambda: defaultdict(list))

    def follow(self, under_way: Iterable[Fact]) -> None:
        """Take in facts that a transaction under way tells or changes."""
        for fact in under_way:
            self.component.enter(fact)

    async def read(self, new: Sequence[Fact]) -> None:
        """Read what new statements may meet."""
        component, index = self.component, self.component.index
        component.adding = not any(_takes_away(fact.statements[0]) for fact in new)
        ends = [fact for fact in new if not _is_fact(fact)]
        facts = [fact for fact in new if _is_fact(fact)]
        for fact in facts:
            component.enter(fact)
        meeting = [fact for fact in facts if ends or not _is_plain(fact) or component.meets(fact)]
        self._alone |= {fact.id for fact in facts} - {fact.id for fact in meeting}
        if not meeting and not ends:
            return
        both = [*meeting, *ends]
        ended = [fact for fact in both if not fact.object_id or fact.statements[0].corrects]
        reached = component.reach(
            (triple_of(fact) for fact in both if fact.object_id),
            ((fact.relation, fact.subject_id) for fact in ended),
        )
        ruled = {id_ for fact in both for id_ in fact.statements[0].excludes}
        known, entities = index.facts.row_of, index.entities.row_of
        ids = {fact.id for fact in facts}
        reached += component.reach_from(sorted(ruled & known.keys()))
        await component.read(id_ for id_ in reached if id_ not in ids)
        subjects = [fact.subject_id for fact in ends if fact.subject_id in entities]
        await component.read_endings([*subjects, *component.ended_among(meeting)])
        for fact in component.stored.values() if self.once else ():
            if fact.retracted_at is not None:
                self._retracted[triple_of(fact)].append(fact)

    def settle(self, new: Sequence[Fact]) -> None:
        """Settle what is said with what it meets, in the order in which they were given."""
        together: list[Fact] = []
        for fact in new:
            waits = fact.confidence < self.review_below or fact.statements[0].pending
            if fact.id in self._alone and not waits:
                self.new_facts[fact.id] = fact
                self.stands[fact.id] = fact.id
                continue
            faint = self.judge and waits
            if not faint and not fact.statements[0].corrects:
                together.append(fact)
                continue
            self._settle(together)
            together = []
            self.component.nested.pop(fact.id, None)
            if faint:
                self._wait(fact)
                continue
            self.component.settle()
            if _is_fact(fact):
                fact = let_fall(self.component, self._ruled(fact))
            elif deny(self.component, fact):
                self._denied.add(fact.statements[0].id)
            self._settle([fact])
        self._settle(together)
        for id_, fact in self.component.changed().items():
            if id_ in self.component.stored:
                self.changed[id_] = self.component.stored[id_], fact
            else:
                self.new_facts[id_] = fact

    def denies_in_vain(self, fact: Fact) -> bool:
        """Tell whether a statement denies what no stored fact says, and calls off no plan."""
        said, outcome = fact.statements[0], self.component.outcome
        if not said.corrects or said.kind != "cancelled" or outcome is None:
            return False
        return said.id not in self._denied and all(
            lifetime.closed_by != said.id for lifetime in outcome.settlement.lifetimes
        )

    def _settle(self, new: Sequence[Fact]) -> None:
        if not new:
            return
        facts = []
        for fact in new:
            if not _is_fact(fact):
                self._end(fact)
            elif taken := self._taken_back(fact):
                self.stands[fact.id] = taken.id
                self.component.nested.pop(fact.id, None)
            else:
                facts.append(fact)
        for fact in facts:
            self.component.facts[fact.id] = self._ruled(fact)
        stands = keep(self.component, [fact.id for fact in facts], self.component.settle())
        self.stands |= stands
        left = self.component.facts
        repeated = stands.keys() - left.keys()
        if repeated and any(fact.invalidated_by in repeated for fact in left.values()):
            self.component.settle()  # what closed it is part of an older fact

    def _end(self, fact: Fact) -> None:
        ending = _ending(fact)
        self.endings.setdefault(fact.subject_id, []).append(ending)
        known = self.component.endings.get(fact.subject_id, ())
        self.component.endings[fact.subject_id] = (*known, ending)

    def _wait(self, fact: Fact) -> None:
        """Let a faint statement wait for a person; what ends whatever it is, once for each."""
        for faint in [fact] if _is_fact(fact) else self._ends_of_each(fact):
            before, facts = self.component.settle(), self.component.facts
            known = self.component.following({**facts, faint.id: faint})
            into = known.settlement.joins.get(faint.id)
            if into is not None and alike(before.settlement, known.settlement):
                home = known.home_of(into)  # it changes nothing
            else:
                home = self._waiting(faint)
            facts = self.component.facts
            waiting = replace(faint, statements=(replace(faint.statements[0], pending=True),))
            facts[home] = waiting if home == faint.id else kept_by(facts[home], [waiting])
            self.component.settle()
            self.stands[faint.id] = home

    def _waiting(self, fact: Fact) -> str:
        """Return the waiting fact that a faint statement repeats, else its own."""
        said, ends = fact.statements[0], {fact.subject_id, fact.object_id}
        for other in self.component.facts.values():
            if not (other.pending and other.statements):
                continue
            first, own = other.statements[0], {other.subject_id, other.object_id}
            if first.undated_plan or said.undated_plan:  # nobody knows what follows
                if first.kind == said.kind and triple_of(other) == triple_of(fact):
                    return other.id
                continue
            if own != ends or (first.ends, first.corrects) != (said.ends, said.corrects):
                continue
            accepted = tuple(replace(statement, pending=False) for statement in other.statements)
            both = {other.id: replace(other, statements=accepted), fact.id: fact}
            if fact.id in self.component.following(both).settlement.joins:
                return other.id
        return fact.id

    def _ends_of_each(self, end: Fact) -> list[Fact]:
        """Return an end of its own for each fact that one without an object would close."""
        facts, endings = self.component.facts, self.component.endings
        spoken = (*endings.get(end.subject_id, ()), _ending(end))
        following = partial(self.component.following, facts, alone=True)
        before = following().facts
        after = following({**endings, end.subject_id: spoken}).facts
        each = []
        for id_, fact in after.items():
            was = before.get(id_)
            if was is None or was.pending or was.derived_from:
                continue
            if (was.invalid_at, was.closed_as) != (fact.invalid_at, fact.closed_as):
                said = replace(end.statements[0], id=new_id())
                triple = {name: getattr(fact, name) for name in _TRIPLE}
                each.append(replace(end, id=said.id, statements=(said,), **triple))
        return each

    def _ruled(self, fact: Fact) -> Fact:
        """Return a new fact with what an arbiter ruled, as far as the rules leave it open."""
        if not fact.statements[0].excludes:
            return fact
        statement, facts = fact.statements[0], self.component.facts
        competes = statement.kind in ("state", "planned") and not statement.ends
        against = [
            other
            for id_ in statement.excludes
            if (other := facts.get(id_)) is not None
            and shares_end(fact, other)
            and triple_of(fact) != triple_of(other)
            if not competes
            or any(stated(statement, other, None).planned for statement in other.statements)
            or exclusion(fact, other, self.component.rivalry.relations) is None
        ]
        kept = [
            rival.id if rival.statements else self.component.settle().home_of(rival.id)
            for rival in against
        ]
        homes, facts = tuple(dict.fromkeys(kept)), self.component.facts
        for id_ in homes:
            rivals = dict.fromkeys((*facts[id_].rivals, fact.id))
            facts[id_] = replace(facts[id_], rivals=tuple(rivals))
        return replace(fact, statements=(replace(statement, excludes=homes),), rivals=homes)

    def _taken_back(self, fact: Fact) -> Fact | None:
        """Return the retracted fact of the same words, if those are not to be added again."""
        since = fact.statements[0].since
        same = (it for it in self._retracted.get(triple_of(fact), ()) if it.text == fact.text)
        return next((it for it in same if since in {part.since for part in it.statements}), None)


def _ending(fact: Fact) -> Ending:
    return Ending(fact.statements[0], fact.relation, fact.text, fact.object_id)


def _is_fact(fact: Fact) -> bool:
    return bool(fact.object_id) and fact.statements[0].kind != "cancelled"


def _takes_away(said: Assertion) -> bool:
    """Tell whether a statement says that something was wrong, or over."""
    return said.corrects or said.until is not None or said.kind == "was" or bool(said.excludes)


def _is_plain(fact: Fact) -> bool:
    statement = fact.statements[0]
    return statement.kind == "state" and not statement.corrects and not statement.excludes
