"""What a text says of what only the graph knows: that it is over, or never was."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.names.key import name_key
from graphrag.ontology.relations import DEATHS, VITAL, Relations
from graphrag.resolve.mentions import Resolution
from graphrag.temporal.moment import to_micros


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
        if one is not None and claim.relation == VITAL:
            alive = replace(claim, subject=one, invalid_at=at)
            denials += _alive(alive, resolution, index, relations)
            continue
        if one is None or other is None:
            continue
        claim = replace(claim, subject=one, object=other)
        if claim.relation == "succeeds":
            ends += _inherited(claim, resolution, index, relations)
            continue
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
    for name, row in _standing(line[0], line[1], index, relations, other=line[2]):
        if relations.line(name, *index.ends_of(row)) == line:
            yield int(index.facts["valid"][row]), int(index.facts["invalid"][row])


def _standing(
    relation: str, entity: str, index: GroupIndex, relations: Relations, other: str | None = None
) -> Iterator[tuple[str, int]]:
    """Yield the facts of an entity that stand, by whatever name of a relation, with that name."""
    facts = index.facts
    for name in relations.same(relation):
        for row in index.rows_at(entity, name, other):
            if facts["retracted"][row] == FOREVER and not facts["pending"][row]:
                yield name, row


def _inherited(
    claim: Claim, resolution: Resolution, index: GroupIndex, relations: Relations
) -> Iterator[Claim]:
    """Yield what a successor leads, and who leads it no more: the one thing that is known of."""
    old, at = claim.object, claim.valid_at
    if old is None or at is None:
        return
    moment, facts, who = to_micros(at, BEGINNING), index.facts, resolution.entity_of[old]
    led = {
        index.ends_of(row)[1]
        for _, row in _standing("leads", who, index, relations)
        if index.ends_of(row)[0] == who and facts["valid"][row] <= moment < facts["invalid"][row]
    }
    if len(led) != 1:
        return
    post = _named(led.pop(), claim, resolution, index)
    leads = replace(claim, relation="leads", object=post, kind="state")
    over = replace(leads, subject=old, valid_at=None, invalid_at=at, ends=True)
    yield replace(over, invalid_precision=claim.valid_precision)
    yield leads


def _alive(
    claim: Claim, resolution: Resolution, index: GroupIndex, relations: Relations
) -> Iterator[Claim]:
    """Yield the denial that somebody is dead, if anything says so: it takes back all of it."""
    who = resolution.entity_of[claim.subject]
    for relation in DEATHS:
        for _, row in _standing(relation, who, index, relations):
            dead = _named(index.ends_of(row)[1], claim, resolution, index)
            yield replace(claim, object=dead)
            return


def _named(entity: str, claim: Claim, resolution: Resolution, index: GroupIndex) -> Mention:
    """Return a mention of what a text does not name, where it states something of it."""
    mention = Mention(index.entity_name(entity), start=claim.start, end=claim.start)
    resolution.entity_of[mention] = entity
    return mention
