"""The words of a question, with those that name entities of the graph or times taken as one.

Names are looked up as the graph knows them, the longest first; times are read from what is left,
so that the year in a name is none.
"""

import re
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
_LONGEST: Final = 14
"""Words and marks of a name: "Dani García (footballer, born 1974)" has eight."""
_CLOSING: Final = frozenset(")].'’+#")
"""Marks that a name may end with."""
QUOTES: Final = frozenset("\"'‘’“”«»")
_CALENDAR: Final = MONTHS.keys() | WEEKDAYS.keys()
Span = tuple[int, int, str]


_SPEAKER: Final = "user"
_FIRST: Final = re.compile(
    r"\b(?:i(?:['’](?:m|ve|d|ll))?|(?P<whose>my|mine)|(?<!tell )(?<!show )(?<!give )(?:me|myself))"
    r"\b(?!['’])",
    re.IGNORECASE,
)


def of_speaker(text: str, index: GroupIndex, seen: Visible) -> str:
    """Return a question with "I" as the user of an assistant, if the graph knows one."""
    if not _FIRST.search(text) or not seen.named(_SPEAKER, index):
        return text
    return _FIRST.sub(lambda one: f"{_SPEAKER}'s" if one["whose"] else _SPEAKER, text)


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
    """Return the names of entities, the longest from the left; short ones of what is left."""
    found: list[tuple[int, int, Named]] = []
    small = text[1:] == text[1:].casefold()
    free: list[list[int]] = [[]]
    place = 0
    while place < len(spans):
        length, named = _from(text, spans, place, index, seen, small)
        if named is None:
            free[-1].append(place)
        else:
            found.append((spans[place][0], spans[place + length - 1][1], named))
            free.append([])
        place += length
    for run in free:
        found += _short_names(text, spans, run, index, seen, small)
    return sorted(found, key=lambda one: one[0])


def _from(
    text: str, spans: list[Span], place: int, index: GroupIndex, seen: Visible, small: bool
) -> tuple[int, Named | None]:
    """Return the longest full name that begins at a word, and of how many words it is."""
    start = spans[place][0]
    for last in range(min(len(spans), place + _LONGEST) - 1, place - 1, -1):
        _, end, word = spans[last]
        if not (word[0].isalnum() or word in _CLOSING) or (word == "." and end == len(text)):
            continue
        words = text[start:end]
        quoted = text[start - 1 : start] in QUOTES and text[end : end + 1] in QUOTES
        if quoted and (same := seen.named(words, index)):
            ids = list(same)  # the novel "1984"
        else:
            ids = _bearers(words, index, seen, place, small)
        if ids and not _is_noun(words, text[:start], text[end:]):
            return last - place + 1, Named(words, tuple(ids))
        if (
            not ids
            and not is_light(spans[place][2])
            and _JOINED.search(words)
            and (ids := _whole(words, index, seen))
        ):
            return last - place + 1, Named(words, tuple(ids))
    return 1, None


def _short_names(
    text: str, spans: list[Span], run: list[int], index: GroupIndex, seen: Visible, small: bool
) -> list[tuple[int, int, Named]]:
    """Return the short names among the words that are part of no full name, the longest first."""
    found: list[tuple[int, int, Named]] = []
    at = 0
    while at < len(run):
        taken = 1
        for size in range(min(_SHORT_WORDS, len(run) - at), 0, -1):
            start, end, last = spans[run[at]][0], *spans[run[at + size - 1]][1:]
            if not last[0].isalnum():
                continue
            ids = _called(text[start:end], index, seen, small, first=run[at] == 0)
            if ids:
                found.append((start, end, Named(text[start:end], tuple(ids), short=True)))
                taken = size
                break
        at += taken
    return found


def _called(words: str, index: GroupIndex, seen: Visible, small: bool, *, first: bool) -> list[str]:
    """Return the ids of the entities that people call by these words: a part of their names."""
    parts = [word for word in _PLAIN.findall(words.casefold()) if word not in _FILLING]
    raw = _PLAIN.findall(words)
    if not parts or raw[0].casefold() in _FILLING or raw[-1].casefold() in _FILLING:
        return []
    capital = any(word[:1].isupper() for word in raw[first:]) or (
        first and raw[0][:1].isupper() and not _common(parts[0], index)
    )
    if not capital and (not small or any(_common(word, index) for word in parts)):
        return []
    if all(word in _CALENDAR or is_light(word) or word.isdigit() for word in parts):
        return []
    rows = _holding(parts, index, seen)
    ids = [index.entities.ids[row] for row in rows]
    fitting = [id_ for id_ in ids if any(_calls(parts, name) for name in index.names.names[id_])]
    fitting = seen.shown(fitting, index)
    return fitting if len(fitting) <= _MOST_CALLED else []


