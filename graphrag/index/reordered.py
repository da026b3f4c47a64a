"""The texts of some postings as rows in another order, for reading only."""

import numpy as np
from numpy.typing import NDArray

from graphrag.index.columns import Column
from graphrag.index.entries import Entries
from graphrag.index.postings import Postings


class Reordered(Postings):
    """Postings whose rows are those of others, moved; nothing is read or sorted anew."""

    def __init__(self, texts: Postings, order: NDArray[np.intp]) -> None:
        self._moved = texts
        texts.statistics(())  # brings its entries up to date
        vars(self).update({**vars(texts), "_moved": texts, "_entries": {}})
        self._lengths = Column(np.int32, texts._lengths.values[order])
        self._place = np.empty(len(order), dtype=np.int32)
        self._place[order] = np.arange(len(order), dtype=np.int32)

    def _of_term(self, number: int) -> Entries:
        entries = self._entries.get(number)
        if entries is None:
            found = self._moved._of_term(number)
            rows, counts = found.rows[: found.size], found.counts[: found.size]
            entries = self._entries[number] = Entries(self._place[rows], counts)
        return entries
