"""The facade: open a graph, tell it episodes, ask it questions, now or as of any moment."""

import warnings
from collections.abc import Generator
from types import TracebackType
from typing import Any

from graphrag.embed import CachedEmbedder, SentenceTransformerEmbedder
from graphrag.engine.rows import EngineRows
from graphrag.facade.auditing import Auditing
from graphrag.facade.communities import Overseeing
from graphrag.facade.copying import Copying
from graphrag.facade.direct import Direct
from graphrag.facade.editing import Editing
from graphrag.facade.exchange import Exchange
from graphrag.facade.following import Following
from graphrag.facade.health import Health
from graphrag.facade.history import History
from graphrag.facade.identity import Identity
from graphrag.facade.indexes import Indexes
from graphrag.facade.queue import Queued
from graphrag.facade.records import Records
from graphrag.facade.sagas import Narrating
from graphrag.facade.telling import Telling
from graphrag.facade.walking import Walking
from graphrag.index.catalog import Catalog
from graphrag.ingest import Ingestion
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.policy import Policy
from graphrag.protocols import LLM, Arbiter, Connected, Embedder, Extractor, Reranker
from graphrag.queue import Queue, checked_workers
from graphrag.relations import Relations
from graphrag.review import REVIEW_BELOW, checked_threshold
from graphrag.schema import Profile
from graphrag.store.changes import LIBRARY
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.writer import Writer


