"""Check a group: read it at one moment and hold it against its log, the rules and the memory."""

from collections.abc import Iterable

from graphrag.errors import StoreError
from graphrag.health.findings import CheckReport, Finding
from graphrag.health.log import log_findings
from graphrag.health.meaning import meaning_findings
from graphrag.health.memory import memory_findings
from graphrag.health.records import record_findings
from graphrag.health.snapshot import Snapshot, take
from graphrag.index.load import load_group
from graphrag.ingest import Ingestion
from graphrag.temporal.moment import utc_now

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
    catalog, store = ingestion.catalog, ingestion.store
    was_loaded = catalog.loaded(snapshot.group)
    held = await catalog.group(snapshot.group)
    # One that was read just now needs no second reading to compare it with.
    fresh = (
        await load_group(store, snapshot.group, ingestion.embedder.dimension)
        if was_loaded
        else None
    )
    return list(memory_findings(snapshot, held, fresh))
