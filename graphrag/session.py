"""Session of an open graph: the services that reads and writes share, opening and closing.

``Models`` and ``Rules`` are the user's configuration. A ``Handle`` is shared by a graph, its groups
and their views. It is closed, or holds a ``Session``.
"""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from graphrag.errors import InputError, StoreClosedError, StoreError
from graphrag.index.catalog import Catalog
from graphrag.ingest.ingestion import REVIEW_BELOW, Ingestion, Writer
from graphrag.ingest.policy import Policy
from graphrag.ingest.queue import Queue
from graphrag.local.embedder import CachedEmbedder
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.ontology.relations import Relations
from graphrag.protocols import LLM, Arbiter, Connected, Embedder, Extractor, Reranker
from graphrag.store.store import Store
from graphrag.store.target import Target

if TYPE_CHECKING:
    from graphrag.ontology.standing import StandingRule

_METHODS = {
    "embedder": "embed",
    "extractor": "extract",
    "llm": "complete",
    "arbiter": "decide",
    "reranker": "rank",
}
"""What each model is asked by."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """Models of a graph; omitted ones run locally or are not used."""

    embedder: Embedder | None = None
    """Embedder; default: ``all-MiniLM-L6-v2`` on this machine (extra ``local``)."""
    extractor: Extractor | None = None
    """Extractor; default: ``llm`` if given, else rules and a small network (extra ``local``)."""
    llm: LLM | None = None
    """Language model used as extractor and arbiter unless these are given, and for answers and
    summaries. The graph closes its connections."""
    arbiter: Arbiter | None = None
    """Arbiter, called once for the open points of an episode; default: ``llm``, or none."""
    reranker: Reranker | None = None
    """Reranker for recipes with a ``CrossEncoder``."""

    def __post_init__(self) -> None:
        for name, method in _METHODS.items():
            model = getattr(self, name)
            if model is None:
                continue
            if isinstance(model, type):
                raise InputError(f"{name} is the class {model.__name__}: give an object of it")
            if not callable(getattr(model, method, None)):
                raise InputError(f"{name} is a {type(model).__name__}, which has no {method}()")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Rules of a graph: allowed types, exclusions, review, trust and write policy."""

    relations: Relations | None = None
    """Relations and their exclusions; default: built-in, with one value of ``works_at``, ..."""
    ontology: Ontology = ANYTHING
    """Allowed types of entities and facts; default: any."""
    review_below: float = REVIEW_BELOW
    """Facts of lower confidence wait in ``edit.pending()``; 0 turns review off."""
    policy: Policy | None = None
    """Policy that may refuse a write; default: none."""
    trust: Mapping[str, float] = field(default_factory=dict)
    """Trust by source name, such as ``{"CRM": 1, "web": -1}``; default 0. A less trusted source
    never closes or outweighs facts of a more trusted one; below 0 it also changes no entity."""
    standing: "Sequence[StandingRule]" = ()
    """Standing rules (``Ends``, ``Needs``, ``Derives``); default: none."""

    def __post_init__(self) -> None:
        if not isinstance(self.relations, Relations | None):
            kind = f"relations is a {type(self.relations).__name__}"
            raise InputError(f"{kind}: give Relations().having(Relation(...))")
        if not 0 <= self.review_below <= 1:
            given = f"review_below is {self.review_below!r}"
            raise InputError(f"{given}: give a confidence from 0 to 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class Session(Ingestion):
    """The services of an open store: what writing needs, and what only reads ask."""

    llm: LLM | None = None
    reranker: Reranker | None = None
    frequencies: dict[tuple[str, str], int] = field(default_factory=dict)
    """In how many rows of a table a word is, as far as such searches counted."""


@dataclass(slots=True, repr=False, weakref_slot=True)
class Handle:
    """What a graph and all that is bound to it share: closed, or open with a session."""

    target: Target
    embedder: CachedEmbedder
    writer: Callable[[Store, Catalog], Writer]
    services: Callable[[Writer], Session]
    workers: int
    memory_budget: int  # bytes of memory for groups that nobody is using
    llm: LLM | None = None  # closed with the graph, even if that was never opened
    current: Session | None = field(default=None, init=False)
    loop: asyncio.AbstractEventLoop | None = field(default=None, init=False)
    """Where it was opened, and where alone it can be used."""
    _queue: Queue | None = field(default=None, init=False)

    @property
    def session(self) -> Session:
        """Return the services of the open graph, unless another loop or process opened it."""
        if self.current is None:
            raise StoreClosedError(f"{self!r} is not open: use 'async with GraphRAG.open(...)'")
        self.current.store.owner.check()
        if self._foreign(asyncio._get_running_loop()):
            raise StoreError(
                f"{self!r} was opened in another event loop, and can be used only there: ask it "
                "with asyncio.run_coroutine_threadsafe(), or share a graphrag.sync.GraphRAG"
            )
        return self.current

    @property
    def queue(self) -> Queue:
        """Return the episodes that wait to be read."""
        _ = self.session
        assert self._queue is not None
        return self._queue

    def _foreign(self, running: asyncio.AbstractEventLoop | None) -> bool:
        """Tell whether this is a guest: the loop of the owner is another, and still there."""
        return running not in (None, self.loop) and not (self.loop is None or self.loop.is_closed())

    async def open(self) -> None:
        """Open the store, creating or migrating it if needed; opening twice is fine."""
        if self.current is not None:
            return
        # Here, not above: who only imports the package needs no engine.
        from graphrag.engine.rows import SearchRows

        store = await Store.open(
            self.target,
            embedder=self.embedder.name,
            dimension=self.embedder.dimension,
            derived=SearchRows(),
        )
        if store.searchable or self.target.native:
            # Here, not above: few open such a store.
            from graphrag.engine.indexes import build_native, build_unbuilt

            await (build_unbuilt if store.searchable else build_native)(store)
        catalog = Catalog(store, self.embedder.dimension, self.memory_budget)
        self.loop = asyncio.get_running_loop()
        services = self.services(self.writer(store, catalog))
        relations = services.ontology.relations(services.relations)
        ontology = services.ontology.under(relations)
        self.current = replace(services, relations=relations, ontology=ontology)
        self._queue = Queue(self.current, workers=self.workers)
        try:
            await self._queue.resume()
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Close the store and the connections of its model; closing twice is fine."""
        if self.current is not None and not self.current.store.owner.here:
            return  # the graph is its parent's: a fork neither closes it nor lets go of it
        if self.current is not None:
            _ = self.session  # refused to a guest, whose closing would be the owner's
        session, self.current = self.current, None
        queue, self._queue = self._queue, None
        if queue is not None:
            await queue.close()
        try:
            if isinstance(self.llm, Connected):
                await self.llm.close()
        finally:
            if session is not None:
                store, catalog = session.store, session.catalog
                try:
                    session.writer.streams.close()
                    await catalog.close()
                finally:
                    # What was in memory is free before the store gives memory back to the system.
                    del session, catalog, queue
                    self.embedder.clear()
                    await store.close()

    def __del__(self) -> None:
        if getattr(self, "current", None) is not None:
            warnings.warn(
                f"{self!r} was never closed: use 'async with'", ResourceWarning, stacklevel=2
            )

    def __repr__(self) -> str:
        return f"GraphRAG({self.target.url!r}, {'open' if self.current else 'closed'})"


class Openable(Protocol):
    """A graph, open or not: ``GraphRAG`` is one."""

    @property
    def handle(self) -> Handle:
        """Return what it shares with all that is bound to it."""


@asynccontextmanager
async def opened(graph: Openable) -> AsyncIterator[Session]:
    """Give the services of another graph, which is opened for it and closed, unless it is open."""
    handle = graph.handle
    if handle.current is not None:
        if handle.loop is not asyncio.get_running_loop():
            raise InputError(f"{graph!r} is open: give it as GraphRAG.open(...) returned it")
        yield handle.session
        return
    await handle.open()
    try:
        yield handle.session
    finally:
        await handle.close()
