"""What a row holds beyond plain values: the id of a record, and JSON's null.

``None`` means "no value" (SurrealDB's NONE: the field is absent); a null inside attributes or
metadata is a value of its own and must come back as one. Ids of other records in columns are links
in the database, and ids in the library and its log.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import cbor2

from graphrag.errors import InputError

if TYPE_CHECKING:
    from cbor2 import CBOREncoder, CBORTag


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
_NONE, _RECORD, _DATETIME = 6, 8, 12
_NONE_VALUE = cbor2.dumps(cbor2.CBORTag(_NONE, 0))

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


@dataclass(frozen=True, slots=True)
class Packed:
    """A parameter that was encoded ahead of its turn, while the engine was busy with another."""

    value: Any
    data: bytes

    @classmethod
    def of(cls, value: Any) -> "Packed":
        """Encode a value, unless it is encoded already."""
        return value if isinstance(value, cls) else cls(value, encode(value))


def encode(message: object) -> bytes:
    """Return a message in CBOR, as the engine reads it.

    Raises:
        InputError: if a value in it cannot be stored.
    """
    try:
        return cbor2.dumps(message, encoders=_ENCODERS)
    except (cbor2.CBOREncodeError, UnicodeEncodeError, OverflowError, RecursionError) as error:
        raise InputError(f"a value cannot be stored, nothing was written: {error}") from None


def decode(message: bytes) -> Any:
    """Return what the engine wrote in CBOR."""
    return cbor2.loads(message, tag_hook=_read_tag)


def _write_none(encoder: "CBOREncoder", _: None) -> None:
    # A plain CBOR null would become SurrealDB's NULL, which no optional field accepts.
    encoder.write(_NONE_VALUE)


def _write_null(encoder: "CBOREncoder", _: Null) -> None:
    encoder.encode_none()


def _write_packed(encoder: "CBOREncoder", packed: Packed) -> None:
    encoder.write(packed.data)


def _write_datetime(encoder: "CBOREncoder", moment: datetime) -> None:
    encoder.write(_moment(moment))


def _write_record(encoder: "CBOREncoder", record: Record) -> None:
    id_ = record.id
    if type(id_) is str and 23 < len(id_) < 256 and id_.isascii():  # such as a UUID
        encoder.write(b"%b%c%b" % (_link_to(record.table), len(id_), id_.encode()))
    else:
        encoder.encode(cbor2.CBORTag(_RECORD, [record.table, id_]))


# A tag object takes Python and back again: finished bytes halve the time of a row. One batch has
# few tables, and its moments come again and again.
@lru_cache
def _link_to(table: str) -> bytes:
    """Return how a link to a table begins: tag, list of two, its name, and a text to come."""
    return b"\xc8\x82" + cbor2.dumps(table) + b"\x78"


@lru_cache(maxsize=4096)
def _moment(moment: datetime) -> bytes:
    since = moment - _EPOCH
    seconds = since.days * 86_400 + since.seconds
    return cbor2.dumps(cbor2.CBORTag(_DATETIME, [seconds, since.microseconds * 1000]))


_ENCODERS: dict[type, Callable[["CBOREncoder", Any], Any]] = {
    type(None): _write_none,
    datetime: _write_datetime,
    Record: _write_record,
    Null: _write_null,
    Packed: _write_packed,
}


def _read_tag(tag: "CBORTag", _: bool) -> Any:
    number, value = tag.tag, tag.value
    if number == _RECORD:
        return Record(*value)
    if number == _DATETIME:
        return _since_epoch(*value)
    return None if number == _NONE else value


@lru_cache(maxsize=4096)
def _since_epoch(seconds: int = 0, nanoseconds: int = 0) -> datetime:
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


def to_sdk(value: Any) -> Any:
    """Return a value as SurrealDB's own client has it."""
    import surrealdb

    match value:
        case Null():
            return surrealdb.Null
        case Record():
            return surrealdb.RecordID(value.table, value.id)
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
        case datetime():
            since = value - _EPOCH
            return _EPOCH + timedelta(since.days, since.seconds, since.microseconds)
        case dict():
            return {key: from_sdk(item) for key, item in value.items()}
        case list():
            return [from_sdk(item) for item in value]
        case _:
            return value
