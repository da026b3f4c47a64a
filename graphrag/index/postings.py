"""BM25 over the texts of one group, exact after every change.

Okapi BM25 with k1 = 1.5 and b = 0.75. The inverse document frequency is Lucene's,
``ln(1 + (N - df + 0.5) / (df + 0.5))``, which is positive for every word, so "score > 0" means
"matches"; the original is negative for words in more than half of the texts, and ``rank_bm25``
floors it at a quarter of the average idf, which makes a score depend on unrelated words.
Everything else equals ``rank_bm25.BM25Okapi``: a repeated query word counts each time.

Each term owns two parallel arrays, rows and counts, with spare room to grow. They are not sorted:
a row occurs once per term, so accumulation order does not matter and a removal is a swap with the
last entry. Average length enters at query time, so that no stored number ever goes stale.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from graphrag.index.columns import Column
from graphrag.index.tokens import tokenize

K1 = 1.5
B = 0.75


class _Numbering(dict[str, int]):
    """Number words in the order of their first appearance."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


class _Entries:
    """The rows that contain one term, and how often each does."""

    __slots__ = ("counts", "rows", "size")

    def __init__(self, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> None:
        self.rows = rows
        self.counts = counts
        self.size = len(rows)

    def add(self, row: int, count: int) -> None:
        size = self.size
        if size == len(self.rows):
            self._reserve(size + 1)
        self.rows[size] = row
        self.counts[size] = count
        self.size = size + 1

    def extend(self, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> None:
        size = self.size + len(rows)
        if size > len(self.rows):
            self._reserve(size)
        self.rows[self.size : size] = rows
        self.counts[self.size : size] = counts
        self.size = size

    def discard(self, row: int) -> None:
        at = int(np.argmax(self.rows[: self.size] == row))
        self.size -= 1
        self.rows[at] = self.rows[self.size]
        self.counts[at] = self.counts[self.size]

    def _reserve(self, size: int) -> None:
        spare = np.empty(max(size, 2 * self.size) - self.size, dtype=np.int32)
        self.rows = np.concatenate((self.rows[: self.size], spare))
        self.counts = np.concatenate((self.counts[: self.size], spare.astype(np.float32)))


class Postings:
    """Score rows of text by the words they share with a query."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._entries: dict[str, _Entries] = {}
        self._lengths = Column(np.int32)
        self._terms: list[tuple[str, ...] | None] = []
        """The terms of each row, to find its entries again; None for a removed row."""
        self._live = 0
        self._total = 0
        self.extend(texts)

    def __len__(self) -> int:
        """Count the rows, removed ones included."""
        return len(self._terms)

    def __repr__(self) -> str:
        """Show the size."""
        return f"Postings({self._live} live of {len(self)} rows, {len(self._entries)} terms)"

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once: number all words, sort one array, cut it into terms."""
        documents = [tuple(tokenize(text)) for text in texts]
        first = len(self)
        lengths = np.fromiter(map(len, documents), dtype=np.int32, count=len(documents))
        self._terms += documents
        self._lengths.extend(lengths)
        self._live += len(documents)
        total = int(lengths.sum())
        self._total += total

        numbers = _Numbering()
        words = map(numbers.__getitem__, chain.from_iterable(documents))
        keys = np.fromiter(words, dtype=np.int64, count=total)
        keys *= len(documents)
        keys += np.repeat(np.arange(len(documents)), lengths)
        keys, counts = np.unique(keys, return_counts=True)
        words_of_keys, offsets = np.divmod(keys, max(len(documents), 1))
        rows = (offsets + first).astype(np.int32)
        tallies = counts.astype(np.float32)
        ends = np.searchsorted(words_of_keys, np.arange(len(numbers)), side="right").tolist()
        start = 0
        for term, end in zip(numbers, ends, strict=True):
            self._merge(term, rows[start:end], tallies[start:end])
            start = end

    def append(self, text: str) -> int:
        """Add one text and return its row."""
        terms = tuple(tokenize(text))
        row = self._lengths.append(0)
        self._terms.append(None)
        self._fill(row, terms)
        return row

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        terms = tuple(tokenize(text))
        self.remove(row)
        self._fill(row, terms)

    def remove(self, row: int) -> None:
        """Forget the text of a row, as if it had never been counted; rows keep their numbers."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        terms = self._terms[row]
        if terms is None:
            return
        for term in set(terms):
            entries = self._entries[term]
            entries.discard(row)
            if not entries.size:
                del self._entries[term]
        self._terms[row] = None
        self._lengths[row] = 0
        self._live -= 1
        self._total -= len(terms)

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of every row; 0 where no term of the query occurs.

        Pass a string to have it tokenised, or the terms themselves.
        """
        scores = np.zeros(len(self), dtype=np.float32)
        lengths = self._lengths.values
        # K1 * (1 - B + B * length / average), with the constants folded.
        slope = np.float32(K1 * B * self._live / self._total) if self._total else np.float32(0)
        base = np.float32(K1 * (1 - B))
        for term, repeats in Counter(tokenize(query) if isinstance(query, str) else query).items():
            if not (entries := self._entries.get(term)):
                continue
            rows, counts = entries.rows[: entries.size], entries.counts[: entries.size]
            weight = repeats * (K1 + 1) * self._idf(len(rows))
            scores[rows] += np.float32(weight) * counts / (counts + (base + slope * lengths[rows]))
        return scores

    def _idf(self, df: int) -> float:
        return math.log1p((self._live - df + 0.5) / (df + 0.5))

    def _fill(self, row: int, terms: tuple[str, ...]) -> None:
        for term, count in Counter(terms).items():
            if entries := self._entries.get(term):
                entries.add(row, count)
            else:
                self._entries[term] = _Entries(
                    np.array([row], dtype=np.int32), np.array([count], dtype=np.float32)
                )
        self._terms[row] = terms
        self._lengths[row] = len(terms)
        self._live += 1
        self._total += len(terms)

    def _merge(self, term: str, rows: NDArray[np.int32], counts: NDArray[np.float32]) -> None:
        if entries := self._entries.get(term):
            entries.extend(rows, counts)
        else:
            self._entries[term] = _Entries(rows, counts)
