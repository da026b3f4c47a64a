"""Change the embedder of a store: every vector made anew from the words of its row.

Nothing is extracted again. The store is opened as the old model would open it, so that this one
needs no old model.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from graphrag.engine.rows import SearchRows
from graphrag.errors import StoreProfileError
from graphrag.index.texts import EMBEDDED, words
from graphrag.protocols import Embedder
from graphrag.store import revector
from graphrag.store.migrate import embedder_of
from graphrag.store.pages import count_rows
from graphrag.store.rows import vector_bytes
from graphrag.store.store import Store
from graphrag.store.target import Target

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
        await revector.begin(store, embedder.name, embedder.dimension)
        done = made = 0
        for table in EMBEDDED:
            async for rows, staged in revector.pages(store, table):
                episodes: dict[str, Any] = {}
                if table == "passage":
                    episodes = await revector.episodes_of(store, [row["episode"] for row in rows])
                texts = {row["id"].id: words(table, row, episodes) for row in rows}
                wanted = [id_ for id_, text in texts.items() if staged.get(id_) != _hash(text)]
                done += len(rows) - len(wanted)
                for first in range(0, len(wanted), _AT_ONCE):
                    some = wanted[first : first + _AT_ONCE]
                    vectors = await embedder.embed([texts[id_] for id_ in some], purpose="document")
                    await revector.stage(
                        store,
                        [
                            revector.Staged(table, id_, _hash(texts[id_]), vector_bytes(vector))
                            for id_, vector in zip(some, vectors, strict=True)
                        ],
                    )
                    done, made = done + len(some), made + len(some)
                    if on_progress is not None:
                        spent = time.perf_counter() - began
                        on_progress(Reembedded(embedder.name, done, total, made, spent))
        await revector.mark_whole(store)
    # Opening puts them in place; as the new model, which is what the store has then.
    async with await Store.open(target, embedder=embedder.name, dimension=embedder.dimension):
        return Reembedded(embedder.name, done, total, made, time.perf_counter() - began)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()
