"""The formats that a graph is exported to, and what an export tells when it is done."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from graphrag.errors import InputError
from graphrag.io.files import ending

Format = Literal["jsonl", "csv", "graphml", "turtle", "html"]
LINES: Format = "jsonl"
WHOLE = "surreal-graphrag"
"""What the first of its lines calls the format of a whole graph."""
_ENDINGS: dict[str, Format] = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".graphml": "graphml",
    ".ttl": "turtle",
    ".html": "html",
}
_FORMATS: dict[str, Format] = {name: name for name in _ENDINGS.values()}


@dataclass(frozen=True, slots=True)
class Exported:
    """A file that was written."""

    file: Path
    format: Format
    group: str
    records: dict[str, int]
    """How many of each kind are in it: ``entity``, ``fact``, and in ``jsonl`` all others."""
    bytes: int
    """Size of the file."""
    seconds: float


def format_of(file: str | Path, given: str | None) -> Format:
    """Return the format that is meant.

    Raises:
        InputError: if there is no such format, or the ending names none.
    """
    if given is None:
        found = _ENDINGS.get(ending(Path(file)))
        if found is None:
            raise InputError(
                f"{file} has no ending that names a format: use {', '.join(_ENDINGS)}, or give "
                f"format as one of {', '.join(_FORMATS)}"
            )
        return found
    if given not in _FORMATS:
        raise InputError(f"format {given!r} is not known: use one of {', '.join(_FORMATS)}")
    return _FORMATS[given]
