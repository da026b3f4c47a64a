"""Standing rules over time: one pass over the moments at which anything begins or ends.

What holds at a moment, and what rules end then, follows from it and earlier ones, so the order of
telling has no part in it and every rule set comes to an end.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import chain, islice

from graphrag.ingest.lifetimes.evidence import ClaimKey
from graphrag.ingest.standing import RuleClause
from graphrag.ingest.standing.ground import GroundRules, Instance
from graphrag.model.assertion import BEGINNING, FOREVER

_WAYS = 8
"""Ways in which one line follows that are kept: enough to tell why."""


@dataclass(eq=False, slots=True)
class Cut:
    """Where a rule ends a stretch."""

    moment: int
    clause: RuleClause
    by: ClaimKey | None = None
    """What began, or was over; None if there never was any support."""


@dataclass(eq=False, slots=True)
class Stretch:
    """A stretch of a line, as it was said."""

    start: int
    end: int
    last: int
    """Its newest evidence: what is older than that does not end it."""
    loose: bool
    """Whether a rule may end it."""
    trust: float = 0.0
    """What begins ends nothing that is trusted more."""
    begins: bool = True
    """False if only its end was said: that it was so until then does not begin anything."""
    cut: Cut | None = None

    def holds(self, moment: int) -> bool:
        """Tell whether it holds at a moment."""
        end = self.end if self.cut is None else self.cut.moment
        return self.start <= moment < end


@dataclass(eq=False, slots=True)
class Inferred:
    """A stretch in which a line follows from others."""

    line: ClaimKey
    start: int
    end: int = FOREVER
    clause: RuleClause | None = None
    by: ClaimKey | None = None
    """What was said, or is over, so that it does not; the line itself if that was said."""
    ways: dict[tuple[Instance, int], None] = field(default_factory=dict)
    """The first few ways in which it follows, at each moment at which those may change."""


@dataclass(slots=True)
class Sweep:
    """What holds, moment by moment."""

    ground: GroundRules
    level: Mapping[str, int]
    said: Mapping[ClaimKey, Sequence[Stretch]]
    beside: Mapping[ClaimKey, Sequence[tuple[int, int]]]
    """When lines hold that were inferred before and are not worked out here."""
    spells: list[Inferred] = field(default_factory=list)
    _stated: set[ClaimKey] = field(default_factory=set)
    _fixed: set[ClaimKey] = field(default_factory=set)
    _inferred: set[ClaimKey] = field(default_factory=set)
    _before: set[ClaimKey] = field(default_factory=set)
    """Inferred lines that may follow no longer from the current moment."""
    _unsupported: list[tuple[Cut, tuple[tuple[ClaimKey, ...], ...]]] = field(default_factory=list)
    """Cuts of the current moment for want of support, with what would have been support."""
    _fired: set[ClaimKey] = field(default_factory=set)
    """Lines that end others at the current moment by their beginning."""
    _moments: defaultdict[int, set[ClaimKey]] = field(default_factory=lambda: defaultdict(set))
    _agenda: list[int] = field(default_factory=list)
    _now: int = BEGINNING
    _open: dict[ClaimKey, Inferred] = field(default_factory=dict)
    _supported: set[tuple[ClaimKey, int]] = field(default_factory=set)
    _levels: tuple[int, ...] = ()
    _makes: dict[ClaimKey, set[ClaimKey]] = field(default_factory=lambda: defaultdict(set))
    _supports: dict[ClaimKey, set[ClaimKey]] = field(default_factory=lambda: defaultdict(set))

    def run(self) -> None:
        """Cut what was said, and find what follows."""
        for head, instances in self.ground.derives.items():
            for instance in instances:
                for line in (*instance.body, *instance.unless):
                    self._makes[line].add(head)
        for line, rules in self.ground.needs.items():
            for _, ways in rules:
                for support in (support for way in ways for support in way):
                    self._supports[support].add(line)
        self._levels = tuple(sorted({self.level.get(line[0], 0) for line in self.ground.needs}))
        moments = self._moments
        for line in dict.fromkeys(self.ground.said()):
            for stretch in self.said.get(line, ()):
                moments[stretch.start].add(line)
                moments[stretch.end].add(line)
                if line in self.ground.needs and stretch.loose:
                    moments[max(stretch.start, stretch.last)].add(line)
            for moment in chain.from_iterable(self.beside.get(line, ())):
                moments[moment].add(line)
        self._agenda = sorted(moment for moment in moments if moment < FOREVER)
        while self._agenda:
            moment = heappop(self._agenda)
            self._pass(moment, moments[moment])

    def _pass(self, moment: int, lines: Iterable[ClaimKey]) -> None:
        """Work out what holds from a moment on, given what may change then."""
        begun, over, asked = [], set[ClaimKey](), set[ClaimKey]()
        self._now = moment
        for line in sorted(lines):
            there, holds = line in self._stated, self._holds(line, moment)
            if holds and not there:
                self._stated.add(line)
                begun.append(line)
            elif there and not holds:
                self._stated.discard(line)
                over.add(line)
            asked.add(line)
            if any(start <= moment < end for start, end in self.beside.get(line, ())):
                self._fixed.add(line)
            elif line in self._fixed:
                self._fixed.discard(line)
                over.add(line)
        self._before.clear()
        self._fired.clear()
        self._unsupported.clear()
        touched = self._settle(asked, moment, over)
        ended = set[ClaimKey]()
        for trigger in begun if moment > BEGINNING else ():
            began = [
                held.trust for held in self.said[trigger] if held.begins and held.holds(moment)
            ]
            if trigger not in self._stated or not began:  # it never held
                continue
            for clause, line in self.ground.ends.get(trigger, ()):
                self._fired.add(trigger)
                if self._cut(line, Cut(moment, clause, trigger), max(began)):
                    ended.add(line)
        if ended:
            over |= ended - self._stated
            touched |= self._settle(ended, moment, over)
            asked |= ended
        for cut, ways in self._unsupported:
            lines = sorted({line for way in ways for line in way if not self._true(line)})
            cut.by = next((line for line in lines if line in over or line in self._before), None)
        for head in sorted(touched | (asked & self.ground.derives.keys())):
            self._note(head, moment)

    def _settle(self, asked: set[ClaimKey], moment: int, over: set[ClaimKey]) -> set[ClaimKey]:
        """Work out what follows from what is new, and what is supported no more."""
        touched = self._infer(asked)
        asked |= touched
        for level in self._levels:
            touched |= self._support(level, asked, moment, over)
        return touched

    def _support(
        self, level: int, asked: set[ClaimKey], moment: int, over: set[ClaimKey]
    ) -> set[ClaimKey]:
        """Let lines of a level go that nothing supports, until all that are left are supported."""
        touched = set[ClaimKey]()
        news = set(asked)
        while news:
            doubted = news.union(*(self._supports.get(line, ()) for line in news))
            news = set()
            gone = [
                (line, clause, ways)
                for line in sorted(doubted & self._stated)
                if self.level.get(line[0], 0) == level
                for clause, ways in self.ground.needs.get(line, ())
                if not self._is_supported(line, clause, ways, moment)
            ]
            for line, clause, ways in gone:
                # What ended others by its beginning did begin, if only for a moment.
                cut = Cut(moment + (line in self._fired), clause)
                if self._cut(line, cut):
                    self._unsupported.append((cut, ways))
                    if cut.moment > moment:
                        if cut.moment not in self._moments:
                            heappush(self._agenda, cut.moment)
                        self._moments[cut.moment].add(line)
                        continue
                    news.add(line)
                    over.add(line)
            if news:
                inferred = self._infer(news)
                news |= inferred
                touched |= inferred
                asked |= news
        return touched

    def _is_supported(
        self, line: ClaimKey, clause: RuleClause, ways: Iterable[tuple[ClaimKey, ...]], moment: int
    ) -> bool:
        mark = line, clause.number
        if any(all(map(self._true, way)) for way in ways):
            self._supported.add(mark)
            return True
        unknown = all(held.start == BEGINNING for held in self.said[line] if held.holds(moment))
        return unknown and mark not in self._supported

    def _infer(self, news: Iterable[ClaimKey]) -> set[ClaimKey]:
        """Work out anew what follows from what is new, and return that."""
        affected, queue = set[ClaimKey](), list(news)
        for line in queue:
            fresh = self._makes.get(line, set()) - affected
            affected |= fresh
            queue += fresh
        self._before |= affected & self._inferred
        self._inferred -= affected
        waiting, derives = affected, self.ground.derives
        while new := {head for head in waiting if any(map(self._follows, derives[head]))}:
            self._inferred |= new
            waiting = waiting - new
        return affected

    def _follows(self, instance: Instance) -> bool:
        return all(map(self._true, instance.body)) and self._stated.isdisjoint(instance.unless)

    def _true(self, line: ClaimKey) -> bool:
        return line in self._stated or line in self._inferred or line in self._fixed

    def _holds(self, line: ClaimKey, moment: int) -> bool:
        return any(stretch.holds(moment) for stretch in self.said.get(line, ()))

    def _cut(self, line: ClaimKey, cut: Cut, trust: float | None = None) -> bool:
        """End what holds of a line, as far as it is no newer; tell whether that ended anything.

        With the trust of what begins then: what began before that, and is not trusted more.
        """
        moment = cut.moment
        ended = [
            stretch
            for stretch in self.said.get(line, ())
            if stretch.loose and stretch.cut is None
            if stretch.last <= moment and stretch.start <= moment < stretch.end
            if trust is None or (stretch.start < moment and stretch.trust <= trust)
        ]
        for stretch in ended:
            stretch.cut = cut
        if ended and not self._holds(line, self._now):
            self._stated.discard(line)
        return bool(ended)

    def _note(self, head: ClaimKey, moment: int) -> None:
        """Begin, go on or end the stretch in which a line follows and nobody says so."""
        spell = self._open.get(head)
        if head in self._inferred and head not in self._stated:
            if spell is None:
                spell = self._open[head] = Inferred(head, moment)
                self.spells.append(spell)
            ways = filter(self._follows, self.ground.derives[head])
            spell.ways |= {(way, moment): None for way in islice(ways, _WAYS)}
        elif spell is not None:
            at = next(reversed(spell.ways))[1]
            last = [way for way, since in spell.ways if since == at]
            spell.by = head if head in self._stated else self._lost(last)
            spell.end, spell.clause = moment, last[0].clause
            del self._open[head]

    def _lost(self, ways: Sequence[Instance]) -> ClaimKey | None:
        """Return what was said, or is over, so that nothing follows any longer in these ways."""
        over = sorted({line for way in ways for line in way.body if not self._true(line)})
        said = sorted(self._stated.intersection(chain.from_iterable(way.unless for way in ways)))
        return next(iter((*said, *over)), None)
