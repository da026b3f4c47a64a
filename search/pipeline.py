"""Search pipeline: rank, read, rerank.

``rank`` is arithmetic on the columns in memory, given the query's vector; only returned rows and
their passages are read, in one round trip. Rerankers on columns run inside ``rank``, those on items
after reading.

An event in a question ("before the move") becomes a time if a stated fact matches its words, facts
about the question's entities first. It is a guess, so it only orders and never filters.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

import numpy as np

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.read_lazy import read_mentions
from graphrag.model.attributes import named_at
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.protocols import Embedder, Matrix, Reranker, Tracer
from graphrag.search.episodes.rank_episodes import rank_episodes
from graphrag.search.explain import Trace
from graphrag.search.filters.masks import narrowed, prepare
from graphrag.search.fuse import Fused
from graphrag.search.limits import limited
from graphrag.search.near import named_entities
from graphrag.search.query_events import Anchor
from graphrag.search.query_time import Said, When
from graphrag.search.question import Question, ask
from graphrag.search.rank_communities import Made, rank_communities
from graphrag.search.rank_entities import rank_entities
from graphrag.search.rank_facts import rank_facts
from graphrag.search.request import Request, Scope
from graphrag.search.rerank.cross import rerank, reread
from graphrag.search.results import Hit, Results
from graphrag.search.rewind import Past, index_then, undone
from graphrag.search.visibility import Visible, visible
from graphrag.store.pages import Found, read_found
from graphrag.store.store import Store
from graphrag.temporal.interval import Interval, Viewpoint
from graphrag.temporal.moment import from_micros, to_micros, utc_now

_ENOUGH = 0.5
"""Share of the event's words, the rare ones weighing more, that a fact must have."""


def anchored(when: When, question: str, index: GroupIndex, ever: Visible) -> When:
    """Return what a question says of time, with the time of each event that a fact tells of.

    Args:
        when: What its words alone say.
        question: The question.
        index: The facts to look in.
        ever: What is visible of all times.
    """
    known = ever.facts & (ever.retracted == FOREVER) & (ever.valid != BEGINNING)
    named = named_entities(question, index, ever)
    if named:
        about = np.zeros(len(ever.entities), dtype=np.bool_)
        about[named] = True
        subject, object_ = ever.ends
        known &= about.take(subject) | about.take(object_)
    said = [one for anchor in when.anchors if (one := _placed(anchor, index, ever, known))]
    return replace(when, said=(*when.said, *said), filters=False) if said else when


def _placed(anchor: Anchor, index: GroupIndex, ever: Visible, known: np.ndarray) -> Said | None:
    postings = index.facts.postings
    whole = postings.whole(anchor.words)
    if not whole or not known.any():
        return None
    scores = np.where(known, postings.scores(anchor.words), 0.0)
    row = int(scores.argmax())
    if scores[row] < _ENOUGH * whole:
        return None
    start = from_micros(int(ever.valid[row]))
    end = None if ever.invalid[row] == FOREVER else from_micros(int(ever.invalid[row]))
    match anchor.bound:
        case "before":
            interval = Interval(end=start)
        case "until":
            interval = Interval(end=end or start)
        case "after" | "since":
            interval = Interval(start=start)
        case "in":
            if end is not None and end <= start:
                return None
            interval = Interval(start, end)
    return Said(f"{anchor.bound} {anchor.words}", interval, anchor.bound)


