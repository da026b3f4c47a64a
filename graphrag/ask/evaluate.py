"""A parsed question worked out on the facts: looked up, bounded, put in order, read off.

Half-open lifetimes throughout. "Before", "after", "first" and their like go by the moment at which
facts begin; "while" asks for a common moment. What is not known is said, never guessed.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from graphrag.ask.account import unmeant, unread
from graphrag.ask.again import is_again, spells
from graphrag.ask.asked import Asked, Clause
from graphrag.ask.bounding import bounded, found_in, open_in
from graphrag.ask.chain import follow, placed
from graphrag.ask.company import fellows, shared
from graphrag.ask.kinds import Kinds
from graphrag.ask.kinship import check_kin, with_kin
from graphrag.ask.lengths import by_age, how_long, how_old, lasts
from graphrag.ask.lookup import CannotAnswer, Unclear, open_facts, pair_facts
from graphrag.ask.qualify import edge_of
from graphrag.ask.relate import best
from graphrag.ask.solution import Solution, counted, in_order_of
from graphrag.ask.spell import Stated, date_words, stretch_words
from graphrag.ask.world import Line, World, by_start
from graphrag.ask.yearless import without_year
from graphrag.ontology.relations import FIGURES


def solve(asked: Asked, world: World, done: Solution | None = None) -> Solution:
    """Work out a question, noting every step in the solution.

    Raises:
        CannotAnswer: saying what is missing.
    """
    done = Solution() if done is None else done
    if asked.limits.aged and asked.wants != "entities":
        raise CannotAnswer(f"not understood: {asked.limits.aged}")
    if left := unread(asked):
        raise CannotAnswer(f"not understood: {', '.join(left)}")
    if vague := without_year(asked):
        raise CannotAnswer(f"“{vague}” is of every year: say which")
    world = with_kin(asked, world)
    _SOLVERS[asked.wants](asked, world, done)
    check_kin(asked, world, done)
    done.lines = list(dict.fromkeys(done.lines))
    done.support = [line for line in dict.fromkeys(done.support) if line not in done.lines]
    return done


def _entities(asked: Asked, world: World, done: Solution) -> None:
    if asked.limits.beside and (others := fellows(asked, world, done)) is not None:
        done.lines = others
        done.entities = list(dict.fromkeys(line.subject for line in others))
    elif len(asked.main.names) > 1:
        number = len(asked.main.names)
        raise CannotAnswer(f"“{asked.main}” names {number} entities: nothing is left to be found")
    elif chained := follow(asked, world, done.steps):
        done.lines, done.support, done.entities = chained.lines, chained.support, chained.entities
    else:
        found = found_in(asked, asked.main, world, done)
        lines = bounded(asked, found, world, done)
        if asked.order is not None:
            lines = in_order_of(lines, asked.order, world)
            done.step(f"{asked.order}: {counted(lines)}")
        done.lines = lines
        rows = list(dict.fromkeys(found.far(line) for line in lines))
        done.entities = placed(rows, found.kind, world, done) if found.kind else rows
    if asked.limits.aged and done.entities:
        done.entities = by_age(asked, done.entities, world, done)
    done.values = [world.name(row) for row in done.entities]


def _dates(asked: Asked, world: World, done: Solution) -> None:
    found = found_in(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    if asked.order is not None:
        lines = in_order_of(lines, asked.order, world)
    elif asked.wants in ("since", "until") and len(lines) > 1 and not is_again(asked.main, lines):
        # Of several spells the one that holds, or the last one.
        holding = [line for line in lines if line.start <= world.now < line.end]
        lines = holding or lines[-1:] if asked.wants == "since" else lines[-1:]
    done.lines = lines
    done.values = dates_of(asked, lines, world, {})
    if lines and not done.values:
        end = "end" if asked.wants == "until" else "beginning"
        raise CannotAnswer(f"no {end} is known of “{asked.main}”{world.already(lines)}")


def dates_of(
    asked: Asked, lines: Sequence[Line], world: World, stated: Mapping[int, Stated]
) -> list[str]:
    """Return the dates that are asked for, as finely as asked, else as stated, each once."""
    found: dict[str, None] = {}
    over = "over" in asked.main.words or edge_of(asked.main) == "end"
    for line in lines:
        if line.relation == "has_birthday" and asked.unit is None:
            found[world.name(line.object)] = None  # a day of each year
            continue
        if asked.wants != "until" and not over and not world.began(line):
            continue
        if asked.wants == "until" and not lasts(line):
            continue  # what happened on a day has no end
        unit = asked.unit or world.unit(line.relation)
        known = (None, None) if asked.unit else stated.get(line.row, (None, None))
        words = date_words(asked.wants, line, unit, known, over=over)
        if words is not None:
            found[words] = None
    return list(found)


def _how_many(asked: Asked, world: World, done: Solution) -> None:
    found = found_in(asked, asked.main, world, done)
    lines = bounded(asked, found, world, done)
    done.lines = lines
    rows = list(dict.fromkeys(found.far(line) for line in lines))
    if asked.wants == "how many":
        done.entities = rows
    several = asked.wants == "how often" or len(asked.main.names) > 1
    number = len(spells(lines)) if several else len(rows)
    if not rows and found.relation in FIGURES:
        raise CannotAnswer(f"no number is known then: {found.relation}{world.already(found.lines)}")
    names = [world.name(row) for row in rows] if asked.wants == "how many" else []
    count = _count(found.relation, names)
    done.values = [count or str(number)]


def _count(relation: str, names: Sequence[str]) -> str:
    """Return a number that a text gives itself: that of ``has_employees 240`` is no 1."""
    counts = relation in FIGURES or re.fullmatch(r"has_\w*[^su]s", relation)
    given = _NUMBER.match(names[0]) if counts and len(names) == 1 else None
    return given.group() if given else ""


_NUMBER: Final = re.compile(r"[1-9][\d,. ]*(?:thousand|million|billion)?(?= |$)")


def _which(asked: Asked, world: World, done: Solution) -> None:
    picked: list[tuple[Line, str]] = []
    for choice in asked.choices:
        if len(choice.names) >= 2:
            found = pair_facts(asked, choice, choice.names[0], choice.names[1], world)
        elif asked.main.names:
            found = pair_facts(asked, asked.main, asked.main.names[0], choice.names[0], world)
        else:
            found = open_facts(asked, Clause(choice.tokens + asked.main.tokens), world)
        line = by_start(found.lines)[0]
        if not world.began(line):
            raise CannotAnswer(f"it is not known when “{choice}” began{world.already([line])}")
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
    if asked.limits.beside and (both := shared(asked, world)) is not None:
        done.lines, done.values = both, ["yes" if both else "no"]
        return
    if len(main.names) > _PAIR:
        if (both := shared(asked, world)) is None:
            raise CannotAnswer(f"“{main}” names {len(main.names)} entities")
        done.lines, done.values = both, ["yes" if both else "no"]
        return
    if len(main.names) < _PAIR:
        found = open_in(asked, main, world)
        lines = bounded(asked, found, world, done)
    else:
        try:
            found = pair_facts(asked, main, main.names[0], main.names[1], world)
        except Unclear:
            raise
        except CannotAnswer as error:
            if (both := shared(asked, world)) is not None:
                done.lines, done.values = both, ["yes" if both else "no"]
                return
            if asked.limits.ended or not _heard(asked, world):
                raise
            done.step(f"{error}, but others of the kind are")
            done.values = ["yes" if asked.limits.inverted else "no"]
            return
        done.step(f"“{main}” is {stretch_words(found.lines[0])}")
        plain = replace(asked, neighbor=False)
        lines = bounded(plain, found, world, done)
    said = bool(lines) is not asked.limits.inverted
    done.lines, done.values = lines or list(found.lines), ["yes" if said else "no"]


def _heard(asked: Asked, world: World) -> bool:
    """Tell whether facts of the kind are known of one of the entities, so that none means no."""
    for named in asked.main.names:
        lines = world.lines(world.rows_of(named))
        for meant in best(asked.main, lines, world):
            if not unmeant(asked, asked.main, meant, Kinds(world, asked.main)):
                return True
    return False


_PAIR: Final = 2
_SOLVERS: Final[dict[str, Callable[[Asked, World, Solution], None]]] = {
    "entities": _entities,
    "when": _dates,
    "since": _dates,
    "until": _dates,
    "how long": how_long,
    "age": how_old,
    "how many": _how_many,
    "how often": _how_many,
    "which": _which,
    "whether": _whether,
}
