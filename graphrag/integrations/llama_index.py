"""The graph as a retriever, a block of memory and tools of LlamaIndex."""

from collections.abc import Coroutine, Sequence
from typing import Any

from pydantic import PrivateAttr

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import Access, AnyGraph
from graphrag.integrations.model_tools import Tools
from graphrag.integrations.recall import Recalled, recall
from graphrag.integrations.turns import Turn, keep
from graphrag.search.request import Scope
from graphrag.temporal.moment import Moment

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.llama_index", "llama-index") from error

_ASKED = 1000
"""Characters of the last message that memory is searched by."""


class GraphRetriever(BaseRetriever):
    """Nodes that say a fact and when it holds, or an episode's words, best first."""

    def __init__(
        self,
        graph: AnyGraph,
        *,
        limit: int = 10,
        scopes: Sequence[Scope] = ("facts",),
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Take a graph: the async one for ``aretrieve``, the blocking one for both.

        Args:
            graph: The group that is asked.
            limit: Nodes at most.
            scopes: ``facts``, ``episodes``, or both.
            valid_at: What was true then.
            known_at: What the graph knew then.

        Raises:
            TimeError: if a moment cannot be read.
        """
        super().__init__()
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._limit = limit
        self._scopes = scopes

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        return [_node(one) for one in self._access.waited(self._found(query_bundle.query_str))]

    async def _aretrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = await self._access.awaited(self._found(query_bundle.query_str))
        return [_node(one) for one in found]

    def _found(self, query: str) -> Coroutine[Any, Any, list[Recalled]]:
        view = self._access.seen(self._access.graph)
        return recall(view, query, limit=self._limit, scopes=self._scopes)


def _node(one: Recalled) -> NodeWithScore:
    hidden = [key for key in one.metadata if key not in ("valid_from", "valid_to")]
    node = TextNode(
        id_=one.id,
        text=one.text,
        metadata=one.metadata,
        excluded_embed_metadata_keys=list(one.metadata),
        excluded_llm_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=one.score)


class GraphMemoryBlock(BaseMemoryBlock[str]):
    """A block of ``Memory`` that keeps what leaves the short term, and recalls what is asked now.

    Messages are episodes of the session's saga; what is recalled is of the whole group.
    """

    name: str = "graph"
    graph: AnyGraph
    user: str | None = None
    """Name of the user: whom "I" means."""
    limit: int = 10
    max_tokens: int = 1000
    """What is recalled at most."""
    valid_at: Moment | None = None
    known_at: Moment | None = None
    _access: Access = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Check the moments."""
        self._access = Access(self.graph, valid_at=self.valid_at, known_at=self.known_at)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = [one.content for one in messages or () if one.role == MessageRole.USER]
        if not asked or not (asked[-1] or "").strip():
            return ""
        return await self._access.awaited(self._recalled(str(asked[-1])[:_ASKED]))

    async def _recalled(self, query: str) -> str:
        view = self._access.seen(self._access.graph)
        found = await view.search(query, limit=self.limit, scopes=("facts", "episodes"))
        return str(found.context(max_tokens=self.max_tokens))

    async def _aput(self, messages: list[ChatMessage]) -> None:
        self._access.written()
        for one in messages:
            user = one.role == MessageRole.USER
            turn = Turn(one.content or "", one.role.value, self.user if user else None)
            session = one.additional_kwargs.get("session_id")
            await self._access.awaited(keep(self._access.graph, session, [turn]))


def memory_tools(
    graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
) -> list[FunctionTool]:
    """Return tools that search the graph, answer from it and, with ``write``, tell it something."""
    tools = Tools(graph, limit=limit, max_tokens=max_tokens)
    return [
        FunctionTool.from_defaults(fn=tools.blocking(one), async_fn=one)
        for one in (tools.all if write else tools.reading)
    ]
