"""A search from the query to the results: rank, rerank, read.

``rank`` is pure arithmetic on the in-memory columns, given the query's vector; the store is asked
only for the rows that are returned, and the passages they come from, in one round trip.
Each scope has one ranking function of a ``Question``: ``rank_facts``, ``rank_entities``,
``rank_episodes``. What a recipe reranks by is applied to each ranking in turn.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from graphrag.errors import QueryError
from graphrag.explanation import Trace
from graphrag.index.group import GroupIndex
from graphrag.index.topk import top
from graphrag.models import Entity, Episode, Fact
from graphrag.protocols import Embedder, Matrix
from graphrag.results import Hit, Results
from graphrag.search.asked import asked_types
from graphrag.search.entities import rank_entities
from graphrag.search.episodes.rank import rank_episodes
from graphrag.search.facts import rank_facts
from graphrag.search.fuse import Fused, Scores
from graphrag.search.near import distances
from graphrag.search.question import Question
from graphrag.search.recipe import Request, Scope
from graphrag.search.seeds import named_entities
from graphrag.search.visible import NOTHING_UNDONE, Mask, Past, Visible, visible
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from graphrag.temporal.viewpoint import Viewpoint

Value = TypeVar("Value", Fact, Entity, Episode)

_UNSEEN: Scores = np.empty(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Ranked rows of each scope, before they are read from the store."""

    facts: list[Fused[int]]
    entities: list[Fused[int]]
    episodes: list[Fused[int]]


async def run(
    request: Request,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    viewpoint: Viewpoint,
) -> Results:
    """Search one group from a viewpoint."""
    trace = Trace(on=request.explain)
    vector = (await embedder.embed([request.query], purpose="query"))[0]
    trace.step("embed")
    past = await undone(store, index.group_id, viewpoint)
    trace.step("undo", len(past.before), "records changed since known_at")
    ranked = rank(request, index, vector, viewpoint, past, now=utc_now(), trace=trace)
    facts, entities, episodes = await store.get_mixed(
        _ids(index.facts.ids, ranked.facts),
        _ids(index.entities.ids, ranked.entities),
        _ids(index.episodes.ids, ranked.episodes),
    )
    facts = past.facts(facts, index)
    fact_hits = _hits(ranked.facts, index.facts.ids, facts, NOTHING_UNDONE)
    sources = {id_ for hit in fact_hits for id_ in hit.item.episodes}
    passages = {id_: episodes[id_] for id_ in sources & episodes.keys()}
    passages |= await store.get(Episode, sorted(sources - passages.keys()))
    trace.step("read", len(facts) + len(entities) + len(episodes), f"and {len(passages)} sources")
    return Results(
        request.query,
        facts=fact_hits,
        entities=_hits(ranked.entities, index.entities.ids, entities, past),
        episodes=_hits(ranked.episodes, index.episodes.ids, episodes, past),
        passages=tuple(passages.values()),
    )


async def undone(store: Store, group: str, viewpoint: Viewpoint) -> Past:
    """Return what must be undone to see the group as it was known at the viewpoint."""
    if viewpoint.known_at is None:
        return NOTHING_UNDONE
    return Past.undoing(await store.events_since(group, viewpoint.known_at))


def rank(
    request: Request,
    index: GroupIndex,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Past,
    *,
    now: datetime,
    trace: Trace | None = None,
) -> Ranked:
    """Rank every scope asked for; pure arithmetic on the columns.

    Raises:
        QueryError: if a center is nobody's name or id.
    """
    trace = trace or Trace()
    seen = visible(index, viewpoint, past, now=now)
    trace.step("visible", int(seen.facts.sum()) if trace.on else None, "facts may be returned")
    question = _question(request, index, vector, seen, now, trace)
    facts = rank_facts(question) if _uses_facts(request) else []
    entities = rank_entities(question, facts) if "entities" in request.scopes else []
    episodes = rank_episodes(question) if "episodes" in request.scopes else []
    return Ranked(
        _reranked(facts, "facts", question),
        _reranked(entities, "entities", question),
        _reranked(episodes, "episodes", question),
    )


def _question(
    request: Request,
    index: GroupIndex,
    vector: Matrix,
    seen: Visible,
    now: datetime,
    trace: Trace,
) -> Question:
    """Work out what all rankings share, as far as one of them needs it."""
    recipe = request.recipe
    near = recipe.graph > 0 and not {"facts", "entities"}.isdisjoint(request.scopes)
    named = named_entities(request.query, index, seen)
    centers = _centers(request, index, seen)
    seeds = centers or named
    cosines = _UNSEEN
    if "entities" in request.scopes or (near and not seeds):
        cosines = index.entities.vectors.scores(vector)
        trace.step("entities: vector")
    if near and not seeds:
        seeds = top(cosines, recipe.seeds, seen.entities, 0.0)[0].tolist()
    trace.step("seeds", len(seeds), "given" if centers else "named" if named else "found")
    asked: Mask = np.zeros(len(index.entities), dtype=np.bool_)
    distance = np.full(len(asked), -1, dtype=np.int8)
    if near:
        codes = [index.type_code(type_) for type_ in asked_types(request.query)]
        asked = np.isin(index.entities["type"], codes)
        distance = distances(seen, seeds, recipe.depth)
        trace.step("walk", int((distance >= 0).sum()) if trace.on else None, "entities reached")
    return Question(
        request, index, vector, seen, now, named, seeds, distance, asked, cosines, trace
    )


def _centers(request: Request, index: GroupIndex, seen: Visible) -> list[int]:
    rows: dict[int, None] = {}
    for center in request.centers:
        known = [center] if center in index.entities.row_of else []
        ids = seen.shown(known, index) if known else seen.named(center, index)
        if not ids:
            raise QueryError(
                f"center {center!r}: no entity has this name or id in group {index.group_id!r}"
            )
        rows.update(dict.fromkeys(index.entities.row_of[id_] for id_ in ids))
    return list(rows)


def _uses_facts(request: Request) -> bool:
    """Tell whether facts are ranked: asked for, or needed to rank entities by them."""
    return "facts" in request.scopes or (
        "entities" in request.scopes and request.recipe.entities.facts > 0
    )


def _reranked(hits: list[Fused[int]], scope: Scope, question: Question) -> list[Fused[int]]:
    if scope not in question.request.scopes:
        return []
    for reranking in question.recipe.rerank:
        hits = reranking.rerank(hits, scope, question)
        question.trace.step(f"{scope}: {reranking.name}", len(hits))
    return hits[: question.request.limit]


def _ids(ids: list[str], ranked: list[Fused[int]]) -> list[str]:
    return [ids[fused.id] for fused in ranked]


def _hits(
    ranked: list[Fused[int]], ids: list[str], values: dict[str, Value], past: Past
) -> tuple[Hit[Value], ...]:
    return tuple(
        Hit(past.rewind(values[ids[fused.id]]), fused.score, fused.why)
        for fused in ranked
        if ids[fused.id] in values
    )
