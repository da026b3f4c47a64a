"""What a text says of what only the graph knows: that it is over, goes on, or never was."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime

from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.ingest.lifetimes.support import Line
from graphrag.ingest.memory import Memory
from graphrag.ingest.unnamed import called_off, employed, ended, kept, with_job
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
    memory = Memory(resolution, index, relations, at)
    entity_of = resolution.entity_of
    mention_of = {name_key(mention.name): mention for mention in entity_of}
    denials, ends = list[Claim](), list[Claim]()
    over = set[tuple[Mention, Mention | None]]()
    leading = {one.subject for one in claims if one.relation == "leads" and not one.ends}
    heirs = {
        (one.subject, one.object): one
        for one in claims
        if one.relation == "succeeds" and one.kind == "state" and one.subject not in leading
    }
    here = {
        relations.line(one.relation, entity_of.get(one.subject, ""), entity_of.get(one.object, ""))
        for one in claims
        if one.object and (one.kind, one.ends, one.invalid_at) == ("state", False, None)
    }
    for claim in extraction.of_known:
        one, other = map(mention_of.get, (name_key(claim.subject.name), _key(claim.object)))
        if one is None:
            continue
        claim = replace(claim, subject=one)
        if claim.relation == VITAL:
            denials += _alive(replace(claim, invalid_at=at), memory)
        elif claim.object is None and claim.ends:
            ends += ended(claim, claims, memory)
        elif claim.object is None and claim.kind == "cancelled":
            ends += called_off(claim, memory)
        elif claim.corrects and claim.kind == "state" and not claim.ends:
            ends += kept(claim, memory)
        elif (other := _known(claim, other, memory)) is not None:
            claim = replace(claim, object=other)
            line = relations.line(claim.relation, entity_of[one], entity_of[other])
            if claim.relation == "succeeds":
                heirs[one, other] = claim
            elif claim.kind == "cancelled" and not claim.corrects:
                ahead = any(memory.now < first for first, _ in memory.lives(line))
                ends += [claim] if ahead else []
            elif not claim.ends:
                denials += [replace(claim, invalid_at=at)] if memory.lives(line) else []
            elif line in here or _runs(line, claim, memory):
                ends.append(claim)
                over.add((one, other))
            elif claim.relation != "lives_in" and _kind(entity_of[other], memory) == "place":
                over.add((one, other))  # who leaves a town ends no job there
    for claim in claims:
        ends += employed(claim, memory)
    for claim in heirs.values():
        ends += _inherited(claim, claims, memory)
    stated = (*claims, *ends)
    said = {_triple(one, memory) for one in stated if one.ends or one.kind == "cancelled"}
    for claim in stated:
        ends += [one for one in with_job(claim, memory) if _triple(one, memory) not in said]
    rest = (one for one in claims if not (one.ends and (one.subject, one.object) in over))
    return (*denials, *rest, *ends)


def _triple(claim: Claim, memory: Memory) -> tuple[str, str, str]:
    object_ = "" if claim.object is None else memory.who(claim.object)
    return memory.who(claim.subject) if claim.subject.name else "", claim.relation, object_


def _runs(line: Line, claim: Claim, memory: Memory) -> bool:
    """Tell whether what ends by a claim is known to hold until then."""
    end = memory.end_of(claim)
    return any(first <= end < last for first, last in memory.lives(line))


def _kind(entity: str, memory: Memory) -> str:
    new = memory.resolution.created.get(entity)
    return new.entity_type if new else memory.index.entity_type(entity)


def _known(claim: Claim, other: Mention | None, memory: Memory) -> Mention | None:
    """Return what a claim means that is known: ``not Dunmore`` is Dunmore Hospital."""
    if other is None:
        return _by_name(claim, memory)
    if claim.corrects and claim.kind == "cancelled":
        who, words = memory.who(claim.subject), {*_key(other).split()}
        ends = dict.fromkeys(
            end for (_, *both), _ in memory.standing(claim.relation, who) for end in both
        )
        names = {end: {*name_key(memory.index.entity_name(end)).split()} for end in ends}
        found = [end for end in ends if end != who and words < names[end]]
        if memory.who(other) not in ends and len(found) == 1:
            return memory.named(found[0], claim)
    return other


def _by_name(claim: Claim, memory: Memory) -> Mention | None:
    """Return what an end is of that the text only names in passing: ``over the flu``."""
    key = _key(claim.object)
    for (_, one, other), _ in memory.standing(claim.relation, memory.who(claim.subject)):
        for end in (one, other):
            if name_key(memory.index.entity_name(end)) == key:
                return memory.named(end, claim)
    return None


def _key(mention: Mention | None) -> str:
    return "" if mention is None else name_key(mention.name)


def _inherited(claim: Claim, stated: Sequence[Claim], memory: Memory) -> Iterator[Claim]:
    """Yield what a successor leads, and who leads it no more: the one thing that is known of."""
    old = claim.object
    if old is None:
        return
    moment, who = to_micros(claim.valid_at or memory.at, BEGINNING), memory.who(old)
    led = set[str]()
    for _, row in memory.standing("leads", who):
        first, last = memory.life_of(row)
        if memory.ends_of(row)[0] == who and first <= moment < last:
            led.add(memory.ends_of(row)[1])
    for said in stated:
        if said.relation == "leads" and said.object is not None and memory.who(said.subject) == who:
            led |= set() if said.ends or said.invalid_at else {memory.who(said.object)}
    if len(led) != 1:
        return
    leads = replace(claim, relation="leads", object=memory.named(led.pop(), claim), kind="state")
    over = replace(leads, subject=old, valid_at=None, invalid_at=claim.valid_at, ends=True)
    yield replace(over, invalid_precision=claim.valid_precision)
    yield leads


def _alive(claim: Claim, memory: Memory) -> Iterator[Claim]:
    """Yield the denial that somebody is dead, if anything says so: it takes back all of it."""
    for relation in DEATHS:
        for _, row in memory.standing(relation, memory.who(claim.subject)):
            yield replace(claim, object=memory.named(memory.ends_of(row)[1], claim))
            return
