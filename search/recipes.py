"""Recipes by name: ours, and the sixteen of Graphiti, for those who come from there.

Graphiti's fuse ranks with a constant of 1 and give every method the same weight; here they keep its
scopes, methods, rerankers and limits, with rank fusion as published (k = 60) and with rerankers
that do what their names say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from graphrag.errors import QueryError
from graphrag.search.request import Recipe
from graphrag.search.rerank.cross import CrossEncoder
from graphrag.search.rerank.rerankers import MMR, EpisodeMentions, NodeDistance, Recency
from graphrag.search.weights import CommunityWeights, EntityWeights, FactWeights

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
_DISTANCE, _MENTIONS = (NodeDistance(),), (EpisodeMentions(),)
_CROSS = (CrossEncoder(),)


class Recipes(Mapping[str, Recipe]):
    """Recipes by name, in lower case; a name is understood in any case."""

    def __init__(self, recipes: Mapping[str, Recipe]) -> None:
        self._recipes = dict(recipes)

    def __getitem__(self, name: str) -> Recipe:
        """Return the recipe of this name."""
        return self._recipes[name.casefold()]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._recipes)

    def __len__(self) -> int:
        """Count them."""
        return len(self._recipes)

    def __repr__(self) -> str:
        """List the names."""
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
    """Return a recipe, given itself or its name in any case.

    Raises:
        QueryError: for a name that is none; the message lists the names.
    """
    if recipe is None:
        return RECIPES["default"]
    if isinstance(recipe, Recipe):
        return recipe
    if isinstance(recipe, str) and recipe in RECIPES:
        return RECIPES[recipe]
    raise QueryError(f"recipe {recipe!r}: give a Recipe, or one of {', '.join(RECIPES)}")
