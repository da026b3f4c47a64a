"""List contradictions that ``hold`` has decided: two values at once, and what never holds."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from graphrag.ingest.lifetimes.accounts import Slot, spares
from graphrag.ingest.lifetimes.cover import Cover, Holdings, Piece, touching
from graphrag.ingest.lifetimes.spells import Naming, Spell, telling
from graphrag.ingest.lifetimes.statement import Contradiction, Statement, to_moment
from graphrag.ingest.lifetimes.support import Account, Line
from graphrag.model.assertion import BEGINNING, FOREVER


def contradictions(
    accounts: Mapping[Line, Account], holdings: Holdings, naming: Naming
) -> Iterator[Contradiction]:
    """Yield what contradicts what."""
    yield from _together(holdings, naming)
    for line, account in accounts.items():
        if not account.ends and holdings.winners.keys().isdisjoint(
            support.statement.id for support in account.supports
        ):
            continue  # nothing was stated against it, and it gave way to nothing
        own = Cover(holdings.pieces.get(line, ()))
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
) -> Contradiction:
    fact, rival = naming.fact_at(statement, first), naming.fact_at(against, first)
    start, end = to_moment(first), to_moment(after)
    return Contradiction("overruled", fact, rival, statement.id, against.id, start, end)


def _together(holdings: Holdings, naming: Naming) -> Iterator[Contradiction]:
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
            yield Contradiction(
                "both" if common else "open",
                spell.id,
                rival.id,
                piece.support.statement.id,
                other.support.statement.id,
                to_moment(start),
                to_moment(end),
            )


def _side(piece: Piece, moment: int, naming: Naming) -> tuple[Spell, Piece]:
    spell = naming.spell_at(piece.line, moment)
    assert spell is not None, "what holds is part of a spell"
    return spell, piece


_Meeting = tuple[int, int, tuple[Piece, Piece]]
"""From when until when two values both hold, and by which pieces."""


class _Stretch(NamedTuple):
    start: int
    end: int
    piece: Piece
    """The first of it."""
    spared: bool
    """True if it excludes nothing that is as this one."""


def _stretches(pieces: Iterable[Piece], slot: Slot) -> list[_Stretch]:
    """Return what each value holds, apart what only tables gave of it."""
    by_line: dict[tuple[Line, bool], list[tuple[int, int, Piece]]] = defaultdict(list)
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
