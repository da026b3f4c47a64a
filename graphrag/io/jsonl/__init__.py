"""What the rows of each table look like as lines of text, by the schema.

A table that is added to the schema with a ``group_id`` is moved like the others, and so is a new
column. Kinds and ends have the names that people know: ``fact`` and ``subject_id``, not
``relates_to`` and ``in``.
"""

import json
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, partial
from typing import Any

from graphrag.model.checks import shown
from graphrag.schema import Table, TableField, core_tables
from graphrag.store.engine import Row
from graphrag.store.record import Record

KINDS: Mapping[str, str] = {"relates_to": "fact", "mentions": "mention", "has_member": "member"}
"""Kinds of lines whose table has another name."""
_NAMES: Mapping[str, Mapping[str, str]] = {
    "relates_to": {"in": "subject_id", "name": "relation", "out": "object_id"},
    "mentions": {"in": "episode_id", "out": "entity_id"},
    "has_member": {"in": "community_id", "out": "entity_id"},
    "occurred_after": {"in": "later_id", "out": "earlier_id"},
}
VECTOR = "embedding"
EVENT = "event"
"""The kind of the lines of the log."""
_APART = frozenset({EVENT, "group_info"})
_OWN = frozenset({"id", "group_id"})
_OF_EVENT = frozenset({"record", "seq", "at", "actor", "kind", "changes", "note"})
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


class UnreadableError(ValueError):
    """A line is not what its kind should be; the message says how."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A table."""

    table: str
    kind: str  # kind of its lines
    ends: tuple[str, str] | None  # the tables that its rows join, if they are links
    columns: Mapping[str, TableField]
    """Columns by their names in a line; one of kind ``link`` is an end of a link."""
    fields: frozenset[str]  # all that a line may have

    def line(self, row: Mapping[str, Any], *, vectors: bool) -> dict[str, Any]:
        """Return a row as JSON can carry it."""
        line: dict[str, Any] = {"record": self.kind, "id": row["id"].id}
        for name, field in self.columns.items():
            item = row.get(field.name)
            if item is not None and (vectors or field.name != VECTOR):
                line[name] = _WRITE[field.kind](item) if field.kind in _WRITE else item
        return line

    def row(self, line: Mapping[str, Any]) -> dict[str, Any]:
        """Return the row of a line, with the ends of a link as plain ids and without its group."""
        if strange := line.keys() - self.fields:
            raise UnreadableError(f"{self.kind} has no field {sorted(strange)[0]!r}")
        row = {"id": _read("id", "link", line.get("id"))}
        for name, field in self.columns.items():
            item = line.get(name)
            if item is not None and item is not False:  # a flag that is not there is false
                plain = field.kind == "string" and type(item) is str  # as most are
                row[field.name] = item if plain else _read(name, field.kind, item)
                if field.choices and item not in field.choices:
                    what = f"expected one of {', '.join(field.choices)}"
                    raise UnreadableError(f"{name!r} is {shown(item)}: {what}")
            elif field.required:
                raise UnreadableError(f"{self.kind} lacks {name!r}")
        return row


@cache
def shapes() -> Mapping[str, Shape]:
    """Return every table of a group by the kind of its lines, links last; not the log."""
    tables = [
        table
        for table in core_tables()
        if table.name not in _APART and any(field.name == "group_id" for field in table.fields)
    ]
    tables.sort(key=lambda table: table.ends is not None)
    return {shape.kind: shape for shape in map(_shape, tables)}


def line_of(kind: str, row: Row, *, vectors: bool) -> dict[str, Any]:
    """Return a row as JSON can carry it."""
    if kind != EVENT:
        return shapes()[kind].line(row, vectors=vectors)
    return {
        "record": EVENT,
        "seq": row["seq"],
        "at": moment(row["at"]),
        "actor": row["actor"],
        "kind": row["kind"],
        **({} if row.get("note") is None else {"note": row["note"]}),
        "changes": json.loads(row["changes"]),
    }


def shape_of(line: Mapping[str, Any]) -> Shape:
    """Return what a line is to look like."""
    kind = line.get("record")
    if not isinstance(kind, str) or kind not in shapes():
        known = ", ".join((*shapes(), EVENT))
        raise UnreadableError(f"record {kind!r} is not known: expected one of {known}")
    return shapes()[kind]


