"""The graph as a retriever and as tools of LangChain, and so of LangGraph too."""

from collections.abc import Coroutine, Sequence
from typing import Any

from pydantic import PrivateAttr

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.model_tools import Tools
from graphrag.integrations.recall import Recalled, recall
from graphrag.search.request import Scope
from graphrag.temporal.moment import Moment

try:
    from langchain_core.callbacks import (
        AsyncCallbackManagerForRetrieverRun,
        CallbackManagerForRetrieverRun,
    )
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.langchain", "langchain") from error


class GraphRetriever(BaseRetriever):
    """Documents that say a fact and when it holds, or an episode's words, best first.

    ``invoke(question, valid_at=..., known_at=...)`` asks as of a moment.
    """

    graph: AnyGraph
    """The async graph for ``ainvoke``, the blocking one for both."""
    limit: int = 10
    scopes: Sequence[Scope] = ("facts",)
    """``facts``, ``episodes``, or both."""
    valid_at: Moment | None = None
    """What was true then, unless a call says otherwise."""
    known_at: Moment | None = None
    """What the graph knew then, unless a call says otherwise."""
    _access: Access = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the moments."""
        super().model_post_init(context)
        self._access = Access(self.graph, valid_at=self.valid_at, known_at=self.known_at)

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> list[Document]:
        return [
            _document(one) for one in self._access.waited(self._found(query, valid_at, known_at))
        ]

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> list[Document]:
        found = await self._access.awaited(self._found(query, valid_at, known_at))
        return [_document(one) for one in found]

    def _found(
        self, query: str, valid_at: Moment | None, known_at: Moment | None
    ) -> Coroutine[Any, Any, list[Recalled]]:
        view = self._access.seen(self._access.graph, valid_at=valid_at, known_at=known_at)
        return recall(view, query, limit=self.limit, scopes=self.scopes)


def _document(one: Recalled) -> Document:
    return Document(
        page_content=one.text, id=one.id, metadata={"relevance": one.score, **one.metadata}
    )


def memory_tools(
    graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
) -> list[BaseTool]:
    """Return tools that search the graph, answer from it and, with ``write``, tell it something.

    Args:
        graph: One group for each user: ``graph.group("ann")``. With the blocking graph the tools
            can be called both ways, with the async one they are awaited.
        write: Whether the model may tell the graph something.
        limit: Hits of each scope of a search.
        max_tokens: What a tool may answer at most.
    """
    tools = Tools(graph, limit=limit, max_tokens=max_tokens)
    return [
        StructuredTool.from_function(func=tools.blocking(one), coroutine=one, parse_docstring=True)
        for one in (tools.all if write else tools.reading)
    ]
