"""Read an exported group to its end before anything is written: every line is checked.

Only ids and hashes are kept meanwhile, so a file may be larger than memory.
"""

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from graphrag.errors import InputError
from graphrag.io.copy_group import Pace
from graphrag.io.jsonl.agreement import Agreement
from graphrag.io.jsonl.lines import EVENT, Header, Line, read
from graphrag.io.jsonl.shape import VECTOR, Shape, UnreadableError, read_moment, shapes
from graphrag.model.unit_vectors import BadVectorError, unit_vectors
from graphrag.store.assertions import STATED, check_names, check_stated
from graphrag.store.engine import Row
from graphrag.store.record import Record

CHECKED = "checked"
"""What is counted while a file is read for the first time."""
_EVERY = 500
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


@dataclass(frozen=True, slots=True)
class Surveyed:
    """A file that may be imported."""

    header: Header
    samples: tuple[Record, ...]
    """One record of each table."""


async def survey(file: Path, pace: Pace) -> Surveyed:
    """Read a file to its end, and return what it is.

    Raises:
        InputError: naming the line that is not as it should be, and what would be right.
    """
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
            f"{file.name} has {_listed(counts)}, its first line tells of "
            f"{_listed(checking.header.counts)}"
        )
    try:
        checking.agreement.check(checking.ids)
    except UnreadableError as error:
        raise InputError(f"{file.name}: {error}") from None
    samples = (Record(table, next(iter(ids))) for table, ids in checking.ids.items() if ids)
    return Surveyed(checking.header, tuple(samples))


@dataclass(slots=True)
class _Checking:
    """The lines so far."""

    header: Header
    counts: Counter[str] = field(default_factory=Counter)
    ids: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By table."""
    agreement: Agreement = field(init=False)

    def __post_init__(self) -> None:
        """Begin to compare the rows with the log."""
        self.agreement = Agreement(self.header.group)

    def add(self, line: Line) -> None:
        kind = line.get("record")
        if kind == EVENT:
            event_row(line, self.header.group)
            if line["seq"] != self.counts[EVENT] + 1:
                raise UnreadableError(
                    f"this is event {line['seq']}, expected event {self.counts[EVENT] + 1}"
                )
            # A record may be erased and written anew in one event, whatever it lists first.
            for change in sorted(line["changes"], key=lambda each: each["after"] is not None):
                self.agreement.change(change)
        else:
            self._record(shape_of(line), line)
        self.counts[str(kind)] += 1

    def _record(self, shape: Shape, line: Line) -> None:
        row = shape.row(line)
        for column in (STATED | {"names"}) & row.keys():
            try:
                if column == "names":
                    check_names(row[column])
                else:
                    check_stated(row[column], row["id"])
            except ValueError as error:
                what = f"{column!r} holds what nobody can have said: {error}"
                raise UnreadableError(what) from None
        if row["id"] in self.ids[shape.table]:
            raise UnreadableError(f"{shape.kind} {row['id']!r} is there twice")
        self.ids[shape.table].add(row["id"])
        for end, table in zip(("in", "out"), shape.ends or (), strict=False):
            self._known(table, row[end])
        if shape.table == "passage":
            self._known("episode", row["episode"])
        self.agreement.row(shape, row)
        if self.header.vectors and row.get(VECTOR) is not None:
            self._vector(row[VECTOR])

    def _known(self, table: str, id_: str) -> None:
        if id_ not in self.ids[table]:
            raise UnreadableError(f"it leads to {table} {id_!r}, which no line before it has")

    def _vector(self, data: bytes) -> None:
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


def shape_of(line: Line) -> Shape:
    """Return what a line is to look like.

    Raises:
        UnreadableError: if nothing is called so.
    """
    kind = line.get("record")
    found = shapes().get(kind) if isinstance(kind, str) else None
    if found is None:
        known = ", ".join((*shapes(), EVENT))
        raise UnreadableError(f"record {kind!r} is not known: expected one of {known}")
    return found


def record_row(line: Line, group: str) -> Row:
    """Return the row of a record's line."""
    shape = shape_of(line)
    row = shape.row(line)
    row |= {"id": Record(shape.table, row["id"]), "group_id": group}
    for end, table in zip(("in", "out"), shape.ends or (), strict=False):
        row[end] = Record(table, row[end])
    return row


def event_row(line: Line, group: str) -> Row:
    """Return the row of an event's line.

    Raises:
        UnreadableError: if it is none.
    """
    match line:
        case {
            "seq": int(seq),
            "at": str(at),
            "actor": str(actor),
            "kind": str(kind),
            "changes": list(changes),
        } if not line.keys() - {"record", "seq", "at", "actor", "kind", "changes", "note"}:
            note = line.get("note")
            if note is not None and not isinstance(note, str):
                raise UnreadableError(f"'note' is {note!r}: expected text")
            for change in changes:
                _check_change(change)
            return {
                "id": Record(EVENT, [group, seq]),
                "group_id": group,
                "seq": seq,
                "at": _moment("at", at),
                "actor": actor,
                "kind": kind,
                "changes": _JSON.encode(changes),
                **({} if note is None else {"note": note}),
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


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing"
