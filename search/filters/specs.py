"""The fields that a filter may name: of what kind each is, and which scopes have it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from graphrag.errors import QueryError
from graphrag.model.values import Origin, Source

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
            _spec("group", "text", facts="", entities="", episodes="", communities=""),
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
            _spec(
                "created_at",
                "moment",
                facts="created_at",
                entities="created_at",
                episodes="created_at",
                communities="created_at",
            ),
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
    """Return the field of this name.

    Raises:
        QueryError: if there is none.
    """
    if name not in SPECS:
        raise QueryError(f"there is no field {name!r} to filter by: choose from {', '.join(SPECS)}")
    return SPECS[name]
