"""Facts as a table in a CSV file (RFC 4180, UTF-8), one row each.

A spreadsheet runs a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return as
a formula, and names come from texts that strangers wrote: such a cell gets an apostrophe before it,
by which a spreadsheet knows text, and reading the table takes it off again.
"""

import csv
import json
import re
from io import StringIO
from typing import Any

from graphrag.io.files import Put
from graphrag.io.shown import Shown
from graphrag.store.rows import plain

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


_COLUMNS = (
    "subject",
    "subject_type",
    "relation",
    "object",
    "object_type",
    "valid_at",
    "invalid_at",
    "observed",
    "confidence",
    "fact",
    "reference_time",
    "provenance",
    "attributes",
    "origin",
    "episodes",
    "closed_as",
    "id",
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
