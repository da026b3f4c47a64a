"""Lifetimes as a function of the statements that stand, by the rules of docs/time.md.

A running value holds from its first moment until the first that better evidence of a rival or an
end of its own takes, so that one pass over the rivals by how new they are finds every limit. Levels
of trust are settled from the top: what a higher one holds is cut out of the lower ones, and what a
less trusted source says in vain is listed as overruled. Cost: n log n in the statements, for each
level of trust.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.ingest.lifetimes import Exclusion, Overruled, Settlement, Statement
from graphrag.ingest.lifetimes.accounts import ConflictKey, accounts, conflict_keys, spares
from graphrag.ingest.lifetimes.evidence import ClaimEvidence, ClaimKey, Evidence
from graphrag.ingest.lifetimes.intervals import (
    Closed,
    CoStatedValues,
    HeldInterval,
    HeldTimeline,
    IntervalIndex,
    Trusted,
    covers_of,
    limits_of,
)
from graphrag.ingest.lifetimes.spells import Naming, merge_intervals, name_spells
from graphrag.model.assertion import BEGINNING
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting

_Limit = tuple[int, ClaimKey, str, Evidence]
"""From when on a statement gives way, and to which rival."""


def settle(
    statements: Iterable[Statement],
    relations: Relations,
    *,
    rulings: Iterable[Exclusion] = (),
    follow: Callable[[HeldTimeline], None] | None = None,
    nesting: "Nesting | None" = None,
) -> Settlement:
    """Derive the lifetimes of facts from what was said of them and of their rivals.

    A set is complete if with each value it has every statement of it, of its rivals, of theirs, and
    so on, and those that end any of them. ``follow`` ends in place what standing rules end, once
    rivals are settled. ``nesting`` tells which values lie in which, so that they are no rivals.
    """
    by_id: dict[str, Statement] = {}
    for statement in statements:
        known = by_id.setdefault(statement.id, statement)
        if known is not statement and known != statement:
            words = f"{known.words!r} and {statement.words!r}"
            raise InputError(f"two statements have the id {statement.id!r}: {words}")
    order = sorted(by_id.values(), key=lambda statement: (statement.seq, statement.id))
    by_id = {statement.id: statement for statement in order}
    by_line, cancellations = accounts(order, relations)
    holdings = assign_intervals(by_line, relations, rulings, nesting)
    if follow is not None:
        follow(holdings)
    spells = {line: merge_intervals(account, holdings) for line, account in by_line.items()}
    naming = name_spells(by_id, spells, cancellations)
    overruled = tuple(_overruled(by_line, holdings, naming))
    return Settlement(naming.lifetimes(holdings), overruled, naming.joins)


def _overruled(
    by_line: Mapping[ClaimKey, ClaimEvidence], holdings: HeldTimeline, naming: Naming
) -> Iterator[Overruled]:
    """Yield what does not hold, or not as far as it was stated, with what it gave way to."""
    for line, account in by_line.items():
        its = {support.id for support in account.supports}
        if not account.ends and holdings.winners.keys().isdisjoint(its):
            continue  # nothing was stated against it, and it gave way to nothing
        own = IntervalIndex(holdings.pieces.get(line, ()))
        for end in account.ends:
            over = None if end.statement.id in its else own.over_end(end.moment)
            if over is not None:
                yield Overruled(end.statement.id, over.support.id)
        for support in account.supports:
            statement = support.statement
            if statement.id in holdings.winners and statement.id not in naming.places:
                yield Overruled(statement.id, holdings.winners[statement.id].id)
            elif statement.ends and support.kind != "running":
                if (over := own.over_end(support.stop)) is not None:
                    yield Overruled(statement.id, over.support.id)


def assign_intervals(
    by_line: Mapping[ClaimKey, ClaimEvidence],
    relations: Relations,
    rulings: Iterable[Exclusion],
    nesting: "Nesting | None",
) -> HeldTimeline:
    """Work out what each value holds."""
    lines = {said.id: line for line, account in by_line.items() for said in account.statements}
    slots = conflict_keys(lines, relations, rulings, nesting)
    every = [support for account in by_line.values() for support in account.supports]
    holdings = HeldTimeline(CoStatedValues(every, slots), slots=slots, lines=lines)
    members: dict[ConflictKey, list[Evidence]] = defaultdict(list)
    levels: dict[float, list[Evidence]] = defaultdict(list)
    bounded: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for support in every:
        if support.competes and support.first >= support.stop:
            assert support.end is not None, "an end leaves it no moment"
            holdings.winners[support.id] = support.end.statement
        elif support.competes:
            levels[support.trust].append(support)
            for slot in holdings.slots_of(support):
                members[slot].append(support)
        elif support.placed:
            by = support.statement
            whole = HeldInterval(support, support.first, support.stop, "bounded", by)
            holdings.pieces[support.line].append(whole)
            for slot in holdings.slots_of(support) if support.kind == "bounded" else ():
                members[slot].append(support)
                bounded[slot].append(whole)
    running: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for trust in sorted(levels, reverse=True):
        _settle_level(trust, levels[trust], members, bounded, running, holdings)
    for account in by_line.values():
        _believe(account, holdings)
    held: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for piece in (piece for own in holdings.pieces.values() for piece in own):
        for slot in holdings.slots_of(piece.support) if piece.support.kind != "event" else ():
            held[slot].append(piece)
    holdings.covers = {slot: covers_of(pieces, slot) for slot, pieces in held.items()}
    for account in by_line.values():
        _fill(account, holdings)
        _silence(account, holdings)
    return holdings


def _settle_level(
    trust: float,
    level: Sequence[Evidence],
    members: Mapping[ConflictKey, Sequence[Evidence]],
    bounded: Mapping[ConflictKey, Sequence[HeldInterval]],
    running: dict[ConflictKey, list[HeldInterval]],
    holdings: HeldTimeline,
) -> None:
    """Work out what the statements of one level of trust hold; those above are settled."""
    limits: dict[str, _Limit] = {}
    above: dict[ConflictKey, tuple[IntervalIndex, IntervalIndex]] = {}
    for slot in dict.fromkeys(slot for support in level for slot in holdings.slots_of(support)):
        if len(members[slot]) > 1:
            for support, limit, rival in limits_of(members[slot], trust, slot, holdings.co_stated):
                by_rival = limit, rival.line, rival.id, rival
                limits[support.id] = min(by_rival, limits.get(support.id, by_rival))
        held = [piece for piece in (*running[slot], *bounded[slot]) if piece.support.trust > trust]
        if better := [piece for piece in held if piece.support.kind != "ended"]:
            above[slot] = covers_of(better, slot)
    for support in level:
        whole = _until(support, limits.get(support.id))
        over = [
            piece
            for slot in holdings.slots_of(support)
            if slot in above
            for piece in _over(whole, above[slot][spares(support, slot)], slot, holdings.co_stated)
        ]
        pieces = list(_cut(whole, over)) if whole.start < whole.end else []
        if not pieces:
            first = min(over, key=lambda piece: (piece.start, piece.line), default=whole)
            by = whole.by if whole.start >= whole.end else first.support.statement
            if by is not None:
                holdings.winners[support.id] = by
        holdings.pieces[support.line].extend(pieces)
        for slot in holdings.slots_of(support):
            running[slot].extend(pieces)


def _until(support: Evidence, limit: _Limit | None) -> HeldInterval:
    if limit is not None and limit[0] < support.stop:
        return HeldInterval(support, support.first, limit[0], "superseded", limit[3].statement)
    if support.end is None:
        return HeldInterval(support, support.first, support.stop, None, None)
    by, explicit = support.end.statement, support.end.explicit
    closed: Closed = "ended" if explicit or by.kind == "was" else "bounded"
    return HeldInterval(support, support.first, support.stop, closed, by)


def _over(
    piece: HeldInterval, cover: IntervalIndex, slot: ConflictKey, co_stated: CoStatedValues
) -> Iterator[HeldInterval]:
    """Yield what better trusted rivals hold of a piece; not what may hold beside it."""
    for other in cover.over(piece.start, piece.end, piece.line):
        end = co_stated.since(slot, piece.line, other.support)
        if other.start < end and piece.start < end:
            yield other if end >= other.end else replace(other, end=end)


def _cut(piece: HeldInterval, over: Iterable[HeldInterval]) -> Iterator[HeldInterval]:
    """Yield what is left of a piece beside others."""
    start = piece.start
    for other in sorted(over, key=lambda other: (other.start, -other.end, other.line)):
        if start < other.start:
            by = other.support.statement
            yield replace(piece, start=start, end=other.start, closed="superseded", by=by)
        start = max(start, other.end)
    if start < piece.end:
        yield piece if start == piece.start else replace(piece, start=start)


def _believe(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Let go what gives a value other dates than a more trusted source stated, without a gap."""
    trusts = {support.trust for support in account.supports}
    if len(trusts) < 2:
        return
    ends = {end.statement.id: end.moment for end in account.ends}
    pieces: dict[str, list[HeldInterval]] = {}
    for piece in holdings.pieces[account.line]:
        pieces.setdefault(piece.support.id, []).append(piece)
    known: list[HeldInterval] = []
    for trust in sorted(trusts, reverse=True):
        trusted = Trusted(known)
        for support in account.supports:
            if support.kind in ("event", "silent") or support.trust != trust:
                continue
            own = pieces.get(support.id, [])
            if support.kind == "was":
                own = [HeldInterval(support, support.first - 1, support.first, None, None)]
            against = trusted.against(own, ends.get(support.id))
            if against is not None:
                pieces.pop(support.id, None)
                _contest(support, against.support.statement, holdings)
            elif support.kind != "was":
                known += own
    holdings.pieces[account.line] = [piece for own in pieces.values() for piece in own]


