"""Which part of a graph to draw: the neighbourhood of an entity, or the best connected."""

import numpy as np
import numpy.typing as npt

from graphrag.search.visible import Mask
from graphrag.walks.edges import Edges


def nearest(edges: Edges, start: int, depth: int, limit: int) -> npt.NDArray[np.intp]:
    """Return up to ``limit`` entities around one, nearest first, of those the best connected."""
    distance = edges.distances(start, depth)
    reached = np.flatnonzero(distance >= 0)
    order = np.lexsort((reached, -edges.degrees()[reached], distance[reached]))
    return reached[order[:limit]]


def best_connected(edges: Edges, allowed: Mask, limit: int) -> npt.NDArray[np.intp]:
    """Return the ``limit`` allowed entities with the most facts, those with none left out."""
    degrees = np.where(allowed, edges.degrees(), 0)
    found = np.flatnonzero(degrees)
    order = np.lexsort((found, -degrees[found]))
    return found[order[:limit]]
