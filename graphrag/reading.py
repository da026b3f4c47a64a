"""What a reader of the graph needs."""

from dataclasses import dataclass, field

from graphrag.index.catalog import Catalog
from graphrag.protocols import Embedder, Reranker
from graphrag.relations import Relations
from graphrag.search.engine.limits import LIMITS, Limits
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Reading:
    """What a reader needs: the store, the groups in memory, and the models of queries."""

    store: Store
    catalog: Catalog
    embedder: Embedder
    reranker: Reranker | None = None
    relations: Relations = field(default_factory=Relations)
    limits: Limits = LIMITS
    """How much of a group a search of the engine profile may read."""
