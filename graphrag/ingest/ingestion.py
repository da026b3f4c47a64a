"""What writing needs: transactions, the store, what is plugged in, and trust in sources.

A transaction is planned under the lock of its group, and planned again if another writer was
faster: the event number is the lock between processes. Removed entities keep row and names and
return when a new fact speaks of them.

A less trusted source neither ends nor replaces what a more trusted one said, in any order; its fact
is kept as contested until a person confirms it. Trust is a number per source name:
``source_description`` of an episode, ``source`` of a table or fact.
"""

import asyncio
import logging
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite
from typing import Self

from graphrag.errors import InputError, PolicyError, TransactionError
from graphrag.index.catalog import Catalog, Locks
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.ingest.policy import FAILED, Policy, broken, refused
from graphrag.model.extraction import Usage
from graphrag.model.values import Episode
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.ontology.relations import Relations
from graphrag.protocols import Arbiter, Embedder, Extractor, Tracer
from graphrag.store.changes import LIBRARY, ChangeSet, Update
from graphrag.store.connection import outlast
from graphrag.store.log import OpenStreams
from graphrag.store.store import StaleGroupError, Store
from graphrag.temporal.moment import from_micros

_LOG = logging.getLogger("graphrag")
_REPLANS = 100
"""Tries of a transaction: a fast writer of another process may win many times in a row."""
DENIED = "denied"
"""Kind of the event that stands in the log for a refused transaction."""

Build = Callable[[GroupIndex], Awaitable[ChangeSet]]
"""Work out a transaction against the group as it is now; an empty one writes nothing."""
Enter = Callable[[GroupIndex, int], None]
"""Put what was committed under this event number into the index."""
_NOTES = 200
"""Notes that are kept for each group, the last ones."""
REVIEW_BELOW = 0.55
"""Rules of extraction give 0.8, a model for a guess 0.5; the network states nothing below this."""


def returning(changes: ChangeSet, index: GroupIndex) -> list[str]:
    """Add to a transaction that the removed entities it speaks of are there; return their ids."""
    entities = index.entities
    updates = (update for update in changes.updates if update.table == "entity")
    decided = {update.id for update in updates if "removed_at" in update.after}
    back = []
    for id_ in dict.fromkeys(_spoken_of(changes, index)):
        row = entities.row_of.get(id_)
        at = FOREVER if row is None else int(entities["removed"][row])
        if id_ not in decided and at != FOREVER:
            was = {"removed_at": from_micros(at)}
            changes.updates.append(Update("entity", id_, was, {"removed_at": None}))
            back.append(id_)
    return back


def _spoken_of(changes: ChangeSet, index: GroupIndex) -> Iterator[str]:
    for row in changes.new_rows("mentions"):
        yield from index.heirs.each([row["out"].id])
    for row in changes.new_rows("relates_to"):
        yield from index.heirs.each([row["in"].id, row["out"].id])
    for update in changes.updates:
        if update.table == "relates_to" and "retracted_at" in update.after:
            if update.after["retracted_at"] is None and update.id in index.facts.row_of:
                yield from index.ends_of(index.facts.row_of[update.id])


@dataclass(frozen=True, slots=True)
class Writer:
    """Every write of the library goes through here, whatever planned it."""

    store: Store
    catalog: Catalog
    actor: str = LIBRARY
    """Who writes what names no actor of its own."""
    policy: Policy | None = None
    streams: OpenStreams = field(default_factory=OpenStreams)
    locks: Locks = field(default_factory=Locks)

    async def commit(self, group: str, build: Build, *, enter: Enter | None = None) -> int:
        """Build and apply one transaction and return its event number, 0 if it is empty.

        ``build`` may be called several times: whenever another writer committed first. Without
        ``enter`` the index reads the new event back, which costs two more round trips. What is
        committed stays written: if it does not get into the index, the group is read anew.
        """
        async with self.locks[group]:
            index = await self.catalog.group(group)
            for _ in range(_REPLANS):
                changes = await build(index)
                if not changes:
                    return 0
                back = returning(changes, index)
                if back and changes.ready is not None:
                    self.store.prepare(changes, after=changes.ready.seq - 1)
                changes, refusal = self.allowed(changes, index)
                try:
                    seq = await self._write(index, changes, None if refusal else enter, back)
                except StaleGroupError:
                    index = await self.catalog.catch_up(group)
                    continue
                if refusal is not None:
                    raise refusal
                return seq
        raise TransactionError(
            f"group {group!r} was changed by other writers {_REPLANS} times meanwhile; nothing was "
            "written, try again"
        )

    def prepare(self, changes: ChangeSet, *, after: int) -> None:
        """Encode a transaction ahead of ``commit``, in which it will be if nobody else writes."""
        changes.actor = changes.actor or self.actor
        self.store.prepare(changes, after=after)

    async def _write(
        self, index: GroupIndex, changes: ChangeSet, enter: Enter | None, back: list[str]
    ) -> int:
        """Apply and enter as one: what the engine has begun is not left half known by a cancel."""

        async def write() -> int:
            async with self.catalog.gate(index.group_id).change():
                seq = await self.store.apply(changes, after=index.seq)
                try:
                    await self._enter(index, changes, enter, back, seq)
                except Exception:  # noqa: BLE001 - it is written: the writer must not hear otherwise
                    _LOG.warning(
                        "event %d of group %r is committed, and the group in memory could not be "
                        "brought up to it: it is read from the store when it is asked for again",
                        seq,
                        index.group_id,
                        exc_info=True,
                    )
                    await self.catalog.drop(index.group_id)
            self.streams.committed(index.group_id, seq)
            return seq

        writing = asyncio.create_task(write())
        try:
            await outlast(writing)
        except asyncio.CancelledError:
            if not writing.cancelled():
                writing.exception()  # looked at, so that it is not reported as forgotten
            raise
        return writing.result()

    async def _enter(
        self, index: GroupIndex, changes: ChangeSet, enter: Enter | None, back: list[str], seq: int
    ) -> None:
        """Bring the group in memory up to what was committed as event ``seq``."""
        if enter is None:
            await self.catalog.catch_up(index.group_id)
        else:
            enter(index, seq)
            for id_ in back:
                index.entities.replace(id_, removed=FOREVER)
        self.catalog.changed(index.group_id, changes.touched())

    def allowed(
        self, changes: ChangeSet, index: GroupIndex
    ) -> tuple[ChangeSet, PolicyError | None]:
        """Return the changes, or the event that they were refused and the error to raise then."""
        changes.actor = changes.actor or self.actor
        reason = broken(changes, index)
        if reason is None and self.policy is not None and changes.kind != FAILED:
            reason = refused(changes, index, self.policy)
        if reason is None:
            return changes, None
        refusal = PolicyError(f"{reason}; nothing was written to group {changes.group_id!r}")
        return ChangeSet(changes.group_id, DENIED, actor=changes.actor, note=reason), refusal


