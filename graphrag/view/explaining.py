"""Explanation of a search: why it returns an item, or which step lost it.

The search runs again with two additional rerankers that change nothing: one records the fused
candidates, the other the final ranking. For an item in neither, the masks and columns of the
rankings show where it was lost.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, TypeAlias

import numpy as np

from graphrag.display.cards import table
from graphrag.display.lists import some
from graphrag.display.visible import flatten
from graphrag.model.values import Entity, Episode, Fact
from graphrag.search.context import assemble
from graphrag.search.fuse import Fused, scores_at
from graphrag.search.near import bearers
from graphrag.search.question import Question, episode_cosines
from graphrag.search.rank_episodes import word_scores
from graphrag.search.request import Request
from graphrag.search.results import Results, Why
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from graphrag.text.split import count_tokens
from graphrag.view.context import ViewContext
from graphrag.view.searches import run

Item: TypeAlias = Fact | Entity | Episode
Stage = Literal[
    "found", "never stored", "other group", "not known then", "merged", "waits for review",
    "retracted", "overruled", "not valid then", "not asked for", "filtered out", "no candidate",
    "too little relevance", "below the limit", "cut by the budget",
]  # fmt: skip
ItemScope = Literal["facts", "entities", "episodes"]


@dataclass(frozen=True, slots=True, repr=False)
class Placement:
    """Position of an item in search results, or the step that lost it."""

    query: str
    item_id: str
    stage: Stage
    """``found``, or the first step that lost the item."""
    reason: str
    """The explanation as a sentence."""
    rank: int | None = None
    """Position in the ranking, from 1; None if it was not a candidate."""
    ranked: int | None = None
    """Number of ranked items."""
    score: float | None = None
    relevance: float | None = None
    why: tuple[Why, ...] = ()
    """Rank and score by each method in the ranking. If the item was not a candidate: by vectors and
    words over all visible items; rank 0 if the method does not find it."""

    def __bool__(self) -> bool:
        return self.stage == "found"

    def __repr__(self) -> str:
        return f"Placement({self.stage!r}: {self.reason})"

    def __str__(self) -> str:
        lines = [f"{self.stage}: {flatten(self.reason)}"]
        for why in self.why:
            place = f"rank {why.rank}" if why.rank else "not found"
            lines.append(f"  {why.method}: {place}, {why.score:.3f}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = [(why.method, str(why.rank or "-"), f"{why.score:.3f}") for why in self.why]
        head = table(("stage", "why"), [(self.stage, self.reason)])
        return head + (table(("method", "rank", "score"), rows) if rows else "")


@dataclass(slots=True)
class Watch:
    """What a search ranked, before and after its rerankers."""

    question: Question | None = None
    fused: dict[str, list[Fused]] = field(default_factory=dict)
    final: dict[str, list[Fused]] = field(default_factory=dict)

    def on(self, request: Request) -> Request:
        """Return a search that is watched; the least relevance is left to who watches."""
        recipe = request.recipe
        rerank = (_Seen(self, self.fused), *recipe.rerank, _Seen(self, self.final))
        return replace(request, recipe=replace(recipe, rerank=rerank, min_score=0.0))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A reranker that leaves the order as it is."""

    watch: Watch
    rankings: dict[str, list[Fused]]

    name: ClassVar[str] = "watch"
    walks: ClassVar[bool] = False

    def rerank(self, hits: list[Fused], scope: str, question: Question) -> list[Fused]:
        """Return the hits, and keep them."""
        self.watch.question = question
        self.rankings[scope] = hits
        return hits


def unproposed(row: int, scope: ItemScope, question: Question) -> tuple[tuple[Why, ...], str]:
    """Return what the methods say of a row that none of them proposed, and that in words."""
    index, rows = question.index, np.flatnonzero(getattr(question.seen, scope))
    if scope == "episodes":
        words = word_scores(index, question.text)
        cosines = episode_cosines(index, question.vector)
    else:
        words = question.rows(scope).postings.scores(question.text)
        cosines = question.rows(scope).vectors.compare(question.vector)
    ranks = []
    for scores in (cosines, words):
        own = float(scores_at(scores, np.array([row]))[0])
        ranks.append((1 + int((scores_at(scores, rows) > own).sum()) if own > 0 else 0, own))
    (meaning, cosine), (wording, score) = ranks
    reasons = [
        f"by meaning it is rank {meaning}" if meaning else "no likeness",
        f"by words rank {wording}" if wording else "it has no word of the question",
    ]
    if scope != "episodes":
        ends = [row] if scope == "entities" else [int(end[row]) for end in question.seen.ends]
        hops = [int(question.distance[end]) for end in ends if question.distance[end] >= 0]
        reasons.append(
            f"{some(min(hops), 'hop')} from what the question names"
            if hops
            else "the walk through the graph did not reach it"
        )
    pool = question.recipe.pool_of(scope)
    reason = f"no method proposed it among its best {pool}: {', '.join(reasons)}"
    return (Why("vector", meaning, cosine), Why("fulltext", wording, score)), reason


