"""What a text says too faintly waits for a person: which facts, and what they do once confirmed.

A fact of less confidence than the threshold is stored with ``pending=True``: no read shows it and
it closes nothing. A repetition of what the graph already holds does not wait, it adds a source.
Confirming judges the fact as if it had just been told. Pure functions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Literal

from graphrag.errors import InputError
from graphrag.ingest.invalidate import Statement, Verdict, closed, judge
from graphrag.model.ids import new_id
from graphrag.model.values import Fact
from graphrag.ontology.relations import Relations

REVIEW_BELOW = 0.7
"""Rules give 0.8; a model's own figure below this has been a guess more often than not."""


def checked_threshold(value: float) -> float:
    """Return the threshold, or say that it is none."""
    if not 0 <= value <= 1:
        raise InputError(f"review_below is {value!r}: give a confidence from 0 to 1")
    return value


def review(
    statement: Statement, old: Iterable[Fact], relations: Relations, *, now: datetime, below: float
) -> Iterator[Verdict]:
    """Judge a statement, or let it wait if its confidence is ``below``; one verdict for each fact.

    Only an end of "whatever it was" gives several: one for each fact that it would end.
    """
    old = list(old)
    verdict = judge(statement, old, relations, now=now)
    if statement.fact.confidence >= below:
        yield _accepted(verdict, statement, old, relations, now)
        return
    if _only_repeats(verdict, old):
        yield verdict
        return
    if statement.fact.object_id:
        yield _waiting(statement, old, relations, now)
        return
    for ended in verdict.changed.values():
        told = replace(
            statement.fact,
            id=new_id(),
            subject_id=ended.subject_id,
            subject=ended.subject,
            relation=ended.relation,
            object_id=ended.object_id,
            object=ended.object,
        )
        yield _waiting(replace(statement, fact=told), old, relations, now)


def told_again(fact: Fact) -> Statement:
    """Return a pending fact as the statement that it was."""
    accepted = replace(fact, pending=False, waits_as=None, confirmed=True)
    return Statement(accepted, ends=fact.waits_as == "end", corrects=fact.waits_as == "correction")


def _only_repeats(verdict: Verdict, old: list[Fact]) -> bool:
    before = {fact.id: fact for fact in old}
    return verdict.new is None and all(
        replace(
            before[id_],
            sources=fact.sources,
            provenance=fact.provenance,
            confidence=fact.confidence,
        )
        == fact
        for id_, fact in verdict.changed.items()
    )


def _accepted(
    verdict: Verdict,
    statement: Statement,
    old: Iterable[Fact],
    relations: Relations,
    now: datetime,
) -> Verdict:
    """Add to a verdict that nobody needs to look any more at what waited to say the same."""
    if verdict.new is None and not statement.ends:
        return verdict
    told = verdict.new or statement.fact
    reason = f"told again with more confidence: {told.fact}"
    for id_ in _alike(statement, old, relations, now):
        twin = next(fact for fact in old if fact.id == id_)
        if not _says_more(twin, told):
            # Not ``invalidated_by`` it: were that one retracted, this one should not be accepted.
            done = replace(twin, pending=False, retracted_at=now)
            verdict.changed[id_] = closed(done, "superseded", reason)
    return verdict


def _says_more(twin: Fact, told: Fact) -> bool:
    """Tell whether a waiting fact gives a start or an end that a sure one lacks."""
    ends = twin.invalid_at is not None and twin.invalid_at != told.invalid_at
    starts = twin.valid_at is not None and not twin.observed
    known = told.valid_at is not None and not told.observed
    return ends or (starts and not (known and told.valid_at == twin.valid_at))


def _waiting(
    statement: Statement, old: Iterable[Fact], relations: Relations, now: datetime
) -> Verdict:
    alike = _alike(statement, old, relations, now)
    if not alike:
        return Verdict(new=replace(statement.fact, pending=True, waits_as=_waits_as(statement)))
    return Verdict(changed={id_: replace(fact, pending=True) for id_, fact in alike.items()})


def _alike(
    statement: Statement, old: Iterable[Fact], relations: Relations, now: datetime
) -> dict[str, Fact]:
    """Return the waiting facts that a statement repeats, as they are with one more source."""
    told, waits_as = statement.fact, _waits_as(statement)
    alike = [
        replace(fact, pending=False)
        for fact in old
        if fact.pending
        and fact.retracted_at is None
        and (fact.relation, fact.waits_as) == (told.relation, waits_as)
        and {fact.subject_id, fact.object_id} == {told.subject_id, told.object_id}
    ]
    if not alike:
        return {}
    verdict = judge(Statement(told), alike, relations, now=now)
    return verdict.changed if verdict.new is None else {}


def _waits_as(statement: Statement) -> Literal["end", "correction"] | None:
    return "end" if statement.ends else "correction" if statement.corrects else None
