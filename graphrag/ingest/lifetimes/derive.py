"""From the statements of facts and their rivals to when each of them holds.

A stored fact stays where its first statement stands. An interval that is no fact yet becomes one, a
fact whose statements all stand in another one is put aside in favour of it, one that nothing states
any more is retracted. A pending fact says nothing, and is not pending once others say the same.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property, partial
from operator import attrgetter
from typing import TYPE_CHECKING, Literal

from graphrag.ingest.lifetimes import NOWHERE, Lifetime, Settlement
from graphrag.ingest.lifetimes.said import Gone, StoredStatements, stated
from graphrag.ingest.lifetimes.settle import settle
from graphrag.model.assertion import Assertion, Ending
from graphrag.model.values import Fact, Span
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.standing.ground import Beside

_TIMED = attrgetter(*"subject relation object valid_at invalid_at observed closed_as".split())


@dataclass(frozen=True)
class Outcome:
    """What follows from the statements of some facts."""

    said: StoredStatements
    settlement: Settlement
    facts: Mapping[str, Fact]
    """All that were given, as they are to be, and those that begin to exist."""

    @cached_property
    def places(self) -> Mapping[str, str]:
        """Return by the id of a statement the fact that it supports first in world time."""
        last_first = sorted(self.settlement.lifetimes, key=_holds_first, reverse=True)
        return {id_: life.id for life in last_first for id_ in life.statements}

    def home_of(self, fact: str) -> str:
        """Return the fact that keeps the first statement that one rests on."""
        return self.said.by_id[self.supporting(fact)[0]][0].id

    def supporting(self, fact: str) -> tuple[str, ...]:
        """Return the ids of the statements that a fact rests on."""
        return self._support.get(fact) or tuple(said.id for said in self.facts[fact].statements)

    @cached_property
    def _support(self) -> Mapping[str, tuple[str, ...]]:
        return {life.id: life.statements for life in self.settlement.lifetimes if life.statements}


def derive(
    facts: Mapping[str, Fact],
    endings: Mapping[str, Iterable[Ending]],
    relations: Relations,
    gone: Gone,
    *,
    now: datetime,
    beside: "Beside | None" = None,
    nested: Mapping[str, Fact] | None = None,
) -> Outcome:
    """Work out when facts hold that are complete: with all their rivals, theirs, and so on.

    ``beside`` has the standing rules, if there are any, and what they look at; ``nested`` what is
    stored beside the facts that tells which of their values lie in which, by id.
    """
    inferred = {id_: fact for id_, fact in facts.items() if fact.derived_from}
    facts = {id_: fact for id_, fact in facts.items() if id_ not in inferred} if inferred else facts
    follow = None
    if beside is not None:
        # Imported here: nobody pays for standing rules where there are none.
        from graphrag.ingest.standing.consequences import Consequences

        follow = Consequences(relations, beside)
    said = StoredStatements(facts, endings, gone)
    statements, rulings = list(said.statements()), list(said.rulings())
    nesting = said.nesting(statements, nested or {}, relations)
    judged = partial(settle, relations=relations, rulings=rulings, nesting=nesting)
    settlement = plain = judged(statements, follow=None if follow is None else follow.cut)
    lifetimes = {life.id: life for life in settlement.lifetimes}
    after: dict[str, Fact] = {}
    for id_, fact in facts.items():
        life = lifetimes.get(id_)
        if waiting := said.waits(fact):
            if follow is not None and plain is settlement:
                plain = judged(statements)
            again = judged([*statements, *(stated(each, fact, None) for each in waiting)])
            same = _beside(again, waiting) if alike(plain, again) else None
            after[id_] = _known(fact, same, said, now) if same else _waiting(fact, waiting, said)
        elif life is not None:
            after[id_] = _held(fact, life, said, now)
        else:
            after[id_] = _aside(fact, settlement.joins.get(id_), facts, now)
    for id_, life in lifetimes.items():
        if id_ not in facts:
            home, _ = said.by_id[life.statements[0]]
            further = replace(home, id=id_, created_at=now, statements=(), rivals=())
            after[id_] = _held(replace(further, expired_at=None), life, said, now)
    if follow is not None:
        after |= {fact.id: fact for fact in follow.facts(settlement, after, inferred, now)}
    if left := [fact for id_, fact in inferred.items() if id_ not in after]:
        from graphrag.ingest.standing.infer import fallen

        known = {**(beside.context if beside is not None else {}), **after}
        after |= {fact.id: fact for fact in fallen(left, known, relations, now)}
    return Outcome(said, settlement, after)


def _held(fact: Fact, life: Lifetime, said: StoredStatements, now: datetime) -> Fact:
    nowhere = life.closed_as in NOWHERE
    rests_on = [said.by_id[id_][1] for id_ in life.statements] or list(fact.statements)
    again = (word for word in fact.statements if word.pending and word.void is None)  # too faintly
    by, reason, by_hand = _closing(fact, life, said)
    expired = None
    if life.invalid_at is not None and not nowhere and life.closed_as != "past":
        if life.closed_by not in (None, *life.statements[:1]):  # or else it was stated with its end
            expired = (fact.expired_at if fact.invalid_at == life.invalid_at else None) or now
    return replace(
        fact,
        valid_at=life.valid_at,
        invalid_at=life.invalid_at,
        observed=life.observed,
        expired_at=expired,
        retracted_at=(fact.retracted_at or now) if nowhere else None,
        closed_as=life.closed_as,
        closed_by_arbiter=life.ruling is not None,
        closed_by_hand=by_hand,
        invalidated_by=by,
        reason=reason,
        confidence=life.confidence if life.statements else fact.confidence,
        pending=False,
        waits_as=None,
        sources=_sources([*rests_on, *again], said),
    )


def _closing(
    fact: Fact, life: Lifetime, said: StoredStatements
) -> tuple[str | None, str | None, bool]:
    """Return by what a fact is closed, why, and whether a person did so."""
    if life.closed_as is None:
        return None, None, False
    if life.closed_as in NOWHERE and life.closed_as != "overruled":
        in_turn = sorted(fact.statements, key=attrgetter("id"), reverse=True)
        void = next(filter(None, map(said.void, in_turn)), None)
        by = (void.fact if void else None) or life.invalidated_by
        return by, life.reason, void is not None and void.by is None
    _, closer = said.by_id.get(life.closed_by or "", (fact, None))
    if closer is not None and closer.manual and closer.ends:
        return life.invalidated_by, closer.reason or "ended", True
    if life.closed_by in life.statements[:1]:  # it was stated with its end
        why = closer.reason if closer is not None and not closer.manual else ""
        return life.invalidated_by, why or None, False
    ruled = " (an arbiter decided)" if life.ruling is not None else ""
    return life.invalidated_by, f"{life.reason}{ruled}" if life.reason else None, False


def _aside(fact: Fact, into: str | None, facts: Mapping[str, Fact], now: datetime) -> Fact:
    """Return a fact that is part of another one; no read shows one that keeps no statement."""
    reason = "says the same as another fact"
    if into is not None:
        reason = f"says the same as: {facts.get(into, fact).text}"
    elif fact.statements and all(said.kind == "cancelled" for said in fact.statements):
        reason = f"says of a plan that it will not be: {fact.text}"
    return replace(
        fact,
        retracted_at=fact.retracted_at or now,
        closed_as="superseded",
        closed_by_arbiter=False,
        closed_by_hand=False,
        invalidated_by=into,
        reason=reason,
        pending=not fact.statements,
        waits_as=None,
    )


def _known(fact: Fact, same: str, said: StoredStatements, now: datetime) -> Fact:
    """Return a fact that needs nobody any more: others say it."""
    reason = f"said again with more confidence: {said.by_id[same][0].text}"
    return replace(_aside(fact, None, said.facts, now), reason=reason)


def _waiting(fact: Fact, waiting: Iterable[Assertion], said: StoredStatements) -> Fact:
    """Return a fact that waits for a person, with the times that it was stated with."""
    assertions = [replace(each, pending=each.undated_plan) for each in waiting]
    dated = [stated(each, fact, None) for each in assertions if not each.undated_plan]
    alone = settle(dated, Relations([]))
    nothing = Lifetime(fact.id, "", "", "", None, None)  # of what only cancels
    life = next(iter(alone.lifetimes), nothing)
    cancels = life is nothing and bool(dated)
    over: Literal["end"] | None = "end" if assertions[0].ends or cancels else None
    return replace(
        fact,
        valid_at=life.valid_at,
        invalid_at=life.invalid_at,
        observed=life.observed,
        closed_as=life.closed_as,
        closed_by_arbiter=False,
        closed_by_hand=False,
        expired_at=None,
        retracted_at=None,
        invalidated_by=None,
        reason=None,
        confidence=max(assertion.confidence for assertion in assertions),
        pending=True,
        waits_as="correction" if any(each.corrects for each in assertions) else over,
        sources=_sources(assertions, said),
    )


def _sources(assertions: Iterable[Assertion], said: StoredStatements) -> tuple[Span, ...]:
    """Return where statements stand; of what nothing states any more, where they stood."""
    placed = {word.id: word for word in assertions if word.source}
    there = [word for word in placed.values() if not said.gone(word.source)]
    manual = any(word.manual for word in placed.values())
    shown = there if there or manual else placed.values()
    in_turn = sorted(shown, key=attrgetter("id"))
    return tuple(dict.fromkeys(Span(word.source, word.start, word.end) for word in in_turn))


def alike(settlement: Settlement, other: Settlement) -> bool:
    """Tell whether the same holds at the same times, under whatever ids."""
    return _times(settlement) == _times(other)


def _times(settlement: Settlement) -> Counter[object]:
    held = (life for life in settlement.lifetimes if life.closed_as not in NOWHERE)
    return Counter(map(_TIMED, held))


def _beside(settlement: Settlement, waiting: Iterable[Assertion]) -> str | None:
    """Return a statement that stands in the same fact as one of those that wait."""
    ids = {assertion.id for assertion in waiting}
    for life in settlement.lifetimes:
        others = [id_ for id_ in life.statements if id_ not in ids]
        if others and len(others) < len(life.statements):
            return others[0]
    return None


def _holds_first(life: Lifetime) -> tuple[bool, bool, float]:
    start = 0.0 if life.valid_at is None else life.valid_at.timestamp()
    return life.closed_as in NOWHERE, life.valid_at is not None, start
