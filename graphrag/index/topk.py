"""The best rows of a dense score array, without sorting it.

Partial selection finds the k-th best score in linear time, and only what reaches it is sorted. Ties
go to the lower row, at the cut too, so that the same scores always give the same answer.
"""

import numpy as np
from numpy.typing import NDArray


def top(
    scores: NDArray[np.float32],
    k: int,
    mask: NDArray[np.bool_] | None = None,
    floor: float | None = None,
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return rows and scores of the k best, best first.

    ``mask`` is True where a row may be returned; rows that score ``floor`` or less, or NaN, never
    are. Fewer than k come back when fewer are left.
    """
    eligible = scores > floor if floor is not None else ~np.isnan(scores)
    if mask is not None:
        eligible &= mask
    rows = np.flatnonzero(eligible)
    values = scores[rows]
    if k < 1:
        rows, values = rows[:0], values[:0]
    elif len(rows) > k:
        cut = np.partition(values, len(values) - k)[len(values) - k]
        above = np.flatnonzero(values > cut)
        level = np.flatnonzero(values == cut)[: k - len(above)]
        chosen = np.concatenate((above, level))
        rows, values = rows[chosen], values[chosen]
    order = np.lexsort((rows, -values))
    return rows[order], values[order]
