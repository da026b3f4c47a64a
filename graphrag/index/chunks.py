"""Words of episodes: a BM25 index that keeps them in order, and the titles that occur in them.

The title of one episode in the text of another links both.
"""

import math
import re
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayFile
from graphrag.index.bm25 import K1, B, BM25Index, terms_of
from graphrag.index.columns import Column, Shared
from graphrag.index.entries import Links, ranges
from graphrag.store.private import DamagedFileError
from graphrag.text.tokens import tokenize

Phrase = tuple[int, ...]
LONGEST = 7
"""Words of a title that is looked for in texts."""
_SHORTEST = 3  # letters of a title that is looked for
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")


class ChunkIndex(BM25Index):
    """Score rows of text, and keep their words in the order of the text."""

    def __init__(self) -> None:
        self._words, self._begins = Column(np.int32), Column(np.int64)
        """The numbered words of all chunks, removed ones too, and where those of each begin."""
        super().__init__()

    def exchange(self, file: ArrayFile, name: str, rows: int) -> None:
        """Write the words of so many rows, in the order of the text, too, or read them."""
        super().exchange(file, name, rows)
        self._words.exchange(file, f"{name}.words", within=range(len(self.numbers)))
        places = range(len(self._words) + 1)
        self._begins.exchange(file, f"{name}.begins", self.chunks, places)
        if (self._begins.values + self._lengths.values > len(self._words)).any():
            raise DamagedFileError(f"{name} has words beyond the last")

    def numbered(self, text: str) -> tuple[int, ...]:
        """Return the words of a text as the index numbers them."""
        return tuple(self.numbers[term] for term in tokenize(text))

    def stream(self, start: int, stop: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Return the numbered words of a range of chunks, and the row that each stands in."""
        begins, lengths = self._begins.values[start:stop], self._lengths.values[start:stop]
        words = self._words.values[ranges(begins, lengths)]
        return words, np.repeat(self.owner.values[start:stop], lengths)

    def rows_with(self, word: str) -> NDArray[np.int32]:
        """Return the rows in which a word stands, a row once for each of its chunks."""
        self.settle()
        return self.owner.values[self._of(word)[0]]

    def pieces_of(self, rows: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return how many chunks each of some rows has."""
        return (self._stop.values[rows] - self._first.values[rows]).astype(np.int64)

    def by_term(
        self, terms: Sequence[str], rows: NDArray[np.intp]
    ) -> tuple[NDArray[np.float32], NDArray[np.intp]]:
        """Return what each term gives to each chunk of some rows, and where those of each begin.

        The terms, all different, are the columns; the chunks, one row after another, the lines.
        """
        chunks, begins = self._spread(rows)
        line = np.full(self.chunks, -1, dtype=np.int32)
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
        """Return the scores of ``groups`` groups of rows, each as if it were one text.

        ``group`` is the group of each row, -1 for none.
        """
        self.settle()
        of_chunk = group[self.owner.values]
        kept = of_chunk >= 0
        lengths = np.bincount(of_chunk[kept], self._lengths.values[kept], groups)
        scores = np.zeros(groups, dtype=np.float32)
        average = float(lengths.mean()) if groups else 0.0
        room = K1 * (1 - B + B * lengths / (average or 1.0))
        for term, repeats in Counter(terms_of(query)).items():
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

        Words are as rare as among the chunks; of the length of several its square root counts.
        """
        rows, owner = len(self), self.owner.values
        texts, total = self._size()
        share = np.bincount(owner, self._lengths.values, rows) * texts / max(total, 1)
        several = np.bincount(owner, minlength=rows) > 1
        room = K1 * (1 - B + B * np.where(several, np.sqrt(share), share)).astype(np.float32)
        scores = np.zeros(rows, dtype=np.float32)
        for _, weight, chunks, times in self._weighted(terms_of(query)):
            counts = np.bincount(owner[chunks], times, rows).astype(np.float32)
            scores += weight * (counts / (counts + room))
        return scores

    def _enter(self, chunks: Sequence[str], owner: NDArray[np.int32]) -> NDArray[np.int32]:
        numbers = super()._enter(chunks, owner)
        added = self._lengths.values[len(self._begins) :]
        self._begins.extend(len(self._words) + np.cumsum(added, dtype=np.int64) - added)
        self._words.extend(numbers)
        return numbers


class Titles(Shared):
    """The titles of the rows of one group, and the rows in which each stands."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._own = Column(np.int32)
        self._numbers: dict[Phrase, int] = {}
        self._lengths: dict[int, int] = {}
        """The length of the longest title that begins with a word."""
        self._pieces = 0
        """Chunks that were searched for titles."""
        self.links = Links()
        """Rows of episodes and the titles that they bear or name."""

    def exchange(self, file: ArrayFile, name: str, rows: int, pieces: ChunkIndex) -> None:
        """Write the titles of so many rows, and where each stands, or read both."""
        self._names = file.strings(f"{name}.names", self._names, rows)
        sizes = file.integers(f"{name}.sizes", map(len, self._numbers), within=range(1, 1 << 31))
        flat = chain.from_iterable(self._numbers)
        words = file.integers(f"{name}.words", flat, sum(sizes))
        self._own.exchange(file, f"{name}.own", within=range(-1, len(sizes)))
        terms, lengths = range(len(pieces.numbers)), range(1, LONGEST + 1)
        begins = file.integers(f"{name}.begins", self._lengths, within=terms)
        longest = file.integers(f"{name}.longest", self._lengths.values(), len(begins), lengths)
        self._pieces = file.number(f"{name}.pieces", self._pieces, range(pieces.chunks + 1))
        if file.reads:
            word = iter(words)
            phrases = [tuple(islice(word, size)) for size in sizes]
            self._numbers = dict(zip(phrases, range(len(phrases)), strict=True))
            self._lengths = dict(zip(begins, longest, strict=True))
        if len(self._own) > rows or len(self._numbers) < len(sizes):
            raise DamagedFileError(f"{name} has too many titles")
        self.links.exchange(file, f"{name}.links", rows, len(sizes))

    def __len__(self) -> int:
        return len(self._numbers)

    def enter(self, first: int, names: Sequence[str]) -> None:
        """Take over the titles of new rows, "" for none."""
        assert first == len(self._names)
        self._names += names

    def of_rows(self, kept: NDArray[np.bool_]) -> "Titles":
        """Return these titles without those of other rows, which keep their places."""
        titles = Titles()
        named = zip(self._names, kept.tolist(), strict=True)
        titles.enter(0, [name if stays else "" for name, stays in named])
        return titles

    @property
    def own(self) -> NDArray[np.int32]:
        """Return the number of the title of each row, -1 for none."""
        return self._own.values

    def catch_up(self, pieces: ChunkIndex) -> None:
        """Find new titles in old texts, and all titles in new ones."""
        rows = range(len(self._own), len(self._names))
        if not rows and self._pieces == pieces.chunks:
            return
        self._own.extend(np.full(len(rows), -1))
        named = (row for row in rows if self._names[row])  # of messages none
        fresh = {phrase[:2] for row in named if (phrase := self._read(row, pieces))}
        old, self._pieces = self._pieces, pieces.chunks
        own = self.own.tolist()
        pairs = [(row, own[row]) for row in rows if own[row] >= 0]
        pairs += self._find(fresh, pieces, 0, old)
        known = [(first,) for first in self._lengths]
        pairs += self._find(known, pieces, old, self._pieces)
        self.links.enter(pairs)

    def named(self, words: Sequence[int]) -> list[int]:
        """Return the titles that stand in a text given as numbered words, in order."""
        numbers: dict[int, None] = {}
        at = 0
        while at < len(words):
            number, length = self._longest(words, at, len(words))
            if length:
                numbers[number] = None
            at += max(1, length)
        return list(numbers)

    def _longest(self, words: Sequence[int], at: int, stop: int) -> tuple[int, int]:
        """Return the longest title that begins at a word, and its length; 0 if there is none."""
        for length in range(min(self._lengths.get(words[at], 0), stop - at), 0, -1):
            if (number := self._numbers.get(tuple(words[at : at + length]))) is not None:
                return number, length
        return -1, 0

    def _read(self, row: int, pieces: ChunkIndex) -> Phrase:
        """Number the title of a row; return it if it is new and may be looked for in texts."""
        name = self._names[row]
        bare = _BRACKETS.sub("", name) or name
        if not (phrase := pieces.numbered(bare)):
            return ()
        new = phrase not in self._numbers
        self._own[row] = self._numbers.setdefault(phrase, len(self._numbers))
        if not new or len(phrase) > LONGEST or sum(map(str.isalnum, bare)) < _SHORTEST:
            return ()
        self._lengths[phrase[0]] = max(len(phrase), self._lengths.get(phrase[0], 0))
        return phrase

    def _find(
        self, sought: Collection[Phrase], pieces: ChunkIndex, start: int, stop: int
    ) -> list[tuple[int, int]]:
        """Return the row and the title wherever one that begins so stands in some chunks.

        The longest counts, from left to right.
        """
        if not sought or start == stop:
            return []
        words, rows = pieces.stream(start, stop)
        begins, alone, follows = np.zeros((3, len(pieces.numbers)), dtype=np.bool_)
        begins[[phrase[0] for phrase in sought]] = True
        alone[[phrase[0] for phrase in sought if len(phrase) == 1]] = True
        follows[[phrase[1] for phrase in sought if len(phrase) > 1]] = True
        after = np.append(words[1:], 0)
        places = np.flatnonzero(begins[words] & (alone[words] | follows[after]))
        bounds = np.append(np.flatnonzero(np.diff(rows)) + 1, len(words))
        stops = bounds[bounds.searchsorted(places, "right")].tolist()
        pairs, behind = [], 0
        for at, end, row in zip(places.tolist(), stops, rows[places].tolist(), strict=True):
            if at < behind:
                continue
            window = words[at : min(end, at + LONGEST)].tolist()
            number, length = self._longest(window, 0, len(window))
            if length:
                pairs.append((row, number))
                behind = at + length
        return pairs
