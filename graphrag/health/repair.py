"""Repair of data that can be derived from the rest of the graph, and change of the embedder.

A repair is one logged transaction for each group. A group with missing vectors or ends is loaded
without those records, so that there is an index to write against.

A change of the embedder opens the store under the name of the old model, which is not loaded.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from graphrag.engine.rows import SearchRows
from graphrag.errors import StoreProfileError
from graphrag.health.check import checked, restorable
from graphrag.health.rules import chain, embedding_fault, record_findings
from graphrag.health.snapshot import Finding, RepairReport, Snapshot, replayed, take
from graphrag.index.group import GroupIndex
from graphrag.index.texts import EMBEDDED, embed_texts, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.protocols import Embedder
from graphrag.store.changes import REPAIR, ChangeSet, Update
from graphrag.store.engine import Row
from graphrag.store.groups import count_anew
from graphrag.store.migrate import (
    begin_vectors,
    embedder_of,
    end_vectors,
    stage_vectors,
    staged_words,
)
from graphrag.store.pages import count_rows, read_pages, rows_of
from graphrag.store.record import Record
from graphrag.store.rows import edge, row_of, vector_bytes
from graphrag.store.store import Store
from graphrag.store.target import Target

_LINKS = "occurred_after"
_DERIVED = ("mentions", "has_member", "passage")
"""Tables whose rows go when they lead nowhere."""


async def repair_groups(groups: Iterable[str], ingestion: Ingestion) -> RepairReport:
    """Repair each group and check it again."""
    repaired, left = list[Finding](), list[Finding]()
    events = 0
    for group in groups:
        before, wrote = await _repair(group, ingestion)
        async with ingestion.writer.locks[group]:
            _, still = await checked(group, ingestion)
        repaired += [finding for finding in before if finding not in still]
        left += still
        events += wrote
    return RepairReport(tuple(repaired), tuple(left), events)


async def _repair(group: str, ingestion: Ingestion) -> tuple[list[Finding], int]:
    async with ingestion.writer.locks[group]:
        snapshot, findings = await checked(group, ingestion)
    if not any(finding.repairable for finding in findings):
        return findings, 0

    async def build(_: GroupIndex) -> ChangeSet:
        return await _changes(await take(ingestion.store, group), ingestion.embedder)

    # A group without any event has no log that a repair could go on.
    seq = await ingestion.writer.commit(group, build) if snapshot.last_seq else 0
    if seq:  # whatever was damaged, the sizes may have been, too
        await count_anew(group, ingestion.store)
    ingestion.store.cache.written(None)  # rows beside the store, too
    await ingestion.catalog.reload(group)
    return findings, int(seq > 0)


async def _changes(snapshot: Snapshot, embedder: Embedder) -> ChangeSet:
    changes = ChangeSet(snapshot.group, kind=REPAIR)
    lost = _write_again(snapshot, changes)
    rows = {table: {**snapshot.rows[table], **lost[table]} for table in (*EMBEDDED, _LINKS)}
    removed = _remove(snapshot, changes, embedder.dimension)
    _relink(snapshot, changes, chain(rows["episode"], rows[_LINKS]))
    blank = {
        f"{table}:{id_}": row
        for table in EMBEDDED
        for id_, row in rows[table].items()
        if embedding_fault(row.get("embedding"), embedder.dimension)
        and f"{table}:{id_}" not in removed
        and _tied(table, row, rows)
    }
    texts = {
        record: text
        for record, row in blank.items()
        if (text := words(record.partition(":")[0], row, rows["episode"]))
    }
    for record, vector in (await embed_texts(embedder, texts)).items():
        table, _, id_ = record.partition(":")
        if record in changes.again:
            blank[record]["embedding"] = vector_bytes(vector)
        else:  # the log keeps no embeddings: only that this record was written
            changes.updates.append(Update(table, id_, {}, {"embedding": vector_bytes(vector)}))
    return changes


def _remove(snapshot: Snapshot, changes: ChangeSet, dimension: int) -> set[str]:
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


def _write_again(snapshot: Snapshot, changes: ChangeSet) -> Mapping[str, Mapping[str, Row]]:
    """Write the rows that are lost and that the log tells of; return them by table and id."""
    lost: dict[str, dict[str, Row]] = defaultdict(dict)
    for record, image in restorable(snapshot).items():
        table, _, id_ = record.partition(":")
        lost[table][id_] = row_of(record, image)
        if table != _LINKS:  # those are linked anew
            changes.insert_row(table, lost[table][id_])
            changes.again.add(record)
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


def _relink(snapshot: Snapshot, changes: ChangeSet, expected: set[str]) -> None:
    links = snapshot.rows[_LINKS]
    changes.deletes += [(_LINKS, links[link]) for link in sorted(links.keys() - expected)]
    for link in sorted(expected - links.keys()):
        later, _, earlier = link.partition(">")
        ends = ("episode", later), ("episode", earlier)
        changes.insert_row(_LINKS, edge(_LINKS, link, *ends, group_id=snapshot.group))


_AT_ONCE = 64
"""Texts that an embedder is asked for at once: what was made before a kill stays."""


@dataclass(frozen=True, slots=True)
class Reembedded:
    """Progress or result of a change of the embedder."""

    embedder: str
    """Name of the new embedder."""
    done: int
    """Number of rows that have their new vector."""
    total: int
    made: int = 0
    """Vectors computed by this call; the others are from an earlier, interrupted call."""
    seconds: float = 0.0

    @property
    def eta(self) -> float | None:
        """Return the estimated seconds until the end at the current rate; None if unknown."""
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
        await begin_vectors(store, embedder.name, embedder.dimension)
        done = made = 0
        for table in EMBEDDED:
            async for rows in read_pages(store, table, "* OMIT embedding"):
                staged = await staged_words(store, table, [row["id"].id for row in rows])
                ids = {row["episode"] for row in rows} if table == "passage" else set()
                records = [Record("episode", id_) for id_ in ids]
                told = await rows_of(store, records, vectors=False)
                episodes = {row["id"].id: row for row in told}
                texts = {row["id"].id: words(table, row, episodes) for row in rows}
                wanted = [id_ for id_, text in texts.items() if staged.get(id_) != _hash(text)]
                done += len(rows) - len(wanted)
                for first in range(0, len(wanted), _AT_ONCE):
                    batch = {id_: texts[id_] for id_ in wanted[first : first + _AT_ONCE]}
                    vectors = await embed_texts(embedder, batch)
                    hashes = {id_: _hash(text) for id_, text in batch.items()}
                    await stage_vectors(store, table, hashes, vectors)
                    done, made = done + len(batch), made + len(batch)
                    if on_progress is not None:
                        spent = time.perf_counter() - began
                        on_progress(Reembedded(embedder.name, done, total, made, spent))
        await end_vectors(store)
    # Opening puts them in place; as the new model, which is what the store has then.
    async with await Store.open(target, embedder=embedder.name, dimension=embedder.dimension):
        return Reembedded(embedder.name, done, total, made, time.perf_counter() - began)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
