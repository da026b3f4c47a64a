"""Repair what can be worked out from the rest of the graph, in one logged transaction a group."""

from collections.abc import Iterable, Mapping, Sequence

from graphrag.health.check import checked, loadable
from graphrag.health.findings import Finding, RepairReport
from graphrag.health.meaning import chain
from graphrag.health.records import embedding_fault
from graphrag.health.snapshot import Snapshot, take
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text, episode_text, fact_text
from graphrag.ingest import Ingestion
from graphrag.models import Entity, Fact
from graphrag.protocols import Embedder
from graphrag.store.changes import ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.rows import edge, from_row, vector_bytes
from graphrag.store.store import StaleGroupError

_EMBEDDED = ("episode", "passage", "entity", "relates_to", "community")


async def repair_groups(groups: Iterable[str], ingestion: Ingestion) -> RepairReport:
    """Repair each group and check it again."""
    repaired: list[Finding] = []
    left: list[Finding] = []
    events = 0
    for group in groups:
        async with ingestion.writer.locks[group]:
            found, wrote = await _repair(group, ingestion)
            _, still = await checked(group, ingestion)
        repaired += [finding for finding in found if finding not in still]
        left += still
        events += wrote
    return RepairReport(tuple(repaired), tuple(left), events)


async def _repair(group: str, ingestion: Ingestion) -> tuple[list[Finding], int]:
    """Write what is needed; not by the writer, which cannot load a group that lost a vector."""
    while True:
        snapshot, findings = await checked(group, ingestion)
        if not any(finding.repairable for finding in findings):
            return findings, 0
        changes = await _changes(snapshot, findings, ingestion.embedder)
        # A group without any event has no log that a repair could go on.
        wrote = bool(changes) and snapshot.last_seq > 0
        if wrote:
            unread = GroupIndex(group, ingestion.embedder.dimension)
            changes, refusal = ingestion.writer.allowed(changes, unread)
            try:
                await ingestion.store.apply(changes, after=snapshot.last_seq)
            except StaleGroupError:
                continue
            if refusal is not None:
                raise refusal
        if loadable(await take(ingestion.store, group), ingestion.embedder.dimension):
            await ingestion.catalog.reload(group)
        elif ingestion.catalog.loaded(group):
            await ingestion.catalog.catch_up(group)
        return findings, int(wrote)


async def _changes(
    snapshot: Snapshot, findings: Sequence[Finding], embedder: Embedder
) -> ChangeSet:
    changes = ChangeSet(snapshot.group, kind="repair")
    broken = {finding.record for finding in findings if finding.repairable}
    removed: dict[str, tuple[str, Row]] = {}
    for table in ("mentions", "has_member", "passage"):
        for id_, row in snapshot.rows[table].items():
            misplaced = table != "passage" or row["episode"] not in snapshot.rows["episode"]
            if f"{table}:{id_}" in broken and misplaced:
                removed[f"{table}:{id_}"] = (table, row)
    _relink(snapshot, changes)
    changes.deletes += removed.values()
    texts = {
        (table, id_): text
        for table in _EMBEDDED
        for id_, row in snapshot.rows[table].items()
        if embedding_fault(row.get("embedding"), embedder.dimension)
        if f"{table}:{id_}" not in removed and _tied(row, snapshot)
        if (text := _text(table, row, snapshot.rows["episode"]))
    }
    if texts:
        vectors = await embedder.embed(list(texts.values()), purpose="document")
        changes.updates += [
            # The log keeps no embeddings: only that this record was written.
            Update(table, id_, before={}, after={"embedding": vector_bytes(vector)})
            for (table, id_), vector in zip(texts, vectors, strict=True)
        ]
    return changes


def _tied(row: Row, snapshot: Snapshot) -> bool:
    """Tell whether a row is no fact, or one between entities of its group."""
    ends = (row[end].id for end in ("in", "out") if end in row)
    return all(end in snapshot.rows["entity"] for end in ends)


def _relink(snapshot: Snapshot, changes: ChangeSet) -> None:
    links = snapshot.rows["occurred_after"]
    expected = chain(snapshot.rows["episode"], links)
    changes.deletes += [("occurred_after", links[link]) for link in sorted(links.keys() - expected)]
    for link in sorted(expected - links.keys()):
        later, _, earlier = link.partition(">")
        ends = ("episode", later), ("episode", earlier)
        changes.insert_row(
            "occurred_after", edge("occurred_after", link, *ends, group_id=snapshot.group)
        )


def _text(table: str, row: Row, episodes: Mapping[str, Row]) -> str:
    """Return the words that a record's embedding is made of."""
    match table:
        case "episode":
            return episode_text(row["name"], row["content"])
        case "passage":
            episode = episodes[row["episode"]]
            return episode_text(episode["name"], episode["content"][row["start"] : row["end"]])
        case "entity":
            return entity_text(from_row(Entity, row))
        case "relates_to":
            return fact_text(from_row(Fact, row))
        case _:
            return f"{row['name']}. {row['summary']}"
