"""Held intervals of values in order of time: which one comes before a moment, or covers it."""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import accumulate, groupby, product
from operator import attrgetter, itemgetter
from typing import Literal, TypeVar

from graphrag.ingest.lifetimes import Statement
from graphrag.ingest.lifetimes.accounts import ConflictKey, ConflictKeys, spares
from graphrag.ingest.lifetimes.evidence import ClaimKey, Evidence
from graphrag.model.assertion import BEGINNING, FOREVER

Item = TypeVar("Item")
Closed = Literal["ended", "bounded", "superseded", "past"] | None
_Place = tuple[int, ClaimKey, str]


@dataclass(frozen=True, slots=True)
class HeldInterval:
    """A stretch in which a statement makes its value hold, and what closes it."""

    support: Evidence
    start: int
    end: int
    closed: Closed
    by: Statement | None
    why: str = ""

    @property
    def line(self) -> ClaimKey:
        """Return the value that holds."""
        return self.support.line


class NewerEvidence:
    """Newer evidence in a slot, to be asked for the rival that takes the place of a value."""

    def __init__(self, slot: ConflictKey, co_stated: "CoStatedValues") -> None:
        self._slot = slot
        self._co_stated = co_stated
        self._order: list[tuple[_Place, Evidence]] = []
        self._first: dict[tuple[ClaimKey, float], _Place] = {}

    def add(self, support: Evidence) -> None:
        """Add evidence."""
        place, key = _order(support), (support.line, support.trust)
        if key not in self._first or place < self._first[key]:
            if key in self._first:
                del self._order[bisect_left(self._order, self._first[key], key=itemgetter(0))]
            self._first[key] = place
            insort(self._order, (place, support), key=itemgetter(0))

    def first_rival(self, line: ClaimKey, least: int) -> Evidence | None:
        """Return the first that takes the place of a value, at a moment or later."""
        since, slot = self._co_stated.since, self._slot
        for _, rival in self._order:
            if rival.line != line and max(least, rival.first) < since(slot, line, rival):
                return rival
        return None


class IntervalIndex:
    """Pieces by their start, with how far those before reach."""

    def __init__(self, pieces: Iterable[HeldInterval]) -> None:
        self._pieces = sorted(pieces, key=lambda it: (it.start, it.end, it.line, it.support.id))
        self._starts = [piece.start for piece in self._pieces]
        self._last = list(accumulate(self._pieces, partial(max, key=attrgetter("end"))))
        """For each piece: of those up to it the one that ends last."""

    @cached_property
    def _ends(self) -> list[int]:
        return sorted(piece.end for piece in self._pieces)

    def latest(self, before: int) -> HeldInterval | None:
        """Return of what starts before a moment what ends last."""
        place = bisect_left(self._starts, before) - 1
        return None if place < 0 else self._last[place]

    def over_end(self, end: int) -> HeldInterval | None:
        """Return what holds over an end that was stated."""
        piece = self.latest(end)
        return piece if piece is not None and piece.end > end else None

    def over(self, low: int, high: int, but: ClaimKey) -> Iterator[HeldInterval]:
        """Yield the pieces of other values that share a moment with ``[low, high)``."""
        place = bisect_right(self._last, low, key=lambda piece: piece.end)
        while place < len(self._pieces) and self._starts[place] < high:
            piece = self._pieces[place]
            if piece.end > low and piece.line != but:
                yield piece
            place += 1

    def last_over(self, moment: int) -> int:
        """Return the last moment up to one at which a piece ends."""
        place = bisect_right(self._ends, moment) - 1
        return BEGINNING if place < 0 else self._ends[place]