def _contest(support: Evidence, by: Statement, holdings: HeldTimeline) -> None:
    holdings.winners[support.id] = by
    holdings.contested.add(support.id)


def _silence(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Let an undated statement give way with what gave its value a time, if that did."""
    silent = [each for each in account.supports if each.kind == "silent"]
    lost = [each for each in account.supports if each.id in holdings.winners]
    if silent and lost and not holdings.pieces[account.line]:
        newest = max(lost, key=lambda each: (each.trust, each.last, each.first, each.id))
        for support in silent:
            holdings.winners[support.id] = holdings.winners[newest.id]


def _fill(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Give what ended at a stated moment, and began at none, the room that nothing else has.

    It begins where a rival ended last, if nobody says that it was over since. What still holds when
    it ends held beside it, and did not end it before. An end after the one that a more trusted
    source stated is not believed.
    """
    pieces, contested = holdings.pieces[account.line], holdings.contested
    if not any(piece.support.kind == "ended" for piece in pieces):
        return
    supports = (each for each in account.supports if each.id not in contested)
    past = [BEGINNING, *sorted(each.first for each in supports if each.kind == "was")]
    own = IntervalIndex(piece for piece in pieces if piece.support.kind != "event")
    ends = sorted([BEGINNING, *(end.moment for end in account.ends if end.explicit)])
    by_trust = sorted(account.ends, key=lambda end: (end.statement.trust, end.statement.id))
    stated = {end.moment: end.statement for end in by_trust}
    starts = {piece.start for piece in pieces if piece.support.kind in ("running", "bounded")}
    for place, piece in enumerate(pieces):
        moment = piece.start
        if piece.support.kind != "ended" or moment in starts:
            continue
        before = own.latest(moment)
        lapse = min(before.end, moment) if before is not None else BEGINNING
        lapse = max(lapse, past[bisect_right(past, moment) - 1])
        over_by = (cover.last_over(moment) for cover in holdings.rivals(piece.support))
        room = max((ends[bisect_right(ends, moment) - 1], *over_by))
        if lapse < room or lapse not in stated:
            pieces[place] = replace(piece, start=max(lapse, room))
        elif stated[lapse].trust > piece.support.trust:
            _contest(piece.support, stated[lapse], holdings)
    pieces[:] = (each for each in pieces if each.support.id not in contested)
