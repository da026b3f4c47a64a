"""Retriever, memory block and tools for LlamaIndex, backed by the graph."""

from collections.abc import Sequence
from typing import Any

from pydantic import PrivateAttr

from graphrag.errors import MissingExtraError
from graphrag.integrations.access import Access, AnyGraph, Tools, both_ways
from graphrag.integrations.recall import Recalled, Turn, keep, recall, recall_text
from graphrag.search.recipe import Scope
from graphrag.temporal.moment import Moment

try:
    from llama_index.core.base.base_retriever import BaseRetriever
    from llama_index.core.base.llms.types import ChatMessage, MessageRole
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode
    from llama_index.core.tools import FunctionTool
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.llama_index", "llama-index") from error


class GraphRetriever(BaseRetriever):
    """Retriever whose nodes are facts with their lifetimes, or texts of episodes, best first."""

    def __init__(
        self,
        graph: AnyGraph,
        *,
        limit: int = 10,
        scopes: Sequence[Scope] = ("facts",),
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Wrap a graph: the async one for ``aretrieve``, the blocking one for both.

        Args:
            graph: The group to search.
            limit: Maximum number of nodes.
            scopes: ``facts``, ``episodes``, or both.
            valid_at: World time: return facts that held then.
            known_at: System time: use only data stored by then.

        Raises:
            TimeError: if a moment cannot be read.
        """
        super().__init__()
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._limit = limit
        self._scopes = scopes

    async def _nodes(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        query = query_bundle.query_str
        hits = await recall(self._access.view, query, limit=self._limit, scopes=self._scopes)
        return list(map(_node, hits))

    _retrieve, _aretrieve = both_ways(_nodes)


def _node(hit: Recalled) -> NodeWithScore:
    hidden = [key for key in hit.metadata if key not in ("valid_from", "valid_to")]
    node = TextNode(
        id_=hit.id,
        text=hit.text,
        metadata=hit.metadata,
        excluded_embed_metadata_keys=list(hit.metadata),
        excluded_llm_metadata_keys=hidden,
    )
    return NodeWithScore(node=node, score=hit.score)


class GraphMemoryBlock(BaseMemoryBlock[str]):
    """Block of ``Memory`` that stores messages leaving the short-term memory and recalls facts.

    Messages become episodes of the session's saga; recalled facts are from the whole group.
    """

    name: str = "graph"
    graph: AnyGraph
    user: str | None = None
    """Name of the user, whom "I" means."""
    limit: int = 10
    max_tokens: int = 1000
    """Maximum number of recalled tokens."""
    valid_at: Moment | None = None
    known_at: Moment | None = None
    _access: Access = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Validate the moments."""
        self._access = Access(self.graph, valid_at=self.valid_at, known_at=self.known_at)

    async def _aget(self, messages: list[ChatMessage] | None = None, **block_kwargs: Any) -> str:
        asked = [item.content or "" for item in messages or () if item.role == MessageRole.USER]
        last = asked[-1] if asked else ""
        return await self._access.awaited(
            recall_text(self._access.view, last, limit=self.limit, max_tokens=self.max_tokens)
        )

    async def _aput(self, messages: list[ChatMessage]) -> None:
        self._access.written()
        for message in messages:
            user = self.user if message.role == MessageRole.USER else None
            turn = Turn(message.content or "", message.role.value, user)
            session = message.additional_kwargs.get("session_id")
            await self._access.awaited(keep(self._access.graph, session, [turn]))


def memory_tools(
    graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
) -> list[FunctionTool]:
    """Return tools that search the graph, answer from it and, with ``write``, add to it."""
    tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
    return [
        FunctionTool.from_defaults(fn=tools.blocking(tool), async_fn=tool)
        for tool in tools.functions
    ]