def row_of(line: Mapping[str, Any], group: str) -> Row:
    """Return the row of a line."""
    if line.get("record") == EVENT:
        return _event_row(line, group)
    shape = shape_of(line)
    row = shape.row(line)
    row |= {"id": Record(shape.table, row["id"]), "group_id": group}
    for end, table in zip(("in", "out"), shape.ends or (), strict=False):
        row[end] = Record(table, row[end])
    return row


def _event_row(line: Mapping[str, Any], group: str) -> Row:
    match line:
        case {
            "seq": int(seq),
            "at": str(),
            "actor": str(),
            "kind": str(),
            "changes": list(changes),
        } if not line.keys() - _OF_EVENT:
            note = line.get("note")
            if note is not None and not isinstance(note, str):
                raise UnreadableError(f"'note' is {note!r}: expected text")
            for change in changes:
                _check_change(change)
            own = {name: line[name] for name in _OF_EVENT - {"record"} if name in line}
            return {
                **own,
                "id": Record(EVENT, [group, seq]),
                "group_id": group,
                "at": _moment("at", line["at"]),
                "changes": _JSON.encode(changes),
            }
    raise UnreadableError("an event has seq, at, actor, kind, changes and at most a note")


def _check_change(change: Any) -> None:
    match change:
        case {"record": str(record), "before": None | dict(), "after": None | dict()} if (
            len(change) == 3 and ":" in record
        ):
            for image in (change["before"], change["after"]):
                for column in _moments() & (image or {}).keys():
                    if image[column] is not None:
                        _moment(column, image[column])
        case _:
            raise UnreadableError("a change has record (table:id), before and after")


@cache
def _moments() -> frozenset[str]:
    return frozenset(
        column.name
        for shape in shapes().values()
        for column in shape.columns.values()
        if column.kind == "datetime"
    )


def _moment(name: str, given: Any) -> datetime:
    try:
        return read_moment(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise UnreadableError(f"{name!r} is {given!r}, no moment: {error}") from None


def _shape(table: Table) -> Shape:
    names = _NAMES.get(table.name, {})
    fields = [TableField(end, "link", True, ()) for end in ("in", "out") if table.ends]
    fields += [field for field in table.fields if field.name not in _OWN]
    fields.sort(key=lambda field: field.name == VECTOR)
    columns = {names.get(field.name, field.name): field for field in fields}
    kind = KINDS.get(table.name, table.name)
    return Shape(table.name, kind, table.ends, columns, frozenset({"record", "id", *columns}))


def moment(item: datetime) -> str:
    """Return a moment as text."""
    return item.astimezone(UTC).isoformat().replace("+00:00", "Z")


def read_moment(text: str) -> datetime:
    """Return the moment of a text."""
    found = datetime.fromisoformat(text)
    if found.tzinfo is None:
        raise ValueError("it has no time zone")
    return found.astimezone(UTC)


_WRITE: Mapping[str, Callable[[Any], Any]] = {
    "datetime": moment,
    "bytes": lambda item: b64encode(item).decode("ascii"),
    "link": lambda item: item.id,
}
_READ: Mapping[str, tuple[tuple[type, ...], Callable[[Any], Any], str]] = {
    "datetime": ((str,), read_moment, 'a moment such as "2024-03-05T10:00:00Z"'),
    "bytes": ((str,), partial(b64decode, validate=True), "float32 numbers in base64"),
    "string": ((str,), str, "text"),
    "link": ((str,), str, "an id"),
    "bool": ((bool,), bool, "true or false"),
    "int": ((int,), int, "a whole number"),
    "float": ((int, float), float, "a number"),
    "object": ((dict,), dict, "an object"),
    "array<string>": ((list,), list, "a list of texts"),
    "array<object>": ((list,), list, "a list of objects"),
}
"""By kind of a column: what JSON has for it, how it is read, and what to call it."""
_ITEMS: Mapping[str, type] = {"array<string>": str, "array<object>": dict}


def _read(name: str, kind: str, given: Any) -> Any:
    types, read, what = _READ[kind]
    fits = isinstance(given, types) and (kind == "bool" or not isinstance(given, bool))
    if kind in _ITEMS:
        fits = fits and all(isinstance(item, _ITEMS[kind]) for item in given)
    fault = ""
    if fits and (given or kind != "link"):
        try:
            return read(given)
        except (ValueError, OverflowError) as error:  # base64's error is a ValueError
            fault = f" ({error})"
    raise UnreadableError(f"{name!r} is {shown(given)}: expected {what}{fault}")
