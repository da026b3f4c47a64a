"""Why a question finds something, or which step of its search lost it."""

from dataclasses import replace
from typing import TypeAlias

from graphrag.model.values import Entity, Episode, Fact
from graphrag.search.context import assemble
from graphrag.search.near import bearers
from graphrag.search.placement import (
    ItemScope,
    Placement,
    Stage,
    Watch,
    hidden,
    unproposed,
    unproposed_reason,
)
from graphrag.search.question import Question
from graphrag.search.request import Request
from graphrag.search.results import Results
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now
from graphrag.text.split import count_tokens
from graphrag.view.lens import Lens
from graphrag.view.searches import run

Item: TypeAlias = Fact | Entity | Episode


async def explain(
    lens: Lens, request: Request, id_: str, *, saga: str | None, max_tokens: int | None
) -> Placement:
    """Return where an item stands in the results of a search, or the stage that lost it.

    Raises:
        QueryError: naming the argument that cannot be used.
    """

    def lost(stage: Stage, reason: str) -> Placement:
        return Placement(request.query, id_, stage, reason)

    stored = await _stored(id_, lens.store)
    if stored is None:
        index, _, seen = await lens.scene()
        if named := bearers(id_, index, seen):
            id_ = named[0]
            stored = await _stored(id_, lens.store)
    if stored is None:
        return lost(
            "never stored", "no fact, entity or episode has this id, and no entity this name"
        )
    item, scope = stored
    if item.group_id != lens.group:
        return lost("other group", f"it is in group {item.group_id!r}")
    if scope not in request.scopes:
        return lost("not asked for", f"the search is of {', '.join(request.scopes)}")
    watch = Watch()
    results = await run(request, [lens], saga=saga, watch=watch)
    question = watch.question
    assert question is not None  # every scope that is asked for is ranked
    row = question.rows(scope).row_of.get(id_)
    unseen = await _unseen(item, scope, row, lens, question)
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
    if entities := await store.get(Entity, [id_]):
        return entities[id_], "entities"
    return None


async def _unseen(
    item: Item, scope: ItemScope, row: int | None, lens: Lens, question: Question
) -> tuple[Stage, str] | None:
    """Return why an item may not be seen from here; None if it may."""
    past, viewpoint = await lens.past(), lens.viewpoint
    record = {"facts": "relates_to", "entities": "entity", "episodes": "episode"}[scope]
    if not past.knew(record, item.id):
        return hidden(None, "")
    when = question.when if question.when else None
    if row is not None:
        base = visible(question.index, viewpoint, past, now=utc_now(), when=when)
        if getattr(base, scope)[row]:
            return None
    elif lens.store.profile != "process":
        return None
    if isinstance(item, Entity):
        if (heir := past.rewind(item).merged_into) is not None:
            return "merged", f"it was found to be {heir}"
        return "retracted", "the last text that spoke of it was removed"
    moment = str(when) if when is not None and viewpoint.valid_at is None else ""
    moment = moment or f"{lens.now().date()}"
    if isinstance(item, Fact):
        return hidden(past.rewind(item), moment)
    return hidden(past.rewind(item), moment)


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
    hit = hit or next((one for one in fused if one.id == row), None)
    if hit is None:
        why = unproposed(row, scope, question)
        pool = request.recipe.pool_of(scope)
        return Placement(request.query, id_, "no candidate", unproposed_reason(why, pool), why=why)
    least = request.recipe.min_score
    hits = [one for one in (fused if cut else final) if one.relevance >= least]
    known = Placement(
        request.query,
        id_,
        "found",
        "",
        ranked=len(hits),
        score=hit.score,
        relevance=hit.relevance,
        why=tuple(why for why in hit.why if why.method != "watch"),
    )
    if hit.relevance < least:
        reason = f"its relevance is {hit.relevance:.2f}, below the {least:g} that is asked for"
        return replace(known, stage="too little relevance", reason=reason)
    rank = 1 + next(place for place, fused in enumerate(hits) if fused.id == row)
    known = replace(known, rank=rank)
    if cut or rank > request.limit:
        reason = f"it is rank {rank} of {len(hits)}, and {request.limit} were asked for"
        return replace(known, stage="below the limit", reason=reason)
    if max_tokens is not None and not _fits(results, id_, max_tokens):
        reason = f"it is rank {rank}, and has no room in {max_tokens} tokens"
        return replace(known, stage="cut by the budget", reason=reason)
    return replace(known, reason=f"it is rank {rank} of {len(hits)}")


def _fits(results: Results, id_: str, max_tokens: int) -> bool:
    """Tell whether a context of this budget has room for an item; of entities: their summaries."""
    found = assemble(results, max_tokens=max_tokens, format="text", count=count_tokens, direct=True)
    named = {one for each in found.citations for one in (each.episode_id, *each.fact_ids)}
    entity = next((hit.item for hit in results.entities if hit.item.id == id_), None)
    if entity is not None:
        return bool(entity.summary) and entity.summary in found.text
    return id_ in named
