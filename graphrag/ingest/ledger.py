"""The facts around those that are being told: found by hash, judged one statement at a time.

A statement is judged only against facts that it can repeat or exclude: those of its own pair of
entities, and of its subject or object where the relation has room for one value. Both are look-ups,
so that telling a fact costs the same in a group of a thousand and of a hundred thousand.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.ingest.invalidate import Statement, Verdict, overlap
from graphrag.ingest.review import review
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

Place = tuple[str, str, str | None]
"""Relation, one end, and the other if it is known."""
_MANY = 24
"""Rows that cost as much one by one as all at once."""


@dataclass(frozen=True, slots=True)
class Rules:
    """How statements are judged."""

    relations: Relations
    review_below: float
    judge: bool = True
    """False: every lifetime stands as it is given; only exact repetitions are known."""
    once: bool = False
    """True: what was retracted is not told again by the same words."""


@dataclass(slots=True)
class Ledger:
    """The facts that statements are judged against, as they are about to be."""

    index: GroupIndex
    rules: Rules
    stored: dict[str, Fact] = field(default_factory=dict)
    """Facts that were written before, as they were read."""
    told: dict[str, Fact] = field(default_factory=dict)
    """New facts."""
    changed: dict[str, Fact] = field(default_factory=dict)
    """Older facts that are to change."""
    repeated: dict[str, Fact] = field(default_factory=dict)
    """Facts that a statement only repeats, as they are to be."""
    _under_way: dict[str, Fact] = field(default_factory=dict)
    """Facts of a transaction that is under way."""
    _at: dict[Place, list[str]] = field(default_factory=lambda: defaultdict(list))
    """Facts that the index does not know yet."""
    _near: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Stored facts that each statement may meet."""
    _places: dict[str, list[Place]] = field(default_factory=dict)
    """Where each statement may meet any."""

    def follow(self, told: Mapping[str, Fact], changed: Mapping[str, Fact]) -> None:
        """Take in what a transaction under way tells and changes."""
        self._under_way = {**told, **changed}
        for fact in self._under_way.values():
            self._enter(fact)

    def find(self, facts: Iterable[Fact]) -> list[str]:
        """Look up where these statements may meet others, and return the facts to be read."""
        for fact in facts:
            self._places[fact.id] = list(_places(fact, self.rules))
            self._near[fact.id] = tuple(self._stored(fact))
        wanted = dict.fromkeys(chain.from_iterable(self._near.values()))
        return [id_ for id_ in wanted if id_ not in self._under_way]

    async def read(self, ids: Iterable[str], store: Store) -> None:
        """Read the stored facts that statements may meet, in one round trip."""
        stored = await store.get(Fact, ids)
        self.stored = self.index.heirs.follow(stored, self.index.entity_name)

    def tell_all(self, facts: Iterable[Fact], *, now: datetime) -> None:
        """Judge facts in the order of telling, and note what they add and change."""
        for fact in facts:
            self._tell(fact, now)

    def pairs(self) -> dict[str, tuple[Fact, Fact]]:
        """Return the changed facts, each as it was before this transaction and as it is to be."""
        pairs = {id_: (self._before(id_), after) for id_, after in self.changed.items()}
        return {id_: pair for id_, pair in pairs.items() if pair[0] != pair[1]}

    def _tell(self, fact: Fact, now: datetime) -> None:
        old = [met for id_ in self._met(fact) if (met := self._current(id_)) is not None]
        for verdict in self._verdicts(fact, old, now):
            if verdict.new is not None:
                self.told[verdict.new.id] = verdict.new
                self._enter(verdict.new)
            for id_, after in verdict.changed.items():
                if verdict.new is None:
                    after = _sourced(after, self._current(id_), fact)
                    self.repeated[id_] = after
                if id_ in self.told:
                    self.told[id_] = after
                elif after != self._before(id_):
                    self.changed[id_] = after
                    self._enter(after)  # its lifetime is not the one that the index knows

    def _verdicts(self, fact: Fact, old: Sequence[Fact], now: datetime) -> Iterable[Verdict]:
        rules = self.rules
        if rules.once and (taken := [other for other in old if _taken_back(fact, other)]):
            return (Verdict(changed={other.id: other for other in taken}),)
        if not rules.judge:
            twin = next((other for other in old if _twin(fact, other)), None)
            if twin is not None:
                return (Verdict(changed={twin.id: twin}),)
            return (Verdict(new=_as_given(fact, rules.relations)),)
        old = [other for other in old if not _sticks_out(fact, other)]
        if not old and fact.confidence >= rules.review_below:
            return (Verdict(new=fact),)
        return review(Statement(fact), old, rules.relations, now=now, below=rules.review_below)

    def _before(self, id_: str) -> Fact:
        return self._under_way.get(id_) or self.stored[id_]

    def _current(self, id_: str) -> Fact | None:
        for facts in (self.changed, self.told, self._under_way, self.stored):
            if id_ in facts:
                return facts[id_]
        return None

    def _enter(self, fact: Fact) -> None:
        subject, name, object_ = fact.subject_id, fact.relation, fact.object_id
        self._at[name, subject, object_].append(fact.id)
        self._at[name, object_, subject].append(fact.id)
        relation = self.rules.relations[name]
        if relation.single_valued or relation.single_holder:
            self._at[name, subject, None].append(fact.id)
            self._at[name, object_, None].append(fact.id)

    def _met(self, fact: Fact) -> Iterable[str]:
        found = dict.fromkeys(self._near[fact.id])
        for place in self._places[fact.id]:
            if place in self._at:
                found.update(dict.fromkeys(self._at[place]))
        return found

    def _stored(self, fact: Fact) -> Iterator[str]:
        ids = self.index.facts.ids
        for name, end, other in self._places[fact.id]:
            rows = self.index.rows_at(end, name, other)
            if rows and other is None:
                rows = self._meeting(fact, rows)
            for row in rows:
                yield ids[row]

    def _meeting(self, fact: Fact, rows: Sequence[int]) -> list[int]:
        """Return those of a long history that hold at the same time: only they can be rivals."""
        facts = self.index.facts
        valid, invalid, retracted = (facts[name] for name in ("valid", "invalid", "retracted"))
        start, stop = to_micros(fact.valid_at, BEGINNING), to_micros(fact.invalid_at, FOREVER)
        if len(rows) > _MANY:
            some = np.array(rows)
            meets = (valid[some] < stop) & (start < invalid[some]) & (retracted[some] == FOREVER)
            return list(map(int, some[meets]))
        return [
            row
            for row in rows
            if valid[row] < stop and start < invalid[row] and retracted[row] == FOREVER
        ]


