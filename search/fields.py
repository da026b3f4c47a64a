"""Two notations of a ``Filter``: comparisons of ``Field`` in Python, and text.

In Python: ``(Field.relation == "works_at") & (Field.valid_at < "2022")``. In text, ``not`` binds
more strongly than ``and``, ``and`` than ``or``. A value is one word or a quoted string::

    relation == works_at and valid_at < 2022
    not (confidence < 0.5) and origin in (stated, manual)
    attributes.address.city == "New York" or labels contains vip
    invalid_at exists
"""

import re
from collections.abc import Callable, Collection
from typing import Any, Final

from graphrag.errors import QueryError
from graphrag.search.filters import (
    OPERATORS,
    SPECS,
    Compare,
    Every,
    Filter,
    Not,
    Some,
    Spec,
    spec_of,
)


class Same:
    """A field that can be compared for equality."""

    __slots__ = ("_name", "_path")

    def __init__(self, name: str, path: tuple[str, ...] = ()) -> None:
        self._name = name
        self._path = path

    def __repr__(self) -> str:
        return f"Field.{self._name}" + "".join(f"[{key!r}]" for key in self._path)

    __hash__ = object.__hash__

    # The results are filters; Python's own signature says bool, which only Any can stand beside.
    def __eq__(self, other: object) -> Any:
        """Equal; a missing value equals nothing."""
        return Compare(self._name, "==", other, self._path)

    def __ne__(self, other: object) -> Any:
        """Not equal; a missing value differs from everything."""
        return Compare(self._name, "!=", other, self._path)


class Text(Same):
    """A field of text: equal to one, or to one of several."""

    __slots__ = ()

    def in_(self, values: Collection[Any]) -> Filter:
        """Equal to one of the values."""
        return Compare(self._name, "in", values, self._path)


class Number(Text):
    """A field with an order; a missing value is neither less nor more than any."""

    __slots__ = ()

    def __lt__(self, other: Any) -> Filter:
        return Compare(self._name, "<", other, self._path)

    def __le__(self, other: Any) -> Filter:
        return Compare(self._name, "<=", other, self._path)

    def __gt__(self, other: Any) -> Filter:
        return Compare(self._name, ">", other, self._path)

    def __ge__(self, other: Any) -> Filter:
        return Compare(self._name, ">=", other, self._path)

    def between(self, low: Any, high: Any) -> Filter:
        """From ``low`` up to but not including ``high``."""
        return Every((self >= low, self < high))


class Time(Number):
    """A moment; a date, a month or a year stands for its first instant."""

    __slots__ = ()

    def exists(self) -> Filter:
        """Known: not None."""
        return Compare(self._name, "exists", None, self._path)


class Several(Same):
    """A field that holds several values."""

    __slots__ = ()

    def contains(self, value: Any) -> Filter:
        """Have this one among them."""
        return Compare(self._name, "contains", value, self._path)

    def exists(self) -> Filter:
        """Have any."""
        return Compare(self._name, "exists", None, self._path)


class Json(Time, Several):
    """A field of JSON: ``Field.attributes["age"] >= 30``; values of another type never match."""

    __slots__ = ()

    def __getitem__(self, key: str) -> "Json":
        return Json(self._name, (*self._path, key))


class _Fields(type):
    def __getattr__(cls, name: str) -> Any:
        raise AttributeError(f"there is no field {name!r} to filter by: {', '.join(SPECS)}")


class Field(metaclass=_Fields):
    """The fields that a search filter can compare."""

    group: Final = Text("group")
    """Every scope: the group of the hit."""
    relation: Final = Text("relation")
    """Facts: the relation, such as ``works_at``."""
    subject: Final = Text("subject")
    """Facts: the subject, by name, alias or id."""
    object: Final = Text("object")
    """Facts: the object, by name, alias or id."""
    subject_type: Final = Text("subject_type")
    """Facts: the entity type of the subject."""
    object_type: Final = Text("object_type")
    """Facts: the entity type of the object."""
    origin: Final = Text("origin")
    """Facts: ``stated``, ``inferred``, ``manual`` or ``structural``."""
    confidence: Final = Number("confidence")
    """Facts: the confidence, 0 to 1."""
    confirmed: Final = Same("confirmed")
    """Facts: whether a person confirmed it."""
    observed: Final = Same("observed")
    """Facts: whether the start is the first observation, not a stated start."""
    provenance: Final = Several("provenance")
    """Facts: sources other than episodes, such as the name of a table."""
    fact_attributes: Final = Json("fact_attributes")
    """Facts: their attributes."""
    valid_at: Final = Time("valid_at")
    """Facts: the start. Episodes: the reference time."""
    invalid_at: Final = Time("invalid_at")
    """Facts: the end."""
    created_at: Final = Time("created_at")
    """Every scope: system time when it was added to the graph."""
    expired_at: Final = Time("expired_at")
    """Facts: system time when a later statement closed it."""
    reference_time: Final = Time("reference_time")
    """Facts: reference time of the first episode that states it. Episodes: their own."""
    entity_type: Final = Text("entity_type")
    """Entities: ``person``, ``organization``, ..."""
    labels: Final = Several("labels")
    """Entities: their labels."""
    attributes: Final = Json("attributes")
    """Entities: their attributes."""
    source: Final = Text("source")
    """Episodes: ``message``, ``text``, ``json`` or ``fact``."""
    saga: Final = Text("saga")
    """Episodes: name of their saga. Facts: a saga that states them. Entities: a saga that mentions
    them."""
    metadata: Final = Json("metadata")
    """Episodes: the metadata given when they were added."""


_TOKEN = re.compile(
    r"""\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|(?P<sign>==|!=|<=|>=|=|<|>|\(|\)|,)"""
    r"""|(?P<word>[^\s()<>=!,"']+))"""
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_LONGEST = 4_000
_DEEPEST = 50


class FilterReader:
    """The filter that a text describes: ``Filter.parse``."""

    def __init__(self, text: str) -> None:
        if len(text) > _LONGEST:
            raise QueryError(f"a filter of {len(text)} characters: use at most {_LONGEST}")
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
        """Return the whole filter."""
        where = self._either()
        if self._at < len(self._tokens):
            raise self._wrong(f"expected 'and' or 'or' before {self._tokens[self._at][1]!r}")
        return where

    def _either(self) -> Filter:
        return self._joined("or", lambda: self._joined("and", self._one, Every), Some)

    def _joined(
        self, word: str, part: Callable[[], Filter], kind: type[Every] | type[Some]
    ) -> Filter:
        parts = [part()]
        while self._took(word):
            parts.append(part())
        return parts[0] if len(parts) == 1 else kind(tuple(parts))

    def _one(self) -> Filter:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong("too many parentheses in each other")
        try:
            if self._took("not"):
                return Not(self._one())
            if self._took("("):
                where = self._either()
                self._take(")")
                return where
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
        if op != "in":
            value = None if op == "exists" else self._value(spec)
            return Compare(field, op, value, tuple(path))
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
