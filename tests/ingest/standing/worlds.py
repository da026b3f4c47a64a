"""Small worlds with standing rules, and what holds in them day by day: slow, and plainly right."""

from dataclasses import dataclass
from itertools import product

from hypothesis import strategies as st

from graphrag.errors import InputError
from graphrag.ingest.standing import program_of
from graphrag.ontology.relations import Relation, Relations
from graphrag.ontology.standing import Derives, Ends, Needs

PEOPLE = ("Ann", "Ben", "Cid")
NAMES = ("likes", "owns", "holds", "joins")
SINGLE = ("owns", "joins")
MADE = ("sees", "owns")
"""What may be inferred; some of it is said, too."""
DAYS = 14


@dataclass(frozen=True)
class Said:
    """Somebody said that something began on a day, or, if ``ends``, that it was over."""

    subject: str
    relation: str
    object: str
    day: int
    ends: bool = False

    @property
    def line(self):
        return self.subject, self.relation, self.object


terms = st.sampled_from(("?x", "?y", "?x", "?y", "*", "Ann"))
variables = st.sampled_from(("?x", "?y", "?z"))


def patterns(names, ends=terms):
    return st.tuples(ends, st.sampled_from(names), ends)


@st.composite
def rule(draw, number):
    kind = draw(st.sampled_from(("ends", "needs", "derives", "derives")))
    name = f"{kind} {number}"
    if kind == "ends":
        when = draw(patterns(NAMES))
        return Ends(name, when=when, ends=draw(patterns(NAMES)))
    if kind == "needs":
        support = draw(st.lists(patterns((*NAMES, *MADE)), min_size=1, max_size=2))
        return Needs(name, fact=draw(patterns(("holds", "joins"))), support=support)
    body = draw(st.lists(patterns((*NAMES, *MADE), variables), min_size=1, max_size=2))
    bound = sorted({term for one in body for term in (one[0], one[2])})
    first, last = draw(st.permutations(bound))[:2] if bound[1:] else bound * 2
    head = first, draw(st.sampled_from(MADE)), last
    unless = draw(st.lists(patterns(("likes", "owns")), max_size=1))
    return Derives(name, head=head, body=body, unless=unless)


@st.composite
def rule_sets(draw):
    """Rules of which no two levels depend on each other by absence."""
    rules = [draw(rule(number)) for number in range(draw(st.integers(1, 4)))]
    try:
        program = program_of(relations_with(rules))
    except InputError:
        return []
    return [] if any(program.level.values()) else rules


@st.composite
def histories(draw):
    """Things said, of which no two of one value or one slot are of one day."""
    said, taken = [], set()
    for _ in range(draw(st.integers(5, 14))):
        subject, object_ = draw(st.permutations(PEOPLE))[:2]
        relation, day = draw(st.sampled_from(NAMES)), draw(st.integers(1, DAYS - 1))
        slot = subject, relation, "" if relation in SINGLE else object_
        if (slot, day) not in taken:
            taken.add((slot, day))
            ends = any(one.line == (subject, relation, object_) for one in said) and draw(
                st.sampled_from((True, False, False))
            )
            said.append(Said(subject, relation, object_, day, ends))
    known = pieces([one for one in said if not one.ends])
    return [
        one
        for one in said
        if not one.ends or any(it.line == one.line and it.start < one.day < it.end for it in known)
    ]


def relations_with(rules):
    known = [Relation(name, single_valued=name in SINGLE) for name in (*NAMES, *MADE)]
    return Relations(known).following(*rules)


@dataclass
class Piece:
    line: tuple
    start: int
    end: int
    dead: int | None = None

    def holds(self, day):
        return self.start <= day < self.end and (self.dead is None or day < self.dead)


def pieces(said):
    """How long each thing said reaches, without any rule."""
    found = []
    for one in said:
        if one.ends:
            continue
        ends = [other.day for other in said if other.ends and other.line == one.line]
        if one.relation in SINGLE:
            ends += [
                other.day
                for other in said
                if not other.ends
                and (other.subject, other.relation) == (one.subject, one.relation)
                and other.object != one.object
            ]
        later = [day for day in ends if day > one.day]
        found.append(Piece(one.line, one.day, min(later, default=DAYS)))
    return found


def states(said, rules):
    """Return what holds on each day: what was said, and what follows."""
    known, days, before = pieces(said), [], set()
    for day in range(DAYS):
        fired = set()
        every = supported(known, rules, day, fired)
        begun = {piece.line for piece in known if piece.holds(day)} - before
        for one in rules:
            if not isinstance(one, Ends):
                continue
            for trigger in sorted(begun):
                for env in fits(one.when, trigger, {}):
                    for piece in known:
                        if piece.line != trigger and any(
                            True for _ in fits(one.ends, piece.line, env)
                        ):
                            fired.add(trigger)
                            if piece.holds(day) and piece.start < day:
                                piece.dead = day
        every = supported(known, rules, day, fired)
        told = {piece.line for piece in known if piece.holds(day)}
        days.append(every)
        before = told
    return days


def supported(known, rules, day, fired):
    """Let go what nothing supports; what ended others by beginning that day holds for a moment."""
    while True:
        told = {piece.line for piece in known if piece.holds(day)}
        every = told | inferred(told, rules)
        gone = [
            piece
            for piece in known
            if piece.holds(day) and piece.dead is None
            for one in rules
            if isinstance(one, Needs)
            and (envs := list(fits(one.fact, piece.line, {})))
            and not any(True for env in envs for _ in joined(one.support, every, env))
        ]
        if not gone:
            return every
        for piece in gone:
            piece.dead = day + (piece.line in fired)


def inferred(told, rules):
    found = set()
    while True:
        new = set()
        for one in rules:
            if not isinstance(one, Derives):
                continue
            for env in joined(one.body, told | found, {}):
                if any(True for no in one.unless for line in told for _ in fits(no, line, env)):
                    continue
                head = env.get(one.head[0]), one.head[1], env.get(one.head[2])
                if head[0] != head[2]:
                    new.add(head)
        if new <= found:
            return found
        found |= new


def joined(patterns, lines, env):
    for some in product(sorted(lines), repeat=len(patterns)):
        envs = [env]
        for pattern, line in zip(patterns, some, strict=True):
            envs = [found for one in envs for found in fits(pattern, line, one)]
        yield from envs


def fits(pattern, line, env):
    found = dict(env)
    for term, name in zip(pattern, line, strict=True):
        if term == "*":
            continue
        if term.startswith("?"):
            if found.setdefault(term, name) != name:
                return
        elif term != name:
            return
    yield found
