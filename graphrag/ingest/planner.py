"""The write of one episode: planned under the lock of its group, committed, and reported."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.plan import EpisodePlan, new_saga, passages_of
from graphrag.ingest.reports import Added, closed, left_out
from graphrag.ingest.statements import entity_name, mentions_of, other_name, state
from graphrag.ingest.summaries import summarize_plan
from graphrag.model.assertion import Ending
from graphrag.model.extraction import Extraction, Mention
from graphrag.model.values import Entity, Episode, Fact
from graphrag.names.key import name_key
from graphrag.ontology.conform import Violation
from graphrag.protocols import Ruling, in_turns, traced
from graphrag.resolve.enrich import enriched
from graphrag.resolve.mentions import adds_something, resolve
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros, utc_now

if TYPE_CHECKING:
    from graphrag.ingest.ingestion import Ingestion
    from graphrag.ingest.ledger import Ledger

_MANY = 200
"""Statements that take some ms to settle."""


@dataclass(slots=True)
class EpisodeWrite:
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
    """The stored episode that this one repeats, if it does."""
    seconds: dict[str, float] = field(default_factory=dict)
    _began: float = 0.0

    async def build(self, index: GroupIndex) -> ChangeSet:
        """Plan it against the group as it is now; nothing if the graph has it."""
        ingestion, episode = self.ingestion, self.episode
        self.plan = self.known = None
        # Asked again under the lock: the same episode may have been added meanwhile.
        find = ingestion.stored(episode.id) if self.waited else ingestion.known(episode)
        stored = await find
        if stored is not None and not (self.waited and _is_unread(stored)):
            self.known = stored
        if self.known is not None or (self.waited and stored is None):
            return ChangeSet(episode.group_id, kind="add_episode")
        began = time.perf_counter()
        self.plan = plan = await self._planned(index)
        if self.waited:
            plan.kind, plan.waiting = "finish_episode", stored
        plan.note = "; ".join((*plan.dropped, *self.extraction.adjusted)) or None
        self._began = time.perf_counter()
        self.seconds["resolve"] = self._began - began - self.seconds["embed"]
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

    async def _planned(self, index: GroupIndex) -> EpisodePlan:
        """Work out what it changes: two reads of the store at most, one batch of vectors."""
        ingestion, episode, now = self.ingestion, self.episode, utc_now()
        with traced(ingestion.tracer, "resolve", group=episode.group_id) as note:
            resolution = resolve(
                mentions_of(self.extraction),
                index,
                created_at=now,
                ruling=self.ruling,
                stated_at=episode.valid_at,
                source=episode.id,
                identifiers=ingestion.ontology.identifiers,
            )
            note({"mentions": len(resolution.entity_of), "entities": len(resolution.created)})
        plan = EpisodePlan(episode=episode, resolution=resolution, entities=resolution.created)
        micros = to_micros(episode.valid_at, BEGINNING)
        plan.neighbours = index.timeline.around(micros, episode.id)
        plan.new_saga = new_saga(episode, index)
        await _enrich(plan, index, ingestion.store, self.ruling)
        await self._judge(plan, index)
        summarize_plan(plan, index, now=now)
        plan.passages = passages_of(episode)
        started = time.perf_counter()
        await plan.embed(ingestion.embedder)
        self.seconds["embed"] = time.perf_counter() - started
        return plan

    async def _judge(self, plan: EpisodePlan, index: GroupIndex) -> None:
        """Note which facts are new or change, and what became nothing."""
        # Imported here: a graph that is only read needs none of what settles lifetimes.
        from graphrag.ingest.implied_endings import with_implied
        from graphrag.ingest.ledger import Ledger, Rules

        ingestion, episode, now = self.ingestion, self.episode, utc_now()
        relations, resolution = ingestion.relations, plan.resolution
        claims = with_implied(
            self.extraction.claims, resolution, index, relations, at=episode.valid_at
        )
        statements = state(
            claims,
            episode,
            resolution.entity_of,
            partial(entity_name, resolution, index),
            now=now,
            ruling=self.ruling,
            trust=self.trust,
            alias=partial(other_name, group=index),
        )
        new = [fact async for fact in in_turns(statements)]
        ledger = Ledger(index, Rules(relations, ingestion.review_below), now)
        with traced(ingestion.tracer, "judge", group=episode.group_id) as note:
            await ledger.read(new, ingestion.store)
            if len(new) > _MANY:  # nobody else touches what it works on, under the lock
                await asyncio.to_thread(ledger.settle, new)
            else:
                ledger.settle(new)
            plan.facts, plan.changed_facts = ledger.new_facts, ledger.changed
            note({"stated": len(new), "facts": len(plan.facts), "changed": len(plan.changed_facts)})
        lost = [*_without_effect(new, ledger), *ledger.denied(new, ends=True)]
        lost += ledger.ineffective_replacements
        plan.dropped = (
            *self.extraction.dropped,
            *left_out(self.extraction.claims, resolution.entity_of),
            *dict.fromkeys(lost),  # a death is more than one fact
        )
        _end(plan, ledger.endings, ledger.component.entities)


def _is_unread(episode: Episode) -> bool:
    return episode.status != "done" and episode.removed_at is None


def _without_effect(new: Iterable[Fact], ledger: "Ledger") -> Iterator[str]:
    """Yield the ends and cancellations that were too doubtful, or not trusted enough."""
    said = {ending.assertion.id for ends in ledger.endings.values() for ending in ends}
    kept = {fact.text for fact in ledger.new_facts.values()}
    for fact in new:
        if fact in ledger.powerless:
            yield f"{fact.text!r}: a more trusted source says so, or it began later"
        elif not (fact.id in ledger.stands or fact.statements[0].id in said or fact.text in kept):
            about = f"{fact.subject} {fact.relation} {fact.object}".strip()
            yield f"the fact {about!r}, too doubtful to end or cancel anything"


async def _enrich(plan: EpisodePlan, index: GroupIndex, store: Store, ruling: Ruling) -> None:
    """Note the stored entities that a mention adds something to."""
    stored = [
        (mention, id_)
        for mention, id_ in (
            (_with_alias(mention, ruling), id_)
            for mention, id_ in plan.resolution.entity_of.items()
        )
        if id_ not in plan.entities
        and adds_something(mention, index.entity_name(id_), index.entity_type(id_))
    ]
    before = await store.get(Entity, [id_ for _, id_ in stored])
    after = dict(before)
    for mention, id_ in stored:
        after[id_] = enriched(after[id_], mention, plan.episode.valid_at, plan.episode.id)
    plan.changed_entities = {
        id_: (before[id_], after[id_]) for id_ in before if after[id_] != before[id_]
    }


def _with_alias(mention: Mention, ruling: Ruling) -> Mention:
    """Return a mention that gives its own name to the entity that an arbiter found it to mean.

    A lone first name is no alias: next time it may mean another person of that name.
    """
    lone = mention.entity_type == "person" and " " not in name_key(mention.name)
    if lone or mention not in ruling.entity_of:
        return mention
    return replace(mention, aliases=(*mention.aliases, mention.name))


def _end(
    plan: EpisodePlan, endings: Mapping[str, Sequence[Ending]], stored: Mapping[str, Entity]
) -> None:
    """Note what is said of entities that is no fact."""
    for id_, new in endings.items():
        if id_ in plan.entities:
            entity = plan.entities[id_]
            plan.entities[id_] = replace(entity, endings=(*entity.endings, *new))
        else:
            before, after = plan.changed_entities.get(id_, (stored[id_],) * 2)
            after = replace(after, endings=(*after.endings, *new))
            plan.changed_entities[id_] = before, after
