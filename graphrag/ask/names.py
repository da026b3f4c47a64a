"""The words of a question, with those that name entities of the graph or times taken as one.

Names are looked up as the graph knows them, the longest first, then what people call things: a part
of a name, or its words in another order. Times are read from what is left, so that the year in a
name is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

import numpy as np

from graphrag.ask.clause import Token
from graphrag.ask.query import Named
from graphrag.ask.senses import is_light, senses_of, stem_of, stems_of
from graphrag.index.group import GroupIndex
from graphrag.names.key import name_key
from graphrag.search.query_time import times_in
from graphrag.search.visibility import Visible
from graphrag.temporal.vocabulary import MONTHS, WEEKDAYS
from graphrag.text.tokens import tokenize

_WORD: Final = re.compile(r"['’]s\b|\w+(?:(?:['’](?!s\b)|[-.&+])\w+)*|[^\w\s]")
_PLAIN: Final = re.compile(r"[^\W_]+(?:['’.&](?!s\b)[^\W_]+)*")
_ASIDE: Final = re.compile(r"\(.*?\)")
_PLAIN_WORDS: Final = frozenset(
    "very out up off over down let big small new old good best great high low long own same well "
    "again against into onto near far back left right top home side line list part way place "
    "national local public general special young early open free full".split()
)
"""Common words that names have, too: in small letters they are none."""
_FILLING: Final = frozenset("the a an of in at and s".split())
_LONGEST: Final = 14
"""Words and marks of a name: "Dani García (footballer, born 1974)" has eight."""
_SHORT: Final = 6
"""Words of a part of a name, or of its words in another order."""
_PLACE: Final = 2
"""Words of a full name that may be short for another: "New York"."""
_MOST: Final = 12
"""Entities that a short name may mean; more are not looked at."""
_MOST_ROWS: Final = 60
_CLOSING: Final = frozenset(")].'’+#")
"""Marks that a name may end with."""
QUOTES: Final = frozenset("\"'‘’“”«»")
_CALENDAR: Final = MONTHS.keys() | WEEKDAYS.keys()


def tokens_of(
    text: str, index: GroupIndex, seen: Visible, at: datetime, *, small: bool = False
) -> tuple[Token, ...]:
    """Return the words of a question asked at a moment, names and times as one each.

    Args:
        text: The question.
        index: The group.
        seen: What of it may be named.
        at: The moment.
        small: Names may be in small letters beside others that are not.
    """
    names = _Names(text, index, seen, small)
    marked = [(start, end, Token(text[start:end], "E", name)) for start, end, name in names.all()]
    masked = list(text)
    for start, end, _ in marked:
        masked[start:end] = "X" + "x" * (end - start - 1)
    for start, end, said in times_in("".join(masked), at):
        marked.append((start, end, Token(text[start:end], "T", said=said)))
    taken = [(start, end) for start, end, _ in marked]
    for start, end, word in names.spans:
        if not any(begin <= start < stop for begin, stop in taken):
            marked.append((start, end, Token(word, word.casefold().replace("’", "'"))))
    return tuple(token for *_, token in sorted(marked, key=lambda one: one[0]))


@dataclass
class _Names:
    """The names of entities in one question."""

    text: str
    index: GroupIndex
    seen: Visible
    small: bool
    """Whether a name may be in small letters; it may if all is."""
    spans: list[tuple[int, int, str]] = field(init=False)
    _rows: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Find the words."""
        self.spans = [(*match.span(), match.group()) for match in _WORD.finditer(self.text)]
        self.small = self.small or self.text[1:] == self.text[1:].casefold()

    def all(self) -> list[tuple[int, int, Named]]:
        """Return the names, the longest from the left; short ones of what is left."""
        found: list[tuple[int, int, Named]] = []
        free: list[list[int]] = [[]]
        place = 0
        while place < len(self.spans):
            size, named = self._whole_name(place)
            if named is None:
                free[-1].append(place)
            else:
                found.append((self.spans[place][0], self.spans[place + size - 1][1], named))
                free.append([])
            place += size
        for run in free:
            found += self._short_names(run)
        return found

    def _whole_name(self, place: int) -> tuple[int, Named | None]:
        """Return the longest full name that begins at a word, and of how many words it is."""
        text, start = self.text, self.spans[place][0]
        for last in range(min(len(self.spans), place + _LONGEST) - 1, place - 1, -1):
            _, end, word = self.spans[last]
            if not (word[0].isalnum() or word in _CLOSING) or (word == "." and end == len(text)):
                continue
            words, size = text[start:end], last - place + 1
            quoted = text[start - 1 : start] in QUOTES and text[end : end + 1] in QUOTES
            ids = self.seen.named(words, self.index) if quoted else []  # the novel "1984"
            ids = ids or self._bearers(words, place)
            if ids and not _is_noun(words, text[:start], text[end:]):
                more = self._called(words) if size <= _PLACE and word[:1].isupper() else []
                more = [id_ for id_ in more if id_ not in ids]
                return size, Named(words, (*ids, *more), bool(more), len(ids))
            bounds = (self.spans[place][2], word)
            if not ids and 1 < size <= _SHORT and not any(map(is_light, map(str.casefold, bounds))):
                if ids := self._called(words, whole=True):
                    return size, Named(words, tuple(ids))
        return 1, None

    def _short_names(self, run: Sequence[int]) -> list[tuple[int, int, Named]]:
        """Return the short names among words that are part of no full name, longest first."""
        found: list[tuple[int, int, Named]] = []
        at = 0
        while at < len(run):
            size = min(_SHORT, len(run) - at)
            while size > 0:
                start, end, last = self.spans[run[at]][0], *self.spans[run[at + size - 1]][1:]
                words = self.text[start:end]
                named = last[0].isalnum() and self._may_name(words, first=run[at] == 0)
                if named and (ids := self._called(words)):
                    found.append((start, end, Named(words, tuple(ids), short=True)))
                    break
                size -= 1
            at += max(size, 1)
        return found

    def _may_name(self, words: str, *, first: bool) -> bool:
        """Tell whether words are written as a name, or are none of the language."""
        raw = _PLAIN.findall(words)
        parts = [word.casefold() for word in raw]
        if not parts or not _FILLING.isdisjoint((parts[0], parts[-1])):
            return False
        if all(word in _CALENDAR or is_light(word) or word.isdigit() for word in parts):
            return False
        if any(word[:1].isupper() for word in raw[first:]):
            return True
        common = [self._common(word) for word in parts if word not in _FILLING]
        return not common[0] if first and raw[0][:1].isupper() else self.small and not any(common)

    def _called(self, words: str, *, whole: bool = False) -> list[str]:
        """Return the ids of the entities of whose name words are a part, or ``whole`` all of it."""
        if whole and not (self.small or any(word[:1].isupper() for word in words.split())):
            return []
        parts = _parts(words)
        rows: set[int] | None = None
        for part in parts if len(parts) > whole else ():
            if part not in self._rows:
                self._rows[part] = self._having(part)
            rows = self._rows[part] if rows is None else rows & self._rows[part]
            if not rows:
                break
        if not rows or len(rows) > _MOST_ROWS:
            return []
        names = self.index.names.names
        ids = [self.index.entities.ids[row] for row in sorted(rows)]
        ids = [id_ for id_ in ids if any(_calls(parts, name, whole) for name in names[id_])]
        ids = self.seen.shown(ids, self.index)
        return ids if len(ids) <= _MOST else []

    def _having(self, word: str) -> set[int]:
        """Return the rows of the entities with a word in their names."""
        postings = self.index.entities.postings
        terms = tokenize(word)
        if not terms or any(term not in postings.numbers for term in terms):
            return set()  # quicker than the scores of all
        return set(np.flatnonzero(postings.scores(terms)).tolist())

    def _bearers(self, words: str, place: int) -> list[str]:
        """Return the ids of the entities that these words name.

        A question in small letters may write a name so, if that is no common word and one bears it.
        """
        if not words[0].isalnum() or not any(map(str.isalpha, words)):
            return []
        alone, low = " " not in words, words.casefold()
        common = is_light(low) or low in _CALENDAR or not tokenize(words)
        if alone and common and (low == words or not place):
            return []
        ids = self.seen.named(words, self.index)
        if ids and low == words:
            # What is written small is a name if the graph writes it so, or no word but a name.
            own = [id_ for id_ in ids if self._is_small(id_, low)]
            named = len(ids) == 1 and not all(map(self._common, low.split()))
            return own or (ids if named and (self.small or not alone) else [])
        return ids

    def _common(self, word: str) -> bool:
        """Tell whether a word is one of the language, or of a relation."""
        if is_light(word) or word in _PLAIN_WORDS or senses_of(stem_of(word)):
            return True
        return any(stem_of(word) in stems_of(relation) for relation in self.index.relations)

    def _is_small(self, id_: str, low: str) -> bool:
        names, key = self.index.names.names[id_], name_key(low)
        return any(name_key(name) == key and _bare(name).islower() for name in names)


def _parts(name: str) -> list[str]:
    """Return the words of a name that say something, small."""
    return [word for word in _PLAIN.findall(name.casefold()) if word not in _FILLING]


def _singular(word: str) -> str:
    return word.removesuffix("s")


def _calls(parts: Sequence[str], name: str, whole: bool) -> bool:
    """Tell whether words are all of a name in any order, or stand in it beside each other."""
    if sorted(map(_singular, parts)) == sorted(map(_singular, _parts(name))):
        return True  # "the mayors of Hull", "Hull's mayor"
    core = _parts(_ASIDE.sub("", name))
    size = len(parts)
    if whole:
        return False
    written = [parts, [*parts[:-1], _singular(parts[-1])]]  # "aquilanis club"
    return any(core[at : at + size] in written for at in range(len(core) - size + 1))


def _is_noun(words: str, before: str, after: str) -> bool:
    """Tell whether a word is a noun of something, and so no name.

    That is ``center`` in "the center of the city", and ``dentist`` in "Who is Ann's dentist?".
    """
    word = _bare(words)
    owned = before.endswith(("'s ", "’s ")) and after in ("", "?")
    return word.isalpha() and word.islower() and (owned or after.startswith(" of "))


def _bare(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name
