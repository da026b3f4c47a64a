"""Agreement of the rows of a file with its own log, and with what they lead to.

``check`` finds a row that differs from its log after the import; here it is refused before. A file
may be larger than memory, so of each record only one number is kept: the sum of the hashes of its
columns, from which an event takes those that it changed.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from graphrag.io.jsonl.shape import VECTOR, Shape, UnreadableError, moment, shapes

_JSON = json.JSONEncoder(sort_keys=True)


@dataclass(slots=True)
class Agreement:
    """What the lines said so far."""

    group: str
    rows: dict[str, int] = field(default_factory=dict)
    """The sum of each row, by ``table:id``."""
    logged: dict[str, int] = field(default_factory=dict)
    """The sum of each record as the events left it."""
    leads: dict[tuple[str, str], str] = field(default_factory=dict)
    """What says that a record is there, by table and id: the first that does."""
    lengths: dict[str, int] = field(default_factory=dict)
    """Of the texts of episodes."""
    heirs: dict[str, str] = field(default_factory=dict)
    """Who a merged entity speaks through."""

    def row(self, shape: Shape, row: Mapping[str, Any]) -> None:
        """Take in a row: its own words, and what it leads to.

        Raises:
            UnreadableError: if it rests on characters that its episode does not have.
        """
        image = {**row, "group_id": self.group, "id": None, VECTOR: None}
        for end, table in zip(("in", "out"), shape.ends or (), strict=False):
            image[end] = f"{table}:{row[end]}"
        self.rows[f"{shape.table}:{row['id']}"] = _sum(image)
        for table, id_ in _pointers(shape.table, row):
            self.leads.setdefault((table, id_), f"{shape.kind} {row['id']!r}")
        if shape.table == "episode":
            self.lengths[row["id"]] = len(row["content"])
        elif shape.table == "entity" and row.get("merged_into") is not None:
            self.heirs[row["id"]] = row["merged_into"]
        for span in row.get("sources", ()):
            self._inside(span)

    def change(self, change: Mapping[str, Any]) -> None:
        """Take in a change of an event."""
        record, before, after = change["record"], change["before"], change["after"]
        if record.partition(":")[0] not in _tables():
            return
        if after is None:
            self.logged.pop(record, None)
        elif before is None or record not in self.logged:
            self.logged[record] = _sum(after)
        else:
            self.logged[record] += _sum(after) - _sum({name: before.get(name) for name in after})

    def check(self, ids: Mapping[str, set[str]]) -> None:
        """Compare, when every line was read; ``ids`` are those of each table.

        Raises:
            UnreadableError: naming a record that differs from the log or leads nowhere.
        """
        for (table, id_), by in self.leads.items():
            if id_ not in ids[table]:
                raise UnreadableError(f"{by} leads to {table} {id_!r}, which no line has")
        for id_ in self.heirs:
            self._ends(id_)
        for record, total in self.rows.items():
            logged = self.logged.pop(record, None)
            if logged is None:
                raise UnreadableError(f"no event tells of {record}")
            if logged != total:
                raise UnreadableError(
                    f"{record} is not what the events of the file make of it: export again from a "
                    "graph that check() finds sound"
                )
        if self.logged:
            raise UnreadableError(
                f"the events tell of {next(iter(self.logged))}, which no line has"
            )

    def _inside(self, span: Mapping[str, Any]) -> None:
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

    def _ends(self, id_: str) -> None:
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
        if row.get("merged_into") is not None:
            yield "entity", row["merged_into"]
        yield from (("entity", other) for other in row.get("distinct_from", ()))
    elif table == "relates_to" and row.get("invalidated_by") is not None:
        yield "relates_to", row["invalidated_by"]
    elif table == "community" and row.get("parent") is not None:
        yield "community", row["parent"]


@cache
def _tables() -> frozenset[str]:
    return frozenset(shape.table for shape in shapes().values())


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
            return [_number(one) for one in item]
        case dict():
            return {name: _number(one) for name, one in item.items()}
        case _:
            return item
