"""Searches of a group, or of several as if they were one, whatever chooses the candidates."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.protocols import traced
from graphrag.sagas.order import missing
from graphrag.search import pipeline
from graphrag.search.fuse import AnswersFirst
from graphrag.search.recipe import SCOPES
from graphrag.search.request import Request, with_inverses
from graphrag.search.results import Results
from graphrag.search.rewind import Rewind
from graphrag.temporal.interval import NOW, Viewpoint
from graphrag.temporal.moment import utc_now
from graphrag.view.context import ViewContext

if TYPE_CHECKING:
    from graphrag.search.rank import Made
    from graphrag.view.explaining import Watch

_SHORT = 300  # characters of a question whose answer is looked for before it is searched
_MOST_FIRST = 20


async def run(
    request: Request,
    contexts: Sequence[ViewContext],
    *,
    saga: str | None = None,
    watch: "Watch | None" = None,
) -> Results:
    """Search groups of one graph from one viewpoint; ``saga`` must be one that they know.

    A ``watch`` sees what is ranked.
    """
    tracer, group = contexts[0].session.tracer, "+".join(context.group for context in contexts)
    with traced(tracer, "search", group=group, text=request.query) as note:
        results = await _found(request, contexts, saga=saga, watch=watch)
        if tracer is not None:
            counts: dict[str, int] = {scope: len(getattr(results, scope)) for scope in SCOPES}
            note({"limit": request.limit, **counts})
    return results


async def _found(
    request: Request, contexts: Sequence[ViewContext], *, saga: str | None, watch: "Watch | None"
) -> Results:
    context, session = contexts[0], contexts[0].session
    request = with_inverses(request, session.relations)
    if len(contexts) == 1:
        index = await _candidates(request, context)
        past = await context.past()
        request = await _answering(request, context)
    else:
        request, index, past = await _joined(request, contexts)
    if watch is not None:
        request = watch.on(request)
    if saga is not None and saga not in index.sagas:
        raise QueryError(missing(saga, request.group, index.sagas))
    made: Made | None = None
    if "communities" in request.scopes and context.viewpoint not in (NOW, Viewpoint(history=True)):
        # Here, not above: most searches are of now, and rank the communities that are stored.
        from graphrag.view.communities import made_for

        made = await made_for(request, contexts)
    return await pipeline.run(
        request, index, session.store, session.embedder, context.viewpoint,
        reranker=session.reranker, past=past, made=made, tracer=session.tracer,
    )  # fmt: skip


async def _answering(request: Request, context: ViewContext) -> Request:
    """Return a search whose reranker ``AnswersFirst``, if it has one, knows the facts."""
    recipe = request.recipe
    rest = tuple(reranker for reranker in recipe.rerank if not isinstance(reranker, AnswersFirst))
    if len(rest) == len(recipe.rerank):
        return request
    first = None
    ranked = "facts" in request.scopes and recipe.facts.relation > 0
    if ranked and context.session.store.profile == "process" and request.where is None:
        first = await _answers_first(context, request.query)
    rerank = rest if first is None else (first, *rest)
    return replace(request, recipe=replace(recipe, rerank=rerank))


async def _answers_first(context: ViewContext, text: str) -> AnswersFirst | None:
    """Return the reranker for a question of a search; None if it is none, or no fact answers."""
    # Here, not above: opening a graph does not need the grammar of questions.
    from graphrag.ask.evaluate import solve
    from graphrag.ask.names import tokens_of
    from graphrag.ask.parse import read
    from graphrag.ask.patterns import Patterns
    from graphrag.ask.resolve import Resolver
    from graphrag.ask.wording import ASKS, worded
    from graphrag.ask.world import CannotAnswer

    if len(text) > _SHORT or not ASKS.match(text):
        return None
    world = await context.world()
    asked = worded(text, world.index, world.seen)
    frame = read(asked, tokens_of(asked, world.index, world.seen, context.now()))
    if frame.known or not frame.names:
        return None
    try:
        solution = solve(Resolver(frame, world, Patterns(world)).query(), world)
    except CannotAnswer:
        return None
    ids = world.index.facts.ids
    rows = dict.fromkeys(row.row for row in (*solution.rows, *solution.support))
    return AnswersFirst(tuple(ids[row] for row in rows)) if 0 < len(rows) <= _MOST_FIRST else None


async def _joined(
    request: Request, contexts: Sequence[ViewContext]
) -> tuple[Request, GroupIndex, Rewind]:
    """Return what is searched for in several groups as of one, and in which columns."""
    # Here, not above: most searches are of one group.
    from graphrag.search.multi_group import Asked, GroupPart, join

    context, session = contexts[0], contexts[0].session
    parts = [
        GroupPart(
            await _candidates(replace(request, group=context.group), context), await context.past()
        )
        for context in contexts
    ]
    vector = (await session.embedder.embed([request.query], purpose="query"))[0]
    asked = Asked(request, vector, context.viewpoint, utc_now())
    return await join(parts, asked, session.store, session.embedder)


async def _candidates(request: Request, context: ViewContext) -> GroupIndex:
    session = context.session
    if session.store.profile == "process":
        return await context.index()
    # Here, not above: few open a store of this profile.
    from graphrag.search.gather import gather

    store, embedder, view = session.store, session.embedder, context.viewpoint
    vector, past = (await embedder.embed([request.query], purpose="query"))[0], await context.past()
    found = await gather(
        store, embedder, request, vector, view, past, now=utc_now(), frequencies=session.frequencies
    )
    return context.known(found)
