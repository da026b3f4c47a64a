"""Search settings: ``Recipe``, the weights per scope, and ``Request``, one checked search.

Weights of each scope were chosen on data. ``vector``, ``fulltext`` and ``graph`` are factors on
those of all scopes, so that ``Recipe(graph=0)`` leaves one method out everywhere.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, get_args

from graphrag.errors import QueryError
from graphrag.model.values import Entity
from graphrag.search.filters.field import Field
from graphrag.search.filters.tree import Filter
from graphrag.search.fuse import Fusion
from graphrag.search.rerank.reranker import AnswersFirst, Reranking, Rereading
from graphrag.search.weights import (
    CommunityWeights,
    EntityWeights,
    EpisodeWeights,
    FactWeights,
    checked_weights,
)
from graphrag.search.within import Reach, Within

Scope = Literal["facts", "entities", "episodes", "communities"]

SCOPES: tuple[Scope, ...] = get_args(Scope)
LIMIT = 10
"""Hits of a scope that a search returns if nothing says how many."""
MOST = 1000
"""Hits of a scope that a search returns at most."""
LONGEST = 10_000
"""Characters of a query: three pages, more than any model reads of it."""

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_RANGES: Final = {
    "pool": (1, 10_000),
    "depth": (1, 3),
    "seeds": (1, 100),
    "rrf_k": (1, 10_000),
}


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
        """Refuse values that cannot mean anything."""
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
        return self.graph > 0 or any(
            isinstance(reranker, Reranking) and reranker.walks for reranker in self.rerank
        )

    def pool_of(self, scope: str) -> int:
        """Return how many candidates each method contributes to a scope.

        Many facts say nearly the same: of 98,000 the ten that all methods together put first were
        among the 60 best of one in 77 of 100 cases, and among the 180 best in 98.
        """
        return 3 * self.pool if scope == "facts" else self.pool


@dataclass(frozen=True, slots=True)
class Request:
    """One search, checked."""

    query: str
    group: str
    limit: int = 10
    scopes: tuple[Scope, ...] = SCOPES
    recipe: Recipe = field(default_factory=Recipe)
    centers: tuple[str, ...] = ()
    """Names or ids of the entities that closeness counts from; empty: those that the query names,
    or the best found."""
    explain: bool = False
    where: Filter | None = None
    """What hits must be like."""
    within: Within | Reach | None = None
    """The part of the graph that is searched; None: all of it."""

    def __post_init__(self) -> None:
        """Refuse what cannot be searched.

        Raises:
            QueryError: naming the argument and what would be right.
        """
        if not isinstance(self.query, str) or not self.query.strip():
            raise QueryError("the query is empty: ask with at least one word")
        if len(self.query) > LONGEST:
            raise QueryError(
                f"the query has {len(self.query)} characters, at most {LONGEST}: ask a question, "
                "or search with a part of the text"
            )
        for center in self.centers:
            if not isinstance(center, str) or not _is_text(center):
                raise QueryError(f"centers {center!r}: give entities, their names or their ids")
        if not _is_text(self.query):
            raise QueryError("the query holds half of a surrogate pair, which is no character")
        if isinstance(self.limit, bool) or not isinstance(self.limit, int) or self.limit < 1:
            raise QueryError(f"limit {self.limit!r}: ask for at least 1 hit")
        if self.limit > MOST:
            raise QueryError(f"limit {self.limit}: at most {MOST} hits a scope")
        if not self.scopes or any(scope not in SCOPES for scope in self.scopes):
            raise QueryError(f"scopes {self.scopes!r}: choose from {', '.join(SCOPES)}")
        if not isinstance(self.where, Filter | None):
            raise QueryError(f"where {self.where!r} is not a filter: Field.relation == 'works_at'")
        if self.where is not None and self.where.scopes().isdisjoint(self.scopes):
            raise QueryError(
                f"where {self.where!r} says nothing of {', '.join(self.scopes)}: "
                f"search {', '.join(sorted(self.where.scopes()))}"
            )
        if not isinstance(self.within, Within | Reach | None):
            raise QueryError(
                f"within {self.within!r}: give Within('Alice', hops=2), or what graph.within() gave"
            )
        if self.within is not None and set(self.scopes) == {"communities"}:
            raise QueryError("communities lie in no part of the graph: search without 'within'")
        if self.recipe.pool < self.limit:  # or methods that agree could not fill it
            object.__setattr__(self, "recipe", replace(self.recipe, pool=self.limit))

    @classmethod
    def of(
        cls,
        query: str,
        group: str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
        past: bool = False,
    ) -> "Request":
        """Return a request; what the search does not say, its recipe does.

        A ``saga`` is a filter; communities are of no saga, so they are left out. Of the past they
        are searched only if they are named: they have to be found for that moment first.

        Raises:
            QueryError: naming the argument and what would be right.
        """
        if limit is None:
            limit = LIMIT if recipe.limit is None else recipe.limit
        if scopes is None:
            scopes = SCOPES if recipe.scopes is None else recipe.scopes
            if saga is not None or (past and recipe.scopes is None):
                scopes = [scope for scope in scopes if scope != "communities"]
        if saga is not None:
            of_it = Field.saga == saga
            where = of_it if where is None else of_it & where
            if "communities" in scopes:
                raise QueryError(f"communities are of no saga: leave out saga {saga!r}, or them")
        if isinstance(scopes, str):
            raise QueryError(f"scopes {scopes!r}: give a list, such as ['facts']")
        given = (centers,) if isinstance(centers, Entity | str) else tuple(centers)
        return cls(
            query,
            group,
            limit,
            tuple(scopes),
            recipe,
            tuple(entity.id if isinstance(entity, Entity) else entity for entity in given),
            explain,
            where,
            within,
        )

    @property
    def ranks_facts(self) -> bool:
        """Tell whether facts are ranked: asked for, or needed to rank entities by them."""
        return "facts" in self.scopes or (
            "entities" in self.scopes and self.recipe.entities.facts > 0
        )

    @property
    def sagas(self) -> frozenset[str]:
        """Return the names of the sagas that the filter speaks of."""
        return frozenset() if self.where is None else self.where.sagas()

    @property
    def reads_mentions(self) -> bool:
        """Tell whether the ranking or the filter looks at what episodes mention."""
        by_saga = self.where is not None and self.where.names("saga")
        return by_saga or self.follows_mentions or self.asks_near_episodes

    @property
    def follows_mentions(self) -> bool:
        """Tell whether the ranking follows what episodes mention."""
        recipe, weights = self.recipe, self.recipe.episodes
        linked = recipe.graph > 0 and max(weights.mentions, weights.bridge) > 0
        return linked and "episodes" in self.scopes and recipe.fusion == "scores"

    @property
    def asks_near_episodes(self) -> bool:
        """Tell whether it matters which episodes speak of what lies near: found, or counted."""
        counted = "episodes" in self.scopes or bool(self.recipe.rerank)
        return counted and isinstance(self.within, Within)

    @property
    def wanted(self) -> int | None:
        """How long each ranking must be: all of it while something reranks it."""
        return None if self.recipe.rerank or self.recipe.min_score else self.limit


def _is_text(given: str) -> bool:
    """Tell whether a string can be written down: half of a surrogate pair cannot."""
    return not _SURROGATE.search(given)
