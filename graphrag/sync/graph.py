"""The graph, blocking: opened and closed."""

from types import TracebackType

from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.policy import Policy
from graphrag.protocols import LLM, Arbiter, Embedder, Extractor, Reranker
from graphrag.relations import Relations
from graphrag.review import REVIEW_BELOW
from graphrag.schema import Profile
from graphrag.store.changes import LIBRARY
from graphrag.sync.asking import Asking
from graphrag.sync.auditing import Auditing
from graphrag.sync.communities import Overseeing
from graphrag.sync.copying import Copying
from graphrag.sync.direct import Direct
from graphrag.sync.editing import Editing
from graphrag.sync.exchange import Exchange
from graphrag.sync.following import Following
from graphrag.sync.health import Health
from graphrag.sync.history import History
from graphrag.sync.identity import Identity
from graphrag.sync.indexes import Indexes
from graphrag.sync.queue import Queued
from graphrag.sync.records import Records
from graphrag.sync.sagas import Narrating
from graphrag.sync.telling import Telling


class GraphRAG(
    Telling,
    Direct,
    Records,
    Narrating,
    Overseeing,
    Following,
    Asking,
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
    """A temporal knowledge graph in SurrealDB, blocking.

    Every method does what the method of that name does in ``graphrag.GraphRAG``. Threads may share
    one graph.
    """

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
        """Return a graph, opened by ``with`` or by the first call; arguments as of the async one.

        In a notebook the first call is the way, and ``close()`` in the last cell.
        """
        return cls(
            AsyncGraphRAG.open(
                url,
                user=user,
                password=password,
                namespace=namespace,
                database=database,
                embedder=embedder,
                extractor=extractor,
                relations=relations,
                review_below=review_below,
                actor=actor,
                policy=policy,
                llm=llm,
                arbiter=arbiter,
                reranker=reranker,
                ontology=ontology,
                workers=workers,
                profile=profile,
            )
        )

    def __enter__(self) -> "GraphRAG":
        """Open the store, creating or migrating it if needed."""
        self._begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the store; closing twice is fine."""
        self._end()

    def __repr__(self) -> str:
        """Show where the graph is and whether it is open."""
        return repr(self._graph)
