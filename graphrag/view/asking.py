"""Questions and typed queries answered from one viewpoint, on the facts of all times."""

import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from graphrag.ask.answer import Answer
from graphrag.ask.clause import Frame, shape_of
from graphrag.ask.evaluate import dates_of, solve
from graphrag.ask.names import tokens_of
from graphrag.ask.parse import read
from graphrag.ask.patterns import NotUnderstood, Patterns
from graphrag.ask.query import Query, Term
from graphrag.ask.resolve import Resolver
from graphrag.ask.senses import belied, parts_of
from graphrag.ask.world import CannotAnswer, World, stated_units
from graphrag.errors import InvalidAnswerError, QueryError
from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.values import Entity
from graphrag.names.key import name_key
from graphrag.protocols import Message, call
from graphrag.search.fuse import AnswersFirst
from graphrag.search.request import Request
from graphrag.search.visibility import VisibleRows
from graphrag.temporal.moment import from_micros, to_micros
from graphrag.view.context import ViewContext, steady
from graphrag.view.searches import run as search

if TYPE_CHECKING:
    from graphrag.ask.filled import Filled

_MOST_DATED = 50  # facts whose dates are read: a place has many that were born in it
_LONGEST = 2_000  # characters; what is longer is a text, not a question
_ASKS = re.compile(
    r"(?i)\A\W*(?:\w+\W+){0,12}?(?:who|whom|whose|what|which|where|when|how|did|does|do|was|were|is|"
    r"has|have|name|list|tell)\b"
)
_NAMING = re.compile(
    r"(?:(?:what|how) (?:is|'s|(?P<past>was|were|did|had)) E (?:[a-z]+ )*(?:called|named|known as)|"
    r"what (?:is|'s|(?P<was>was)) (?:E 's (?:[a-z]+ )*name|the (?:[a-z]+ )*name of E))(?: [a-z]+)*"
)
_MOST_FIRST = 20
_NEAR = 6  # entities that a model is shown beside those that a question names
_ENTITIES = "node_hybrid_search_rrf"
_SHORT = 300  # characters of a question whose answer is looked for before it is searched
_MOST_RELATIONS = 64  # relations whose meaning a question is compared with
_SPEAKER = "user"
_SELF = re.compile(
    r"\b(?:i(?:['’](?:m|ve|d|ll))?|(?P<whose>my|mine)|(?<!tell )(?<!show )(?<!give )(?:me|myself))"
    r"\b(?!['’])",
    re.IGNORECASE,
)
_QUESTION = (
    r"(?:(?:in|at|on|to|for|from|with|by|until|since|of) )?(?:who|whom|whose|what|which|where|when|"
    r"how|whether|if)\b"
)
_GREETING = re.compile(
    r"^(?:(?:please|kindly|ok|okay|so|and|well|hey|hi|hello|um|excuse me|good (?:morning|evening|"
    r"afternoon|day)|sorry(?: to (?:ask|bother)(?: you)?)?(?:,? but)?)\b[ ,.!:-]*)+(?=\w)",
    re.IGNORECASE,
)
_FRAME = re.compile(
    r"^(?!(?i:did|does(?! any)|was|were|is|are|has|had|have|who|whom|whose|what|which|where|when|"
    r"how|why)\b)(?:[A-Za-z][a-z'’]*)?(?:[ ,;-]+(?:[a-z'’]+|I(?:['’][a-z]+)?)){0,13}?[ ,]*"
    r"\b(?i:(?:tell|telling|show|showing|give|remind|reminding)(?: me| us)|let me know|know|ask|"
    r"asking|wonder|wondering|say|check(?: for me)?|find out|any idea)\b[ ,:]*(?:please[ ,]*)?"
    rf"(?={_QUESTION}|the )"
)
"""Words before the question, none of which is a name: "would you be so kind as to tell me"."""
_ORDERED = re.compile(
    r"^(?:(?:could|can|would|will) you |i (?:want|need|would like) you to )(?:please |kindly )?"
    r"(?=(?:name|list|give|show|find|tell)\b)|^(?:please |kindly )?(?:tell|show|give) (?:me|us) ",
    re.IGNORECASE,
)
_COURTESY = re.compile(
    r"[ ,.!-]*\b(?:thanks?(?: you)?(?: very much)?|please|pls|if (?:i|you) (?:may|might|don['’]t|"
    r"happen|could|can|know|would)\b[^?]*|(?:can|could) you help(?: me)?)[ !.?]*$",
    re.IGNORECASE,
)
_WRITTEN_OUT = tuple(
    (re.compile(rf"\b(?:{short})(?!\w)", re.IGNORECASE), word)
    for short, word in (
        (r"(?<=who)['’]d|(?<=when)['’]d|(?<=where)['’]d|(?<=what)['’]d|(?<=how)['’]d", " did"),
        ("b4", "before"),
        (r"acc\.? to", "according to"),
        ("whoever", "who"),
        (r"^(?:whether|if)", "did"),
    )
)


