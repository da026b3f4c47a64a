"""CBOR as SurrealDB speaks it: requests encoded, answers decoded.

``cbor2`` is written in Rust and holds the interpreter's lock for a whole call, 20 ms a megabyte.
So a large answer is decoded row by row, and other threads run in between.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

import cbor2

from graphrag.errors import InputError
from graphrag.store.record import Null, Record

if TYPE_CHECKING:
    from cbor2 import CBOREncoder, CBORTag

_NONE, _RECORD, _DECIMAL, _DATETIME, _DURATION = 6, 8, 10, 12, 14
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NONE_VALUE = cbor2.dumps(cbor2.CBORTag(_NONE, 0))
_LARGE: Final = 1_000_000
"""Bytes of an answer from which on it is decoded row by row."""
_TURN: Final = 200
"""Rows that are decoded before others have their turn."""
_NESTED: Final = 4
"""Levels above a row: the answer, its statements, one statement, and the rows of that."""
_LIST, _MAP = 4, 5
"""Major types of CBOR that hold others."""


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
    """Encode a request.

    Raises:
        InputError: for a value that SurrealDB has no type for.
    """
    try:
        return cbor2.dumps(message, encoders=_ENCODERS)
    except (cbor2.CBOREncodeError, UnicodeEncodeError, OverflowError, RecursionError) as error:
        raise InputError(f"a value cannot be stored, nothing was written: {error}") from None


def _write_none(encoder: "CBOREncoder", _: None) -> None:
    # A plain CBOR null would become SurrealDB's NULL, which no optional field accepts.
    encoder.write(_NONE_VALUE)


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
    return cbor2.dumps(cbor2.CBORTag(_DATETIME, _pair(moment - _EPOCH)))


def _pair(length: timedelta) -> list[int]:
    """Return whole seconds, and nanoseconds beside."""
    return [length.days * 86_400 + length.seconds, length.microseconds * 1000]


_ENCODERS: dict[type, Callable[["CBOREncoder", Any], Any]] = {
    type(None): _write_none,
    datetime: _write_datetime,
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
