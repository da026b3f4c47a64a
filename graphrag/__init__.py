"""Temporal GraphRAG on SurrealDB: tell it episodes, ask it questions, now or as of any moment.

Start with ``GraphRAG``; ``graphrag.sync.GraphRAG`` is the same, blocking.
"""

from graphrag.asof import AsOf
from graphrag.batch import BatchReport, Progress
from graphrag.embed import CachedEmbedder, SentenceTransformerEmbedder
from graphrag.errors import (
    EmbedderMismatchError,
    EpisodeError,
    ExtractionError,
    GraphRAGError,
    InputError,
    MissingExtraError,
    QueryError,
    StoreAuthError,
    StoreClosedError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreURLError,
    StoreVersionError,
    TimeError,
    TransactionError,
)
from graphrag.extraction import Claim, Extraction, Mention
from graphrag.graph import GraphRAG
from graphrag.health.findings import CheckReport, Finding, RepairReport
from graphrag.ingest import Added
from graphrag.intake import NewEpisode
from graphrag.models import (
    Change,
    Community,
    Entity,
    Episode,
    Event,
    Fact,
    Saga,
    Span,
)
from graphrag.protocols import LLM, Embedder, ExtractionContext, Extractor, Message, Reranker
from graphrag.relations import Relation, Relations
from graphrag.results import Hit, Results, Why
from graphrag.rules.extractor import RulesExtractor
from graphrag.search.recipe import Recipe
from graphrag.stats import Stats
from graphrag.temporal.interval import Interval
from graphrag.temporal.viewpoint import Viewpoint

__version__ = "0.1.0"

__all__ = [
    "LLM",
    "Added",
    "AsOf",
    "BatchReport",
    "CachedEmbedder",
    "Change",
    "CheckReport",
    "Claim",
    "Community",
    "Embedder",
    "EmbedderMismatchError",
    "Entity",
    "Episode",
    "EpisodeError",
    "Event",
    "Extraction",
    "ExtractionContext",
    "ExtractionError",
    "Extractor",
    "Fact",
    "Finding",
    "GraphRAG",
    "GraphRAGError",
    "Hit",
    "InputError",
    "Interval",
    "Mention",
    "Message",
    "MissingExtraError",
    "NewEpisode",
    "Progress",
    "QueryError",
    "Recipe",
    "Relation",
    "Relations",
    "RepairReport",
    "Reranker",
    "Results",
    "RulesExtractor",
    "Saga",
    "SentenceTransformerEmbedder",
    "Span",
    "Stats",
    "StoreAuthError",
    "StoreClosedError",
    "StoreCorruptError",
    "StoreError",
    "StoreLockedError",
    "StoreURLError",
    "StoreUnreachableError",
    "StoreVersionError",
    "TimeError",
    "TransactionError",
    "Viewpoint",
    "Why",
    "__version__",
]