def worded(text: str, index: GroupIndex, seen: VisibleRows) -> str:
    """Return what a question asks, with "I" as the user of an assistant if the graph knows one."""
    text = " ".join(text.split())
    for frame in (_GREETING, _FRAME, _FRAME, _ORDERED, _COURTESY):
        text = frame.sub("", text, count=1) or text
    for short, word in _WRITTEN_OUT:
        text = short.sub(word, text)
    if not _SELF.search(text) or not seen.named(_SPEAKER, index):
        return text
    return _SELF.sub(lambda match: f"{_SPEAKER}'s" if match["whose"] else _SPEAKER, text)


async def answers_first(context: ViewContext, text: str) -> AnswersFirst | None:
    """Return the reranker for a question of a search; None if it is none, or no fact answers."""
    if len(text) > _SHORT or not _ASKS.match(text):
        return None
    world = await _world(context)
    text = worded(text, world.index, world.seen)
    tokens = tokens_of(text, world.index, world.seen, context.now())
    if not any(token.named for token in tokens):
        return None  # a search for a topic: nothing to read the grammar for
    frame = read(text, tokens)
    if frame.known or not any(clause.names for clause in frame.clauses):
        return None
    try:
        solution = solve(Resolver(frame, world, Patterns(world)).query(), world)
    except CannotAnswer:
        return None
    ids = world.index.facts.ids
    rows = dict.fromkeys(row.row for row in (*solution.rows, *solution.support))
    return AnswersFirst(tuple(ids[row] for row in rows)) if 0 < len(rows) <= _MOST_FIRST else None


async def _world(context: ViewContext) -> World:
    index, past = await context.index(), await context.past()
    return World(
        index,
        context.ever(index, past),
        past,
        context.session.relations,
        to_micros(context.now(), FOREVER),
        closed=context.viewpoint.valid_at is not None,
    )


def _read(text: str, world: World, context: ViewContext, *, small: bool = False) -> Frame:
    text = worded(text, world.index, world.seen)
    return read(text, tokens_of(text, world.index, world.seen, context.now(), small=small))


async def answer(context: ViewContext, question: str) -> Answer:
    """Answer a question from a viewpoint: as the grammar reads it, if it does not as a model."""
    read = await steady(context, partial(parsed, context, question))
    if context.session.llm is None or read.query is not None:
        return read
    try:
        return await read_by_model(context, question)
    except InvalidAnswerError:
        return read


async def read_by_model(context: ViewContext, question: str) -> Answer:
    """Answer a question as the language model of the graph reads it; commits do not wait for it."""
    from graphrag.ask.filled import Filled

    llm = context.session.llm
    assert llm is not None
    messages = await steady(context, partial(asked_of_model, context, question))
    filled = await call(partial(llm.complete, messages, answer=Filled))
    return await steady(context, partial(_filled, context, question, filled))


