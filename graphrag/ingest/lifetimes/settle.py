"""Lifetimes as a function of the statements that stand.

The rules are those of docs/time.md, and better comes before newer: what a less trusted source says
gives way, and is listed as contested.

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

Cost: n log n in the statements given, for each level of trust, and the contradictions found.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from graphrag.errors import InputError
from graphrag.ingest.lifetimes.accounts import ConflictKey, accounts, spares
from graphrag.ingest.lifetimes.cover import HeldInterval, HeldTimeline, IntervalIndex, touching
from graphrag.ingest.lifetimes.hold import assign_intervals
from graphrag.ingest.lifetimes.spells import (
    NameSpell,
    Naming,
    Spell,
    merge_intervals,
    name_by_statement,
    name_spells,
    telling,
)
from graphrag.ingest.lifetimes.statement import (
    Disagreement,
    Exclusion,
    Settlement,
    Statement,
    to_moment,
)
from graphrag.ingest.lifetimes.support import ClaimEvidence, ClaimKey
from graphrag.model.assertion import BEGINNING, FOREVER
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
    return Settlement(
        naming.lifetimes(holdings), tuple(_contradictions(by_line, holdings, naming)), naming.joins
    )


def _contradictions(
    accounts: Mapping[ClaimKey, ClaimEvidence], holdings: HeldTimeline, naming: Naming
) -> Iterator[Disagreement]:
    """Yield what contradicts what."""
    yield from _together(holdings, naming)
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
                yield _overruled(
                    end.statement, over.support.statement, end.moment, over.end, naming
                )
        for support in account.supports:
            statement = support.statement
            if statement.id in holdings.winners and statement.id not in naming.places:
                against = holdings.winners[statement.id]
                first, after = support.first, support.last + 1
                if support.last == BEGINNING:  # it was said of no time in particular
                    after = FOREVER
            elif (
                statement.explicit_end
                and support.kind != "running"
                and (denied := own.over_end(support.stop)) is not None
            ):
                against, first, after = denied.support.statement, support.stop, denied.end
            else:
                continue
            yield _overruled(statement, against, first, after, naming)


def _overruled(
    statement: Statement, against: Statement, first: int, after: int, naming: Naming
) -> Disagreement:
    fact, rival = naming.fact_at(statement, first), naming.fact_at(against, first)
    start, end = to_moment(first), to_moment(after)
    return Disagreement("overruled", fact, rival, statement.id, against.id, start, end)


def _together(holdings: HeldTimeline, naming: Naming) -> Iterator[Disagreement]:
    meetings: dict[tuple[Spell, Spell], list[_Meeting]] = defaultdict(list)
    begun = {
        piece.support.statement.id: piece
        for own in holdings.pieces.values()
        for piece in own
        if piece.support.kind == "ended"
    }
    shared = (of for of in holdings.covers.items() if of[1][0].shared)
    for slot, (cover, _) in shared:
        pieces = (
            begun.get(piece.support.statement.id, piece)
            for piece in cover
            if piece.support.statement.id not in holdings.contested
        )
        for first, second in _pairs(_stretches(pieces, slot)):
            start, end = max(first.start, second.start), min(first.end, second.end)
            sides = [_side(stretch.piece, start, naming) for stretch in (first, second)]
            sides.sort(key=lambda side: telling(side[0].supports[0]))
            (spell, piece), (rival, other) = sides
            meetings[spell, rival].append((start, end, (piece, other)))
    for (spell, rival), stretches in meetings.items():
        sources = ({each.statement.source for each in side.supports} for side in (spell, rival))
        common = set.intersection(*sources) - {""}
        for start, end, [(piece, other), *_] in touching(stretches):
            yield Disagreement(
                "both" if common else "open",
                spell.id,
                rival.id,
                piece.support.statement.id,
                other.support.statement.id,
                to_moment(start),
                to_moment(end),
            )


def _side(piece: HeldInterval, moment: int, naming: Naming) -> tuple[Spell, HeldInterval]:
    spell = naming.spell_at(piece.line, moment)
    assert spell is not None, "what holds is part of a spell"
    return spell, piece


_Meeting = tuple[int, int, tuple[HeldInterval, HeldInterval]]
"""From when until when two values both hold, and by which pieces."""


class _Stretch(NamedTuple):
    start: int
    end: int
    piece: HeldInterval
    """The first of it."""
    spared: bool
    """True if it excludes nothing that is as this one."""


def _stretches(pieces: Iterable[HeldInterval], slot: ConflictKey) -> list[_Stretch]:
    """Return what each value holds, apart what only tables gave of it."""
    by_line: dict[tuple[ClaimKey, bool], list[tuple[int, int, HeldInterval]]] = defaultdict(list)
    for piece in pieces:
        own = by_line[piece.line, spares(piece.support, slot)]
        own.append((piece.start, piece.end, piece))
    every = (
        _Stretch(start, end, together[0], spared)
        for (_, spared), own in by_line.items()
        for start, end, together in touching(own)
    )
    return sorted(every, key=lambda stretch: (stretch.start, stretch.end, stretch.piece.line))


def _pairs(stretches: Iterable[_Stretch]) -> Iterator[tuple[_Stretch, _Stretch]]:
    """Yield the pairs of different values that share a moment and may not."""
    running: list[_Stretch] = []
    for stretch in stretches:
        running = [other for other in running if other.end > stretch.start]
        for other in running:
            if other.piece.line != stretch.piece.line and not (other.spared and stretch.spared):
                yield other, stretch
        running.append(stretch)
