"""Tables with named columns: CSV, JSON, JSON Lines, data frames.

Each row comes with its name in an error: its line in a file that has lines, else its number.
"""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import count
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from graphrag.errors import InputError
from graphrag.io.fact_rows import Columns, Placed, Row, checked_columns, is_column
from graphrag.io.files import WHOLE, check_there, ending, opened, read_whole, refusals
from graphrag.io.interchange import unmarked
from graphrag.io.network import Network
from graphrag.model.checks import parsed_json

_LONGEST = 1 << 22  # characters of a line: three vectors of 50,000 numbers, as text
_LARGEST = 1 << 28  # bytes of a JSON file


@runtime_checkable
class DataFrameLike(Protocol):
    """A data frame, as pandas and its like have it."""

    @property
    def columns(self) -> Iterable[Any]:
        """Return the names of the columns."""

    def itertuples(self, index: bool, name: None) -> Iterable[tuple[Any, ...]]:
        """Yield the rows."""


Rows = str | Path | Iterable[Row] | DataFrameLike | Network
"""A path, rows with named columns, a data frame, or a network of networkx."""


def read_rows(rows: Rows, columns: Columns | None = None) -> Iterator[Placed]:
    """Yield the rows of a table, whatever holds it, with the names that ``load.facts`` knows."""
    assert not isinstance(rows, Network), "a network is read as one"
    placed = read_file(Path(rows)) if isinstance(rows, str | Path) else _numbered(rows)
    if not columns:
        return placed
    checked_columns(columns)
    return _renamed(placed, columns)


def read_file(path: Path) -> Iterator[Placed]:
    """Yield the rows of a file by its ending."""
    check_there(path)
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


def _lines_of(text: TextIOWrapper, path: Path) -> Iterator[str]:
    for number in count(1):
        line = text.readline(_LONGEST)
        if len(line) == _LONGEST and not line.endswith(("\n", "\r")):
            raise InputError(
                f"{path.name}, line {number} has more than {_LONGEST >> 20} MB: this is no table"
            )
        if not line:
            return
        yield line


def _numbered(rows: Iterable[Row] | DataFrameLike) -> Iterator[Placed]:
    if isinstance(rows, DataFrameLike):
        names = [str(name) for name in rows.columns]
        cells = rows.itertuples(index=False, name=None)
        rows = (dict(zip(names, row, strict=True)) for row in cells)
    return ((f"row {number}: ", row) for number, row in zip(count(1), rows, strict=False))


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
        own = {name: cell for name, cell in row.items() if is_column(name)}
        yield place, own | {name: row[theirs] for name, theirs in columns.items() if theirs in row}


def _read_csv(path: Path, delimiter: str) -> Iterator[Placed]:
    with _text(path) as file:
        reader = csv.DictReader(_lines_of(file, path), delimiter=delimiter, strict=True)
        try:
            for row in reader:
                place = f"{path.name}, line {reader.line_num}: "
                if None in row:
                    yield place, InputError("it has more cells than the header")
                else:
                    yield place, {name: cell and unmarked(cell) for name, cell in row.items()}
        except (csv.Error, UnicodeDecodeError) as error:
            raise InputError(f"{path.name}, line {reader.line_num}: {error}") from None


def _read_json(path: Path) -> Iterator[Placed]:
    rows = parsed_json(path.name, read_whole(path, _LARGEST, advice="write a row a line (.jsonl)"))
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise InputError(f"{path.name} holds no list of rows")
    for number, row in enumerate(rows, 1):
        yield f"{path.name}, row {number}: ", row


def _read_lines(path: Path) -> Iterator[Placed]:
    with _text(path) as file:
        number = 0
        try:
            for number, line in enumerate(_lines_of(file, path), 1):
                place = f"{path.name}, line {number}: "
                if line.strip():
                    try:
                        row = parsed_json("it", line)
                    except InputError as error:
                        yield place, error
                        continue
                    if number == 1 and isinstance(row, dict) and row.get("format") == WHOLE:
                        raise InputError(
                            f"{path.name} is a whole graph and no table of facts: load.group() "
                            "makes it again"
                        )
                    yield place, row
        except UnicodeDecodeError as error:
            raise InputError(f"{path.name}, line {number}: no JSON: {error}") from None