async def asked_of_model(context: ViewContext, question: str) -> list[Message]:
    """Return what a model is asked, to read a question."""
    from graphrag.ask.filled import ask_filled, vocabulary

    world, every = await _world(context), replace(context.viewpoint, history=True)
    request = Request.of(question, context.group, every, recipe=_ENTITIES, limit=_NEAR)
    found = await search(request, [replace(context, viewpoint=every)])
    near = [world.index.entities.row_of[hit.item.id] for hit in found.entities]
    graph = vocabulary(question, near, world, context.now())
    return ask_filled(question, graph, now=context.now())


async def _filled(context: ViewContext, question: str, filled: "Filled") -> Answer:
    from graphrag.ask.filled import Reader

    world = await _world(context)
    try:
        query = Reader(filled, world, context.now()).query(question)
    except CannotAnswer as error:
        return Answer(question, missing=str(error), by="model")
    context, world, note = await _known(query.known_at, context, world)
    world = await _dated(query.names, context, world)
    return replace(await _answered(query, question, context, world, note), by="model")


async def parsed(context: ViewContext, question: str) -> Answer:
    """Answer a question as the grammar reads it, without a model."""
    if not question.strip() or len(question) > _LONGEST:
        raise QueryError(f"a question has 1 to {_LONGEST} characters, this one {len(question)}")
    world = await _world(context)
    frame = _read(question, world, context)
    if called := await _called(question, frame, context, world):
        return called
    first = await _answered_as(question, frame, context, world)
    if first.query is not None:
        return first
    small = _read(question, world, context, small=True)
    second = first if small == frame else await _answered_as(question, small, context, world)
    return first if second.query is None else second


async def _called(question: str, frame: Frame, context: ViewContext, world: World) -> Answer | None:
    """Answer what an entity is or was called from its dated names; None for another question."""
    asks = _NAMING.fullmatch(shape_of(frame.main.tokens))
    if asks is None or frame.conditions or frame.known:
        return None
    named, during = frame.main.names[0], frame.main.during
    [row, *others] = world.rows_of(named)
    entity = (await context.entities([row], world.index, world.past))[row]
    if others or not entity.names:
        return None
    now = to_micros(context.now(), FOREVER)
    changes = {at for name in entity.names for at in (name.start, name.end)}
    moments = [*(at - 1 for at in sorted(changes) if BEGINNING < at <= now), now]
    if during is not None:
        moments = [min(now, to_micros(during.interval.end, FOREVER) - 1)]
    known: list[Entity] = []
    for moment in moments:
        then = replace(context.viewpoint, valid_at=from_micros(moment))
        context = replace(context, viewpoint=then)
        entity = (await context.entities([row], world.index, world.past))[row]
        known += [entity] * (not known or entity.name != known[-1].name)
    place = len(known) - 1
    if during is None and (frame.holds == "ended" or asks["past"] or asks["was"]):
        keys = [name_key(entity.name) for entity in known]
        asked = name_key(named.name)
        place = (keys.index(asked) if asked in keys[1:] else place) - 1
    query = Query(named, "named", words=question)
    if place < 0:
        return Answer(question, query, missing=f"no earlier name is known of {named}")
    steps = " → ".join(entity.name for entity in known)
    return Answer(question, query, (known[place].name,), (known[place],), steps=(steps,))


async def _answered_as(question: str, frame: Frame, context: ViewContext, world: World) -> Answer:
    context, world, note = await _known(frame.known_at, context, world)
    names = [*frame.among, *(name for clause in frame.clauses for name in clause.names)]
    world = await _dated(names, context, world)
    try:
        query = await _resolved(frame, context, world)
    except CannotAnswer as error:
        return Answer(question, missing=str(error))
    return await _answered(query, question, context, world, note)


async def run(context: ViewContext, query: Query) -> Answer:
    """Answer a typed query from a viewpoint."""
    context, world, note = await _known(query.known_at, context, await _world(context))
    return await _answered(query, "", context, world, note)


async def _resolved(frame: Frame, context: ViewContext, world: World) -> Query:
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


async def _dated(names: Iterable[Term], context: ViewContext, world: World) -> World:
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
    world = replace(world, seen=seen, past=before, now=now)
    return then, world, f"as known at {at.isoformat()}"
