"""The log against the tables: no event is missing, and every row is what the events made of it."""

from collections.abc import Iterator

from graphrag.health.findings import Finding
from graphrag.health.snapshot import TABLES, Image, Snapshot, image, replayed

_RESTORE = "restore a backup, or write the record as its events tell: nothing else is certain"
_UNKNOWN = "remove it, or add it again through the library: the log does not know it"


def log_findings(snapshot: Snapshot) -> Iterator[Finding]:
    """Compare numbers and images."""
    yield from _numbers(snapshot)
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
    for record in expected:
        if record.partition(":")[0] in TABLES:
            yield Finding(snapshot.group, record, "is gone, but no event erased it", _RESTORE)


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
