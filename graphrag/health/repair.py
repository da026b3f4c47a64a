"""Repair of what can be worked out from the rest of the graph, and vectors of another model.

A repair is one logged transaction a group. It is written as everything is: by the writer, asked of
the policy, held against the invariants. A group that has lost vectors or ends is read without them
(``graphrag.index.tables``), so there is an index to write against.

A change of the embedder makes every vector anew from the words of its row; nothing is extracted
again. The store is opened as the old model would open it, so that this one needs no old model.
"""

import hashlib
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag.engine.rows import SearchRows
from graphrag.errors import StoreProfileError
from graphrag.health.check import checked, restorable
from graphrag.health.rules import chain, embedding_fault, record_findings
from graphrag.health.snapshot import Finding, RepairReport, Snapshot, replayed, take
from graphrag.index.group import GroupIndex
from graphrag.index.texts import EMBEDDED, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.protocols import Embedder
from graphrag.store import staging
from graphrag.store.changes import REPAIR, ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.migrate import embedder_of
from graphrag.store.pages import count_rows
from graphrag.store.record import Record
from graphrag.store.rows import edge, row_of, vector_bytes
from graphrag.store.store import Store
from graphrag.store.target import Target

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


_AT_ONCE = 64
"""Texts that an embedder is asked for at once: what was made before a kill stays."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """How far a change of the embedder is, or what it did."""

    embedder: str
    """Name of the new one."""
    done: int
    """Rows whose new vector is there."""
    total: int
    made: int = 0
    """Vectors that were made by this call; the others were there from one that was cut short."""
    seconds: float = 0.0

    @property
    def eta(self) -> float | None:
        """Return the seconds that the rest will take at the pace so far; None if unknown."""
        return self.seconds / self.made * (self.total - self.done) if self.made else None


async def reembed_store(
    target: Target, embedder: Embedder, on_progress: Callable[[Reembedded], None] | None
) -> Reembedded:
    """Give every row of a store a vector of another model."""
    began = time.perf_counter()
    name, dimension = await embedder_of(target)
    opening = Store.open(target, embedder=name, dimension=dimension, derived=SearchRows())
    async with await opening as store:
        counts = {table: await count_rows(store, table) for table in EMBEDDED}
        total = sum(counts.values())
        if (name, dimension) == (embedder.name, embedder.dimension):
            return Reembedded(embedder.name, total, total)
        if store.profile == "engine":
            raise StoreProfileError(
                f"the store at {target.url} has profile 'engine', whose indexes are made for "
                f"{dimension} numbers: log.replay_all() into a new store embeds again"
            )
        await staging.begin(store, embedder.name, embedder.dimension)
        done = made = 0
        for table in EMBEDDED:
            async for rows, staged in staging.pages(store, table):
                episodes: dict[str, Any] = {}
                if table == "passage":
                    episodes = await staging.episodes_of(store, [row["episode"] for row in rows])
                texts = {row["id"].id: words(table, row, episodes) for row in rows}
                wanted = [id_ for id_, text in texts.items() if staged.get(id_) != _hash(text)]
                done += len(rows) - len(wanted)
                for first in range(0, len(wanted), _AT_ONCE):
                    some = wanted[first : first + _AT_ONCE]
                    vectors = await embedder.embed([texts[id_] for id_ in some], purpose="document")
                    await staging.stage(
                        store,
                        [
                            staging.Staged(table, id_, _hash(texts[id_]), vector_bytes(vector))
                            for id_, vector in zip(some, vectors, strict=True)
                        ],
                    )
                    done, made = done + len(some), made + len(some)
                    if on_progress is not None:
                        spent = time.perf_counter() - began
                        on_progress(Reembedded(embedder.name, done, total, made, spent))
        await staging.mark_whole(store)
    # Opening puts them in place; as the new model, which is what the store has then.
    async with await Store.open(target, embedder=embedder.name, dimension=embedder.dimension):
        return Reembedded(embedder.name, done, total, made, time.perf_counter() - began)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
