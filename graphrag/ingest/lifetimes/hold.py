"""What holds, and when it ends: which stretches of world time each value wins from its rivals.

Nothing is swept moment by moment. What runs holds from its first moment until the first that better
evidence of a rival or an end of its own takes, so that one pass over the rivals by how new they are
finds every limit. Levels of trust are settled from the top: what a higher one holds is cut out of
the lower ones.
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from graphrag.ingest.lifetimes.accounts import ConflictKey, find_slots, spares
from graphrag.ingest.lifetimes.cover import (
    CoStatedValues,
    HeldInterval,
    HeldTimeline,
    IntervalIndex,
    NewerEvidence,
    Trusted,
)
from graphrag.ingest.lifetimes.statement import Exclusion, Statement
from graphrag.ingest.lifetimes.support import ClaimEvidence, ClaimKey, Evidence
from graphrag.model.assertion import BEGINNING
from graphrag.ontology.relations import Relations

if TYPE_CHECKING:
    from graphrag.ingest.lifetimes.nesting import Nesting


def assign_intervals(
    accounts: Mapping[ClaimKey, ClaimEvidence],
    relations: Relations,
    rulings: Iterable[Exclusion],
    nesting: "Nesting | None" = None,
) -> HeldTimeline:
    """Work out what each value holds."""
    lines = {
        statement.id: line for line, account in accounts.items() for statement in account.statements
    }
    slots = find_slots(lines, relations, rulings, nesting)
    every = [support for account in accounts.values() for support in account.supports]
    holdings = HeldTimeline(CoStatedValues(every, slots), slots=slots, lines=lines)
    members: dict[ConflictKey, list[Evidence]] = defaultdict(list)
    levels: dict[float, list[Evidence]] = defaultdict(list)
    bounded: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for support in every:
        if support.competes and support.first >= support.stop:
            assert support.end is not None, "something stops what has no moment"
            holdings.winners[support.statement.id] = support.end.statement
        elif support.competes:
            levels[support.statement.trust].append(support)
            for slot in holdings.slots_of(support):
                members[slot].append(support)
        elif support.placed:
            statement = support.statement
            whole = HeldInterval(support, support.first, support.stop, "bounded", statement)
            holdings.pieces[support.line].append(whole)
            for slot in holdings.slots_of(support) if support.kind == "bounded" else ():
                members[slot].append(support)
                bounded[slot].append(whole)
    running: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for trust in sorted(levels, reverse=True):
        _settle_level(trust, levels[trust], members, bounded, running, holdings)
    for account in accounts.values():
        _believe(account, holdings)
    held: dict[ConflictKey, list[HeldInterval]] = defaultdict(list)
    for piece in (piece for own in holdings.pieces.values() for piece in own):
        for slot in holdings.slots_of(piece.support) if piece.support.kind != "event" else ():
            held[slot].append(piece)
    holdings.covers = {slot: _covers(pieces, slot) for slot, pieces in held.items()}
    for account in accounts.values():
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
    limits: dict[str, tuple[int, Evidence]] = {}
    slots = dict.fromkeys(slot for support in level for slot in holdings.slots_of(support))
    shared = (slot for slot in slots if len(members[slot]) > 1)
    for slot in shared:
        for support, limit, rival in _limits(members[slot], trust, slot, holdings.co_stated):
            id_ = support.statement.id
            if id_ not in limits or _key(limit, rival) < _key(*limits[id_]):
                limits[id_] = limit, rival
    above: dict[ConflictKey, tuple[IntervalIndex, IntervalIndex]] = {}
    for slot in slots:
        better = [
            piece
            for piece in (*running[slot], *bounded[slot])
            if piece.support.statement.trust > trust and piece.support.kind != "ended"
        ]
        if better:
            above[slot] = _covers(better, slot)
    for support in level:
        whole = _until(support, limits.get(support.statement.id))
        over = [
            piece
            for slot in holdings.slots_of(support)
            if slot in above
            for piece in _over(whole, above[slot][spares(support, slot)], slot, holdings.co_stated)
        ]
        pieces = list(_cut(whole, over)) if whole.start < whole.end else []
        if not pieces:
            by = whole.by if whole.start >= whole.end else _first_over(over)
            if by is not None:
                holdings.winners[support.statement.id] = by
        holdings.pieces[support.line].extend(pieces)
        for slot in holdings.slots_of(support):
            running[slot].extend(pieces)


def _limits(
    members: Sequence[Evidence], trust: float, slot: ConflictKey, co_stated: CoStatedValues
) -> Iterator[tuple[Evidence, int, Evidence]]:
    """Yield from when on each statement of a level gives way to newer evidence, and to which.

    Newer evidence of what runs, on the same level, takes what a statement supports; newer evidence
    of what runs or was stated whole, on its level or above, takes only what it persists in. That
    something ended says nothing of others.
    """
    newer = {
        kind: (NewerEvidence(slot, co_stated), NewerEvidence(slot, co_stated))
        for kind in ("running", "any")
    }
    deciding = [support for support in members if support.statement.trust >= trust]
    deciding.sort(key=lambda support: -support.evidence)
    for _, group in groupby(deciding, key=lambda support: support.evidence):
        equals = list(group)
        for support in equals:
            if support.statement.trust > trust or not support.competes:
                continue
            for kind, least in (("running", support.first), ("any", support.last + 1)):
                rival = newer[kind][spares(support, slot)].first_rival(support.line, least)
                if rival is not None:
                    yield support, max(least, rival.first), rival
        for support in (each for each in equals if each.kind != "ended"):
            kinds = ["any"]
            if support.competes and support.statement.trust == trust:
                kinds.append("running")
            for kind in kinds:
                newer[kind][0].add(support)
                if not spares(support, slot):
                    newer[kind][1].add(support)


def _until(support: Evidence, limit: tuple[int, Evidence] | None) -> HeldInterval:
    """Return what a statement holds on its own level of trust; nothing if it ends at its start."""
    if limit is not None and limit[0] < support.stop:
        by = limit[1].statement
        return HeldInterval(support, support.first, limit[0], "superseded", by)
    if support.end is None:
        return HeldInterval(support, support.first, support.stop, None, None)
    said = support.end.explicit or support.end.statement.kind == "was"
    closed: Literal["ended", "bounded"] = "ended" if said else "bounded"
    return HeldInterval(support, support.first, support.stop, closed, support.end.statement)


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


def _first_over(over: Iterable[HeldInterval]) -> Statement | None:
    first = min(over, key=lambda other: (other.start, other.line), default=None)
    return None if first is None else first.support.statement


def _believe(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Let go what gives a value other dates than a more trusted source stated.

    That is what begins before a start or goes on after an end, without a gap between, and what ends
    within.
    """
    trusts = {support.statement.trust for support in account.supports}
    if len(trusts) < 2:
        return
    ends = {end.statement.id: end.moment for end in account.ends}
    pieces: dict[str, list[HeldInterval]] = {}
    for piece in holdings.pieces[account.line]:
        pieces.setdefault(piece.support.statement.id, []).append(piece)
    known: list[HeldInterval] = []
    for trust in sorted(trusts, reverse=True):
        trusted = Trusted(known)
        for support in account.supports:
            if support.kind in ("event", "silent") or support.statement.trust != trust:
                continue
            id_, own = support.statement.id, pieces.get(support.statement.id, [])
            if support.kind == "was":
                own = [HeldInterval(support, support.first - 1, support.first, None, None)]
            against = trusted.against(own, ends.get(id_))
            if against is None:
                known += own if support.kind != "was" else ()
                continue
            pieces.pop(id_, None)
            _contest(support, against.support.statement, holdings)
    holdings.pieces[account.line] = [piece for own in pieces.values() for piece in own]


