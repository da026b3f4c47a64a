"""What the rules leave open about one episode, gathered for one question to an arbiter.

Open are mentions between several entities, and pairs of a claim and a stored fact about the same
entity that hold at one time while nothing is declared about how their relations go together: the
same relation with another object ("uses Vim", "uses Emacs"), one called alike ("works for",
"works_at"), or its denial ("trusts", "distrusts"); and as far as the graph does not show that both
can hold (``plausible``).
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from datetime import datetime

from graphrag.extraction import Claim, Extraction, Mention
from graphrag.index.group import GroupIndex
from graphrag.invalidate import Statement, overlap, shares_end
from graphrag.models import Entity, Episode, Fact
from graphrag.plausible import may_exclude
from graphrag.protocols import NO_RULING, Case, Conflict, Doubt, Ruling
from graphrag.relations import Relations
from graphrag.resolve import Resolution
from graphrag.statements import state
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now

_RELATIONS, _EACH = 50, 5
"""Stored facts that are looked at for each end of a claim: of so many relations, so many each."""
_MOST = 24
"""Conflicts in one question; the latest told come first."""


async def find_case(
    episode: Episode,
    extraction: Extraction,
    resolution: Resolution,
    index: GroupIndex,
    store: Store,
    relations: Relations,
) -> Case:
    """Return what is open about an episode: no doubts and no conflicts is the common case."""
    meanings = {open_.mention: [one.id for one in open_.candidates] for open_ in resolution.doubts}
    known = await store.get(Entity, {id_ for ids in meanings.values() for id_ in ids})
    doubts = tuple(
        Doubt(mention, tuple(known[id_] for id_ in ids if id_ in known))
        for mention, ids in meanings.items()
    )
    told = list(_told(extraction.claims, episode, resolution, meanings, index))
    wanted = {id_: None for _, fact in told for id_ in _near(fact, index, relations)}
    stored = index.heirs.follow(await store.get(Fact, wanted), index.entity_name)
    conflicts: dict[tuple[Claim, str], Conflict] = {}
    many = _several(told)
    for claim, fact in told:
        for id_ in _near(fact, index, relations):
            other = stored.get(id_)
            if (
                other is not None
                and _may_clash(fact, other)
                and may_exclude(claim, fact, other, index, relations, many=many)
            ):
                conflicts[claim, id_] = Conflict(claim, other)
    latest = sorted(conflicts.values(), key=lambda one: one.fact.created_at, reverse=True)
    return Case(episode, doubts, tuple(latest[:_MOST]))


def statements_of(
    claims: Iterable[Claim],
    episode: Episode,
    resolution: Resolution,
    name_of: Callable[[str], str],
    *,
    now: datetime,
    ruling: Ruling = NO_RULING,
) -> Iterator[Statement]:
    """Yield the statement of each claim, with what an arbiter found it to exclude."""
    for claim in claims:
        excluded = frozenset(one.fact.id for one in ruling.exclusive if one.claim == claim)
        for told in state((claim,), episode, resolution.entity_of, name_of, now=now):
            yield replace(told, excludes=excluded)


def _told(
    claims: Iterable[Claim],
    episode: Episode,
    resolution: Resolution,
    meanings: Mapping[Mention, Sequence[str]],
    index: GroupIndex,
) -> Iterator[tuple[Claim, Fact]]:
    """Yield the fact of each claim, once for each entity that a doubtful mention may mean."""

    def name_of(id_: str) -> str:
        created = resolution.created.get(id_)
        return created.name if created else index.entity_name(id_)

    for claim in claims:
        if claim.ends or claim.object is None:
            continue
        for subject in (resolution.entity_of.get(claim.subject), *meanings.get(claim.subject, ())):
            for object_ in (
                resolution.entity_of.get(claim.object),
                *meanings.get(claim.object, ()),
            ):
                if subject is None or object_ is None:
                    continue
                meant = {claim.subject: subject, claim.object: object_}
                for told in state((claim,), episode, meant, name_of, now=utc_now()):
                    yield claim, told.fact


def _near(fact: Fact, index: GroupIndex, relations: Relations) -> Iterator[str]:
    """Yield the facts told last at the ends of a fact, but for those that the rules decide."""
    for end in (fact.subject_id, fact.object_id):
        told_last = index.facts_told_last(end, relations=_RELATIONS, each=_EACH)
        for relation, rows in told_last.items():
            if relation not in relations or fact.relation not in relations:
                yield from (index.facts.ids[row] for row in rows)


def _several(told: Iterable[tuple[Claim, Fact]]) -> Set[tuple[str, str]]:
    """Return the subjects and relations of which one text tells several objects."""
    objects: dict[tuple[str, str], set[Mention | None]] = defaultdict(set)
    for claim, fact in told:
        objects[fact.subject_id, fact.relation].add(claim.object)
    return {key for key, found in objects.items() if len(found) > 1}


def _may_clash(told: Fact, fact: Fact) -> bool:
    return (
        fact.retracted_at is None
        and not fact.pending
        and shares_end(told, fact)
        and overlap(told, fact)
    )