class Trusted:
    """What trusted sources say of one value, to be asked what does not agree with it."""

    def __init__(self, pieces: Sequence[HeldInterval]) -> None:
        self._cover = IntervalIndex(pieces)
        self._spells: list[tuple[int, int, HeldInterval | None, HeldInterval | None]] = []
        for start, end, own in touching((piece.start, piece.end, piece) for piece in pieces):
            began = (each for each in own if each.support.stated)
            first = (each for each in began if start == each.start == each.support.first)
            ended = (each for each in own if each.closed in ("ended", "bounded"))
            last = (each for each in ended if each.end == end)
            self._spells.append((start, end, next(first, None), next(last, None)))

    def against(self, pieces: Iterable[HeldInterval], end: int | None) -> HeldInterval | None:
        """Return the trusted piece that contradicts the start or the end of a piece it touches.

        It may also hold over ``end``, an end that was stated.
        """
        if end is not None and (over := self._cover.over_end(end)) is not None:
            return over
        for piece in pieces:
            place = bisect_left(self._spells, piece.start, key=lambda spell: spell[1])
            while place < len(self._spells) and self._spells[place][0] <= piece.end:
                start, stop, first, last = self._spells[place]
                if first is not None and piece.start < start:
                    return first
                if last is not None and stop < piece.end:
                    return last
                place += 1
        return None


_CoStatement = tuple[ConflictKey, str, int, float]
"""Where values compete, with the source, the last moment and the trust of what states several."""
_TOGETHER = 256
"""Values stated side by side, and texts that state a value beside another, at most: each pair of
them may be looked at."""


class CoStatedValues:
    """Values that one text stated side by side: from then on neither takes the other's place."""

    def __init__(self, supports: Iterable[Evidence], slots: ConflictKeys) -> None:
        together: dict[_CoStatement, dict[ClaimKey, int]] = defaultdict(dict)
        for support in supports:
            line, statement = support.line, support.statement
            current = support.kind == "running" and statement.kind in ("state", "planned")
            if not current or not statement.source or not support.first <= support.last:
                continue
            for slot in slots[line] if support.last < FOREVER - 1 else ():
                if slot[0] in ("subject", "object"):
                    lines = together[slot, statement.source, support.last, statement.trust]
                    lines[line] = min(support.first, lines.get(line, FOREVER))
        self._stated: dict[ClaimKey, dict[_CoStatement, int]] = {}
        for evidence, lines in sorted(together.items(), key=lambda item: item[0][2]):
            for line, first in lines.items() if 1 < len(lines) <= _TOGETHER else ():
                stated = self._stated.setdefault(line, {})
                if len(stated) < _TOGETHER:
                    stated[evidence] = first
        self._since: dict[tuple[ClaimKey, ClaimKey, float], int] = {}

    def since(self, slot: ConflictKey, line: ClaimKey, rival: Evidence) -> int:
        """Return from when on a rival in a slot leaves a value alone; never if it does not.

        A ruling, and what is trusted more than the text that states both, take no notice of it.
        """
        own, its = self._stated.get(line), self._stated.get(rival.line)
        if slot[0] == "ruling" or not own or not its:
            return FOREVER
        pair = line, rival.line, rival.trust
        if pair not in self._since:
            shared = (evidence for evidence in own if evidence in its and evidence[-1] >= pair[-1])
            both = (max(own[evidence], its[evidence]) for evidence in shared)
            self._since[pair] = min(both, default=FOREVER)
        return self._since[pair]


