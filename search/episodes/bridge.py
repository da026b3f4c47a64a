"""The second hop: what answers a question together with one of the best episodes.

"Where was the director of this film born?" is answered by two pages, and only the film's is like
the question. So the query is read once more beside each of the best episodes: what is near to both,
and shares with that episode a name that the query does not hold, is the likely other half. Without
the shared name this would only find more of the same.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from graphrag.index.vectors import Vectors
from graphrag.protocols import Matrix
from graphrag.search.episodes.plain import Parts
from graphrag.search.fuse import Candidates

BEST = 3
"""Episodes that are read beside the query."""


def bridged(
    best: Candidates,
    scores: Parts,
    sharing: Callable[[int], Candidates],
    vectors: Vectors,
    query: Matrix,
) -> tuple[Candidates, npt.NDArray[np.float64]]:
    """Return the episodes at the other end of a bridge, and how well each fits, best 1.

    Args:
        best: Rows of the best episodes, best first.
        scores: Their scores.
        sharing: Gives the rows that share a name with one that is not in the query.
        vectors: Those of the episodes.
        query: The query, a unit vector.
    """
    gains: dict[int, float] = {}
    for row, score in zip(best.tolist(), scores.tolist(), strict=True):
        others = sharing(row)
        others = others[others != row]
        if not len(others):
            continue
        both = query + vectors.values[row]
        both = both / max(float(np.linalg.norm(both)), 1e-9)
        near = np.clip(vectors.rows(others) @ both, 0.0, None) * (
            score / max(float(scores[0]), 1e-9)
        )
        for other, gain in zip(others.tolist(), near.tolist(), strict=True):
            gains[other] = max(gain, gains.get(other, 0.0))
    rows = np.array(sorted(gains), dtype=np.intp)
    return rows, np.array([gains[row] for row in rows.tolist()], dtype=np.float64)