Value = TypeVar("Value", Fact, Entity, Episode, Community)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Ranked rows of each scope, before they are read from the store.

    As many as are returned, or more if the recipe has rerankers left that read them first.
    """

    question: Question
    rankings: Mapping[Scope, list[Fused[int]]]

    def hits(self, scope: Scope) -> list[Fused[int]]:
        """Return the ranking of a scope, empty if it was not asked for."""
        return self.rankings.get(scope, [])

    def ids(self, scope: Scope) -> list[str]:
        """Return the ids of the ranked rows of a scope."""
        ids = self.question.rows(scope).ids
        return [ids[hit.id] for hit in self.hits(scope)]


async def run(
    request: Request,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    viewpoint: Viewpoint,
    *,
    reranker: Reranker | None = None,
    past: Past | None = None,
    made: Made | None = None,
    tracer: Tracer | None = None,
) -> Results:
    """Search one group from a viewpoint.

    ``past`` is what is to be undone, if it is known; ``made`` are the communities of another time.
    """
    trace = Trace(on=request.explain, tracer=tracer)
    vector = (await embedder.embed([request.query], purpose="query"))[0]
    trace.step("embed")
    if past is None:
        past = await undone(store, index.group_id, viewpoint)
    if viewpoint.known_at is not None:
        trace.step("undo", len(past), "records changed since known_at")
    mentions = request.reads_mentions
    if mentions and not past and not index.is_part:
        await read_mentions(store, index)
        trace.step("mentions")
    index = await index_then(index, past, store, embedder, mentions=mentions)
    if made is not None:
        index = made.on(index)
        trace.step("communities", len(made.values), "of then may answer")
    if request.where is not None:
        await prepare(request.where, index, store)
        trace.step("filter", None, "columns read")
    ranked = rank(
        request, index, vector, viewpoint, past, now=utc_now(), reranker=reranker, trace=trace
    )
    return await read(ranked, store, past, made)


def rank(
    request: Request,
    index: GroupIndex,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Past,
    *,
    now: datetime,
    reranker: Reranker | None = None,
    trace: Trace | None = None,
) -> Ranked:
    """Rank every scope asked for; pure arithmetic on the columns.

    Raises:
        QueryError: if a center is nobody's name or id.
    """
    # Here, not above: it brings the grammar of dates, which opening a graph does not need.
    from graphrag.search.query_time import read_when

    trace = trace or Trace()
    at = viewpoint.valid_at or min(viewpoint.known_at or now, now)
    when = read_when(request.query, at)
    if when.anchors and viewpoint.valid_at is None:
        ever = visible(index, replace(viewpoint, history=True), past, now=now)
        if request.within is not None:
            ever = limited(request.within, index, ever)
        when = anchored(when, request.query, index, ever)
    if when:
        trace.step("time", len(when.said), str(when))
    walked = seen = visible(index, viewpoint, past, now=now, when=when)
    trace.step("visible", int(seen.facts.sum()) if trace.on else None, "facts may be returned")
    if request.within is not None:  # nothing else is there: not to walk along, nor to name
        walked = seen = limited(request.within, index, walked)
        trace.step("within", int(seen.facts.sum()) if trace.on else None, "facts in reach")
    if request.where is not None:  # walks and names go by all that is visible, hits by the filter
        seen = narrowed(request.where, index, walked, past)
        trace.step("filter", int(seen.facts.sum()) if trace.on else None, "facts fit")
    question = ask(
        request, index, vector, walked, when, seen=seen, now=at, reranker=reranker, trace=trace
    )
    rankings: dict[Scope, list[Fused[int]]] = {}
    if "episodes" in request.scopes:
        rankings["episodes"] = rank_episodes(question)
    if "communities" in request.scopes:
        rankings["communities"] = rank_communities(question)
    if request.ranks_facts:
        rankings["facts"] = rank_facts(question)
    if "entities" in request.scopes:
        rankings["entities"] = rank_entities(question, rankings.get("facts", []))
    return Ranked(
        question,
        {scope: rerank(rankings[scope], scope, question) for scope in request.scopes},
    )


async def read(ranked: Ranked, store: Store, past: Past, made: Made | None = None) -> Results:
    """Read what was ranked, let what reads it rerank it, and return it."""
    question, trace = ranked.question, ranked.question.trace
    found = await read_found(
        store,
        facts=ranked.ids("facts"),
        entities=ranked.ids("entities"),
        episodes=ranked.ids("episodes"),
        communities=ranked.ids("communities") if made is None else (),
    )
    trace.step("read", found.count, f"with {len(found.episodes)} episodes, hits or sources")

    async def hits(scope: Scope, values: Mapping[str, Value]) -> tuple[Hit[Value], ...]:
        kept = await reread(ranked.hits(scope), values, scope, question, store)
        ids = question.rows(scope).ids
        return tuple(
            Hit(values[ids[fused.id]], fused.score, fused.why, fused.relevance) for fused in kept
        )

    facts = await hits("facts", past.facts(found.facts, question.index))
    at = to_micros(question.now, FOREVER)
    entities = past.rewound(found.entities)
    entities |= {id_: named_at(entity, at) for id_, entity in entities.items() if entity.names}
    passages = tuple(map(past.rewind, await _passages(facts, found, store)))
    results = Results(
        question.text,
        facts=facts,
        entities=await hits("entities", entities),
        episodes=await hits("episodes", past.rewound(found.episodes)),
        communities=await hits("communities", found.communities if made is None else made.values),
        passages=passages,
    )
    trace.step("results", len(results))
    return replace(results, explanation=trace.explanation())


async def _passages(facts: Iterable[Hit[Fact]], found: Found, store: Store) -> tuple[Episode, ...]:
    """Return the episodes that state the facts, as far as they are there."""
    sources = dict.fromkeys(id_ for hit in facts for id_ in hit.item.episodes)
    known = found.episodes
    # Facts as they were once may have been stated by episodes that were since removed.
    if missing := [id_ for id_ in sources if id_ not in known]:
        known = {**known, **await store.get(Episode, missing)}
    return tuple(known[id_] for id_ in sources if id_ in known)
