"""Rows of a group rewritten for another group, with new ids where the target has the old ones.

A new id keeps the old one's moment, so both sort alike, and derives from it and the group's name,
so links and log images agree.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

from graphrag.model.ids import RANDOM, masked
from graphrag.store.assertions import joined, parts
from graphrag.store.engine import Row
from graphrag.store.record import Record

_POINTERS = (
    *("in", "out", "episode", "invalidated_by", "merged_into", "distinct_from", "parent"),
    *("rivals", "derived_from"),
)
"""Columns that hold ids, beside the id of the row; ``sources`` hold them in ``episode``."""


_STATED = frozenset({"id", "source", "object_id", "excludes", "by", "fact"})
"""What holds ids in a statement; texts are left as they are."""


@dataclass(slots=True)
class Renaming:
    """From one group to another."""

    group: str
    """Name of the old one."""
    name: str
    """Of the new one."""
    renews: bool
    """Ids are to be renewed."""
    _mask: int = field(init=False)

    def __post_init__(self) -> None:
        """Take what new ids differ by from the name."""
        digest = blake2b(self.name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        self._mask = int.from_bytes(digest) & RANDOM or 1

    def id(self, id_: str) -> str:
        """Return the new id of a row; ids made of several are renewed in each part."""
        return masked(id_, self._mask) if self.renews else id_

    def record(self, record: Record) -> Record:
        """Return the record of the new group that stands for one of the old group."""
        match record.table:
            case "event":
                return Record("event", [self.name, record.id[1]])
            case "group_info":
                return Record("group_info", self.name)
            case table:
                return Record(table, self.id(record.id))

    def row(self, row: Row) -> Row:
        """Return a row of a table as the new group has it."""
        if not self.renews and self.name == self.group:
            return row
        found = {**self._columns(row), "id": self.record(row["id"])}
        if row["id"].table == "event":
            found["changes"] = self._changes(row["changes"])
        return found

    def _columns(self, row: Mapping[str, Any]) -> dict[str, Any]:
        found = {**row}
        if "group_id" in found:
            found["group_id"] = self.name
        if self.renews:
            for column in _POINTERS:
                if column in found:
                    found[column] = self._pointer(found[column])
            if found.get("sources"):
                found["sources"] = [
                    {**span, "episode": self.id(span["episode"])} for span in found["sources"]
                ]
            for column in ("statements", "endings"):
                if found.get(column):
                    found[column] = joined(map(self._stated, parts(found[column])))
            if found.get("names"):
                found["names"] = [self._stated(one) for one in found["names"]]
        return found

    def _stated(self, one: Mapping[str, Any]) -> dict[str, Any]:
        """Return a statement, or why it does not stand, with the ids of the new group."""
        renewed = {
            name: self._pointer(value) if name in _STATED else value for name, value in one.items()
        }
        if "void" in renewed:
            renewed["void"] = self._stated(renewed["void"])
        return renewed

    def _pointer(self, value: Any) -> Any:
        match value:
            case str():
                return self.id(value)
            case Record():
                return Record(value.table, self.id(value.id))
            case list() | tuple():
                return [self._pointer(item) for item in value]
            case _:
                return value

    def _changes(self, text: str) -> str:
        changes = json.loads(text)
        for change in changes:
            table, _, id_ = change["record"].partition(":")
            change["record"] = f"{table}:{self.name if table == 'group_info' else self.id(id_)}"
            for side in ("before", "after"):
                if change[side]:
                    change[side] = self._columns(change[side])
        return json.dumps(changes, ensure_ascii=False, separators=(",", ":"))
