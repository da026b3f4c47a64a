"""Rows with named columns to facts."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import numpy as np

from graphrag.errors import InputError
from graphrag.ingest.given import End, GivenFact, checked_vector, given_end, given_fact
from graphrag.model.checks import parsed_json, shown
from graphrag.model.values import JSON
from graphrag.protocols import Matrix

Row = Mapping[str, Any]
Placed = tuple[str, Row | InputError]
"""Name of a row in an error (``jobs.csv, line 7: ``), and the row or the reason why it is none."""
Columns = Mapping[str, str]
"""The table's own name of a column, by what ``load.facts`` calls it."""

COLUMNS = dict.fromkeys(
    "subject relation object valid_at invalid_at reference_time observed text confidence source "
    "provenance subject_type object_type attributes subject_attributes object_attributes "
    "embedding subject_embedding object_embedding".split()
)
"""Columns that a fact is made of, see ``load.facts``. ``attributes.NAME`` is one attribute of the
fact, as ``subject_attributes.NAME`` and ``object_attributes.NAME`` are of its ends."""
BESIDE = frozenset(
    {"id", "origin", "episodes", "created_at", "subject_id", "object_id", "closed_as"}
)
"""Columns of an export that a fact does not take over: it is stated anew."""
_REQUIRED = ("subject", "relation", "object")
_OBJECTS = ("attributes", "subject_attributes", "object_attributes")
_USE = f"use {', '.join(COLUMNS)}, or attributes.NAME of the fact or of one of its ends"
_PRESENT = frozenset({np.ndarray, datetime, list, dict, int})  # types that are never an empty cell


def is_column(name: object) -> bool:
    """Tell whether a column is one that a fact is made of."""
    return name in COLUMNS or (isinstance(name, str) and name.partition(".")[0] in _OBJECTS)


def checked_columns(names: Iterable[str]) -> None:
    """Say which name is that of no column, if one is."""
    for name in names:
        if not is_column(name):
            raise InputError(f"there is no column {name!r} to fill: {_USE}")


def given_row(
    row: Row | InputError,
    place: str,
    *,
    source: str | None,
    dimension: int | None,
    defaults: Row | None = None,
) -> GivenFact:
    """Return the fact of a row; ``defaults`` stand where a cell is missing or empty.

    Vectors are left out if their ``dimension`` is not known.
    """
    try:
        cells = _cells(row, defaults or {})
        subject, object_ = (_end(cells, name, dimension) for name in ("subject", "object"))
        once = cells.get("closed_as") == "past"
        return given_fact(
            subject,
            cells["relation"],
            object_,
            valid_at=cells.get("valid_at"),
            invalid_at=None if once else cells.get("invalid_at"),
            reference_time=cells.get("invalid_at" if once else "reference_time"),
            kind="was" if once else "state",
            observed=_flag(cells.get("observed")),
            text=cells.get("text"),
            confidence=_number(cells.get("confidence", 1.0)),
            attributes=cells.get("attributes"),
            source=_source(cells.get("source")) or source,
            provenance=_texts(cells, "provenance") if "provenance" in cells else (),
            vector=_vector(cells, "embedding", dimension),
            place=place,
        )
    except InputError as error:
        raise type(error)(f"{place}{error}") from None


def _cells(row: Row | InputError, defaults: Row) -> dict[str, Any]:
    """Return the filled cells of a row by column, with the attributes in one."""
    if isinstance(row, InputError):
        raise row
    if type(row) is not dict and not isinstance(row, Mapping):
        raise InputError(f"{shown(row)} has no named columns: pass mappings such as dict")
    cells = {
        name: cell for name, cell in row.items() if type(cell) in _PRESENT or not _missing(cell)
    }
    if defaults:
        cells = {**defaults, **cells}
    parts: dict[str, dict[str, JSON]] = {}
    for name in [] if cells.keys() <= COLUMNS.keys() else [*cells.keys()]:
        if name in COLUMNS or name in BESIDE:
            continue
        if not isinstance(name, str) or not is_column(name):
            raise InputError(f"there is no column {shown(name)}: {_USE}")
        whole, _, part = name.partition(".")
        parts.setdefault(whole, {})[part] = cells.pop(name)
    for name in _REQUIRED:
        if name not in cells:
            raise InputError(f"column {name!r} is missing or empty")
    for whole in _OBJECTS:
        if whole in cells or whole in parts:
            cells[whole] = {**_object(cells.get(whole, {}), whole), **parts.get(whole, {})}
    return cells


def _end(cells: Row, name: str, dimension: int | None) -> End:
    return given_end(
        cells[name],
        cells.get(f"{name}_type"),
        attributes=cells.get(f"{name}_attributes"),
        vector=_vector(cells, f"{name}_embedding", dimension),
        what=name,
    )


def _source(cell: object) -> str | None:
    if cell is not None and not isinstance(cell, str):
        raise InputError(f"column 'source' is {shown(cell)}: expected text")
    return cell


def _texts(cells: Row, name: str) -> tuple[str, ...]:
    found = _decoded(cells[name], name)
    if isinstance(found, str) or not isinstance(found, Sequence | np.ndarray):
        raise InputError(f"column {name!r} is {shown(cells[name])}: expected a list of texts")
    if wrong := [text for text in found if not isinstance(text, str)]:
        raise InputError(f"column {name!r} has {shown(wrong[0])}: expected a list of texts")
    return tuple(found)


def _flag(cell: object) -> bool | None:
    if cell is None or isinstance(cell, bool):
        return cell
    if isinstance(cell, np.bool_):
        return bool(cell)
    if isinstance(cell, str) and cell.strip().casefold() in ("true", "false"):
        return cell.strip().casefold() == "true"
    raise InputError(f"column 'observed' is {shown(cell)}: expected true or false")


def _number(cell: object) -> float:
    if type(cell) is float:
        return cell
    try:
        return float(cast(str, cell))
    except (TypeError, ValueError, OverflowError):
        raise InputError(f"column 'confidence' is {shown(cell)}: expected a number") from None


def _object(cell: object, name: str) -> Mapping[Any, JSON]:
    value = _decoded(cell, name)
    if not isinstance(value, Mapping):
        raise InputError(f"column {name!r} is {shown(cell)}: expected an object such as {{}}")
    return value


def _vector(cells: Row, name: str, dimension: int | None) -> Matrix | None:
    if name not in cells or dimension is None:
        return None
    return checked_vector(_decoded(cells[name], name), dimension, f"column {name!r}")


def _decoded(cell: object, name: str) -> object:
    return parsed_json(f"column {name!r}", cell) if isinstance(cell, str) else cell


def _missing(cell: object) -> bool:
    if cell is None:
        return True
    if isinstance(cell, str):
        return not cell or cell.isspace()
    if isinstance(cell, float):
        return cell != cell  # NaN
    return type(cell).__name__ in ("NaTType", "NAType")
