"""Views: a group now, at another moment of world time, or as it was known earlier."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.view.context import Room, steady
from graphrag.view.walks import Walks

if TYPE_CHECKING:
    from graphrag.ask.answer import Answer, CitedAnswer
    from graphrag.ask.query import Query
    from graphrag.explorer.atlas import Atlas
    from graphrag.model.values import Entity, Episode, Fact
    from graphrag.search.filters import Filter
    from graphrag.search.recipe import Recipe, Scope
    from graphrag.search.results import Hit, Results
    from graphrag.search.within import Reach, Within
    from graphrag.view.audit import Audit
    from graphrag.view.communities import CommunityReads
    from graphrag.view.explaining import Placement
    from graphrag.view.exports import Exports
    from graphrag.view.sagas import SagaReads
    from graphrag.view.surreal import SurrealQL


@checked(QueryError, door="graph.stream")
class Streams(Room):
    """Streamed answers: ``graph.stream``."""

    def answer(self, question: str, *, max_tokens: int = 2000) -> AsyncIterator[CitedAnswer]:
        """Stream an answer: ``async for answer in graph.stream.answer(...):``.

        Yields the answer so far, each sentence checked; the last one is ``complete`` and equal to
        the result of ``View.answer``, which has the same arguments and errors. An answer that no
        model writes is yielded at once.
        """
        from graphrag.view import answering

        return answering.stream(self._context, question, max_tokens)


@checked(QueryError, around=steady, but=("answer",))
class View(Walks):
    """A read-only view of a group from one viewpoint, with every read as a method.

    ``graph.at(valid_at=...)`` returns one; a graph itself is the view of now.
    """

    def __repr__(self) -> str:
        return f"View({self.group_id!r}, {self.viewpoint!r})"

    @property
    def communities(self) -> CommunityReads:
        """Communities (clusters of entities): list, get, map, context and over_time."""
        from graphrag.view.communities import CommunityReads

        return CommunityReads(self._context)

    @property
    def sagas(self) -> SagaReads:
        """Sagas (named sequences of episodes): list, get and window."""
        from graphrag.view.sagas import SagaReads

        return SagaReads(self._context)

    @property
    def audit(self) -> Audit:
        """Reads of the whole group: contradictions, absence, orphans, growth and hubs."""
        from graphrag.view.audit import Audit

        return Audit(self._context)

    @property
    def export(self) -> Exports:
        """Exports: file, pandas, networkx, igraph and atlas."""
        from graphrag.view.exports import Exports

        return Exports(self._context)

    @property
    def surreal(self) -> SurrealQL:
        """Queries of the database in SurrealQL."""
        from graphrag.view.surreal import SurrealQL

        return SurrealQL(self._context)

    async def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
    ) -> Results:
        """Search the facts, entities, episodes and communities at the viewpoint.

        Args:
            query: A question or a few words. A time in it ("in 2021") selects facts that held then.
            limit: Maximum number of hits in each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, without communities in a view of the past.
            recipe: Ranking: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities (values, names or ids) from which graph proximity is measured;
                default: those that the query names, else the best found ones.
            where: Filter, such as ``Field.relation == "works_at"``. It does not apply to scopes
                that have none of its fields.
            saga: Name of a saga: only its episodes, their facts and entities; equal to
                ``where=Field.saga == name``.
            within: Part of the graph to search: ``Within("Alice", hops=2)``, or the result of
                ``within()``.
            explain: Whether to record every step with its time in ``Results.explanation``.

        Raises:
            QueryError: if an argument is not valid; the message names it and the valid values.
        """
        # Ranking is imported by the first search: opening a graph does without it.
        from graphrag.search.request import Request
        from graphrag.view.searches import run

        group, at = self.group_id, self.viewpoint
        request = Request.of(
            query, group, at, limit, scopes, recipe, centers, where, saga, within, explain
        )
        return await run(request, [self._context], saga=saga)

    async def show(self, *, limit: int = 2000) -> Atlas:
        """Return the explorer for a notebook; ``save("graph.html")`` writes it to a file.

        It contains the facts of all times that the view knows, and opens at its moment.

        Args:
            limit: Maximum number of entities, best connected first.

        Raises:
            QueryError: if the limit is out of range.
        """
        return await self.export.atlas(limit=limit, quotes=True)

    @property
    def stream(self) -> Streams:
        """Streamed answers: answer."""
        return Streams(self._context)

    async def ask(self, question: str) -> Answer:
        """Answer a question exactly from the facts, without a model, or state why that fails.

        It handles who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". It finds entities by full or short names, and relations by words and meaning.

        Raises:
            QueryError: if the question is empty or too long.
        """
        from graphrag.view.asking import answer

        return await answer(self._context, question)

    async def query(self, pattern: Query) -> Answer:
        """Answer a typed query: ``Query(subject="Ada", relation="lives_in", order=Order("last"))``.

        The answer is the end that is left open; an end may be another query. ``ask`` parses a
        question into a query, shown as ``answer.query``.

        Raises:
            QueryError: if the argument is not a query.
        """
        from graphrag.view.asking import run

        return await run(self._context, pattern)

    async def answer(self, question: str, *, max_tokens: int = 2000) -> CitedAnswer:
        """Answer a question in sentences with numbered sources.

        An exact answer of ``ask`` comes first. Else the language model of the graph writes the
        answer from search results, and every sentence is checked against the sources that it cites.
        Without a model, the answer consists of sentences of the sources. The model is called at
        most once. An answer without ``sentences`` gives the reason in ``missing``.

        Args:
            question: The question, in any language that the model reads; without a model, in the
                language of the texts.
            max_tokens: Maximum number of tokens of search results for the model, by estimate.

        Raises:
            QueryError: if the question is empty or too long, or the budget is too small for a fact.
            LLMError: if the model was not reachable.
        """
        from graphrag.view import answering

        return await answering.answer(self._context, question, max_tokens)

    async def explain(
        self,
        query: str,
        item: Hit[Any] | Fact | Entity | Episode | str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        max_tokens: int | None = None,
    ) -> Placement:
        """Explain why a search returns an item, or which step lost it.

        Args:
            query: The query of the search.
            item: A hit, fact, episode or entity, its id, or the name of an entity.
            limit: Same as in ``search``, as are the following arguments.
            scopes: Searched scopes.
            recipe: Ranking.
            centers: Entities from which proximity is measured.
            where: Filter.
            saga: Searched saga.
            within: Searched part of the graph.
            max_tokens: Also explain whether it fits into ``Results.context(max_tokens)``.

        Raises:
            QueryError: if an argument is not valid; the message names it and the valid values.
        """
        from graphrag.search.request import Request
        from graphrag.search.results import Hit
        from graphrag.view import explaining

        group, at = self.group_id, self.viewpoint
        request = Request.of(query, group, at, limit, scopes, recipe, centers, where, saga, within)
        value = item.item if isinstance(item, Hit) else item
        id_ = value if isinstance(value, str) else value.id
        return await explaining.explain(
            self._context, request, id_, saga=saga, max_tokens=max_tokens
        )
