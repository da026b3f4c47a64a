"""The write path: extract, resolve, judge, store; one transaction for each episode.

Everything is planned as values first. The plan is written only if the group has not moved since; if
another writer was faster, the index catches up and the plan is made again, so no concurrent episode
can leave a duplicate entity or two current values of a single-valued relation.
"""

import logging
from dataclasses import dataclass, replace

from graphrag.errors import InputError
from graphrag.index.catalog import Catalog
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.commit import Writer
from graphrag.ingest.open_points import both, find_open_points, ruling_of
from graphrag.ingest.plan import new_saga
from graphrag.ingest.planner import EpisodeWrite
from graphrag.ingest.reports import Added
from graphrag.ingest.statements import REVIEW_BELOW, decide, extract
from graphrag.ingest.trust import FULL_TRUST, Trust, limited
from graphrag.model.extraction import Extraction
from graphrag.model.values import Episode
from graphrag.ontology.conform import Violation, straightened
from graphrag.ontology.ontology import ANYTHING, Ontology, known_types
from graphrag.ontology.relations import Relations
from graphrag.protocols import Arbiter, Embedder, Extractor, Ruling, Tracer, traced
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros

_LOG = logging.getLogger("graphrag")
_CONTEXT_EPISODES = 4
_SHOWN = 60
_COUNTED = ("entities", "facts", "changed", "dropped")


def is_waiting(episode: Episode) -> bool:
    """Tell whether a stored episode is still to be read."""
    return episode.status == "pending" and episode.removed_at is None


