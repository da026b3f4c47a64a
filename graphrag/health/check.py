"""Checks of a group at one moment, against its log, the rules and the columns in memory."""

from collections.abc import Iterable, Iterator

from graphrag.errors import StoreError
from graphrag.health.columns import memory_findings
from graphrag.health.findings import CheckReport, Finding
from graphrag.health.holdings import TABLES, Image, Snapshot, image, replayed, take
from graphrag.health.rules import meaning_findings, record_findings
from graphrag.index.load import load_group
from graphrag.index.read_lazy import read_aside, read_mentions, read_sources
from graphrag.index.tables import scopes_of
from graphrag.ingest.ingestion import Ingestion
from graphrag.temporal.moment import utc_now

_RESTORE = "restore a backup, or log.replay() it into another store: what is right is not certain"
_AGAIN = "health.repair() writes it again as the log tells"
_ANEW = "health.repair() deletes it, and it is written anew"
_UNKNOWN = "remove it, or add it again through the library: the log does not know it"


def log_findings(snapshot: Snapshot) -> Iterator[Finding]:
    """Compare numbers and images."""
    yield from _numbers(snapshot)
    if snapshot.info is None and snapshot.events:
        record = f"group_info:{snapshot.group}"
        what = "is missing: groups() does not list the group, and others may read its rows"
        yield snapshot.finding(record, what, _AGAIN, repairable=True)
    expected = replayed(snapshot.events)
    for table in TABLES:
        for id_, row in snapshot.rows[table].items():
            record = f"{table}:{id_}"
            logged = expected.pop(record, None)
            if logged is None:
                yield snapshot.finding(record, "no event tells of it", _UNKNOWN)
                continue
            different = _different(logged, image(row))
            if different:
                what = f"differs from the log in {', '.join(different)}"
                yield snapshot.finding(record, what, _RESTORE)
    known = {*restorable(snapshot)}
    for record in expected:
        if record.partition(":")[0] in TABLES:
            how, what = (_AGAIN if record in known else _RESTORE), "is gone, but no event erased it"
            yield snapshot.finding(record, what, how, repairable=record in known)


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
        yield snapshot.finding(record, "is missing from the log", "restore a backup")
    if numbers != sorted(set(numbers)):
        record = f"event:{snapshot.group}"
        yield snapshot.finding(record, "numbers repeat or run back", "restore a backup")


def _different(logged: Image, found: Image) -> list[str]:
    return sorted(
        key
        for key in logged.keys() | found.keys()
        if logged.get(key) != found.get(key)
        # A field that came with a later schema has its default, which old events do not tell.
        and not (key not in logged and not found.get(key))
    )


_ATTEMPTS = 5


async def check_groups(groups: Iterable[str], ingestion: Ingestion) -> CheckReport:
    """Check each group while no writer of this process changes it."""
    findings: list[Finding] = []
    records = events = 0
    names = tuple(groups)
    for group in names:
        async with ingestion.writer.locks[group]:
            snapshot, found = await checked(group, ingestion)
        findings += found
        records += snapshot.count()
        events += len(snapshot.events)
    return CheckReport(names, records, events, tuple(findings))


async def checked(group: str, ingestion: Ingestion) -> tuple[Snapshot, list[Finding]]:
    """Return a group and what is wrong with it, by record; its lock is held by the caller.

    Raises:
        StoreError: if other processes wrote to it all the while.
    """
    for _ in range(_ATTEMPTS):
        snapshot = await take(ingestion.store, group)
        if (half_gone := snapshot.half_gone()) is not None:
            return snapshot, [half_gone]
        findings = [
            *log_findings(snapshot),
            *record_findings(snapshot, ingestion.embedder.dimension),
            *meaning_findings(
                snapshot, ingestion.relations, ingestion.ontology.identifiers, utc_now()
            ),
            *await _memory(snapshot, ingestion),
        ]
        if await ingestion.store.last_seq(group) == snapshot.last_seq:
            return snapshot, sorted(findings, key=lambda finding: (finding.record, finding.what))
    raise StoreError(f"group {group!r} is written to all the time: check it when it is not")


async def _memory(snapshot: Snapshot, ingestion: Ingestion) -> list[Finding]:
    """Compare what was read of the tables before with what they say now, lazy parts included."""
    catalog, store, group = ingestion.catalog, ingestion.store, snapshot.group
    found = [
        Finding(group, f"group_info:{group}", what, _ANEW, repairable=True)
        for what in (*await catalog.damage(group), *store.held.damage(snapshot.rows))
    ]
    if found:
        return found  # what is in memory may be from there, and is read again by a repair
    held = await catalog.group(group)
    fresh = await load_group(store, group, ingestion.embedder.dimension)
    lazy = {table: [*scope.aside] for table, scope in scopes_of(held).items() if scope.aside}
    for index in (held, fresh):
        await read_aside(store, index, lazy)
        if held.episodes.mentions is not None:
            await read_mentions(store, index)
        if held.episodes.sources is not None:
            await read_sources(store, index)
    return [*found, *memory_findings(snapshot, held, fresh)]
