"""A parsed question worked out on the facts: looked up, bounded, put in order, read off.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment. What is not known is said, never guessed.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphrag.ask.asked import Asked, Clause, Unit
from graphrag.ask.bounding import Solution, anchor_lines, bounded, counted, in_order_of, pick
from graphrag.ask.chain import follow
from graphrag.ask.lookup import CannotAnswer, Found, check_said, open_facts, pair_facts
from graphrag.ask.relate import best, strange
from graphrag.ask.senses import is_light
from graphrag.ask.spell import Stated, between, date_words, stretch_words
from graphrag.ask.world import Line, World, by_start
from graphrag.index.group import BEGINNING, FOREVER

_OVER: Final = frozenset("end ended ending finish departure exit resignation leaving".split())
_GAP: Final = frozenset(
    "vacant vacancy unoccupied unfilled empty gap interregnum lapse nobody unstaffed".split()
)


def solve(asked: Asked, world: World, done: Solution | None = None) -> Solution:
    """Work out a question, noting every step in the solution.

    Raises:
        CannotAnswer: saying what is missing.
    """
    done = Solution() if done is None else done
    _SOLVERS[asked.wants](asked, world, done)
    done.lines = list(dict.fromkeys(done.lines))
    done.support = [line for line in dict.fromkeys(done.support) if line not in done.lines]
    return done


def _found(asked: Asked, clause: Clause, world: World, done: Solution) -> Found:
    """Return the facts of a clause with one entity or two."""
    if len(clause.names) >= 2:
        found = pair_facts(clause, clause.names[0], clause.names[1], world)
    else:
        if asked.wants not in ("entities", "how many"):
            _all_known(clause)
        found = _open(asked, clause, world)
    done.step(f"{counted(found.lines)} of {found.relation} for “{clause}”")
    return found


def _all_known(clause: Clause) -> None:
    """Refuse a clause with a name that the graph does not know: "has A been to X"."""
    for token in clause.tokens[1:]:
        plain = token.named is None and token.said is None
        if plain and token.text[:1].isupper() and not is_light(token.word):
            raise CannotAnswer(f"nothing is known of “{token.text}”")


def _open(asked: Asked, clause: Clause, world: World) -> Found:
    """Return the facts about one entity, or about what several hops lead to."""
    prefer = ""
    if asked.anchor is not None and len(asked.anchor.names) == 1 and clause.names:
        # "Before the Alpine Club": the relation that leads there is meant.
        owner = clause.names[0]
        try:
            prefer = pair_facts(clause, owner, asked.anchor.names[0], world).relation
        except CannotAnswer:
            prefer = ""
    return open_facts(clause, world, prefer=prefer)


def _entities(asked: Asked, world: World, done: Solution) -> None:
    if len(asked.main.names) > 1:
        raise CannotAnswer(
            f"“{asked.main}” names {len(asked.main.names)} entities: nothing is left to be found"
        )
    if chained := follow(asked, world, done.steps):
        done.lines, done.support, done.entities = chained.lines, chained.support, chained.entities
    else:
        found = _found(asked, asked.main, world, done)
        lines = bounded(asked, found, world, done)
        if asked.order is not None:
            lines = in_order_of(lines, asked.order, world)
            done.step(f"{asked.order}: {counted(lines)}")
        done.lines = lines
        done.entities = list(dict.fromkeys(found.far(line) for line in lines))
    done.values = [world.name(row) for row in done.entities]


def _dates(asked: Asked, world: World, done: Solution) -> None:
    found = _found(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    if asked.order is not None:
        lines = in_order_of(lines, asked.order, world)
    elif asked.wants in ("since", "until") and len(lines) > 1:
        # Of several spells the one that holds, or the last one.
        holding = [line for line in lines if line.start <= world.now < line.end]
        lines = holding or lines[-1:] if asked.wants == "since" else lines[-1:]
    done.lines = lines
    done.values = dates_of(asked, lines, world, {})
    if lines and not done.values:
        end = "end" if asked.wants == "until" else "beginning"
        raise CannotAnswer(f"no {end} is known of “{asked.main}”")


def dates_of(
    asked: Asked, lines: Sequence[Line], world: World, stated: Mapping[int, Stated]
) -> list[str]:
    """Return the dates that are asked for, as finely as asked, else as stated, each once."""
    found: dict[str, None] = {}
    for line in lines:
        unit = asked.unit or world.unit(line.relation)
        known = (None, None) if asked.unit else stated.get(line.row, (None, None))
        words = date_words(asked.wants, line, unit, known)
        if words is not None:
            found[words] = None
    return list(found)


def _how_long(asked: Asked, world: World, done: Solution) -> None:
    if asked.apart and asked.anchor is not None:
        _apart(asked, world, done)
        return
    found = _found(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    done.lines = lines
    if any(line.start == BEGINNING for line in lines) or not lines:
        raise CannotAnswer(f"no beginning is known of “{asked.main}”")
    unit: Unit = asked.unit or _unit(lines[0].relation, world)
    total = sum(between(line.start, min(line.end, world.now), unit) for line in lines)
    if any(line.end > world.now for line in lines):
        done.step("counted up to now, as it has not ended")
    done.values = [str(total)] if asked.unit else [f"{total} {unit}{'' if total == 1 else 's'}"]


def _apart(asked: Asked, world: World, done: Solution) -> None:
    """Count the time between the facts of two clauses."""
    assert asked.anchor is not None
    first = _found(asked, asked.main, world, done)
    one = pick(first.lines, asked.main.order, world)
    two = pick(anchor_lines(asked, first, world, done), asked.anchor.order, world)
    done.lines = [one, two]
    words = asked.text.casefold().split()
    shared = {name.name for name in asked.main.names} & {name.name for name in asked.anchor.names}
    vacant = not _GAP.isdisjoint(word.strip("?,.") for word in words)
    early, late = sorted((one, two), key=lambda line: line.start)
    start, end = early.start, late.start
    firstly = asked.main if early is one else asked.anchor
    if not _OVER.isdisjoint(firstly.words):
        vacant = True
    if vacant or (shared and len(asked.main.names) == 2 and not asked.main.order and _lasts(early)):
        start = early.end
        done.step("from the end of one to the beginning of the other")
    if BEGINNING in (early.start, late.start) or start == FOREVER:
        raise CannotAnswer("a date of one of them is not known")
    unit: Unit = asked.unit or _unit(one.relation, world)
    total = max(0, between(start, end, unit)) if start <= end else 0
    done.values = [str(total)] if asked.unit else [f"{total} {unit}{'' if total == 1 else 's'}"]


def _lasts(line: Line) -> bool:
    """Tell a state from what happened on a day."""
    return line.end - line.start > _DAY


_DAY: Final = 86_400_000_000


def _unit(relation: str, world: World) -> Unit:
    return "year" if world.unit(relation) == "year" else "day"


def _how_many(asked: Asked, world: World, done: Solution) -> None:
    found = _found(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    done.lines = lines
    rows = list(dict.fromkeys(found.far(line) for line in lines))
    if asked.wants == "how many":
        done.entities = rows
    number = len(rows) if asked.wants == "how many" else len(lines)
    done.values = [str(number)]


def _which(asked: Asked, world: World, done: Solution) -> None:
    picked: list[tuple[Line, str]] = []
    for choice in asked.choices:
        if len(choice.names) >= 2:
            found = pair_facts(choice, choice.names[0], choice.names[1], world)
        elif asked.main.names:
            found = pair_facts(asked.main, asked.main.names[0], choice.names[0], world)
        else:
            found = open_facts(Clause(choice.tokens + asked.main.tokens), world)
        line = by_start(found.lines)[0]
        if line.start == BEGINNING:
            raise CannotAnswer(f"it is not known when “{choice}” began")
        done.step(f"“{choice}” is {stretch_words(line)}")
        picked.append((line, str(choice)))
    late = asked.order is not None and asked.order.kind == "last"
    edge = (max if late else min)(line.start for line, _ in picked)
    done.support = [line for line, _ in picked]
    done.lines = [line for line, _ in picked if line.start == edge]
    done.values = [words for line, words in picked if line.start == edge]
    if len(done.values) > 1:
        raise CannotAnswer("they began at the same time")


def _whether(asked: Asked, world: World, done: Solution) -> None:
    main = asked.main
    if len(main.names) < 2:
        _all_known(main)
        found = _open(asked, main, world)
        check_said(main, found.relation, world)
        lines = bounded(asked, found, world, done)
    else:
        try:
            found = pair_facts(main, main.names[0], main.names[1], world)
        except CannotAnswer as error:
            if not _heard(main, world):
                raise
            done.step(f"{error}, but others of the kind are")
            done.values = ["no"]
            return
        check_said(main, found.relation, world)
        done.step(f"“{main}” is {stretch_words(found.lines[0])}")
        plain = replace(asked, neighbor=False)
        lines = bounded(plain, found, world, done)
    done.lines, done.values = lines or list(found.lines), ["yes" if lines else "no"]


def _heard(clause: Clause, world: World) -> bool:
    """Tell whether facts of the kind are known of one of the entities, so that none means no."""
    for named in clause.names:
        lines = world.lines(world.rows_of(named))
        if any(one.sure or not strange(clause) for one in best(clause, lines, world)):
            return True
    return False


_SOLVERS: Final[dict[str, Callable[[Asked, World, Solution], None]]] = {
    "entities": _entities,
    "when": _dates,
    "since": _dates,
    "until": _dates,
    "how long": _how_long,
    "how many": _how_many,
    "how often": _how_many,
    "which": _which,
    "whether": _whether,
}
