"""Searches limited to a part of the graph: near something, or visible to somebody.

``Within`` is evaluated at search time, ``Reach`` (``graph.within()``) is a precomputed set of ids
with set operations. Names, walks and statistics are limited too: nothing outside shows in an order.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from graphrag.errors import QueryError
from graphrag.model.values import Entity, Episode, Fact

DEEPEST = 10
"""Facts away that any walk goes at most."""


@dataclass(frozen=True, slots=True)
class Within:
    """What lies within some facts of an entity, or of several, at the time of the search.

    A fact is as far away as the steps that it takes to go along it: those about the entity itself
    lie within one. So do the episodes that speak of it, and the entities at their other ends.
    """

    of: Entity | str | Sequence[Entity | str]
    """An entity, its name or its id; of several entities of one name the best connected."""
    hops: int = 2
    """Facts away, 1 to 10."""
    relations: Sequence[str] | None = None
    """Only along facts of these relations, which then are the only facts found."""

    def __post_init__(self) -> None:
        """Refuse what cannot be walked."""
        if not self.names or not all(isinstance(name, str) for name in self.names):
            raise QueryError(f"within {self.of!r}: give an entity, its name or its id, or several")
        checked_number("hops", self.hops, least=1, most=DEEPEST)
        if self.relations is not None:
            object.__setattr__(self, "relations", checked_names(self.relations))

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names or ids that it starts from."""
        given = (self.of,) if isinstance(self.of, Entity | str) else tuple(self.of)
        return tuple(entity.id if isinstance(entity, Entity) else entity for entity in given)


@dataclass(frozen=True, slots=True, repr=False)
class Reach:
    """A part of the graph, as ids: what ``graph.within()`` found, and sets made of it.

    ``a | b`` is what is in either, ``a & b`` what is in both, ``a - b`` what is in the first only.
    """

    entities: frozenset[str] = frozenset()
    facts: frozenset[str] = frozenset()
    """Of every time up to the view's: which of them hold is up to the search."""
    episodes: frozenset[str] = frozenset()

    def __contains__(self, item: object) -> bool:
        """Tell whether an entity, a fact or an episode, given by itself or its id, is in reach."""
        id_ = item.id if isinstance(item, Entity | Fact | Episode) else item
        return any(id_ in ids for ids in (self.entities, self.facts, self.episodes))

    def __or__(self, other: "Reach") -> "Reach":
        """Either."""
        return Reach(
            self.entities | other.entities,
            self.facts | other.facts,
            self.episodes | other.episodes,
        )

    def __and__(self, other: "Reach") -> "Reach":
        """Both."""
        return Reach(
            self.entities & other.entities,
            self.facts & other.facts,
            self.episodes & other.episodes,
        )

    def __sub__(self, other: "Reach") -> "Reach":
        """The first without the second."""
        return Reach(
            self.entities - other.entities,
            self.facts - other.facts,
            self.episodes - other.episodes,
        )

    def __len__(self) -> int:
        """Count everything in it."""
        return len(self.entities) + len(self.facts) + len(self.episodes)

    def __repr__(self) -> str:
        """Show the counts."""
        return (
            f"Reach({len(self.entities)} entities, {len(self.facts)} facts, "
            f"{len(self.episodes)} episodes)"
        )


def checked_number(what: str, value: int, *, least: int, most: int | None = None) -> None:
    """Refuse what is no number, too small or too large.

    Raises:
        QueryError: naming what it is.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"{least} to {most}"
        raise QueryError(f"{what} {value!r}: give {wanted}")


def checked_names(names: Sequence[str], what: str = "relations") -> tuple[str, ...]:
    """Return names of relations or types.

    Raises:
        QueryError: if they are no list of names.
    """
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise QueryError(f"{what} {names!r}: give a list of names, such as ['works_at']")
    return tuple(names)
