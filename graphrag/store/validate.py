"""Whether the rows beside a store are as the store has them: its log tells."""

from graphrag.store.changes import FORGET, REPAIR
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

_MOST_EVENTS = 2_000
"""From so many new events on it is cheaper to read rows again than to find out which."""


async def vouch(store: Store, group: str) -> None:
    """Find out which rows of a group, beside the store, are right.

    Those that newer events touched are not; none, if the log is not the one they go by.
    """
    held = store.held
    if held.rows is None or group in held.stamps:
        return
    last, at = await store.newest(group)
    if group in held.rows.stamps:
        seq, moment = held.rows.stamps[group]
        touched = await _touched_since(store, group, seq, last)
        same = await store.moment_of(group, seq) == moment
        held.written(touched if same else None)
    held.know(group, (last, to_micros(at, 0)))


async def _touched_since(
    store: Store, group: str, seq: int, last: int
) -> list[tuple[str, str]] | None:
    """Return table and id of what events touched; None: they are too many, or it may be any."""
    if not 0 <= last - seq <= _MOST_EVENTS:
        return None
    events = await store.events(group, after=seq) if last > seq else []
    if any(event.kind in (FORGET, REPAIR) for event in events):
        return None
    records = (change.record.partition(":") for event in events for change in event.changes)
    return [(table, id_) for table, _, id_ in records]
