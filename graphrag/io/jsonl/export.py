"""Write a whole group to a file: every row, its vectors and its log, a page at a time."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from datetime import datetime
from pathlib import Path
from time import perf_counter

from graphrag.errors import StoreError
from graphrag.io.copy_group import CopyProgress, Pace
from graphrag.io.files import written
from graphrag.io.formats import LINES, Exported
from graphrag.io.jsonl.lines import EVENT, Header, Line, Sealing
from graphrag.io.jsonl.shape import moment, shapes
from graphrag.protocols import Embedder
from graphrag.store.engine import Row
from graphrag.store.groups import read_entry
from graphrag.store.pages import PAGE, group_ids, rows_of
from graphrag.store.record import Record
from graphrag.store.store import Store

_EVENTS = 20
"""Events read at once: one may tell of a thousand facts."""
_ATTEMPTS = 3
Tell = Callable[[CopyProgress], None]


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
        seq = await store.last_seq(group)
        try:
            counts = await _write(store, embedder, group, file, seq, vectors, pace)
        except _MovedOnError:
            continue
        size = file.stat().st_size
        return Exported(file, LINES, group, counts, size, perf_counter() - begun)
    raise StoreError(f"group {group!r} is written to all the time: export it when it is not")


async def _write(
    store: Store, embedder: Embedder, group: str, file: Path, seq: int, vectors: bool, pace: Pace
) -> dict[str, int]:
    """Write the file and return how many lines of each kind it has."""
    ids = {kind: await group_ids(store, shape.table, group) for kind, shape in shapes().items()}
    counts = {kind: len(some) for kind, some in ids.items()} | {EVENT: seq}
    header = Header(
        group,
        await _created_at(store, group),
        embedder.name,
        embedder.dimension,
        vectors,
        {kind: count for kind, count in counts.items() if count},
    )
    done: Counter[str] = Counter()

    with written(file) as put:
        sealing = Sealing(put)
        sealing.add(header.line())
        for kind, shape in shapes().items():
            for first in range(0, len(ids[kind]), PAGE):
                some = (Record(shape.table, id_) for id_ in ids[kind][first : first + PAGE])
                rows = await rows_of(store, some)
                for row in sorted(rows, key=lambda row: str(row["id"].id)):
                    sealing.add(shape.line(row, vectors=vectors))
                done[kind] += len(rows)
                pace.advance(kind, len(rows), done[kind], counts[kind])
                await asyncio.sleep(0)
        async for page in _events(store, group, seq):
            for row in page:
                sealing.add(_event(row))
            done[EVENT] += len(page)
            pace.advance(EVENT, len(page), done[EVENT], seq)
        sealing.seal()
        if await store.last_seq(group) != seq:
            raise _MovedOnError
        if dict(done) != header.counts:
            raise StoreError(
                f"the log of group {group!r} is not whole: health.check() names what it lacks"
            )
    return dict(done)


class _MovedOnError(Exception):
    """Somebody wrote to the group meanwhile: what was written so far is thrown away."""


async def _created_at(store: Store, group: str) -> datetime:
    entry = await read_entry(group, store.query)
    if entry is None:
        raise StoreError(
            f"group {group!r} has lost its entry: group({group!r}).health.repair() mends it"
        )
    created_at: datetime = entry["created_at"]
    return created_at


async def _events(store: Store, group: str, last: int) -> AsyncIterator[list[Row]]:
    for first in range(1, last + 1, _EVENTS):
        upto = min(first + _EVENTS - 1, last)
        yield await store.event_rows(group, after=first - 1, upto=upto)


def _event(row: Row) -> Line:
    return {
        "record": EVENT,
        "seq": row["seq"],
        "at": moment(row["at"]),
        "actor": row["actor"],
        "kind": row["kind"],
        **({} if row.get("note") is None else {"note": row["note"]}),
        "changes": json.loads(row["changes"]),
    }
