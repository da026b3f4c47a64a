"""How alike two names are, for a person or a model to decide on; nothing is merged by a score.

Some differences are never a slip of the pen: other digits, numerals or symbols ("Version 1.10" and
"11.0", "C++" and "C#", "Henry IV" and "Henry V"), other characters of a script in which one is a
word ("张" and "王"), opposite words ("North", "South"). They make a likeness of 0.
"""

import re
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from itertools import permutations

from graphrag.names.key import (
    REMEMBERED,
    folded,
    same_model,
    sibling,
    sizes_differ,
    skeleton,
    sounded,
    spelled_out,
    without_vowels,
)
from graphrag.names.words import (
    COURTESIES,
    GENERIC,
    LEGAL_FORMS,
    LEGAL_PHRASES,
    NICKNAMES,
    OPPOSED,
    ROMAN,
    ROMAN_AT_THE_END,
    SMALL,
    current,
)

ALIKE = 0.88
"""The likeness at which two names are worth a look.

Precision and recall of all pairs at or above a cut-off (python -m tests.benchmarks identity):

=======================  ===========  ===========  ===========  ===========  ===========
likeness                 0.80         0.84         0.88         0.92         0.98
=======================  ===========  ===========  ===========  ===========  ===========
DBLP and ACM, titles     .858 / .979  .876 / .967  .879 / .961  .885 / .944  .885 / .917
Febrl, names of people   .855 / .814  .955 / .804  .976 / .800  .997 / .790  .997 / .586
=======================  ===========  ===========  ===========  ===========  ===========
"""
_SLIP = 0.955
"""Jaro-Winkler at which a difference may be two swapped letters, which costs a ratio more."""
_SOUNDED = 0.95
"""What a likeness of sound counts of one of letters."""
_EXPLAINED = 0.9
"""The likeness of an initial or a nickname and what it may stand for."""
_SAME_MODEL = 0.9
"""The likeness of two names with one model number, whatever their other words are."""
_SIBLINGS = 0.7
_WORD_LIKE = re.compile(r"[⺀-鿿豈-﫿぀-ヿ가-힯\U00020000-\U0003ffff]")
_NUMBER = re.compile(r"\d+")
_ZERO = re.compile(r"(?<=\d)\.0(?![\d.])")
"""Version 5.0 is version 5."""
_SYMBOL = re.compile(r"[^\w\s.,:;!?…'’`\"“”„«»&/()\[\]{}\-‐-―]")
_MOST_WORDS = 5
_LEAST_INITIALS = 3
"""Fewer letters are the initials of too much."""
_LEAST_SHORT = 4
"""Letters of a short name."""
_LEAST_CONTAINED = 3
"""Words of a name that are in another one, wherever."""


def likeness(key: str, other: str) -> float:
    """Return from 0 to 1 how likely two keys of names are one name written in two ways."""
    if same_model(key, other) and not sizes_differ(key, other):
        return _SAME_MODEL
    if distinct(key, other):
        return 0.0
    if sibling(*sorted((key, other), key=len)):
        return _SIBLINGS
    ways = readings(key), readings(other)
    score = max(_score(left, right) for left in ways[0] for right in ways[1])
    plain = folded(key), folded(other)
    if score < _EXPLAINED and (_abbreviated(*plain) or _same_consonants(key, other)):
        return _EXPLAINED
    return max(score, _SOUNDED * _score(*map(sounded, plain)))


def short_for(key: str, other: str) -> bool:
    """Tell whether the other key is this one with more words before or after it.

    Alone this says little: many may have the same short name.
    """
    short, long = _words(key), _words(other)
    return (
        len(short) < len(long)
        and short in (long[: len(short)], long[-len(short) :])
        and sum(map(len, short)) >= _LEAST_SHORT
        and not GENERIC.issuperset(short)
        and not sibling(key, other)
        and not distinct(key, other)
    )


def contained(key: str, other: str) -> bool:
    """Tell whether three words or more, all of a key, are in another one; alone it says little."""
    short = set(_words(key))
    return len(short) >= _LEAST_CONTAINED and short < set(_words(other)) and not sibling(key, other)


def initials(words: Iterable[str]) -> str:
    """Return the first letters of three words or more, as an abbreviation has them, or nothing.

    A number is written in full: "Grand Theft Auto 5" is "GTA5".
    """
    telling = [word for word in words if word not in SMALL]
    letters = (word if word.isdigit() else word[0] for word in telling)
    return "".join(letters) if len(telling) >= _LEAST_INITIALS else ""


def core(key: str) -> str:
    """Return the key without legal forms after it and courtesies before it."""
    return without_courtesy(without_legal_form(key))


def without_legal_form(key: str) -> str:
    """Return the key of a company without "Inc" and the like."""
    if " " not in key:
        return key
    words = key.replace(",", " ").split()
    while 0 < (end := _legal_end(words)) < len(words):
        del words[-end:]
    return " ".join(words)


