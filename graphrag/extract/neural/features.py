"""The words of a text as the network sees them: letters, case, and their place in a parse.

A parse knows grammar that six layers do not learn from a few thousand texts: the verb above two
names says most of what links them.
"""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from graphrag.local.parser import parse

if TYPE_CHECKING:
    from spacy.tokens import Doc

Ints = npt.NDArray[np.int64]

WIDEST: Final = 12
"""Words of the longest span that may be a mention."""
_WORD = re.compile(r"\n|[^\W_]+|[^\w\s]|_")
_BORDERS = frozenset(".!?\n")
_PARTS: Final = (
    " ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X SPACE"
).split(" ")
_LINKS: Final = (
    " ROOT acl acomp advcl advmod agent amod appos attr aux auxpass case cc ccomp compound conj "
    "csubj csubjpass dative dep det dobj expl intj mark meta neg nmod npadvmod nsubj nsubjpass "
    "nummod oprd parataxis pcomp pobj poss preconj predet prep prt punct quantmod relcl xcomp"
).split(" ")
_KINDS: Final = (
    " CARDINAL DATE EVENT FAC GPE LANGUAGE LAW LOC MONEY NORP ORDINAL ORG PERCENT PERSON PRODUCT "
    "QUANTITY TIME WORK_OF_ART"
).split(" ")
_PART, _LINK, _KIND = (
    {name: place for place, name in enumerate(names)} for names in (_PARTS, _LINKS, _KINDS)
)


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a text, one number each."""

    starts: Ints
    """Where each begins in the text."""
    ends: Ints
    cases: Ints
    """Small, capital, number, mark."""
    parts: Ints
    """Part of speech."""
    links: Ints
    """How it hangs on its head."""
    kinds: Ints
    """Kind of name."""
    heads: Ints
    """Index of the word above it: itself for a root, -1 where nothing was parsed."""
    borders: Ints
    """How many ends of sentences and lines came up to it."""

    def __len__(self) -> int:
        return len(self.starts)

    def part(self, first: int, last: int) -> "Words":
        """Return those of ``first:last``; heads outside of it are unknown."""
        heads = self.heads[first:last]
        inside = (heads >= first) & (heads < last)
        some = slice(first, last)
        plain = (self.starts, self.ends, self.cases, self.parts, self.links, self.kinds)
        heads = np.where(inside, heads - first, -1)
        columns = [*(column[some] for column in plain), heads, self.borders[some]]
        return Words(*columns)


def words_of(text: str, lead: int = 0) -> "tuple[Words, list[tuple[int, Doc]]]":
    """Return the words of a text, and the parse of each of its lines with its offset.

    Args:
        text: What is to be read.
        lead: Characters at its start that name its author. They are parsed by themselves: the
            rules have what follows parsed without them.

    Raises:
        MissingExtraError: if spaCy or its model is not installed.
    """
    found = list(_WORD.finditer(text))
    count = len(found)
    at = np.full(len(text) + 1, -1, dtype=np.int64)
    for place, match in enumerate(found):
        at[match.start() : match.end()] = place
    parts, links, kinds = (np.zeros(count, dtype=np.int64) for _ in range(3))
    heads = np.full(count, -1, dtype=np.int64)
    docs = parse(text, lead=lead)
    for offset, doc in docs:
        for token in doc:
            first = at[offset + token.idx]
            if first < 0 or parts[first]:
                continue
            covered = at[offset + token.idx : offset + token.idx + len(token)]
            for place in np.unique(covered[covered >= 0]):
                if parts[place] == 0:
                    parts[place] = _PART.get(token.pos_, 0)
                    links[place] = _LINK.get(token.dep_, 0)
                    kinds[place] = _KIND.get(token.ent_type_, 0)
                    heads[place] = at[offset + token.head.idx] if place == first else first
    starts, ends = np.array([match.span() for match in found], dtype=np.int64).reshape(-1, 2).T
    cases = np.array([case_of(match[0]) for match in found], dtype=np.int64)
    borders = np.cumsum([match[0] in _BORDERS for match in found], dtype=np.int64)
    return Words(starts, ends, cases, parts, links, kinds, heads, borders), docs


def case_of(word: str) -> int:
    """Return the class of a word's letters."""
    if word == "\n":
        return 0
    if word.isdigit():
        return 1
    if not any(sign.isalnum() for sign in word):
        return 2
    if any(sign.isdigit() for sign in word):
        return 3
    if word.islower():
        return 4
    if word.isupper():
        return 5 if len(word) > 1 else 6
    return 7


_NEAR, _FARTHEST = 5, 10


def distance(words: Ints) -> Ints:
    """Return the class of signed distances in words: each up to four, then by their size."""
    size = np.abs(words)
    grown = _NEAR + np.floor(np.log2(np.maximum(size, _NEAR) / _NEAR) * 1.5).astype(np.int64)
    kind = np.where(size < _NEAR, size, np.minimum(grown, _FARTHEST))
    return np.asarray(np.where(words < 0, kind + _FARTHEST + 1, kind), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Tree:
    """The parse of a window as its network sees it."""

    depths: Ints
    above: npt.NDArray[np.bool_]
    """``above[i, j]``: ``j`` is word ``i`` or stands above it."""

    @classmethod
    def of(cls, heads: Ints) -> "Tree":
        """Return the tree of these heads."""
        count = len(heads)
        above = np.zeros((count, count), dtype=np.bool_)
        depths = np.zeros(count, dtype=np.int64)
        for word in range(count):
            place = word
            while place >= 0 and not above[word, place]:
                above[word, place] = True
                if heads[place] == place:
                    break
                depths[word] += 1
                place = int(heads[place])
        return cls(depths, above)

    def root(self, start: int, end: int) -> int:
        """Return the highest word of a span; its first one of several."""
        return start + int(self.depths[start : end + 1].argmin())

    def join(self, roots: Ints) -> tuple[Ints, Ints]:
        """Return the lowest word above each two (-1: none), and the class of the ways to it."""
        above = self.above[roots]
        shared = np.where(above[:, None] & above[None], self.depths + 1, 0)
        found = np.where(shared.max(axis=2) > 0, shared.argmax(axis=2), -1)
        top = self.depths[np.maximum(found, 0)]
        down = self.depths[roots]
        ways = np.clip(down[:, None] - top, 0, 5) * 7 + np.clip(down[None] - top, 0, 5)
        return found, np.where(found >= 0, ways, 48)
