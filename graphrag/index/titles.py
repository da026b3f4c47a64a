"""Episodes linked by title: the title of one occurs in the text of another.

Words are compared as index terms, and brackets at the end of a title are ignored. One pass per
phrase length, longest first: first words are looked up in a table, then a hash of the rest is
compared. A million words and 5,000 phrases take 0.1 s. Also tells which messages are questions, or
an assistant's user's.
"""

import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, islice

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.chunks import ChunkIndex
from graphrag.index.columns import Column, Shared
from graphrag.index.incidence import Incidence
from graphrag.store.cache_file import DamagedFileError

Phrase = tuple[int, ...]
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


def find_phrases(
    words: NDArray[np.int32], texts: NDArray[np.int32], phrases: Sequence[Phrase]
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the text and the number of each phrase found; a word counts for its longest phrase.

    Args:
        words: The words of all texts, one text after another.
        texts: The text of each word.
        phrases: Different from each other, none empty.
    """
    by_length: dict[int, list[int]] = defaultdict(list)
    for number, phrase in enumerate(phrases):
        by_length[len(phrase)].append(number)
    taken = np.zeros(len(words), dtype=np.bool_)
    found_texts, found = [np.empty(0, np.int32)], [np.empty(0, np.intp)]
    for length in sorted(by_length, reverse=True):
        numbers = np.array(by_length[length], dtype=np.intp)
        sought = np.array([phrases[number] for number in numbers], dtype=np.int64)
        starts = np.zeros(max(int(words.max(initial=0)), int(sought.max())) + 1, dtype=np.bool_)
        starts[sought[:, 0]] = True
        at = np.flatnonzero(starts[words[: max(0, len(words) - length + 1)]])
        last = at + length - 1
        at = at[(texts[at] == texts[last]) & ~taken[at] & ~taken[last]]
        codes = _hashed(sought)
        order = np.argsort(codes)
        here = _hashed(words[at[:, np.newaxis] + np.arange(length)])
        place = np.minimum(np.searchsorted(codes[order], here), len(codes) - 1)
        equal = codes[order][place] == here
        at, numbers = at[equal], numbers[order][place[equal]]
        taken[(at[:, np.newaxis] + np.arange(length)).ravel()] = True
        found_texts.append(texts[at])
        found.append(numbers)
    return np.concatenate(found_texts), np.concatenate(found)


def _hashed(rows: NDArray[np.int64] | NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return 64 bits for each row of words; two of a million differ in all but one of 10^7 runs."""
    codes = np.zeros(len(rows), dtype=np.uint64)
    for column in rows.T:
        codes = (codes + column.astype(np.uint64) + np.uint64(1)) * _FACTOR
        codes ^= codes >> np.uint64(29)
    return codes


LONGEST = 7
"""Words of a title that is looked for in texts."""
_BRACKETS = re.compile(r"\s*\([^()]*\)\s*$")
_SHORTEST = 3
"""Letters of a title that is looked for."""


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
        self.links = Incidence()
        """Rows of episodes and the titles that they bear or name."""

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the titles be written, and what was found of them."""
        out.texts(f"{name}.names", self._names)
        out.put(f"{name}.own", self.own, np.int32)
        out.put(f"{name}.sizes", [len(phrase) for phrase in self._numbers], np.int32)
        out.put(f"{name}.words", [*chain.from_iterable(self._numbers)], np.int32)
        out.put(f"{name}.begin", [*self._lengths], np.int32)
        out.put(f"{name}.longest", [*self._lengths.values()], np.int32)
        out.put(f"{name}.pieces", [self._pieces], np.int64)
        self.links.save(out, f"{name}.links")

    def load(self, arrays: ArrayReader, name: str, rows: int, pieces: int) -> None:
        """Take over the titles of so many rows, which have so many pieces."""
        self._names = arrays.texts(f"{name}.names", rows)
        sizes = arrays.numbers(f"{name}.sizes", np.int32, -1, within=range(1, 1 << 31)).tolist()
        words = iter(arrays.array(f"{name}.words", np.int32, sum(sizes)).tolist())
        phrases = [tuple(islice(words, size)) for size in sizes]
        self._numbers = dict(zip(phrases, range(len(phrases)), strict=True))
        own = arrays.numbers(f"{name}.own", np.int32, -1, within=range(-1, len(self._numbers)))
        begin = arrays.array(f"{name}.begin", np.int32, -1).tolist()
        longest = arrays.numbers(
            f"{name}.longest", np.int32, len(begin), within=range(1, LONGEST + 1)
        )
        self._lengths = dict(zip(begin, longest.tolist(), strict=True))
        [self._pieces] = arrays.numbers(
            f"{name}.pieces", np.int64, 1, within=range(pieces + 1)
        ).tolist()
        if len(own) > rows or len(self._numbers) < len(phrases):
            raise DamagedFileError(f"{name} has too many titles")
        self._own.take(own)
        self.links.load(arrays, f"{name}.links", rows, len(phrases))

    def __len__(self) -> int:
        """Count the titles that differ."""
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
        if not rows and self._pieces == len(pieces):
            return
        self._own.extend(np.full(len(rows), -1))
        named = (row for row in rows if self._names[row])  # of messages none
        fresh = dict.fromkeys(phrase for row in named if (phrase := self._read(row, pieces)))
        old, self._pieces = self._pieces, len(pieces)
        found = [self._find(list(fresh), pieces, 0, old)] if fresh and old else []
        if self._numbers and old < len(pieces):
            found.append(self._find(list(self._numbers), pieces, old, len(pieces)))
        bearing = rows.start + np.flatnonzero(self.own[rows.start :] >= 0)
        pairs = [np.stack((bearing, self.own[bearing].astype(np.int64))), *found]
        rows_, numbers = np.concatenate(pairs, axis=1)
        both = np.unique(rows_ << 32 | numbers)
        self.links.add(both >> 32, both & 0xFFFFFFFF)

    def named(self, words: Sequence[int]) -> list[int]:
        """Return the titles that stand in a text given as numbered words, the longest first met."""
        found: dict[int, None] = {}
        at = 0
        while at < len(words):
            longest = min(self._lengths.get(words[at], 0), len(words) - at)
            for length in range(longest, 0, -1):
                number = self._numbers.get(tuple(words[at : at + length]))
                if number is not None:
                    found[number] = None
                    at += length - 1
                    break
            at += 1
        return list(found)

    def _read(self, row: int, pieces: ChunkIndex) -> Phrase:
        """Number the title of a row; return it if it is new and may be looked for in texts."""
        name = self._names[row]
        bare = _BRACKETS.sub("", name) or name
        phrase = pieces.numbered(bare)
        if not phrase:
            return ()
        new = phrase not in self._numbers
        self._own[row] = self._numbers.setdefault(phrase, len(self._numbers))
        if not new or len(phrase) > LONGEST or sum(map(str.isalnum, bare)) < _SHORTEST:
            return ()
        self._lengths[phrase[0]] = max(len(phrase), self._lengths.get(phrase[0], 0))
        return phrase

    def _find(
        self, phrases: Sequence[Phrase], pieces: ChunkIndex, start: int, stop: int
    ) -> NDArray[np.int64]:
        sought = [phrase for phrase in phrases if len(phrase) <= LONGEST]
        words, texts = pieces.stream(start, stop)
        rows, found = find_phrases(words, texts, sought)
        numbers = np.array([self._numbers[phrase] for phrase in sought], dtype=np.int64)
        return np.stack((rows.astype(np.int64), numbers[found]))


_QUESTION = re.compile(r"[?\uff1f\u061f]\W*$")
"""A question mark at the end, at most emoji and quotes after it."""
_END = 40
"""Characters of a text that are looked at for one."""
_USER = re.compile(r"\s*(?:user|human)\s*:", re.IGNORECASE)
_OTHERS = re.compile(r"^\s*(?:assistant|ai|bot|system|tool)\s*:", re.IGNORECASE | re.MULTILINE)


def asks(message: str) -> bool:
    """Tell whether a message ends with a question."""
    return bool(_QUESTION.search(message[-_END:]))


def is_users(message: str) -> bool:
    """Tell whether a message is the user's in a chat with an assistant, and not a whole chat."""
    return bool(_USER.match(message)) and not _OTHERS.search(message)
