"""What is not known any more: since when, what was known last, and what ended it.

"Nobody knows" and "it is over" are two answers. What was retracted was never true, so it is as if
nobody had ever said it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.display.cards import lifetime, triple
from graphrag.display.visible import flatten
from graphrag.model.values import Fact


@dataclass(frozen=True, slots=True)
class Absence:
    """Nothing of a relation holds for an entity at the moment of a view."""

    entity: str
    relation: str
    since: datetime | None = None
    """The first moment at which nothing held any more; None if nothing is known to have held."""
    last: tuple[Fact, ...] = ()
    """What held until then; without ``since``, what did at some time before, nobody knows when."""
    ended_by: tuple[Fact, ...] = ()
    """The facts that ended it, by beginning or by their own end."""

    def __str__(self) -> str:
        """Say it in words: ``not known since 2024-03-01: Ann works at Acme ended (...)``."""
        if self.since is None:
            missing = f"not known: {self.entity} {self.relation.replace('_', ' ')}"
            once = "; ".join(f"{triple(fact)} {lifetime(fact)}" for fact in self.last)
            return flatten(f"{missing}; {once}" if once else missing)
        reasons = (f"{triple(fact)} ended{_why(fact)}" for fact in self.last)
        return f"not known since {self.since.date()}: {'; '.join(reasons)}"


def absence_of(
    entity: str,
    relation: str,
    facts: Sequence[Fact],
    closers: Mapping[str, Fact],
    at: datetime,
) -> Absence | None:
    """Return what is missing at a moment, given the facts of all times; None if nothing is."""
    said = [fact for fact in facts if fact.retracted_at is None and not fact.pending]
    past = tuple(fact for fact in said if fact.closed_as == "past")
    begun = [fact for fact in said if fact.valid_at is None or fact.valid_at <= at]
    begun = [fact for fact in begun if fact not in past]
    ends = [fact.invalid_at for fact in begun if fact.invalid_at is not None]
    if len(ends) < len(begun) or any(end > at for end in ends):
        return None
    if not ends:
        return Absence(entity, relation, None, past)
    since = max(ends)
    last = tuple(fact for fact in begun if fact.invalid_at == since)
    return Absence(entity, relation, since, last, _closers(last, closers))


def _closers(facts: Iterable[Fact], closers: Mapping[str, Fact]) -> tuple[Fact, ...]:
    ids = dict.fromkeys(id_ for fact in facts if (id_ := fact.invalidated_by) is not None)
    return tuple(closers[id_] for id_ in ids if id_ in closers)


def _why(fact: Fact) -> str:
    return f" ({fact.reason})" if fact.reason else ""
