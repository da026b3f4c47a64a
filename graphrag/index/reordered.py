"""Some texts of postings, as rows in another order, for reading only."""

import numpy as np
from numpy.typing import NDArray

from graphrag.index.columns import Column
from graphrag.index.entries import Entries
from graphrag.index.postings import Postings


class Reordered(Postings):
    """Postings whose rows are some of others, moved; these may only ever have grown.

    The entries of a term are picked from the words of all rows when a query asks for it: sorting
    all terms, after every few rows that are read, would take longer than the search.
    """

    def __init__(self, texts: Postings, order: NDArray[np.intp]) -> None:
        vars(self).update({**vars(texts), "_entries": {}, "_waiting": []})
        self._lengths = Column(np.int32, texts._lengths.values[order])
        self._place = np.full(len(texts._lengths.values), -1, dtype=np.int32)
        self._place[order] = np.arange(len(order), dtype=np.int32)

    def __len__(self) -> int:
        """Count the rows."""
        return len(self._lengths.values)

    def _of_term(self, number: int) -> Entries:
        entries = self._entries.get(number)
        if entries is None:
            places = np.flatnonzero(self._words.values == number)
            rows = np.searchsorted(self._starts.values, places, side="right") - 1
            rows, counts = np.unique(rows, return_counts=True)
            moved = self._place[rows]
            here = moved >= 0
            entries = Entries(moved[here], counts[here].astype(np.float32))
            self._entries[number] = entries
        return entries
