"""BM25 index over the texts of one group, exact after every change.

Okapi BM25, k1 = 1.5, b = 0.75, as ``rank_bm25.BM25Okapi`` (repeated query words count) but with
Lucene's idf ``ln(1 + (N - df + 0.5) / (df + 0.5))``: positive for every word, so a score above 0
means a match. The average length enters at query time, so no stored number goes stale.

A row is found by its best chunk, and all statistics are those of chunks: a long text has a little
of everything. Most rows are one chunk; a replaced row gets a new one.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Column, Shared
from graphrag.index.entries import ROW_BITS, Counts, Entries, Rows, Segment, Segments, ranges
from graphrag.store.private import DamagedFileError
from graphrag.text.tokens import END, Numbers, numbers_of_all, tokenize

K1: Final = 1.5
B: Final = 0.75
PIECE: Final = "\x1e"
"""What stands between two chunks of a text: ASCII's record separator, which no content may hold."""
_NO_TERMS: Final = ("", END)  # what stands between terms; real terms have larger numbers
_END: Final = 1
_MANY: Final = 256  # arrays that wait to be sorted: an import may go on for long before a query
_BASE: Final = np.float32(K1 * (1 - B))
"""The part of K1 * (1 - B + B * length / average) that does not depend on the text."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """What scores depend on beyond the text itself."""

    texts: int
    terms: int
    """Of all texts together, repetitions included."""
    frequencies: Mapping[str, int]
    """In how many texts a term occurs; at least the terms of the queries to come."""


class BM25Index(Shared):
    """Score rows of text by the words that their best chunk shares with a query."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._terms = Numbers(dict(zip(_NO_TERMS, range(len(_NO_TERMS)), strict=True)))
        self._lengths = Column(np.int32)
        """Number of words of each chunk; 0 for a removed one."""
        self._alive = Column(np.bool_)
        self.owner = Column(np.int32)
        """The row that each chunk belongs to."""
        self._first, self._stop = Column(np.int32), Column(np.int32)
        """The chunks of each row."""
        self._single = True
        """Each row is one chunk; without replaced rows, the chunk has the number of the row."""
        self._live = self._total = 0
        self._segments = Segments()
        self._waiting: list[NDArray[np.int64]] = []
        """Words that are in no segment yet."""
        self.assumed: Statistics | None = None
        """Statistics of many more texts, of which these are some; None: these texts are all."""
        self._borrowed = False
        """Whether the numbers of terms are those of other texts, too."""
        self.extend(texts)

    def share(self) -> Self:
        """Return the same texts in the same memory, which each of both changes apart."""
        self.settle()
        twin = super().share()
        twin._borrowed = True
        return twin

    def exchange(self, file: ArrayFile, name: str, rows: int) -> None:
        """Write the words of so many rows, or read them; a removed chunk has the length -1."""
        self.settle()
        terms = file.distinct(f"{name}.terms", [*self.numbers])  # others may add to them
        owner = file.numbers(f"{name}.owner", self.owner.values, within=range(rows))
        lengths = np.where(self._alive.values, self._lengths.values, np.int32(-1))
        lengths = file.numbers(f"{name}.lengths", lengths, len(owner), range(-1, 1 << 31))
        if file.reads:
            if tuple(islice(terms, len(_NO_TERMS))) != _NO_TERMS:
                raise DamagedFileError(f"{name} has other first terms")
            self._terms = Numbers(terms)
            self._take(name, owner, lengths, rows)
        known = range(len(_NO_TERMS), len(terms))
        self._segments.exchange(file, name, known, len(owner), self._alive.values)

    def _take(
        self, name: str, owner: NDArray[np.int32], lengths: NDArray[np.int32], rows: int
    ) -> None:
        # The chunks of a row that were added last follow each other; those before do not count.
        alive, stop = lengths >= 0, np.zeros(rows, dtype=np.int32)
        stop[owner] = np.arange(1, len(owner) + 1, dtype=np.int32)
        if not stop.all():
            raise DamagedFileError(f"{name} has a row without a chunk")
        self.owner.take(owner)
        self._stop.take(stop)
        chunks = np.maximum(np.bincount(owner[alive], minlength=rows), 1)
        self._single = bool((chunks == 1).all())
        self._first.take(stop - chunks.astype(np.int32))
        self._alive.take(alive)
        self._lengths.take(np.maximum(lengths, 0))
        self._live, self._total = int(np.count_nonzero(alive)), int(self._lengths.values.sum())

    def entries(self) -> Segment:
        """Return the entries of all terms."""
        self.settle()
        return self._segments.merged(self._alive.values)

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each term."""
        return self._terms.of_term

    def __len__(self) -> int:
        return len(self._first)

    @property
    def chunks(self) -> int:
        """Count the chunks, removed ones included."""
        return len(self.owner)

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once."""
        split = [text.split(PIECE) for text in texts]
        counts = np.array([*map(len, split)], dtype=np.int32)
        self._single &= bool((counts == 1).all())
        ends = self.chunks + np.cumsum(counts, dtype=np.int32)
        rows = np.arange(len(self), len(self) + len(texts), dtype=np.int32)
        self._first.extend(ends - counts)
        self._stop.extend(ends)
        self._enter([chunk for chunks in split for chunk in chunks], np.repeat(rows, counts))

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        self.leave(np.array([row], dtype=np.intp))
        chunks = text.split(PIECE)
        self._single &= len(chunks) == 1
        self._first[row], self._stop[row] = self.chunks, self.chunks + len(chunks)
        self._enter(chunks, np.full(len(chunks), row, dtype=np.int32))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Forget the texts of rows, as if they had never been counted; rows keep their numbers."""
        chunks = self._spread(rows)[0]
        gone = chunks[self._alive.values[chunks]]
        if len(gone):
            self._live -= len(gone)
            self._total -= int(self._lengths.values[gone].sum())
            self._alive[gone], self._lengths[gone] = False, 0

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """Return what scores of these terms depend on."""
        self.settle()
        return Statistics(*self._size(), {term: self._df(term) for term in terms})

    @property
    def texts(self) -> int:
        """Count the texts, or those of the statistics that are assumed."""
        return self._size()[0]

    def words_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many words each of some rows has."""
        chunks, begins = self._spread(rows)
        lengths = self._lengths.values[chunks].astype(np.int64)
        return np.add.reduceat(lengths, begins) if len(rows) else lengths

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of the best chunk of every row; 0 where no term of the query occurs."""
        replaced, owner = self.chunks > len(self), self.owner.values
        scores = np.zeros(len(self) if self._single else self.chunks, dtype=np.float32)
        for _, chunks, gains in self._gains(terms_of(query)):
            places = owner.take(chunks) if self._single and replaced else chunks
            # Twice as quick as ``scores[places] += gains``: each place is there once.
            np.add.at(scores, places.astype(np.intp), gains)
        if self._single:
            return scores
        best = np.zeros(len(self), dtype=np.float32)
        held = np.flatnonzero(scores > 0)
        np.maximum.at(best, owner[held].astype(np.intp), scores[held])
        return best

    def whole(self, query: str | Sequence[str]) -> float:
        """Return the score of a text of average length with each word once, unknown ones too."""
        self.settle()
        terms = Counter(terms_of(query))
        return sum(repeats * self._idf(self._df(term)) for term, repeats in terms.items())

    def _gains(
        self, terms: Sequence[str]
    ) -> Iterator[tuple[str, NDArray[np.int32], NDArray[np.float32]]]:
        """Yield each term that occurs, with the chunks that have it and what it gives to each."""
        lengths = self._lengths.values
        texts, length = self._size()
        slope = K1 * B * texts / length if length else 0.0
        for term, weight, chunks, counts in self._weighted(terms):
            shares = counts / (counts + (_BASE + slope * lengths[chunks]))
            yield term, chunks, weight * shares.astype(np.float32)

    def _weighted(
        self, terms: Sequence[str]
    ) -> Iterator[tuple[str, np.float32, NDArray[np.int32], Counts]]:
        self.settle()
        for term, repeats in Counter(terms).items():
            chunks, counts = self._of(term)
            if len(chunks):
                idf = self._idf(self._df(term, len(chunks)))
                yield term, np.float32(repeats * (K1 + 1) * idf), chunks, counts

    def _of(self, term: str) -> Entries:
        alive = None if self._live == self.chunks else self._alive.values
        return self._segments.of(self.numbers.get(term, -1), alive)

    def _size(self) -> tuple[int, int]:
        if self.assumed is not None:
            return self.assumed.texts, self.assumed.terms
        return self._live, self._total

    def _df(self, term: str, here: int | None = None) -> int:
        if self.assumed is not None:
            return self.assumed.frequencies.get(term, 0)
        return len(self._of(term)[0]) if here is None else here

    def _idf(self, df: int) -> float:
        return math.log1p((self._size()[0] - df + 0.5) / (df + 0.5))

    def _spread(self, rows: NDArray[np.intp]) -> tuple[Rows, Rows]:
        """Return the chunks of some rows, one row after another, and where those of each begin."""
        first = self._first.values[rows]
        counts = (self._stop.values[rows] - first).astype(np.int64)
        return ranges(first, counts), np.cumsum(counts) - counts

    def _enter(self, chunks: Sequence[str], owner: NDArray[np.int32]) -> NDArray[np.int32]:
        """Add chunks of some rows, and return their numbered words, one chunk after another."""
        if self._borrowed:  # others would get the new terms, too
            self._terms, self._borrowed = Numbers(self._terms.of_term), False
        numbers = np.fromiter(numbers_of_all(chunks, self._terms), np.int32)
        kept = numbers > _END
        place, numbers = np.cumsum(numbers == _END)[kept], numbers[kept]
        if len(numbers):
            self._waiting.append(numbers.astype(np.int64) << ROW_BITS | (self.chunks + place))
            if len(self._waiting) > _MANY:
                self._waiting = [np.concatenate(self._waiting)]
        self._lengths.extend(np.bincount(place, minlength=len(chunks)).astype(np.int32))
        self._alive.extend(np.ones(len(chunks), dtype=np.bool_))
        self.owner.extend(owner)
        self._live += len(chunks)
        self._total += len(numbers)
        return numbers

    def settle(self) -> None:
        """Sort the words that wait, or the next query does."""
        if self._waiting:
            words = np.concatenate(self._waiting)
            self._waiting.clear()
            self._segments.add(words, self._alive.values)


def terms_of(query: str | Sequence[str]) -> Sequence[str]:
    """Return the terms of a query: it is tokenised unless it is terms already."""
    return tokenize(query) if isinstance(query, str) else query
