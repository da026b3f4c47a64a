"""Salvage of a partly wrong or truncated answer: the valid items of its list.

Invalid items are asked for again, and what never comes is reported as lost. Answers are untrusted,
so each is read within bounds in one pass; what lies beyond them counts as lost.
"""

import ast
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from graphrag.model.values import JSON

LONGEST_ANSWER = 500_000
"""Characters that are read of an answer: 128,000 tokens, the most that a hosted model writes."""
MOST_THINGS = 2000
"""Things of one list that are read: the text of a question with 8,192 tokens states about 300."""
LONGEST_THING = 20_000
"""Characters of one thing: a fact with its quote and its details has some 500."""
_DEEPEST = 32  # levels of an answer: ours have five, and models wrap them in two or three more
_LONGEST_NUMBER = 40
"""Digits of a number that is read as one; Python refuses to count more than 4,300."""
_HALF = re.compile("[\ud800-\udfff]")  # half of a surrogate pair: JSON may hold it, no text can
_ERRORS = 6  # errors shown to the model at once
_LONGEST = 600
_STRUCTURE = re.compile(r'"(?:[^"\\]|\\.)*"|"|[{}\[\]]', re.DOTALL)
_OPENING = {"}": "{", "]": "["}
_CLOSING = {"{": "}", "[": "]"}


@dataclass(frozen=True, slots=True)
class Lost:
    """Something in an answer that has not the asked shape, or the end of it."""

    field: str = ""  # the list that it stood in; empty for the end of a cut answer
    value: JSON = None
    problem: str = "the answer was cut off before its end"
    repeats: bool = False
    """True if it is not asked for: the model said the same again and again until it was cut off, or
    it lies beyond the bounds of an answer."""

    @property
    def cut(self) -> bool:
        """Tell whether the rest of the answer is missing."""
        return not self.field

    def __str__(self) -> str:
        if self.cut:
            return self.problem
        return f"{as_words(self.value)[:_LONGEST]}, of the wrong shape ({self.problem})"


def as_words(value: JSON) -> str:
    """Return a value of an answer as people read it: a fact by its parts, the rest as JSON."""
    if isinstance(value, dict):
        parts = [value.get(part) for part in ("subject", "relation", "object")]
        if any(parts):
            return f"the fact {' '.join(str(part) for part in parts if part)!r}"
        if value.get("name"):
            return f"the entity {str(value['name'])!r}"
    return json.dumps(value, ensure_ascii=False)


def closed_early(text: str, items: Sequence[str]) -> JSON | None:
    """Return a truncated object up to its last complete item, with every list of ``items``."""
    first = text.find("{")
    if first < 0:
        return None
    opened, lists = list[str](), 0
    last, within = first, tuple[str, ...]()
    for token in _STRUCTURE.finditer(text, first):
        sign = token.group()
        if sign in _CLOSING:
            opened.append(sign)
            lists += sign == "["
            if len(opened) > _DEEPEST:
                break
        elif sign in _OPENING:
            if not opened or opened.pop() != _OPENING[sign]:
                return None
            if not opened:
                return None  # it has its end
            lists -= sign == "]"
            if lists == 1 and opened[-1] == "[":
                last, within = token.end(), tuple(opened)
        elif sign == '"':
            break  # a string that has no end
    if not within:
        return None
    closed = text[first:last] + "".join(_CLOSING[sign] for sign in reversed(within))
    try:
        value, _ = DECODER.raw_decode(closed)
    except (json.JSONDecodeError, RecursionError):
        return None
    inner = value
    while len(within) > 2 and isinstance(inner, dict) and not inner.keys() & set(items):
        inner, within = next(iter(inner.values())), within[1:]
    if isinstance(inner, dict):
        for name in items:
            inner.setdefault(name, [])
    return value


def _object(pairs: list[tuple[str, JSON]]) -> dict[str, JSON]:
    """Return an object of an answer, in whole characters; a list that comes again goes on."""
    found: dict[str, JSON] = {}
    for name, value in pairs:
        key, known = _HALF.sub("", name), found.get(name)
        if isinstance(value, str):
            value = _HALF.sub("", value)
        elif isinstance(value, list):
            value = [_HALF.sub("", item) if isinstance(item, str) else item for item in value]
            if isinstance(known, list):
                known += value
                value = known
        found[key] = value
    return found


def _number(digits: str) -> int | str:
    return int(digits) if len(digits) <= _LONGEST_NUMBER else digits


DECODER = json.JSONDecoder(strict=False, parse_int=_number, object_pairs_hook=_object)


def problem_of(error: ValidationError) -> str:
    """Return what is wrong with a value, in words for a model."""
    errors = error.errors(include_url=False, include_input=False, include_context=False)
    lines = [
        f"{'.'.join(str(part) for part in one['loc']) or 'the object'}: {one['msg']}"
        for one in errors[:_ERRORS]
    ]
    if len(errors) > _ERRORS:
        lines.append(f"and {len(errors) - _ERRORS} more")
    return "; ".join(lines)


_THOUGHTS = re.compile(r"<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA = re.compile(r",(?=\s*[}\]])")
_SEARCHED = 200_000_000
"""Characters that are looked through for the JSON in a text, a fifth of a second: each brace that
begins none is tried, and Python counts the lines before each error."""
_READ = 10  # how much longer a character takes to read than to look through
_LITERAL = 100_000
"""Characters of a Python literal that is read: that takes 40 times as long as JSON."""
_THING = frozenset("subject source head name quote".split())
"""Fields of which each thing of a list has one."""


def without_thoughts(text: str) -> str:
    """Return a reply without what a model thinks aloud before it answers."""
    return _THOUGHTS.sub("", text)


def candidates(text: str, items: Sequence[str]) -> Iterator[dict[str, JSON]]:
    """Yield what in a text may be an answer whose lists are ``items``, in the order of the text.

    That is each JSON object; a list, or lines, of the things of the last of the lists; JSON in a
    string of JSON; and an object as Python writes it.
    """
    things, whole, there = list[JSON](), False, False
    for value in _values(text, "{"):
        there = True
        if value.keys() & set(items):
            whole = True
        elif items and _THING & value.keys() and value not in things:
            things.append(value)
        yield value
    if things and not whole:
        yield {items[-1]: things}
    if there:
        return
    for value in _values(text, '"'):
        if isinstance(value, str) and "{" in value and len(value) < len(text):
            yield from candidates(value, items)
    first, last = text.find("{"), text.rfind("}")
    written = text[first : last + 1] if 0 <= first < last < first + _LITERAL else ""
    with suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        value = json.loads(json.dumps(ast.literal_eval(written), default=str))
        if isinstance(value, dict):
            yield value


def _values(text: str, opening: str) -> Iterator[Any]:
    for repaired in dict.fromkeys((text, _TRAILING_COMMA.sub("", text))):
        at, left = repaired.find(opening), _SEARCHED
        while at >= 0 and left > 0:
            try:
                value, end = DECODER.raw_decode(repaired, at)
            except json.JSONDecodeError as error:
                left -= error.pos + _READ * (error.pos - at)
                end = at + 1
            except RecursionError:
                return
            else:
                yield value
            at = repaired.find(opening, end)


def unwrapped(value: dict[str, JSON]) -> Iterator[JSON]:
    """Yield a value, and what it wraps: ``{"answer": {...}}``, values inside an echoed schema."""
    yield value
    for name in ("properties", *value):
        if isinstance(value.get(name), dict) and (name == "properties" or len(value) == 1):
            yield value[name]
