"""A question as read by grammar, resolved on the graph into a typed query.

Its main clause is a pattern of facts; its operation, its times and its other clauses limit them.
"""

import re
from dataclasses import dataclass, replace
from itertools import chain
from typing import Final

from graphrag.ask.clause import Clause, Condition, Frame, shape_of
from graphrag.ask.division import states
from graphrag.ask.facts import DATES, Solution, edge_point, matching
from graphrag.ask.parse import EDGES, ENDING
from graphrag.ask.patterns import NotUnderstood, Patterns
from graphrag.ask.query import Bound, Edge, Named, Order, Query
from graphrag.ask.senses import akin, best, stems_of
from graphrag.ask.wording import stem_of
from graphrag.ask.world import CannotAnswer, FactRow, World, bounds_of
from graphrag.index.group import BEGINNING
from graphrag.search.query_time import Said
from graphrag.temporal.dates import MONTHS
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import from_micros

_NOUN: Final = ("the", "a", "an", "to", "its", "his", "her", "their", "'s")


@dataclass(frozen=True)
class Resolver:
    """One question over one world."""

    frame: Frame
    world: World
    patterns: Patterns

    def query(self) -> Query:
        """Return the question as a query."""
        frame, main = self.frame, self.frame.main
        if frame.unread:
            raise NotUnderstood(f"not understood: {', '.join(frame.unread)}")
        vague = main.during if frame.wants in ("age", "which") else frame.known
        if vague is not None and _is_yearless(vague):
            raise CannotAnswer(f"“{vague.words}” is of every year: say which")
        if frame.wants == "age":
            return replace(self._age(), words=frame.text)
        pattern = self._main()
        bounds = tuple(self._bound(condition, pattern) for condition in frame.conditions)
        edge = self._edge(main, pattern)
        if frame.wants in DATES and not frame.ago:
            over = edge == "end" or not {"over", "ended"}.isdisjoint(main.words)
            edge = "end" if over else None
        stated = frame.wants == "entities" and pattern.subject and pattern.object
        wants = "whether" if stated and states(main) else frame.wants
        query = replace(
            pattern,
            wants=wants,
            order=pattern.order or self._order(pattern),
            bounds=bounds,
            edge=edge,
            unit=frame.unit,
            without=frame.without,
            among=frame.among,
            ago=frame.ago,
            known_at=frame.known_at,
            words=frame.text,
        )
        if query.order and (wants == "whether" or (edge == "end" and wants == "entities")):
            ends = "in the order of their ends"
            raise NotUnderstood(f"not understood: {query.order if wants == 'whether' else ends}")
        if frame.apart is not None:
            other = replace(self.patterns.of(frame.apart), order=frame.apart.order)
            shared = pattern.object == other.object and not main.order
            shared = shared and not all(map(self.world.momentary, pattern.relations))
            return replace(query, apart=other, edge="end" if frame.from_end or shared else None)
        return self._timed(query)

    def _order(self, pattern: Query) -> Order | None:
        """Return which of several facts is asked for, if that is not said of an inner hop."""
        inner = [end for end in (pattern.subject, pattern.object) if isinstance(end, Query)]
        length = self.frame.wants == "how long" and not self.frame.apart
        return None if length or any(end.order for end in inner) else self.frame.main.order

    def _main(self) -> Query:
        main, prefer = self.frame.main, ""
        if self.frame.among:
            if not main.names:
                own, other = (self.world.rows(self.world.rows_of(n)) for n in self.frame.among)
                shared = {row.relation for row in other}
                top = best(main, [row for row in own if row.relation in shared], self.world)
                if len(top) == 1 and (top[0].places or not main.content):
                    return Query(relation=top[0].relation)
            if len(main.names) != 1:
                raise CannotAnswer(f"“{main}” does not say of whom")
            pair, [owner] = self.patterns.pair(main, main.names[0], self.frame.among[0]), main.names
            ahead = isinstance(pair.subject, Named) and {*pair.subject.ids} <= {*owner.ids}
            return replace(pair, object=None) if ahead else replace(pair, subject=None)
        for condition in self.frame.conditions:
            if len(condition.clause.names) == 1 and main.names:
                # "Before the Alpine Club": the relation that leads there is meant.
                rows = self.patterns.between(main.names[0], condition.clause.names[0])
                top = best(main, rows, self.world)
                prefer = prefer or (top[0].relation if top else "")
        denied = self.frame.wants == "whether"
        return self.patterns.of(main, prefer=prefer, denied=denied)

    def _timed(self, query: Query) -> Query:
        frame, during = self.frame, self.frame.main.during
        if during is not None:
            if _is_yearless(during):
                during = _in_its_year(during, query, self.world)
            nested = any(isinstance(end, Query) for end in (query.subject, query.object))
            if nested and any(akin("birth death", name) for name in query.relations):
                # "Where did the owner of A in 1970 die" asks who owned it then.
                return replace(_within(query, during.interval), interval=None)
            return _within(query, during.interval)
        timeless = any(self.world.relations[name].timeless for name in query.relations)
        timed = query.bounds or any(condition.clause.during for condition in frame.conditions)
        if frame.holds or (timeless and not query.bounds):
            return replace(query, holds=frame.holds or "now")
        ended = query.edge == "end" and not timed and query.wants not in DATES
        return replace(query, holds="ended" if ended else "")

    def _bound(self, condition: Condition, main: Query) -> Bound:
        clause, owners = condition.clause, self.frame.main.names
        content = [word for word in clause.content if stem_of(word) not in EDGES]
        query = None
        if len(clause.names) == 1 and owners and clause.names[0] not in owners:
            [name] = clause.names
            near = [owner for owner in owners if self.patterns.between(owner, name)] or [owners[0]]
            try:
                prefer = "" if content or not main.relations else main.relations[0]
                query = self.patterns.pair(clause, near[0], name, prefer=prefer)
            except CannotAnswer:
                if not clause.content:
                    raise
        query = query or self.patterns.of(clause)
        edge, during = self._edge(clause, query), clause.during
        if during is not None and _is_yearless(during):
            during = _in_its_year(during, query, self.world)
        interval = None if during is None else during.interval
        query = replace(query, order=clause.order, edge=edge, interval=interval)
        return Bound(condition.link, query, condition.nearest)

    def _edge(self, clause: Clause, query: Query) -> Edge | None:
        """Return which end of facts a clause speaks of, by words that are not of the relation."""
        same = chain.from_iterable(map(self.world.relations.same, query.relations))
        own = {stem for name in same for stem in stems_of(name)}
        edge: Edge | None = None
        leads = ("", *(token.word for token in clause.tokens))
        for lead, token in zip(leads, clause.tokens, strict=False):
            stem = stem_of(token.word)
            if stem in EDGES and lead not in _NOUN and stem not in own:
                if stem in ENDING:
                    return "end"
                edge = "start"
        return edge

    def _age(self) -> Query:
        """Return the birth of who is asked about, and what says at which moment."""
        clause, world = self.frame.main, self.world
        if not clause.names or re.search(r"E 's (?!age\b)", shape_of(clause.tokens)):
            raise CannotAnswer(f"“{clause}” does not say whose age is asked")
        owner = clause.names[0]
        rest = Clause(tuple(token for token in clause.tokens if token.word not in ("old", "age")))
        bounds = tuple(self._bound(condition, Query(owner)) for condition in self.frame.conditions)
        if rest.content or len(rest.names) > 1:  # "at what age did A marry B"
            bounds = (Bound("while", self.patterns.of(rest)),)
        interval = None if clause.during is None else clause.during.interval
        ends = world.rows_of(owner)
        own = [row for row in world.rows(ends) if row.subject in ends]
        rows = [row for row in own if row.relation != "has_birthday"]  # of no year
        if birth := next((row for row in rows if akin("birth", row.relation)), None):
            return Query(owner, birth.relation, wants="age", bounds=bounds, interval=interval)
        if any(row.relation == "has_age" for row in rows) and not bounds and not interval:
            return Query(owner, "has_age", holds="now")
        raise CannotAnswer(f"no birthday is known of {owner.name}")


