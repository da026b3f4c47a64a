"""The records in files of JSON or JSON Lines, however they are wrapped: as answers of an API are.

A list or an object with lists in it is walked through; what the object around a record says of all
in it, such as whose memories they are, the record says, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from graphrag.errors import InputError, TimeError
from graphrag.io.files import read_whole, refusals
from graphrag.io.folders import leads_out, stays_in
from graphrag.model.checks import parsed_json
from graphrag.model.values import JSON
from graphrag.temporal.moment import parse_moment

Record = tuple[str, Mapping[str, Any]]
"""Where it stands, and what it says."""
_ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_DEEPEST = 8
_AROUND = (
    "user_id", "agent_id", "run_id", "group_id", "graph_id", "graph_uuid", "session_id",
    "thread_id", "memory_id",
)  # fmt: skip
"""What an object says of all records in it."""
AROUND = "around"
"""Under this key stand the names of what an object says beside the records in it."""
_PAGING = frozenset(
    {"count", "next", "previous", "row_count", "total_count", "response_count", "total", "page",
     "page_size", "has_more", "cursor", "next_cursor", "limit", "created_at", "updated_at", "uuid_"}
)  # fmt: skip
_ZONE = re.compile(r"\[[\w/+-]+\]$")
"""What Neo4j writes after a moment: ``2024-05-01T00:00Z[UTC]``."""
_MILLISECONDS = 100_000_000_000


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are meant; of a folder those of JSON, by name.

    Raises:
        InputError: if there are none, or one in a folder is a link that leads out of it.
    """
    found: list[Path] = []
    for path in paths:
        with refusals("read", path):  # a name may be too long to ask for
            inside = sorted(path.iterdir()) if path.is_dir() else [path]
        if inside != [path]:
            inside = [file for file in inside if file.name.casefold().endswith(_ENDINGS)]
        for file in inside:
            if file != path and not stays_in(file, path):
                raise InputError(leads_out(file, path))
        found += inside
    if not found:
        raise InputError(f"there is no .json or .jsonl file in {', '.join(map(str, paths))}")
    return found


def records_of(file: Path) -> Iterator[Record]:
    """Yield the records of a file.

    Raises:
        InputError: if there is no such file, or it is no JSON, naming the line.
    """
    data = read_whole(file)
    if not data.strip():
        raise InputError(f"{file.name} is empty")
    try:
        yield from _walk(parsed_json(file.name, data), file.name, {}, 0)
        return
    except InputError:
        lines = data.splitlines()
        filled = [line for line in lines if line.strip()]
        if len(filled) < 2 or not _is_json(filled[0]):
            raise
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{file.name}, line {number}"
            yield from _walk(parsed_json(place, line), place, {}, 0)


def _is_json(line: bytes) -> bool:
    try:
        parsed_json("", line)
    except InputError:
        return False
    return True


def _walk(value: JSON, place: str, around: Mapping[str, Any], depth: int = 0) -> Iterator[Record]:
    if isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from _walk(item, f"{place}, record {number}", around, depth + 1)
    elif not isinstance(value, Mapping):
        yield place, {"value": value}
    elif is_record(value) or not _wraps(value, depth):
        yield place, {**around, **value}
    else:
        own = {name: value[name] for name in _AROUND if isinstance(value.get(name), str)}
        inner = {name: item for name, item in value.items() if _holds(item, depth)}
        for name, item in inner.items():
            yield from _walk(item, f"{place}, {name}", {**around, **own}, depth + 1)
        rest = [
            name
            for name, item in value.items()
            if name not in {*own, *inner, *_PAGING} and item not in (None, "", [], {})
        ]
        if rest:
            yield place, {AROUND: rest}


def _wraps(value: Mapping[str, Any], depth: int) -> bool:
    return depth < _DEEPEST and any(_holds(item, depth) for item in value.values())


def _holds(value: JSON, depth: int) -> bool:
    """Tell whether there are records in a value."""
    if isinstance(value, list):
        return any(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping) and (is_record(value) or _wraps(value, depth + 1))


def is_record(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a record, and no wrapping around some."""
    if value.get("type") in ("node", "relationship") and "id" in value:
        return True
    if isinstance(value.get("uuid"), str):
        return True
    if {"memory_id", "event"} <= value.keys() or {"id", "memory"} <= value.keys():
        return True
    if {"source", "relationship"} <= value.keys():
        return True
    return isinstance(value.get("content"), str) and ("role" in value or "role_type" in value)


def moment_of(value: object) -> datetime | None:
    """Return a moment as these programs write it, None for none.

    Raises:
        TimeError: if it is none.
    """
    if value is None or value == "":
        return None
    if isinstance(value, int | float) and not isinstance(value, bool):
        try:
            seconds = value / 1000 if value > _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC)
        except (OverflowError, OSError, ValueError):
            raise TimeError(f"{value!r} is no time") from None
    if not isinstance(value, str):
        raise TimeError(f"{value!r} is no time")
    return parse_moment(_ZONE.sub("", value.strip()))
