"""Questions answered from one viewpoint: parsed, worked out on the facts of all times, read."""

import re
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TYPE_CHECKING, ClassVar

from graphrag.ask.answer import Answer
from graphrag.ask.asked import Asked
from graphrag.ask.evaluate import dates_of, solve
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.parse import parse
from graphrag.ask.posts import PostWorld, with_posts
from graphrag.ask.relatives import belied, kin_in
from graphrag.ask.solution import Solution
from graphrag.ask.spans import impossible, names_any, of_speaker, tokens_of
from graphrag.ask.spell import stated_units
from graphrag.ask.world import World
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.results import Why
from graphrag.temporal.moment import to_micros
from graphrag.view.lens import Lens

if TYPE_CHECKING:
    from graphrag.index.group import GroupIndex
    from graphrag.search.rewind import Past

_MOST_DATED = 50
"""Facts whose dates are read: a place has many that were born in it."""
_LONGEST = 2_000
"""Characters; what is longer is a text, not a question."""


@dataclass(frozen=True, slots=True)
class AnswerFirst:
    """The facts that answer a question before all others, if they may be seen."""

    ids: tuple[str, ...]

    name: ClassVar[str] = "answer"
    walks: ClassVar[bool] = False

    def rerank(self, hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
        """Return the hits with those that answer first, found or not."""
        if scope != "facts":
            return hits
        row_of, seen = question.index.facts.row_of, question.seen.facts
        rows = [row_of[id_] for id_ in self.ids if id_ in row_of]
        rows = [row for row in rows if row < len(seen) and seen[row]]
        if rows == [hit.id for hit in hits[: len(rows)]]:
            return hits
        best = max((hit.score for hit in hits), default=0.0)
        known = {hit.id: hit for hit in hits}
        new = [
            Fused(
                row,
                best + len(rows) - place,
                (*(known[row].why if row in known else ()), Why(self.name, place, best)),
                known[row].relevance if row in known else 1.0,
            )
            for place, row in enumerate(rows, 1)
        ]
        return [*new, *(hit for hit in hits if hit.id not in rows)]


_ASKS = re.compile(
    r"(?i)\A\W*(?:\w+\W+){0,12}?(?:who|whom|whose|what|which|where|when|how|did|does|do|was|were|is|"
    r"has|have|name|list|tell)\b"
)
_MOST_FIRST = 20


async def answering(lens: Lens, query: str) -> AnswerFirst | None:
    """Return the facts that answer a question of a search; None if it is none, or none do."""
    if len(query) > _SHORT or not _ASKS.match(query):
        return None
    index, past = await lens.index(), await lens.past()
    seen = lens.ever(index, past)
    text = of_speaker(" ".join(query.split()), index, seen)
    if not names_any(text, index, seen):
        return None
    world = _world(lens, index, past)
    tokens = with_posts(tokens_of(text, index, seen, lens.now()), world)
    if impossible(tokens):
        return None
    asked = parse(text, tokens)
    if asked.known is not None:
        return None
    solution = Solution()
    try:
        solution = solve(asked, world, solution)
    except CannotAnswer:
        if not solution.lines:  # else they are meant, though they do not tell what is asked
            return None
    ids = index.facts.ids
    lines = world.stored((*solution.lines, *solution.support))
    rows = dict.fromkeys(line.row for line in lines)
    return AnswerFirst(tuple(ids[row] for row in rows)) if 0 < len(rows) <= _MOST_FIRST else None


_SHORT = 300
"""Characters of a question whose answer is looked for before it is searched."""


def _world(lens: Lens, index: "GroupIndex", past: "Past") -> World:
    return PostWorld(
        index,
        lens.ever(index, past),
        past,
        lens.session.relations,
        to_micros(lens.now(), FOREVER),
        closed=lens.viewpoint.valid_at is not None,
    )


async def answer(lens: Lens, question: str) -> Answer:
    """Answer a question from a viewpoint.

    Raises:
        QueryError: if there is no question, or it is a text.
    """
    if not question.strip() or len(question) > _LONGEST:
        raise QueryError(f"a question has 1 to {_LONGEST} characters, this one {len(question)}")
    index, past = await lens.index(), await lens.past()
    world = _world(lens, index, past)
    text = of_speaker(" ".join(question.split()), index, world.seen)
    tokens = with_posts(tokens_of(text, index, world.seen, lens.now()), world)
    asked = parse(text, tokens)
    if wrong := impossible(tokens):
        return Answer(asked, missing=wrong)
    lens, past, note = await _known(asked, lens, past)
    steps = [note] if note else []
    world = await _dated(asked, lens, world if asked.known is None else _world(lens, index, past))
    solution = Solution(steps=steps)
    try:
        solution = solve(asked, world, solution)
    except CannotAnswer as error:
        return Answer(asked, steps=tuple(solution.steps), missing=str(error))
    return await _read(asked, solution, lens, world)


async def _dated(asked: Asked, lens: Lens, world: World) -> World:
    """Return a world in which what holds for ever begins when it came about: births, deaths."""
    rows = {row for one in asked.clauses for name in one.names for row in world.rows_of(name)}
    lines = [
        line
        for line in world.lines(rows)
        if line.start == BEGINNING and world.relations[line.relation].timeless
    ][:_MOST_DATED]
    if not lines:
        return world
    facts = await lens.facts([line.row for line in lines], world.index, world.past)
    since = {
        row: min((one.since.moment for one in fact.statements if one.since), default=None)
        for row, fact in facts.items()
    }
    return replace(world, dated={row: to_micros(at, BEGINNING) for row, at in since.items() if at})


async def _known(asked: Asked, lens: Lens, past: "Past") -> tuple[Lens, "Past", str]:
    """Return what is seen with what was known when the question says, and what to note of it."""
    if asked.known is None:
        return lens, past, ""
    end = asked.known.interval.end or lens.now("system")
    moment, own = end - timedelta(microseconds=1), lens.viewpoint.known_at
    if own is not None and own <= moment:
        return lens, past, f"as known at {own.isoformat()}, before {asked.known.words}"
    then = replace(lens, viewpoint=replace(lens.viewpoint, known_at=moment))
    before = await then.past()
    if own is not None and before and not before.upto:
        # The log begins later than that: the view says what its time of then is.
        return lens, past, f"no records of {asked.known.words}: as known at {own.isoformat()}"
    return then, before, f"as known at {moment.isoformat()}"


async def _read(asked: Asked, solution: Solution, lens: Lens, world: World) -> Answer:
    """Return an answer with its facts and entities as they are stored."""
    rows = [line.row for line in world.stored(solution.lines)]
    support = [line.row for line in world.stored(solution.support) if line.row not in rows]
    entities, facts = await lens.read(solution.entities, [*rows, *support], world.index, world.past)
    values = solution.values
    if asked.wants in ("when", "since", "until"):
        stated = {row: stated_units(facts[row]) for row in rows}
        values = dates_of(asked, solution.lines, world, stated)
    missing = "" if solution.values else "no fact fits: " + "; ".join(solution.steps)
    kin = kin_in(asked.main.tokens)
    named = asked.wants == "entities" and len(kin) == len(values) == 1
    if named and facts and all(belied(kin[0], fact.text) for fact in facts.values()):
        return Answer(asked, missing=f"no fact says that {values[0]} is a {kin[0].name}")
    return Answer(
        asked,
        tuple(values),
        tuple(entities[row] for row in solution.entities),
        tuple(facts[row] for row in rows),
        tuple(facts[row] for row in support),
        tuple(solution.steps),
        missing,
    )
