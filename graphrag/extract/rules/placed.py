"""The strings of a JSON text with their place in it, and the names among them."""

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from graphrag.model.values import JSON
from graphrag.names.key import name_key

_LONGEST: Final = 80
"""Characters of a name; longer strings are prose."""
_STRING: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"')
_SEVERAL: Final = re.compile(r"\s*;\s*|\s*,\s+(?:and\s+)?|\s+(?:and|&)\s+")
_HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NO_WORD: Final = re.compile(r"[\W_]+")
_NOBODY: Final = frozenset(
    "n/a na none null nil unknown tbd tba yes no true false other self vacant ok success error"
    " self-employed unemployed retired freelance various anonymous everyone present".split()
)
_COMPANY: Final = frozenset(
    "ltd limited inc corp llc plc gmbh group holdings bank council trust foundation university"
    " college company co association media club school ministry department agency office".split()
)
_NAMELESS: Final = re.compile(r"[\x00-\x1f\ud800-\udfff@{}<>|\\]|://|^\W*$|^[\W\d]+$")
_CODE: Final = re.compile(r"[\d_:/#]")

Fields = dict[str, JSON]
"""The fields of an object by snake_cased key, without nulls."""


class Text(str):
    """A string of the JSON, and where it stands in the content."""

    __slots__ = ("end", "start")
    start: int
    end: int

    @classmethod
    def at(cls, value: str, start: int, end: int) -> "Text":
        """Place a string."""
        text = cls(value)
        text.start, text.end = start, end
        return text

    def cut(self, start: int, end: int) -> "Text":
        """Return a part; escapes shift characters, so then it stands where the whole does."""
        escaped = self.end - self.start != len(self)
        first, last = (self.start, self.end) if escaped else (self.start + start, self.start + end)
        return Text.at(self[start:end], first, last)

    def bare(self) -> "Text":
        """Return it without the space around it."""
        start = len(self) - len(self.lstrip())
        return self.cut(start, start + len(self.strip()))


def parsed(content: str) -> JSON:
    """Return the value of a JSON text with its strings as `Text` and its objects as `Fields`.

    Raises:
        ValueError: It is no JSON.
        RecursionError: It is nested too deeply.
    """
    pairs = json.loads(content, object_pairs_hook=tuple, parse_constant=lambda _: None)
    return _located(pairs, _STRING.finditer(content))


def _located(value: JSON, strings: Iterator[re.Match[str]]) -> JSON:
    """Return the value with placed strings; tuples are objects, read in the order of the text."""
    if isinstance(value, str):
        match = next(strings)
        return Text.at(value, match.start() + 1, match.end() - 1)
    if isinstance(value, list):
        return [_located(item, strings) for item in value]
    if not isinstance(value, tuple):
        return value
    fields: Fields = {}
    for key, item in value:
        next(strings)
        placed = _located(item, strings)
        if placed is not None:
            fields.setdefault(snake(key), placed)
    return fields


@lru_cache(maxsize=4096)
def snake(key: str) -> str:
    """Return a key in snake_case: "@type" is type, "jobTitle" is job_title."""
    return _NO_WORD.sub("_", _HUMP.sub("_", key)).strip("_").lower()


def is_name(text: str, entity_type: str) -> bool:
    """Tell whether a string can be the name of something of that type."""
    if _NAMELESS.search(text) or text.casefold() in _NOBODY or not name_key(text):
        return False
    if entity_type not in ("person", "place"):
        return True
    shouted = len(text) <= 3 and text.isascii() and text.isupper()
    if _CODE.search(text) or (shouted and entity_type == "place"):
        return False
    uncapitalised = text == text.lower() != text.upper()
    company = text.rpartition(" ")[2].casefold().rstrip(".") in _COMPANY
    return entity_type == "place" or not (uncapitalised or company)


def names(items: Iterable[JSON], entity_type: str, *, whole: bool = False) -> list[Text]:
    """Return the names among some values; prose, codes, addresses and the like are none."""
    found = []
    for item in items:
        if not isinstance(item, Text) or len(item) > _LONGEST:
            continue
        if entity_type == "place":
            parts = [item.cut(0, len(item.partition(",")[0]))]
        else:
            parts = [item] if whole or entity_type != "person" else _people(item)
        if all(is_name(part, entity_type) for part in parts):
            found += [part.bare() for part in parts]
    return found


def _people(text: Text) -> list[Text]:
    """Return the names in "Ann Lee, Bo Ray and Cy"; "Lee, Ann" is one that we cannot turn."""
    borders = [match.span() for match in _SEVERAL.finditer(text)]
    starts, ends = [0, *(end for _, end in borders)], [*(start for start, _ in borders), len(text)]
    parts = [text.cut(start, end) for start, end in zip(starts, ends, strict=True)]
    if "," in text and any(" " not in part for part in parts):
        return [text]
    return parts


def listed(value: JSON) -> list[JSON]:
    """Return the items of a list, or the value as the only one."""
    return value if isinstance(value, list) else [value]
