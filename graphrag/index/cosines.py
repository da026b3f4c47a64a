"""The cosines of one query: rough ones of every row, exact ones where they are asked for."""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.int8 import Slack
from graphrag.index.parallel import Shared
from graphrag.index.topk import kth_best, near, top


class Cosines:
    """The cosines of one query with every row of a matrix of unit vectors."""

    def __init__(
        self,
        rows: NDArray[np.float32],
        unit: NDArray[np.float32],
        rough: NDArray[np.float32] | Shared,
        slack: Slack | None,
    ) -> None:
        self._rows = rows
        self._unit = unit
        self._rough = rough
        self.slack = slack
        """By how much each rough one may be wrong at most; None if they are exact."""
        self._known = None if slack is None else np.zeros(len(rows), dtype=np.bool_)
        """The rows of which the exact cosine is known; None: all."""

    @property
    def rough(self) -> NDArray[np.float32]:
        """Return a cosine of every row, which may be wrong by ``slack``."""
        if isinstance(self._rough, Shared):
            self._rough = self._rough.result()
        return self._rough

    def finish(self) -> None:
        """Work out what is left of them: whoever looks later finds them ready."""
        _ = self.rough

    def only(self, rows: NDArray[np.bool_]) -> None:
        """Know the cosines of these rows, the others when they are asked for."""
        self._known = np.zeros(len(rows), dtype=np.bool_)
        self.at(np.flatnonzero(rows))

    def at(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Return the exact cosines of some rows."""
        chosen = np.asarray(rows, dtype=np.intp)
        if self._known is not None:
            new = chosen[~self._known[chosen]]
            self.rough[new] = np.einsum("ij,j->i", self._rows[new], self._unit)
            self._known[new] = True
        return self.rough[chosen]

    def top(
        self, k: int, mask: NDArray[np.bool_] | None = None, floor: float | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return rows and exact cosines of the k best, as ``graphrag.index.topk.top`` does."""
        if self.slack is None:
            if self._known is not None:
                wanted = ~self._known if mask is None else mask & ~self._known
                self.at(np.flatnonzero(wanted))
            return top(self.rough, k, mask, floor)
        least = 0.0 if floor is None else floor
        sure = k > 0 and least >= 0
        found = near(self.rough, k, mask, least, self.slack.most) if sure else None
        if found is None:
            rows = np.arange(len(self.rough)) if mask is None else np.flatnonzero(mask)
            rough = self.rough[rows]
        else:
            rows, rough = found
        picked, scores = top_within(
            rough, self.slack.at(rows), k, floor, lambda at: self.at(rows[at])
        )
        return rows[picked], scores


def top_within(
    rough: NDArray[np.float32],
    slack: NDArray[np.float32] | None,
    k: int,
    floor: float | None,
    exact: Callable[[NDArray[np.intp]], NDArray[np.float32]],
) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
    """Return rows and exact scores of the k best, of scores that are wrong by ``slack`` at most.

    ``exact`` is asked only about the rows that may be among them.
    """
    if slack is None or k < 1:
        return top(rough, k, None, floor)
    sure, most = rough - slack, rough + slack
    least = -np.inf if floor is None else floor
    cut = kth_best(sure, k) if len(sure) >= k else least
    possible = most >= cut if cut > least else most > least
    rows = np.flatnonzero(possible)
    picked, scores = top(exact(rows), k, floor=floor)
    return rows[picked], scores
