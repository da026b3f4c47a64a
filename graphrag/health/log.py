"""The log against the tables: no event is missing, and every row is what the events made of it."""

from collections.abc import Iterator

from graphrag.health.findings import Finding
from graphrag.health.snapshot import TABLES, Image, Snapshot, image, replayed

_RESTORE = "restore a backup, or replay() the log into another store: what is right is not certain"
_AGAIN = "repair() writes it again as the log tells"
_UNKNOWN = "remove it, or add it again through the library: the log does not know it"


def log_findings(snapshot: Snapshot) -> Iterator[Finding]:
    """Compare numbers and images."""
    yield from _numbers(snapshot)
    if snapshot.info is None and snapshot.events:
        record = f"group_info:{snapshot.group}"
        what = "is missing: groups() does not list the group, and others may read its rows"
        yield Finding(snapshot.group, record, what, _AGAIN, repairable=True)
    expected = replayed(snapshot.events)
    for table in TABLES:
        for id_, row in snapshot.rows[table].items():
            record = f"{table}:{id_}"
            told = expected.pop(record, None)
            if told is None:
                yield Finding(snapshot.group, record, "no event tells of it", _UNKNOWN)
                continue
            different = _different(told, image(row))
            if different:
                what = f"differs from the log in {', '.join(different)}"
                yield Finding(snapshot.group, record, what, _RESTORE)
    known = {*restorable(snapshot)}
    for record in expected:
        if record.partition(":")[0] in TABLES:
            how, what = (_AGAIN if record in known else _RESTORE), "is gone, but no event erased it"
            yield Finding(snapshot.group, record, what, how, repairable=record in known)


def restorable(snapshot: Snapshot) -> dict[str, Image]:
    """Return what the log tells of the records that are gone, if the log is whole."""
    whole = [event.seq for event in snapshot.events] == [*range(1, snapshot.last_seq + 1)]
    if not whole:
        return {}
    there = {f"{table}:{id_}" for table in TABLES for id_ in snapshot.rows[table]}
    return {
        record: image
        for record, image in replayed(snapshot.events).items()
        if record.partition(":")[0] in TABLES and record not in there and "erased" not in image
    }


def _numbers(snapshot: Snapshot) -> Iterator[Finding]:
    numbers = [event.seq for event in snapshot.events]
    missing = sorted(set(range(1, snapshot.last_seq + 1)) - set(numbers))
    for number in missing:
        record = f"event:{snapshot.group}:{number}"
        yield Finding(snapshot.group, record, "is missing from the log", "restore a backup")
    if numbers != sorted(set(numbers)):
        record = f"event:{snapshot.group}"
        yield Finding(snapshot.group, record, "numbers repeat or run back", "restore a backup")


def _different(told: Image, found: Image) -> list[str]:
    return sorted(
        key
        for key in told.keys() | found.keys()
        if told.get(key) != found.get(key)
        # A field that came with a later schema has its default, which old events do not tell.
        and not (key not in told and not found.get(key))
    )
