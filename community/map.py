"""Communities as a picture: each a disc with its members, the best tied in the middle."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.display.picture import Drawing, Picture
from graphrag.display.visible import flatten
from graphrag.index.group import GroupIndex
from graphrag.model.values import CONCEPT, Community
from graphrag.search.rewind import Past
from graphrag.search.visibility import Visible

_DISCS = 24
"""Communities on one map: more nobody tells apart."""


@dataclass(frozen=True, slots=True)
class Place:
    """An entity on a map."""

    id: str
    name: str
    entity_type: str
    community: int
    """Place of its community among those of the map."""
    facts: int
    """How many it has, whoever is at their other end."""

    @property
    def named(self) -> bool:
        """Tell whether it has a name of its own, and is not only a common noun."""
        return self.entity_type != CONCEPT


@dataclass(frozen=True, slots=True, repr=False)
class CommunityMap(Picture):
    """The communities of one level, to draw; a notebook does."""

    communities: tuple[Community, ...]
    """Largest first."""
    entities: tuple[Place, ...]
    """Community by community, best tied first."""
    ties: Mapping[tuple[int, int], int]
    """Facts between two entities, by their places."""
    left_out: int
    """Members that had no room."""

    def __repr__(self) -> str:
        """Show the counts."""
        return (
            f"CommunityMap({len(self.communities)} communities, {len(self.entities)} entities, "
            f"{self.left_out} left out)"
        )

    def __str__(self) -> str:
        """List the communities, each with its size."""
        lines = (f"{len(one.members):5}  {flatten(one.name)}" for one in self.communities)
        return "\n".join(lines) or "no communities"

    def _draw(self) -> Drawing:
        from graphrag.community.drawing import drawn

        return drawn(self)


def mapped(
    communities: Sequence[Community], index: GroupIndex, past: Past, seen: Visible, *, limit: int
) -> CommunityMap:
    """Return the map of the largest of some communities that share no member."""
    row_of = index.entities.row_of
    whole = sum(len(one.members) for one in communities)
    communities = communities[:_DISCS]
    share = min(1.0, limit / max(1, whole))
    subject, object_ = seen.ends
    facts = np.flatnonzero(seen.facts & (subject != object_))
    subject, object_ = subject[facts], object_[facts]
    degrees = np.bincount(np.concatenate((subject, object_)), minlength=len(index.entities))
    places: list[Place] = []
    place_of = np.full(len(index.entities), -1, dtype=np.int64)
    for number, one in enumerate(communities):
        # Each has room for its share; those of two or three are not made invisible by it.
        for id_ in one.members[: max(2, round(share * len(one.members)))]:
            if id_ in row_of:
                row = row_of[id_]
                place_of[row] = len(places)
                type_ = past.type_of(id_, index)
                places.append(Place(id_, past.name(id_, index), type_, number, int(degrees[row])))
    ends = np.sort(np.stack((place_of[subject], place_of[object_])), axis=0)
    pairs, counts = np.unique(ends[:, ends[0] >= 0], axis=1, return_counts=True)
    ties = {
        (int(one), int(other)): int(count) for one, other, count in zip(*pairs, counts, strict=True)
    }
    return CommunityMap(tuple(communities), tuple(places), ties, whole - len(places))
