"""BM25 index over the texts of one group, exact after every change.

Okapi BM25, k1 = 1.5, b = 0.75, as ``rank_bm25.BM25Okapi`` (repeated query words count) but with
Lucene's idf ``ln(1 + (N - df + 0.5) / (df + 0.5))``: positive for every word, so a score above 0
means a match. The average length enters at query time, so no stored number goes stale.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, Shared
from graphrag.index.entries import (
    K1,
    NEVER,
    ROW_BITS,
    B,
    Counts,
    Entries,
    Segment,
    Segments,
    Statistics,
)
from graphrag.store.cache_file import DamagedFileError
from graphrag.text.tokens import END, Numbers, numbers_of_all, tokenize

_NO_TERMS: Final = ("", END)
"""What stands between terms; real terms have larger numbers."""
_END: Final = _NO_TERMS.index(END)
_MANY: Final = 256
"""Arrays that wait to be sorted: an import may go on for long before a query."""
_BASE: Final = np.float32(K1 * (1 - B))
"""The part of K1 * (1 - B + B * length / average) that does not depend on the text."""


class BM25Index(Shared):
    """Score rows of text by the words they share with a query."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._terms = _numbered(_NO_TERMS)
        self._lengths = Column(np.int32)
        """Number of words of each row; 0 for a removed one."""
        self._since = Column(np.int32)
        """The first segment whose entries of each row count; ``NEVER`` for a removed row."""
        self._live = 0
        self._total = 0
        self._segments = Segments()
        self._waiting: list[NDArray[np.int64]] = []
        """Words that are in no segment yet."""
        self._all_count = True
        """No text was removed or replaced."""
        self._assumed: Statistics | None = None
        self._borrowed = False
        """Whether the numbers of terms are those of other texts, too."""
        self.extend(texts)

    def share(self) -> Self:
        """Return the same texts in the same memory, which each of both changes apart."""
        self.settle()
        other = super().share()
        other._borrowed = True
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the words be written, merged into one segment, and how many each row has.

        A removed row has -1.
        """
        out.texts(f"{name}.terms", [*self.numbers])  # in one step: others may add to them
        live = self._since.values != NEVER
        out.put(f"{name}.lengths", np.where(live, self._lengths.values, -1), np.int32)
        self.entries().save(out, name)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over the words of so many rows."""
        terms = arrays.distinct(f"{name}.terms")
        if tuple(islice(terms, len(_NO_TERMS))) != _NO_TERMS:
            raise DamagedFileError(f"{name} has other first terms")
        self._terms = Numbers(terms)
        known = range(len(_NO_TERMS), len(terms))
        lengths = arrays.numbers(f"{name}.lengths", np.int32, rows, within=range(-1, 1 << 31))
        live = lengths >= 0
        self._since.take(np.where(live, np.int32(0), np.int32(NEVER)))
        self._lengths.take(np.maximum(lengths, 0))
        self._live, self._total = int(np.count_nonzero(live)), int(self._lengths.values.sum())
        self._segments.take(Segment.load(arrays, name, known, rows))

    def entries(self) -> Segment:
        """Return the entries of all terms."""
        self.settle()
        return self._segments.merged(self._since.values)

    def words_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many words each of some rows has."""
        return self._lengths.values[rows].astype(np.int64)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each term."""
        return self._terms.of_term

    def __len__(self) -> int:
        """Count the rows, removed ones included."""
        return len(self._lengths)

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once."""
        first = len(self)
        rows, numbers = self._read(texts)
        self._lengths.extend(np.bincount(rows, minlength=len(texts)).astype(np.int32))
        self._since.extend(np.zeros(len(texts), dtype=np.int32))
        self._enter(first + rows, numbers)
        self._live += len(texts)

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        self.remove(row)
        self.settle()
        _, numbers = self._read([text])
        self._since[row] = self._segments.number
        self._lengths[row] = len(numbers)
        self._enter(np.full(len(numbers), row), numbers)
        self._live += 1

    def remove(self, row: int) -> None:
        """Forget the text of a row, as if it had never been counted; rows keep their numbers."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        self.leave(np.array([row], dtype=np.intp))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Forget the texts of many rows at once, as if they had never been counted."""
        gone = rows[self._since.values[rows] != NEVER]
        if len(gone):
            self._live -= len(gone)
            self._total -= int(self._lengths.values[gone].sum())
            self._since[gone], self._lengths[gone] = NEVER, 0
            self._all_count = False

    def assume(self, statistics: Statistics | None) -> None:
        """Score as if these texts were some of many more: those that the statistics are of."""
        self._assumed = statistics

    @property
    def assumed(self) -> Statistics | None:
        """Return what is assumed; None if scores depend on these texts alone."""
        return self._assumed

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """Return what scores of these terms depend on."""
        self.settle()
        return Statistics(*self._size(), {term: self._df(term) for term in terms})

    @property
    def texts(self) -> int:
        """Count the texts, or those of the statistics that are assumed."""
        return self._size()[0]

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of every row; 0 where no term of the query occurs.

        Pass a string to have it tokenised, or the terms themselves.
        """
        scores = np.zeros(len(self), dtype=np.float32)
        for _, rows, gains in self._gains(_terms_of(query)):
            # Twice as quick as ``scores[rows] += gains``: each row is there once.
            np.add.at(scores, rows.astype(np.intp), gains)
        return scores

    def _gains(
        self, terms: Sequence[str]
    ) -> Iterator[tuple[str, NDArray[np.int32], NDArray[np.float32]]]:
        """Yield each term that occurs, with the rows that have it and what it gives to each."""
        lengths = self._lengths.values
        texts, length = self._size()
        slope = K1 * B * texts / length if length else 0.0
        for term, weight, rows, counts in self._weighted(terms):
            shares = counts / (counts + (_BASE + slope * lengths[rows]))
            yield term, rows, weight * shares.astype(np.float32)

    def _weighted(
        self, terms: Sequence[str]
    ) -> Iterator[tuple[str, np.float32, NDArray[np.int32], Counts]]:
        """Yield each term that occurs with its weight, its rows and how often each has it."""
        self.settle()
        for term, repeats in Counter(terms).items():
            rows, counts = self._of(term)
            if len(rows):
                idf = self._idf(self._df(term, len(rows)))
                yield term, np.float32(repeats * (K1 + 1) * idf), rows, counts

    def whole(self, query: str | Sequence[str]) -> float:
        """Return what a text of average length would score that has each word of the query once.

        A word that no text has counts too: the rarest of all.
        """
        self.settle()
        terms = Counter(_terms_of(query))
        return sum(repeats * self._idf(self._df(term)) for term, repeats in terms.items())

    def frequencies(self) -> dict[str, int]:
        """Return in how many rows each term occurs."""
        entries = self.entries()
        sizes = dict(zip(entries.keys.tolist(), np.diff(entries.starts).tolist(), strict=True))
        return {term: sizes[number] for term, number in self.numbers.items() if number in sizes}

    def _of(self, term: str) -> Entries:
        since = None if self._all_count else self._since.values
        return self._segments.of(self.numbers.get(term, -1), since)

    def _size(self) -> tuple[int, int]:
        if self._assumed is not None:
            return self._assumed.texts, self._assumed.terms
        return self._live, self._total

    def _df(self, term: str, here: int | None = None) -> int:
        if self._assumed is not None:
            return self._assumed.frequencies.get(term, 0)
        return len(self._of(term)[0]) if here is None else here

    def _idf(self, df: int) -> float:
        return math.log1p((self._size()[0] - df + 0.5) / (df + 0.5))

    def _read(self, texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """Return the number of each term of some texts, with the place of its text."""
        if self._borrowed:  # others would get the new terms, too
            self._terms, self._borrowed = Numbers(self._terms.of_term), False
        numbers = np.fromiter(numbers_of_all(texts, self._terms), np.int32)
        texts_before = np.cumsum(numbers == _END)
        kept = numbers > _END
        return texts_before[kept], numbers[kept]

    def _enter(self, rows: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        self._total += len(numbers)
        if len(numbers):
            self._waiting.append(numbers.astype(np.int64) << ROW_BITS | rows)
            if len(self._waiting) > _MANY:
                self._waiting = [np.concatenate(self._waiting)]

    def settle(self) -> None:
        """Sort the words that wait, or the next query does."""
        if self._waiting:
            words = np.concatenate(self._waiting)
            self._waiting.clear()
            self._segments.add(words, self._since.values)


def _numbered(terms: Sequence[str]) -> Numbers:
    return Numbers(dict(zip(terms, range(len(terms)), strict=True)))


def _terms_of(query: str | Sequence[str]) -> Sequence[str]:
    return tokenize(query) if isinstance(query, str) else query
