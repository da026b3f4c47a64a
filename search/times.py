"""Effect of a question's time on facts: which may answer, and which come first.

Without a moment, facts true now are shown. "In 2019" shows those that held then; a time merely
mentioned, or words that look back ("used to"), add ended facts, with overlaps first.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.index.group import BEGINNING, FOREVER
from graphrag.temporal.moment import to_micros

if TYPE_CHECKING:
    from graphrag.search.fuse import Mask
    from graphrag.search.query_time import When

Micros = npt.NDArray[np.int64]


def overlapping(when: When, valid: Micros, invalid: Micros) -> Mask:
    """Mark the lifetimes that share an instant with a period the question speaks of."""
    found = np.zeros(len(valid), dtype=np.bool_)
    for period in when.intervals:
        start = to_micros(period.start, BEGINNING)
        end = to_micros(period.end, FOREVER)
        # What was so at an unknown moment shares none.
        found |= (valid < end) & (start < invalid) & (valid < invalid)
    return found


def answering(when: When, valid: Micros, invalid: Micros, at: int) -> Mask:
    """Mark the lifetimes that may answer a question asked at a moment."""
    if when.filters:
        return overlapping(when, valid, invalid)
    holds = (valid <= at) & (at < invalid)
    if when.past or when.asks or when.anchors or when.order == "earliest":
        return holds | (valid <= at) | overlapping(when, valid, invalid)
    return holds | overlapping(when, valid, invalid) if when.said else holds
