"""From held intervals to facts: one for each spell without a gap, with stable ids."""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from graphrag.ingest.lifetimes import Lifetime, Statement, to_moment
from graphrag.ingest.lifetimes.evidence import ClaimEvidence, ClaimKey, Evidence
from graphrag.ingest.lifetimes.intervals import HeldInterval, HeldTimeline, touching
from graphrag.model.assertion import BEGINNING, FOREVER
from graphrag.model.ids import derived_id
from graphrag.model.values import Closing
from graphrag.temporal.moment import to_micros

_BEFORE: Mapping[str | None, int] = {"ended": 0, "bounded": 1, "superseded": 2, None: 3, "past": 4}
"""Which of several endings of a stretch at one moment is stated."""


@dataclass(eq=False, slots=True)
class Spell:
    """A stretch without a gap in which a value holds."""

    line: ClaimKey
    start: int
    end: int
    pieces: list[HeldInterval]
    supports: list[Evidence] = field(default_factory=list)
    """In the order of telling."""
    id: str = ""

    @property
    def last(self) -> HeldInterval:
        """Return the piece that tells how it ends."""
        ending = (piece for piece in self.pieces if piece.end == self.end)
        return min(ending, key=lambda it: (_BEFORE[it.closed], it.by.id if it.by else ""))


def merge_intervals(account: ClaimEvidence, holdings: HeldTimeline) -> list[Spell]:
    """Return the spells of one value in order of world time, with what supports each."""
    own = ((piece.start, piece.end, piece) for piece in holdings.pieces.get(account.line, ()))
    spells = [Spell(account.line, *together) for together in touching(own)]
    supports = [each for each in account.supports if each.id not in holdings.contested]
    undated = sorted((each.first, each.id, each) for each in supports if each.kind == "was")
    if undated and (not spells or undated[0][0] <= spells[0].start):
        first = undated[0][2]
        piece = HeldInterval(first, first.first, first.first, "past", first.statement)
        past = [each for at, _, each in undated if not spells or at <= spells[0].start]
        spells.insert(0, Spell(account.line, piece.start, piece.end, [piece], past))
    starts = [spell.start for spell in spells]
    known = ((*spell.supports, *(piece.support for piece in spell.pieces)) for spell in spells)
    by_id = [{support.id: support for support in own} for own in known]
    for support in supports:
        for place in _places(support, spells, starts):
            by_id[place][support.id] = support
    for spell, supported in zip(spells, by_id, strict=True):
        spell.supports = sorted(supported.values(), key=telling)
    return spells


def _places(support: Evidence, spells: Sequence[Spell], starts: Sequence[int]) -> Iterator[int]:
    """Yield which spells a statement supports: what says nothing of any time the last one."""
    if support.kind == "silent":
        yield from range(len(spells))[-1:]
        return
    if support.kind == "was":
        yield from range(bisect_left(starts, support.first))[-1:]
        return
    place = bisect_right(starts, support.first) - 1
    if place >= 0 and support.first < spells[place].end:
        yield place
    after = bisect_right(starts, support.last)
    yield from range(place + 1, after)
    if after == place + 1 and place >= 0 and support.first == spells[place].end:
        if spells[place].last.closed == "ended":  # seen at the very moment of its end
            yield place


