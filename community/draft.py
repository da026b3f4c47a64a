"""Drafts of communities: members, a mark of what describes them, continuity of ids."""

import hashlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import numpy as np

from graphrag.community.describe import AtMoment, Describer, Description, Subject
from graphrag.community.detect import Cluster, Weights, inside
from graphrag.community.stored import Ranks, by_rank
from graphrag.community.ties import NO_FACT, Ties
from graphrag.index.group import GroupIndex
from graphrag.model.values import Community
from graphrag.protocols import in_turns

_Shared = tuple[bool, int, int, str]
"""Whether the level is another one, minus the overlap, the number of the cluster, the old id."""


def continued(old: Sequence[Community], new: Sequence[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the id of the old community that each new cluster continues, by its number.

    A cluster continues a community of its level with which it shares at least half of either's
    members, the largest overlap first; and one of another level, if no cluster of that level does,
    with which it shares at least half of both's. Each community is continued once.

    Args:
        old: The communities.
        new: Level and members of each cluster.
    """
    sizes = {community.id: len(community.members) for community in old}
    level_of = {community.id: community.level for community in old}
    homes: dict[str, list[str]] = {}
    for community in old:
        for member in community.members:
            homes.setdefault(member, []).append(community.id)
    shared: list[_Shared] = []
    for number, (level, members) in enumerate(new):
        overlaps = Counter(id_ for member in members for id_ in homes.get(member, ()))
        for id_, overlap in overlaps.items():
            moved = level_of[id_] != level
            least = (max if moved else min)(len(members), sizes[id_])
            if 2 * overlap >= least:
                shared.append((moved, -overlap, number, id_))
    found: dict[int, str] = {}
    taken: set[str] = set()
    for _, _, number, id_ in sorted(shared):
        if number not in found and id_ not in taken:
            found[number] = id_
            taken.add(id_)
    return found


def id_from(mark: str, members: Iterable[str]) -> str:
    """Return the id that a community without a stored one has, by its members and a mark."""
    key = "\n".join((mark, *sorted(members)))
    return str(UUID(bytes=hashlib.blake2b(key.encode(), digest_size=16).digest()))


_THOUSANDTHS = 1000
_OF_VECTOR = 2
"""Numbers of a fact's vector that tell whether its words are the same."""


@dataclass(frozen=True, slots=True)
class Draft:
    """One community in the making."""

    level: int
    parent: int | None
    """Its place among the drafts."""
    members: tuple[str, ...]
    """Best tied first."""
    ranks: Ranks
    fingerprint: str
    subject: Subject


async def drafts(
    clusters: Sequence[Cluster],
    ties: Ties,
    index: GroupIndex,
    moment: AtMoment,
    strengths: Weights,
) -> list[Draft]:
    """Return the communities that clusters are to become, in the same order.

    Args:
        clusters: Parents before their parts.
        ties: Of all entities.
        index: Of the group.
        moment: When names and times of facts are looked at.
        strengths: The weight of all ties of every entity.
    """
    parts = _within(clusters, ties, len(strengths))
    ids, row_of, found = index.entities.ids, index.entities.row_of, []
    async for cluster, facts in in_turns(zip(clusters, parts, strict=True)):
        thousandths = (strengths[list(cluster.members)] * -_THOUSANDTHS).round().astype(int)
        names = (ids[row] for row in cluster.members)
        weights = dict(zip(names, thousandths.tolist(), strict=True))
        members = by_rank(weights)
        mark = _fingerprint(members, facts, index, moment)
        subject = Subject([row_of[id_] for id_ in members], facts)
        found.append(Draft(cluster.level, cluster.parent, members, weights, mark, subject))
    return found


def _within(clusters: Sequence[Cluster], ties: Ties, nodes: int) -> list[Ties]:
    """Return the ties between the members of each cluster."""
    held = np.zeros(nodes, dtype=np.bool_)
    for cluster in clusters:
        held[list(cluster.members)] = True
    near = ties.some(np.flatnonzero(held[ties.subjects] & held[ties.objects]))
    found = [near] * len(clusters)
    for level in {cluster.level for cluster in clusters}:
        here = [place for place, cluster in enumerate(clusters) if cluster.level == level]
        parts = inside([clusters[place].members for place in here], near.subjects, near.objects)
        for place, part in zip(here, parts, strict=True):
            found[place] = near.some(part)
    return found


def lasting(old: Sequence[Community], new: Sequence[Draft]) -> Mapping[int, Community]:
    """Return the community that each draft continues, by its place."""
    by_id = {community.id: community for community in old}
    found = continued(old, [(draft.level, draft.members) for draft in new])
    return {place: by_id[id_] for place, id_ in found.items()}


def finished(
    drafts: Sequence[Draft],
    descriptions: Sequence["MarkedDescription"],
    known: Mapping[int, Community],
    group: str,
    at: datetime,
    id_of: Callable[[Draft], str],
) -> list[Community]:
    """Return the communities of drafts; ``at`` and ``id_of`` are for those that continue none."""
    ids = [
        known[place].id if place in known else id_of(draft) for place, draft in enumerate(drafts)
    ]
    return [
        Community(
            id=ids[place],
            group_id=group,
            created_at=known[place].created_at if place in known else at,
            name=description.name,
            summary=description.summary,
            members=draft.members,
            fingerprint=mark,
            level=draft.level,
            parent=None if draft.parent is None else ids[draft.parent],
        )
        for place, (draft, (description, mark)) in enumerate(zip(drafts, descriptions, strict=True))
    ]


def _fingerprint(members: Sequence[str], ties: Ties, index: GroupIndex, moment: AtMoment) -> str:
    """Hash the members with their names and types, and the facts with their times and words.

    Of what texts name together, the weights: another passage about them is another weight.
    """
    marks = hashlib.blake2b(digest_size=16)
    for id_ in sorted(members):
        labels = id_, moment.name_of(id_), index.entity_type(id_)
        marks.update("\0".join((*labels, "\n")).encode())
    ids = index.facts.ids
    rows = np.array(sorted(ties.facts.rows.tolist(), key=ids.__getitem__), dtype=np.int64)
    marks.update("\n".join(ids[row] for row in rows.tolist()).encode())
    for moments in (moment.valid, moment.invalid):
        marks.update(moments[rows].astype("<i8").tobytes())
    words = index.facts.vectors.rows(rows)[:, :_OF_VECTOR]
    marks.update(np.ascontiguousarray(words, dtype="<f4").tobytes())
    if len(named := ties.weights[ties.rows == NO_FACT]):
        marks.update(np.sort((named * _THOUSANDTHS).round().astype("<i8")).tobytes())
    return marks.hexdigest()


MarkedDescription = tuple[Description, str]
"""What is said of a community, and the mark by which it is known to be still right."""


Author = Callable[
    [Sequence[Draft], Mapping[int, Community], Describer, Set[str]],
    Awaitable[list[MarkedDescription]],
]
"""Describes drafts, parents before their parts, with the old words where nothing changed.

It is given the community that a draft continues, by its place, what knows names and facts, and the
names of other communities.
"""


async def by_facts(
    drafts: Sequence[Draft],
    known: Mapping[int, Community],
    describer: Describer,
    taken: Set[str],
) -> list[MarkedDescription]:
    """Describe drafts by names, relations and dates; what a model said of the same stays."""
    kept = {
        place: community
        for place, community in known.items()
        if community.fingerprint.partition(" ")[0] == drafts[place].fingerprint
    }
    names = {*taken, *(community.name for community in kept.values())}
    descriptions: list[MarkedDescription] = []
    async for place, draft in in_turns(enumerate(drafts)):
        if (same := kept.get(place)) is not None:
            descriptions.append((Description(same.name, same.summary), same.fingerprint))
            continue
        description = describer.describe(draft.subject, names)
        names.add(description.name)
        descriptions.append((description, draft.fingerprint))
    return descriptions
