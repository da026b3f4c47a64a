"""The key of a name: what two spellings of one name share, and nothing more.

Letters of every script, digits and symbols such as ``+`` and ``#`` stay ("Zhang Wei 张" is not
"Zhang Wei 王", "C++" is not "C#", "Version 1.10" is not "Version 11.0"). Dropped are case, spacing,
hyphens between words, a leading article, possessives and the full stop of abbreviations.
"""

import re
import unicodedata
from functools import lru_cache

_QUOTES = re.compile(r"[\"'`´‘’“”«»„]+")
_POSSESSIVE = re.compile(r"['’]s\b")
_OWNER = re.compile(r"['’]s?$")
_HYPHEN = re.compile(r"(?<=\w)[-‐-―_/](?=[^\W\d])")
_ABBREVIATION = re.compile(r"(?<=[^\W\d])\.(?=\s|$|[^\W\d])")
_EDGES = re.compile(r"^[\s,;:!?()\[\]{}.…]+|[\s,;:!?()\[\]{}.…]+$")
_ARTICLE = re.compile(r"^(?:the|a|an)\s+(?=\S)")
_SPACE = re.compile(r"\s+")


def is_name(words: str) -> bool:
    """Tell the name of a person from a phrase that begins with one, such as "Ann's friends"."""
    *first, last = words.split() or [""]
    return not first or not (last[:1].islower() or any(map(_OWNER.search, first)))


@lru_cache(maxsize=100_000)  # a table names the same things again and again
def name_key(name: str) -> str:
    """Return the key of a name; empty if nothing of it is left."""
    key = unicodedata.normalize("NFKC", name).casefold()
    key = _POSSESSIVE.sub("", key)
    key = _QUOTES.sub("", key)
    key = _HYPHEN.sub(" ", key)
    key = _ABBREVIATION.sub("", key)
    key = _EDGES.sub("", key)
    key = _ARTICLE.sub("", _SPACE.sub(" ", key).strip())
    return key
