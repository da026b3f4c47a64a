"""Questions to a group: worked out from its facts, or answered with sources."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.view.lens import Lens
from graphrag.view.reads import Reads

if TYPE_CHECKING:
    from graphrag.ask.answer import Answer
    from graphrag.ask.cited import CitedAnswer
    from graphrag.ask.query import Query
    from graphrag.model.values import Entity, Episode, Fact
    from graphrag.search.filters.tree import Filter
    from graphrag.search.placement import Placement
    from graphrag.search.request import Recipe, Scope
    from graphrag.search.results import Hit
    from graphrag.search.within import Reach, Within


@checked(QueryError, door="graph.stream")
class Streams:
    """Answers while they are written: ``graph.stream``."""

    def __init__(self, lens: Lens) -> None:
        self._lens = lens

    def answer(self, question: str, *, max_tokens: int = 2000) -> AsyncIterator[CitedAnswer]:
        """Give the answer while it is written: ``async for answer in graph.stream.answer(...):``.

        Each is the answer so far, with all of its sentences checked; the last is ``complete``, and
        what ``answer`` returns. What is not written by a model comes at once.

        Args:
            question: In any language that the model reads; without one, in the words of the texts.
            max_tokens: What the model may be shown of the graph, by estimate.

        Raises:
            QueryError: if there is no question, it is a text, or the budget has no room for a fact.
            LLMError: if the model could not be asked.
        """
        from graphrag.view import answering

        return answering.stream(self._lens, question, max_tokens)


class Answers(Reads):
    """The reads that answer questions."""

    @property
    def stream(self) -> Streams:
        """Return the answers that come while they are written."""
        return Streams(self._lens)

    async def ask(self, question: str) -> Answer:
        """Answer a question from the facts, without a model, or say why there is no answer.

        It knows who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". Entities are found by what people call them, relations by words and by meaning.

        Raises:
            QueryError: if there is no question, or it is a text.
        """
        from graphrag.view.asking import answer

        return await answer(self._lens, question)

    async def query(self, pattern: Query) -> Answer:
        """Answer a typed query: ``Query(subject="Ada", relation="lives_in", order=Order("last"))``.

        The end that is left open answers; a query at an end stands for its answers. ``ask`` reads a
        question into one, which its answer shows as ``answer.query``.

        Raises:
            QueryError: if what is given is no query.
        """
        from graphrag.view.asking import run

        return await run(self._lens, pattern)

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

        return await answering.answer(self._lens, question, max_tokens)

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
        from graphrag.search.results import Hit
        from graphrag.view import explaining
        from graphrag.view.searches import request_of

        request = request_of(
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
        return await explaining.explain(self._lens, request, id_, saga=saga, max_tokens=max_tokens)