@dataclass(frozen=True, slots=True)
class Ingestion:
    """Everything the write path needs, and its entry point."""

    writer: Writer
    embedder: Embedder
    extractor: Extractor
    relations: Relations
    review_below: float = REVIEW_BELOW
    """Facts of less confidence wait for a person."""
    arbiter: Arbiter | None = None
    """Asked about what the rules leave open; None leaves it open."""
    ontology: Ontology = ANYTHING
    """What may be stored."""
    trust: Trust = FULL_TRUST
    """How far each source is believed."""
    tracer: Tracer | None = None
    """Told of every step."""

    @property
    def store(self) -> Store:
        """Return the store that is written to."""
        return self.writer.store

    @property
    def catalog(self) -> Catalog:
        """Return the groups in memory."""
        return self.writer.catalog

    async def known(self, episode: Episode) -> Episode | None:
        """Return the stored episode that this one tells again, if any.

        That is the one with its key; else one of the same content, reference time and group, if
        not both have a key, and not both a saga of their own; by its author, if it has one.

        Raises:
            InputError: if the one with its key says something else.
        """
        index = await self.catalog.group(episode.group_id)
        if episode.key is not None and (id_ := index.timeline.keyed(episode.key)) is not None:
            stored = (await self.store.get(Episode, [id_]))[id_]
            if stored.content_hash != episode.content_hash:
                raise InputError(
                    f"key {episode.key!r} is that of episode {id_}, which says "
                    f"{stored.content[:_SHOWN]!r}, not {episode.content[:_SHOWN]!r}: give another "
                    "key, or remove_episode() that one first"
                )
            return stored
        ids = index.timeline.known(episode.content_hash, to_micros(episode.valid_at, BEGINNING))
        if not ids:
            return None
        alike = [
            one
            for one in (await self.store.get(Episode, ids)).values()
            if episode.author in (None, one.author)
            and (episode.key is None or one.key is None)
            and (episode.saga is None or one.saga in (None, episode.saga))
        ]
        return min(alike, key=lambda one: (one.saga != episode.saga, one.id), default=None)

    async def join(self, known: Episode, given: Episode) -> Episode:
        """Give a stored episode the saga and the key that it is given again with; return it.

        Raises:
            InputError: if it is part of another saga.
        """
        if known.saga is not None and given.saga not in (None, known.saga):
            raise InputError(
                f"episode {known.id} is in the graph as part of saga {known.saga!r}, not "
                f"{given.saga!r}: an episode belongs to one saga"
            )
        joined = replace(known, saga=known.saga or given.saga, key=known.key or given.key)
        if joined == known:
            return known

        async def build(index: GroupIndex) -> ChangeSet:
            changes = ChangeSet(known.group_id, kind="join_episode")
            if (saga_row := new_saga(joined, index)) is not None:
                changes.insert(saga_row)
            changes.change(known, joined)
            return changes

        await self.writer.commit(known.group_id, build)
        return joined

    async def stored(self, id_: str) -> Episode | None:
        """Return an episode as it is stored now, None if it is not there."""
        return (await self.store.get(Episode, [id_])).get(id_)

    async def read(self, episode: Episode, pending: tuple[Episode, ...] = ()) -> Extraction:
        """Extract an episode; ``pending`` are earlier episodes that are not stored yet."""
        # Imported here: a graph that is only read shows nothing to an extractor.
        from graphrag.resolve.spot import context_of

        previous = await self._previous(episode, pending)
        index = await self.catalog.group(episode.group_id)
        at = to_micros(episode.valid_at, BEGINNING)
        trusted = self.trust.of(episode.source_description) >= 0
        context = await context_of(episode, previous, self.extractor, index, self.store, at=at)
        with traced(self.tracer, "extract", group=episode.group_id) as note:
            read = await extract(self.extractor, replace(context, trusted=trusted))
            note({"claims": len(read.claims), "dropped": len(read.dropped)})
        return read

    async def fitting(
        self, group: str, extraction: Extraction
    ) -> tuple[Extraction, tuple[Violation, ...]]:
        """Return what of an extraction the ontology lets in, and what it does not.

        Facts that can be stated from both ends are turned to one direction.
        """
        index = await self.catalog.group(group)
        types = known_types(index.entities_named, index.entity_type)
        checked, violations = self.ontology.check(extraction, types)
        for violation in violations:
            _LOG.warning("ontology of group %r: %s", group, violation)
        return straightened(checked, self.relations), violations

    async def decide(self, episode: Episode, extraction: Extraction) -> Ruling:
        """Return what the extractor found, and what an arbiter finds of the rest.

        An arbiter is asked once about all that is left open, if there is anything.
        """
        found = ruling_of(extraction)
        if self.arbiter is None:
            return found
        index = await self.catalog.group(episode.group_id)
        case = await find_open_points(self, episode, extraction, index, found)
        if not case.doubts and not case.conflicts:
            return found
        with traced(self.tracer, "judge", group=episode.group_id) as note:
            note({"doubts": len(case.doubts), "conflicts": len(case.conflicts), "arbiter": True})
            return both(found, await decide(self.arbiter, case))

    async def read_and_add(
        self, episode: Episode, extraction: Extraction | None = None, *, waited: bool = False
    ) -> Added:
        """Read an episode, unless it is read already, and write it, as one step."""
        with traced(self.tracer, "ingest", group=episode.group_id, text=episode.content) as note:
            added = await self.add(episode, extraction or await self.read(episode), waited=waited)
            counts = {name: len(getattr(added, name)) for name in _COUNTED}
            note({"episode": added.episode.id, "new": added.new, **counts})
            return added

    async def add(self, episode: Episode, extraction: Extraction, *, waited: bool = False) -> Added:
        """Write an episode with what was read in it, in one transaction.

        With ``waited`` the episode is in the store already and is finished, unless it was finished
        or removed meanwhile.
        """
        trust = self.trust.of(episode.source_description)
        if trust < 0:
            extraction = limited(extraction, episode.source_description)
        extraction, violations = await self.fitting(episode.group_id, extraction)
        # Asked before the lock: a model takes seconds, and what it rules is judged again anyway.
        ruling = await self.decide(episode, extraction)
        write = EpisodeWrite(self, episode, extraction, ruling, trust, waited)
        await self.writer.commit(episode.group_id, write.build, enter=write.enter)
        if write.plan is not None:
            return write.done(write.plan, violations)
        known = write.known or episode
        return Added(known if waited else await self.join(known, episode), new=False)

    async def _previous(
        self, episode: Episode, pending: tuple[Episode, ...]
    ) -> tuple[Episode, ...]:
        index: GroupIndex = await self.catalog.group(episode.group_id)
        own = episode.id if episode.id in index.episodes.row_of else None
        ids = index.timeline.latest_before(
            to_micros(episode.valid_at, BEGINNING), _CONTEXT_EPISODES, own
        )
        found = (await self.store.get(Episode, ids)).values()
        stored = [other for other in found if other.removed_at is None]
        waiting = [
            other
            for other in pending
            if other.group_id == episode.group_id and other.valid_at <= episode.valid_at
        ]
        seen = {other.id: other for other in (*stored, *waiting)}
        ordered = sorted(seen.values(), key=lambda other: (other.valid_at, other.id))
        return tuple(ordered[-_CONTEXT_EPISODES:])
