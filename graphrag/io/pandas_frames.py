"""Views as pandas data frames, and facts as CSV (RFC 4180, UTF-8).

Cells that begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return get an apostrophe,
which reading removes: spreadsheets would run them as formulas.
"""

import csv
import json
import re
from collections import Counter
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag.errors import MissingExtraError
from graphrag.io.files import Put
from graphrag.io.shown import ENTITY_CELLS, FACT_CELLS, Shown
from graphrag.store.rows import plain

if TYPE_CHECKING:
    import pandas

_RISKY = re.compile(r"'*[=+\-@\t\r]")
_MARK = "'"


async def write_csv(shown: Shown, put: Put) -> dict[str, int]:
    """Write the facts of a view, and return how many there are."""
    count = 0
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    async for page in shown.facts():
        for fact in page:
            cells = shown.fact_cells(fact)
            cells["episodes"] = " ".join(cells["episodes"])
            writer.writerow([cell_of(cells[name]) for name in _COLUMNS])
        count += len(page)
        put(text.getvalue().encode())
        text.seek(0)
        text.truncate()
    put(text.getvalue().encode())
    return {"fact": count}


def unmarked(cell: str) -> str:
    """Return a cell without the mark that it is text."""
    return cell[1:] if cell.startswith(_MARK) and _RISKY.match(cell) else cell


_COLUMNS = tuple(
    "subject subject_type relation object object_type valid_at invalid_at observed "
    "confidence text reference_time provenance attributes origin episodes closed_as id".split()
)


def cell_of(item: Any) -> str:
    """Return a value as the cell of a table."""
    match item:
        case None:
            return ""
        case str():
            return _MARK + item if _RISKY.match(item) else item
        case bool():
            return "true" if item else "false"
        case float() | int():
            return repr(item)
        case dict() | list():
            return json.dumps(item, ensure_ascii=False) if item else ""
        case _:
            return str(plain(item))


_MOMENTS = frozenset({"valid_at", "invalid_at", "reference_time", "created_at"})
_ENDS = ("subject_id", "object_id")
_DEGREE = "degree"


class Frames(NamedTuple):
    """A graph as two tables."""

    facts: "pandas.DataFrame"
    """One row each: both ends with name, type and id, lifetime, sentence, confidence, episodes."""
    entities: "pandas.DataFrame"
    """One row each, with the number of its facts as ``degree``."""


async def frames_of(shown: Shown) -> Frames:
    """Return the facts and the entities of a view.

    Raises:
        MissingExtraError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("export.pandas()", "analysis") from None
    entities, facts = await shown.rows()
    degrees = Counter(cells[end] for cells in facts for end in _ENDS)
    for cells in entities:
        cells[_DEGREE] = degrees[cells["id"]]

    def frame(rows: list[dict[str, Any]], names: tuple[str, ...]) -> "pandas.DataFrame":
        columns = {name: _column([row[name] for row in rows], name) for name in names}
        found = pandas.DataFrame(columns)
        for name in _MOMENTS & columns.keys():
            found[name] = found[name].dt.tz_localize("UTC")
        return found

    return Frames(frame(facts, (*FACT_CELLS, *_ENDS)), frame(entities, (*ENTITY_CELLS, _DEGREE)))


def _column(cells: list[Any], name: str) -> Any:
    """Return the cells of a column; moments as numpy has them, exact to the microsecond."""
    return np.array(list(map(_utc, cells)), dtype="datetime64[us]") if name in _MOMENTS else cells


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)
