"""Cosines of one query with the rows of a matrix, and the best rows by them.

A rough cosine of each row comes from int8 codes and is wrong by ``slack`` at most, so an exact one
is computed only of the rows that may be among the best. Ties go to the lower row, at the cut too,
so that the same scores always give the same answer.
"""

from collections.abc import Callable
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = slice | NDArray[np.intp]
Product = Callable[[Rows], NDArray[np.float32]]
"""One number for each of some rows."""
Mask = NDArray[np.bool_]
Best = tuple[NDArray[np.intp], NDArray[np.float32]]
"""Rows and their scores, best first."""

_BLOCK = 64
_CHUNK = 4_096  # rows whose exact cosines are computed at a time: each row is copied first
_FEW = 50  # cost ratio of an exact cosine to a rough one
_PICKED = 10  # cost ratio of a code that is picked out to one of a pass over all


class Cosines:
    """The cosines of one query with every row of a matrix of unit vectors."""

    def __init__(
        self, rows: int, exact: Product, rough: Product | None = None, slack: float = 0.0
    ) -> None:
        """Compute nothing yet; ``rough`` is quicker than ``exact`` and wrong by up to ``slack``."""
        self.rows, self.slack = rows, slack
        self._exact, self._rough = exact, rough or exact

    @cached_property
    def rough(self) -> NDArray[np.float32]:
        """The rough cosine of every row."""
        return self._rough(slice(0, self.rows))

    @cached_property
    def _known(self) -> NDArray[np.float32]:
        """The exact cosines that were computed; NaN for the others."""
        return np.full(self.rows, np.nan, dtype=np.float32)

    def at(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Return the exact cosines of some rows."""
        chosen = np.asarray(rows, dtype=np.intp)
        if not self.slack and ("rough" in vars(self) or not self._are_few(len(chosen), _FEW)):
            return self.rough[chosen]
        known = self._known
        missing = np.unique(chosen[np.isnan(known[chosen])])
        for start in range(0, len(missing), _CHUNK):
            chunk = missing[start : start + _CHUNK]
            known[chunk] = self._exact(chunk)
        return known[chosen]

    def rough_at(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the rough cosines of some rows."""
        if not self.slack:
            return self.at(rows)
        picked = "rough" not in vars(self) and self._are_few(len(rows), _PICKED)
        return self._rough(rows) if picked else self.rough[rows]

    def top(
        self, k: int, mask: NDArray[np.bool_] | None = None, floor: float | None = None
    ) -> Best:
        """Return rows and exact cosines of the k best, best first."""
        if mask is not None and self._are_few(int(np.count_nonzero(mask)), _FEW):
            rows = np.flatnonzero(mask)
            places, scores = top(self.at(rows), k, floor=floor)
            return rows[places], scores
        return top_within(self.rough, self.slack, self.at, k, mask, floor)

    def _are_few(self, rows: int, ratio: int) -> bool:
        return ratio * rows < self.rows


class BestOf(Cosines):
    """The cosine of one query with each row, or with the best of its parts if that is higher."""

    def __init__(
        self,
        whole: Cosines,
        parts: Cosines,
        owner: NDArray[np.int32],
        penalty: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    ) -> None:
        """Compute nothing yet; ``owner`` has the row of each part.

        ``penalty`` returns what each row's score is reduced by, given rough cosines of the parts.
        """
        slack = max(whole.slack, parts.slack)
        super().__init__(whole.rows, self._exact_best, self._rough_best, slack)
        self._whole, self._parts, self._owner, self._penalty = whole, parts, owner, penalty

    @cached_property
    def _off(self) -> NDArray[np.float32]:
        return self._penalty(self._parts.rough)

    def _rough_best(self, rows: Rows) -> NDArray[np.float32]:
        best = self._whole.rough.copy()
        np.maximum.at(best, self._owner, self._parts.rough)
        return np.asarray(best - self._off)[rows]

    def _exact_best(self, rows: Rows) -> NDArray[np.float32]:
        chosen = np.arange(self.rows)[rows]
        place = np.full(self.rows, -1, dtype=np.intp)
        place[chosen] = np.arange(len(chosen))
        parts = np.flatnonzero(place[self._owner] >= 0)
        best = self._whole.at(chosen).copy()
        np.maximum.at(best, place[self._owner[parts]], self._parts.at(parts))
        return np.asarray(best - self._off[chosen])


def top(
    scores: NDArray[np.float32], k: int, mask: Mask | None = None, floor: float | None = None
) -> Best:
    """Return rows and scores of the k best in the mask and above the floor; NaN never wins."""
    return top_within(scores, 0.0, scores.__getitem__, k, mask, floor)


def top_within(
    rough: NDArray[np.float32],
    slack: float,
    exact: Callable[[NDArray[np.intp]], NDArray[np.float32]],
    k: int,
    mask: Mask | None = None,
    floor: float | None = None,
) -> Best:
    """Return the k best of scores wrong by ``slack`` at most; ``exact`` is asked of likely ones."""
    if k < 1:
        return np.empty(0, dtype=np.intp), rough[:0]
    likely = None if floor is None or floor < 0 else near(rough, k, mask, floor, slack)
    if likely is None:
        eligible = ~np.isnan(rough) if floor is None else rough + np.float32(slack) > floor
        rows = np.flatnonzero(eligible if mask is None else eligible & mask)
        likely = rows, rough[rows]
    rows, values = likely
    if slack:
        if len(rows) > k:
            rows = rows[values >= kth_best(values, k) - np.float32(2 * slack)]
        values = exact(rows)
        if floor is not None:
            rows, values = rows[values > floor], values[values > floor]
    if len(values) > k:
        cut = kth_best(values, k)
        above, level = np.flatnonzero(values > cut), np.flatnonzero(values == cut)
        chosen = np.concatenate((above, level[: k - len(above)]))
        rows, values = rows[chosen], values[chosen]
    order = np.lexsort((rows, -values))
    return rows[order], values[order]


def near(
    scores: NDArray[np.float32], k: int, mask: Mask | None, floor: float, slack: float = 0.0
) -> tuple[NDArray[np.intp], NDArray[np.float32]] | None:
    """Return the rows that score no less than the k-th best block maximum, if there is one.

    k scores reach it, so the k-th best score is no lower: one cheap pass leaves few to select from.
    Masked rows are multiplied to 0, which no floor of 0 or more lets through. Together 0.09 ms for
    100 000 scores, where picking out the eligible ones first takes 0.4.

    Scores may be wrong by ``slack``: the rows hold whatever may then be one of the k best, and k
    whose score is certainly above the floor; None if there are not as many.
    """
    with np.errstate(invalid="ignore"):
        seen = scores if mask is None else scores * mask
        best = np.fmax.reduce(seen[: len(seen) // _BLOCK * _BLOCK].reshape(_BLOCK, -1), axis=0)
    best = best[best > floor]
    if len(best) < k:
        return None
    # k rows are at least this less the slack; what may reach that is at most twice as far below.
    cut = kth_best(best, k) - np.float32(2 * slack)
    if cut <= floor:
        return None
    rows = np.flatnonzero(seen >= cut)
    return rows, seen[rows]


def kth_best(values: NDArray[np.float32], k: int) -> np.float32:
    """Return the k-th highest of at least k values."""
    place = len(values) - k
    return np.float32(np.partition(values, place)[place])
