"""Change sets: what one transaction writes, with the event that records it.

The number of the event is the lock: if it is taken, nothing is written and the caller plans again.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from graphrag.model.values import Community, Entity, Episode, Fact, Saga
from graphrag.protocols import Matrix
from graphrag.store.engine import Row
from graphrag.store.record import Record, linked
from graphrag.store.rows import TABLES, plain, to_row, vector_bytes

if TYPE_CHECKING:
    from graphrag.store.store import Store

_EDGES = ("relates_to", "mentions", "occurred_after", "has_member")
# Endpoints first: ENFORCED relations refuse an edge whose records do not exist yet.
_ORDER = ("group_info", "episode", "entity", "saga", "community", "passage", *_EDGES)
_NODES = {"episode", "entity"}
_VALUES = set(TABLES.values())
_HUSHED = {"id", "embedding"}
_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=plain)
FORGET = "forget"
"""The only kind of event that erases what people stated."""
REPAIR = "repair"
"""Kind of an event that writes rows anew as the log has them, or their vectors."""
LIBRARY = "library"
"""The actor of what nobody put a name to."""
AnyValue = Episode | Entity | Fact | Community | Saga
Changing = TypeVar("Changing", Episode, Entity, Fact, Community, Saga)


@dataclass(frozen=True, slots=True)
class Update:
    """A change of some fields of one record; ``before`` and ``after`` have the same keys."""

    table: str
    id: str
    before: Mapping[str, Any]
    after: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ready:
    """A transaction that only needs to be sent, if it is to be event number ``seq``."""

    seq: int
    at: datetime
    sql: str
    params: Mapping[str, Any]


@dataclass(slots=True)
class ChangeSet:
    """Everything one transaction writes to one group."""

    group_id: str
    kind: str
    actor: str = ""
    """Who writes; empty for the one that the graph was opened for."""
    note: str | None = None
    """Why, in words, kept with the event."""
    inserts: dict[str, list[Row]] = field(default_factory=dict)
    updates: list[Update] = field(default_factory=list)
    deletes: list[tuple[str, Row]] = field(default_factory=list)
    """Table and old row of records to remove: links and derived records; of facts, entities and
    episodes, with their vectors, only what ``history/erase.py`` erases."""
    again: set[str] = field(default_factory=set)
    """Inserted records, as ``table:id``, that were lost: the log has them already."""
    rewrites: list[Row] = field(default_factory=list)
    """Events without what ``erase`` erases: id, changes, note and actor."""
    clean: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """Takes what is erased out of the images of this event, too."""
    images: dict[tuple[str, str], str] = field(default_factory=dict)
    """The images of inserted values by table and id, as JSON, once the event is made."""
    ready: "Ready | None" = None
    """The transaction, encoded ahead of its turn; whoever adds to the changes encodes it anew."""
    leaves: Callable[[], None] | None = None
    """Told when the engine gets it: whoever waits for that goes on while the engine works."""

    def __bool__(self) -> bool:
        return bool(self.inserts or self.updates or self.deletes)

    def insert(self, value: AnyValue, vector: Matrix | None = None) -> None:
        """Add a value with its embedding."""
        row = to_row(value)
        if vector is not None:
            row["embedding"] = vector_bytes(vector)
        self.insert_row(TABLES[type(value)], row)

    def insert_row(self, table: str, row: Row) -> None:
        """Add a row as it is."""
        self.inserts.setdefault(table, []).append(row)

    def touched(self) -> list[tuple[str, str]] | None:
        """Return the table and the id of each record that differs afterwards; None: any may."""
        if self.rewrites or any(table in _NODES for table, _ in self.deletes):
            return None  # a node takes its links along
        inserted = (row["id"] for rows in self.inserts.values() for row in rows)
        deleted = (row["id"] for _, row in self.deletes)
        return [
            *((record.table, str(record.id)) for record in (*inserted, *deleted)),
            *((update.table, update.id) for update in self.updates),
        ]

    def new_rows(self, table: str) -> list[Row]:
        """Return the inserted rows of a table that the log did not have."""
        return [row for row in self.inserts.get(table, ()) if str(row["id"]) not in self.again]

    def change(self, before: Changing, after: Changing, vector: Matrix | None = None) -> None:
        """Note the fields in which a stored value is to differ; none of them, no change."""
        old, new = to_row(before), to_row(after)
        if vector is not None:
            new["embedding"] = vector_bytes(vector)
        if changed := sorted(key for key in old | new if old.get(key) != new.get(key)):
            was, becomes = ({key: row.get(key) for key in changed} for row in (old, new))
            self.updates.append(Update(TABLES[type(before)], before.id, was, becomes))

    def statements(self, seq: int, at: datetime) -> tuple[str, dict[str, Any]]:
        """Return the SurrealQL and its parameters for this change as event number ``seq``."""
        params: dict[str, Any] = {"event": self._event(seq, at)}
        # The event comes first: it fails at once when another writer took this number.
        lines = ["CREATE $event.id CONTENT $event RETURN NONE;"]
        if self.deletes:
            params["deletes"] = [row["id"] for _, row in self.deletes]
            lines.append("DELETE $deletes RETURN NONE;")
        for table in _ORDER:
            if rows := self.inserts.get(table):
                relation = "RELATION " if table in _EDGES else ""
                lines.append(f"INSERT {relation}INTO {table} ${table} RETURN NONE;")
                params[table] = [linked(table, row) for row in rows]
        if self.updates:
            params["updates"] = [
                {"id": Record(update.table, update.id), "set": linked(update.table, update.after)}
                for update in self.updates
            ]
            lines.append("FOR $u IN $updates { UPDATE $u.id MERGE $u.set RETURN NONE };")
            if objects := list(self._objects()):
                params["objects"] = objects
                lines.append("FOR $o IN $objects { UPDATE $o.id PATCH $o.patch RETURN NONE };")
        if self.rewrites:
            params["rewrites"] = self.rewrites
            lines.append(
                "FOR $r IN $rewrites { UPDATE $r.id SET changes = $r.changes, note = $r.note, "
                "actor = $r.actor RETURN NONE };"
            )
        return "\n".join(lines), params

    def _objects(self) -> Iterable[Row]:
        """Yield the object fields to replace: MERGE alone keeps the keys that are to go."""
        for update in self.updates:
            patch = [
                {"op": "add", "path": f"/{column}", "value": item}
                for column, item in update.after.items()
                if isinstance(item, Mapping)
            ]
            if patch:
                yield {"id": Record(update.table, update.id), "patch": patch}

    def _event(self, seq: int, at: datetime) -> Row:
        return {
            "id": Record("event", [self.group_id, seq]),
            "group_id": self.group_id,
            "seq": seq,
            "at": at,
            "actor": self.actor or LIBRARY,
            "kind": self.kind,
            "changes": self._images(),
            **({"note": self.note} if self.note else {}),
        }

    def _images(self) -> str:
        images = f"[{','.join((*self._inserted(), *map(_JSON.encode, self._changes())))}]"
        if self.clean is None:
            return images
        return json.dumps([self.clean(image) for image in json.loads(images)], ensure_ascii=False)

    def _inserted(self) -> Iterable[str]:
        for table, rows in self.inserts.items():
            for row in self.new_rows(table) if self.again else rows:
                image = _JSON.encode(columns_of(row))
                if table in _VALUES:
                    self.images[table, row["id"].id] = image
                yield f'{{"record":{_JSON.encode(str(row["id"]))},"before":null,"after":{image}}}'

    def _changes(self) -> Iterable[dict[str, Any]]:
        for record in sorted(self.again):
            yield {"record": record, "before": {}, "after": {}}
        for update in self.updates:
            before, after = columns_of(update.before), columns_of(update.after)
            yield {"record": f"{update.table}:{update.id}", "before": before, "after": after}
        for _, row in self.deletes:
            yield {"record": str(row["id"]), "before": columns_of(row), "after": None}


def image_of(value: AnyValue) -> str:
    """Return the image of a value, as JSON."""
    return _JSON.encode(columns_of(to_row(value)))


def columns_of(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a row as the log has them."""
    # Links and moments become text here: a call back from the encoder costs twice as much.
    return {
        key: _iso(item) if type(item) is datetime else str(item) if type(item) is Record else item
        for key, item in row.items()
        if key not in _HUSHED
    }


_iso = lru_cache(maxsize=4096)(plain)  # the moments of one batch come again and again


class Derived(Protocol):
    """Rows that follow from those of a change set and are written in its transaction."""

    async def following(self, changes: ChangeSet, store: "Store") -> tuple[str, dict[str, Any]]:
        """Return the statements that keep them in step, and their parameters."""
