"""The order of episodes: by reference time, those of one moment in the order of their telling.

An episode names its saga, so order, removal and the past need nothing of their own: a saga is what
its visible episodes are. The links ``occurred_after`` are this order in the database.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphrag.index.group import GroupIndex
from graphrag.search.visible import Mask, Past, Visible

Rows = npt.NDArray[np.intp]


def sagas_then(index: GroupIndex, past: Past) -> npt.NDArray[np.int32]:
    """Return the code of the saga of each episode, as it was."""
    codes: npt.NDArray[np.int32] = index.episodes["saga"]
    joined = {
        index.episodes.row_of[id_]: image["saga"]
        for id_, image in past.images("episode")
        if "saga" in image and id_ in index.episodes.row_of
    }
    if joined:
        codes = codes.copy()
        for row, saga in joined.items():
            codes[row] = index.saga_code(saga)
    return codes


def mask_of(saga: str, index: GroupIndex, seen: Visible, past: Past) -> Mask:
    """Return the visible episodes of a saga; none if there is no such saga."""
    if saga not in index.sagas:
        return np.zeros(len(index.episodes), dtype=np.bool_)
    mask: Mask = seen.episodes & (sagas_then(index, past) == index.saga_code(saga))
    return mask


def in_order(rows: Sequence[int] | Rows, index: GroupIndex) -> list[int]:
    """Return rows of episodes in their order."""
    valid, ids = index.episodes["valid"], index.episodes.ids
    return sorted(map(int, rows), key=lambda row: (int(valid[row]), ids[row]))


def beside(
    row: int, mask: Mask, index: GroupIndex, *, before: int, after: int
) -> tuple[list[int], list[int]]:
    """Return the last episodes of a mask before one, and the first after it, each in order."""
    valid = index.episodes["valid"]
    now = valid[row]
    same = in_order(np.flatnonzero((mask & (valid == now)) | _only(row, len(valid))), index)
    place = same.index(row)
    earlier = _nearest(np.flatnonzero(mask & (valid < now)), valid, before, last=True)
    later = _nearest(np.flatnonzero(mask & (valid > now)), valid, after, last=False)
    front = [*in_order(earlier, index), *same[:place]]
    back = [*same[place + 1 :], *in_order(later, index)]
    return front[max(0, len(front) - before) :], back[:after]


def _nearest(rows: Rows, valid: npt.NDArray[np.int64], count: int, *, last: bool) -> Rows:
    """Return the ``count`` rows nearest in time, with all that share the farthest one's moment."""
    if not count or len(rows) <= count:
        return rows if count else rows[:0]
    times = valid[rows]
    place = len(times) - count if last else count - 1
    limit = np.partition(times, place)[place]
    near: Mask = times >= limit if last else times <= limit
    return rows[near]


def _only(row: int, length: int) -> Mask:
    mask = np.zeros(length, dtype=np.bool_)
    mask[row] = True
    return mask
