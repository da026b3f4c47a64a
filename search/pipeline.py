"""Search pipeline: rank, read, rerank.

``rank`` is arithmetic on the columns in memory, given the query's vector; only returned rows and
their passages are read, in one round trip. Rerankers on columns run inside ``rank``, those on items
after reading. ``min_score`` is applied to relevance, before all rerankers or after the last that
judges relevance by a model; never to what the rankings are sorted by.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeVar

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.tables import read_mentions
from graphrag.model.attributes import named_at
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.protocols import Embedder, Reranker, Tracer
from graphrag.search.fuse import Fused, Item, Reranking, Rereading
from graphrag.search.masks import prepare
from graphrag.search.question import Question, ask
from graphrag.search.rank import Made, rank_communities, rank_entities, rank_facts
from graphrag.search.rank_episodes import rank_episodes
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.request import MOST, Request
from graphrag.search.results import Hit, Results, Trace
from graphrag.search.rewind import Rewind, rewound_index
from graphrag.store.pages import Found, read_found
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import to_micros, utc_now

Value = TypeVar("Value", Fact, Entity, Episode, Community)


async def run(
    request: Request,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    viewpoint: Viewpoint,
    *,
    past: Rewind,
    reranker: Reranker | None = None,
    made: Made | None = None,
    tracer: Tracer | None = None,
) -> Results:
    """Search one group from a viewpoint; ``made`` are the communities of another time."""
    trace = Trace(on=request.explain, tracer=tracer)
    vector = (await embedder.embed([request.query], purpose="query"))[0]
    trace.step("embed")
    if viewpoint.known_at is not None:
        trace.step("undo", len(past), "records changed since known_at")
    if request.reads_mentions and not past and not index.is_part:
        await read_mentions(store, index)
        trace.step("mentions")
    index = await rewound_index(index, past, store, embedder, mentions=request.reads_mentions)
    if made is not None:
        index = made.on(index)
        trace.step("communities", len(made.values), "of then may answer")
    if request.where is not None:
        await prepare(request.where, index, store)
        trace.step("filter", None, "columns read")
    question = ask(
        request, index, vector, viewpoint, past, now=utc_now(), reranker=reranker, trace=trace
    )
    return await _read(rank(question), question, store, past, made)


def rank(question: Question) -> dict[Scope, list[Fused]]:
    """Rank every scope that a question asks for; pure arithmetic on the columns.

    As many rows as are returned, or more if the recipe has rerankers left that read them first.
    """
    request = question.request
    rankings: dict[Scope, list[Fused]] = {}
    if "episodes" in request.scopes:
        rankings["episodes"] = rank_episodes(question)
    if "communities" in request.scopes:
        rankings["communities"] = rank_communities(question)
    if request.ranks_facts:
        rankings["facts"] = rank_facts(question)
    if "entities" in request.scopes:
        rankings["entities"] = rank_entities(question, rankings.get("facts", []))
    return {scope: rerank(rankings[scope], scope, question) for scope in request.scopes}


def candidate_ids(question: Question) -> dict[Scope, list[str]]:
    """Return the ids of every candidate by scope, best first, before anything reranks them."""
    recipe = replace(question.recipe, rerank=(), min_score=0)
    plain = replace(question.request, limit=MOST, recipe=recipe)
    rankings = rank(replace(question, request=plain))
    return {scope: question.ids(scope, hits) for scope, hits in rankings.items()}


async def _read(
    rankings: Mapping[Scope, list[Fused]],
    question: Question,
    store: Store,
    past: Rewind,
    made: Made | None,
) -> Results:
    trace = question.trace
    read = {scope: question.ids(scope, hits) for scope, hits in rankings.items()}
    found = await read_found(
        store,
        facts=read.get("facts", ()),
        entities=read.get("entities", ()),
        episodes=read.get("episodes", ()),
        communities=read.get("communities", ()) if made is None else (),
    )
    trace.step("read", found.count, f"with {len(found.episodes)} episodes, hits or sources")

    async def hits(scope: Scope, values: Mapping[str, Value]) -> tuple[Hit[Value], ...]:
        kept = await reread(rankings.get(scope, []), values, scope, question, store)
        ids = question.ids(scope, kept)
        return tuple(
            Hit(values[id_], fused.score, fused.why, fused.relevance)
            for id_, fused in zip(ids, kept, strict=True)
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


def rerank(hits: list[Fused], scope: str, question: Question) -> list[Fused]:
    """Apply what looks at columns; return what is wanted, or what is to be read to choose it."""
    recipe, limit = question.recipe, question.request.limit
    if _last_judge(recipe) < 0:
        hits = _relevant(hits, recipe)
    for reranker in recipe.rerank:
        if isinstance(reranker, Rereading):
            return hits[: max(limit, reranker.shortlist(limit))]
        hits = reranker.rerank(hits, scope, question)
        question.trace.step(f"{scope}: {reranker.name}", len(hits))
    return hits[:limit]


async def reread(
    hits: list[Fused], items: Mapping[str, Item], scope: str, question: Question, store: Store
) -> list[Fused]:
    """Apply what reads the items, and all that comes after it; return what is wanted."""
    recipe, ids = question.recipe, question.rows(scope).ids
    hits = [hit for hit in hits if ids[hit.id] in items]
    last_judge, reading = _last_judge(recipe), False
    for place, reranker in enumerate(recipe.rerank):
        reading = reading or isinstance(reranker, Rereading)
        if not reading or not hits:
            continue
        if isinstance(reranker, Reranking):
            hits = reranker.rerank(hits, scope, question)
        else:
            given = [items[ids[hit.id]] for hit in hits]
            hits = await reranker.reread(hits, given, question, store)
        if place == last_judge:
            hits = _relevant(hits, recipe)
        question.trace.step(f"{scope}: {reranker.name}", len(hits))
    return hits[: question.request.limit]


def _last_judge(recipe: Recipe) -> int:
    """Return the place of the last reranker that sets the relevance, -1 for none."""
    judging = (isinstance(each, Rereading) and each.judges for each in recipe.rerank)
    return max((place for place, judges in enumerate(judging) if judges), default=-1)


def _relevant(hits: list[Fused], recipe: Recipe) -> list[Fused]:
    return [hit for hit in hits if hit.relevance >= recipe.min_score]
