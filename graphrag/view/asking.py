"""Questions and typed queries answered from one viewpoint, on the facts of all times."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.ask.answer import Answer
from graphrag.ask.clause import Frame
from graphrag.ask.evaluate import dates_of, solve
from graphrag.ask.facts import Solution
from graphrag.ask.names import tokens_of
from graphrag.ask.parse import read
from graphrag.ask.patterns import NotUnderstood, Patterns
from graphrag.ask.query import Query
from graphrag.ask.resolve import Resolver
from graphrag.ask.senses import belied, parts_of
from graphrag.ask.spell import stated_units
from graphrag.ask.wants import worded
from graphrag.ask.world import CannotAnswer, World
from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.search.rerank.reranker import AnswersFirst
from graphrag.temporal.moment import to_micros
from graphrag.view.lens import Lens

if TYPE_CHECKING:
    from graphrag.index.group import GroupIndex
    from graphrag.search.rewind import Past

_MOST_DATED = 50
"""Facts whose dates are read: a place has many that were born in it."""
_LONGEST = 2_000
"""Characters; what is longer is a text, not a question."""


_ASKS = re.compile(
    r"(?i)\A\W*(?:\w+\W+){0,12}?(?:who|whom|whose|what|which|where|when|how|did|does|do|was|were|is|"
    r"has|have|name|list|tell)\b"
)
_MOST_FIRST = 20
_SHORT = 300
"""Characters of a question whose answer is looked for before it is searched."""
_MOST_RELATIONS = 64
"""Relations whose meaning a question is compared with."""


async def answers_first(lens: Lens, text: str) -> AnswersFirst | None:
    """Return the reranker for a question of a search; None if it is none, or no fact answers."""
    if len(text) > _SHORT or not _ASKS.match(text):
        return None
    index, past = await lens.index(), await lens.past()
    world = _world(lens, index, past)
    text = worded(text, index, world.seen)
    tokens = tokens_of(text, index, world.seen, lens.now())
    if not any(token.named for token in tokens):
        return None
    frame = read(text, tokens)
    if frame.known is not None:
        return None
    try:
        query = Resolver(frame, world, Patterns(world)).query()
        solution = solve(query, world)
    except CannotAnswer:
        return None
    ids = index.facts.ids
    rows = dict.fromkeys(row.row for row in (*solution.rows, *solution.support))
    return AnswersFirst(tuple(ids[row] for row in rows)) if 0 < len(rows) <= _MOST_FIRST else None


def _world(lens: Lens, index: "GroupIndex", past: "Past") -> World:
    return World(
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
    text = worded(question, index, world.seen)
    tokens = tokens_of(text, index, world.seen, lens.now())
    first = await _answered_as(question, read(text, tokens), lens, world)
    small = tokens_of(text, index, world.seen, lens.now(), small=True)
    if first.query is not None or small == tokens:
        return first
    second = await _answered_as(question, read(text, small), lens, world)
    return first if second.query is None else second


async def _answered_as(question: str, frame: Frame, lens: Lens, world: World) -> Answer:
    """Answer a question as it was read."""
    index, past = world.index, world.past
    lens, past, note = await _known(frame.known_at, lens, past)
    world = await _dated(frame, lens, _world(lens, index, past) if note else world)
    try:
        query = await _resolved(frame, lens, world)
    except CannotAnswer as error:
        return Answer(question, missing=str(error))
    return await _answered(query, question, lens, world, [note] if note else [])


async def run(lens: Lens, query: Query) -> Answer:
    """Answer a typed query from a viewpoint."""
    index, past = await lens.index(), await lens.past()
    lens, past, note = await _known(query.known_at, lens, past)
    return await _answered(query, "", lens, _world(lens, index, past), [note] if note else [])


async def _resolved(frame: Frame, lens: Lens, world: World) -> Query:
    """Return a question as a query: by its words, and if they do not tell by their meaning."""
    try:
        return Resolver(frame, world, Patterns(world)).query()
    except NotUnderstood:
        phrases = [" ".join(clause.content) for clause in frame.clauses if clause.content]
        ends = {
            row for clause in frame.clauses for name in clause.names for row in world.rows_of(name)
        }
        names = list(dict.fromkeys(row.relation for row in world.rows(ends)))[:_MOST_RELATIONS]
        if frame.unread or not phrases or not names:
            raise
    texts = [*phrases, *(" ".join(parts_of(name)) for name in names)]
    vectors = await lens.session.embedder.embed(texts, purpose="query")
    cosines = {
        (phrase, name): float(vectors[at] @ vectors[len(phrases) + place])
        for at, phrase in enumerate(phrases)
        for place, name in enumerate(names)
    }
    return Resolver(frame, world, Patterns(world, cosines)).query()


async def _answered(
    query: Query, question: str, lens: Lens, world: World, steps: Sequence[str]
) -> Answer:
    try:
        solution = solve(query, world, steps)
    except CannotAnswer as error:
        return Answer(question, query, missing=str(error))
    return await _read(query, question, solution, lens, world)


async def _dated(frame: Frame, lens: Lens, world: World) -> World:
    """Return a world in which what holds for ever begins when it came about: births, deaths."""
    ends = {row for clause in frame.clauses for name in clause.names for row in world.rows_of(name)}
    rows = [
        row
        for row in world.rows(ends)
        if row.start == BEGINNING and world.relations[row.relation].timeless
    ][:_MOST_DATED]
    if not rows:
        return world
    facts = await lens.facts([row.row for row in rows], world.index, world.past)
    since = {
        row: min(
            (statement.since.moment for statement in fact.statements if statement.since),
            default=None,
        )
        for row, fact in facts.items()
    }
    return replace(world, dated={row: to_micros(at, BEGINNING) for row, at in since.items() if at})


async def _known(at: datetime | None, lens: Lens, past: "Past") -> tuple[Lens, "Past", str]:
    """Return what is seen with what was known at a moment, and what to note of it."""
    if at is None:
        return lens, past, ""
    own = lens.viewpoint.known_at
    if own is not None and own <= at:
        return lens, past, f"as known at {own.isoformat()}, before {at.isoformat()}"
    then = replace(lens, viewpoint=replace(lens.viewpoint, known_at=at))
    before = await then.past()
    if own is not None and before and not before.upto:
        # The log begins later than that: the view says what its time of then is.
        return lens, past, f"no records of {at.isoformat()}: as known at {own.isoformat()}"
    return then, before, f"as known at {at.isoformat()}"


async def _read(
    query: Query, question: str, solution: Solution, lens: Lens, world: World
) -> Answer:
    """Return an answer with its facts and entities as they are stored."""
    rows = list(dict.fromkeys(row.row for row in solution.rows))
    support = [row.row for row in solution.support if row.row not in rows]
    entities, facts = await lens.read(solution.entities, [*rows, *support], world.index, world.past)
    values = solution.values
    if query.wants in ("when", "since", "until"):
        stated = {row: stated_units(facts[row]) for row in rows}
        values = dates_of(query, solution.rows, world, stated)
    gendered = [word for word in question.casefold().split() if belied(word, facts.values())]
    if gendered and query.wants == "entities":
        return Answer(question, query, missing=f"no fact says that: {gendered[0]}")
    return Answer(
        question,
        query,
        tuple(values),
        tuple(entities[row] for row in solution.entities),
        tuple(facts[row] for row in rows),
        tuple(facts[row] for row in dict.fromkeys(support)),
        tuple(solution.steps),
        "" if solution.values else "no fact fits: " + "; ".join(solution.steps),
    )
