"""Lengths of time: how long facts held, lay apart, are ago, and how old somebody was."""

from collections.abc import Sequence
from typing import Final

from graphrag.ask.account import unmeant
from graphrag.ask.asked import Asked, Unit
from graphrag.ask.bounding import bounded, found_in
from graphrag.ask.kinds import Kinds
from graphrag.ask.linked import anchor_lines
from graphrag.ask.lookup import CannotAnswer, pair_facts
from graphrag.ask.qualify import edge_of
from graphrag.ask.relate import best
from graphrag.ask.senses import senses_of, stem_of, stems_of
from graphrag.ask.solution import Solution, pick
from graphrag.ask.spell import between, moment_in
from graphrag.ask.world import Line, World, bounds_of
from graphrag.index.group import BEGINNING, FOREVER

_OVER: Final = frozenset("end finish departure exit resignation leaving ending".split())
_GAP: Final = frozenset(
    "vacant vacancy unoccupied unfilled empty gap interregnum lapse nobody unstaffed".split()
)
_BIRTH: Final = senses_of(stem_of("birth"))
_DEATH: Final = senses_of(stem_of("death"))


def how_long(asked: Asked, world: World, done: Solution) -> None:
    """Count how long the facts of a question held, lay apart, or are ago."""
    if asked.apart and asked.anchor is not None:
        _apart(asked, world, done)
        return
    found = found_in(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    done.lines = lines
    ago_it_ended = asked.limits.ago and edge_of(asked.main) == "end"
    if not lines or not (ago_it_ended or all(map(world.began, lines))):
        raise CannotAnswer(f"no beginning is known of “{asked.main}”{world.already(lines)}")
    unit: Unit = asked.unit or _unit(lines[0].relation, world)
    if asked.limits.ago:
        then = lines[-1].end if edge_of(asked.main) == "end" else lines[-1].start
        if then > world.now:
            raise CannotAnswer(f"“{asked.main}” is not over")
        _counted(asked, between(then, world.now, unit), unit, done)
        return
    total = sum(between(line.start, min(line.end, world.now), unit) for line in lines)
    if any(line.end > world.now for line in lines):
        done.step("counted up to now, as it has not ended")
    _counted(asked, total, unit, done)


def _counted(asked: Asked, total: int, unit: Unit, done: Solution) -> None:
    done.values = [str(total)] if asked.unit else [f"{total} {unit}{'' if total == 1 else 's'}"]


def _apart(asked: Asked, world: World, done: Solution) -> None:
    """Count the time between the facts of two clauses."""
    assert asked.anchor is not None
    first = found_in(asked, asked.main, world, done)
    one = pick(first.lines, asked.main.order, world)
    two = pick(anchor_lines(asked, first, world, done), asked.anchor.order, world)
    done.lines = [one, two]
    words = asked.text.casefold().split()
    shared = {name.name for name in asked.main.names} & {name.name for name in asked.anchor.names}
    vacant = not _GAP.isdisjoint(word.strip("?,.") for word in words)
    early, late = sorted((one, two), key=lambda line: line.start)
    start, end = early.start, late.start
    firstly, then = (asked.main, asked.anchor) if early is one else (asked.anchor, asked.main)
    if edge_of(firstly) == "end" or not _OVER.isdisjoint(firstly.words):
        vacant = True
    if vacant or (shared and len(asked.main.names) == 2 and not asked.main.order and lasts(early)):
        start = early.end
        done.step("from the end of one to the beginning of the other")
    if edge_of(then) == "end":
        end = late.end
    if BEGINNING in (early.start, late.start) or FOREVER in (start, end):
        raise CannotAnswer("a date of one of them is not known")
    unit: Unit = asked.unit or _unit(one.relation, world)
    _counted(asked, max(0, between(start, end, unit)) if start <= end else 0, unit, done)


def lasts(line: Line) -> bool:
    """Tell a state from what happened on a day."""
    return line.end - line.start > _DAY


_DAY: Final = 86_400_000_000


def _unit(relation: str, world: World) -> Unit:
    return "year" if world.unit(relation) == "year" else "day"


def how_old(asked: Asked, world: World, done: Solution) -> None:
    """Count the years from the birth of somebody to the time that a question speaks of."""
    names = asked.main.names
    if not names:
        raise CannotAnswer("nobody is named whose age is asked for")
    rows = world.rows_of(names[0])
    lines = world.lines(rows)
    own = [line for line in lines if line.subject in rows]
    births = {at: line for line in own if (at := _date(line, _BIRTH, world)) is not None}
    stated = [
        line for line in own if line.relation == "has_age" and line.start <= world.now < line.end
    ]
    if not births and len(stated) == 1 and asked.anchor is None and asked.during is None:
        done.lines = stated  # as it was when it was said: the answer says since when it is known
        done.values = [world.name(stated[0].object).split()[0]]
        return
    if len(births) != 1:
        raise CannotAnswer(f"{'no' if not births else 'more than one'} birthday is known")
    (born, birth), *_ = births.items()
    then = _moment(asked, world, lines, done)
    if not born <= then:
        raise CannotAnswer("that was before the birth")
    died = [at for line in own if (at := _date(line, _DEATH, world)) is not None]
    if any(then > at for at in died):
        raise CannotAnswer(f"{names[0].name} was dead by then")
    done.lines = [birth]
    done.values = [str(between(born, then, "year"))]


def _date(line: Line, senses: frozenset[int], world: World) -> int | None:
    """Return when somebody was born or died, by the fact or by a date that is its object."""
    meant = frozenset().union(*map(senses_of, stems_of(line.relation)))
    if not senses & meant:
        return None
    if line.start != BEGINNING:
        return line.start
    return moment_in(world.name(line.object))


def _moment(asked: Asked, world: World, lines: list[Line], done: Solution) -> int:
    """Return the moment that an age is asked of."""
    main = asked.main
    if asked.anchor is not None:
        found = anchor_lines(asked, None, world, done)
        if not found:
            raise CannotAnswer(f"no “{asked.anchor}” is known")
        return found[0].end if edge_of(asked.anchor) == "end" else found[0].start
    if asked.during is not None:
        start, end = bounds_of(asked.during.interval)
        if BEGINNING in (start, end) or end == FOREVER:
            raise CannotAnswer("an age is of a moment")
        return end - 1
    if len(main.names) > 1:
        line = pair_facts(asked, main, main.names[0], main.names[1], world).lines[0]
        done.support.append(line)
        return line.end if edge_of(main) == "end" else line.start
    meant = [one for one in best(main, lines, world) if one.places]
    for one in meant[:1]:
        line = next(line for line in lines if line.relation == one.relation)
        if left := unmeant(asked, main, one, Kinds(world, main)):
            raise CannotAnswer(f"not understood: {', '.join(left)}")
        at = _date(line, _DEATH, world)
        done.support.append(line)
        return line.start if at is None else at
    if any(token.word in ("is", "are", "am", "'s") for token in main.tokens):
        return world.now
    raise CannotAnswer("it is not said of which time the age is asked")


def by_age(asked: Asked, rows: Sequence[int], world: World, done: Solution) -> list[int]:
    """Return which of several was born first, or last.

    Raises:
        CannotAnswer: if that is not known of each, or two were born at one time.
    """
    born: dict[int, int] = {}
    for row in rows:
        own = [line for line in world.lines([row]) if line.subject == row]
        births = {at: line for line in own if (at := _date(line, _BIRTH, world)) is not None}
        if not births:  # a parent is one from then on
            lines = (line for line in world.lines([row]) if line.object == row)
            births = {line.start: line for line in lines if _is_parent(line)}
        if len(births) != 1 or BEGINNING in births:
            raise CannotAnswer(f"it is not known when {world.name(row)} was born")
        [(born[row], birth)] = births.items()
        done.support.append(birth)
    edge = (min if asked.limits.aged == "eldest" else max)(born.values(), default=0)
    found = [row for row, at in born.items() if at == edge]
    if len(found) > 1:
        raise CannotAnswer("they were born at the same time")
    done.step(f"the {asked.limits.aged} by birth")
    return found


def _is_parent(line: Line) -> bool:
    senses = frozenset().union(*map(senses_of, stems_of(line.relation)))
    return bool(senses & senses_of(stem_of("parent")))
