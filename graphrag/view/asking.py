"""Questions and typed queries answered from one viewpoint, on the facts of all times."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial

from graphrag.ask.answer import Answer
from graphrag.ask.clause import Frame, shape_of
from graphrag.ask.evaluate import dates_of, solve
from graphrag.ask.filled import Reader, vocabulary
from graphrag.ask.names import tokens_of
from graphrag.ask.parse import read
from graphrag.ask.patterns import NotUnderstood, Patterns
from graphrag.ask.prompts import READING, Filled, messages
from graphrag.ask.query import Named, Query
from graphrag.ask.resolve import Resolver
from graphrag.ask.senses import belied, parts_of
from graphrag.ask.wording import EARLIER, NAMING, worded
from graphrag.ask.world import CannotAnswer, World, bounds_of, stated_units
from graphrag.errors import InvalidAnswerError, QueryError, TimeError
from graphrag.index.group import BEGINNING, FOREVER
from graphrag.model.values import Entity
from graphrag.names.key import name_key
from graphrag.protocols import LLM, Message, call
from graphrag.search import pipeline
from graphrag.search.request import Request
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.view.context import ViewContext, steady

_MOST_DATED = 50  # facts whose dates are read: a place has many that were born in it
_LONGEST = 2_000  # characters; what is longer is a text, not a question
_NEAR = 6  # entities that a model is shown beside those that a question names
_ENTITIES = "node_hybrid_search_rrf"
_MOST_RELATIONS = 64  # relations whose meaning a question is compared with


def _read(text: str, world: World, context: ViewContext, *, small: bool = False) -> Frame:
    asked = worded(text, world.index, world.seen)
    return read(asked, tokens_of(asked, world.index, world.seen, context.now(), small=small))


async def answer(context: ViewContext, question: str) -> Answer:
    """Answer a question from a viewpoint: as a model reads it, or else as the grammar does."""
    llm = context.session.llm
    read = None if llm is None else await read_by_model(context, question, llm)
    return await steady(context, partial(parsed, context, question)) if read is None else read


async def read_by_model(context: ViewContext, question: str, llm: LLM) -> Answer | None:
    """Answer a question as a model reads it, for which no commit waits; None if it does not."""
    messages = await steady(context, partial(asked_of_model, context, question))
    try:
        filled = await call(partial(llm.complete, messages, answer=Filled))
    except InvalidAnswerError:
        return None
    return await steady(context, partial(_filled, context, question, filled))


async def asked_of_model(context: ViewContext, question: str) -> list[Message]:
    """Return what a model is asked, to read a question."""
    _check(question)
    world, every = await context.world(), replace(context.viewpoint, history=True)
    request = Request.of(question, context.group, every, recipe=_ENTITIES, limit=_NEAR)
    store, embedder = context.store, context.session.embedder
    found = await pipeline.run(request, world.index, store, embedder, every, past=world.past)
    near = [world.index.entities.row_of[hit.item.id] for hit in found.entities]
    graph = vocabulary(question, near, world, context.now())
    return messages(READING, question, graph, now=context.now())


async def _filled(context: ViewContext, question: str, filled: Filled) -> Answer:
    world = await context.world()
    reader = Reader(filled, world, context.now())
    try:
        query = reader.query(question)
    except (CannotAnswer, TimeError) as error:
        return Answer(question, missing=str(error), by="model")
    then, before, note = await _known(query.known_at, context, world)
    dated = await _dated(reader.names, then, before)
    return replace(await _answered(query, question, then, dated, note), by="model")


def _check(question: str) -> None:
    if not question.strip() or len(question) > _LONGEST:
        raise QueryError(f"a question has 1 to {_LONGEST} characters, this one {len(question)}")


async def parsed(context: ViewContext, question: str) -> Answer:
    """Answer a question as the grammar reads it, without a model."""
    _check(question)
    world = await context.world()
    frame = _read(question, world, context)
    if (called := await _called(question, frame, context, world)) is not None:
        return called
    first = await _answered_as(question, frame, context, world)
    if first.query is not None:
        return first
    small = _read(question, world, context, small=True)
    second = first if small == frame else await _answered_as(question, small, context, world)
    return first if second.query is None else second


async def _called(question: str, frame: Frame, context: ViewContext, world: World) -> Answer | None:
    """Answer what an entity is or was called from its dated names; None for another question."""
    asks = NAMING.fullmatch(shape_of(frame.main.tokens)) and not (frame.conditions or frame.known)
    rows = world.rows_of(frame.main.names[0]) if asks else []
    if len(rows) != 1:
        return None
    entity = (await context.entities(rows, world.index, world.past))[rows[0]]
    if not entity.names:
        return None
    named, during, order = frame.main.names[0], frame.main.during, frame.main.order
    start, end = (BEGINNING, FOREVER) if during is None else bounds_of(during.interval)
    end = min(end, to_micros(context.now(), FOREVER) + 1)
    changes = {at for name in entity.names for at in (name.start, name.end)}
    known: list[Entity] = []
    for moment in sorted({at - 1 for at in (*changes, end) if start < at <= end}):
        viewpoint = replace(context.viewpoint, valid_at=from_micros(moment))
        then = replace(context, viewpoint=viewpoint)
        entity = (await then.entities(rows, world.index, world.past))[rows[0]]
        known += [entity] * (not known or entity.name != known[-1].name)
    chosen, holds, interval = known, frame.holds, None if during is None else during.interval
    if during is None:
        past = holds == "ended" or not EARLIER.isdisjoint(frame.main.words)
        holds, asked = "ended" if past else "now", name_key(named.name)
        again = (at for at, entity in enumerate(known) if at and name_key(entity.name) == asked)
        before = known[: max(again, default=len(known) - 1)]
        chosen = (before[:1] if order else before[-1:]) if past else known[-1:]
    query = Query(named, "named", interval=interval, holds=holds, order=order, words=question)
    values, names = (tuple(entity.name for entity in each) for each in (chosen, known))
    missing = "" if chosen else f"no {'earlier ' * (during is None)}name is known of {named}"
    steps = (" → ".join(names),)
    return Answer(question, query, values, tuple(chosen), steps=steps, missing=missing)


async def _answered_as(question: str, frame: Frame, context: ViewContext, world: World) -> Answer:
    then, before, note = await _known(frame.known_at, context, world)
    dated = await _dated(frame.names, then, before)
    try:
        query = await _resolved(frame, then, dated)
    except CannotAnswer as error:
        return Answer(question, missing=str(error))
    return await _answered(query, question, then, dated, note)


async def run(context: ViewContext, query: Query) -> Answer:
    """Answer a typed query from a viewpoint."""
    then, before, note = await _known(query.known_at, context, await context.world())
    return await _answered(query, "", then, before, note)


async def _resolved(frame: Frame, context: ViewContext, world: World) -> Query:
    """Return a question as a query: by its words, and if they do not tell by their meaning."""
    try:
        return Resolver(frame, world, Patterns(world)).query()
    except NotUnderstood:
        phrases = [" ".join(clause.content) for clause in frame.clauses if clause.content]
        ends = {row for name in frame.names for row in world.rows_of(name)}
        names = list(dict.fromkeys(row.relation for row in world.rows(ends)))[:_MOST_RELATIONS]
        if frame.unread or not phrases or not names:
            raise
    texts = [*phrases, *(" ".join(parts_of(name)) for name in names)]
    vectors = await context.session.embedder.embed(texts, purpose="query")
    cosines = {
        (phrase, name): float(vectors[at] @ vectors[len(phrases) + place])
        for at, phrase in enumerate(phrases)
        for place, name in enumerate(names)
    }
    return Resolver(frame, world, Patterns(world, cosines)).query()


async def _answered(
    query: Query, question: str, context: ViewContext, world: World, note: str
) -> Answer:
    """Return an answer with its facts and entities as they are stored."""
    try:
        solution = solve(query, world, [note] if note else [])
    except CannotAnswer as error:
        return Answer(question, query, missing=str(error))
    rows = list(dict.fromkeys(row.row for row in solution.rows))
    support = [row.row for row in solution.support if row.row not in rows]
    entities, facts = await context.read(solution.entities, rows + support, world.index, world.past)
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


async def _dated(names: Iterable[Named], context: ViewContext, world: World) -> World:
    """Return a world in which what holds for ever begins when it came about: births, deaths."""
    ends = {row for name in names for row in world.rows_of(name)}
    rows = [
        row
        for row in world.rows(ends)
        if row.start == BEGINNING and world.relations[row.relation].timeless
    ][:_MOST_DATED]
    if not rows:
        return world
    facts = await context.facts([row.row for row in rows], world.index, world.past)
    dated = {}
    for row, fact in facts.items():
        if since := [said.since.moment for said in fact.statements if said.since]:
            dated[row] = to_micros(min(since), BEGINNING)
    return replace(world, dated=dated)


async def _known(
    at: datetime | None, context: ViewContext, world: World
) -> tuple[ViewContext, World, str]:
    """Return what is seen with what was known at a moment, and what to note of it."""
    if at is None:
        return context, world, ""
    own = context.viewpoint.known_at
    if own is not None and own <= at:
        return context, world, f"as known at {own.isoformat()}, before {at.isoformat()}"
    then = replace(context, viewpoint=replace(context.viewpoint, known_at=at))
    before = await then.past()
    if own is not None and before and not before.upto:
        # The log begins later than that: the view says what its time of then is.
        return context, world, f"no records of {at.isoformat()}: as known at {own.isoformat()}"
    seen, now = then.ever(world.index, before), to_micros(then.now(), FOREVER)
    known = replace(world, seen=seen, past=before, now=now)
    return then, known, f"as known at {at.isoformat()}"
