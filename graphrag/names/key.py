"""Key of a name: equal for spellings of one name, different for all else.

Kept: letters of every script, digits, symbols such as ``+`` and ``#`` ("C++", "C#"; "1.10",
"11.0"). Dropped: case, spacing, hyphens between words, leading articles, possessives, full stops of
abbreviations except in an initial "A.", which would read as an article.
"""

import re
import unicodedata
from functools import lru_cache

from graphrag.names.words import DESCRIBING

_QUOTES = re.compile(r"[\"'`´‘’“”«»„]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_OWNER = re.compile(r"['’]s?$")
_HYPHEN = re.compile(r"(?<=\w)[-‐-―_/](?=[^\W\d])")
_ABBREVIATION = re.compile(
    r"(?<=[^\W\d])(?:\.(?=[^\W\d])|(?<!^a)(?<!^an)(?<!^the)\.(?=\s|$))"  # "A. Moreau" keeps it
)
_EDGES = re.compile(r"^[\s,;:!?()\[\]{}.…]+|[\s,;:!?()\[\]{}.…]+$")
_ARTICLE = re.compile(r"^(?:(?:the|a|an)\s+)+(?=\S)")
_SPACE = re.compile(r"\s+")
_ARTICLES = frozenset({"the", "a", "an"})


def is_name(words: str) -> bool:
    """Tell the name of a person from a phrase, such as "Ann's friends" or "her best friend".

    Chats have names in small letters: they are distinguished from phrases by words that describe.
    """
    *first, last = words.split() or [""]
    if not first or any(map(_OWNER.search, first)):
        return not first
    if words.islower():
        return DESCRIBING.isdisjoint((*first, last))
    return not last[:1].islower()


def full_name(name: str) -> bool:
    """Tell a name of several words from a lone one and from a phrase."""
    return len(name.split()) > 1 and is_name(name)


@lru_cache(maxsize=100_000)  # a table names the same things again and again
def name_key(name: str) -> str:
    """Return the key of a name; empty if nothing of it is left."""
    if name.isascii() and name.replace(" ", "").isalnum():
        # Nothing but words, as most names are: a question is looked through for dozens of them.
        words = name.lower().split()
        bare = next((at for at, word in enumerate(words) if word not in _ARTICLES), -1)
        return " ".join(words[bare:])
    key = unicodedata.normalize("NFKC", name).casefold()
    key = _POSSESSIVE.sub("", key)
    key = _QUOTES.sub("", key)
    key = _HYPHEN.sub(" ", key)
    key = _EDGES.sub("", _SPACE.sub(" ", key))
    key = _ABBREVIATION.sub("", _ARTICLE.sub("", key))
    return _EDGES.sub("", key)


def is_unnamed(name: str) -> bool:
    """Tell whether words say only whose somebody is: "Ann's sister"."""
    return _WHOSE.fullmatch(name) is not None


_WHOSE = re.compile(r".+['’]s [a-z][a-z-]*")


def completes(name: str, known: str) -> bool:
    """Tell whether a name is the full one of a person known by a lone first name, or by kin."""
    if is_unnamed(known):
        return not is_unnamed(name)  # Meg, who was "Ann's sister"
    return full_name(name) and name_key(name).split()[:1] == name_key(known).split()
