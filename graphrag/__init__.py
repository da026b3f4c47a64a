"""Temporal GraphRAG on SurrealDB: tell it episodes, ask it questions, now or as of any moment.

Start with ``GraphRAG``; ``graphrag.sync.GraphRAG`` is the same, blocking.

Every name is imported when it is first asked for: a program pays for what it uses, and the command
answers, or is stopped, before anything heavy is read.
"""

import importlib

from graphrag.public import PLACES

TYPE_CHECKING = False  # as type checkers know it, without the time that reading typing takes
if TYPE_CHECKING:
    from graphrag.asof import AsOf
    from graphrag.audit.about import About
    from graphrag.audit.cleanup import Cleaned, Cleanup
    from graphrag.audit.contradictions import Contradiction, Contradictions
    from graphrag.audit.growth import Grown, Growth
    from graphrag.audit.orphans import Orphans
    from graphrag.batch import BatchReport, Failed, Progress
    from graphrag.context import Citation, Context
    from graphrag.differences import ChangedFact, Changes
    from graphrag.direct.told import ImportReport, Told
    from graphrag.embed import CachedEmbedder, SentenceTransformerEmbedder
    from graphrag.engine.report import Built, IndexReport, IndexState
    from graphrag.errors import (
        BudgetExceededError,
        EmbedderMismatchError,
        EpisodeError,
        ExtractionError,
        GraphRAGError,
        InputError,
        LLMError,
        MissingExtraError,
        PolicyError,
        QueryError,
        StoreAuthError,
        StoreClosedError,
        StoreCorruptError,
        StoreError,
        StoreIndexError,
        StoreLockedError,
        StoreProfileError,
        StoreUnreachableError,
        StoreURLError,
        StoreVersionError,
        TimeError,
        TransactionError,
    )
    from graphrag.events import Log
    from graphrag.exchange.formats import Exported
    from graphrag.exchange.frames import Frames
    from graphrag.explanation import Explanation, Step
    from graphrag.extraction import Claim, Extraction, Mention
    from graphrag.graph import GraphRAG
    from graphrag.groups import Group, Groups
    from graphrag.health.findings import CheckReport, Finding, RepairReport
    from graphrag.history.forgotten import Forgotten
    from graphrag.history.replay import Replayed
    from graphrag.ingest import Added
    from graphrag.intake import NewEpisode
    from graphrag.jsonl.restore import ImportedGroup
    from graphrag.llm.arbiter import LLMArbiter
    from graphrag.llm.bridge import PydanticAILLM
    from graphrag.llm.client import OpenAILLM
    from graphrag.llm.estimate import Estimate
    from graphrag.llm.extractor import LLMExtractor
    from graphrag.llm.usage import Budget, Usage
    from graphrag.models import Change, Community, Entity, Episode, Event, Fact, Saga, Span
    from graphrag.moving.copy import CopyReport, copy_store
    from graphrag.moving.pace import CopyProgress
    from graphrag.ontology.check import Violation
    from graphrag.ontology.declare import EntityType, FactType, Identifier
    from graphrag.ontology.ontology import Ontology
    from graphrag.overview.globally import GlobalContext
    from graphrag.overview.map import CommunityMap
    from graphrag.overview.view import CommunityView
    from graphrag.policy import AppendOnly, Mutation, Policy, ProtectedTypes
    from graphrag.protocols import (
        LLM,
        Arbiter,
        Case,
        Conflict,
        Connected,
        Doubt,
        Embedder,
        ExtractionContext,
        Extractor,
        Known,
        Message,
        Reranker,
        Ruling,
    )
    from graphrag.queue import QueueStatus
    from graphrag.relations import Relation, Relations
    from graphrag.rerank import CrossEncoderReranker
    from graphrag.results import Hit, Results, Why
    from graphrag.rules.extractor import RulesExtractor
    from graphrag.sagas.listing import SagaInfo, Sagas
    from graphrag.sagas.view import SagaView
    from graphrag.sagas.window import EpisodeWindow
    from graphrag.search.episodes.weights import EpisodeWeights
    from graphrag.search.filters.field import Field
    from graphrag.search.filters.tree import Filter
    from graphrag.search.recipe import Recipe
    from graphrag.search.recipes import RECIPES, Recipes
    from graphrag.search.rerank.cross import CrossEncoder
    from graphrag.search.rerank.distance import NodeDistance
    from graphrag.search.rerank.mentions import EpisodeMentions
    from graphrag.search.rerank.mmr import MMR
    from graphrag.search.rerank.recency import Recency
    from graphrag.search.weights import CommunityWeights, EntityWeights, FactWeights
    from graphrag.search.within import Reach, Within
    from graphrag.settings import Settings
    from graphrag.sources import Quote, Waiting
    from graphrag.stats import Stats
    from graphrag.temporal.interval import Interval
    from graphrag.temporal.viewpoint import Viewpoint
    from graphrag.timeline import Stage, Timeline
    from graphrag.twins import MergeCandidate
    from graphrag.walks.found import Neighbor, Path, Portrait
    from graphrag.walks.subgraph import Edge, Subgraph