class GraphRAG(
    Telling,
    Direct,
    Records,
    Following,
    Walking,
    Narrating,
    Overseeing,
    Auditing,
    Editing,
    History,
    Identity,
    Health,
    Queued,
    Indexes,
    Copying,
    Exchange,
):
    """A temporal knowledge graph in SurrealDB.

    Open it with ``async with GraphRAG.open("surrealkv://./memory") as graph:``. Without a server
    and without a key: the database runs in this process, a local model embeds, rules extract.
    """

    def __init__(
        self,
        target: Target,
        *,
        embedder: Embedder,
        extractor: Extractor,
        relations: Relations,
        review_below: float = REVIEW_BELOW,
        actor: str = LIBRARY,
        policy: Policy | None = None,
        llm: LLM | None = None,
        arbiter: Arbiter | None = None,
        reranker: Reranker | None = None,
        ontology: Ontology = ANYTHING,
        workers: int = 1,
    ) -> None:
        self._target = target
        self._embedder = embedder
        self._extractor = extractor
        self._relations = relations
        self._review_below = review_below
        self._actor = actor
        self._policy = policy
        self._llm = llm
        self._arbiter = arbiter
        self._reranker = reranker
        self._ontology = ontology
        self._workers = workers
        self._store: Store | None = None
        self._ingestion: Ingestion | None = None
        self._queue: Queue | None = None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        namespace: str = "graphrag",
        database: str = "graphrag",
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        relations: Relations | None = None,
        review_below: float = REVIEW_BELOW,
        actor: str = LIBRARY,
        policy: Policy | None = None,
        llm: LLM | None = None,
        arbiter: Arbiter | None = None,
        reranker: Reranker | None = None,
        ontology: Ontology = ANYTHING,
        workers: int = 1,
        profile: Profile | None = None,
    ) -> "GraphRAG":
        """Return a graph to be entered with ``async with``, or awaited; nothing is opened yet.

        Args:
            url: ``mem://``, ``surrealkv://PATH``, ``ws://``, ``wss://``, ``http://``, ``https://``.
            user: Root user of a server; also accepted inside the URL.
            password: Their password; never shown in errors or reprs.
            namespace: SurrealDB namespace, made if it is not there.
            database: SurrealDB database, made if it is not there.
            embedder: Default: ``all-MiniLM-L6-v2`` on this machine (extra ``local``).
            extractor: Default: rules on a spaCy parse (extra ``local``), no language model.
            relations: What excludes what; default: ``works_at``, ``lives_in``, ... hold one value.
            review_below: Facts of less confidence wait in ``pending_review()``; 0 for none.
            actor: Who writes, as the log is to name them; methods for edits may name another.
            policy: Asked about every write, which it may refuse; default: none.
            llm: A language model that extracts and decides instead of the rules. An ``extractor``
                or ``arbiter`` given comes before it. Its connections are closed with the graph.
            arbiter: Asked once about what the rules leave open in an episode; default: nobody.
            reranker: Reads query and text together, for recipes with a ``CrossEncoder``.
            ontology: Types of entities and facts that may be stored; default: any.
            workers: Tasks that read queued episodes, each those of another group; with 0 they wait
                for ``drain``.
            profile: Where search runs: in this ``process``, or in SurrealDB's own indexes
                (``engine``). Default: as the store remembers; a new one gets ``process``.

        Raises:
            StoreURLError: if the URL names no store.
            InputError: if ``review_below`` is not between 0 and 1, or ``workers`` is negative.
        """
        relations = ontology.relations(relations)
        # Imported here: nobody pays for both, and a reader of a graph for neither.
        if llm is not None:
            from graphrag.llm.arbiter import LLMArbiter
            from graphrag.llm.extractor import LLMExtractor

            extractor = extractor or LLMExtractor(llm, relations=relations, ontology=ontology)
            arbiter = arbiter or LLMArbiter(llm)
        if extractor is None:
            from graphrag.rules.extractor import RulesExtractor

            extractor = RulesExtractor()
        return cls(
            Target.parse(
                url,
                user=user,
                password=password,
                namespace=namespace,
                database=database,
                profile=profile,
            ),
            embedder=CachedEmbedder(embedder or SentenceTransformerEmbedder()),
            extractor=extractor,
            relations=relations,
            review_below=checked_threshold(review_below),
            actor=actor,
            policy=policy,
            llm=llm,
            arbiter=arbiter,
            reranker=reranker,
            ontology=ontology,
            workers=checked_workers(workers),
        )

    def __await__(self) -> Generator[Any, None, "GraphRAG"]:
        """Open the store: ``graph = await GraphRAG.open(...)``, closed by ``close()``."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> "GraphRAG":
        """Open the store, creating or migrating it if needed.

        Raises:
            StoreError: one of its kinds, if it cannot be opened.
            MissingExtraError: if the embedder needs an extra that is not installed.
        """
        if self._store is not None:
            return self
        store = await Store.open(
            self._target,
            embedder=self._embedder.name,
            dimension=self._embedder.dimension,
            derived=EngineRows(),
        )
        self._store = store
        self._ingestion = Ingestion(
            Writer(
                store,
                Catalog(store, self._embedder.dimension),
                actor=self._actor,
                policy=self._policy,
            ),
            self._embedder,
            self._extractor,
            self._relations,
            review_below=self._review_below,
            arbiter=self._arbiter,
            ontology=self._ontology,
        )
        self._queue = Queue(self._ingestion, workers=self._workers)
        try:
            await self._queue.resume()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        await self.close()

    async def close(self) -> None:
        """Close the store and the connections of its model; closing twice is fine."""
        queue, self._queue = self._queue, None
        if queue is not None:
            await queue.close()
        if isinstance(self._llm, Connected):
            await self._llm.close()
        ingestion, self._ingestion = self._ingestion, None
        if ingestion is not None:
            ingestion.writer.streams.close()
        store, self._store = self._store, None
        try:
            if ingestion is not None:
                await ingestion.catalog.save()
        finally:
            if store is not None:
                await store.close()

    def __del__(self) -> None:
        """Warn about a graph that was dropped open."""
        if getattr(self, "_store", None) is not None:
            warnings.warn(
                f"{self!r} was never closed: use 'async with'", ResourceWarning, stacklevel=2
            )

    def __repr__(self) -> str:
        """Show where the graph is and whether it is open."""
        return f"GraphRAG({self._target.url!r}, {'open' if self._store else 'closed'})"
