"""Values that SurrealDB has beyond plain ones, and how they travel: in CBOR, or through the SDK.

``None`` means "no value" (SurrealDB's NONE); a null inside attributes or metadata is a value of its
own. Ids of other records in columns are links in the database, and ids in the library and its log.

``cbor2`` holds the interpreter's lock for a whole call, 20 ms a megabyte. So a large answer is
decoded row by row, and other threads run in between.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from enum import Enum
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

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
    links = dict(row)
    for column, goal in LINKS.get(table, {}).items():
        if (item := row.get(column)) is not None:
            links[column] = _link(goal, item)
    if sources := row.get("sources"):
        links["sources"] = [
            {**span, "episode": _link("episode", span["episode"])} for span in sources
        ]
    return links


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


_NONE, _RECORD, _DECIMAL, _DATETIME, _DURATION = 6, 8, 10, 12, 14
_NONE_VALUE = cbor2.dumps(cbor2.CBORTag(_NONE, 0))
_LARGE: Final = 1_000_000  # bytes of an answer from which on it is decoded row by row
_TURN: Final = 200  # rows that are decoded before others have their turn
_NESTED: Final = 4
"""Levels above a row: the answer, its statements, one statement, and the rows of that."""
_LIST, _MAP = 4, 5  # major types of CBOR that hold others


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
    """Encode a request."""
    try:
        return cbor2.dumps(message, encoders=_ENCODERS)
    except (cbor2.CBOREncodeError, UnicodeEncodeError, OverflowError, RecursionError) as error:
        raise InputError(f"a value cannot be stored, nothing was written: {error}") from None


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
    return cbor2.dumps(cbor2.CBORTag(_DATETIME, _pair(moment - _EPOCH)))


def _pair(length: timedelta) -> list[int]:
    return [length.days * 86_400 + length.seconds, length.microseconds * 1000]


_ENCODERS: dict[type, Callable[["CBOREncoder", Any], Any]] = {
    # A plain CBOR null would become SurrealDB's NULL, which no optional field accepts.
    type(None): lambda encoder, _: encoder.write(_NONE_VALUE),
    datetime: lambda encoder, moment: encoder.write(_moment(moment)),
    timedelta: lambda encoder, length: encoder.encode(cbor2.CBORTag(_DURATION, _pair(length))),
    Decimal: lambda encoder, number: encoder.encode(cbor2.CBORTag(_DECIMAL, str(number))),
    Record: _write_record,
    Null: lambda encoder, _: encoder.encode_none(),
    Packed: lambda encoder, packed: encoder.write(packed.data),
}


def _read_tag(tag: "CBORTag", _: bool) -> Any:
    number, value = tag.tag, tag.value
    if number == _RECORD:
        return Record(*value)
    if number == _DATETIME:
        return _since_epoch(*value)
    if number == _DURATION:
        return _since_epoch(*value) - _EPOCH
    if number == _DECIMAL:
        return Decimal(value)
    return None if number == _NONE else value


@lru_cache(maxsize=4096)
def _since_epoch(seconds: int = 0, nanoseconds: int = 0) -> datetime:
    return _EPOCH + timedelta(seconds=seconds, microseconds=nanoseconds // 1000)


async def decode(message: bytes) -> Any:
    """Decode an answer; other tasks and threads have their turn within a large one."""
    if len(message) < _LARGE:
        return cbor2.loads(message, tag_hook=_read_tag)
    return await _Rows(message).value(_NESTED)


class _Rows:
    """An answer that is decoded row by row."""

    def __init__(self, message: bytes) -> None:
        self._stream = BytesIO(message)
        self._decoder = cbor2.CBORDecoder(self._stream, tag_hook=_read_tag, read_size=512)
        self._count = 0

    async def value(self, nested: int) -> Any:
        """Decode the next value; its outer ``nested`` levels are read here, entry by entry."""
        first = self._stream.read(1)[0]
        kind, size = first >> 5, first & 31
        if nested == 0 or kind not in (_LIST, _MAP) or size > 27:  # 31: of unknown length
            self._stream.seek(-1, 1)
            self._count += 1
            if self._count % _TURN == 0:
                await asyncio.sleep(0)
            return self._decoder.decode()
        if size > 23:
            size = int.from_bytes(self._stream.read(1 << size - 24), "big")
        if kind == _LIST:
            return [await self.value(nested - 1) for _ in range(size)]
        return {self._decoder.decode(): await self.value(nested - 1) for _ in range(size)}
