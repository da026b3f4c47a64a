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
            denials += _alive(replace(claim, subject=one, invalid_at=at), resolution, index)
            continue
        if one is None or other is None:
            continue
        claim = replace(claim, subject=one, object=other)
        if claim.relation == "succeeds":
            ends += _inherited(claim, resolution, index)
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
    facts = index.facts
    for name in relations.same(line[0]):
        for row in index.rows_at(line[1], name, line[2]):
            if relations.line(name, *index.ends_of(row)) == line and (
                facts["retracted"][row] == FOREVER and not facts["pending"][row]
            ):
                yield int(facts["valid"][row]), int(facts["invalid"][row])


def _inherited(claim: Claim, resolution: Resolution, index: GroupIndex) -> Iterator[Claim]:
    """Yield what a successor leads, and who leads it no more: the one thing that is known of."""
    old, at = claim.object, claim.valid_at
    if old is None or at is None:
        return
    moment, facts = to_micros(at, BEGINNING), index.facts
    led = {
        index.ends_of(row)[1]
        for row in index.rows_at(resolution.entity_of[old], "leads")
        if index.ends_of(row)[0] == resolution.entity_of[old]
        and facts["valid"][row] <= moment < facts["invalid"][row]
        and facts["retracted"][row] == FOREVER
    }
    for body in led if len(led) == 1 else ():
        post = Mention(index.entity_name(body), start=claim.start, end=claim.start)
        resolution.entity_of[post] = body
        leads = replace(claim, relation="leads", object=post, kind="state")
        yield replace(
            leads, subject=old, valid_at=None, invalid_at=at, ends=True,
            invalid_precision=claim.valid_precision,
        )  # fmt: skip
        yield leads


def _alive(claim: Claim, resolution: Resolution, index: GroupIndex) -> Iterator[Claim]:
    """Yield the denials of all that says that somebody is dead."""
    for relation in DEATHS:
        for row in index.rows_at(resolution.entity_of[claim.subject], relation):
            if index.facts["retracted"][row] == FOREVER:
                _, other = index.ends_of(row)
                mention = Mention(index.entity_name(other), start=claim.start, end=claim.start)
                resolution.entity_of[mention] = other
                yield replace(claim, relation=relation, object=mention)