def _contest(support: Evidence, by: Statement, holdings: HeldTimeline) -> None:
    holdings.winners[support.statement.id] = by
    holdings.contested.add(support.statement.id)


def _silence(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Let what says nothing of any time give way with what gave its value a time, if that did."""
    lost = [each for each in account.supports if each.statement.id in holdings.winners]
    if not lost or holdings.pieces[account.line]:
        return
    by = holdings.winners[max(lost, key=_evidence).statement.id]
    for support in account.supports:
        if support.kind == "silent":
            holdings.winners[support.statement.id] = by


def _evidence(support: Evidence) -> tuple[float, int, int, str]:
    return support.statement.trust, support.last, support.first, support.statement.id


def _fill(account: ClaimEvidence, holdings: HeldTimeline) -> None:
    """Give what ended at a stated moment, and began at none, the room that nothing else has.

    It begins where a rival ended last, if nobody says that it was over since. What still holds when
    it ends held beside it, and did not end it before. An end after the one that a more trusted
    source stated is not believed.
    """
    pieces, contested = holdings.pieces[account.line], holdings.contested
    if not any(piece.support.kind == "ended" for piece in pieces):
        return
    over = (
        support.first
        for support in account.supports
        if support.kind == "was" and support.statement.id not in contested
    )
    past = [BEGINNING, *sorted(over)]
    own = IntervalIndex(piece for piece in pieces if piece.support.kind != "event")
    ends = sorted([BEGINNING, *(end.moment for end in account.ends if end.explicit)])
    stated = {
        end.moment: end.statement
        for end in sorted(account.ends, key=lambda end: (end.statement.trust, end.statement.id))
    }
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
        elif stated[lapse].trust > piece.support.statement.trust:
            _contest(piece.support, stated[lapse], holdings)
    pieces[:] = (each for each in pieces if each.support.statement.id not in contested)


def _key(limit: int, rival: Evidence) -> tuple[int, ClaimKey, str]:
    return limit, rival.line, rival.statement.id


def _covers(
    pieces: Sequence[HeldInterval], slot: ConflictKey
) -> tuple[IntervalIndex, IntervalIndex]:
    whole = IntervalIndex(pieces)
    if not any(spares(piece.support, slot) for piece in pieces):
        return whole, whole
    return whole, IntervalIndex(piece for piece in pieces if not spares(piece.support, slot))
