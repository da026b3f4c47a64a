"""The words of a question, with those that name entities of the graph or times taken as one.

Names are looked up as the graph knows them, the longest first; times are read from what is left,
so that the year in a name is none.
"""

import re
from datetime import datetime
from typing import Final

from graphrag.ask.asked import Named, Token
from graphrag.ask.senses import is_light
from graphrag.index.group import GroupIndex
from graphrag.names.key import name_key
from graphrag.search.query_time import times_in
from graphrag.search.visibility import Visible
from graphrag.temporal.vocabulary import MONTHS, WEEKDAYS
from graphrag.text.tokens import tokenize

_WORD: Final = re.compile(r"['’]s\b|\w+(?:(?:['’](?!s\b)|[-.&+])\w+)*|[^\w\s]")
_LONGEST: Final = 14
"""Words and marks of a name: "Dani García (footballer, born 1974)" has eight."""
_CLOSING: Final = frozenset(")].'’+#")
"""Marks that a name may end with."""
_CALENDAR: Final = MONTHS.keys() | WEEKDAYS.keys()
Span = tuple[int, int, str]


def tokens_of(text: str, index: GroupIndex, seen: Visible, at: datetime) -> tuple[Token, ...]:
    """Return the words of a question asked at a moment, names and times as one each."""
    spans = [(one.start(), one.end(), one.group()) for one in _WORD.finditer(text)]
    named = _named(text, spans, index, seen)
    masked = list(text)
    for start, end, _ in named:
        masked[start:end] = "X" + "x" * (end - start - 1)
    times = times_in("".join(masked), at)
    taken = sorted(
        [*((one[0], one[1], one[2], None) for one in named)]
        + [(start, end, None, said) for start, end, said in times],
        key=lambda one: one[0],
    )
    found: list[Token] = []
    after = 0
    for start, end, word in spans:
        while after < len(taken) and taken[after][0] < end:
            begin, stop, name, said = taken[after]
            kind = "E" if said is None else "T"
            found.append(Token(text[begin:stop], kind, name, said))
            after += 1
        if not any(begin <= start < stop for begin, stop, *_ in taken):
            found.append(Token(word, word.casefold().replace("’", "'")))
    return tuple(found)


def _named(
    text: str, spans: list[Span], index: GroupIndex, seen: Visible
) -> list[tuple[int, int, Named]]:
    """Return the names of entities, the longest from the left."""
    found: list[tuple[int, int, Named]] = []
    place = 0
    while place < len(spans):
        start = spans[place][0]
        length = 1
        for last in range(min(len(spans), place + _LONGEST) - 1, place - 1, -1):
            _, end, word = spans[last]
            if not (word[0].isalnum() or word in _CLOSING) or (word == "." and end == len(text)):
                continue
            words = text[start:end]
            if ids := _bearers(words, index, seen, place):
                found.append((start, end, Named(words, tuple(ids))))
                length = last - place + 1
                break
        place += length
    return found


def _bearers(words: str, index: GroupIndex, seen: Visible, place: int) -> list[str]:
    """Return the ids of the entities that these words name."""
    if not words[0].isalnum() or not any(map(str.isalpha, words)):
        return []
    alone = " " not in words
    low = words.casefold()
    if alone and (is_light(low) or low in _CALENDAR or not tokenize(words)):
        return []
    ids = seen.named(words, index)
    if not ids:
        # "Ada" for the one known person who is called so.
        people = seen.people(low, index) if alone and words[0].isupper() and place else []
        return people if len(people) == 1 else []
    if low == words:
        # What is written small is a name only if the graph writes it so.
        ids = [id_ for id_ in ids if _small(id_, low, index)]
    return ids


def _small(id_: str, low: str, index: GroupIndex) -> bool:
    key = name_key(low)
    return any(name_key(name) == key and _bare(name).islower() for name in index.names.names[id_])


def _bare(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name
