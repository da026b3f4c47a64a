"""One episode on its way into the graph: planned under the lock, written; and what that did."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graphrag.index.group import GroupIndex
from graphrag.ingest.episode_plan import EpisodePlan
from graphrag.ingest.plan import closed, left_out
from graphrag.ingest.planner import make_plan
from graphrag.model.extraction import Extraction
from graphrag.model.values import Entity, Episode, Fact
from graphrag.ontology.conform import Violation
from graphrag.protocols import Ruling
from graphrag.store.changes import ChangeSet

if TYPE_CHECKING:
    from graphrag.ingest.ingestion import Ingestion


@dataclass(frozen=True, slots=True)
class Added:
    """What adding one episode did."""

    episode: Episode
    new: bool
    """False if the graph already had this episode, by its key or by content and time."""
    entities: tuple[Entity, ...] = ()
    """Entities that did not exist before."""
    facts: tuple[Fact, ...] = ()
    """Facts that did not exist before."""
    changed: tuple[Fact, ...] = ()
    """Older facts that were closed, corrected or confirmed."""
    violations: tuple[Violation, ...] = ()
    """What was read and does not fit the ontology."""
    dropped: tuple[str, ...] = ()
    """What the extractor read and was not believed, in words: entities that the text does not name,
    facts that it does not say, places outside it."""
    adjusted: tuple[str, ...] = ()
    """What was believed otherwise than it was read, in words, and what waits for a person."""
    closed: tuple[str, ...] = ()
    """What ended or was taken back at once, in words: older facts, and new ones if need be."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """Seconds spent in each step: ``embed``, ``resolve``, ``store`` and ``index``."""


@dataclass(slots=True)
class Adding:
    """An episode with what was read in it; planned anew whenever another writer was faster."""

    ingestion: "Ingestion"
    episode: Episode
    extraction: Extraction
    ruling: Ruling
    trust: float
    """Of its source."""
    waited: bool
    """It is in the store already, and is finished unless it was finished or removed meanwhile."""
    plan: EpisodePlan | None = None
    known: Episode | None = None
    """The stored episode that this one tells again, if it does."""
    seconds: dict[str, float] = field(default_factory=dict)
    _began: float = 0.0

    async def build(self, index: GroupIndex) -> ChangeSet:
        """Plan it against the group as it is now; nothing if the graph has it."""
        ingestion, episode, extraction = self.ingestion, self.episode, self.extraction
        self.plan = self.known = None
        # Asked again under the lock: the same episode may have been added meanwhile.
        find = ingestion.stored(episode.id) if self.waited else ingestion.known(episode)
        stored = await find
        if stored is not None and not (self.waited and _is_unread(stored)):
            self.known = stored
        if self.known is not None or (self.waited and stored is None):
            return ChangeSet(episode.group_id, kind="add_episode")
        began = time.perf_counter()
        self.plan = plan = await make_plan(
            episode,
            extraction,
            index,
            ingestion.store,
            ingestion.embedder,
            ingestion.relations,
            review_below=ingestion.review_below,
            ruling=self.ruling,
            identifiers=ingestion.ontology.identifiers,
            trust=self.trust,
            tracer=ingestion.tracer,
        )
        if self.waited:
            plan.kind, plan.waiting = "finish_episode", stored
        unstated = left_out(extraction.claims, plan.resolution.entity_of)
        plan.dropped = (*extraction.dropped, *unstated, *plan.dropped)
        plan.note = "; ".join((*plan.dropped, *extraction.adjusted)) or None
        self._began = time.perf_counter()
        self.seconds["embed"] = plan.embed_seconds
        self.seconds["resolve"] = self._began - began - plan.embed_seconds
        return plan.changes()

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Put what was committed into the index."""
        assert self.plan is not None, "only a plan is committed"
        entering = time.perf_counter()
        self.seconds["store"] = entering - self._began
        self.plan.enter(index, seq)
        self.seconds["index"] = time.perf_counter() - entering

    def done(self, plan: EpisodePlan, violations: tuple[Violation, ...]) -> Added:
        """Return what adding it did."""
        return Added(
            self.episode,
            new=True,
            entities=tuple(plan.entities.values()),
            facts=tuple(plan.facts.values()),
            changed=tuple(after for _, after in plan.changed_facts.values()),
            violations=violations,
            dropped=plan.dropped,
            adjusted=self.extraction.adjusted,
            closed=tuple(closed(plan.facts.values(), plan.changed_facts.values())),
            seconds=self.seconds,
        )


def _is_unread(episode: Episode) -> bool:
    return episode.status != "done" and episode.removed_at is None