def _legal_end(words: list[str]) -> int:
    """Return how many words at the end are a legal form, such as the last two of "GmbH & Co"."""
    if words[-1] in LEGAL_FORMS:
        return 2 if words[-2:-1] == ["&"] and not LEGAL_FORMS.isdisjoint(words[-3:-2]) else 1
    return next((len(end) for end in LEGAL_PHRASES if tuple(words[-len(end) :]) == end), 0)


def without_courtesy(key: str) -> str:
    """Return the key of a person without "Dr" and the like."""
    first, _, rest = key.partition(" ")
    return without_courtesy(rest) if rest and first in COURTESIES else key


def distinct(key: str, other: str) -> bool:
    """Tell whether two keys differ as no misspelling does: in numbers, symbols, opposites."""
    if _marks(key) != _marks(other) or same_model(key, other) is False:
        return True
    left, right = set(key.split()), set(other.split())
    only_left, only_right = left - right, right - left
    return any(only_left & words and only_right & words for words in OPPOSED)


@lru_cache(REMEMBERED)
def _words(key: str) -> tuple[str, ...]:
    return tuple(core(folded(key)).split())


@lru_cache(REMEMBERED)
def readings(key: str) -> frozenset[str]:
    """Return a key in the ways in which it may be read: folded, spelled out, as others say it."""
    plain = folded(key)
    return frozenset((plain, spelled_out(key), current(plain)))


@lru_cache(REMEMBERED)
def _marks(key: str) -> tuple[Counter[str], ...]:
    key = _ZERO.sub("", key)
    words = key.split()
    numerals = [word for word in words if word in ROMAN]
    numerals += [word for word in words[-1:] if word in ROMAN_AT_THE_END and len(words) > 1]
    numbers = [*_NUMBER.findall(key), *numerals]
    return (
        Counter(numbers),
        Counter(_SYMBOL.findall(key)),
        Counter(_WORD_LIKE.findall(key)),
        # The order of the parts of a number says what it is: 1.10 and 10.1.
        Counter(re.findall(r"\d[\d.,:/-]*\d", key)),
    )


def _score(key: str, other: str) -> float:
    from rapidfuzz import fuzz
    from rapidfuzz.distance import JaroWinkler

    bare = core(key), core(other)
    if bare[0] == bare[1]:
        return 0.98
    ratio = fuzz.token_sort_ratio(*bare) / 100
    squeezed = bare[0].replace(" ", ""), bare[1].replace(" ", "")
    if squeezed[0] == squeezed[1] or sorted(bare[0].split()) == sorted(bare[1].split()):
        return 0.97
    if min(map(len, squeezed)) >= 5:
        swapped = JaroWinkler.similarity(*squeezed)
        ratio = max(ratio, swapped if swapped >= _SLIP else 0.0)
    else:
        ratio = min(ratio, 0.8)  # "Anna" and "Anne": of few letters one makes another name
    words = bare[0].split(), bare[1].split()
    if _explained(*words):
        return max(ratio, _EXPLAINED)
    return ratio if _each_alike(*words) else min(ratio, 0.8)


def _abbreviated(key: str, other: str) -> bool:
    short, long = sorted((key.split(), other.split()), key=len)
    return len(short) < _LEAST_INITIALS and "".join(short) == (initials(long) or None)


def _same_consonants(key: str, other: str) -> bool:
    """Tell whether a name of a script without vowels is the other one."""
    if without_vowels(key) == without_vowels(other):
        return False
    consonants = skeleton(folded(key))
    return bool(consonants) and consonants == skeleton(folded(other))


def _explained(words: list[str], others: list[str]) -> bool:
    """Tell whether the words pair up, each the same, an initial or a nickname of the other."""
    if not 1 < len(words) <= _MOST_WORDS or len(others) > _MOST_WORDS:
        return False
    short, long = sorted((words, others), key=len)
    if len(long) - len(short) > 1 or len(short) < 2:
        return False
    return any(
        all(map(_stands_for, short, order))
        and any(a == b and len(a) > 1 for a, b in zip(short, order, strict=True))
        for order in permutations(long, len(short))
    )


def _stands_for(word: str, other: str) -> bool:
    if word == other:
        return True
    short, long = sorted((word.rstrip("."), other.rstrip(".")), key=len)
    if len(short) == 1:
        return long.startswith(short)
    return bool(NICKNAMES.get(word, frozenset({word})) & NICKNAMES.get(other, frozenset({other})))


def _each_alike(words: list[str], others: list[str]) -> bool:
    from rapidfuzz.distance import JaroWinkler

    if len(words) != len(others):
        return True
    return all(max(JaroWinkler.similarity(word, like) for like in others) >= 0.75 for word in words)