def _whole(words: str, index: GroupIndex, seen: Visible) -> list[str]:
    """Return the ids of entities with all words of a phrase and no others: "the navy of Karia"."""
    bare = re.sub(r"['’]s\b", "", words.casefold())
    parts = [word for word in _PLAIN.findall(bare) if word not in _FILLING]
    rows = _holding(parts, index, seen) if len(parts) > 1 else []
    ids = [index.entities.ids[row] for row in rows]
    return seen.shown(
        (id_ for id_ in ids if any(_bag(name) == sorted(parts) for name in index.names.names[id_])),
        index,
    )


def _bag(name: str) -> list[str]:
    return sorted(word for word in _PLAIN.findall(name.casefold()) if word not in _FILLING)


def _holding(parts: list[str], index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the entities whose names have all of these words, if they are few."""
    found: set[int] | None = None
    for part in parts:
        rows = np.flatnonzero(index.entities.postings.scores(part)).tolist()
        found = set(rows) if found is None else found & set(rows)
    rows = sorted(found or ())
    return rows if len(rows) <= _MOST_ROWS else []


def _calls(parts: list[str], name: str) -> bool:
    """Tell whether some words are a part of a name: its beginning, its end, or all but marks."""
    size = len(parts)
    if sorted(parts) == _bag(name):
        return True  # "the Karian Navy"
    core = [
        word for word in _PLAIN.findall(_ASIDE.sub("", name.casefold())) if word not in _FILLING
    ]
    return any(core[at : at + size] == parts for at in range(len(core) - size + 1))


_JOINED: Final = re.compile(
    r"^[^\W_]\S*(?: \S+){0,3}(?: (?:of|in|at) (?:the )?[A-Z]\S*|['’]s [^\W_]\S*(?: \S+)?)$"
)
"""Words that may be the parts of one name, put otherwise: "Theatre Royal in Glasgow"."""
_PLAIN: Final = re.compile(r"[^\W_]+(?:['’.&][^\W_]+)*")
_ASIDE: Final = re.compile(r"\(.*?\)")
_FILLING: Final = frozenset("the a an of in at and s".split())
_SHORT_WORDS: Final = 6
_MOST_CALLED: Final = 12
"""Entities that a short name may mean; more are not looked at."""
_MOST_ROWS: Final = 500


def _is_noun(words: str, before: str, after: str) -> bool:
    """Tell whether a word is a noun of something, and so no name.

    That is ``center`` in "the center of the city", and ``dentist`` in "Who is Ann's dentist?".
    """
    word = _bare(words)
    owned = before.endswith(("'s ", "’s ")) and after in ("", "?")
    return word.isalpha() and word.islower() and (owned or after.startswith(" of "))


def _bearers(words: str, index: GroupIndex, seen: Visible, place: int, small: bool) -> list[str]:
    """Return the ids of the entities that these words name.

    A question in ``small`` letters may write a name so, if that is no common word and one bears it.
    """
    if not words[0].isalnum() or not any(map(str.isalpha, words)):
        return []
    alone = " " not in words
    low = words.casefold()
    common = is_light(low) or low in _CALENDAR or not tokenize(words)
    if alone and common and (low == words or not place):
        return []
    ids = seen.named(words, index)
    if not ids:
        return []
    if low == words:
        # What is written small is a name if the graph writes it so, or no word but a name.
        own = [id_ for id_ in ids if _small(id_, low, index)]
        named = len(ids) == 1 and not all(_common(word, index) for word in low.split())
        ids = own or (ids if named and (small or not alone) else [])
    return ids


def _common(word: str, index: GroupIndex) -> bool:
    """Tell whether a word is one of the language, or of a relation."""
    if is_light(word) or senses_of(stem_of(word)):
        return True
    return any(stem_of(word) in stems_of(relation) for relation in index.relations)


def _small(id_: str, low: str, index: GroupIndex) -> bool:
    key = name_key(low)
    return any(name_key(name) == key and _bare(name).islower() for name in index.names.names[id_])


def _bare(name: str) -> str:
    first, _, rest = name.partition(" ")
    return rest if rest and first.casefold() in ("the", "a", "an") else name
