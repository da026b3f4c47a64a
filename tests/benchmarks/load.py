"""Bulk load through ``Store.apply``: change sets of 500 facts, one after another or two at once.

Two at once overlap twice: one change set is built and encoded while another commits, and the engine
works on both. Numbers are given in order, so the log has no gap, but a crash may leave the later of
the two without the earlier: a loader may do this where it would start anew, the write path may not.
"""

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterable

import numpy as np

from graphrag.ingest.plan import EpisodeRows
from graphrag.model.values import Entity, Episode, Fact
from graphrag.protocols import Matrix
from graphrag.store.changes import ChangeSet
from graphrag.store.record import Record
from graphrag.store.rows import vector_bytes
from graphrag.store.store import Store
from graphrag.store.target import Target
from tests.benchmarks.prepared import DIMENSION, NAME
from tests.benchmarks.synthetic import Batch, Synthetic


async def load(store: Store, batches: Iterable[Batch], *, after: int, in_flight: int) -> int:
    """Write each batch as one transaction and return the number of the last event."""
    seq = after
    flying: deque[asyncio.Task[int]] = deque()
    try:
        for batch in batches:
            changes = change_set(batch)
            while len(flying) >= in_flight:
                await flying.popleft()
            flying.append(asyncio.create_task(store.apply(changes, after=seq)))
            seq += 1
            await asyncio.sleep(0)  # let the request leave before the next batch is built
        return seq
    finally:
        await asyncio.gather(*flying)


async def opened(url: str) -> Store:
    """Open a store for synthetic values."""
    return await Store.open(Target.parse(url), embedder=NAME, dimension=DIMENSION)


async def filled(url: str, group: Synthetic) -> list[str]:
    """Write a group into a new store and return the names of its entities.

    One transaction after another: of two at a time the later may end first, and a writer goes on
    after the last.
    """
    entities, facts = group.entities(), group.facts_with_episodes()
    async with await opened(url) as store:
        seq = await load(store, entities, after=0, in_flight=1)
        await load(store, facts, after=seq, in_flight=1)
    return [one.name for batch in entities for one, _ in batch if isinstance(one, Entity)]


def change_set(batch: Batch) -> ChangeSet:
    """Return the transaction that writes a batch, with the passages of its long episodes."""
    changes = ChangeSet(batch[0][0].group_id, "benchmark")
    stated: defaultdict[str, list[tuple[int, Matrix]]] = defaultdict(list)
    for value, vector in batch:
        changes.insert(value, vector)
        for span in value.sources if isinstance(value, Fact) else ():
            stated[span.episode_id].append((span.start, vector))
    for value, _ in batch:
        passages = EpisodeRows(value).passages.values() if isinstance(value, Episode) else ()
        for number, (start, end) in enumerate(passages):
            inside = [vector for at, vector in stated[value.id] if start <= at < end]
            row = {
                "id": Record("passage", f"{value.id}:{number}"),
                "group_id": changes.group_id,
                "episode": value.id,
                "start": start,
                "end": end,
                "embedding": vector_bytes(np.sum(inside, axis=0)),
            }
            changes.insert_row("passage", row)
    return changes
