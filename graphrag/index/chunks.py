"""The words of episodes: a long one is found by its best piece.

A text of many words has a little of everything, and BM25's correction for length only softens that.
So a long text counts as its pieces, and all statistics are those of pieces.
"""

import math
from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Self

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.bm25 import Postings
from graphrag.index.columns import Column, boxed
from graphrag.index.entries import K1, B
from graphrag.index.texts import PIECE
from graphrag.store.cache_file import DamagedFileError
from graphrag.text.tokens import tokenize

_RANGE_BYTES = 112
_MANY = 32
"""From this part of all rows on, a pass over all pieces is as quick as looking at theirs."""


class Pieces(Postings):
    """Score rows of text by their best piece; ``PIECE`` stands between two pieces of a text."""

    def __init__(self) -> None:
        self.owner = Column(np.int32)
        """The row that each piece belongs to."""
        self._of_row: list[range] = []
        self._room: tuple[tuple[int, ...], NDArray[np.float32]] | None = None
        """What stands beside the counts of whole rows, and the state that it is of."""
        super().__init__()

    def share(self) -> Self:
        """Return the same texts in the same memory, which each of both changes apart."""
        other = super().share()
        other.owner, other._of_row = self.owner.share(), self._of_row.copy()
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the words be written, and which pieces each row has."""
        super().save(out, name)
        out.put(f"{name}.owner", self.owner.values, np.int32)
        out.put(f"{name}.first", [pieces.start for pieces in self._of_row], np.int32)
        out.put(f"{name}.stop", [pieces.stop for pieces in self._of_row], np.int32)

    def load(self, arrays: ArrayReader, name: str, rows: int) -> None:
        """Take over the words of so many rows."""
        owner = arrays.numbers(f"{name}.owner", np.int32, -1, within=range(rows))
        first = arrays.numbers(f"{name}.first", np.int32, rows, within=range(len(owner)))
        stop = arrays.numbers(f"{name}.stop", np.int32, rows, within=range(1, len(owner) + 1))
        if (first >= stop).any():
            raise DamagedFileError(f"{name} has a row without a piece")
        super().load(arrays, name, len(owner))
        self.owner.take(owner)
        self._of_row = list(map(range, first.tolist(), stop.tolist()))

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        room = 0 if self._room is None else self._room[1].nbytes
        return super().nbytes + self.owner.nbytes + boxed(self._of_row, _RANGE_BYTES) + room

    @property
    def count(self) -> int:
        """Return the number of pieces, those of removed rows included."""
        return len(self)

    def numbered(self, text: str) -> tuple[int, ...]:
        """Return the words of a text as the index numbers them."""
        return tuple(self.numbers[term] for term in tokenize(text))

    def stream(self, start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the numbered words of a range of pieces, and the row that each stands in."""
        starts, lengths = self._starts.values[start:stop], self._lengths.values[start:stop]
        lengths = np.where(starts >= 0, lengths, 0)
        shift = np.repeat(starts - (np.cumsum(lengths) - lengths), lengths)
        words = self._words.values[shift + np.arange(int(lengths.sum()))]
        return words, np.repeat(self.owner.values[start:stop], lengths)

    def extend(self, texts: Sequence[str]) -> None:
        """Add many texts at once."""
        split = [text.split(PIECE) for text in texts]
        first, row = len(self), len(self._of_row)
        self.owner.extend(np.repeat(np.arange(row, row + len(split)), [len(one) for one in split]))
        for pieces in split:
            self._of_row.append(range(first, first + len(pieces)))
            first += len(pieces)
        super().extend([piece for pieces in split for piece in pieces])

    def append(self, text: str) -> int:
        """Add one text and return its row."""
        self.extend([text])
        return len(self._of_row) - 1

    def replace(self, row: int, text: str) -> None:
        """Give a row another text; a removed row comes back."""
        self.remove(row)
        pieces = text.split(PIECE)
        self._of_row[row] = range(len(self), len(self) + len(pieces))
        self.owner.extend(np.full(len(pieces), row))
        super().extend(pieces)

    def remove(self, row: int) -> None:
        """Forget the text of a row, as if it had never been counted; rows keep their numbers."""
        if not 0 <= row < len(self._of_row):
            raise IndexError(f"row {row} of {len(self._of_row)}")
        for piece in self._of_row[row]:
            super().remove(piece)

    def leave(self, rows: NDArray[np.intp]) -> None:
        """Forget the texts of many rows at once, as if they had never been counted."""
        pieces = chain.from_iterable(self._of_row[row] for row in rows.tolist())
        super().leave(np.fromiter(pieces, np.intp))

    def scores(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of the best piece of every row; 0 where no term of the query occurs."""
        return self.best(super().scores(query))

    def rows_with(self, word: str) -> NDArray[np.int32]:
        """Return the rows in which a word stands, a row once for each of its pieces."""
        number = self.numbers.get(word)
        if number is None:
            return np.empty(0, dtype=np.int32)
        self._settle()
        entries = self._of_term.of(number)
        return self.owner.values[entries.rows[: entries.size]]

    def words_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many words each of some rows has."""
        lengths = self._lengths.values
        if not 0 < len(rows) < len(self._of_row) // _MANY:
            return np.bincount(self.owner.values, lengths, len(self._of_row))[rows].astype(np.int64)
        pieces, begins = self._spread(rows)
        return np.add.reduceat(lengths[pieces].astype(np.int64), begins)

    def pieces_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many pieces each of some rows has."""
        return np.array([len(self._of_row[row]) for row in rows.tolist()], dtype=np.int64)

    def _spread(self, rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the pieces of some rows, one row after another, and where those of each begin."""
        spans = [self._of_row[row] for row in rows.tolist()]
        lengths = np.array([len(span) for span in spans], dtype=np.intp)
        return np.fromiter(chain.from_iterable(spans), np.intp), np.cumsum(lengths) - lengths

    def by_term(
        self, terms: Sequence[str], rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return what each term gives to each piece of some rows.

        Args:
            terms: Different from each other: the columns of what is returned.
            rows: At least one. Their pieces are the lines, one row after another; the second thing
                returned is where those of each row begin.
        """
        self._settle()
        pieces, begins = self._spread(rows)
        line = np.full(len(self), -1, dtype=np.int32)
        line[pieces] = np.arange(len(pieces))
        found = np.zeros((len(pieces), len(terms)), dtype=np.float32)
        columns = {term: column for column, term in enumerate(terms)}
        for term, holding, gains in self._gains(terms):
            at = line[holding]
            here = at >= 0
            found[at[here], columns[term]] = gains[here]
        return found, begins

    def grouped(
        self, query: str | Sequence[str], group: NDArray[np.intp], groups: int
    ) -> NDArray[np.float32]:
        """Return the score of groups of rows, each as if it were one text.

        Args:
            query: As for ``scores``.
            group: The group of each row, -1 for none.
            groups: How many there are.
        """
        self._settle()
        of_piece = group[self.owner.values]
        kept = of_piece >= 0
        lengths = np.bincount(of_piece[kept], self._lengths.values[kept], groups)
        scores = np.zeros(groups, dtype=np.float32)
        average = float(lengths.mean()) if groups else 0.0
        room = K1 * (1 - B + B * lengths / (average or 1.0))
        for term, repeats in Counter(tokenize(query) if isinstance(query, str) else query).items():
            number = self.numbers.get(term)
            if number is None or not (entries := self._of_term.of(number)).size:
                continue
            holding = of_piece[entries.rows[: entries.size]]
            inside = holding >= 0
            counts = np.bincount(holding[inside], entries.counts[: entries.size][inside], groups)
            df = np.count_nonzero(counts)
            idf = math.log1p((groups - df + 0.5) / (df + 0.5))
            scores += (repeats * (K1 + 1) * idf * counts / (counts + room)).astype(np.float32)
        return scores

    def entire(self, query: str | Sequence[str]) -> NDArray[np.float32]:
        """Return the score of every row as one text, however many pieces it has.

        Words are as rare as among the pieces, and of the length of several pieces its square root
        counts: nothing is asked of the group that the score of a piece does not depend on.
        """
        self._settle()
        rows, room = len(self._of_row), self._entire_room()
        scores = np.zeros(rows, dtype=np.float32)
        for term, repeats in Counter(tokenize(query) if isinstance(query, str) else query).items():
            number = self.numbers.get(term)
            if number is None or not (entries := self._of_term.of(number)).size:
                continue
            held, counts = entries.gathered(self.owner.values, rows)
            weight = np.float32(repeats * (K1 + 1) * self._idf(self._df(term)))
            # As in ``scores``: each row is there once.
            np.add.at(scores, held.astype(np.intp), weight * (counts / (counts + room[held])))
        return scores

    def _entire_room(self) -> NDArray[np.float32]:
        """Return what BM25 adds to the count of a word in each row as one text, for its length."""
        texts, total = self._size()
        state = texts, total, self._live, len(self.owner)
        if self._room is None or self._room[0] != state:
            rows = len(self._of_row)
            lengths = np.bincount(self.owner.values, self._lengths.values, rows)
            several = np.bincount(self.owner.values, minlength=rows) > 1
            share = lengths * texts / max(total, 1)
            room = K1 * (1 - B + B * np.where(several, np.sqrt(share), share))
            self._room = state, room.astype(np.float32)
        return self._room[1]

    def best(self, scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the best of each row's pieces."""
        best = np.zeros(len(self._of_row), dtype=np.float32)
        if len(best) == len(scores):  # each text is one piece
            best[self.owner.values] = scores
            return best
        found = np.flatnonzero(scores > 0)
        np.maximum.at(best, self.owner.values[found].astype(np.intp), scores[found])
        return best
