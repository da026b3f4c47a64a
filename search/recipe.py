"""Recipes: the weights of the ranking methods in each scope, the rerankers, and named recipes.

The default weights were chosen on data. ``vector``, ``fulltext`` and ``graph`` are factors on the
weights of all scopes: ``Recipe(graph=0)`` disables a method everywhere.

Graphiti's sixteen recipes have its scopes, methods, rerankers and limits, and rank fusion as
published (k = 60; Graphiti uses 1 and equal weights).
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from math import isfinite
from types import MappingProxyType
from typing import Final, Literal, get_args

from graphrag.errors import QueryError
from graphrag.search.fuse import AnswersFirst, Fusion, Reranking, Rereading
from graphrag.search.rerankers import MMR, CrossEncoder, EpisodeMentions, NodeDistance, Recency

Scope = Literal["facts", "entities", "episodes", "communities"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
TABLES: Final[Mapping[str, str]] = MappingProxyType(
    {"facts": "relates_to", "entities": "entity", "episodes": "episode", "communities": "community"}
)
"""Table of the store by scope."""
_RANGES: Final = {"pool": (1, 10_000), "depth": (1, 3), "seeds": (1, 100), "rrf_k": (1, 10_000)}


def checked_weights(weights: Mapping[str, float]) -> None:
    """Refuse weights that cannot mean anything."""
    given = ", ".join(f"{name}={weight!r}" for name, weight in weights.items())
    if not all(isfinite(weight) and weight >= 0 for weight in weights.values()):
        raise QueryError(f"weights {given}: weights are finite, 0 or more")
    if not any(weights.values()):
        raise QueryError(f"weights {given}: at least one is above 0")


@dataclass(frozen=True, slots=True)
class _Weights:
    def __post_init__(self) -> None:
        checked_weights(asdict(self))


@dataclass(frozen=True, slots=True)
class FactWeights(_Weights):
    """Weights of the methods that rank facts; 0 disables a method."""

    vector: float = 0.65
    """Cosine similarity of the embeddings of query and fact."""
    fulltext: float = 0.35
    """BM25 score of the words."""
    graph: float = 0.2
    """Proximity to the entities that the query names, the best found ones, or ``centers``; less for
    entities with many facts."""
    time: float = 0.5
    """Holding at a time that the query mentions; ignored if it mentions none."""
    relation: float = 0.15
    """Match with a relation that the query names, as ``works_at`` by "work"; BM25 gives such
    frequent words no weight. Ignored if the query names no relation in use."""


@dataclass(frozen=True, slots=True)
class EntityWeights(_Weights):
    """Weights of the methods that rank entities; 0 disables a method."""

    vector: float = 0.65
    """Cosine similarity of the embeddings of query and name."""
    fulltext: float = 0.35
    """BM25 score of the names."""
    graph: float = 0.2
    """Proximity to the entities that the query names, the best found ones, or ``centers``."""
    name: float = 1.0
    """Exact occurrence of the name in the query."""
    facts: float = 1.0
    """Score of the best facts about the entity."""


@dataclass(frozen=True, slots=True)
class CommunityWeights(_Weights):
    """Weights of the methods that rank communities; 0 disables a method."""

    vector: float = 0.6
    """Cosine similarity of the embeddings of the query and of name and summary."""
    fulltext: float = 0.4
    """BM25 score of name and summary."""


@dataclass(frozen=True, slots=True)
class EpisodeWeights(_Weights):
    """Weights of the methods that rank episodes; 0 disables a method.

    ``vector`` and ``fulltext`` are shares of one base score. Each of the others adds up to that
    fraction of the maximum base score. With ``Recipe(fusion="rrf")`` only the first two are used.
    """

    vector: float = 0.6
    """Cosine similarity of the embeddings of the query and of the episode or its best passage; for
    long texts a part of this weight goes to ``fulltext``."""
    fulltext: float = 0.4
    """BM25 score of the best passage."""
    previous: float = 0.3
    """Score of the previous message in the same session."""
    following: float = 0.3
    """Score of the next message, which often answers a question."""
    answer: float = 0.2
    """Score that a question in a chat adds to the message that follows it."""
    session: float = 0.5
    """BM25 score of the whole session."""
    time: float = 0.3
    """Match of its text or reference time with a time that the query mentions."""
    titles: float = 0.6
    """Links to other results through titles, in groups whose episodes mention each other by
    title."""
    mentions: float = 0.2
    """Entities shared with other results, in all other groups."""
    bridge: float = 1.0
    """Answering the query together with one of the three best episodes (the second hop), through
    title links; through shared entities with a third of this weight."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Ranking configuration of a search: weights, depths and rerankers.

    Raises ``QueryError`` if a weight is negative, all are 0, or a depth or pool is out of range.
    """

    vector: float = 1.0
    """Factor on the weight of embedding similarity in every scope; 0 disables it."""
    fulltext: float = 1.0
    """Factor on the weight of BM25 in every scope; 0 disables it."""
    graph: float = 1.0
    """Factor on the weight of proximity in the graph in every scope; 0 disables it."""
    fusion: Fusion = "scores"
    """``scores``: weighted mean of the scores of the methods; ``rrf``: of reciprocal ranks."""
    rerank: tuple[Reranking | Rereading, ...] = (AnswersFirst(),)
    """The rerankers, applied one after another."""
    min_score: float = 0.0
    """Minimum ``relevance`` of a hit, 0 to 1."""
    scopes: tuple[Scope, ...] | None = None
    """Scopes if the search gives none; None: all scopes."""
    limit: int | None = None
    """Hits of each scope if the search gives no limit; None: 10."""
    pool: int = 60
    """Number of candidates from each method, 1 to 10,000; three times as many for facts."""
    rrf_k: int = 60
    """Constant k of reciprocal rank fusion, 1 or more; a larger one flattens the top ranks."""
    seeds: int = 3
    """Number of found entities from which the graph walk starts if the query names none."""
    depth: int = 2
    """Number of hops of the graph walk, 1 to 3."""
    facts: FactWeights = field(default_factory=FactWeights)
    entities: EntityWeights = field(default_factory=EntityWeights)
    episodes: EpisodeWeights = field(default_factory=EpisodeWeights)
    communities: CommunityWeights = field(default_factory=CommunityWeights)

    def __post_init__(self) -> None:
        checked_weights({name: getattr(self, name) for name in ("vector", "fulltext", "graph")})
        for name, (least, most) in _RANGES.items():
            value = getattr(self, name)
            if type(value) is not int or not least <= value <= most:
                raise QueryError(f"{name} {value!r}: a whole number from {least} to {most}")
        if self.fusion not in get_args(Fusion):
            raise QueryError(f"fusion {self.fusion!r}: choose from {', '.join(get_args(Fusion))}")
        if not 0 <= self.min_score <= 1:
            raise QueryError(f"min_score {self.min_score}: relevance is 0 to 1")
        for reranker in self.rerank:
            if isinstance(reranker, type) or not isinstance(reranker, Reranking | Rereading):
                raise QueryError(f"rerank {reranker!r}: give rerankers, such as MMR() or Recency()")

    @property
    def walks(self) -> bool:
        """Tell whether a method or reranker needs distances in the graph."""
        return self.graph > 0 or any(isinstance(r, Reranking) and r.walks for r in self.rerank)

    def pool_of(self, scope: str) -> int:
        """Return the number of candidates from each method in a scope.

        Facts need more because many are nearly alike: among 98,000 facts, the ten best overall were
        within the first 60 of a single method in 77 of 100 cases, and within the first 180 in 98.
        """
        return 3 * self.pool if scope == "facts" else self.pool


_HYBRID = Recipe(
    fusion="rrf",
    graph=0,
    facts=FactWeights(vector=1, fulltext=1, graph=1, time=0, relation=0),
    entities=EntityWeights(vector=1, fulltext=1, graph=1, name=0, facts=0),
    communities=CommunityWeights(vector=1, fulltext=1),
)
_EDGE = replace(_HYBRID, scopes=("facts",))
_NODE = replace(_HYBRID, scopes=("entities",))
_COMMUNITY = replace(_HYBRID, scopes=("communities",))
_DISTANCE, _MENTIONS, _CROSS = (NodeDistance(),), (EpisodeMentions(),), (CrossEncoder(),)


class Recipes(Mapping[str, Recipe]):
    """Mapping of recipes by name; upper and lower case are equivalent."""

    def __init__(self, recipes: Mapping[str, Recipe]) -> None:
        self._recipes = dict(recipes)

    def __getitem__(self, name: str) -> Recipe:
        return self._recipes[name.casefold()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._recipes)

    def __len__(self) -> int:
        return len(self._recipes)

    def __repr__(self) -> str:
        return f"Recipes({', '.join(self)})"


RECIPES: Final = Recipes(
    {
        "default": Recipe(),
        "diverse": Recipe(rerank=(MMR(),)),
        "recent": Recipe(rerank=(Recency(),)),
        "near": Recipe(rerank=_DISTANCE),
        "precise": Recipe(rerank=_CROSS),
        "combined_hybrid_search_rrf": _HYBRID,
        "combined_hybrid_search_mmr": replace(_HYBRID, rerank=(MMR(1.0),)),
        "combined_hybrid_search_cross_encoder": replace(_HYBRID, graph=1, rerank=_CROSS),
        "edge_hybrid_search_rrf": _EDGE,
        "edge_hybrid_search_mmr": replace(_EDGE, rerank=(MMR(),)),
        "edge_hybrid_search_node_distance": replace(_EDGE, rerank=_DISTANCE),
        "edge_hybrid_search_episode_mentions": replace(_EDGE, rerank=_MENTIONS),
        "edge_hybrid_search_cross_encoder": replace(_EDGE, graph=1, rerank=_CROSS, limit=10),
        "node_hybrid_search_rrf": _NODE,
        "node_hybrid_search_mmr": replace(_NODE, rerank=(MMR(),)),
        "node_hybrid_search_node_distance": replace(_NODE, rerank=_DISTANCE),
        "node_hybrid_search_episode_mentions": replace(_NODE, rerank=_MENTIONS),
        "node_hybrid_search_cross_encoder": replace(_NODE, graph=1, rerank=_CROSS, limit=10),
        "community_hybrid_search_rrf": _COMMUNITY,
        "community_hybrid_search_mmr": replace(_COMMUNITY, rerank=(MMR(),)),
        "community_hybrid_search_cross_encoder": replace(_COMMUNITY, rerank=_CROSS, limit=3),
    }
)
"""The built-in recipes by name."""


def recipe_of(recipe: Recipe | str | None) -> Recipe:
    """Return a recipe, given itself or its name in any case."""
    if recipe is None:
        return RECIPES["default"]
    if isinstance(recipe, Recipe):
        return recipe
    if isinstance(recipe, str) and recipe in RECIPES:
        return RECIPES[recipe]
    raise QueryError(f"recipe {recipe!r}: give a Recipe, or one of {', '.join(RECIPES)}")
