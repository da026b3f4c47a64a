"""The words of episodes: a long one is found by its best chunk.

A text of many words has a little of everything, and BM25's correction for length only softens that.
So a long text counts as its chunks, and all statistics are those of chunks.
"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.bm25 import BM25Index
from graphrag.index.columns import Column
from graphrag.index.entries import K1, B, ranges
from graphrag.index.texts import PIECE
from graphrag.store.cache_file import DamagedFileError
from graphrag.text.tokens import tokenize


class ChunkIndex(BM25Index):
    """Score rows of text by their best chunk; ``PIECE`` stands between two chunks of a text."""

    def __init__(self) -> None:
        self.owner = Column(np.int32)
        """The row that each chunk belongs to."""
        self._first = Column(np.int32)
        """The first chunk of each row."""
        self._stop = Column(np.int32)
        self._words = Column(np.int32)
        """The numbered words of all chunks, one after another, removed ones included."""
        self._begins = Column(np.int64)
        """Where the words of each chunk begin."""
        super().__init__()

    def _columns(self) -> dict[str, Column[np.int32]]:
        return {"owner": self.owner, "first": self._first, "stop": self._stop}

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the words be written, and which chunks each row has."""
        super().save(out, name)
        out.lend(f"{name}.words", self._words.values)  # only ever appended to
        out.lend(f"{name}.begins", self._begins.values)
        for part, column in self._columns().items():
            out.put(f"{name}.{part}", column.values, np.int32)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over the words of so many rows."""
        owner = arrays.numbers(f"{name}.owner", np.int32, -1, within=range(rows))
        chunks = range(len(owner) + 1)
        first = arrays.numbers(f"{name}.first", np.int32, rows, within=chunks)
        stop = arrays.numbers(f"{name}.stop", np.int32, rows, within=chunks)
        if (first >= stop).any():
            raise DamagedFileError(f"{name} has a row without a chunk")
        super().load(arrays, name, len(owner))
        terms = range(len(self.numbers))
        words = arrays.numbers(f"{name}.words", np.int32, -1, within=terms, rare=True)
        begins = arrays.numbers(
            f"{name}.begins", np.int64, len(owner), within=range(len(words) + 1)
        )
        if (begins + self._lengths.values > len(words)).any():
            raise DamagedFileError(f"{name} has words beyond the last")
        self._words.take(words)
        self._begins.take(begins)
        for values, column in zip((owner, first, stop), self._columns().values(), strict=True):
            column.take(values)

    def numbered(self, text: str) -> tuple[int, ...]:
        """Return the words of a text as the index numbers them."""
        return tuple(self.numbers[term] for term in tokenize(text))

    def stream(self, start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the numbered words of a range of chunks, and the row that each stands in."""
        begins, lengths = self._begins.values[start:stop], self._lengths.values[start:stop]
        words = self._words.values[ranges(begins, lengths)]
        return words, np.repeat(self.owner.values[start:stop], lengths)

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once."""
        split = [text.split(PIECE) for text in texts]
        counts = np.array([len(chunks) for chunks in split], dtype=np.int32)
        ends = len(self) + np.cumsum(counts, dtype=np.int32)
        rows = len(self._first)
        self._first.extend(ends - counts)
        self._stop.extend(ends)
        self.owner.extend(np.repeat(np.arange(rows, rows + len(split), dtype=np.int32), counts))
        super().extend([chunk for chunks in split for chunk in chunks])

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        self.remove(row)
        chunks = text.split(PIECE)
        self._first[row], self._stop[row] = len(self), len(self) + len(chunks)
        self.owner.extend(np.full(len(chunks), row, dtype=np.int32))
        super().extend(chunks)

    def remove(self, row: int) -> None:
        """Forget the text of a row, as if it had never been counted; rows keep their numbers."""
        if not 0 <= row < len(self._first):
            raise IndexError(f"row {row} of {len(self._first)}")
        self.leave(np.array([row], dtype=np.intp))

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Forget the texts of many rows at once, as if they had never been counted."""
        super().leave(self._spread(rows)[0])

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of the best chunk of every row; 0 where no term of the query occurs."""
        return self.best(super().scores(query))

    def rows_with(self, word: str) -> NDArray[np.int32]:
        """Return the rows in which a word stands, a row once for each of its chunks."""
        self.settle()
        return self.owner.values[self._of(word)[0]]

    def words_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many words each of some rows has."""
        chunks, begins = self._spread(rows)
        lengths = self._lengths.values[chunks].astype(np.int64)
        return np.add.reduceat(lengths, begins) if len(rows) else lengths

    def pieces_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many chunks each of some rows has."""
        return (self._stop.values[rows] - self._first.values[rows]).astype(np.int64)

    def _spread(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the chunks of some rows, one row after another, and where those of each begin."""
        counts = self.pieces_of(rows)
        return ranges(self._first.values[rows], counts), np.cumsum(counts) - counts

    def by_term(
        self, terms: Sequence[str], rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return what each term gives to each chunk of some rows.

        Args:
            terms: Different from each other: the columns of what is returned.
            rows: At least one. Their chunks are the lines, one row after another; the second thing
                returned is where those of each row begin.
        """
        chunks, begins = self._spread(rows)
        line = np.full(len(self), -1, dtype=np.int32)
        line[chunks] = np.arange(len(chunks))
        gains_of = np.zeros((len(chunks), len(terms)), dtype=np.float32)
        columns = {term: column for column, term in enumerate(terms)}
        for term, holding, gains in self._gains(terms):
            at = line[holding]
            here = at >= 0
            gains_of[at[here], columns[term]] = gains[here]
        return gains_of, begins

    def grouped(
        self, query: str | Sequence[str], group: NDArray[np.intp], groups: int
    ) -> NDArray[np.float32]:
        """Return the score of groups of rows, each as if it were one text.

        Args:
            query: As for ``scores``.
            group: The group of each row, -1 for none.
            groups: How many there are.
        """
        self.settle()
        of_chunk = group[self.owner.values]
        kept = of_chunk >= 0
        lengths = np.bincount(of_chunk[kept], self._lengths.values[kept], groups)
        scores = np.zeros(groups, dtype=np.float32)
        average = float(lengths.mean()) if groups else 0.0
        room = K1 * (1 - B + B * lengths / (average or 1.0))
        terms = tokenize(query) if isinstance(query, str) else query
        for term, repeats in Counter(terms).items():
            chunks, times = self._of(term)
            holding = of_chunk[chunks]
            inside = holding >= 0
            counts = np.bincount(holding[inside], times[inside], groups)
            df = np.count_nonzero(counts)
            idf = math.log1p((groups - df + 0.5) / (df + 0.5))
            scores += (repeats * (K1 + 1) * idf * counts / (counts + room)).astype(np.float32)
        return scores

    def entire(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of every row as one text, however many chunks it has.

        Words are as rare as among the chunks, and of the length of several chunks its square root
        counts: nothing is asked of the group that the score of a chunk does not depend on.
        """
        rows, owner = len(self._first), self.owner.values
        texts, total = self._size()
        share = np.bincount(owner, self._lengths.values, rows) * texts / max(total, 1)
        several = np.bincount(owner, minlength=rows) > 1
        room = K1 * (1 - B + B * np.where(several, np.sqrt(share), share)).astype(np.float32)
        scores = np.zeros(rows, dtype=np.float32)
        terms = tokenize(query) if isinstance(query, str) else query
        for _, weight, chunks, times in self._weighted(terms):
            counts = np.bincount(owner[chunks], times, rows).astype(np.float32)
            scores += weight * (counts / (counts + room))
        return scores

    def best(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the best of each row's chunks."""
        best = np.zeros(len(self._first), dtype=np.float32)
        if len(best) == len(scores):  # each text is one chunk
            best[self.owner.values] = scores
            return best
        held = np.flatnonzero(scores > 0)
        np.maximum.at(best, self.owner.values[held].astype(np.intp), scores[held])
        return best

    def _enter(self, rows: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        added = self._lengths.values[len(self._begins) :]  # of the chunks that were just added
        self._begins.extend(len(self._words) + np.cumsum(added, dtype=np.int64) - added)
        self._words.extend(numbers)
        super()._enter(rows, numbers)
