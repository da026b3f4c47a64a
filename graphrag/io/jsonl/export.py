"""Write a whole group to a file: every row, its vectors and its log, a page at a time."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from time import perf_counter

from graphrag.errors import StoreError
from graphrag.io.files import written
from graphrag.io.formats import LINES, Exported
from graphrag.io.jsonl.lines import Header, Sealing
from graphrag.io.jsonl.shape import EVENT, KINDS, line_of
from graphrag.io.transfer import Pace, Tell, group_records, stored_pages
from graphrag.protocols import Embedder
from graphrag.store.record import Record
from graphrag.store.sizes import read_entry
from graphrag.store.store import Store

_EVENTS = 20
"""Events read at once: one may tell of a thousand facts."""
_ATTEMPTS = 3


async def export_group(
    store: Store,
    embedder: Embedder,
    group: str,
    file: Path,
    *,
    vectors: bool,
    on_progress: Tell | None,
) -> Exported:
    """Write a group that nobody of this process writes to meanwhile.

    Raises:
        InputError: if the file cannot be written.
        StoreError: if other processes wrote to the group all the while.
    """
    begun = perf_counter()
    pace = Pace(on_progress)
    for _ in range(_ATTEMPTS):
        records = await group_records(store, group)
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
    pace: Pace,
) -> dict[str, int]:
    """Write the file and return how many lines of each kind it has."""
    entry = await read_entry(group, store.query)
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
        async for table, rows, _ in stored_pages(store, records, events=_EVENTS):
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
