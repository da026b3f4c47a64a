"""From what a text says to what the graph becomes: resolve every mention, judge every claim."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.episode_plan import EpisodePlan, new_saga, passages_of, texts_of
from graphrag.ingest.open_points import find_case
from graphrag.ingest.statements import other_name, state
from graphrag.ingest.summaries import summarize_plan
from graphrag.model.assertion import Ending
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Entity, Episode, Fact
from graphrag.names.key import name_key
from graphrag.ontology.relations import Relations
from graphrag.protocols import NO_RULING, Case, Embedder, Matrix, Ruling, Tracer, traced
from graphrag.resolve.doubt import with_meanings
from graphrag.resolve.enrich import enriched
from graphrag.resolve.known import Declared, Known
from graphrag.resolve.mentions import Resolution, adds_something, resolve
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros, utc_now

if TYPE_CHECKING:
    from graphrag.ingest.ledger import Ledger


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
    from graphrag.ingest.ledger import Ledger, Rules

    entity_of = resolution.entity_of
    claims = with_known(extraction, resolution, index, relations, at=episode.valid_at)
    alias = partial(other_name, group=index)
    said = state(
        claims, episode, entity_of, name_of, now=now, ruling=ruling, trust=trust, alias=alias
    )
    new = list(said)
    ledger = Ledger(index, Rules(relations, review_below), now)
    with traced(tracer, "judge", group=episode.group_id) as note:
        await ledger.read(new, store)
        ledger.tell(new)
        plan.facts, plan.changed_facts = ledger.new_facts, ledger.changed
        note({"stated": len(new), "facts": len(plan.facts), "changed": len(plan.changed_facts)})
    plan.dropped = (*_without_effect(new, ledger), *ledger.denied(new, ends=True))
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


def with_known(
    extraction: Extraction,
    resolution: Resolution,
    index: GroupIndex,
    relations: Relations,
    *,
    at: datetime,
) -> tuple[Claim, ...]:
    """Return the claims of a text, with what it says of what is known as far as it is.

    Denials come first, so that they meet only what was said before, and reach as far as the text.
    Whoever leaves a place lives there no more, and whoever leaves anything else does something
    else: where only that is known, it is meant.
    """
    claims = extraction.claims
    if not extraction.of_known:
        return claims
    entity_of = resolution.entity_of
    mention_of = {name_key(mention.name): mention for mention in entity_of}
    denials, ends = list[Claim](), list[Claim]()
    over = set[tuple[Mention, Mention | None]]()
    here = {
        relations.line(one.relation, entity_of.get(one.subject, ""), entity_of.get(one.object, ""))
        for one in claims
        if one.object and (one.kind, one.ends, one.invalid_at) == ("state", False, None)
    }
    for claim in extraction.of_known:
        one, other = map(mention_of.get, (name_key(claim.subject.name), _key(claim.object)))
        if one is None or other is None:
            continue
        claim = replace(claim, subject=one, object=other)
        line = relations.line(claim.relation, entity_of[one], entity_of[other])
        if not claim.ends:
            known = list(_stored(line, index, relations))
            denials += [replace(claim, invalid_at=at)] if known else []
            continue
        new = resolution.created.get(entity_of[other])
        kind = new.entity_type if new else index.entity_type(entity_of[other])
        at_home = claim.relation == "lives_in"
        if kind == ("organization" if at_home else "place"):
            over |= {(one, other)} if kind == "place" else set()
            continue
        end = to_micros(claim.invalid_at or at, BEGINNING)
        running = (first <= end < last for first, last in _stored(line, index, relations))
        if line in here or any(running):
            ends.append(claim)
            over.add((one, other))
    rest = (one for one in claims if not (one.ends and (one.subject, one.object) in over))
    return (*denials, *rest, *ends)


def _key(mention: Mention | None) -> str:
    return "" if mention is None else name_key(mention.name)


def _stored(
    line: tuple[str, str, str], index: GroupIndex, relations: Relations
) -> Iterator[tuple[int, int]]:
    """Yield when the facts hold that are stored of a line and stand."""
    facts = index.facts
    for name in relations.same(line[0]):
        for row in index.rows_at(line[1], name, line[2]):
            if relations.line(name, *index.ends_of(row)) == line and (
                facts["retracted"][row] == FOREVER and not facts["pending"][row]
            ):
                yield int(facts["valid"][row]), int(facts["invalid"][row])


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
