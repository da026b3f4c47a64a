"""Lifetimes as a function of the statements that stand.

The rules are those of docs/time.md, and better comes before newer: what a less trusted source says
gives way, and is listed as overruled.

Where the rules leave room, this is how they are read (each has a test):

- Rivals are taken in pairs. Of three marriages in a chain the middle one takes its time from both
  neighbours, also while an even newer one has taken its own.
- An explicit end is newer than what was seen at its very moment; a stretch stated whole ends just
  before its end, so that "until 2015" and "from 2015" meet.
- An end takes what is not newer than it and not trusted more; a more trusted end also takes what
  reaches over it. What begins after an end begins anew, whoever tells it.
- The unknown start of an ended value reaches back to where a rival ended last; a rival that still
  holds then holds beside it. If the value had only given way to that rival, it goes on from there;
  if it was said to be over, it is one moment: who was there until 2005 and left in 2020 came back,
  nobody knows when. What merely was so, or "no longer" is at the moment of telling, holds at no
  moment: it is a fact of its own, unless the value is known to have held before.
- What says nothing of any time is one more source of the last stretch of its value, unless it is
  trusted more than what dates that.
- A plan is replaced by the first report of its value after it was made, and by a newer plan that
  was made while it was still to come, if they give another day, month or year.
- Values that one text states together are rivals in earlier moments, and where a ruling says so.
- Bounded support is not cut by its own explicit end either; the end is listed against it.
- Events compete with nothing. What is timeless is evidence for ever.
- A trusted value that runs is not stopped by the stretch of a less trusted one: both hold. What
  runs by a less trusted source gives way to a trusted stretch, and goes on after it.
- Nor does a less trusted source give the same value other dates than were stated: what would is
  contested, and holds nowhere. It may begin what only was seen to hold, and stretches apart.

Cost: n log n in the statements given, for each level of trust.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.ingest.lifetimes.accounts import accounts
from graphrag.ingest.lifetimes.cover import HeldTimeline, IntervalIndex
from graphrag.ingest.lifetimes.hold import assign_intervals
from graphrag.ingest.lifetimes.spells import (
    NameSpell,
    Naming,
    merge_intervals,
    name_by_statement,
    name_spells,
)
from graphrag.ingest.lifetimes.statement import Exclusion, Overruled, Settlement, Statement
from graphrag.ingest.lifetimes.support import ClaimEvidence, ClaimKey
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting


def settle(
    statements: Iterable[Statement],
    relations: Relations,
    *,
    rulings: Iterable[Exclusion] = (),
    name: NameSpell = name_by_statement,
    follow: Callable[[HeldTimeline], None] | None = None,
    nesting: "Nesting | None" = None,
) -> Settlement:
    """Derive the lifetimes of facts from what was said of them and of their rivals.

    A set is complete if with each value it has every statement of it, of its rivals, of theirs, and
    so on, and those that end any of them: ends without an object, and events. ``name`` gives the
    ids of facts that begin to exist, from the first statement of a spell whose fact is elsewhere
    and the number of that spell among those of the statement. ``follow`` ends in place what
    standing rules end, once rivals are settled among themselves. ``nesting`` tells which values lie
    in which, so that they are no rivals.

    Raises:
        InputError: if two statements have one id.
    """
    by_id: dict[str, Statement] = {}
    for statement in statements:
        known = by_id.setdefault(statement.id, statement)
        if known is not statement and known != statement:
            raise InputError(
                f"two statements have the id {statement.id!r}: "
                f"{by_id[statement.id].words!r} and {statement.words!r}"
            )
    order = sorted(by_id.values(), key=lambda statement: (statement.seq, statement.id))
    by_line, cancellations = accounts(order, relations)
    holdings = assign_intervals(by_line, relations, rulings, nesting)
    if follow is not None:
        follow(holdings)
    spells = {line: merge_intervals(account, holdings) for line, account in by_line.items()}
    by_id = {statement.id: statement for statement in order}
    naming = name_spells(by_id, spells, cancellations, name)
    overruled = tuple(_overruled(by_line, holdings, naming))
    return Settlement(naming.lifetimes(holdings), overruled, naming.joins)


def _overruled(
    accounts: Mapping[ClaimKey, ClaimEvidence], holdings: HeldTimeline, naming: Naming
) -> Iterator[Overruled]:
    """Yield what does not hold, or not as far as it was stated, with what it gave way to."""
    for line, account in accounts.items():
        if not account.ends and holdings.winners.keys().isdisjoint(
            support.statement.id for support in account.supports
        ):
            continue  # nothing was stated against it, and it gave way to nothing
        own = IntervalIndex(holdings.pieces.get(line, ()))
        its = {support.statement.id for support in account.supports}
        for end in account.ends:
            over = None if end.statement.id in its else own.over_end(end.moment)
            if over is not None:
                yield Overruled(end.statement.id, over.support.statement.id)
        for support in account.supports:
            statement = support.statement
            if statement.id in holdings.winners and statement.id not in naming.places:
                yield Overruled(statement.id, holdings.winners[statement.id].id)
            elif statement.explicit_end and support.kind != "running":
                if (over := own.over_end(support.stop)) is not None:
                    yield Overruled(statement.id, over.support.statement.id)
