"""Recipes: the weights of every scope, the rerankers, and recipes by name.

Weights of each scope were chosen on data. ``vector``, ``fulltext`` and ``graph`` are factors on
those of all scopes, so that ``Recipe(graph=0)`` leaves one method out everywhere.

Graphiti's sixteen recipes keep their scopes, methods, rerankers and limits, with rank fusion as
published (k = 60; Graphiti takes 1 and equal weights).
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
    """Weights of the methods that rank facts; 0 leaves a method out."""

    vector: float = 0.65
    """Meaning: cosine of query and fact."""
    fulltext: float = 0.35
    """Words: BM25."""
    graph: float = 0.2
    """Closeness to the entities that the query names or finds, or to given ones; less, the more of
    the facts are about those."""
    time: float = 0.5
    """Holding at a time that the question speaks of; counts only if it does."""
    relation: float = 0.15
    """Being of a relation that the question names, as ``works_at`` by "work": a word that too many
    facts have to be rare in the group. Counts only if it names one that is used."""


@dataclass(frozen=True, slots=True)
class EntityWeights(_Weights):
    """Weights of the methods that rank entities; 0 leaves a method out."""

    vector: float = 0.65
    """Meaning: cosine of query and name."""
    fulltext: float = 0.35
    """Words: BM25 of the names."""
    graph: float = 0.2
    """Closeness to the entities that the query names or finds, or to given ones."""
    name: float = 1.0
    """Being named in the query, word for word."""
    facts: float = 1.0
    """Being part of a good fact."""


@dataclass(frozen=True, slots=True)
class CommunityWeights(_Weights):
    """Weights of the methods that rank communities; 0 leaves a method out."""

    vector: float = 0.6
    """Meaning: cosine of the query and the community's name and summary."""
    fulltext: float = 0.4
    """Words: BM25 of the same."""


@dataclass(frozen=True, slots=True)
class EpisodeWeights(_Weights):
    """Weights of the methods that rank episodes; 0 leaves a method out.

    ``vector`` and ``fulltext`` are shares of one score. What follows adds to it, each as that much
    of the best score that there could be. With ``Recipe(fusion="rrf")`` only the first two count.
    """

    vector: float = 0.6
    """Meaning: cosine of the query and the episode, or its best passage; of a text of many passages
    a part of this weight goes to words."""
    fulltext: float = 0.4
    """Words: BM25 of the best piece."""
    previous: float = 0.3
    """Score of the message before, in the same session."""
    following: float = 0.3
    """Score of the message after: often the reply to a question."""
    answer: float = 0.2
    """Share of its own score that a question in a chat hands on to the message after it."""
    session: float = 0.5
    """Words of the whole session."""
    time: float = 0.3
    """Saying, or being said at, a time that the query speaks of."""
    titles: float = 0.6
    """Being linked by titles to what else is found, where episodes name each other by them."""
    mentions: float = 0.2
    """Speaking of the same entities as what else is found, where they do not."""
    bridge: float = 1.0
    """Answering the query together with one of the first three: the second hop, along titles. Along
    entities a third of it."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Weights and depths of one search.

    Raises ``QueryError`` for weights below 0 or all 0, or for a depth or pool out of range.
    """

    vector: float = 1.0
    """Factor on the weight of meaning in every scope; 0 leaves it out."""
    fulltext: float = 1.0
    """Factor on the weight of words in every scope; 0 leaves them out."""
    graph: float = 1.0
    """Factor on the weight of closeness in the graph in every scope; 0 leaves it out."""
    fusion: Fusion = "scores"
    """``scores``: weighted mean of the methods' scores; ``rrf``: of their ranks."""
    rerank: tuple[Reranking | Rereading, ...] = (AnswersFirst(),)
    """What orders the ranking anew, one after another."""
    min_score: float = 0.0
    """Least ``relevance`` of a hit, 0 to 1."""
    scopes: tuple[Scope, ...] | None = None
    """What is searched if the search does not say; None: everything."""
    limit: int | None = None
    """Hits of each scope if the search does not say; None: 10."""
    pool: int = 60
    """How many candidates each method contributes, 1 to 10,000; of facts three times as many."""
    rrf_k: int = 60
    """Rank constant of reciprocal rank fusion, 1 or more; larger flattens the first ranks."""
    seeds: int = 3
    """How many found entities the graph walk starts from when the query names none."""
    depth: int = 2
    """How many hops the graph walk goes, 1 to 3."""
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
        """Tell whether anything counts hops from some entities."""
        return self.graph > 0 or any(isinstance(r, Reranking) and r.walks for r in self.rerank)

    def pool_of(self, scope: str) -> int:
        """Return how many candidates each method contributes to a scope.

        Many facts say nearly the same: of 98,000 the ten that all methods together put first were
        among the 60 best of one in 77 of 100 cases, and among the 180 best in 98.
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
    """Recipes by name, in lower case; a name is understood in any case."""

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
"""Frozen values by name."""


def recipe_of(recipe: Recipe | str | None) -> Recipe:
    """Return a recipe, given itself or its name in any case."""
    if recipe is None:
        return RECIPES["default"]
    if isinstance(recipe, Recipe):
        return recipe
    if isinstance(recipe, str) and recipe in RECIPES:
        return RECIPES[recipe]
    raise QueryError(f"recipe {recipe!r}: give a Recipe, or one of {', '.join(RECIPES)}")
