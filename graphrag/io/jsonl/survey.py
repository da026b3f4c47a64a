"""Read an exported group to its end before anything is written: every line is checked.

The rows must be what the log of the file makes of them, and lead to rows that are there; ``check``
would find it after the import only. A file may be larger than memory, so of each record one number
is kept: the sum of the hashes of its columns, from which an event takes those that it changed.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.errors import InputError
from graphrag.io.jsonl import (
    EVENT,
    VECTOR,
    Shape,
    UnreadableError,
    moment,
    row_of,
    shape_of,
    shapes,
)
from graphrag.io.jsonl.lines import Header, Line, read
from graphrag.io.transfer import Pace
from graphrag.model.checks import BadVectorError, unit_vectors
from graphrag.store.assertions import STATED, check_names, check_stated
from graphrag.store.record import Record

CHECKED = "checked"
"""Name of the first reading of a file in progress reports."""
_EVERY = 500
_JSON = json.JSONEncoder(sort_keys=True)


async def survey(file: Path, pace: Pace) -> tuple[Header, list[Record]]:
    """Read a file to its end, and return its header and a record of each table."""
    checking: _Checking | None = None
    for placed in read(file):
        try:
            if checking is None:
                checking = _Checking(Header.of(placed.line))
            else:
                checking.add(placed.line)
        except (UnreadableError, InputError) as error:
            raise InputError(f"{file.name}, line {placed.number}: {error}") from None
        if placed.number % _EVERY == 0:
            total = sum(checking.header.counts.values())
            pace.advance(CHECKED, _EVERY, placed.number - 1, total)
            await asyncio.sleep(0)
    assert checking is not None, "a sealed file has a first line"
    counts = dict(checking.counts)
    if counts != dict(checking.header.counts):
        raise InputError(
            f"{file.name} has {_listed(counts)}, its first line says "
            f"{_listed(checking.header.counts)}"
        )
    try:
        checking.finish()
    except UnreadableError as error:
        raise InputError(f"{file.name}: {error}") from None
    return checking.header, [*checking.samples.values()]


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing"


@dataclass(slots=True)
class _Checking:
    header: Header
    counts: Counter[str] = field(default_factory=Counter)
    samples: dict[str, Record] = field(default_factory=dict)  # the first record of each table
    rows: dict[str, int] = field(default_factory=dict)  # the sum of each row, by ``table:id``
    logged: dict[str, int] = field(default_factory=dict)
    """The sum of each record as the events left it."""
    leads: dict[tuple[str, str], str] = field(default_factory=dict)
    """First reference to each record, by table and id."""
    lengths: dict[str, int] = field(default_factory=dict)  # of the texts of episodes
    heirs: dict[str, str] = field(default_factory=dict)  # the kept entity of each merged one

    def add(self, line: Line) -> None:
        kind = line.get("record")
        if kind == EVENT:
            row_of(line, self.header.group)
            if line["seq"] != self.counts[EVENT] + 1:
                raise UnreadableError(
                    f"this is event {line['seq']}, expected event {self.counts[EVENT] + 1}"
                )
            # A record may be erased and written anew in one event, whatever it lists first.
            for change in sorted(line["changes"], key=lambda each: each["after"] is not None):
                self._change(change["record"], change["before"], change["after"])
        else:
            self._row(shape_of(line), line)
        self.counts[str(kind)] += 1

    def finish(self) -> None:
        """Compare, when every line was read."""
        for (table, id_), by in self.leads.items():
            if f"{table}:{id_}" not in self.rows:
                raise UnreadableError(f"{by} leads to {table} {id_!r}, which no line has")
        for id_ in self.heirs:
            self._check_merges(id_)
        for record, total in self.rows.items():
            logged = self.logged.pop(record, None)
            if logged is None:
                raise UnreadableError(f"no event refers to {record}")
            if logged != total:
                raise UnreadableError(
                    f"{record} is not what the events of the file make of it: export again from a "
                    "graph that check() finds sound"
                )
        if self.logged:
            raise UnreadableError(
                f"the events refer to {next(iter(self.logged))}, which no line has"
            )

    def _change(
        self, record: str, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None
    ) -> None:
        if record.partition(":")[0] not in {shape.table for shape in shapes().values()}:
            return
        if after is None:
            self.logged.pop(record, None)
        elif before is None or record not in self.logged:
            self.logged[record] = _sum(after)
        else:
            self.logged[record] += _sum(after) - _sum({name: before.get(name) for name in after})

    def _row(self, shape: Shape, line: Line) -> None:
        row, table = shape.row(line), shape.table
        record = f"{table}:{row['id']}"
        for column in (STATED | {"names"}) & row.keys():
            try:
                if column == "names":
                    check_names(row[column])
                else:
                    check_stated(row[column], row["id"])
            except ValueError as error:
                what = f"{column!r} has an invalid statement: {error}"
                raise UnreadableError(what) from None
        if record in self.rows:
            raise UnreadableError(f"{shape.kind} {row['id']!r} is there twice")
        image = {**row, "group_id": self.header.group, "id": None, VECTOR: None}
        for end, of in zip(("in", "out"), shape.ends or (), strict=False):
            self._check_known(of, row[end])
            image[end] = f"{of}:{row[end]}"
        if table == "passage":
            self._check_known("episode", row["episode"])
        for span in row.get("sources", ()):
            self._check_span(span)
        if self.header.vectors and row.get(VECTOR) is not None:
            self._check_vector(row[VECTOR])
        for pointer in _pointers(table, row):
            self.leads.setdefault(pointer, f"{shape.kind} {row['id']!r}")
        if table == "episode":
            self.lengths[row["id"]] = len(row["content"])
        elif table == "entity" and row.get("merged_into") is not None:
            self.heirs[row["id"]] = row["merged_into"]
        self.rows[record] = _sum(image)
        self.samples.setdefault(table, Record(table, row["id"]))

    def _check_known(self, table: str, id_: str) -> None:
        if f"{table}:{id_}" not in self.rows:
            raise UnreadableError(f"it leads to {table} {id_!r}, which no line before it has")

    def _check_vector(self, data: bytes) -> None:
        if len(data) != 4 * self.header.dimension:
            raise UnreadableError(
                f"'{VECTOR}' has {len(data) / 4:g} numbers, expected {self.header.dimension}"
            )
        try:
            unit_vectors(np.frombuffer(data, "<f4"), (self.header.dimension,))
        except BadVectorError as error:
            raise UnreadableError(
                f"'{VECTOR}' {error}: expected finite numbers, not all of them 0"
            ) from None

    def _check_span(self, span: Mapping[str, Any]) -> None:
        match span:
            case {"episode": str(episode), "start": int(start), "end": int(end)}:
                length = self.lengths.get(episode)
                if length is None:
                    raise UnreadableError(f"it rests on episode {episode!r}, which no line has")
                if 0 <= start <= end <= length:
                    return
                raise UnreadableError(
                    f"it rests on characters {start} to {end} of episode {episode!r}, which has "
                    f"{length}"
                )
        raise UnreadableError("a source has episode, start and end")

    def _check_merges(self, id_: str) -> None:
        """Refuse a chain of merges that leads back to where it began."""
        seen = {id_}
        while (heir := self.heirs.get(id_)) is not None:
            if heir in seen:
                raise UnreadableError(f"entity {id_!r} is merged into itself")
            seen.add(heir)
            id_ = heir


def _pointers(table: str, row: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what a row leads to that may stand on a later line."""
    if table == "entity":
        yield from ((table, other) for other in row.get("distinct_from", ()))
    column = {"entity": "merged_into", "relates_to": "invalidated_by", "community": "parent"}
    if row.get(column.get(table, "")) is not None:
        yield table, row[column[table]]


def _sum(image: Mapping[str, Any]) -> int:
    """Add up the columns of a record; what is empty is as good as missing."""
    return sum(hash((name, _hash(item))) for name, item in image.items() if item)


def _hash(item: Any) -> int:
    if type(item) is str:
        return hash(item)
    if type(item) is datetime:  # as the log has it
        return hash(moment(item))
    return hash(("", str(item) if type(item) is int else _JSON.encode(_number(item))))


def _number(item: Any) -> Any:
    """Return a value with 1 for 1.0, at any depth."""
    match item:
        case float():
            return int(item) if item.is_integer() else item
        case list():
            return [_number(part) for part in item]
        case dict():
            return {name: _number(part) for name, part in item.items()}
        case _:
            return item