async def explain(
    context: ViewContext, request: Request, id_: str, *, saga: str | None, max_tokens: int | None
) -> Placement:
    """Return where an item stands in the results of a search, or the stage that lost it."""

    def lost(stage: Stage, reason: str) -> Placement:
        return Placement(request.query, id_, stage, reason)

    stored = await _stored(id_, context.store)
    if stored is None:
        index, _, seen = await context.scene()
        if ids := bearers(id_, index, seen):
            id_ = ids[0]
            stored = await _stored(id_, context.store)
    if stored is None:
        return lost("never stored", "nothing has this id, and no entity this name")
    item, scope = stored
    if item.group_id != context.group:
        return lost("other group", f"it is in group {item.group_id!r}")
    if scope not in request.scopes:
        return lost("not asked for", f"the search is of {', '.join(request.scopes)}")
    watch = Watch()
    results = await run(request, [context], saga=saga, watch=watch)
    question = watch.question
    assert question is not None  # every scope that is asked for is ranked
    row = question.rows(scope).row_of.get(id_)
    unseen = await _unseen(item, scope, row, context, question)
    if unseen is not None:
        return lost(*unseen)
    if row is None:
        return lost("no candidate", "SurrealDB's indexes did not choose it")
    if not getattr(question.walked, scope)[row]:
        return lost("filtered out", "it does not lie within the part that is searched")
    if not getattr(question.seen, scope)[row]:
        return lost("filtered out", f"it does not fit {request.where!r}")
    return _ranked(watch, request, results, id_, row, scope, max_tokens)


async def _stored(id_: str, store: Store) -> tuple[Item, ItemScope] | None:
    if facts := await store.get(Fact, [id_]):
        return facts[id_], "facts"
    if episodes := await store.get(Episode, [id_]):
        return episodes[id_], "episodes"
    entities = await store.get(Entity, [id_])
    return (entities[id_], "entities") if entities else None


async def _unseen(
    item: Item, scope: ItemScope, row: int | None, context: ViewContext, question: Question
) -> tuple[Stage, str] | None:
    """Return why an item may not be seen from here; None if it may."""
    past, viewpoint = await context.past(), context.viewpoint
    record = {"facts": "relates_to", "entities": "entity", "episodes": "episode"}[scope]
    if not past.knew(record, item.id):
        return "not known then", "it was stored later"
    when = question.when
    if row is not None:
        base = visible(question.index, viewpoint, past, now=utc_now(), when=when)
        if getattr(base, scope)[row]:
            return None
    elif context.store.profile != "process":
        return None
    moment = str(when) if when and viewpoint.valid_at is None else f"{context.now().date()}"
    if isinstance(item, Entity):
        if (heir := past.rewind(item).merged_into) is not None:
            return "merged", f"it was found to be {heir}"
        return "retracted", "the last text that spoke of it was removed"
    if isinstance(item, Fact):
        return _closed(past.rewind(item), moment)
    then = past.rewind(item)
    if then.removed_at is not None:
        return "retracted", f"it was removed on {then.removed_at.date()}"
    return "not valid then", f"it is of {then.valid_at.date()}, and {moment} was looked at"


def _closed(fact: Fact, moment: str) -> tuple[Stage, str]:
    """Return why a fact, as it was then, may not be seen."""
    if fact.retracted_at is not None:
        if fact.closed_as == "superseded":
            return "merged", f"{fact.reason} ({fact.invalidated_by})"
        if fact.closed_as == "overruled":
            return "overruled", fact.reason or "another fact leaves it no moment"
        return "retracted", fact.reason or f"it was {fact.closed_as or 'retracted'}"
    if fact.pending:
        return "waits for review", "it waits in edit.pending()"
    start = "" if fact.valid_at is None else f" from {fact.valid_at.date()}"
    end = "" if fact.invalid_at is None else f" until {fact.invalid_at.date()}"
    return "not valid then", f"it holds{start}{end}, and {moment} was looked at"


def _ranked(
    watch: Watch,
    request: Request,
    results: Results,
    id_: str,
    row: int,
    scope: ItemScope,
    max_tokens: int | None,
) -> Placement:
    """Return the place of what may be seen and fits."""
    question = watch.question
    assert question is not None
    fused, final = watch.fused[scope], watch.final.get(scope, [])
    hit = next((fused for fused in final if fused.id == row), None)
    cut = hit is None
    hit = hit or next((ranked for ranked in fused if ranked.id == row), None)
    if hit is None:
        why, reason = unproposed(row, scope, question)
        return Placement(request.query, id_, "no candidate", reason, why=why)
    least = request.recipe.min_score
    hits = [ranked for ranked in (fused if cut else final) if ranked.relevance >= least]
    rank = next((place for place, fused in enumerate(hits, 1) if fused.id == row), None)
    stage: Stage = "found"
    reason = f"it is rank {rank} of {len(hits)}"
    if rank is None:
        stage = "too little relevance"
        reason = f"its relevance is {hit.relevance:.2f}, below the {least:g} that is asked for"
    elif cut or rank > request.limit:
        stage, reason = "below the limit", f"{reason}, and {request.limit} were asked for"
    elif max_tokens is not None and not _fits(results, id_, max_tokens):
        stage = "cut by the budget"
        reason = f"it is rank {rank}, and has no room in {max_tokens} tokens"
    why = tuple(why for why in hit.why if why.method != "watch")
    return Placement(
        request.query, id_, stage, reason, rank, len(hits), hit.score, hit.relevance, why
    )


def _fits(results: Results, id_: str, max_tokens: int) -> bool:
    found = assemble(results, max_tokens=max_tokens, format="text", count=count_tokens, direct=True)
    for hit in results.entities:
        if hit.item.id == id_:
            return bool(hit.item.summary) and hit.item.summary in found.text
    return any(id_ in (each.episode_id, *each.fact_ids) for each in found.citations)