@dataclass(slots=True)
class HeldTimeline:
    """What each value holds, and what came to nothing."""

    co_stated: CoStatedValues
    pieces: dict[ClaimKey, list[HeldInterval]] = field(default_factory=lambda: defaultdict(list))
    winners: dict[str, Statement] = field(default_factory=dict)
    """By the id of a statement that holds nowhere: the one it gave way to."""
    contested: set[str] = field(default_factory=set)
    """Ids of those of them that give other dates to a value of which a trusted source speaks."""
    why: dict[str, str] = field(default_factory=dict)
    """By the same, in words, where a standing rule says so."""
    covers: dict[ConflictKey, tuple[IntervalIndex, IntervalIndex]] = field(default_factory=dict)
    """What its values hold, without what is only filled in: all, and what tables did not give."""
    slots: dict[ClaimKey, tuple[ConflictKey, ...]] = field(default_factory=dict)
    lines: dict[str, ClaimKey] = field(default_factory=dict)
    """By the id of a statement: what it is about."""

    def slots_of(self, support: Evidence) -> Iterator[ConflictKey]:
        """Yield the slots that a statement competes in."""
        free = support.statement.untyped
        return (slot for slot in self.slots[support.line] if not free or slot[0] == "ruling")

    def rivals(self, support: Evidence) -> Iterator[IntervalIndex]:
        """Yield what the rivals of a statement hold."""
        for slot in self.slots_of(support):
            if slot in self.covers:
                yield self.covers[slot][spares(support, slot)]

    def ruling(self, line: ClaimKey | None, rival: ClaimKey | None) -> str | None:
        """Return the ruling by which two values exclude each other, if nothing else says so."""
        if line is None or rival is None:
            return None
        shared = [slot for slot in self.slots[line] if slot in self.slots[rival]]
        ruled = all(slot[0] == "ruling" for slot in shared)
        return shared[0][1] if shared and ruled else None

    def holder(self, support: Evidence, moment: int) -> HeldInterval | None:
        """Return what a rival of a statement holds at a moment."""
        for cover in self.rivals(support):
            piece = cover.latest(moment + 1)
            if piece is not None and piece.end > moment:
                return piece
        return None


def _order(support: Evidence) -> _Place:
    return support.first, support.line, support.id


def touching(stretches: Iterable[tuple[int, int, Item]]) -> Iterator[tuple[int, int, list[Item]]]:
    """Yield what lies together without a gap: from when until when, and what it is."""
    first, last, group = BEGINNING, BEGINNING, list[Item]()
    for start, end, item in sorted(stretches, key=lambda stretch: stretch[0]):
        if group and start > last:
            yield first, last, group
            group = []
        first, last = (first, max(last, end)) if group else (start, end)
        group.append(item)
    if group:
        yield first, last, group


def covers_of(
    pieces: Sequence[HeldInterval], slot: ConflictKey
) -> tuple[IntervalIndex, IntervalIndex]:
    """Return an index of all pieces, and one of those that tables did not give."""
    whole = IntervalIndex(pieces)
    if not any(spares(piece.support, slot) for piece in pieces):
        return whole, whole
    return whole, IntervalIndex(piece for piece in pieces if not spares(piece.support, slot))


def limits_of(
    members: Sequence[Evidence], trust: float, slot: ConflictKey, co_stated: CoStatedValues
) -> Iterator[tuple[Evidence, int, Evidence]]:
    """Yield from when on each statement of a level gives way to newer evidence, and to which.

    Newer evidence of what runs, on the same level, takes what a statement supports; newer evidence
    of what runs or was stated whole, on its level or above, takes only what it persists in. That
    something ended says nothing of others.
    """
    newer = defaultdict[tuple[str, bool], NewerEvidence](lambda: NewerEvidence(slot, co_stated))
    deciding = [support for support in members if support.trust >= trust]
    deciding.sort(key=lambda support: -support.evidence)
    for _, group in groupby(deciding, key=lambda support: support.evidence):
        equals = list(group)
        for support in equals:
            if support.trust > trust or not support.competes:
                continue
            for kind, least in (("running", support.first), ("any", support.last + 1)):
                rival = newer[kind, spares(support, slot)].first_rival(support.line, least)
                if rival is not None:
                    yield support, max(least, rival.first), rival
        for support in (each for each in equals if each.kind != "ended"):
            runs = support.competes and support.trust == trust
            given = (False,) if spares(support, slot) else (False, True)
            for key in product(("any", "running") if runs else ("any",), given):
                newer[key].add(support)
