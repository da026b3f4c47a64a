"""From what a text says to what the graph becomes: resolve every mention, judge every claim."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.episode_plan import EpisodePlan, new_saga, passages_of, texts_of
from graphrag.ingest.open_points import find_case
from graphrag.ingest.statements import other_name, state
from graphrag.ingest.summaries import summarize_plan
from graphrag.model.assertion import Ending
from graphrag.model.extraction import Extraction, Mention
from graphrag.model.values import Entity, Episode, Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import NO_RULING, Case, Embedder, Matrix, Ruling, Tracer, in_turns, traced
from graphrag.resolve.doubt import with_meanings
from graphrag.resolve.enrich import enriched
from graphrag.resolve.known import Declared, Known
from graphrag.resolve.mentions import adds_something, resolve
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros, utc_now

if TYPE_CHECKING:
    from graphrag.ingest.ledger import Ledger

_MANY = 200
"""Statements that take some ms to settle."""


async def make_plan(
    episode: Episode,
    extraction: Extraction,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    relations: Relations,
    *,
    review_below: float,
    ruling: Ruling = NO_RULING,
    identifiers: Declared | None = None,
    trust: float = 0.0,
    tracer: Tracer | None = None,
) -> EpisodePlan:
    """Work out what an episode changes: two reads of the store at most, one batch of vectors."""
    now = utc_now()
    with traced(tracer, "resolve", group=episode.group_id) as note:
        resolution = resolve(
            mentions_of(extraction),
            index,
            created_at=now,
            ruling=ruling,
            stated_at=episode.valid_at,
            source=episode.id,
            identifiers=identifiers,
        )
        note({"mentions": len(resolution.entity_of), "entities": len(resolution.created)})
    plan = EpisodePlan(episode=episode, resolution=resolution, entities=resolution.created)
    plan.neighbours = index.neighbours_in_time(to_micros(episode.valid_at, BEGINNING), episode.id)
    plan.new_saga = new_saga(episode, index)
    await _enrich(plan, index, store, ruling)

    def name_of(id_: str) -> str:
        created = resolution.created.get(id_)
        return created.name if created else index.entity_name(id_)

    # Imported here: a graph that is only read needs none of what settles lifetimes.
    from graphrag.ingest.implied_endings import with_implied
    from graphrag.ingest.ledger import Ledger, Rules

    entity_of = resolution.entity_of
    claims = with_implied(extraction.claims, resolution, index, relations, at=episode.valid_at)
    alias = partial(other_name, group=index)
    said = state(
        claims, episode, entity_of, name_of, now=now, ruling=ruling, trust=trust, alias=alias
    )
    new = [fact async for fact in in_turns(said)]
    ledger = Ledger(index, Rules(relations, review_below), now)
    with traced(tracer, "judge", group=episode.group_id) as note:
        await ledger.read(new, store)
        if len(new) > _MANY:  # nobody else touches what it works on, under the lock
            await asyncio.to_thread(ledger.tell, new)
        else:
            ledger.tell(new)
        plan.facts, plan.changed_facts = ledger.new_facts, ledger.changed
        note({"stated": len(new), "facts": len(plan.facts), "changed": len(plan.changed_facts)})
    lost = [*_without_effect(new, ledger), *ledger.denied(new, ends=True)]
    lost += ledger.ineffective_replacements
    plan.dropped = tuple(dict.fromkeys(lost))  # a death is more than one fact
    _end(plan, ledger.endings, ledger.component.entities)
    summarize_plan(plan, index, now=now)
    plan.passages = passages_of(episode)
    started = time.perf_counter()
    plan.vectors = await _embed(plan, embedder)
    plan.embed_seconds = time.perf_counter() - started
    return plan


async def find_open_points(
    episode: Episode,
    extraction: Extraction,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    relations: Relations,
    identifiers: Declared | None = None,
    *,
    ruling: Ruling = NO_RULING,
) -> Case:
    """Return what the rules would leave open about an episode, against the group as it is now.

    What the extractor has found already is not open.

    New names are embedded here; an embedder with a cache has their vectors when they are written.
    """
    resolution = resolve(
        mentions_of(extraction),
        index,
        created_at=utc_now(),
        ruling=ruling,
        stated_at=episode.valid_at,
        identifiers=identifiers,
        doubts=True,
    )
    if resolution.created and len(index.entities):
        texts = {id_: entity_text(entity) for id_, entity in resolution.created.items()}
        vectors = await embedder.embed(list(texts.values()), purpose="document")
        vector_of = dict(zip(texts, vectors, strict=True))
        resolution.doubts = with_meanings(
            resolution.doubts,
            {
                mention: vector_of[id_]
                for mention, id_ in resolution.entity_of.items()
                if id_ in vector_of
            },
            index,
            Known(index, identifiers or {}),
        )
    resolution.doubts = [open_ for open_ in resolution.doubts if not _decided(open_.mention)]
    return await find_case(episode, extraction, resolution, index, store, relations)


def ruling_of(extraction: Extraction) -> Ruling:
    """Return what an extractor that was shown the graph found of whom its mentions mean."""
    mentions = list(mentions_of(extraction))
    return Ruling(
        {one: one.entity_id for one in mentions if one.entity_id is not None},
        {one: one.distinct_from for one in mentions if one.distinct_from},
    )


def both(found: Ruling, ruled: Ruling) -> Ruling:
    """Return what an extractor found, and what an arbiter ruled of the rest."""
    return Ruling(
        {**ruled.entity_of, **found.entity_of},
        {**ruled.distinct, **found.distinct},
        ruled.exclusive,
    )


def _decided(mention: Mention) -> bool:
    return mention.entity_id is not None or bool(mention.distinct_from)


def _without_effect(new: Iterable[Fact], ledger: "Ledger") -> Iterator[str]:
    """Yield the ends and cancellations that were too doubtful, or not trusted enough."""
    said = {one.assertion.id for ends in ledger.endings.values() for one in ends}
    kept = {fact.text for fact in ledger.new_facts.values()}
    for fact in new:
        if fact in ledger.powerless:
            yield f"{fact.text!r}: a more trusted source says so, or it began later"
        elif not (fact.id in ledger.stands or fact.statements[0].id in said or fact.text in kept):
            about = f"{fact.subject} {fact.relation} {fact.object}".strip()
            yield f"the fact {about!r}, too doubtful to end or cancel anything"


def mentions_of(extraction: Extraction) -> Iterable[Mention]:
    """Yield every mention of an extraction, those of its claims too."""
    yield from extraction.mentions
    for claim in extraction.claims:
        yield claim.subject
        if claim.object is not None:
            yield claim.object


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


async def _embed(plan: EpisodePlan, embedder: Embedder) -> dict[str, Matrix]:
    texts = texts_of(plan.episode, plan.passages)
    texts |= {entity.id: entity_text(entity) for entity in plan.entities.values()}
    texts |= {fact.id: fact_text(fact) for fact in plan.facts.values()}
    vectors = await embedder.embed(list(texts.values()), purpose="document")
    return dict(zip(texts, vectors, strict=True))
