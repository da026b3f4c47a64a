"""Values to rows and back, in one place.

A row is what SurrealDB takes: record ids for links, aware datetimes, no key for a missing value.
"""

import json
from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np

from graphrag.errors import InputError, StoreCorruptError
from graphrag.model.assertion import EntityName
from graphrag.model.checks import DEEPEST, shown
from graphrag.model.values import Change, Community, Entity, Episode, Event, Fact, Saga, Span
from graphrag.protocols import Matrix
from graphrag.store.assertions import STATED, name_object, name_values, stated_text, stated_values
from graphrag.store.engine import Row
from graphrag.store.record import NULL, Null, Record, id_of

Value = TypeVar("Value", Episode, Entity, Fact, Community, Saga)

TABLES: Mapping[type, str] = {
    Episode: "episode",
    Entity: "entity",
    Fact: "relates_to",
    Community: "community",
    Saga: "saga",
}
_RENAMED = {"subject_id": "in", "relation": "name", "object_id": "out"}
_COLUMNS = {
    kind: tuple(
        (field.name, _RENAMED.get(field.name, field.name) if kind is Fact else field.name)
        for field in fields(kind)
    )
    for kind in TABLES
}
"""Field and column names by kind, worked out once: a bulk load asks for them at every row."""
_ROWS = {
    kind: (attrgetter(*(name for name, _ in columns)), tuple(column for _, column in columns))
    for kind, columns in _COLUMNS.items()
}
"""What reads all fields of a kind at once, and the columns they go to."""
EMPTY: Mapping[str, Any] = {
    **dict.fromkeys((field.name for field in fields(Fact) if field.type is bool), False),
    **dict.fromkeys(
        ("aliases", "distinct_from", "labels", "names", "derived_from", "provenance", "rivals"), ()
    ),
    **{name: {} for name in ("attributes", "attribute_times")},
}
"""Columns that are not there where they are false or empty, with that value."""
_NAMES = {kind: {column: name for name, column in columns} for kind, columns in _COLUMNS.items()}
_AS_THEY_ARE = frozenset({str, int, float, bool, datetime})
_ENDS = frozenset({"in", "out", "id"})
_MOMENTS = frozenset(
    field.name for kind in TABLES for field in fields(kind) if "datetime" in str(field.type)
)
_WRITTEN = STATED | _ENDS | _MOMENTS
"""Columns that are text in an image and something else in a value."""


def to_row(value: Episode | Entity | Fact | Community | Saga) -> Row:
    """Return the row of a value, without its embedding."""
    row: Row = {}
    fields_of, columns = _ROWS[type(value)]
    for column, item in zip(columns, fields_of(value), strict=True):
        if item is None or item is False:  # a flag that is not there is false
            continue
        if type(item) in _AS_THEY_ARE:
            row[column] = item
        elif column in STATED:
            if item:
                row[column] = stated_text(item, value.id)
        elif item or column not in EMPTY:
            row[column] = _stored(item)
    row["id"] = Record(TABLES[type(value)], value.id)
    if isinstance(value, Fact):
        row["in"] = Record("entity", value.subject_id)
        row["out"] = Record("entity", value.object_id)
    if isinstance(value, Community):
        row["size"] = len(row.pop("members"))
    return row


def from_row(kind: type[Value], row: Row) -> Value:
    """Return the value of a row; columns that the value does not have are ignored."""
    given: dict[str, Any] = {}
    for name, column in _COLUMNS[kind]:
        item = row.get(column)
        if type(item) in _AS_THEY_ARE and column not in STATED:
            given[name] = item
        elif item is not None:
            given[name] = _read(column, item, row["id"].id)
    return kind(**given)


def event_of(row: Row) -> Event:
    """Return the event of a row."""
    try:
        parts = json.loads(row["changes"])
        changes = tuple(Change(part["record"], part["before"], part["after"]) for part in parts)
        named = {name: row[name] for name in ("group_id", "seq", "at", "actor", "kind")}
    except (ValueError, KeyError, TypeError) as error:
        raise StoreCorruptError(
            f"event {row.get('id')} of the log is damaged ({error}): take the store from a copy, "
            "or export what can be read"
        ) from None
    return Event(**named, changes=changes, note=row.get("note"))


