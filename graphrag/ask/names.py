"""The words of a question without what frames it, names of entities and times taken as one each.

Names are looked up as the graph knows them, the longest first, then what people call things: a part
of a name, or its words in another order. Times are read from what is left, so that the year in a
name is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import product
from typing import Final

import numpy as np

from graphrag.ask.clause import Token
from graphrag.ask.query import Named
from graphrag.ask.senses import senses_of, stems_of
from graphrag.ask.wording import PLANNED, is_light, stem_of
from graphrag.index.group import GroupIndex
from graphrag.names.key import name_key
from graphrag.search.query_time import times_in
from graphrag.search.visibility import VisibleRows
from graphrag.temporal.dates import MONTHS, WEEKDAYS
from graphrag.text.tokens import tokenize

_WORD: Final = re.compile(r"['’]s\b|\w+(?:(?:['’](?!s\b)|[-.&+])\w+)*|[^\w\s]")
_PLAIN: Final = re.compile(r"[^\W_]+(?:['’.&](?!s\b)[^\W_]+)*")
_ASIDE: Final = re.compile(r"\(.*?\)")
_FILLING: Final = frozenset("the a an of in at and s".split())
_LONGEST: Final = 14
"""Words and marks of a name: "Dani García (footballer, born 1974)" has eight."""
_SHORT: Final = 6
"""Words of a part of a name, or of its words in another order."""
_PLACE: Final = 2
"""Words of a full name that may be short for another: "New York"."""
_MOST: Final = 12
"""Entities that a short name may mean; more are not looked at."""
_APART: Final = 3
"""Words between a name and a word that belongs to it."""
_MOST_ROWS: Final = 60
_ACRONYM: Final = re.compile(r"[A-Z]{2,6}")
_CLOSING: Final = frozenset(")].'’+#")
QUOTES: Final = frozenset("\"'‘’“”«»")
CALENDAR: Final = MONTHS.keys() | WEEKDAYS.keys()


def tokens_of(
    text: str, index: GroupIndex, seen: VisibleRows, at: datetime, *, small: bool = False
) -> tuple[Token, ...]:
    """Return the words of a question asked at a moment, names and times as one each.

    With ``small`` names may be in small letters beside others that are not.
    """
    names = _Names(text, index, seen, small)
    marked = [(start, end, Token(text[start:end], "E", name)) for start, end, name in names.all()]
    masked = list(text)
    for start, end, _ in marked:
        masked[start:end] = "X" + "x" * (end - start - 1)
    plain = "".join(masked)
    for start, end, said in times_in(plain, at, leaning=None if PLANNED.search(plain) else "past"):
        marked.append((start, end, Token(text[start:end], "T", said=said)))
    taken = [(start, end) for start, end, _ in marked]
    for place, (start, end, word) in enumerate(names.spans):
        if place not in names.spoken and not any(begin <= start < stop for begin, stop in taken):
            marked.append((start, end, Token(word, word.casefold())))
    return tuple(token for *_, token in sorted(marked, key=lambda mark: mark[0]))


@dataclass
class _Names:
    text: str
    index: GroupIndex
    seen: VisibleRows
    small: bool
    """Whether a name may be in small letters; it may if all is."""
    spans: list[tuple[int, int, str]] = field(init=False)
    spoken: set[int] = field(default_factory=set)
    """Places of words that are part of a name elsewhere."""
    again: bool = False
    _rows: dict[str, set[int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.spans = [(*match.span(), match.group()) for match in _WORD.finditer(self.text)]
        self.again, self.small = self.small, self.small or self.text[1:] == self.text[1:].casefold()

    def all(self) -> list[tuple[int, int, Named]]:
        """Return the names, the longest from the left; short ones of what is left."""
        places: list[tuple[int, int, Named]] = []
        free: list[list[int]] = [[]]
        place = 0
        while place < len(self.spans):
            size, named = self._whole_name(place)
            if named is None:
                free[-1].append(place)
            else:
                places.append((place, place + size, named))
                free.append([])
            place += size
        if self.again:
            places = [self._spread(*name, free) for name in places]
        long = [(self.spans[at][0], self.spans[end - 1][1], named) for at, end, named in places]
        return long + [name for run in free for name in self._short_names(run)]

    def _spread(
        self, start: int, end: int, named: Named, free: list[list[int]]
    ) -> tuple[int, int, Named]:
        """Return a name with near words that make it a longer one: "mayors did Hull have"."""
        for (cut, run), size in product(enumerate(free), (2, 1)):
            for at in range(len(run) - size + 1):
                if max(run[at] - end, start - run[at] - size) > _APART:
                    continue
                parts = [self.spans[place][2] for place in run[at : at + size]]
                light = any(is_light(part.casefold()) for part in parts)
                words = " ".join((*parts, named.name))
                if not light and (ids := self._called(words, whole=True)):
                    self.spoken.update(run[at : at + size])
                    free[cut : cut + 1] = run[:at], run[at + size :]
                    return start, end, Named(words, tuple(ids))
        return start, end, named

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
            if ids and size > 1 and self.spans[place][2].casefold() == "the":
                if self._whole_name(place + 1)[0] >= size:
                    return 1, None  # "the Hull mill" is the Mill of Hull, not Hull
            if ids and not _is_noun(words, text[:start], text[end:]):
                short = size <= _PLACE and (self.small or word[:1].isupper())
                more = [id_ for id_ in self._called(words) if id_ not in ids] if short else []
                return size, Named(words, (*ids, *more), bool(more), len(ids))
            bounds = (self.spans[place][2], word)
            said = all(bound[0].isalnum() and not is_light(bound.casefold()) for bound in bounds)
            if said and not ids and 1 < size <= _SHORT:
                if ids := self._called(words, whole=True):
                    return size, Named(words, tuple(ids))
                if self._may_name(words, first=not place) and (ids := self._called(words)):
                    return size, Named(words, tuple(ids), short=True)
        return 1, None

    def _short_names(self, run: Sequence[int]) -> list[tuple[int, int, Named]]:
        """Return the short names among words that are part of no full name, longest first."""
        found: list[tuple[int, int, Named]] = []
        at = 0
        while at < len(run):
            for size in range(min(_SHORT, len(run) - at), 0, -1):
                start, end, last = self.spans[run[at]][0], *self.spans[run[at + size - 1]][1:]
                words = self.text[start:end]
                named = last[0].isalnum() and self._may_name(words, first=run[at] == 0)
                if named and (ids := self._called(words)):
                    found.append((start, end, Named(words, tuple(ids), short=True)))
                    at += size - 1
                    break
            else:
                start, end, word = self.spans[run[at]]
                if self.again and _ACRONYM.fullmatch(word) and not self.text.isupper():
                    found.append((start, end, Named(word, ())))  # of whom, the facts will tell
            at += 1
        return found

    def _may_name(self, words: str, *, first: bool) -> bool:
        """Tell whether words are written as a name, or are none of the language."""
        raw = _PLAIN.findall(words)
        parts = [word.casefold() for word in raw]
        if not parts or not _FILLING.isdisjoint((parts[0], parts[-1])) or parts[0][:2] == "i'":
            return False
        if all(word in CALENDAR or is_light(word) or word.isdigit() for word in parts):
            return False
        if any(word[:1].isupper() for word in raw[first:]):
            return True
        common = [self._common(word) for word in parts if word not in _FILLING]
        return not common[0] if first and raw[0][:1].isupper() else self.small and not any(common)

    def _called(self, words: str, *, whole: bool = False) -> list[str]:
        """Return the ids of the entities of whose name words are a part, or ``whole`` all of it."""
        if whole and not (self.small or any(word[:1].isupper() for word in words.split())):
            return []
        parts = words_of(words)
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
        bare = [*parts[:-1], parts[-1].removesuffix("s")]  # "adas job"
        called = (
            [id_ for id_ in ids if any(_calls(said, name, whole) for name in names[id_])]
            for said in (parts, bare)
        )
        ids = next(filter(None, called), [])
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
        """Return the ids of the entities that words name; in small letters only if not common."""
        if not words[0].isalnum() or not any(map(str.isalpha, words)):
            return []
        alone, low = " " not in words, words.casefold()
        common = is_light(low) or low in CALENDAR or not tokenize(words)
        if alone and common and (low == words or not place):
            return []
        ids = self.seen.named(words, self.index)
        if ids and low == words:
            # What is written small is a name if the graph writes it so, or no word but a name.
            names, key = self.index.names.names, name_key(low)
            written = {id_: [n for n in names[id_] if name_key(n) == key] for id_ in ids}
            own = [id_ for id_ in ids if any(_bare(name).islower() for name in written[id_])]
            named = len(ids) == 1 and not all(map(self._common, low.split()))
            return own or (ids if named and (self.small or not alone) else [])
        return ids

    def _common(self, word: str) -> bool:
        """Tell whether a word is one of the language, or of a relation."""
        stem = stem_of(word)
        known = is_light(word) or senses_of(stem)
        return bool(known) or any(stem in stems_of(name) for name in self.index.relations)


def words_of(name: str) -> list[str]:
    """Return the words of a name that say something, small."""
    plain = name.casefold().replace("’", "'")
    return [word for word in _PLAIN.findall(plain) if word not in _FILLING]


def _calls(parts: Sequence[str], name: str, whole: bool) -> bool:
    """Tell whether words are all of a name in any order, or stand in it beside each other."""
    plain, own = (
        sorted(word.removesuffix("s") for word in each) for each in (parts, words_of(name))
    )
    if plain == own or whole:
        return plain == own  # "the mayors of Hull", "Hull's mayor"
    core, size = words_of(_ASIDE.sub("", name)), len(parts)
    if any(core[at : at + size] == parts for at in range(len(core) - size + 1)):
        return True
    left = iter(core if size > 1 and [parts[0], parts[-1]] == core[:1] + core[-1:] else ())
    return all(word in left for word in parts)  # "Ada Vance" of Ada M. Vance


def _is_noun(words: str, before: str, after: str) -> bool:
    """Tell a noun from a name: "the center of the city", "Who is Ann's dentist?"."""
    word = _bare(words)
    owned = before.endswith(("'s ", "’s ")) and after in ("", "?")
    return word.isalpha() and word.islower() and (owned or after.startswith(" of "))


def _bare(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name
