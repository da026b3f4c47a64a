"""Retriever, vector store and tools for LangChain and LangGraph, backed by the graph."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self
from uuid import uuid4

from pydantic import PrivateAttr

from graphrag.errors import GraphRAGError, InputError, MissingExtraError
from graphrag.integrations.access import Access, AnyGraph, Tools, both_ways
from graphrag.integrations.recall import recall
from graphrag.model.values import Episode
from graphrag.search.filters import Compare, Every
from graphrag.search.recipe import Recipe, Scope
from graphrag.search.rerankers import MMR
from graphrag.temporal.moment import Moment
from graphrag.view.context import MOST

try:
    from langchain_core.documents import Document
    from langchain_core.retrievers import BaseRetriever
    from langchain_core.tools import BaseTool, StructuredTool
    from langchain_core.vectorstores import VectorStore
except ImportError as error:
    raise MissingExtraError("graphrag.integrations.langchain", "langchain") from error


class GraphRetriever(BaseRetriever):
    """Retriever whose documents are facts with their lifetimes, or texts of episodes, best first.

    ``invoke(question, valid_at=..., known_at=...)`` searches as of a moment.
    """

    graph: AnyGraph
    """The graph: async for ``ainvoke`` only, blocking for ``invoke`` and ``ainvoke``."""
    limit: int = 10
    scopes: Sequence[Scope] = ("facts",)
    """Scopes to search: ``facts``, ``episodes``, or both."""
    valid_at: Moment | None = None
    """World time of searches, unless a call sets it."""
    known_at: Moment | None = None
    """System time of searches, unless a call sets it."""
    _access: Access = PrivateAttr()

    def model_post_init(self, context: Any, /) -> None:
        """Validate the moments."""
        super().model_post_init(context)
        self._access = Access(self.graph, valid_at=self.valid_at, known_at=self.known_at)

    async def _documents(
        self,
        query: str,
        *,
        run_manager: object,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> list[Document]:
        view = self._access.seen(self._access.graph, valid_at=valid_at, known_at=known_at)
        hits = await recall(view, query, limit=self.limit, scopes=self.scopes)
        return [
            Document(hit.text, id=hit.id, metadata={"relevance": hit.score, **hit.metadata})
            for hit in hits
        ]

    _get_relevant_documents, _aget_relevant_documents = both_ways(_documents)


class GraphVectorStore(VectorStore):
    """Vector store whose documents are episodes, found by vectors, words and links.

    The id of a document is the ``key`` of its episode, or else the id of the episode. A document
    added under an existing id replaces the old one: facts that only the old one stated are
    retracted, and ``known_at`` still shows them. Every search accepts ``filter`` (a ``Filter``, or
    a mapping of metadata), ``valid_at`` and ``known_at``.
    """

    def __init__(
        self,
        graph: AnyGraph,
        *,
        time_field: str = "",
        wait: bool = True,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
    ) -> None:
        """Wrap a graph as ``GraphRetriever`` does; with a moment the store is read-only.

        ``time_field`` is the metadata key of the time of writing of a document; default: now.
        ``wait=False`` stores documents at once and extracts their facts later, from the queue.
        """
        self._access = Access(graph, valid_at=valid_at, known_at=known_at)
        self._time_field, self._wait = time_field, wait

    @classmethod
    def from_texts(
        cls, texts: list[str], embedding: Any, metadatas: Any = None, *, ids: Any = None, **how: Any
    ) -> Self:
        """Add texts to ``graph=`` and return the store; pass None as ``embedding``."""
        (store := cls._made(embedding, **how)).add_texts(texts, metadatas, ids=ids)
        return store

    @classmethod
    async def afrom_texts(
        cls, texts: list[str], embedding: Any, metadatas: Any = None, *, ids: Any = None, **how: Any
    ) -> Self:
        """Add texts: the async form of ``from_texts``."""
        await (store := cls._made(embedding, **how)).aadd_texts(texts, metadatas, ids=ids)
        return store

    @classmethod
    def _made(cls, embedding: object, **how: Any) -> Self:
        if embedding is not None:
            raise InputError("the graph embeds: pass embedding=None, the model to GraphRAG.open")
        return cls(**how)

    async def _add(self, texts: Any, metadatas: Any = None, *, ids: Any = None) -> list[str]:
        self._access.written()
        graph, words = self._access.graph, [*texts]
        kept = metadatas or [{} for _ in words]
        keys = [id_ or str(uuid4()) for id_ in ids or [None for _ in words]]
        if not len(words) == len(kept) == len(keys):
            raise InputError(f"{len(words)} texts, {len(kept)} metadatas, {len(keys)} ids")
        stored = {episode.key or episode.id: episode for episode in await self._episodes(keys)}
        for key, text, metadata in zip(keys, words, kept, strict=True):
            old, moment = stored.get(key), metadata.get(self._time_field)
            if old is not None and (old.content, old.metadata) == (text, metadata):
                continue
            removal = old and await graph.log.remove_episode(old, reason="replaced")
            options = {"metadata": metadata, "reference_time": moment, "wait": self._wait}
            try:
                added = await graph.add_episode(text, key=key, source="text", **options)
            except GraphRAGError:
                if removal and not await self._episodes([key]):
                    await graph.log.revert(removal, reason="not replaced")
                raise
            stored[key] = added.episode
        return keys

    async def _episodes(self, ids: Sequence[str] | None) -> list[Episode]:
        episodes = await self._access.view.episodes(ids, limit=MOST)
        return [episode for episode in episodes if episode.removed_at is None]

    async def _get(self, ids: Sequence[str], /) -> list[Document]:
        return [_document_of(episode) for episode in await self._episodes(ids)]

    async def _delete(self, ids: Sequence[str] | None = None) -> None:
        """Remove these documents, without ids all; ``log.revert`` brings one back."""
        self._access.written()
        while episodes := await self._episodes(ids):
            for episode in episodes:
                await self._access.graph.log.remove_episode(episode)

    async def _scored(
        self, query: str, k: int = 4, *, filter: Any = None, recipe: Any = None, **moments: Any
    ) -> list[tuple[Document, float]]:
        view = self._access.seen(self._access.graph, **moments)
        if isinstance(filter, Mapping):
            wanted = (Compare("metadata", "==", filter[key], (key,)) for key in filter)
            filter = Every(tuple(wanted)) if filter else None
        hits = await view.search(query, limit=k, scopes=("episodes",), recipe=recipe, where=filter)
        scores = {hit.item.id: hit.relevance for hit in hits.episodes}
        episodes = [hit.item for hit in hits.episodes]
        if len(episodes) < k:  # LangChain wants as many, however far
            others = await view.episodes(where=filter, limit=2 * k)
            episodes += [episode for episode in others if episode.id not in scores]
        return [(_document_of(episode), scores.get(episode.id, 0.0)) for episode in episodes[:k]]

    async def _search(self, query: str, k: int = 4, **asked: Any) -> list[Document]:
        return [document for document, _ in await self._scored(query, k, **asked)]

    async def _diverse(
        self, query: str, k: int = 4, fetch_k: int = 20, lambda_mult: float = 0.5, **asked: Any
    ) -> list[Document]:
        recipe = Recipe(pool=max(k, fetch_k), rerank=(MMR(lambda_mult),))
        return await self._search(query, k, recipe=recipe, **asked)

    def _select_relevance_score_fn(self) -> Callable[[float], float]:
        return float

    add_texts, aadd_texts = both_ways(_add)
    get_by_ids, aget_by_ids = both_ways(_get)
    delete, adelete = both_ways(_delete)
    similarity_search, asimilarity_search = both_ways(_search)
    similarity_search_with_score, asimilarity_search_with_score = both_ways(_scored)
    max_marginal_relevance_search, amax_marginal_relevance_search = both_ways(_diverse)


def _document_of(episode: Episode) -> Document:
    return Document(episode.content, id=episode.key or episode.id, metadata={**episode.metadata})


def memory_tools(
    graph: AnyGraph, *, write: bool = True, limit: int = 10, max_tokens: int = 1000
) -> list[BaseTool]:
    """Return tools that search the graph, answer from it and, with ``write``, add to it.

    Args:
        graph: One group for each user: ``graph.group("ann")``. With the blocking graph the tools
            can be called or awaited, with the async one only awaited.
        write: Whether the model may add to the graph.
        limit: Maximum number of hits in each scope.
        max_tokens: Maximum number of tokens of an answer.
    """
    tools = Tools(graph, write=write, limit=limit, max_tokens=max_tokens)
    return [
        StructuredTool.from_function(tools.blocking(tool), tool, parse_docstring=True)
        for tool in tools.functions
    ]
