"""The cosines of one query: rough ones of every row, exact ones where they are asked for.

Where there are very many rows, a coarse pass before that leaves few of them to look at. Which is
``likely`` rests on an assumption about vectors (``coarse.py``); everything after it is exact.
"""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphrag.index.int8 import BLOCK, Slack
from graphrag.index.parallel import Product, Shared
from graphrag.index.topk import kth_best, near, top

if TYPE_CHECKING:
    from graphrag.index.coarse import Ceiling

_FIRST = 4
"""So many times as many rows as are wanted tell how good these are at least."""
_PART = 10
"""A row that is picked out costs as much as so many in a pass over all, at most."""


class Cosines:
    """The cosines of one query with every row of a matrix of unit vectors."""

    def __init__(
        self,
        rows: int,
        exact: Product,
        product: Product | None = None,
        slack: Slack | None = None,
        ceiling: "Ceiling | None" = None,
        *,
        lazy: bool = False,
    ) -> None:
        """Begin a pass over all rows.

        Args:
            rows: How many there are.
            exact: The cosine of any row.
            product: The same, quicker and wrong.
            slack: By how much it may be wrong at most.
            ceiling: What the pass goes by instead, so that few rows are left to the product.
            lazy: Begin none: a few rows will be asked for.
        """
        self._rows = rows
        self._cosine = exact
        self._product = product = exact if product is None else product
        self._slack = slack
        self._ceiling = ceiling
        self._ceilings = None if ceiling is None else self._pass(ceiling.product)
        self._all = None if lazy or ceiling is not None else self._pass(product)
        # Not one number for each row: to clear those took a tenth of a search among a million.
        self._known = np.empty(0, dtype=np.intp)
        """The rows whose exact cosine was worked out, ascending."""
        self._exact = np.empty(0, dtype=np.float32)

    def at(self, rows: ArrayLike) -> NDArray[np.float32]:
        """Return the exact cosines of some rows."""
        chosen = np.asarray(rows, dtype=np.intp)
        if self._slack is None and self._all is not None:
            return self._all.result()[chosen]
        place = self._known.searchsorted(chosen)
        new = np.ones(len(chosen), dtype=np.bool_)
        if len(self._known):
            new = self._known.take(place, mode="clip") != chosen
        if new.any():
            self._work_out(np.unique(chosen[new]))
            place = self._known.searchsorted(chosen)
        return self._exact[place]

    def _work_out(self, rows: NDArray[np.intp]) -> None:
        blocks = (rows[start : start + BLOCK] for start in range(0, len(rows), BLOCK))
        exact = np.concatenate((self._exact, *map(self._cosine, blocks)))  # each is copied first
        known = np.concatenate((self._known, rows))
        order = known.argsort(kind="stable")
        self._known, self._exact = known[order], exact[order]

    def estimates(
        self, rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32] | None]:
        """Return cosines of some rows, and by how much each may be wrong; None: they are exact."""
        if self._slack is None:
            return self.at(rows), None
        picked = self._all is None and self._are_few(len(rows))
        rough = self._product(rows) if picked else self._of_all()[rows]
        return rough, self._slack.at(rows)

    def rough(self) -> tuple[NDArray[np.float32], float]:
        """Return a cosine of every row, and by how much any of them may be wrong."""
        return self._of_all(), 0.0 if self._slack is None else self._slack.most

    def top(
        self, k: int, mask: NDArray[np.bool_] | None = None, floor: float | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return rows and exact cosines of the k best, as ``graphrag.index.topk.top`` does."""
        if self._slack is None and self._all is not None:
            return top(self._all.result(), k, mask, floor)
        least = 0.0 if floor is None else floor
        rows = self._likely(k, mask, least) if k > 0 and least >= 0 else None
        if rows is None:
            rows = np.arange(self._rows) if mask is None else np.flatnonzero(mask)
        rough, slack = self.estimates(rows)
        picked, scores = top_within(rough, slack, k, floor, lambda at: self.at(rows[at]))
        return rows[picked], scores

    def _likely(
        self, k: int, mask: NDArray[np.bool_] | None, floor: float
    ) -> NDArray[np.intp] | None:
        """Return the rows that may be among the k best, if a pass over all leaves out any."""
        if self._slack is None:
            return None
        if self._ceiling is not None and self._ceilings is not None:
            ceilings = self._ceilings.result()
            seen = ceilings if mask is None else ceilings * mask
            rows = self._below(self._ceiling, seen, k, floor)
            if rows is not None or (mask is not None and self._are_few(mask.sum())):
                return rows
        found = near(self._of_all(), k, mask, floor, self._slack.most)
        return None if found is None else found[0]

    def _below(
        self, ceiling: "Ceiling", seen: NDArray[np.float32], k: int, floor: float
    ) -> NDArray[np.intp] | None:
        """Return the rows whose ceiling lets them be among the k best, if they are few."""
        found = near(seen, _FIRST * k, None, floor)
        if found is None or not self._are_few(len(found[0])):
            return None
        rough, slack = self.estimates(found[0])
        cut = float(kth_best(rough if slack is None else rough - slack, k))
        least = ceiling.least(cut)
        # A masked row is 0 in ``seen``, as if that were its ceiling. So ``near`` found none, for
        # it asks for more than the floor, which is 0 or more, and ``cut`` is of rows that may be
        # seen; and none is among those below as long as they must reach more than 0. If fewer than
        # k rows are sure to be above the floor, ``cut`` is no k-th best and would leave too many.
        if cut <= floor or least <= 0:
            return None
        rows = np.flatnonzero(seen >= least)
        return rows if self._are_few(len(rows)) else None

    def _are_few(self, rows: int) -> bool:
        """Tell whether so many rows are better picked out than met in a pass over all."""
        return _PART * rows < self._rows

    def _of_all(self) -> NDArray[np.float32]:
        """Return a cosine of every row, which may be wrong by the slack."""
        if self._all is None:
            self._all = self._pass(self._product)
        return self._all.result()

    def _pass(self, product: Product) -> Shared:
        # Codes are so much quicker that handing over pays later.
        return Shared(product, self._rows, worth=10_000 if self._slack is None else 30_000)


class BestOf:
    """The cosine of one query with each row, or with the best of its parts if that is higher."""

    def __init__(
        self,
        whole: Cosines,
        parts: Cosines,
        owner: NDArray[np.int32],
        less: Callable[[NDArray[np.float32]], NDArray[np.float32]],
    ) -> None:
        """Take what others work on meanwhile.

        Args:
            whole: The cosines of the rows.
            parts: Those of the parts.
            owner: The row of each part.
            less: Given rough cosines of the parts, what is taken off the score of each row.
        """
        self._whole, self._parts, self._owner, self._less = whole, parts, owner, less

    @cached_property
    def _off(self) -> NDArray[np.float32]:
        return self._less(self._parts.rough()[0])

    @cached_property
    def _rough(self) -> tuple[NDArray[np.float32], float]:
        """The score of every row, and by how much any may be wrong."""
        (rows, slack), (parts, slack_of_parts) = self._whole.rough(), self._parts.rough()
        best = rows.copy()
        np.maximum.at(best, self._owner, parts)
        best -= self._off
        return best, max(slack, slack_of_parts)

    @cached_property
    def _exact(self) -> NDArray[np.float32]:
        """The exact score of each row of which it was worked out; NaN of the others."""
        return np.full_like(self._rough[0], np.nan)

    def at(self, rows: NDArray[np.intp]) -> NDArray[np.float32]:
        """Return the exact scores of some rows."""
        rough, slack = self._rough
        if not slack:
            return rough[rows]
        new = rows[np.isnan(self._exact[rows])]
        if len(new):
            place = np.full(len(rough), -1, dtype=np.intp)
            place[new] = np.arange(len(new))  # the last one, of a row that is asked for twice
            parts = np.flatnonzero(place[self._owner] >= 0)
            best = self._whole.at(new).copy()
            np.maximum.at(best, place[self._owner[parts]], self._parts.at(parts))
            self._exact[new] = best[place[new]] - self._off[new]
        return self._exact[rows]

    def top(
        self, k: int, mask: NDArray[np.bool_] | None = None, floor: float | None = None
    ) -> tuple[NDArray[np.intp], NDArray[np.float32]]:
        """Return rows and exact scores of the k best, as ``graphrag.index.topk.top`` does."""
        rough, slack = self._rough
        if not slack:
            return top(rough, k, mask, floor)
        found = None
        if k > 0 and floor is not None and floor >= 0:
            found = near(rough, k, mask, floor, slack)
        if found is not None:
            rows = found[0]
        else:
            rows = np.arange(len(rough)) if mask is None else np.flatnonzero(mask)
        wrong = np.full(len(rows), slack, dtype=np.float32)
        picked, scores = top_within(rough[rows], wrong, k, floor, lambda at: self.at(rows[at]))
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