@dataclass(slots=True)
class Naming:
    """The spells of all values as facts."""

    statements: Mapping[str, Statement]
    """By id, in the order of telling."""
    spells: Mapping[ClaimKey, Sequence[Spell]]
    cancellations: Mapping[str, Statement]
    joins: dict[str, str] = field(default_factory=dict)
    places: dict[str, list[Spell]] = field(default_factory=lambda: defaultdict(list))
    """By the id of a statement: what it supports, in order of world time."""

    def fact_at(self, statement: Statement | None, moment: int) -> str | None:
        """Return the fact that a statement is part of, about a moment."""
        if statement is None or statement.kind == "cancelled":
            return None
        if places := self.places.get(statement.id):
            before = [spell for spell in places if spell.start <= moment]
            return (before or places[:1])[-1].id
        return None if statement.fact is None else self.joins.get(statement.fact, statement.fact)

    def spell_at(self, line: ClaimKey, moment: int) -> Spell | None:
        """Return the spell of a value at a moment."""
        spells = self.spells.get(line, ())
        place = bisect_right(spells, moment, key=lambda spell: spell.start) - 1
        return spells[place] if place >= 0 and moment < spells[place].end else None

    def lifetimes(self, holdings: HeldTimeline) -> tuple[Lifetime, ...]:
        """Return the lifetime of every fact."""
        spells = [spell for own in self.spells.values() for spell in own]
        ids = {spell.id for spell in spells}
        return *(self._lifetime(spell, holdings) for spell in spells), *self._nowhere(ids, holdings)

    def _lifetime(self, spell: Spell, holdings: HeldTimeline) -> Lifetime:
        first, last = spell.supports[0].statement, spell.last
        by, ruling = self._closer(spell, last, holdings)
        stated = any(each.stated and each.first == spell.start for each in spell.supports)
        start = BEGINNING if last.closed == "past" else spell.start
        return Lifetime(
            spell.id,
            first.subject,
            first.relation,
            first.object,
            to_moment(start),
            to_moment(spell.end),
            observed=start > BEGINNING and not stated,
            closed_as=last.closed if spell.end < FOREVER else None,
            closed_by=last.by.id if last.by is not None and spell.end < FOREVER else None,
            invalidated_by=by,
            ruling=ruling,
            reason=_reason(last) if spell.end < FOREVER else None,
            statements=tuple(each.id for each in spell.supports),
            confidence=max(each.statement.confidence for each in spell.supports),
        )

    def _closer(
        self, spell: Spell, last: HeldInterval, holdings: HeldTimeline
    ) -> tuple[str | None, str | None]:
        """Return the fact that another one gave way to, or the event that ended it; the ruling."""
        if spell.end == FOREVER or last.by is None:
            return None, None
        by = self.fact_at(last.by, spell.end)
        if last.closed == "superseded":
            holder = holdings.holder(last.support, spell.end)
            if rival := holder and self.spell_at(holder.line, spell.end):
                return rival.id, holdings.ruling(spell.line, rival.line)
            return by, holdings.ruling(spell.line, holdings.lines.get(last.by.id))
        own = by == spell.id or any(each.statement is last.by for each in spell.supports)
        return None if own else by, None

    def _nowhere(self, ids: set[str], holdings: HeldTimeline) -> Iterator[Lifetime]:
        rows: dict[str, list[Statement]] = defaultdict(list)
        for statement in self.statements.values():
            id_, says = statement.fact, statement.object and statement.kind != "cancelled"
            if id_ is not None and says and id_ not in ids and id_ not in self.joins:
                rows[id_].append(statement)
        for id_, statements in rows.items():
            standing = [statement for statement in statements if statement.void is None]
            # A correction falls after what it puts right.
            last = [each for each in statements if each.void == statements[-1].void]
            first = (standing or last)[0]
            closed, by, reason = self._why(first, holdings)
            lines = (holdings.lines.get(each.id) for each in (first, by) if each is not None)
            moment = first.since.moment if first.since else first.at
            start, end = _as_stated(first)
            for each in () if standing else last:
                if each.ends and each.until:
                    end = end or to_moment(each.until.start)
            yield Lifetime(
                id_,
                first.subject,
                first.relation,
                first.object,
                start,
                end,
                observed=start is not None and first.since is None,
                closed_as=closed,
                closed_by=None if by is None else by.id,
                invalidated_by=self.fact_at(by, to_micros(moment, BEGINNING)),
                ruling=holdings.ruling(next(lines), next(lines, None)),
                reason=reason,
                statements=tuple(statement.id for statement in standing),
                confidence=max(statement.confidence for statement in statements),
            )

    def _why(
        self, statement: Statement, holdings: HeldTimeline
    ) -> tuple[Closing, Statement | None, str | None]:
        """Return why a statement holds nowhere, and by which other one."""
        if (void := statement.void) is not None:
            return void.closed_as, self.statements.get(void.by or ""), void.reason or void.closed_as
        if by := self.cancellations.get(statement.id):
            return "cancelled", by, f"cancelled: {by.words}"
        winner, why = holdings.winners.get(statement.id), holdings.why.get(statement.id)
        if winner is not None and why is None:
            trusted = winner.trust > statement.trust
            how = "a more trusted source says" if trusted else "replaced by"
            why = f"{how}: {winner.words}"
        return "overruled", winner, why


def name_spells(
    statements: Mapping[str, Statement],
    spells: Mapping[ClaimKey, Sequence[Spell]],
    cancellations: Mapping[str, Statement],
) -> Naming:
    """Give each spell the fact of its first statement, or a new one.

    A fact goes where the first of its statements stands that stands anywhere, to the earliest such
    stretch. Of several facts in one stretch the one stated first has it, and the others are joined.
    """
    naming = Naming(statements, spells, cancellations)
    every = [spell for own in spells.values() for spell in own]
    for spell in every:
        for support in spell.supports:
            naming.places[support.id].append(spell)
    placed: set[str] = set()
    for statement in statements.values():
        if statement.fact is None or statement.fact in placed or statement.id not in naming.places:
            continue
        placed.add(statement.fact)
        its = naming.places[statement.id]
        if free := next((spell for spell in its if not spell.id), None):
            free.id = statement.fact
        else:
            naming.joins[statement.fact] = its[0].id
    homes, further = {statement.fact for statement in statements.values()}, Counter[str]()
    for spell in every:
        if not spell.id:
            first = spell.supports[0].statement
            number = further[first.id]
            own = number == 0 and first.id not in homes
            spell.id = first.id if own else derived_id(first.id, str(number))
            further[first.id] += 1
    return naming


def telling(support: Evidence) -> tuple[int, str]:
    """Return when a statement was stated, to sort by."""
    return support.statement.seq, support.id


def _as_stated(statement: Statement) -> tuple[datetime | None, datetime | None]:
    """Return the ends that a statement gives a fact."""
    end = statement.until.moment if statement.until else None
    if statement.since is not None:
        return statement.since.moment, end
    if statement.kind == "was" or end:
        return None, end or statement.at
    return statement.at, None


def _reason(piece: HeldInterval) -> str | None:
    if piece.by is None or piece.why:
        return piece.why or None
    how = "stated with its end" if piece.closed == "bounded" else "ended"
    if piece.closed == "superseded":
        how = "ended by"
    elif piece.support.kind == "event":
        how = "happened then"
    elif piece.by.kind == "was" and piece.by.until is None:
        how = "over when it was stated"
    return f"{how}: {piece.by.words}"
