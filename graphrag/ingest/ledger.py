"""What is stated, with all that it meets: found by hash, settled at once, written as few changes.

A fact that meets nothing is stored as it was stated. The others are settled with the facts that
they repeat, end or exclude; what only repeats one is kept by that one. What is stated too faintly
waits for a person: a repetition of what is known adds a source, and says nothing.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from graphrag.index.group import GroupIndex
from graphrag.ingest.lifetimes.component import Component, triple_of
from graphrag.ingest.lifetimes.derive import Outcome
from graphrag.ingest.lifetimes.repeat import deny, keep, let_fall
from graphrag.ingest.lifetimes.rivalry import Triple, exclusion, shares_end
from graphrag.ingest.lifetimes.said import gone_from, stated
from graphrag.ingest.review import ends_of_each, wait
from graphrag.model.assertion import Assertion, Ending
from graphrag.model.values import Fact
from graphrag.ontology.relations import DEATHS, VITAL, Relations
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class JudgingRules:
    """How statements are judged."""

    relations: Relations
    review_below: float
    judge: bool = True
    """False: the table is right about every lifetime, so that none of it excludes another."""
    once: bool = False
    """True: what was retracted is not added again by the same words."""


@dataclass(slots=True)
class Ledger:
    """What some new statements change. Each is a fact of one statement, not stored yet.

    One without an object ends whatever its subject has of the relation.
    """

    index: GroupIndex
    rules: JudgingRules
    now: datetime
    new_facts: dict[str, Fact] = field(default_factory=dict)
    """New facts by id."""
    changed: dict[str, tuple[Fact, Fact]] = field(default_factory=dict)
    """Older facts by id, as they were before this transaction and as they are to be."""
    stands: dict[str, str] = field(default_factory=dict)
    """By the id of a new fact: the one that stands for it."""
    endings: dict[str, list[Ending]] = field(default_factory=dict)
    """What is said of entities, by id, that is no fact."""
    component: Component = field(init=False)
    powerless: list[Fact] = field(default_factory=list)
    """What denies only what more trusted sources say, or what began later."""
    _alone: set[str] = field(default_factory=set)
    _denied: list[Fact] = field(default_factory=list)
    """What these statements say was never so."""
    _retracted: defaultdict[Triple, list[Fact]] | None = None

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.component = Component.of(self.index, self.rules.relations)

    def follow(self, under_way: Iterable[Fact]) -> None:
        """Take in facts that a transaction under way tells or changes."""
        for fact in under_way:
            self.component.enter(fact)

    async def read(self, new: Sequence[Fact], store: Store) -> None:
        """Read what new statements may meet."""
        component = self.component
        component.adding = not any(_takes_away(fact.statements[0]) for fact in new)
        ends = [fact for fact in new if not _is_fact(fact)]
        facts = [fact for fact in new if _is_fact(fact)]
        for fact in facts:
            component.enter(fact)
        meeting = []
        for fact in facts:
            if ends or not _is_plain(fact) or component.meets(fact):
                meeting.append(fact)
            else:
                self._alone.add(fact.id)
        if not meeting and not ends:
            return
        reached = component.reach(
            (triple_of(fact) for fact in (*meeting, *ends) if fact.object_id),
            (
                (relation, fact.subject_id)
                for fact in (*meeting, *ends)
                if not fact.object_id or fact.statements[0].corrects
                for relation in (DEATHS if fact.relation == VITAL else (fact.relation,))
            ),
        )
        ruled = {id_ for fact in meeting for id_ in fact.statements[0].excludes}
        known, entities = self.index.facts.row_of, self.index.entities.row_of
        ids = {fact.id for fact in facts}
        reached += component.reach_from(sorted(ruled & known.keys()))
        await component.read((id_ for id_ in reached if id_ not in ids), store)
        subjects = [fact.subject_id for fact in ends if fact.subject_id in entities]
        await component.read_endings([*subjects, *component.ended_among(meeting)], store)

    def settle(self, new: Sequence[Fact]) -> None:
        """Settle what is said with what it meets, in the order in which they were given."""
        together: list[Fact] = []
        for fact in new:
            if fact.id in self._alone and fact.confidence >= self.rules.review_below:
                self.new_facts[fact.id] = fact
                self.stands[fact.id] = fact.id
                continue
            faint = self.rules.judge and fact.confidence < self.rules.review_below
            if not faint and not fact.statements[0].corrects:
                together.append(fact)
                continue
            self._settle(together)
            together = []
            self.component.nested.pop(fact.id, None)
            self._wait(fact) if faint else self._correct(fact)
        self._settle(together)
        for id_, fact in self.component.changed().items():
            if id_ in self.component.stored:
                self.changed[id_] = self.component.stored[id_], fact
            else:
                self.new_facts[id_] = fact

    def _settle(self, new: Sequence[Fact]) -> None:
        """Let new statements stand, with what follows."""
        if not new:
            return
        facts = self.component.facts
        facts_stated = []
        for fact in new:
            if not _is_fact(fact):
                self._end(fact)
            elif taken := self._taken_back(fact):
                self.stands[fact.id] = taken.id
                self.component.nested.pop(fact.id, None)
            else:
                facts_stated.append(fact)
        for fact in facts_stated:
            facts[fact.id] = self._ruled(fact)
        outcome = self._outcome()
        self.stands |= keep(self.component, [fact.id for fact in facts_stated], outcome)
        if outcome.names(fact.id for fact in facts_stated if fact.id not in facts):
            self._outcome()

    def _outcome(self) -> Outcome:
        return self.component.settle(gone_from(self.index), now=self.now)

    def _end(self, fact: Fact) -> None:
        ending = Ending(fact.statements[0], fact.relation, fact.text, fact.object_id)
        self.endings.setdefault(fact.subject_id, []).append(ending)
        known = self.component.endings.get(fact.subject_id, ())
        self.component.endings[fact.subject_id] = (*known, ending)

    def _correct(self, fact: Fact) -> None:
        """Let what a statement corrects fall."""
        self._outcome()
        if _is_fact(fact):
            fact = let_fall(self.component, self._ruled(fact), self._denied)
        elif fact.object_id:
            self._denied.append(fact)
            if not deny(self.component, fact) and fact.statements[0].until is not None:
                self.powerless.append(fact)
                return
        self._settle([fact])

    def _wait(self, fact: Fact) -> None:
        """Let a faint statement wait for a person; what ends whatever it is, once for each."""
        component, gone, now = self.component, gone_from(self.index), self.now
        whole = [fact] if _is_fact(fact) else ends_of_each(fact, component, gone, now=now)
        for faint in whole:
            self.stands[faint.id] = wait(faint, component, gone, now=now)

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
            or exclusion(fact, other, self.rules.relations) is None
        ]
        kept = (rival.id if rival.statements else self._home(rival.id) for rival in against)
        homes = tuple(dict.fromkeys(kept))
        for id_ in homes:
            rivals = dict.fromkeys((*facts[id_].rivals, fact.id))
            facts[id_] = replace(facts[id_], rivals=tuple(rivals))
        return replace(fact, statements=(replace(statement, excludes=homes),), rivals=homes)

    def _home(self, fact: str) -> str:
        return self._outcome().home_of(fact)

    def _taken_back(self, fact: Fact) -> Fact | None:
        """Return the retracted fact of the same words, if those are not to be added again."""
        if not self.rules.once:
            return None
        if self._retracted is None:
            self._retracted = defaultdict(list)
            for other in self.component.stored.values():
                if other.retracted_at is not None:
                    self._retracted[triple_of(other)].append(other)
        since = fact.statements[0].since
        for other in self._retracted.get(triple_of(fact), ()):
            if other.text == fact.text and any(
                statement.since == since for statement in other.statements
            ):
                return other
        return None


def as_given(fact: Fact, relations: Relations) -> Fact:
    """Return a new fact with a mark, if its relation could exclude what stands beside it."""
    relation = relations[relations.canonical(fact.relation)[0]]
    if not (relation.single_valued or relation.single_holder or relation.exclusive_with):
        return fact
    statement = replace(fact.statements[0], as_given=True)
    return replace(fact, as_given=True, statements=(statement,))


def _is_fact(fact: Fact) -> bool:
    """Tell whether a statement says what holds, and not only what does not."""
    return bool(fact.object_id) and fact.statements[0].kind != "cancelled"


def _takes_away(said: Assertion) -> bool:
    """Tell whether a statement says that something was wrong, or over."""
    return said.corrects or said.until is not None or said.kind == "was" or bool(said.excludes)


def _is_plain(fact: Fact) -> bool:
    statement = fact.statements[0]
    return statement.kind == "state" and not statement.corrects and not statement.excludes
