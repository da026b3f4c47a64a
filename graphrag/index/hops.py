"""How far every node is from some seeds, straight from the edge columns.

No adjacency structure: each level gathers the frontier at both ends of every edge. That is always
O(levels * edges), however small the frontier, but there is nothing to build, nothing to update
after a write, and a view in time is a mask over the edges.

Measured with 30 000 nodes and 100 000 edges (largest degree 1337), p50: 0.3 ms a level from few
seeds, 1.8 ms for depth 3 from 10 seeds (17 000 nodes reached). Compressed adjacency lists need
0.02 ms for the first level, but 2.5 ms for the same depth 3, plus 18 ms to build after each write.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.errors import InputError


def hops(
    subjects: NDArray[np.int32],
    objects: NDArray[np.int32],
    n: int,
    seeds: ArrayLike,
    *,
    depth: int,
    alive: NDArray[np.bool_] | None = None,
) -> NDArray[np.int8]:
    """Return the number of edges between each of ``n`` nodes and its nearest seed.

    Edges count in both directions; only those where ``alive`` is True do. A node farther than
    ``depth`` is at -1.
    """
    if not 0 <= depth <= 127:
        raise InputError(f"depth: expected 0 to 127, got {depth}")
    distance = np.full(n, -1, dtype=np.int8)
    distance[np.asarray(seeds, dtype=np.intp)] = 0
    for level in range(1, depth + 1):
        frontier = distance == level - 1
        if not frontier.any():
            break
        reached = np.zeros(n, dtype=np.bool_)
        for here, there in ((subjects, objects), (objects, subjects)):
            # A mask on the few edges that leave the frontier, not a copy of all that are alive.
            leaving = frontier.take(here)
            if alive is not None:
                leaving &= alive
            reached[there[leaving]] = True
        distance[reached & (distance < 0)] = level
    return distance


def edge_distance(
    distance: NDArray[np.int8], subjects: NDArray[np.int32], objects: NDArray[np.int32]
) -> NDArray[np.int8]:
    """Return the distance of each edge: that of its nearer end, -1 if neither was reached."""
    # As unsigned bytes -1 is 255, the farthest of all.
    unsigned = distance.view(np.uint8)
    return np.minimum(unsigned.take(subjects), unsigned.take(objects)).view(np.int8)
