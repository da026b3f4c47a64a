"""Tables: CSV, JSON and JSON Lines files, data frames and any rows with named columns.

Each row comes with what to call it in an error: its line in a file that has lines, else its number.
"""

import csv
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from graphrag.direct.table import ATTRIBUTE, COLUMNS
from graphrag.errors import InputError
from graphrag.exchange.files import ending, opened, refusals
from graphrag.exchange.formats import WHOLE
from graphrag.exchange.network import Network
from graphrag.exchange.table import unmarked

Row = Mapping[str, Any]
Placed = tuple[str, Row]
"""What to call a row, such as ``jobs.csv, line 7: ``, and the row."""
Columns = Mapping[str, str]
"""The table's own name of a column, by what ``import_facts`` calls it."""


@runtime_checkable
class Frame(Protocol):
    """A data frame, as pandas and its like have it."""

    @property
    def columns(self) -> Iterable[Any]:
        """Return the names of the columns."""

    def itertuples(self, index: bool, name: None) -> Iterable[tuple[Any, ...]]:
        """Yield the rows."""


Rows = str | Path | Iterable[Row] | Frame | Network
"""A path, rows with named columns, a data frame, or a network of networkx."""


def read_rows(rows: Rows, columns: Columns | None = None) -> Iterator[Placed]:
    """Yield the rows of a table, whatever holds it, with the names that ``import_facts`` knows.

    Raises:
        InputError: if there is no such file, it cannot be read as its ending says, or a column that
            is named is not there.
    """
    if isinstance(rows, Network):
        raise InputError("a network is no table: it has nodes and edges")
    if isinstance(rows, Mapping):
        raise InputError("one mapping is no table: pass a list of rows, or use seed(...)")
    placed = read_file(Path(rows)) if isinstance(rows, str | Path) else _numbered(rows)
    return placed if not columns else _renamed(placed, _checked(columns))


def read_file(path: Path) -> Iterator[Placed]:
    """Yield the rows of a file by its ending.

    Raises:
        InputError: if there is none, or it cannot be read.
    """
    if not path.is_file():
        raise InputError(f"there is no file {path}")
    match ending(path):
        case ".csv":
            return _read_csv(path, ",")
        case ".tsv":
            return _read_csv(path, "\t")
        case ".json":
            return _read_json(path)
        case ".jsonl" | ".ndjson":
            return _read_lines(path)
    raise InputError(f"{path} is no table: use .csv, .tsv, .json, .jsonl or .graphml")


@contextmanager
def _text(path: Path) -> Iterator[TextIOWrapper]:
    """Give the text of a file, unpacked if it is packed, with its line ends as they are."""
    with opened(path) as file, TextIOWrapper(file, encoding="utf-8-sig", newline="") as text:
        with refusals("read", path):
            yield text


def _numbered(rows: Iterable[Row] | Frame) -> Iterator[Placed]:
    if isinstance(rows, Frame):
        names = [str(name) for name in rows.columns]
        cells = rows.itertuples(index=False, name=None)
        rows = (dict(zip(names, row, strict=True)) for row in cells)
    return ((f"row {number}: ", row) for number, row in zip(count(1), rows, strict=False))


def _checked(columns: Columns) -> Columns:
    for name in columns:
        if name not in COLUMNS and not name.startswith(ATTRIBUTE):
            raise InputError(
                f"there is no column {name!r} to fill: use {', '.join(COLUMNS)}, or attributes.NAME"
            )
    return columns


def _renamed(placed: Iterator[Placed], columns: Columns) -> Iterator[Placed]:
    """Yield rows with only the columns that are named, and those whose names are known anyway."""
    seen: set[str] = set()
    for place, row in placed:
        if not isinstance(row, Mapping):
            yield place, row  # refused for what it is
            continue
        for name, theirs in columns.items():
            if theirs not in row and name not in seen and name in ("subject", "relation", "object"):
                raise InputError(
                    f"{place}there is no column {theirs!r} for {name!r}: there are "
                    f"{', '.join(map(str, row))}"
                )
        seen.update(columns)
        own = {
            name: cell
            for name, cell in row.items()
            if name in COLUMNS or str(name).startswith(ATTRIBUTE)
        }
        yield place, own | {name: row[theirs] for name, theirs in columns.items() if theirs in row}


def _read_csv(path: Path, delimiter: str) -> Iterator[Placed]:
    with _text(path) as file:
        reader = csv.DictReader(file, delimiter=delimiter, strict=True)
        try:
            for row in reader:
                if None in row:
                    raise InputError(
                        f"{path.name}, line {reader.line_num}: it has more cells than the header"
                    )
                yield (
                    f"{path.name}, line {reader.line_num}: ",
                    {name: cell and unmarked(cell) for name, cell in row.items()},
                )
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(f"{path.name}, line {reader.line_num}: {error}") from None


def _read_json(path: Path) -> Iterator[Placed]:
    try:
        with _text(path) as file:
            rows = json.loads(file.read())
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name} is no JSON: {error}") from None
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError(f"{path.name} holds no list of rows")
    for number, row in enumerate(rows, 1):
        yield f"{path.name}, row {number}: ", row


def _read_lines(path: Path) -> Iterator[Placed]:
    with _text(path) as file:
        number = 0
        try:
            for line in file:
                number += 1
                if line.strip():
                    row = json.loads(line)
                    if number == 1 and isinstance(row, dict) and row.get("format") == WHOLE:
                        raise InputError(
                            f"{path.name} is a whole graph and no table of facts: import_group() "
                            "makes it again"
                        )
                    yield f"{path.name}, line {number}: ", row
        except (json.JSONDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{path.name}, line {number}: no JSON: {error}") from None