def edge(
    table: str, id_: str, source: tuple[str, str], target: tuple[str, str], **rest: Any
) -> Row:
    """Return the row of an edge between two records given as (table, id)."""
    return {"id": Record(table, id_), "in": Record(*source), "out": Record(*target), **rest}


def plain(item: object) -> Any:
    """Return what JSON cannot carry as it can: ids as ``table:id``, moments as ISO 8601.

    Made for ``json.dumps(default=...)``, which walks everything else in C.
    """
    match item:
        case Record():
            return str(item)
        case Null():
            return None
        case datetime():
            return item.astimezone(UTC).isoformat().replace("+00:00", "Z")
        case Mapping():
            return dict(item)
        case _:
            raise InputError(f"{shown(item)} cannot be stored: nothing was written")


def unplain(column: str, item: Any) -> Any:
    """Undo ``plain`` for one column of a row."""
    if item is None:
        return EMPTY.get(column)
    if column in _ENDS:
        return Record(*str(item).split(":", 1))
    if column.endswith("_at") or column in _MOMENTS:
        return datetime.fromisoformat(item)
    return item


def row_of(record: str, image: Mapping[str, Any]) -> Row:
    """Return the row that an image in the log was made of, without its embedding."""
    row: Row = {
        column: _json(unplain(column, item)) for column, item in image.items() if item is not None
    }
    return row | {"id": Record(*record.split(":", 1))}


def from_image(kind: type[Value], id_: str, image: Mapping[str, Any]) -> Value:
    """Return the value of a record whose image this is."""
    given: dict[str, Any] = {"id": id_}
    for name, column in _COLUMNS[kind]:
        item = image.get(column)
        if type(item) in _AS_THEY_ARE and column not in _WRITTEN:
            given[name] = item
        elif item is not None:
            given[name] = imaged(column, item, id_)
    return kind(**given)


def with_columns(value: Value, image: Mapping[str, Any]) -> Value:
    """Return a value with the columns of an image, those that it has."""
    names = _NAMES[type(value)]
    known = [column for column in image if column in names]
    given = {names[column]: imaged(column, image[column], value.id) for column in known}
    return replace(value, **given)


def imaged(column: str, item: Any, record: str) -> Any:
    """Return the value of a field from its column in an event's image of a record."""
    if item is None:
        return () if column in STATED else EMPTY.get(column)
    if column in _MOMENTS:
        return datetime.fromisoformat(item)
    return item.split(":", 1)[1] if column in _ENDS else _read(column, item, record)


def vector_bytes(vector: Matrix) -> bytes:
    """Return one vector as float32, little endian."""
    return np.ascontiguousarray(vector, dtype="<f4").tobytes()


def _stored(item: object) -> Any:
    if isinstance(item, tuple):
        return [_stored(part) for part in item]
    if isinstance(item, Span):
        return {"episode": item.episode_id, "start": item.start, "end": item.end}
    if isinstance(item, EntityName):
        return name_object(item)
    if isinstance(item, Mapping):
        return _json(item)
    return item


def _json(item: Any, deepest: int = DEEPEST) -> Any:
    if type(item) in _AS_THEY_ARE:
        return item
    if item is None:
        return NULL
    if deepest < 0:
        raise InputError("attributes are nested too deep, or in themselves: nothing was written")
    if isinstance(item, Mapping):
        return {key: _json(value, deepest - 1) for key, value in item.items()}
    if isinstance(item, list | tuple):
        return [_json(value, deepest - 1) for value in item]
    return item


def _read(column: str, item: Any, record: str) -> Any:
    """Return the value of a field from its column, which may be that of an image."""
    if column in STATED:
        return stated_values(item, record)
    if type(item) in _AS_THEY_ARE:
        return item
    if isinstance(item, Record):
        return item.id
    if column == "sources":
        return tuple(Span(id_of(span["episode"]), span["start"], span["end"]) for span in item)
    if column == "names":
        return name_values(item)
    return tuple(map(id_of, item)) if isinstance(item, list) else item
