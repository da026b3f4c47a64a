"""Export of a whole group to a file, and its import: same ids, rows, vectors, log and past.

A file is read twice: first to validate all of it, then to write it page by page. The group cannot
be read until it is complete. If the import fails, the group is erased again; rows of a process that
died are erased when the import is restarted.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np

from graphrag.errors import InputError, StoreError
from graphrag.index.texts import EMBEDDED, words
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.intake import checked_group
from graphrag.io import transfer
from graphrag.io.files import LINES, Exported, written
from graphrag.io.jsonl import EVENT, KINDS, VECTOR, line_of, row_of
from graphrag.io.jsonl.lines import Header, Placed, Sealing, read
from graphrag.io.jsonl.survey import survey
from graphrag.model.checks import unit_vectors
from graphrag.model.values import Episode
from graphrag.protocols import Embedder
from graphrag.store.engine import Row
from graphrag.store.groups import discard_group, open_group, read_entry
from graphrag.store.pages import PAGE, any_exists
from graphrag.store.record import Record
from graphrag.store.rows import to_row, vector_bytes
from graphrag.store.store import Store

_EVENTS = 20  # events read at once: one may tell of a thousand facts
_ATTEMPTS = 3


async def export_group(
    store: Store, embedder: Embedder, group: str, file: Path, pace: transfer.Pace, *, vectors: bool
) -> Exported:
    """Write a group that nobody of this process writes to meanwhile."""
    begun = perf_counter()
    for _ in range(_ATTEMPTS):
        records = await transfer.group_records(store, group)
        try:
            counts = await _write(records, store, embedder, group, file, vectors, pace)
        except _MovedOnError:
            continue
        size = file.stat().st_size
        return Exported(file, LINES, group, counts, size, perf_counter() - begun)
    raise StoreError(f"group {group!r} is written to all the time: export it when it is not")


async def _write(
    records: Mapping[str, Sequence[Record]],
    store: Store,
    embedder: Embedder,
    group: str,
    file: Path,
    vectors: bool,
    pace: transfer.Pace,
) -> dict[str, int]:
    entry = await read_entry(group, store)
    if entry is None:
        raise StoreError(
            f"group {group!r} has lost its entry: group({group!r}).health.repair() mends it"
        )
    counts = {KINDS.get(table, table): len(ids) for table, ids in records.items() if ids}
    header = Header(group, entry["created_at"], embedder.name, embedder.dimension, vectors, counts)
    done: Counter[str] = Counter()
    with written(file) as put:
        sealing = Sealing(put)
        sealing.add(header.line())
        async for table, rows, _ in transfer.stored_pages(store, records, events=_EVENTS):
            kind = KINDS.get(table, table)
            for row in rows:
                sealing.add(line_of(kind, row, vectors=vectors))
            done[kind] += len(rows)
            pace.advance(kind, len(rows), done[kind], counts[kind])
            await asyncio.sleep(0)
        sealing.seal()
        if await store.last_seq(group) != counts.get(EVENT, 0):
            raise _MovedOnError
        if done != counts:
            raise StoreError(
                f"the log of group {group!r} is not whole: health.check() names what it lacks"
            )
    return dict(done)


class _MovedOnError(Exception):
    """Somebody wrote to the group meanwhile: what was written so far is thrown away."""


_BYTES = 2_000_000  # bytes of one transaction: an event may tell of a thousand facts


@dataclass(frozen=True, slots=True)
class ImportedGroup:
    """Result of the import of a group file."""

    group: str
    records: dict[str, int]
    """Number of records by kind."""
    renewed: bool
    """True if the group got new ids because the store already holds those of the file."""
    embedded: int
    """Number of vectors that were computed because the file had none, or those of another
    embedder."""
    seconds: float


async def import_group(
    file: Path, ingestion: Ingestion, *, name: str | None, on_progress: transfer.Tell | None
) -> ImportedGroup:
    """Make a group of a file; if that fails, there is none."""
    begun = perf_counter()
    pace = transfer.Pace(on_progress)
    header, samples = await survey(file, pace)
    store, embedded = ingestion.store, 0

    async def complete(table: str, rows: Sequence[Row]) -> None:
        nonlocal embedded
        embedded += await _embed(table, rows, header, ingestion)

    name = header.group if name is None else checked_group(name)
    async with ingestion.writer.locks[name]:
        since = await store.forgotten_since(name)
        if since is not None and not store.target.embedded:
            raise StoreError(
                f"group {name!r} is being imported or forgotten since {since.isoformat()}: if "
                f"nobody does so any more, group({name!r}).erase.group(confirm={name!r}) makes the "
                "name free"
            )
        await transfer.claim(store, name, header.created_at)
        try:
            renews = await any_exists(store, samples)
            pages, counts = _pages(file, header), header.counts
            renaming = transfer.Renaming(header.group, name, renews)
            await transfer.write_group(store, renaming, pages, counts, pace, complete)
            await open_group(store, name)
        except BaseException:
            await discard_group(store, name)
            raise
        finally:
            await ingestion.catalog.drop(name)  # whatever was read of it before
    seconds = perf_counter() - begun
    return ImportedGroup(name, dict(header.counts), renews, embedded, seconds)


async def _pages(file: Path, header: Header) -> AsyncIterator[transfer.Page]:
    def page() -> transfer.Page:
        place = f"{file.name}, lines {lines[0].number} to {lines[-1].number}: "
        rows = [row_of(placed.line, header.group) for placed in lines]
        return lines[0].line["record"], rows, place

    lines: list[Placed] = []
    size = 0
    for placed in read(file):
        if placed.number == 1:
            if Header.of(placed.line) != header:
                raise InputError(f"{file.name} was changed while it was read")
            continue
        other = bool(lines) and lines[0].line["record"] != placed.line["record"]
        if other or len(lines) == PAGE or size > _BYTES:
            yield page()
            lines, size = [], 0
        lines.append(placed)
        size += placed.size
    if lines:
        yield page()


async def _embed(table: str, rows: Sequence[Row], header: Header, ingestion: Ingestion) -> int:
    """Give rows the vectors of the file, if they are of this embedder, or new ones; count these."""
    if table not in EMBEDDED:
        return 0
    ours = ingestion.embedder
    same = header.vectors and (header.embedder, header.dimension) == (ours.name, ours.dimension)
    missing = [row for row in rows if not same or VECTOR not in row]
    for row in rows if same else ():
        if VECTOR in row:
            vector = np.frombuffer(row[VECTOR], "<f4")
            row[VECTOR] = vector_bytes(unit_vectors(vector, vector.shape))
    if missing:
        ids = {row["episode"] for row in missing} if table == "passage" else ()
        stored = await ingestion.store.get(Episode, ids)
        episodes = {id_: to_row(episode) for id_, episode in stored.items()}
        texts = [words(table, row, episodes) for row in missing]
        vectors = await ours.embed(texts, purpose="document")
        for row, vector in zip(missing, vectors, strict=True):
            row[VECTOR] = vector_bytes(vector)
    return len(missing)
