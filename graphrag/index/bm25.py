"""BM25 index over the texts of one group, exact after every change.

Okapi BM25, k1 = 1.5, b = 0.75, as ``rank_bm25.BM25Okapi`` (repeated query words count) but with
Lucene's idf ``ln(1 + (N - df + 0.5) / (df + 0.5))``: positive for every word, so a score above 0
means a match.

A forward index holds the term numbers of each row; each term owns arrays of rows and counts, built
at the next query. Postings are unsorted: a removal swaps with the last entry. The average length
enters at query time, so no stored number goes stale.
"""

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.columns import Column, boxed
from graphrag.index.entries import (
    K1,
    ROW_BITS,
    B,
    Sorted,
    Statistics,
    TermEntries,
    by_term,
    read_words,
    sort_words,
)
from graphrag.text.tokens import END, Numbers, numbers_of_all, tokenize

_NO_TERMS = {"": 0, END: (_END := 1)}
"""What stands between terms; real terms have larger numbers."""
_MANY = 256  # arrays that wait to be sorted: an import may go on for long before a query
_TERM_BYTES = 90
"""Of a term or a word with its number."""


class Postings:
    """Score rows of text by the words they share with a query."""

    def __init__(self, texts: Sequence[str] = ()) -> None:
        self._terms = Numbers(_NO_TERMS)
        self._words = Column(np.int32)
        """The terms of all rows, one row after another, to find a row's entries again."""
        self._starts = Column(np.int64)
        """Where the terms of each row begin; -1 for a removed row."""
        self._lengths = Column(np.int32)
        self._live = 0
        self._total = 0
        self._of_term = TermEntries()
        self._waiting: list[NDArray[np.int64]] = []
        self._changed = False
        """Whether texts came or went since the last sort."""
        self._assumed: Statistics | None = None
        self._borrowed = False
        """Whether the numbers of terms are those of other texts, too."""
        self.extend(texts)

    def share(self) -> Self:
        """Return the same texts in the same memory, which each of both changes apart."""
        self._settle()
        other = copy.copy(self)
        other._borrowed = True
        other._words = self._words.share()
        other._starts, other._lengths = self._starts.copy(), self._lengths.copy()
        other._of_term = self._of_term.share()
        other._waiting = []
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the words be written, with the arrays of terms, which are made then."""
        out.texts(f"{name}.terms", self.numbers)
        out.lend(f"{name}.words", self._words.values)  # only ever appended to
        out.put(f"{name}.starts", self._starts.values, np.int64)
        out.put(f"{name}.lengths", self._lengths.values, np.int32)
        parts, sorting = (f"{name}.rows", f"{name}.counts", f"{name}.bounds"), self.sorting()
        out.later(lambda: dict(zip(parts, sorting(), strict=True)))

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over the words of so many rows."""
        terms, words, built = read_words(arrays, name, rows, tuple(_NO_TERMS))
        self._terms = Numbers(terms)
        self._words.take(words[0])
        self._starts.take(words[1])
        self._lengths.take(words[2])
        self._live, self._total = int(np.count_nonzero(words[1] >= 0)), int(words[2].sum())
        self.take(built)

    def sorting(self, *, anew: bool = False) -> Callable[[], Sorted]:
        """Return what sorts these texts as they are now, whatever becomes of them meanwhile."""
        if not self._changed and not anew:
            built = self._of_term.sorted
            return lambda: built
        texts = self._words.values, self._starts.values.copy(), self._lengths.values.copy()
        terms = len(self.numbers)
        return lambda: sort_words(*texts, terms)

    def words_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many words each of some rows has."""
        return self._lengths.values[rows].astype(np.int64)

    def take(self, built: Sorted) -> None:
        """Take over the arrays of terms of just these texts."""
        self._of_term.take(built)
        self._waiting.clear()
        self._changed = False

    @property
    def numbers(self) -> dict[str, int]:
        """The number of each term."""
        return self._terms.of_term

    def __len__(self) -> int:
        """Count the rows, removed ones included."""
        return len(self._starts)

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        waiting = sum(numbers.nbytes for numbers in self._waiting)
        columns = self._words.nbytes + self._starts.nbytes + self._lengths.nbytes
        known = () if self._borrowed else (self._terms.of_term, self._terms.of_word)
        terms = sum(boxed(numbers, _TERM_BYTES) for numbers in known)
        return columns + waiting + self._of_term.nbytes + terms

    def __repr__(self) -> str:
        """Show the size."""
        return f"Postings({self._live} live of {len(self)} rows, {len(self.frequencies())} terms)"

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once."""
        first = len(self)
        rows, numbers = self._read(texts)
        lengths = np.bincount(rows, minlength=len(texts))
        self._starts.extend(len(self._words) + np.cumsum(lengths) - lengths)
        self._lengths.extend(lengths.astype(np.int32))
        self._enter(first + rows, numbers)
        self._live += len(texts)

    def append(self, text: str) -> int:
        """Add one text and return its row."""
        self.extend([text])
        return len(self) - 1

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        self.remove(row)
        _, numbers = self._read([text])
        self._starts[row] = len(self._words)
        self._lengths[row] = len(numbers)
        self._enter(np.full(len(numbers), row), numbers)
        self._live += 1

    def remove(self, row: int) -> None:
        """Forget the text of a row, as if it had never been counted; rows keep their numbers."""
        if not 0 <= row < len(self):
            raise IndexError(f"row {row} of {len(self)}")
        start, length = int(self._starts.values[row]), int(self._lengths.values[row])
        if start < 0:
            return
        self._settle()
        self._changed = True
        for number in set(self._words.values[start : start + length].tolist()):
            self._of_term.of(number).discard(row)
        self._starts[row] = -1
        self._lengths[row] = 0
        self._live -= 1
        self._total -= length

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Forget the texts of many rows at once, as if they had never been counted."""
        self._settle()
        gone = rows[self._starts.values[rows] >= 0]
        if len(gone):
            self._changed = True
            self._of_term.leave(gone, len(self))
            self._live -= len(gone)
            self._total -= int(self._lengths.values[gone].sum())
            self._starts[gone], self._lengths[gone] = -1, 0

    def assume(self, statistics: Statistics | None) -> None:
        """Score as if these texts were some of many more: those that the statistics are of."""
        self._assumed = statistics

    @property
    def assumed(self) -> Statistics | None:
        """Return what is assumed; None if scores depend on these texts alone."""
        return self._assumed

    def statistics(self, terms: Iterable[str]) -> Statistics:
        """Return what scores of these terms depend on."""
        self._settle()
        return Statistics(*self._size(), {term: self._df(term) for term in terms})

    @property
    def texts(self) -> int:
        """Count the texts, or those of the statistics that are assumed."""
        return self._size()[0]

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of every row; 0 where no term of the query occurs.

        Pass a string to have it tokenised, or the terms themselves.
        """
        self._settle()
        scores = np.zeros(len(self), dtype=np.float32)
        for _, rows, gains in self._gains(tokenize(query) if isinstance(query, str) else query):
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
        for term, repeats in Counter(terms).items():
            number = self.numbers.get(term)
            if number is None or not (entries := self._of_term.of(number)).size:
                continue
            weight = np.float32(repeats * (K1 + 1) * self._idf(self._df(term)))
            yield term, entries.rows[: entries.size], weight * entries.shares(slope, lengths)

    def whole(self, query: str | Sequence[str]) -> float:
        """Return what a text of average length would score that has each word of the query once.

        A word that no text has counts too: the rarest of all.
        """
        self._settle()
        terms = Counter(tokenize(query) if isinstance(query, str) else query)
        return sum(repeats * self._idf(self._df(term)) for term, repeats in terms.items())

    def frequencies(self) -> dict[str, int]:
        """Return in how many rows each term occurs."""
        self._settle()
        sizes = ((term, self._of_term.of(number).size) for term, number in self.numbers.items())
        return {term: size for term, size in sizes if size}

    def _size(self) -> tuple[int, int]:
        if self._assumed is not None:
            return self._assumed.texts, self._assumed.terms
        return self._live, self._total

    def _df(self, term: str) -> int:
        if self._assumed is not None:
            return self._assumed.frequencies.get(term, 0)
        number = self.numbers.get(term)
        return 0 if number is None else self._of_term.of(number).size

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
        self._words.extend(numbers)
        self._total += len(numbers)
        if len(numbers):
            self._changed = True
            self._waiting.append(numbers.astype(np.int64) << ROW_BITS | rows)
            if len(self._waiting) > _MANY:
                self._waiting = [np.concatenate(self._waiting)]

    def _settle(self) -> None:
        """Bring the arrays of terms up to date."""
        if not self._waiting:
            return
        fresh = np.concatenate(self._waiting)
        if 2 * len(fresh) >= len(self._of_term):  # so each row is sorted a few times in all
            texts = self._words.values, self._starts.values, self._lengths.values
            self.take(sort_words(*texts, len(self.numbers)))
            return
        self._waiting.clear()
        for number, rows, counts in by_term(fresh):
            self._of_term.of(number).extend(rows, counts)
