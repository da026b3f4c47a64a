"""Searches of a group, or of several as if they were one, whatever chooses the candidates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.protocols import traced
from graphrag.sagas.order import missing
from graphrag.search import pipeline
from graphrag.search.inverses import with_inverses
from graphrag.search.recipes import recipe_of
from graphrag.search.request import SCOPES, Recipe, Request, Scope
from graphrag.search.rerank.reranker import AnswersFirst
from graphrag.search.results import Results
from graphrag.search.rewind import Past
from graphrag.temporal.interval import NOW, Viewpoint
from graphrag.temporal.moment import utc_now
from graphrag.view.lens import Lens

if TYPE_CHECKING:
    from graphrag.model.values import Entity
    from graphrag.search.filters.tree import Filter
    from graphrag.search.placement import Watch
    from graphrag.search.rank_communities import Made
    from graphrag.search.within import Reach, Within


def request_of(
    query: str,
    group: str,
    viewpoint: Viewpoint,
    *,
    limit: int | None = None,
    scopes: Sequence[Scope] | None = None,
    recipe: Recipe | str | None = None,
    centers: "Sequence[Entity | str]" = (),
    where: "Filter | None" = None,
    saga: str | None = None,
    within: "Within | Reach | None" = None,
    explain: bool = False,
) -> Request:
    """Return what a view is asked for, its recipe found by name; as ``View.search``.

    Raises:
        QueryError: naming the argument that cannot be used, and what would be right.
    """
    return Request.of(
        query,
        group,
        limit=limit,
        scopes=scopes,
        recipe=recipe_of(recipe),
        centers=centers,
        where=where,
        saga=saga,
        within=within,
        explain=explain,
        past=viewpoint not in (NOW, Viewpoint(history=True)),
    )


async def run(
    request: Request,
    lenses: Sequence[Lens],
    *,
    saga: str | None = None,
    watch: "Watch | None" = None,
) -> Results:
    """Search groups of one graph from one viewpoint; ``saga`` must be one that they know.

    A ``watch`` sees what is ranked.

    Raises:
        QueryError: naming the argument that cannot be used, and what would be right.
    """
    tracer, group = lenses[0].session.tracer, "+".join(lens.group for lens in lenses)
    with traced(tracer, "search", group=group, text=request.query) as note:
        results = await _found(request, lenses, saga=saga, watch=watch)
        if tracer is not None:
            note(
                {
                    "limit": request.limit,
                    **{scope: len(getattr(results, scope)) for scope in SCOPES},
                }
            )
    return results


async def _found(
    request: Request, lenses: Sequence[Lens], *, saga: str | None, watch: "Watch | None"
) -> Results:
    lens, session = lenses[0], lenses[0].session
    request = with_inverses(request, session.relations)
    if len(lenses) == 1:
        index = await _candidates(request, lens)
        past: Past | None = await lens.past()
        request = await _answering(request, lens)
    else:
        request, index, past = await _joined(request, lenses)
    if watch is not None:
        request = watch.on(request)
    if saga is not None and saga not in index.sagas:
        raise QueryError(missing(saga, request.group, index.sagas))
    made: Made | None = None
    if "communities" in request.scopes and lens.viewpoint not in (NOW, Viewpoint(history=True)):
        # Here, not above: most searches are of now, and rank the communities that are stored.
        from graphrag.view.communities import made_for

        made = await made_for(request, lenses)
    return await pipeline.run(
        request,
        index,
        session.store,
        session.embedder,
        lens.viewpoint,
        reranker=session.reranker,
        past=past,
        made=made,
        tracer=session.tracer,
    )


async def _answering(request: Request, lens: Lens) -> Request:
    """Return a search whose reranker ``AnswersFirst``, if it has one, knows the facts."""
    recipe = request.recipe
    rest = tuple(reranker for reranker in recipe.rerank if not isinstance(reranker, AnswersFirst))
    if len(rest) == len(recipe.rerank):
        return request
    first = None
    ranked = "facts" in request.scopes and recipe.facts.relation > 0
    if ranked and lens.session.store.profile == "process" and request.where is None:
        # Here, not above: it brings the grammar of questions, which opening a graph does not need.
        from graphrag.view.asking import answers_first

        first = await answers_first(lens, request.query)
    rerank = rest if first is None else (first, *rest)
    return replace(request, recipe=replace(recipe, rerank=rerank))


async def _joined(
    request: Request, lenses: Sequence[Lens]
) -> tuple[Request, GroupIndex, Past | None]:
    """Return what is searched for in several groups as of one, and in which columns."""
    # Here, not above: most searches are of one group.
    from graphrag.search.multi_group import join
    from graphrag.search.multi_request import Asked, Part

    lens, session = lenses[0], lenses[0].session
    parts = [
        Part(await _proposed(replace(request, group=lens.group), lens), await lens.past())
        for lens in lenses
    ]
    vector = (await session.embedder.embed([request.query], purpose="query"))[0]
    asked = Asked(request, vector, lens.viewpoint, utc_now())
    joined = await join(parts, asked, session.store, session.embedder)
    return joined


async def _proposed(request: Request, lens: Lens) -> GroupIndex:
    """Return what one of several groups proposes, though it may not know every center."""
    try:
        return await _candidates(request, lens)
    except QueryError:
        if not request.centers:
            raise
        return await _candidates(replace(request, centers=()), lens)


async def _candidates(request: Request, lens: Lens) -> GroupIndex:
    """Return the columns of a group, or of what SurrealDB chooses of it."""
    session = lens.session
    if session.store.profile == "process":
        return await lens.index()
    # Here, not above: few open a store of this profile.
    from graphrag.search.candidates.gather import gather

    vector = (await session.embedder.embed([request.query], purpose="query"))[0]
    return lens.known(
        await gather(
            session.store,
            session.embedder,
            request,
            vector,
            lens.viewpoint,
            await lens.past(),
            now=utc_now(),
            frequencies=session.frequencies,
        )
    )