def _places(fact: Fact, rules: Rules) -> Iterator[Place]:
    """Yield where a rival may be."""
    relation = rules.relations[fact.relation]
    for name in (fact.relation, *relation.exclusive_with):
        yield name, fact.subject_id, fact.object_id
    if rules.judge:
        if relation.single_valued:
            yield fact.relation, fact.subject_id, None
        if relation.single_holder or (relation.single_valued and relation.symmetric):
            yield fact.relation, fact.object_id, None


def _as_given(fact: Fact, relations: Relations) -> Fact:
    """Return a fact with a mark, if its relation could exclude what the table says beside it."""
    relation = relations[fact.relation]
    if relation.single_valued or relation.single_holder or relation.exclusive_with:
        return replace(fact, as_given=True)
    return fact


def _same_ends(one: Fact, other: Fact) -> bool:
    return (one.subject_id, one.relation, one.object_id) == (
        other.subject_id,
        other.relation,
        other.object_id,
    )


def _twin(fact: Fact, other: Fact) -> bool:
    return (
        _same_ends(fact, other)
        and other.retracted_at is None
        and (fact.valid_at, fact.invalid_at) == (other.valid_at, other.invalid_at)
    )


def _taken_back(fact: Fact, other: Fact) -> bool:
    return (
        other.retracted_at is not None
        and _same_ends(fact, other)
        and (fact.valid_at, fact.fact) == (other.valid_at, other.fact)
    )


def _sticks_out(fact: Fact, other: Fact) -> bool:
    """Tell whether a lifetime given from start to end says more than a known one that it meets.

    Taking it for a repetition would lose what lies outside: both are kept.
    """
    if fact.valid_at is None or fact.invalid_at is None or fact.observed:
        return False
    if not _same_ends(fact, other) or not overlap(fact, other):
        return False
    later = other.invalid_at is not None and other.invalid_at < fact.invalid_at
    earlier = other.valid_at is not None and not other.observed and fact.valid_at < other.valid_at
    return later or earlier


def _sourced(after: Fact, before: Fact | None, told: Fact) -> Fact:
    """Return a repeated fact with every place where it was told."""
    first = () if before is None else before.provenance
    places = tuple(dict.fromkeys((*first, *told.provenance)))
    return after if places == after.provenance else replace(after, provenance=places)
