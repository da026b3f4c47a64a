"""Searches limited to a part of the graph.

``Within`` is evaluated when the search runs; ``Reach`` (``graph.within()``) is a fixed set of ids.
Names, walks and statistics are limited, too: nothing outside affects the ranking.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.scope import ScopeIndex
from graphrag.model.checks import checked_number
from graphrag.model.values import Entity, Episode, Fact
from graphrag.search.near import Edges, bearers
from graphrag.search.visibility import Mask, VisibleRows

DEEPEST = 10
"""Facts away that any walk goes at most."""


@dataclass(frozen=True, slots=True)
class Within:
    """Limit of a search to the neighbourhood of one or several entities.

    Distance is the number of facts on the path. Within 1 are the facts about the entity, their
    other entities, and the episodes that mention it.
    """

    of: Entity | str | Sequence[Entity | str]
    """Entities by value, name or id; an ambiguous name means the best connected one."""
    hops: int = 2
    """Maximum distance in facts, 1 to 10."""
    relations: Sequence[str] | None = None
    """Follow and return only facts of these relations; None: all."""

    def __post_init__(self) -> None:
        if not self.names or not all(isinstance(name, str) for name in self.names):
            raise QueryError(f"within {self.of!r}: give an entity, its name or its id, or several")
        checked_number("hops", self.hops, least=1, most=DEEPEST)
        if self.relations is not None:
            given = self.relations
            if isinstance(given, str) or not all(isinstance(name, str) for name in given):
                raise QueryError(f"relations {given!r}: give a list of names, such as ['works_at']")
            object.__setattr__(self, "relations", tuple(given))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names or ids of the entities."""
        given = (self.of,) if isinstance(self.of, Entity | str) else tuple(self.of)
        return tuple(entity.id if isinstance(entity, Entity) else entity for entity in given)


@dataclass(frozen=True, slots=True, repr=False)
class Reach:
    """A part of the graph as sets of ids: the result of ``graph.within()``.

    ``a | b`` is the union, ``a & b`` the intersection, ``a - b`` the difference.
    """

    entities: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    """Facts that began by the moment of the view, also ended ones; the search filters them."""
    episodes: frozenset[str] = frozenset()

    def __contains__(self, item: object) -> bool:
        """Tell whether an entity, a fact or an episode, given by value or id, is contained."""
        id_ = item.id if isinstance(item, Entity | Fact | Episode) else item
        return any(id_ in ids for ids in self._sets)

    @property
    def _sets(self) -> tuple[frozenset[str], ...]:
        return self.entities, self.facts, self.episodes

    def __or__(self, other: "Reach") -> "Reach":
        return Reach(*(own | given for own, given in zip(self._sets, other._sets, strict=True)))

    def __and__(self, other: "Reach") -> "Reach":
        return Reach(*(own & given for own, given in zip(self._sets, other._sets, strict=True)))

    def __sub__(self, other: "Reach") -> "Reach":
        return Reach(*(own - given for own, given in zip(self._sets, other._sets, strict=True)))

    def __len__(self) -> int:
        return sum(map(len, self._sets))

    def __repr__(self) -> str:
        return (
            f"Reach({len(self.entities)} entities, {len(self.facts)} facts, "
            f"{len(self.episodes)} episodes)"
        )


def limited(
    within: Within | Reach, index: GroupIndex, seen: VisibleRows, *, partial: bool = False
) -> VisibleRows:
    """Return what may be seen of a part of the graph; of communities, which know no bounds, none.

    Episodes are in reach of a ``Within`` as far as ``index.episodes.mentions`` are there.
    """
    if isinstance(within, Within):
        facts, entities, episodes = _near(within, index, seen, partial)
    else:
        facts = _held(within.facts, index.facts)
        entities = _held(map(seen.heirs.of, within.entities), index.entities)
        episodes = _held(within.episodes, index.episodes)
    return replace(
        seen,
        facts=seen.facts & facts,
        entities=seen.entities & entities,
        episodes=seen.episodes & episodes,
        communities=np.zeros_like(seen.communities),
    )


def reach(seen: VisibleRows, index: GroupIndex) -> Reach:
    """Return what may be seen as ids."""
    return Reach(
        _ids(index.entities, seen.entities),
        _ids(index.facts, seen.facts),
        _ids(index.episodes, seen.episodes),
    )


def spoken_of(entities: Mask, index: GroupIndex, seen: VisibleRows) -> Mask:
    """Return the episodes that speak of some entities, as far as mentions are known."""
    found = np.zeros(len(seen.episodes), dtype=np.bool_)
    if index.episodes.mentions is not None:
        if seen.heirs:  # an episode speaks of who was merged: of the heir, then
            entities = entities[seen.heirs.rows(index.entities.row_of, len(index.entities))]
        found[index.episodes.mentions.of_right(np.flatnonzero(entities))[0]] = True
    return found


def _near(
    within: Within, index: GroupIndex, seen: VisibleRows, partial: bool
) -> tuple[Mask, Mask, Mask]:
    """Return the facts that the steps go along, the entities they lead to, and the episodes."""
    starts = []
    for name in within.names:
        if ids := bearers(name, index, seen):
            starts.append(index.entities.row_of[ids[0]])
        elif not partial:
            raise QueryError(
                f"within {name!r}: no entity has this name or id in group {index.group_id!r}"
            )
    edges = Edges.of(index, seen, relations=within.relations)
    distance = edges.distances(starts, within.hops)
    inner = (distance >= 0) & (distance < within.hops)
    facts = np.zeros(len(index.facts), dtype=np.bool_)
    facts[edges.about(inner)] = True
    return facts, distance >= 0, spoken_of(inner, index, seen)


def _held(ids: Iterable[str], rows: ScopeIndex) -> Mask:
    mask, row_of = np.zeros(len(rows), dtype=np.bool_), rows.row_of
    mask[[row_of[id_] for id_ in ids if id_ in row_of]] = True
    return mask


def _ids(rows: ScopeIndex, mask: Mask) -> frozenset[str]:
    ids = rows.ids
    return frozenset(ids[row] for row in np.flatnonzero(mask).tolist())
