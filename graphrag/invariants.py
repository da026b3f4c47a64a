"""What holds of every transaction, whoever writes and whatever the policy says.

The log only grows; facts, entities and episodes are erased by ``forget`` alone; a lifetime does not
end before it starts; what was told stays word for word; nothing crosses from one group to another.
Checked for every write: two dictionary look-ups a row.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.store.changes import FORGET as FORGET
from graphrag.store.changes import ChangeSet, Update
from graphrag.temporal.moment import to_micros

_KEPT = frozenset({"entity", "episode", "relates_to"})
_FIXED = frozenset({"id", "group_id", "created_at"})
_VERBATIM = _FIXED | {"content", "content_hash", "valid_at", "source"}


def broken(changes: ChangeSet, index: GroupIndex) -> str | None:
    """Return which invariant a transaction breaks and where, None if it breaks none."""
    return next(_breaches(changes, index), None)


def _breaches(changes: ChangeSet, index: GroupIndex) -> Iterator[str]:
    kind, group = changes.kind, changes.group_id
    for table, rows in changes.inserts.items():
        if table == "event":
            yield f"{kind} writes an event of its own: the log is written with each transaction"
        for row in rows:
            if row.get("group_id", group) != group:
                yield f"{kind} of {row['id']} belongs to group {row['group_id']!r}, not {group!r}"
            if table == "relates_to" and _inverted(row.get("valid_at"), row.get("invalid_at")):
                yield f"{kind} of {row['id']}: it would end before it starts"
    for update in changes.updates:
        yield from _of_update(kind, update, index)
    if changes.deletes and kind != FORGET:
        again = {str(row["id"]) for rows in changes.inserts.values() for row in rows}
        for table, row in changes.deletes:
            if table == "event" or (table in _KEPT and str(row["id"]) not in again):
                yield f"{kind} would erase {row['id']}: only forget erases what was told"


def _of_update(kind: str, update: Update, index: GroupIndex) -> Iterator[str]:
    record = f"{update.table}:{update.id}"
    if update.table == "event" and kind != FORGET:
        yield f"{kind} would rewrite {record}: the log only grows"
    fixed = _VERBATIM if update.table == "episode" else _FIXED
    if kind != FORGET and (touched := sorted(fixed & update.after.keys())):
        yield f"{kind} would change {touched[0]!r} of {record}: it stays as it was told"
    if update.table == "relates_to" and update.after.keys() & {"valid_at", "invalid_at"}:
        start, end = _lifetime(update.id, update.after, index)
        if start > end:
            yield f"{kind} of {record}: it would end before it starts"


def _lifetime(fact: str, after: Mapping[str, Any], index: GroupIndex) -> tuple[int, int]:
    """Return start and end as they are to be; what does not change is in memory."""
    row = index.facts.row_of.get(fact)
    start, end = (BEGINNING, FOREVER)
    if row is not None:
        start, end = int(index.facts["valid"][row]), int(index.facts["invalid"][row])
    if "valid_at" in after:
        start = to_micros(after["valid_at"], BEGINNING)
    if "invalid_at" in after:
        end = to_micros(after["invalid_at"], FOREVER)
    return start, end


def _inverted(start: datetime | None, end: datetime | None) -> bool:
    return start is not None and end is not None and end < start