@dataclass(frozen=True, slots=True)
class Trust:
    """The trust of each source; one that is not named has 0, and so does what names none."""

    by_source: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for source, trust in self.by_source.items():
            number = isinstance(trust, int | float) and not isinstance(trust, bool)
            if not isinstance(source, str) or not number or not isfinite(trust):
                raise InputError(
                    f"trust of source {source!r} is {trust!r}: give a number by the name of the "
                    "source, above 0 for one that outweighs the others, below 0 for one that may "
                    "not change what they said"
                )

    def of(self, source: str) -> float:
        """Return the trust of a source."""
        return float(self.by_source.get(source, 0.0))


class Losses:
    """Extracted items that were not stored as they were extracted, since the graph was opened."""

    def __init__(self) -> None:
        self.counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        """``dropped`` and ``adjusted`` by group."""
        self.notes: defaultdict[str, deque[str]] = defaultdict(partial(deque, maxlen=_NOTES))
        """The last of them by group, in words."""

    def add(self, episode: Episode, dropped: Sequence[str], adjusted: Sequence[str]) -> None:
        """Count those of one episode."""
        group, name = episode.group_id, episode.name or episode.id
        self.counts[group].update(dropped=len(dropped), adjusted=len(adjusted))
        self.notes[group].extend(f"{name}: {note}" for note in (*dropped, *adjusted))


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Everything that the write path needs."""

    writer: Writer
    embedder: Embedder
    extractor: Extractor
    relations: Relations
    review_below: float = REVIEW_BELOW
    """Facts of less confidence wait for a person."""
    arbiter: Arbiter | None = None
    """Asked about what the rules leave open; None leaves it open."""
    ontology: Ontology = ANYTHING
    trust: Trust = field(default_factory=Trust)
    tracer: Tracer | None = None
    losses: Losses = field(default_factory=Losses)
    charged: dict[str, Usage] = field(default_factory=dict)
    """Reported cost of the episodes that could not be extracted, until they are."""

    def spent_on(self, episode_id: str, *, failed: bool = False) -> Usage | None:
        """Return the cost of an episode that was not reported yet; None if nobody counts it."""
        counted = getattr(self.extractor, "usage_of", None)
        total: Usage | None = None if counted is None else counted(episode_id)
        if total is None:
            return None
        known = self.charged.pop(episode_id, Usage())
        if failed:
            self.charged[episode_id] = total
        return total - known if known.calls <= total.calls else total

    def with_ontology(self, ontology: Ontology | None) -> Self:
        """Return the services with the types of one call instead of the graph's; None keeps these.

        Raises:
            InputError: if a type has rules that the graph has not: every later write needs them.
        """
        if ontology is None:
            return self
        for kind in ontology.facts.values():
            if kind.relation.has_rules and kind.relation != self.relations.get(kind.name):
                raise InputError(
                    f"ontology: {kind.name!r} has rules, which a graph keeps at every write: "
                    "declare it in GraphRAG.open(rules=Rules(ontology=...))"
                )
        read = getattr(self.extractor, "with_ontology", None)
        extractor = self.extractor if read is None else read(ontology)
        return replace(self, ontology=ontology.under(self.relations), extractor=extractor)

    @property
    def store(self) -> Store:
        """Return the store that is written to."""
        return self.writer.store

    @property
    def catalog(self) -> Catalog:
        """Return the groups in memory."""
        return self.writer.catalog
