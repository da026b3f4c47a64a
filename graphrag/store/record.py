"""What a row holds beyond plain values: the id of a record, and JSON's null.

``None`` means "no value" (SurrealDB's NONE: the field is absent); a null inside attributes or
metadata is a value of its own and must come back as one. Ids of other records in columns are links
in the database, and ids in the library and its log.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from typing import Any


@dataclass(frozen=True, slots=True)
class Record:
    """A pointer to one record; the key is a string, or a list for composite ids."""

    table: str
    id: Any

    def __str__(self) -> str:
        """Return ``table:id``."""
        return f"{self.table}:{self.id}"


class Null(Enum):
    """JSON's null, as a value."""

    NULL = None


NULL = Null.NULL
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

LINKS: Mapping[str, Mapping[str, str]] = {
    "relates_to": dict.fromkeys(("invalidated_by", "derived_from", "rivals"), "relates_to"),
    "entity": dict.fromkeys(("merged_into", "distinct_from"), "entity"),
    "passage": {"episode": "episode"},
    "community": {"parent": "community"},
}
"""The table that a column of a table links to; the sources of a fact link to episodes beside."""
LINKED = frozenset(column for columns in LINKS.values() for column in columns)


def linked(table: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row, or some columns of one, with links as the database has them."""
    found = dict(row)
    for column, goal in LINKS.get(table, {}).items():
        if (item := row.get(column)) is not None:
            found[column] = _link(goal, item)
    if sources := row.get("sources"):
        episodes = (_link("episode", span["episode"]) for span in sources)
        found["sources"] = [
            {**span, "episode": link} for span, link in zip(sources, episodes, strict=True)
        ]
    return found


def unlinked(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as the library has it, with ids instead of links; the row itself is changed."""
    for column in LINKED & row.keys():
        row[column] = id_of(row[column])
    for span in row.get("sources") or ():
        span["episode"] = id_of(span["episode"])
    return row


def _link(table: str, item: Any) -> Any:
    if isinstance(item, str):
        return Record(table, item)
    return item if isinstance(item, Record) else [_link(table, part) for part in item]


def id_of(item: Any) -> Any:
    """Return the id that a link leads to, of each link in a list, or what is none."""
    if isinstance(item, list | tuple):
        return [id_of(part) for part in item]
    return item.id if isinstance(item, Record) else item


def to_sdk(value: Any) -> Any:
    """Return a value as SurrealDB's own client has it."""
    import surrealdb

    match value:
        case Null():
            return surrealdb.Null
        case Record():
            return surrealdb.RecordID(value.table, value.id)
        case timedelta():
            return surrealdb.Duration(value // timedelta(microseconds=1) * 1000)
        case dict():
            return {key: to_sdk(item) for key, item in value.items()}
        case list() | tuple():
            return [to_sdk(item) for item in value]
        case _:
            return value


def from_sdk(value: Any) -> Any:
    """Return what ``to_sdk`` was given."""
    import surrealdb

    if value is surrealdb.Null:
        return None
    match value:
        case surrealdb.RecordID():
            return Record(value.table_name, value.id)
        case surrealdb.Duration():
            return timedelta(microseconds=value.elapsed // 1000)
        case datetime():
            since = value - _EPOCH
            return _EPOCH + timedelta(since.days, since.seconds, since.microseconds)
        case dict():
            return {key: from_sdk(item) for key, item in value.items()}
        case list():
            return [from_sdk(item) for item in value]
        case _:
            return value
