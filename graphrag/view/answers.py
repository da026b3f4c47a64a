"""Questions to a group: worked out from its facts, or answered with sources."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from graphrag.view.reads import Reads

if TYPE_CHECKING:
    from graphrag.ask.answer import Answer
    from graphrag.ask.cited import CitedAnswer


class Answers(Reads):
    """The reads that answer questions."""

    async def ask(self, question: str) -> Answer:
        """Answer a question from the facts, without a model, or say why there is no answer.

        It knows who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". Entities are found by their names, relations by the words of theirs.

        Raises:
            QueryError: if there is no question, or it is a text.
        """
        from graphrag.view.asking import answer

        return await answer(self._lens, question)

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

    def stream_answer(self, question: str, *, max_tokens: int = 2000) -> AsyncIterator[CitedAnswer]:
        """Give the answer while it is written: ``async for answer in graph.stream_answer(...):``.

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