_LATER = {name: f"graphrag.{place}" for place, names in PLACES.items() for name in names}

__version__ = "0.1.0"

__all__ = [
    "LLM",
    "MMR",
    "RECIPES",
    "About",
    "Added",
    "AppendOnly",
    "Arbiter",
    "AsOf",
    "BatchReport",
    "Budget",
    "BudgetExceededError",
    "Built",
    "CachedEmbedder",
    "Case",
    "Change",
    "ChangedFact",
    "Changes",
    "CheckReport",
    "Citation",
    "Claim",
    "Cleaned",
    "Cleanup",
    "Community",
    "CommunityMap",
    "CommunityView",
    "CommunityWeights",
    "Conflict",
    "Connected",
    "Context",
    "Contradiction",
    "Contradictions",
    "CopyProgress",
    "CopyReport",
    "CrossEncoder",
    "CrossEncoderReranker",
    "Doubt",
    "Edge",
    "Embedder",
    "EmbedderMismatchError",
    "Entity",
    "EntityType",
    "EntityWeights",
    "Episode",
    "EpisodeError",
    "EpisodeMentions",
    "EpisodeWeights",
    "EpisodeWindow",
    "Estimate",
    "Event",
    "Explanation",
    "Exported",
    "Extraction",
    "ExtractionContext",
    "ExtractionError",
    "Extractor",
    "Fact",
    "FactType",
    "FactWeights",
    "Failed",
    "Field",
    "Filter",
    "Finding",
    "Forgotten",
    "Frames",
    "GlobalContext",
    "GraphRAG",
    "GraphRAGError",
    "Group",
    "Groups",
    "Grown",
    "Growth",
    "Hit",
    "Identifier",
    "ImportReport",
    "ImportedGroup",
    "IndexReport",
    "IndexState",
    "InputError",
    "Interval",
    "Known",
    "LLMArbiter",
    "LLMError",
    "LLMExtractor",
    "Log",
    "Mention",
    "MergeCandidate",
    "Message",
    "MissingExtraError",
    "Mutation",
    "Neighbor",
    "NewEpisode",
    "NodeDistance",
    "Ontology",
    "OpenAILLM",
    "Orphans",
    "Path",
    "Policy",
    "PolicyError",
    "Portrait",
    "Progress",
    "ProtectedTypes",
    "PydanticAILLM",
    "QueryError",
    "QueueStatus",
    "Quote",
    "Reach",
    "Recency",
    "Recipe",
    "Recipes",
    "Relation",
    "Relations",
    "RepairReport",
    "Replayed",
    "Reranker",
    "Results",
    "RulesExtractor",
    "Ruling",
    "Saga",
    "SagaInfo",
    "SagaView",
    "Sagas",
    "SentenceTransformerEmbedder",
    "Settings",
    "Span",
    "Stage",
    "Stats",
    "Step",
    "StoreAuthError",
    "StoreClosedError",
    "StoreCorruptError",
    "StoreError",
    "StoreIndexError",
    "StoreLockedError",
    "StoreProfileError",
    "StoreURLError",
    "StoreUnreachableError",
    "StoreVersionError",
    "Subgraph",
    "TimeError",
    "Timeline",
    "Told",
    "TransactionError",
    "Usage",
    "Viewpoint",
    "Violation",
    "Waiting",
    "Why",
    "Within",
    "__version__",
    "copy_store",
]


def __getattr__(name: str) -> object:
    """Import a public name and keep it."""
    if name in _LATER:
        globals()[name] = found = getattr(importlib.import_module(_LATER[name]), name)
        return found
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names, whether imported yet or not."""
    return sorted(__all__)
