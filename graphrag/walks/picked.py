"""Which part of a graph to draw: the neighbourhood of an entity, or the best connected."""

import numpy as np
import numpy.typing as npt

from graphrag.search.visible import Mask
from graphrag.walks.edges import Edges, Rows

Degrees = npt.NDArray[np.int64]


def nearest(edges: Edges, degrees: Degrees, start: int, depth: int) -> Rows:
    """Return the entities around one, nearest first, of those the best connected."""
    distance = edges.distances(start, depth)
    reached = np.flatnonzero(distance >= 0)
    return np.asarray(reached[np.lexsort((reached, -degrees[reached], distance[reached]))])


def best_connected(degrees: Degrees, allowed: Mask) -> Rows:
    """Return the allowed entities that have facts, those with the most first."""
    found = np.flatnonzero(allowed & (degrees > 0))
    return np.asarray(found[np.lexsort((found, -degrees[found]))])
