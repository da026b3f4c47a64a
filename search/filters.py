"""Filters: immutable trees of comparisons, validated on construction, and the fields they use.

A comparison tests one field. In a scope without that field it is left out of the filter, so that
one filter can hold different conditions for facts and for episodes.
"""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from itertools import chain
from math import isfinite
from types import MappingProxyType
from typing import Any, Final, Literal, NoReturn, get_args

from graphrag.errors import QueryError
from graphrag.model.values import Origin, Source
from graphrag.search.recipe import SCOPES
from graphrag.temporal.moment import parse_moment

Kind = Literal["text", "choice", "number", "flag", "moment", "labels", "json"]
Op = Literal["==", "!=", "<", "<=", ">", ">=", "in", "contains", "exists"]

_SAME: Final[tuple[Op, ...]] = ("==", "!=", "in")
_ORDER: Final[tuple[Op, ...]] = ("<", "<=", ">", ">=")
OPERATORS: Final[Mapping[Kind, tuple[Op, ...]]] = MappingProxyType(
    {
        "text": _SAME,
        "choice": _SAME,
        "flag": ("==", "!="),
        "number": (*_SAME, *_ORDER),
        "moment": (*_SAME, *_ORDER, "exists"),
        "labels": ("contains", "exists"),
        "json": (*_SAME, *_ORDER, "contains", "exists"),
    }
)


@dataclass(frozen=True, slots=True)
class Spec:
    """One field."""

    name: str
    kind: Kind
    columns: Mapping[str, str]
    """Column of the store by scope; a scope that is not here does not have the field."""
    choices: tuple[str, ...] = ()


def _spec(name: str, kind: Kind, *choices: str, **columns: str) -> Spec:
    return Spec(name, kind, MappingProxyType(columns), choices)


SPECS: Final[Mapping[str, Spec]] = MappingProxyType(
    {
        spec.name: spec
        for spec in (
            _spec("group", "text", **dict.fromkeys(SCOPES, "")),
            _spec("relation", "text", facts="name"),
            _spec("subject", "text", facts=""),
            _spec("object", "text", facts=""),
            _spec("subject_type", "text", facts=""),
            _spec("object_type", "text", facts=""),
            _spec("origin", "choice", *get_args(Origin), facts="origin"),
            _spec("confidence", "number", facts="confidence"),
            _spec("confirmed", "flag", facts="confirmed"),
            _spec("observed", "flag", facts="observed"),
            _spec("provenance", "labels", facts="provenance"),
            _spec("fact_attributes", "json", facts="attributes"),
            _spec("valid_at", "moment", facts="valid_at", episodes="valid_at"),
            _spec("invalid_at", "moment", facts="invalid_at"),
            _spec("created_at", "moment", **dict.fromkeys(SCOPES, "created_at")),
            _spec("expired_at", "moment", facts="expired_at"),
            _spec("reference_time", "moment", facts="reference_time", episodes="valid_at"),
            _spec("entity_type", "text", entities="entity_type"),
            _spec("labels", "labels", entities="labels"),
            _spec("attributes", "json", entities="attributes"),
            _spec("source", "choice", *get_args(Source), episodes="source"),
            _spec("saga", "text", facts="", entities="", episodes="saga"),
            _spec("metadata", "json", episodes="metadata"),
        )
    }
)


def spec_of(name: str) -> Spec:
    """Return the field of this name."""
    if name not in SPECS:
        raise QueryError(f"there is no field {name!r} to filter by: choose from {', '.join(SPECS)}")
    return SPECS[name]


class Filter:
    """Condition on search hits; combine filters with ``&``, ``|`` and ``~``."""

    __slots__ = ()

    def __and__(self, other: "Filter") -> "Filter":
        return Every((*_parts(self, Every), *_parts(_filter(other), Every)))

    def __or__(self, other: "Filter") -> "Filter":
        return Some((*_parts(self, Some), *_parts(_filter(other), Some)))

    def __invert__(self) -> "Filter":
        return self.part if isinstance(self, Not) else Not(self)

    def __bool__(self) -> NoReturn:
        """Refuse ``and``, ``or`` and ``not``, which Python decides before the search."""
        raise TypeError("a filter is neither true nor false: combine filters with &, | and ~")

    @staticmethod
    def parse(text: str) -> "Filter":
        """Parse the text form of a filter: ``relation == works_at and valid_at < 2022``.

        Raises:
            QueryError: if the text is not a filter; the message gives the position.
            TimeError: for a moment that cannot be read.
        """
        from graphrag.search.fields import FilterReader

        return FilterReader(text).all()

    def comparisons(self) -> Iterator["Compare"]:
        """Yield every comparison."""
        match self:
            case Compare():
                yield self
            case Every(parts) | Some(parts):
                for part in parts:
                    yield from part.comparisons()
            case Not(part):
                yield from part.comparisons()

    def names(self, field: str) -> bool:
        """Tell whether the filter compares a field."""
        return any(comparison.field == field for comparison in self.comparisons())

    def sagas(self) -> frozenset[str]:
        """Return the names of the sagas in the filter."""
        of_sagas = (each for each in self.comparisons() if each.field == "saga")
        values = (each.value if each.op == "in" else (each.value,) for each in of_sagas)
        return frozenset(chain.from_iterable(values))

    def scopes(self) -> frozenset[str]:
        """Return the scopes to which the filter applies."""
        columns = (spec_of(comparison.field).columns for comparison in self.comparisons())
        return frozenset(chain.from_iterable(columns))


