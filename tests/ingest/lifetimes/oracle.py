"""What holds at a moment, by brute force: the rules as they are written, one moment at a time.

Nothing here is shared with the code under test but the statements and what relations declare. A
grid of moments has every one at which anything can change, so each stands for all up to the next.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from graphrag.model.assertion import Date

TICK = timedelta(microseconds=1)
EVER, NEVER = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
FINENESS = ["year", "month", "day", "exact"]


@dataclass(eq=False)
class Said:
    """A statement that stands, and the moments for which it is evidence."""

    statement: object
    value: tuple
    kind: str
    first: datetime
    last: datetime

    @property
    def trust(self):
        return self.statement.trust

    @property
    def runs(self):
        return self.kind in ("running", "ended")

    @property
    def excludes(self):
        """That something ended says nothing of others."""
        return self.kind in ("running", "bounded")

    @property
    def evidence(self):
        return self.first if self.kind == "bounded" else self.last

    def supports(self, t):
        return self.first <= t <= self.last


class Oracle:
    def __init__(self, statements, relations, rulings=()):
        self.relations = relations
        standing = [one for one in statements if one.void is None]
        self.off = {
            one.id
            for one in standing
            if self.is_cancelled(one, standing) or self.is_moved(one, standing)
        }
        standing = [one for one in standing if one.id not in self.off and one.kind != "cancelled"]
        put_off = [one.id for one in standing if self.is_put_off(one, standing)]
        standing = [replace(one, until=None) if one.id in put_off else one for one in standing]
        self.standing = spoken = standing
        self.standing = standing = [one for one in spoken if not self.is_silent(one)]
        self.said, self.ends = [], []
        for one in standing:
            self.read(one)
        self.cut()
        value = {one.id: self.value(one) for one in spoken}
        self.ruled = [{value[id_] for id_ in one.statements if id_ in value} for one in rulings]
        self.read_co_stated()
        self.grid = self.moments()
        self.memo = {}
        self.doubted, self.later = set(), set()
        self.believe()
        self.filled, self.reached = ([set() for _ in self.grid] for _ in range(2))
        self.fill()

    # -- what was said

    def value(self, one):
        name, turned = self.relations.canonical(one.relation)
        ends = (one.object, one.subject) if turned else (one.subject, one.object)
        if self.relations[name].symmetric and "" not in ends:
            ends = tuple(sorted(ends))
        return name, *ends

    def is_plan(self, one):
        if one.kind == "planned":
            return True
        if one.kind not in ("state", "event") or one.since is None or one.at is None:
            return False
        return one.since.moment > one.at

    def is_ahead(self, plan, at):
        """In March, what is planned for March is still ahead."""
        start, end = self.period(plan.since)
        return at < max(start, end - TICK)

    def is_moved(self, plan, standing):
        """A newer plan of the same gives another date, or a report tells when it came to be."""
        if not self.is_plan(plan):
            return False
        mine = self.value(plan)
        others = [one for one in standing if self.value(one) == mine and one.trust >= plan.trust]
        for other in others:
            if other.since is None or other.kind == "timeless" or not self.other_date(plan, other):
                continue
            if self.is_plan(other):
                later = other.at is not None and (plan.at is None or plan.at < other.at)
                low, high = sorted((plan.since.moment, other.since.moment))
                words = (self.first_word(one) for one in others if not self.is_plan(one))
                parted = any(low <= moment < high for moment in words if moment)
                if later and self.is_ahead(plan, other.at) and not parted:
                    return True
            elif plan.at is not None and plan.at < other.since.moment:
                between = (self.first_word(one) for one in others if not self.is_plan(one))
                if not any(plan.at < moment < other.since.moment for moment in between if moment):
                    return True
        return False

    def other_date(self, one, other):
        (start, end), (its_start, its_end) = self.period(one.since), self.period(other.since)
        return end <= its_start or its_end <= start

    def first_word(self, one):
        """Return the first moment of which a statement speaks."""
        if one.kind in ("cancelled", "timeless"):
            return None
        if one.since is not None:
            return one.since.moment
        return one.at if one.until is None else one.until.moment - TICK

    def is_silent(self, one):
        """What says nothing of any time adds nothing to what gives the same value a time."""
        if one.since or one.until or one.at or one.kind != "state":
            return False
        if self.relations[self.value(one)[0]].timeless:
            return False
        return any(
            self.value(other) == self.value(one)
            and other.trust >= one.trust
            and self.gives_a_time(other)
            for other in self.standing
        )

    def gives_a_time(self, one):
        if one.since is not None or one.kind == "timeless":
            return True
        if one.until is not None:
            return not self.is_undated_end(one, self.value(one))
        return one.at is not None and one.kind != "was"

    def is_undated_end(self, one, value):
        """ "No longer": over when it was told, nobody knows since when."""
        at = one.at or EVER
        ahead = one.kind == "state" and one.at is not None and one.at < one.until.moment
        return not ahead and one.until == Date(at) and not self.seen(value, at, at + TICK, one)

    def is_cancelled(self, plan, standing):
        if not self.is_plan(plan):
            return False
        name, subject, object_ = self.value(plan)
        for word in standing:
            if word.kind != "cancelled" or word.trust < plan.trust:
                continue
            its, its_subject, its_object = self.value(word)
            named = (its, its_subject, its_object) == (name, subject, object_)
            symmetric = self.relations[name].symmetric
            any_ = its == name and (
                (
                    its_object == ""
                    and its_subject in ((subject, object_) if symmetric else [subject])
                )
                or (its_subject == "" and its_object == object_)
            )
            in_time = word.at is None or (
                self.is_ahead(plan, word.at) and (plan.at is None or plan.at <= word.at)
            )
            itself = word.source and word.source == plan.source and word.start <= plan.start
            if (named or any_) and in_time and not itself:
                return True
        return False

    def read(self, one):
        value = self.value(one)
        if "" in value:
            return
        at = one.at or EVER
        relation = self.relations[value[0]]
        if relation.timeless or one.kind == "timeless":
            self.said.append(Said(one, value, "running", EVER, NEVER))
        elif one.kind == "event" and one.until is None:
            first, after = self.period(self.finer(one.since, self.dates(one, value, "event"), min))
            self.said.append(Said(one, value, "event", first, after - TICK))
        elif one.since is not None and one.until is not None:
            first = self.start(one, value)
            until = self.finer(one.until, self.dates(one, value, "until"), max).moment
            if until <= first:
                until = one.until.moment
            if until <= first:
                until = self.period(one.until)[1]
            self.said.append(Said(one, value, "bounded", first, until - TICK))
        elif one.since is not None:
            first = self.start(one, value)
            last = first if one.kind == "was" else max(first, at)
            self.said.append(Said(one, value, "running", first, last))
        elif one.until is not None:
            end = self.end_of(one.until, one, value)
            if one.kind == "state" and one.at is not None and one.at < one.until.moment:
                self.said.append(Said(one, value, "running", one.at, one.at))
            elif self.is_undated_end(one, value):
                self.said.append(Said(one, value, "was", at, at))
            else:
                self.said.append(Said(one, value, "ended", end - TICK, end - TICK))
        elif one.kind == "was":
            self.said.append(Said(one, value, "was", at, at))
        else:
            self.said.append(Said(one, value, "running", at, at))

    def dates(self, said, value, side):
        """Whoever is trusted less refines no date."""
        for one in self.standing:
            if self.value(one) == value and one.trust >= said.trust:
                if side == "until" and one.until is not None:
                    yield one.until
                if side != "until" and one.since is not None:
                    if (one.kind == "event") == (side == "event"):
                        yield one.since

    def period(self, date):
        start = date.moment
        if date.precision == "exact":
            return start, start + TICK
        if date.precision == "day":
            return start, start + timedelta(days=1)
        if date.precision == "month":
            return start, (start + timedelta(days=32)).replace(day=1)
        return start, start.replace(year=start.year + 1)

    def finer(self, date, dates, which):
        """A finer date inside a coarser one gives its moment."""
        start, end = self.period(date)
        rank = FINENESS.index(date.precision)
        inside = [
            other
            for other in dates
            if FINENESS.index(other.precision) > rank and start <= other.moment < end
        ]
        if not inside:
            return date
        moment = which(other.moment for other in inside)
        there = [other for other in inside if other.moment == moment]
        picked = which(there, key=lambda other: FINENESS.index(other.precision))
        return self.finer(picked, inside, which)

    def start(self, one, value):
        moment = self.finer(one.since, list(self.dates(one, value, "since")), min).moment
        if one.until is not None and moment >= one.until.moment:
            return one.since.moment
        if one.at is not None and one.since.moment <= one.at < moment:
            return one.since.moment
        return moment

    def end_of(self, date, one, value, by_all=False):
        """An end comes after what was seen in its day, month or year before it was told.

        Seen by whoever is trusted as much: what others saw there is over with it.
        """
        date = self.finer(date, list(self.dates(one, value, "until")), max)
        start, end = self.period(date)
        if date.precision == "exact":
            return start
        if one.at is not None and one.at >= start:
            end = min(end, one.at + TICK)
        seen = self.seen(value, start, end, EVER if by_all else one)
        return max(seen) + TICK if seen else start

    def seen(self, value, start, end, by):
        return [
            other.at
            for other in self.standing
            if self.value(other) == value and self.is_seen(other) and start <= other.at < end
            if by is EVER or other.trust >= by.trust
        ]

    def is_seen(self, one):
        if one.at is None or one.until is not None or one.kind in ("was", "event", "timeless"):
            return False
        return one.since is None or self.start(one, self.value(one)) <= one.at

    def is_put_off(self, one, standing):
        """Tell whether an end was put off while it was still to come."""
        value = self.value(one)
        if one.until is None or one.at is None or one.at >= one.until.moment:
            return False
        return any(
            self.value(later) == value
            and later.kind == "state"
            and later.since is None
            and later.until is not None
            and later.at is not None
            and one.at < later.at < min(one.until.moment, later.until.moment)
            and self.period(one.until)[1] <= later.until.moment
            and later.trust >= one.trust
            for later in standing
        )

    def ends_of(self, value):
        """Every end told of a value: moment, trust, the newest evidence that it takes, by whom."""
        name, subject, object_ = value
        if self.relations[name].timeless:
            return
        for one in self.standing:
            its, its_subject, its_object = self.value(one)
            only_end = one.since is None and one.until is not None and one.kind in ("state", "was")
            symmetric = self.relations[name].symmetric
            if only_end and its == name:
                whose = its_subject or its_object
                unnamed = "" in (its_subject, its_object) and (
                    whose in (subject, object_)
                    if symmetric
                    else whose == (subject if its_subject else object_)
                )
                if (its, its_subject, its_object) == value or unnamed:
                    last = self.end_of(one.until, one, value, by_all=True)
                    yield self.end_of(one.until, one, value), one.trust, last, one
            elif (its, its_subject, its_object) == value and one.kind != "timeless":
                if one.since is not None and one.until is not None:
                    [said] = [said for said in self.said if said.statement is one]
                    yield said.last + TICK, one.trust, said.last, one
                elif one.kind == "was":
                    yield one.at, one.trust, one.at - TICK, one
            declared = self.relations[its]
            if only_end or not (one.since or one.at) or "" in (its_subject, its_object):
                continue
            canonical = self.relations.canonical
            whole = [canonical(other)[0] for other in declared.ends]
            pair = [canonical(other)[0] for other in declared.ends_between]
            whose = {its_subject, its_object} if declared.symmetric else {its_subject}
            dated = one.kind != "was" or one.since is not None
            hits = whole.count(name) * bool(whose & {subject, object_}) + pair.count(name) * (
                {its_subject, its_object} == {subject, object_}
            )
            if hits and dated:
                date = one.since or Date(one.at)
                last = self.end_of(date, one, value, by_all=True)
                yield self.end_of(date, one, value), one.trust, last, one

    def cut(self):
        """An end takes what is not newer and not trusted more, or what it is trusted more than."""
        stops = {}
        for said in self.said:
            stops[said] = NEVER
            if said.kind != "running" or said.last == NEVER:
                continue
            for moment, trust, last, _ in self.ends_of(said.value):
                if (trust >= said.trust and said.last <= last) or (
                    trust > said.trust and said.first < moment
                ):
                    stops[said] = min(stops[said], moment)
        for said, stop in stops.items():
            if stop != NEVER:
                said.last = min(said.last, stop - TICK)
        self.stops = stops

    # -- what holds

    def moments(self):
        found = {EVER}
        for one in self.standing:
            for date in (one.since, one.until):
                if date is not None:
                    found |= {date.moment, *self.period(date)}
            if one.at is not None:
                found.add(one.at)
        around = {t + step * TICK for t in found - {EVER} for step in (-1, 0, 1)}
        return sorted(found | around)

    def rivals(self, said):
        return [other for other in self.said if self.may_not(said, other)]

    def may_not(self, one, other):
        if one.value == other.value:
            return False
        if any({one.value, other.value} <= ruled for ruled in self.ruled):
            return True
        one_said, other_said = one.statement, other.statement
        if one_said.untyped or other_said.untyped or (one_said.as_given and other_said.as_given):
            return False
        (name, *ends), (its, *its_ends) = one.value, other.value
        relation = self.relations[name]
        if name != its:
            either = relation.symmetric or self.relations[its].symmetric
            same = sorted(ends) == sorted(its_ends) if either else ends == its_ends
            names = [self.relations.canonical(each)[0] for each in relation.exclusive_with]
            return its in names and same
        if relation.symmetric:
            one_each = relation.single_valued or relation.single_holder
            return one_each and bool({*ends} & {*its_ends})
        return (relation.single_valued and ends[0] == its_ends[0]) or (
            relation.single_holder and ends[1] == its_ends[1]
        )

    def holds(self, said, t):
        key = said, t
        if key not in self.memo:
            self.memo[key] = self._holds(said, t)
        return self.memo[key]

    def _holds(self, said, t):
        if said.kind == "bounded":  # never cut
            return said.supports(t)
        if not said.runs or t < said.first or t >= self.stops[said] or said.last < said.first:
            return False
        if said.kind == "ended" and t > said.last:
            return False
        rivals = [one for one in self.rivals(said) if one.first <= one.last]
        # Higher trust comes before newer evidence.
        rivals = [one for one in rivals if one.excludes and one.trust >= said.trust]
        better = [one for one in rivals if one.trust > said.trust and self.holds(one, t)]
        if any(not self.together(said, one, t) for one in better):
            return False
        return not any(self.takes(one, said, t) for one in rivals)

    def takes(self, one, said, t):
        """The newest evidence holds, of those whose support has the moment and afterwards."""
        if one.runs and one.trust == said.trust and one.last > said.last:
            since = max(said.first, one.first)
        elif said.last < one.evidence:
            since = max(said.last + TICK, one.first)
        else:
            return False
        return since <= t and not self.together(said, one, since)

    def together(self, said, rival, t):
        """Once one text stated two values side by side, neither takes the place of the other.

        Unless somebody more trusted than the text says so, or a ruling does.
        """
        pair = {said.value, rival.value}
        if said.value[0] != rival.value[0] or any(pair <= ruled for ruled in self.ruled):
            return False
        return any(
            trust >= rival.trust and since <= t
            for since, trust in self.co_stated.get(frozenset(pair), ())
        )

    def read_co_stated(self):
        self.co_stated = {}
        current = [
            one
            for one in self.said
            if one.kind == "running"
            and one.statement.kind in ("state", "planned")
            and one.last != NEVER
            and one.first <= one.last
            and one.statement.source
        ]
        for one in current:
            for other in current:
                evidence = one.statement.source, one.last, one.trust
                if evidence != (other.statement.source, other.last, other.trust):
                    continue
                if one.value != other.value:
                    since = max(one.first, other.first), one.trust
                    self.co_stated.setdefault(frozenset((one.value, other.value)), []).append(since)

    # -- whom to believe

    def believe(self):
        """What a less trusted source says gives a value no other dates."""
        trusts = sorted({said.trust for said in self.said}, reverse=True)
        for value in {said.value for said in self.said}:
            for trust in trusts:
                own = [one for one in self.said if one.value == value and one.kind != "event"]
                better = [one for one in own if one.trust > trust and one not in self.doubted]
                known = self.runs_of(lambda t: any(self.holds(one, t) for one in better))  # noqa: B023
                self.doubted |= {
                    one for one in own if one.trust == trust and self.denied(one, better, known)
                }

    def runs_of(self, holds):
        """Return the stretches in which something holds, as first and last cells of the grid."""
        runs = []
        for place, t in enumerate(self.grid):
            if holds(t):
                if runs and runs[-1][1] == place - 1:
                    runs[-1][1] = place
                else:
                    runs.append([place, place])
        return runs

    def denied(self, said, better, known):
        for moment, _, _, by in self.ends_of(said.value):
            if by is said.statement:
                place = self.grid.index(moment)
                over = self.grid[place - 1], moment
                if place and any(all(self.holds(one, t) for t in over) for one in better):
                    return True
        runs = self.runs_of(lambda t: self.holds(said, t))
        if said.kind == "was":
            runs = [[self.grid.index(said.last) - 1] * 2]
        for first, last in runs:
            for start, stop in known:
                if first > stop + 1 or start > last + 1:
                    continue
                begun = any(
                    one.statement.since is not None
                    and one.kind in ("running", "bounded")
                    and one.statement.kind != "timeless"
                    and one.first == self.grid[start]
                    and self.holds(one, one.first)
                    for one in better
                )
                if (first < start and begun) or (last > stop and self.over(better, stop)):
                    return True
        return False

    def over(self, better, stop):
        after = self.grid[stop + 1]
        return any(
            self.holds(one, self.grid[stop])
            and (one.last + TICK if one.kind in ("bounded", "ended") else self.stops[one]) == after
            for one in better
        )

    def held(self, said, t):
        return said not in self.doubted and self.holds(said, t)

    def proper(self, value, t):
        told = (said for said in self.said if said.value == value and said not in self.later)
        return any(self.held(said, t) for said in told)

    # -- unknown starts

    def fill(self):
        """They have the room in which nothing else has support or persists."""
        late = []
        for said in self.said:
            if said.kind == "ended" and self.held(said, said.last) and self.reach_back(said):
                late.append(said)
        self.later |= {*late}

    def taken(self, said, t):
        return {one for one in self.rivals(said) if self.held(one, t)}

    def reach_back(self, said):
        """Return whether it came back after an end that somebody more trusted told."""
        place = self.grid.index(said.last)
        for one in self.said:
            if one.value == said.value and one.kind in ("running", "bounded"):
                if self.held(one, said.last):
                    return False  # it is known to have held then, and since when
        over = [moment for moment, _, last, _ in self.ends_of(said.value) if last >= moment]
        was = [one for one in self.said if one.kind == "was" and one not in self.doubted]
        was = [one.last for one in was if one.value == said.value]
        stated = {}
        for moment, trust, _, _ in self.ends_of(said.value):
            stated[moment] = max(trust, stated.get(moment, trust))
        cells = []
        beside = self.taken(said, said.last)  # who still held when it ended held beside it
        while place > 0 and self.grid[place] not in over:
            before = self.grid[place - 1]
            if self.proper(said.value, before) and self.grid[place] not in stated:
                break  # it was only taken to be over
            if self.grid[place] in was or self.proper(said.value, before):
                return stated[self.grid[place]] > said.trust  # it came back, nobody knows when
            if self.taken(said, before) - beside:
                break
            beside &= self.taken(said, before)
            place -= 1
            cells.append(place)
        else:
            if place > 0 and (
                self.grid[place] in was or self.proper(said.value, self.grid[place - 1])
            ):
                return stated[self.grid[place]] > said.trust
        for cell in cells:
            self.filled[cell].add(said.value)
            self.reached[cell].add(said)
        return False

    def happened(self, value, t):
        return any(
            said.kind == "event" and said.value == value and said.supports(t) for said in self.said
        )

    # -- answers

    def at(self, place):
        """Return the values that hold in a cell of the grid."""
        t = self.grid[place]
        values = {said.value for said in self.said}
        return {
            value
            for value in values
            if self.proper(value, t) or self.happened(value, t) or value in self.filled[place]
        }
