"""A group seen from a viewpoint: now, at another moment, or as it was known at one."""

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
    """Answers while they are written: ``graph.stream``."""

    def answer(self, question: str, *, max_tokens: int = 2000) -> AsyncIterator[CitedAnswer]:
        """Give the answer while it is written: ``async for answer in graph.stream.answer(...):``.

        Each is the answer so far, with all of its sentences checked; the last is ``complete``, and
        what ``answer`` returns; arguments and errors are its own. What is not written by a model
        comes at once.
        """
        from graphrag.view import answering

        return answering.stream(self._context, question, max_tokens)


@checked(QueryError, around=steady, but=("answer",))
class View(Walks):
    """A group as seen from one viewpoint; every read of it is a method here.

    ``graph.at(valid_at=...)`` is one; a graph itself is the view of now.
    """

    def __repr__(self) -> str:
        return f"View({self.group_id!r}, {self.viewpoint!r})"

    @property
    def communities(self) -> CommunityReads:
        """Return the clusters of entities: list, get, map and context."""
        from graphrag.view.communities import CommunityReads

        return CommunityReads(self._context)

    @property
    def sagas(self) -> SagaReads:
        """Return the named runs of episodes: list, get and window."""
        from graphrag.view.sagas import SagaReads

        return SagaReads(self._context)

    @property
    def audit(self) -> Audit:
        """Return the reads of the whole: contradictions, orphans, growth and hubs."""
        from graphrag.view.audit import Audit

        return Audit(self._context)

    @property
    def export(self) -> Exports:
        """Return what gives the group to others: file, pandas, networkx and igraph."""
        from graphrag.view.exports import Exports

        return Exports(self._context)

    @property
    def surreal(self) -> SurrealQL:
        """Return what asks the database in SurrealQL, where no method does."""
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
        """Search what is true at the viewpoint, or at the time that the question speaks of.

        Args:
            query: A question, or a few words.
            limit: Hits of each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, in a view of the past without communities.
            recipe: How to rank: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities, by themselves, name or id, that closeness in the graph counts from;
                default: those that the query names, else the best found.
            where: What hits must be like: ``Field.relation == "works_at"``. A scope that has none
                of the fields named is not filtered.
            saga: Name of a saga: only what its episodes tell of, and no communities; short for
                ``where=Field.saga == name``.
            within: The part of the graph that is searched: ``Within("Alice", hops=2)``, what lies
                near something, or what ``within()`` found.
            explain: Note every step with its time in ``Results.explanation``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        # Ranking is imported by the first search: opening a graph does without it.
        from graphrag.search.request import Request
        from graphrag.view.searches import run

        request = Request.of(
            query,
            self._context.group,
            self._context.viewpoint,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
        )
        return await run(request, [self._context], saga=saga)

    async def show(self, *, limit: int = 2000) -> Atlas:
        """Return the explorer: a notebook shows it, ``save("graph.html")`` keeps it as a page.

        It has the facts of all times that the view knows, and opens at the view's moment.

        Args:
            limit: Entities at most, the best connected ones.

        Raises:
            QueryError: for an impossible limit.
        """
        return await self.export.atlas(limit=limit, quotes=True)

    @property
    def stream(self) -> Streams:
        """Return the answers that come while they are written."""
        return Streams(self._context)

    async def ask(self, question: str) -> Answer:
        """Answer a question from the facts, without a model, or say why there is no answer.

        It knows who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". Entities are found by what people call them, relations by words and by meaning.

        Raises:
            QueryError: if there is no question, or it is a text.
        """
        from graphrag.view.asking import answer

        return await answer(self._context, question)

    async def query(self, pattern: Query) -> Answer:
        """Answer a typed query: ``Query(subject="Ada", relation="lives_in", order=Order("last"))``.

        The end that is left open answers; a query at an end stands for its answers. ``ask`` reads a
        question into one, which its answer shows as ``answer.query``.

        Raises:
            QueryError: if what is given is no query.
        """
        from graphrag.view.asking import run

        return await run(self._context, pattern)

    async def answer(self, question: str, *, max_tokens: int = 2000) -> CitedAnswer:
        """Answer a question with numbered sources, or say that the graph does not.

        What ``ask`` can work out is the answer. Else the graph's language model writes it from what
        a search finds, and every sentence is checked against the sources that it cites; without a
        model it is the sentences of the sources themselves. At most one question to the model.

        Args:
            question: In any language that the model reads; without one, in the words of the texts.
            max_tokens: What the model may be shown of the graph, by estimate.

        Raises:
            QueryError: if there is no question, it is a text, or the budget has no room for a fact.
            LLMError: if the model could not be asked.
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
        """Say why a question finds something, or which step of the search lost it.

        Args:
            query: The question, as it was searched.
            item: A hit, a fact, an episode, an entity, the id of one, or the name of an entity.
            limit: As of ``search``, like all that follows but the last.
            scopes: What is searched.
            recipe: How it is ranked.
            centers: What closeness counts from.
            where: What hits must be like.
            saga: The saga that is searched.
            within: The part that is searched.
            max_tokens: Also whether it has room in ``Results.context(max_tokens)``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        from graphrag.search.request import Request
        from graphrag.search.results import Hit
        from graphrag.view import explaining

        request = Request.of(
            query,
            self.group_id,
            self.viewpoint,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
        )
        value = item.item if isinstance(item, Hit) else item
        id_ = value if isinstance(value, str) else value.id
        return await explaining.explain(
            self._context, request, id_, saga=saga, max_tokens=max_tokens
        )