@dataclass(frozen=True, slots=True, repr=False)
class Compare(Filter):
    """One field against one value; made by ``Field``.

    Raises ``QueryError`` for an unknown field or operator, or a value of another kind.
    """

    field: str
    op: Op
    value: Any = None
    path: tuple[str, ...] = ()
    """Keys inside a field of JSON."""

    def __post_init__(self) -> None:
        """Check the field, the operator and the value, and bring moments to UTC."""
        spec = spec_of(self.field)
        if self.op not in OPERATORS[spec.kind]:
            raise QueryError(
                f"{self.field} cannot be filtered by {self.op!r}: "
                f"use one of {', '.join(OPERATORS[spec.kind])}"
            )
        if spec.kind == "json" and not self.path and self.op != "exists":
            raise QueryError(f"{self.field} holds many values: name one, {self.field}['key']")
        if self.path and spec.kind != "json":
            raise QueryError(f"{self.field} has no keys: leave out {list(self.path)}")
        if not all(isinstance(key, str) and key for key in self.path):
            raise QueryError(f"keys of {self.field} are strings, not {list(self.path)}")
        object.__setattr__(self, "value", _checked(self.value, self.op, spec))

    def __repr__(self) -> str:
        name = self.field + "".join(f"[{key!r}]" for key in self.path)
        if self.op == "exists":
            return f"{name}.exists()"
        if self.op == "contains":
            return f"{name}.contains({_shown(self.value)})"
        if self.op == "in":
            return f"{name}.in_([{', '.join(map(_shown, self.value))}])"
        return f"{name} {self.op} {_shown(self.value)}"


@dataclass(frozen=True, slots=True, repr=False)
class Every(Filter):
    """All parts hold."""

    parts: tuple[Filter, ...]

    def __repr__(self) -> str:
        return " & ".join(f"({part!r})" for part in self.parts)


@dataclass(frozen=True, slots=True, repr=False)
class Some(Filter):
    """At least one part holds."""

    parts: tuple[Filter, ...]

    def __repr__(self) -> str:
        return " | ".join(f"({part!r})" for part in self.parts)


@dataclass(frozen=True, slots=True, repr=False)
class Not(Filter):
    """The part does not hold."""

    part: Filter

    def __repr__(self) -> str:
        return f"~({self.part!r})"


def _parts(filter_: Filter, kind: type[Every] | type[Some]) -> tuple[Filter, ...]:
    return filter_.parts if isinstance(filter_, kind) else (filter_,)


def _filter(other: object) -> Filter:
    if not isinstance(other, Filter):
        raise QueryError(
            f"{other!r} is not a filter: put each comparison in parentheses, "
            "(Field.relation == 'works_at') & (Field.confidence > 0.8)"
        )
    return other


def _checked(value: object, op: Op, spec: Spec) -> Any:
    """Return the value as the columns hold it."""
    if op == "exists":
        return None
    if op != "in":
        return _one(value, spec)
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Collection):
        raise QueryError(f"{spec.name} in {value!r}: give a list of values")
    return tuple(_one(item, spec) for item in value)


def _one(value: object, spec: Spec) -> Any:
    fits = False
    match spec.kind:
        case "moment":
            if not isinstance(value, str | date):  # a datetime is a date
                raise QueryError(
                    f"{spec.name} is not comparable to {value!r}: give a moment, or use exists()"
                )
            return parse_moment(value, what=spec.name)
        case "text" | "labels":
            fits, wanted = isinstance(value, str), "text"
        case "choice":
            fits, wanted = value in spec.choices, f"one of {', '.join(spec.choices)}"
        case "flag":
            fits, wanted = isinstance(value, bool), "True or False"
        case "number":
            fits, wanted = _number(value), "a number"
        case "json":
            fits = isinstance(value, str | bool) or _number(value)
            wanted = "text, a number, True or False; for a missing one use exists()"
    if not fits:
        raise QueryError(f"{spec.name} is not comparable to {value!r}: give {wanted}")
    return value


def _number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _shown(value: object) -> str:
    return repr(value.isoformat()) if isinstance(value, datetime) else repr(value)
