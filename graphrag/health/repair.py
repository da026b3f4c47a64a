"""Repair what can be worked out from the rest of the graph, in one logged transaction a group.

It is written as everything is: by the writer, asked of the policy, held against the invariants. A
group that has lost vectors or ends is read without them (``graphrag.index.tables``), so there is
an index to write against.
"""

from collections.abc import Iterable, Mapping

from graphrag.health.check import checked, restorable
from graphrag.health.findings import Finding, RepairReport
from graphrag.health.holdings import Snapshot, replayed, take
from graphrag.health.rules import chain, embedding_fault, record_findings
from graphrag.index.group import GroupIndex
from graphrag.index.texts import EMBEDDED, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.protocols import Embedder
from graphrag.store.changes import REPAIR, ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import edge, row_of, vector_bytes

_LINKS = "occurred_after"
_DERIVED = ("mentions", "has_member", "passage")
"""Tables whose rows go when they lead nowhere."""


async def repair_groups(groups: Iterable[str], ingestion: Ingestion) -> RepairReport:
    """Repair each group and check it again."""
    repaired: list[Finding] = []
    left: list[Finding] = []
    events = 0
    for group in groups:
        found, wrote = await _repair(group, ingestion)
        async with ingestion.writer.locks[group]:
            _, still = await checked(group, ingestion)
        repaired += [finding for finding in found if finding not in still]
        left += still
        events += wrote
    return RepairReport(tuple(repaired), tuple(left), events)


async def _repair(group: str, ingestion: Ingestion) -> tuple[list[Finding], int]:
    """Return what was found, and the number of transactions written."""
    async with ingestion.writer.locks[group]:
        snapshot, findings = await checked(group, ingestion)
    if not any(finding.repairable for finding in findings):
        return findings, 0

    async def build(_: GroupIndex) -> ChangeSet:
        return await _changes(await take(ingestion.store, group), ingestion.embedder)

    # A group without any event has no log that a repair could go on.
    seq = await ingestion.writer.commit(group, build) if snapshot.last_seq else 0
    if seq:  # whatever was damaged, the sizes may have been, too
        await ingestion.store.count_anew(group)
    ingestion.store.held.written(None)  # rows beside the store, too
    await ingestion.catalog.reload(group)
    return findings, int(seq > 0)


async def _changes(snapshot: Snapshot, embedder: Embedder) -> ChangeSet:
    changes = ChangeSet(snapshot.group, kind=REPAIR)
    lost = _write_again(snapshot, changes)
    removed = _remove(snapshot, changes, embedder.dimension)
    _relink(snapshot, changes, lost)
    rows = {
        table: {**snapshot.rows[table], **{row["id"].id: row for row in lost.get(table, ())}}
        for table in EMBEDDED
    }
    blank = {
        f"{table}:{id_}": row
        for table in EMBEDDED
        for id_, row in rows[table].items()
        if embedding_fault(row.get("embedding"), embedder.dimension)
        and f"{table}:{id_}" not in removed
        and _tied(table, row, rows)
    }
    texts = {
        record: words(record.partition(":")[0], row, rows["episode"])
        for record, row in blank.items()
    }
    texts = {record: text for record, text in texts.items() if text}
    vectors = await embedder.embed(list(texts.values()), purpose="document") if texts else ()
    for record, vector in zip(texts, vectors, strict=True):
        if record in changes.again:
            blank[record]["embedding"] = vector_bytes(vector)
            continue
        table, _, id_ = record.partition(":")
        # The log keeps no embeddings: only that this record was written.
        changes.updates.append(Update(table, id_, {}, {"embedding": vector_bytes(vector)}))
    return changes


def _remove(snapshot: Snapshot, changes: ChangeSet, dimension: int) -> set[str]:
    """Erase links and passages that lead nowhere, and return them."""
    findings = record_findings(snapshot, dimension)
    broken = {finding.record for finding in findings if finding.repairable}
    removed = set()
    for table in _DERIVED:
        for id_, row in snapshot.rows[table].items():
            if table == "passage":
                astray = row["episode"] not in snapshot.rows["episode"]
                needs = {f"episode:{row['episode']}"}
            else:
                astray, needs = True, {str(row["in"]), str(row["out"])}
            # What it leads to may just be written again.
            if f"{table}:{id_}" in broken and astray and needs.isdisjoint(changes.again):
                changes.deletes.append((table, row))
                removed.add(f"{table}:{id_}")
    return removed


def _write_again(snapshot: Snapshot, changes: ChangeSet) -> dict[str, list[Row]]:
    """Write the rows that are lost and that the log tells of; return them by table."""
    lost: dict[str, list[Row]] = {}
    for record, image in restorable(snapshot).items():
        table = record.partition(":")[0]
        lost.setdefault(table, []).append(row_of(record, image))
    for table, rows in lost.items():
        for row in rows if table != _LINKS else ():  # those are linked anew
            changes.insert_row(table, row)
            changes.again.add(str(row["id"]))
    if snapshot.info is None and snapshot.events:
        listed = Record("group_info", snapshot.group)
        logged = row_of(str(listed), replayed(snapshot.events).get(str(listed), {}))
        row = {**logged, "id": listed, "created_at": snapshot.events[0].at}
        changes.insert_row("group_info", row)
        changes.again.add(str(listed))
    return lost


def _tied(table: str, row: Row, rows: Mapping[str, Mapping[str, Row]]) -> bool:
    """Tell whether a row has what its words are made of, and leads to records of its group."""
    if table == "passage":
        return row["episode"] in rows["episode"]
    ends = (row[end].id for end in ("in", "out") if end in row)
    return all(end in rows["entity"] for end in ends)


def _relink(snapshot: Snapshot, changes: ChangeSet, lost: Mapping[str, list[Row]]) -> None:
    links = snapshot.rows[_LINKS]
    episodes, linked = (
        {**snapshot.rows[table], **{row["id"].id: row for row in lost.get(table, ())}}
        for table in ("episode", _LINKS)
    )
    expected = chain(episodes, linked)
    changes.deletes += [(_LINKS, links[link]) for link in sorted(links.keys() - expected)]
    for link in sorted(expected - links.keys()):
        later, _, earlier = link.partition(">")
        ends = ("episode", later), ("episode", earlier)
        changes.insert_row(_LINKS, edge(_LINKS, link, *ends, group_id=snapshot.group))
