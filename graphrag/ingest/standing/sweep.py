"""Standing rules over time: one pass over the moments at which anything begins or ends.

What holds at a moment, and what rules end then, follows from the moment and those before it; so
the order of telling has no part in it, and every rule set comes to an end.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from graphrag.ingest.lifetimes.support import Line
from graphrag.ingest.standing.ground import Ground, Instance
from graphrag.ingest.standing.program import Clause
from graphrag.model.assertion import BEGINNING, FOREVER


@dataclass(frozen=True, slots=True)
class Cut:
    """Where a rule ends a stretch."""

    moment: int
    clause: Clause
    by: Line | None
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
    cut: Cut | None = None

    def holds(self, moment: int) -> bool:
        """Tell whether it holds at a moment."""
        end = self.end if self.cut is None else self.cut.moment
        return self.start <= moment < end


@dataclass(eq=False, slots=True)
class Inferred:
    """A stretch in which a line follows from others."""

    line: Line
    start: int
    first: Instance
    """How it follows at the start."""
    end: int = FOREVER
    by: Line | None = None
    """What was said, or is over, so that it follows no longer."""
    ways: dict[tuple[Instance, int], None] = field(default_factory=dict)
    """Each way in which it was seen to follow, with a moment."""


@dataclass(slots=True)
class Sweep:
    """What holds, moment by moment."""

    ground: Ground
    level: Mapping[str, int]
    said: Mapping[Line, Sequence[Stretch]]
    beside: Mapping[Line, Sequence[tuple[int, int]]]
    """When lines hold that were inferred before and are not worked out here."""
    spells: list[Inferred] = field(default_factory=list)
    _told: set[Line] = field(default_factory=set)
    _fixed: set[Line] = field(default_factory=set)
    _why: dict[Line, Instance] = field(default_factory=dict)
    """Lines that follow now, each with one way in which they do."""
    _before: dict[Line, Instance] = field(default_factory=dict)
    """The same of those that may follow no longer, from the moment that is looked at."""
    _open: dict[Line, Inferred] = field(default_factory=dict)
    _supported: set[tuple[Line, int]] = field(default_factory=set)
    _levels: tuple[int, ...] = ()
    _makes: dict[Line, set[Line]] = field(default_factory=lambda: defaultdict(set))
    _supports: dict[Line, set[Line]] = field(default_factory=lambda: defaultdict(set))

    def run(self) -> None:
        """Cut what was said, and find what follows."""
        for head, instances in self.ground.derives.items():
            for instance in instances:
                for line in (*instance.body, *instance.unless):
                    self._makes[line].add(head)
        for line, rules in self.ground.needs.items():
            for _, ways in rules:
                for one in (one for way in ways for one in way):
                    self._supports[one].add(line)
        self._levels = tuple(sorted({self.level.get(line[0], 0) for line in self.ground.needs}))
        moments: dict[int, set[Line]] = defaultdict(set)
        for line in dict.fromkeys(self.ground.said()):
            for stretch in self.said.get(line, ()):
                moments[stretch.start].add(line)
                moments[stretch.end].add(line)
                if line in self.ground.needs and stretch.loose:
                    moments[max(stretch.start, stretch.last)].add(line)
            for start, end in self.beside.get(line, ()):
                moments[start].add(line)
                moments[end].add(line)
        for moment in sorted(moments):
            if moment < FOREVER:
                self._pass(moment, moments[moment])

    def _pass(self, moment: int, lines: Iterable[Line]) -> None:
        """Work out what holds from a moment on, given what may change then."""
        begun, over, asked = [], set[Line](), set[Line]()
        for line in sorted(lines):
            there, holds = line in self._told, self._holds(line, moment)
            if holds and not there:
                self._told.add(line)
                begun.append(line)
            elif there and not holds:
                self._told.discard(line)
                over.add(line)
            asked.add(line)
            fixed = any(start <= moment < end for start, end in self.beside.get(line, ()))
            (self._fixed.add if fixed else self._fixed.discard)(line)
        if moment > BEGINNING:
            for trigger in begun:
                for clause, line in self.ground.ends.get(trigger, ()):
                    if self._cut(line, moment, clause, trigger, strictly=True):
                        asked.add(line)
                        if line not in self._told:
                            over.add(line)
        self._before.clear()
        touched = self._infer(asked)
        asked |= touched
        for level in self._levels:
            touched |= self._support(level, asked, moment, over)
        for head in sorted(touched):
            self._note(head, moment)

    def _support(self, level: int, asked: set[Line], moment: int, over: set[Line]) -> set[Line]:
        """Let lines of a level go that nothing supports, until all that are left are supported."""
        touched = set[Line]()
        news = set(asked)
        while news:
            doubted = {line for one in news for line in self._supports.get(one, ())} | news
            news = set()
            gone = [
                (line, clause, ways)
                for line in sorted(doubted)
                if line in self._told and self.level.get(line[0], 0) == level
                for clause, ways in self.ground.needs.get(line, ())
                if not self._is_supported(line, clause, ways, moment)
            ]
            causes = [self._cause(ways, over) for _, _, ways in gone]
            for (line, clause, _), cause in zip(gone, causes, strict=True):
                if self._cut(line, moment, clause, cause, strictly=False):
                    news.add(line)
                    over.add(line)
            if news:
                found = self._infer(news)
                news |= found
                touched |= found
                asked |= news
        return touched

    def _is_supported(
        self, line: Line, clause: Clause, ways: Iterable[tuple[Line, ...]], moment: int
    ) -> bool:
        mark = line, clause.number
        if any(all(map(self._true, way)) for way in ways):
            self._supported.add(mark)
            return True
        unknown = all(one.start == BEGINNING for one in self.said[line] if one.holds(moment))
        return unknown and mark not in self._supported

    def _infer(self, news: Iterable[Line]) -> set[Line]:
        """Work out anew what follows from what is new, and return that."""
        affected = set[Line]()
        queue = list(news)
        for line in queue:
            for head in self._makes.get(line, ()):
                if head not in affected:
                    affected.add(head)
                    queue.append(head)
        for head in affected:
            if (way := self._why.pop(head, None)) is not None:
                self._before.setdefault(head, way)
        waiting = sorted(affected)
        while waiting:
            left = []
            for head in waiting:
                way = next((one for one in self.ground.derives[head] if self._follows(one)), None)
                if way is None:
                    left.append(head)
                else:
                    self._why[head] = way
            if len(left) == len(waiting):
                break
            waiting = left
        return affected

    def _follows(self, instance: Instance) -> bool:
        return all(map(self._true, instance.body)) and self._told.isdisjoint(instance.unless)

    def _true(self, line: Line) -> bool:
        return line in self._told or line in self._why or line in self._fixed

    def _holds(self, line: Line, moment: int) -> bool:
        return any(stretch.holds(moment) for stretch in self.said.get(line, ()))

    def _cut(
        self, line: Line, moment: int, clause: Clause, by: Line | None, *, strictly: bool
    ) -> bool:
        """End what holds of a line, as far as it is no newer; tell whether that ended anything."""
        found = False
        for stretch in self.said.get(line, ()):
            started = stretch.start < moment if strictly else stretch.start <= moment
            if stretch.loose and started and stretch.last <= moment and stretch.holds(moment):
                stretch.cut = Cut(moment, clause, by)
                found = True
        if found and not self._holds(line, moment):
            self._told.discard(line)
        return found

    def _note(self, head: Line, moment: int) -> None:
        """Begin, go on or end the stretch in which a line follows."""
        way, spell = self._why.get(head), self._open.get(head)
        if way is not None:
            if spell is None:
                spell = self._open[head] = Inferred(head, moment, way)
                self.spells.append(spell)
            spell.ways[way, moment] = None
        elif spell is not None:
            spell.end, spell.by = moment, self._lost(head)
            del self._open[head]

    def _cause(self, ways: Iterable[tuple[Line, ...]], over: set[Line]) -> Line | None:
        """Return what was said of which the end, or the beginning, took the support away."""
        lines = sorted({line for way in ways for line in way if not self._true(line)})
        for line in lines:
            if line in over:
                return line
        return next((found for line in lines if (found := self._lost(line))), None)

    def _lost(self, head: Line) -> Line | None:
        """Return what was said, or is over, so that an inferred line follows no longer."""
        met = {head}
        while (way := self._before.get(head)) is not None:
            if said := sorted(self._told.intersection(way.unless)):
                return said[0]
            gone = [line for line in way.body if not self._true(line)]
            if not gone or gone[0] in met:
                return None
            head = gone[0]
            met.add(head)
        return head if head in self.said else None
