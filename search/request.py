"""``Request``: one checked search, and the relations it names joined by their inverses."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from graphrag.errors import QueryError
from graphrag.model.checks import checked_number
from graphrag.model.values import Entity
from graphrag.ontology.relations import Relations
from graphrag.search.fields import Field
from graphrag.search.filters import Compare, Every, Filter, Not, Some
from graphrag.search.recipe import SCOPES, Recipe, Scope, recipe_of
from graphrag.search.within import Reach, Within
from graphrag.temporal.interval import NOW, Viewpoint

_LIMIT = 10
MOST = 1000
"""Hits of a scope that a search returns at most."""
_LONGEST = 10_000
"""Characters of a query: three pages, more than any model reads of it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One search, checked.

    The types of the arguments are checked at the doors, the methods of a view; here their values.
    """

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
    within: Within | Reach | None = None
    """The part of the graph that is searched; None: all of it."""

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise QueryError("the query is empty: ask with at least one word")
        if len(self.query) > _LONGEST:
            raise QueryError(
                f"the query has {len(self.query)} characters, at most {_LONGEST}: ask a question, "
                "or search with a part of the text"
            )
        checked_number("limit", self.limit, least=1, most=MOST)
        if not self.scopes or any(scope not in SCOPES for scope in self.scopes):
            raise QueryError(f"scopes {self.scopes!r}: choose from {', '.join(SCOPES)}")
        if self.where is not None and self.where.scopes().isdisjoint(self.scopes):
            raise QueryError(
                f"where {self.where!r} says nothing of {', '.join(self.scopes)}: "
                f"search {', '.join(sorted(self.where.scopes()))}"
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
        viewpoint: Viewpoint = NOW,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
    ) -> "Request":
        """Return what a view is asked for; what the search does not say, its recipe does.

        A ``saga`` is a filter; communities are of no saga, so they are left out. Of the past they
        are searched only if they are named: they have to be found for that moment first.
        """
        recipe = recipe_of(recipe)
        past = viewpoint not in (NOW, Viewpoint(history=True))
        if limit is None:
            limit = _LIMIT if recipe.limit is None else recipe.limit
        if scopes is None:
            scopes = SCOPES if recipe.scopes is None else recipe.scopes
            if saga is not None or (past and recipe.scopes is None):
                scopes = [scope for scope in scopes if scope != "communities"]
        if saga is not None:
            of_saga = Field.saga == saga
            where = of_saga if where is None else of_saga & where
            if "communities" in scopes:
                raise QueryError(f"communities are of no saga: leave out saga {saga!r}, or them")
        names = tuple(entity.id if isinstance(entity, Entity) else entity for entity in centers)
        return cls(query, group, limit, tuple(scopes), recipe, names, explain, where, within)

    @property
    def ranks_facts(self) -> bool:
        """Tell whether facts are ranked: asked for, or needed to rank entities by them."""
        by_facts = "entities" in self.scopes and self.recipe.entities.facts > 0
        return "facts" in self.scopes or by_facts

    @property
    def sagas(self) -> frozenset[str]:
        """Return the names of the sagas that the filter speaks of."""
        return frozenset() if self.where is None else self.where.sagas()

    @property
    def reads_mentions(self) -> bool:
        """Tell whether the ranking or the filter looks at what episodes mention."""
        recipe, weights = self.recipe, self.recipe.episodes
        links = "episodes" in self.scopes and recipe.fusion == "scores" and recipe.graph > 0
        follows = links and max(weights.mentions, weights.bridge) > 0
        by_saga = self.where is not None and self.where.names("saga")
        return by_saga or follows or self.asks_near_episodes

    @property
    def asks_near_episodes(self) -> bool:
        """Tell whether it matters which episodes speak of what lies near: found, or counted."""
        counted = "episodes" in self.scopes or bool(self.recipe.rerank)
        return counted and isinstance(self.within, Within)

    @property
    def wanted(self) -> int | None:
        """How long each ranking must be: all of it while something reranks it."""
        return None if self.recipe.rerank or self.recipe.min_score else self.limit


def with_inverses(request: Request, relations: Relations) -> Request:
    """Return the request with every relation that it names joined by those that say the same."""
    where, within = request.where, request.within
    if where is not None and where.names("relation"):
        request = replace(request, where=_both_ways(where, relations))
    if isinstance(within, Within) and within.relations is not None:
        names = (same for name in within.relations for same in relations.same(name))
        request = replace(request, within=replace(within, relations=tuple(dict.fromkeys(names))))
    return request


def _both_ways(where: Filter, relations: Relations) -> Filter:
    match where:
        case Compare("relation", "==" | "in" as op, value):
            asked = (value,) if op == "==" else value
            names = dict.fromkeys(same for name in asked for same in relations.same(name))
            return where if len(names) == len(asked) else Compare("relation", "in", tuple(names))
        case Compare("relation", "!=", value) if len(others := relations.same(value)) > 1:
            return Every(tuple(Compare("relation", "!=", name) for name in others))
        case Every(parts) | Some(parts):
            return type(where)(tuple(_both_ways(part, relations) for part in parts))
        case Not(part):
            return Not(_both_ways(part, relations))
    return where
