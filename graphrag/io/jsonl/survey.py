"""Read an exported group to its end before anything is written: every line is checked.

Only ids and hashes are kept meanwhile, so a file may be larger than memory.
"""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from graphrag.errors import InputError
from graphrag.io.jsonl.agreement import Agreement
from graphrag.io.jsonl.lines import Header, Line, read
from graphrag.io.jsonl.shape import EVENT, VECTOR, Shape, UnreadableError, row_of, shape_of
from graphrag.io.transfer import Pace
from graphrag.model.unit_vectors import BadVectorError, unit_vectors
from graphrag.store.assertions import STATED, check_names, check_stated
from graphrag.store.record import Record

CHECKED = "checked"
"""What is counted while a file is read for the first time."""
_EVERY = 500


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
            row_of(line, self.header.group)
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


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "nothing"
