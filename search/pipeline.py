"""A search from the query to the results: retrieve, fuse, hydrate.

Ranking happens on the in-memory columns; the store is asked only for the rows that are returned, in
one round trip, and once more for the passages they come from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import numpy as np

from graphrag.index.group import GroupIndex
from graphrag.models import Entity, Episode, Fact
from graphrag.protocols import Embedder, Matrix
from graphrag.results import Hit, Results
from graphrag.search.asked import asked_types
from graphrag.search.fuse import Fused, Ranking, reciprocal_rank_fusion
from graphrag.search.recipe import Request
from graphrag.search.retrieve import (
    by_vector,
    by_words,
    distances,
    entity_closeness,
    episode_scores,
    fact_closeness,
    in_facts,
    of_types,
    ties_to,
)
from graphrag.search.seeds import named_entities
from graphrag.search.visible import NOTHING_UNDONE, Past, visible
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from graphrag.temporal.viewpoint import Viewpoint

Value = TypeVar("Value", Fact, Entity, Episode)

_UNSEEN = np.empty(0, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Fused rows of each scope, before they are read from the store."""

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
    vector = (await embedder.embed([request.query], purpose="query"))[0]
    past = await undone(store, index.group_id, viewpoint)
    ranked = rank(request, index, vector, viewpoint, past, now=utc_now())
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
) -> Ranked:
    """Rank every scope asked for; pure arithmetic on the columns."""
    recipe = request.recipe
    seen = visible(index, viewpoint, past, now=now)
    named = named_entities(request.query, index, seen)
    meaning, found = _UNSEEN, Ranking[int]("vector", (), ())
    if not named or "entities" in request.scopes:
        meaning = index.entities.vectors.scores(vector)
        found = by_vector(index.entities, meaning, seen.entities, recipe)
    seeds = named or list(found.items[: recipe.seeds])
    distance = distances(seen, seeds, recipe)
    asked = of_types(index, asked_types(request.query))

    def fused(rankings: Iterable[Ranking[int]]) -> list[Fused[int]]:
        return reciprocal_rank_fusion(rankings, k=recipe.rrf_k)

    facts: list[Fused[int]] = []
    entities: list[Fused[int]] = []
    episodes: list[Fused[int]] = []
    if "facts" in request.scopes:
        cosines = index.facts.vectors.scores(vector)
        facts = fused(
            (
                by_vector(index.facts, cosines, seen.facts, recipe),
                by_words(index.facts, request.query, seen.facts, recipe),
                fact_closeness(seen, distance, asked, cosines, recipe),
            )
        )
    if "entities" in request.scopes:
        entities = fused(
            (
                Ranking("name", named, [1.0] * len(named)),
                found,
                in_facts(seen, facts, asked, recipe),
                by_words(index.entities, request.query, seen.entities, recipe),
                entity_closeness(
                    distance,
                    ties_to(seen, seeds),
                    asked,
                    meaning,
                    seen.entities,
                    recipe,
                ),
            )
        )
    if "episodes" in request.scopes:
        episodes = fused(
            (
                by_vector(index.episodes, episode_scores(index, vector), seen.episodes, recipe),
                by_words(index.episodes, request.query, seen.episodes, recipe),
            )
        )
    limit = request.limit
    return Ranked(facts[:limit], entities[:limit], episodes[:limit])


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