def _within(query: Query, interval: Interval) -> Query:
    """Return a query of a time, and those inside it of the same time."""
    subject, object_ = (
        _within(end, interval) if isinstance(end, Query) else end
        for end in (query.subject, query.object)
    )
    return replace(query, subject=subject, object=object_, interval=interval)


_NAMED: Final = 8
"""Years that are listed; of more only the first and the last."""
_MONTH: Final = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b")
_YEAR: Final = re.compile(r"\d{4}|['’]\d\d|\b(?:last|next|this|past|coming|previous|ago)\b")


def _is_yearless(said: Said) -> bool:
    """Tell whether a time is a day or month of any year."""
    words = said.words.casefold()
    return _MONTH.search(words) is not None and _YEAR.search(words) is None


def _in_its_year(said: Said, query: Query, world: World) -> Said:
    """Return a time in the one year in which the facts of a query have it."""
    rows = matching(query, world, Solution())
    found: dict[int, Said] = {}
    for year in sorted({year for row in rows for year in _years(row, world)}):
        if (then := _moved(said, year)) is None:
            continue
        start, end = bounds_of(then.interval)
        points = [edge_point(row, query.edge) for row in rows if query.edge]
        meets = not points and any(row.meets(start, end) for row in rows)
        if meets or any(start <= at < end for at in points):
            found[year] = then
    if not found and query.wants == "whether" and rows:
        return _moved(said, from_micros(rows[-1].start).year) or said
    if not found:
        raise CannotAnswer(f"no fact fits: none in {said.words!r} of any year")
    if len(found) > 1:
        listed = len(found) <= _NAMED
        years = ", ".join(map(str, found)) if listed else f"{min(found)} to {max(found)}"
        raise CannotAnswer(f"“{said.words}” may be of several years: {years}; say which")
    return next(iter(found.values()))


def _years(row: FactRow, world: World) -> range:
    """Return the years in which a fact held; of an unknown beginning the last three."""
    last = from_micros(min(row.end, max(world.now, row.start + 1)) - 1).year
    first = last - 2 if row.start == BEGINNING else from_micros(row.start).year
    return range(first, last + 1)


def _moved(said: Said, year: int) -> Said | None:
    """Return a time in another year; None if that has no such day."""
    ends = said.interval.start, said.interval.end
    own = next((end.year for end in ends if end), year)
    try:
        start, end = (end and end.replace(year=end.year + year - own) for end in ends)
    except ValueError:
        return None
    return replace(said, words=f"{said.words} {year}", interval=Interval(start, end))
