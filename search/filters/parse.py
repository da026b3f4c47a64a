"""Filters as text, parsed to the same checked tree that ``Field`` makes.

``not`` binds before ``and``, ``and`` before ``or``. A value is one word, or anything in quotes::

    relation == works_at and valid_at < 2022
    not (confidence < 0.5) and origin in (stated, manual)
    attributes.address.city == "New York" or labels contains vip
    invalid_at exists
"""

import re
from typing import Any

from graphrag.errors import QueryError
from graphrag.search.filters.specs import OPERATORS, Spec, spec_of
from graphrag.search.filters.tree import Compare, Every, Filter, Not, Some

_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<sign>==|!=|<=|>=|=|<|>|\(|\)|,)"""
    r"""|(?P<word>[^\s()<>=!,"']+))"""
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LONGEST = 4_000
_DEEPEST = 50


def parse_filter(text: str) -> Filter:
    """Return the filter that a text describes.

    Raises:
        QueryError: saying where the text is no filter.
        TimeError: for a moment that cannot be read.
    """
    if len(text) > _LONGEST:
        raise QueryError(f"a filter of {len(text)} characters: use at most {_LONGEST}")
    return _Reader(text).all()


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens: list[tuple[str, str]] = []
        self._at = 0
        self._depth = 0
        place = 0
        while text[place:].strip():
            match = _TOKEN.match(text, place)
            if match is None or match.end() == place:
                raise self._wrong(f"cannot read {text[place:].strip()[:20]!r}")
            self._tokens.append((match.lastgroup or "", match[match.lastgroup or 0]))
            place = match.end()

    def all(self) -> Filter:
        found = self._either()
        if self._at < len(self._tokens):
            raise self._wrong(f"expected 'and' or 'or' before {self._tokens[self._at][1]!r}")
        return found

    def _either(self) -> Filter:
        parts = [self._both()]
        while self._took("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else Some(tuple(parts))

    def _both(self) -> Filter:
        parts = [self._one()]
        while self._took("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else Every(tuple(parts))

    def _one(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong("too many parentheses in each other")
        try:
            if self._took("not"):
                return Not(self._one())
            if self._took("("):
                found = self._either()
                self._take(")")
                return found
            return self._comparison()
        finally:
            self._depth -= 1

    def _comparison(self) -> Filter:
        kind, name = self._next("the name of a field")
        if kind != "word":
            raise self._wrong(f"expected the name of a field, not {name!r}")
        field, *path = name.split(".")
        spec = spec_of(field)
        _, word = self._next(f"an operator after {name!r}")
        given = "==" if word == "=" else word.lower()
        op = next((known for known in OPERATORS[spec.kind] if known == given), None)
        if op is None:
            known = ", ".join(OPERATORS[spec.kind])
            raise self._wrong(f"{name!r} takes one of {known}, not {word!r}")
        if op == "exists":
            return Compare(field, op, None, tuple(path))
        if op != "in":
            return Compare(field, op, self._value(spec), tuple(path))
        self._take("(")
        values = [self._value(spec)]
        while self._took(","):
            values.append(self._value(spec))
        self._take(")")
        return Compare(field, "in", values, tuple(path))

    def _value(self, spec: Spec) -> Any:
        kind, text = self._next(f"a value of {spec.name}")
        if kind == "quoted":
            return re.sub(r"\\(.)", r"\1", text[1:-1])
        if kind != "word":
            raise self._wrong(f"expected a value of {spec.name}, not {text!r}")
        if spec.kind in ("flag", "json") and text.lower() in ("true", "false"):
            return text.lower() == "true"
        if spec.kind in ("number", "json") and _NUMBER.fullmatch(text):
            return int(text) if text.lstrip("+-").isdecimal() else float(text)
        return text

    def _took(self, word: str) -> bool:
        if self._at < len(self._tokens):
            kind, text = self._tokens[self._at]
            if kind != "quoted" and text.lower() == word:
                self._at += 1
                return True
        return False

    def _take(self, sign: str) -> None:
        if not self._took(sign):
            raise self._wrong(f"a {sign!r} is missing")

    def _next(self, what: str) -> tuple[str, str]:
        if self._at >= len(self._tokens):
            raise self._wrong(f"expected {what} at the end")
        self._at += 1
        return self._tokens[self._at - 1]

    def _wrong(self, why: str) -> QueryError:
        return QueryError(f"filter {self._text[:80]!r}: {why}")
