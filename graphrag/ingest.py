"""The write path: extract, resolve, judge, store; one transaction for each episode.

Everything is planned as values first. The plan is written only if the group has not moved since; if
another writer was faster, the index catches up and the plan is made again, so no concurrent episode
can leave a duplicate entity or two current values of a single-valued relation.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from graphrag.errors import TransactionError
from graphrag.extract import extract
from graphrag.extraction import Extraction
from graphrag.index.catalog import Catalog
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.models import Entity, Episode, Fact
from graphrag.planner import make_plan
from graphrag.protocols import Embedder, Extractor
from graphrag.relations import Relations
from graphrag.store.store import StaleGroupError, Store
from graphrag.temporal.moment import to_micros

_REPLANS = 20
_CONTEXT_EPISODES = 4


@dataclass(frozen=True, slots=True)
class Added:
    """What adding one episode did."""

    episode: Episode
    new: bool
    """False if the graph already had this content at this time; then nothing was written."""
    entities: tuple[Entity, ...] = ()
    """Entities that did not exist before."""
    facts: tuple[Fact, ...] = ()
    """Facts that did not exist before."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, corrected or confirmed."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each step: ``embed``, ``resolve``, ``store`` and ``index``."""


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Everything the write path needs, and its entry point."""

    store: Store
    catalog: Catalog
    embedder: Embedder
    extractor: Extractor
    relations: Relations
    locks: dict[str, asyncio.Lock] = field(default_factory=lambda: defaultdict(asyncio.Lock))

    async def known(self, episode: Episode) -> Episode | None:
        """Return the stored episode with the same content, reference time and group, if any."""
        index = await self.catalog.group(episode.group_id)
        id_ = index.episode_known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
        return None if id_ is None else (await self.store.get(Episode, [id_]))[id_]

    async def read(self, episode: Episode, pending: tuple[Episode, ...] = ()) -> Extraction:
        """Extract an episode; ``pending`` are earlier episodes that are not stored yet."""
        return await extract(self.extractor, episode, await self._previous(episode, pending))

    async def add(self, episode: Episode, extraction: Extraction) -> Added:
        """Write an episode with what was read in it, in one transaction."""
        async with self.locks[episode.group_id]:
            index = await self.catalog.group(episode.group_id)
            for _ in range(_REPLANS):
                # Asked again under the lock: the same episode may have been added meanwhile.
                if known := await self.known(episode):
                    return Added(known, new=False)
                started = time.perf_counter()
                plan = await make_plan(
                    episode, extraction, index, self.store, self.embedder, self.relations
                )
                planned = time.perf_counter()
                try:
                    seq = await self.store.apply(plan.changes(), after=index.seq)
                except StaleGroupError:
                    index = await self.catalog.catch_up(episode.group_id)
                    continue
                stored = time.perf_counter()
                plan.enter(index, seq)
                return Added(
                    episode,
                    new=True,
                    entities=tuple(plan.entities.values()),
                    facts=tuple(plan.facts.values()),
                    changed=tuple(after for _, after in plan.changed_facts.values()),
                    seconds={
                        "embed": plan.embed_seconds,
                        "resolve": planned - started - plan.embed_seconds,
                        "store": stored - planned,
                        "index": time.perf_counter() - stored,
                    },
                )
        raise TransactionError(
            f"group {episode.group_id!r} was changed by other writers {_REPLANS} times while "
            f"episode {episode.name or episode.id!r} was added; nothing was written, try again"
        )

    async def _previous(
        self, episode: Episode, pending: tuple[Episode, ...]
    ) -> tuple[Episode, ...]:
        index: GroupIndex = await self.catalog.group(episode.group_id)
        ids = index.latest_before(to_micros(episode.valid_at, BEGINNING), _CONTEXT_EPISODES)
        stored = (await self.store.get(Episode, ids)).values()
        waiting = [
            other
            for other in pending
            if other.group_id == episode.group_id and other.valid_at <= episode.valid_at
        ]
        seen = {other.id: other for other in (*stored, *waiting)}
        ordered = sorted(seen.values(), key=lambda other: (other.valid_at, other.id))
        return tuple(ordered[-_CONTEXT_EPISODES:])
