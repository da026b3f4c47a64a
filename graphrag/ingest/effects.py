"""What writing brought about, in words: what ended, and what was said without full effect."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from graphrag.model.extraction import Claim, Mention
from graphrag.model.values import Fact

if TYPE_CHECKING:
    from graphrag.ingest.ledger import Ledger

_LOST = ("superseded", "overruled", "corrected", "cancelled", "retracted")
"""Ways in which a fact ends that its own source did not speak of."""


def left_out(claims: Iterable[Claim], entity_of: Mapping[Mention, str]) -> Iterator[str]:
    """Yield the claims that became no fact, as ``state`` passes over them."""
    for claim in claims:
        subject = entity_of.get(claim.subject)
        object_ = entity_of.get(claim.object) if claim.object is not None else None
        about = f"{claim.subject.name} {claim.relation}"
        if claim.object is not None:
            about += f" {claim.object.name}"
        if subject is not None and subject == object_:
            yield f"the fact {about!r}, whose ends are one entity"
        elif subject is None or (claim.object is not None and object_ is None):
            yield f"the fact {about!r}, whose ends have no usable name"
        elif claim.kind == "planned" and claim.valid_at is None:
            yield f"the plan {about!r}, which has no date"


def closed(new: Iterable[Fact], changed: Iterable[tuple[Fact, Fact]]) -> Iterator[str]:
    """Yield what ended, was reopened or was taken back, of older facts and of new ones."""
    for before, after in changed:
        if after.retracted_at is not None and before.retracted_at is None:
            yield _words(after, f"was taken back ({after.closed_as or 'retracted'})")
        elif after.closed_as == "overruled" != before.closed_as:
            yield _words(after, "holds at no moment any more (overruled)")
        elif after.invalid_at != before.invalid_at:
            yield _words(after, _ended(after))
        elif after.valid_at != before.valid_at and before.valid_at is not None:
            since = "unknown" if after.valid_at is None else f"{after.valid_at:%Y-%m-%d}"
            yield _words(after, f"begins at another time: {since}")
        elif after.closed_as == "overruled" and after.statements != before.statements:
            yield _words(after, f"was said again, and {_ended(after)}")
    for fact in new:
        if fact.closed_as in _LOST and not fact.pending:
            yield _words(fact, f"is new, and {_ended(fact)}")


def _ended(fact: Fact) -> str:
    if fact.closed_as == "overruled" and fact.reason:
        return f"is overruled, {fact.reason}"
    if fact.invalid_at is None:
        return "has no end any more" if fact.closed_as is None else f"is {fact.closed_as}"
    return f"ends {fact.invalid_at:%Y-%m-%d} ({fact.closed_as or 'ended'})"


def _words(fact: Fact, what: str) -> str:
    return f"{fact.subject} {fact.relation} {fact.object}: {what}"


def without_effect(new: Iterable[Fact], ledger: "Ledger") -> Iterator[str]:
    """Yield what of new statements is no contested fact of its own and has no effect, or not all.

    Such as an end, or a cancellation, that was too doubtful, or not trusted enough.
    """
    new = list(new)
    said = {ending.assertion.id for ends in ledger.endings.values() for ending in ends}
    kept = {fact.text for fact in ledger.new_facts.values()}
    for fact in new:
        if fact in ledger.powerless:
            yield f"{fact.text!r}: a more trusted source says so, or it began later"
        elif not (fact.id in ledger.stands or fact.statements[0].id in said or fact.text in kept):
            about = f"{fact.subject} {fact.relation} {fact.object}".strip()
            yield f"the fact {about!r}, too doubtful to end or cancel anything"
    yield from denied(new, ledger, contested=False)
    yield from _replacing_nothing(new, ledger)


def denied(new: Iterable[Fact], ledger: "Ledger", *, contested: bool = True) -> Iterator[str]:
    """Yield what of new statements is not believed, or not all of it.

    Not ``contested``: only what is no contested fact of its own, such as an end of what goes on.
    """
    outcome, said = ledger.component.outcome, {fact.statements[0].id: fact for fact in new}
    for statement, against in () if outcome is None else outcome.settlement.overruled:
        fact = said.get(statement)
        if outcome is None or fact is None:
            continue
        stands = ledger.component.facts.get(ledger.stands.get(fact.id, ""))
        if not contested and stands is not None and stands.closed_as == "overruled":
            continue
        if against not in outcome.said.by_id:  # a standing rule says so, and nobody
            why = "by a rule" if stands is None else stands.reason
            yield f"{fact.text!r} holds at no time: {why}"
            continue
        home, other = outcome.said.by_id[against]
        trusted = other.trust > fact.statements[0].trust
        source = "a more trusted source" if trusted else "newer evidence"
        yield f"{fact.text!r} gives way to what {source} says: {other.text or home.text}"


def _replacing_nothing(new: Iterable[Fact], ledger: "Ledger") -> Iterator[str]:
    """Yield which new facts, as they were stated, replace a fact that goes on."""
    for fact in new:
        said, own = fact.statements[0], ledger.component.facts.get(fact.id, fact)
        lost = own.retracted_at is not None or own.closed_as == "superseded"
        date = said.until if said.ends else said.since
        for id_ in said.excludes if not lost else ():
            other = ledger.component.facts.get(id_)
            if other is None or other.retracted_at is not None:
                continue
            if other.invalid_at is None or (date is not None and other.invalid_at > date.moment):
                yield f"{fact.text!r} takes the place of {other.text!r}, which it does not end"
