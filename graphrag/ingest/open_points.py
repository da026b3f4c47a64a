"""Open points of one episode: what the rules cannot decide, as one question to the arbiter.

Open are mentions that fit several entities, and pairs of a claim and a stored fact of one entity
at one time: same relation with another object, relations named alike ("works for", "works_at"), or
a denial ("trusts", "distrusts"). A relation with two objects at one time for some subject is taken
to be multi-valued, unless the text says that one value replaces another: only a new relation costs
questions.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import partial
from itertools import product

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.texts import embed_texts, entity_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.rivalry import overlap, shares_end
from graphrag.ingest.statements import mentions_of, state
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.model.values import Entity, Episode, Fact
from graphrag.ontology.relations import Relations
from graphrag.protocols import Case, Conflict, Doubt, Ruling
from graphrag.resolve import UNTYPED, KnownEntities
from graphrag.resolve.doubt import OpenMention, with_meanings
from graphrag.resolve.mentions import Resolution, resolve
from graphrag.temporal.moment import utc_now

_ALIKE = 80
"""Of 100, at which the names of two relations may mean the same."""
_DENIALS = ("not_", "no_longer_", "never_", "dis", "un", "mis", "ex_", "former_", "formerly_")


def _may_exclude(
    claim: Claim,
    new_fact: Fact,
    fact: Fact,
    index: GroupIndex,
    relations: Relations,
    many: Set[tuple[str, str]],
) -> bool:
    """Tell whether the fact of a claim may exclude a stored one that holds at one time with it.

    About two declared relations the rules have decided. ``many`` are the subjects and relations of
    which the text itself states several objects.
    """
    relation, known = new_fact.relation, fact.relation
    if fact.retracted_at is not None or fact.pending or {relation, known} <= relations.keys():
        return False
    if not shares_end(new_fact, fact) or not overlap(new_fact, fact):
        return False
    if {new_fact.subject_id, new_fact.object_id} == {fact.subject_id, fact.object_id}:
        return relation != known and (claim.replaces or _denies(relation, known))
    of_subject = new_fact.subject_id == fact.subject_id
    if relation == known:
        # One holder at a time is what "ceo_of" says, not "uses": many use one thing.
        one_holder = new_fact.object_id == fact.object_id and relation.endswith("_of")
        may_exclude = of_subject or one_holder
    else:
        assert claim.object is not None, "ends are no rivals"
        # A person works "for" what they work "at", and not "with" somebody.
        kinds = {claim.object.entity_type, index.entity_type(fact.object_id)}
        alike = (len(kinds) == 1 or UNTYPED in kinds) and _called_alike(relation, known)
        may_exclude = of_subject and alike
    if not may_exclude or claim.replaces:
        return may_exclude
    several = (new_fact.subject_id, relation) in many
    return not several and not _held_together(relation, known, index, of_subject=of_subject)


def _called_alike(relation: str, other: str) -> bool:
    from rapidfuzz import fuzz

    return bool(fuzz.ratio(relation.split("_")[0], other.split("_")[0]) >= _ALIKE)


def _denies(relation: str, other: str) -> bool:
    short, long = sorted((relation, other), key=len)
    return any(long == denial + short for denial in _DENIALS)


def _held_together(relation: str, other: str, index: GroupIndex, *, of_subject: bool) -> bool:
    """Tell whether something stored has two values of a relation, or of two, at one time."""
    codes = {index.relation_code(name) for name in (relation, other)}
    facts = index.facts
    standing = facts.alive.values & ~facts["pending"] & (facts["retracted"] == FOREVER)
    standing &= facts["valid"] < facts["invalid"]
    rows = np.flatnonzero(standing & np.isin(facts["relation"], list(codes)))
    subjects, objects = (column[rows] for column in index.ends())
    here, there = (subjects, objects) if of_subject else (objects, subjects)
    order = np.lexsort((facts["valid"][rows], here))
    rows, here, there = rows[order], here[order], there[order]
    code, start, stop = (facts[name][rows] for name in ("relation", "valid", "invalid"))
    # Of each end only those that follow each other in time: one such pair is enough to know.
    together = (here[1:] == here[:-1]) & (there[1:] != there[:-1]) & (start[1:] < stop[:-1])
    if len(codes) == 2:
        together &= code[1:] != code[:-1]
    return bool(together.any())


_RELATIONS, _EACH = 50, 5
"""Stored facts that are looked at for each end of a claim: of so many relations, so many each."""
_MOST = 24


async def find_open_points(
    ingestion: Ingestion,
    episode: Episode,
    extraction: Extraction,
    index: GroupIndex,
    ruling: Ruling,
) -> Case:
    """Return what the rules leave open about an episode, and the extractor too.

    New names are embedded here; an embedder with a cache has their vectors when they are written.
    """
    declared = ingestion.ontology.identifiers
    resolution = resolve(
        mentions_of(extraction),
        index,
        created_at=utc_now(),
        ruling=ruling,
        stated_at=episode.valid_at,
        identifiers=declared,
        doubts=True,
    )
    doubts: Sequence[OpenMention] = resolution.doubts
    if resolution.created and len(index.entities):
        texts = {id_: entity_text(entity) for id_, entity in resolution.created.items()}
        vector_of = await embed_texts(ingestion.embedder, texts)
        new = {mention: id_ for mention, id_ in resolution.entity_of.items() if id_ in vector_of}
        vectors = {mention: vector_of[id_] for mention, id_ in new.items()}
        doubts = with_meanings(doubts, vectors, index, KnownEntities(index, declared))
    meanings = {
        doubt.mention: [candidate.id for candidate in doubt.candidates]
        for doubt in doubts
        if doubt.mention.entity_id is None and not doubt.mention.distinct_from
    }
    known = await ingestion.store.get(Entity, {id_ for ids in meanings.values() for id_ in ids})
    asked = (
        Doubt(mention, tuple(known[id_] for id_ in ids if id_ in known))
        for mention, ids in meanings.items()
    )
    stated = list(_stated(extraction.claims, episode, resolution, meanings, index))
    conflicts = await _conflicts(stated, extraction, index, ingestion)
    return Case(episode, tuple(asked), tuple(conflicts[:_MOST]))


async def _conflicts(
    stated: Sequence[tuple[Claim, Fact]],
    extraction: Extraction,
    index: GroupIndex,
    ingestion: Ingestion,
) -> list[Conflict]:
    """Return the claims and stored facts that may exclude each other, the latest added first."""
    relations = ingestion.relations
    near = {fact.id: list(_near(fact, index, relations)) for _, fact in stated}
    wanted = dict.fromkeys(id_ for ids in near.values() for id_ in ids)
    stored = index.heirs.follow(await ingestion.store.get(Fact, wanted), index.entity_name)
    objects: dict[tuple[str, str], set[Mention | None]] = defaultdict(set)
    for claim, fact in stated:
        objects[fact.subject_id, fact.relation].add(claim.object)
    many = {key for key, several in objects.items() if len(several) > 1}
    conflicts: dict[tuple[Claim, str], Conflict] = {}
    for claim, fact in stated:
        shown = extraction.shown if claim.settled else ()
        for other in (stored[id_] for id_ in near[fact.id] if id_ in stored and id_ not in shown):
            if _may_exclude(claim, fact, other, index, relations, many):
                conflicts[claim, other.id] = Conflict(claim, other)
    return sorted(conflicts.values(), key=lambda conflict: conflict.fact.created_at, reverse=True)


def _stated(
    claims: Iterable[Claim],
    episode: Episode,
    resolution: Resolution,
    meanings: Mapping[Mention, Sequence[str]],
    index: GroupIndex,
) -> Iterator[tuple[Claim, Fact]]:
    """Yield the fact of each claim, once for each entity that a doubtful mention may mean."""
    named = partial(resolution.named, index)
    for claim in claims:
        if claim.ends or claim.object is None:
            continue
        ends = (
            [*filter(None, (resolution.entity_of.get(end), *meanings.get(end, ())))]
            for end in (claim.subject, claim.object)
        )
        for subject, object_ in product(*ends):
            meant = {claim.subject: subject, claim.object: object_}
            for fact in state((claim,), episode, meant, named, now=utc_now()):
                yield claim, fact


def _near(fact: Fact, index: GroupIndex, relations: Relations) -> Iterator[str]:
    """Yield the facts added last at the ends of a fact, but for those that the rules decide."""
    for end in (fact.subject_id, fact.object_id):
        latest = index.latest_facts(end, relations=_RELATIONS, each=_EACH)
        for relation, rows in latest.items():
            if relation not in relations or fact.relation not in relations:
                yield from (index.facts.ids[row] for row in rows)
