"""Ties between entities, and drafts of communities: members, fingerprint, continuity of ids.

Ties are weighted facts. A fact about a concept (a common noun) ties less: that two people have a
boat says little about them.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from uuid import UUID

import numpy as np

from graphrag.community.detect import Cluster, Nodes, Weights, inside, strengths
from graphrag.community.stored import Ranks, by_rank
from graphrag.index.group import GroupIndex
from graphrag.model.values import CONCEPT, VALUE, Community
from graphrag.protocols import in_turns
from graphrag.search.near import confidences
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.store.store import Store

_LEAST = 0.05  # weight of a fact that nobody is sure of: it still ties its ends together
_COMMON = 0.3  # share of its confidence that a fact about a concept weighs
_Shared = tuple[bool, int, int, str]  # another level, minus overlap, number of the cluster, old id


@dataclass(frozen=True, slots=True)
class Ties:
    """Ties between two entities, as columns."""

    rows: Nodes  # of the facts
    subjects: Nodes  # rows of entities
    objects: Nodes
    weights: Weights  # confidences, less for concepts

    @classmethod
    async def read(
        cls, index: GroupIndex, store: Store, held: Mask, seen: VisibleRows, *, past: Rewind
    ) -> "Ties":
        """Return the ties that the facts of a mask make."""
        sure = await confidences(index, store, past)
        subject, object_ = seen.ends
        value = past.of_types((VALUE,), index)
        rows = np.flatnonzero(held & (subject != object_) & ~value[subject] & ~value[object_])
        weights = np.maximum(sure[rows], _LEAST)
        common = past.of_types((CONCEPT,), index)
        weights[common[subject[rows]] | common[object_[rows]]] *= _COMMON
        return cls(rows, subject[rows], object_[rows], weights)

    def __len__(self) -> int:
        return len(self.rows)

    def strengths(self, nodes: int) -> Weights:
        """Return the weight of all ties of every entity."""
        return strengths(self.subjects, self.objects, self.weights, nodes)

    def subset(self, places: Nodes) -> "Ties":
        """Return the ties at some places."""
        ends = self.subjects[places], self.objects[places]
        return Ties(self.rows[places], *ends, self.weights[places])


@dataclass(frozen=True, slots=True)
class AtMoment:
    """Names of entities and times of facts at one moment."""

    name_of: Callable[[str], str]  # the name of an entity by its id
    ends: tuple[Nodes, Nodes]  # the row of the subject and of the object of every fact
    valid: Nodes  # its start in microseconds
    invalid: Nodes  # its end
    observed: Nodes  # whether the start is only the first moment at which it was observed

    @classmethod
    def of(cls, index: GroupIndex, past: Rewind, seen: VisibleRows) -> "AtMoment":
        """Return those of a moment of which rows are seen."""
        observed = index.facts["observed"]
        return cls(partial(past.name, index=index), seen.ends, seen.valid, seen.invalid, observed)


@dataclass(frozen=True, slots=True)
class Subject:
    """The members and facts of a community to describe."""

    members: Sequence[int]  # rows of entities, best connected first
    ties: Ties  # facts between them


@dataclass(frozen=True, slots=True)
class Description:
    """Name and summary of a community."""

    name: str
    summary: str


MarkedDescription = tuple[Description, str]  # with the mark that tells whether it is still right


def continued(old: Sequence[Community], new: Sequence[tuple[int, Sequence[str]]]) -> dict[int, str]:
    """Return the id of the old community that each new cluster continues, by its number.

    A cluster continues a community of its level with which it shares at least half of either's
    members, the largest overlap first; and one of another level, if no cluster of that level does,
    with which it shares at least half of both's. Each community is continued once. ``new`` has the
    level and the members of each cluster.
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
    continues: dict[int, str] = {}
    taken: set[str] = set()
    for _, _, number, id_ in sorted(shared):
        if number not in continues and id_ not in taken:
            continues[number] = id_
            taken.add(id_)
    return continues


def id_from(mark: str, members: Iterable[str]) -> str:
    """Return the id of a community that is not stored, derived from its members and a mark."""
    key = "\n".join((mark, *sorted(members)))
    return str(UUID(bytes=hashlib.blake2b(key.encode(), digest_size=16).digest()))


_THOUSANDTHS = 1000
_OF_VECTOR = 2  # numbers of a fact's vector that tell whether its words are the same


@dataclass(frozen=True, slots=True)
class CommunityDraft:
    """A community before it is named and described."""

    level: int
    parent: int | None  # its place among the drafts
    members: tuple[str, ...]  # best tied first
    ranks: Ranks
    fingerprint: str
    subject: Subject


async def drafts(
    clusters: Sequence[Cluster], ties: Ties, index: GroupIndex, moment: AtMoment, strengths: Weights
) -> list[CommunityDraft]:
    """Return the communities that clusters are to become, in the same order.

    Parents come before their parts; ``strengths`` is the weight of all ties of every entity.
    """
    parts = _within(clusters, ties, len(strengths))
    ids, row_of, made = index.entities.ids, index.entities.row_of, []
    async for cluster, facts in in_turns(zip(clusters, parts, strict=True)):
        thousandths = (strengths[list(cluster.members)] * -_THOUSANDTHS).round().astype(int)
        names = (ids[row] for row in cluster.members)
        weights = dict(zip(names, thousandths.tolist(), strict=True))
        members = by_rank(weights)
        mark = _fingerprint(members, facts, index, moment)
        subject = Subject([row_of[id_] for id_ in members], facts)
        made.append(CommunityDraft(cluster.level, cluster.parent, members, weights, mark, subject))
    return made


def _within(clusters: Sequence[Cluster], ties: Ties, nodes: int) -> list[Ties]:
    held = np.zeros(nodes, dtype=np.bool_)
    for cluster in clusters:
        held[list(cluster.members)] = True
    near = ties.subset(np.flatnonzero(held[ties.subjects] & held[ties.objects]))
    within = [near] * len(clusters)
    for level in {cluster.level for cluster in clusters}:
        here = [place for place, cluster in enumerate(clusters) if cluster.level == level]
        parts = inside([clusters[place].members for place in here], near.subjects, near.objects)
        for place, part in zip(here, parts, strict=True):
            within[place] = near.subset(part)
    return within


def lasting(old: Sequence[Community], new: Sequence[CommunityDraft]) -> Mapping[int, Community]:
    """Return the stored community that each draft continues, by the place of the draft."""
    by_id = {community.id: community for community in old}
    ids = continued(old, [(draft.level, draft.members) for draft in new])
    return {place: by_id[id_] for place, id_ in ids.items()}


def finished(
    drafts: Sequence[CommunityDraft],
    descriptions: Sequence[MarkedDescription],
    known: Mapping[int, Community],
    group: str,
    at: datetime,
    id_of: Callable[[CommunityDraft], str],
) -> list[Community]:
    """Return the communities of drafts; ``at`` and ``id_of`` are for new ones."""
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
    """Hash the members with their names and types, and the facts with their times and words."""
    marks = hashlib.blake2b(digest_size=16)
    for id_ in sorted(members):
        labels = id_, moment.name_of(id_), index.entity_type(id_), "\n"
        marks.update("\0".join(labels).encode())
    ids = index.facts.ids
    rows = np.array(sorted(ties.rows.tolist(), key=ids.__getitem__), dtype=np.int64)
    marks.update("\n".join(ids[row] for row in rows.tolist()).encode())
    for moments in (moment.valid, moment.invalid):
        marks.update(moments[rows].astype("<i8").tobytes())
    words = index.facts.vectors.rows(rows)[:, :_OF_VECTOR]
    marks.update(np.ascontiguousarray(words, dtype="<f4").tobytes())
    return marks.hexdigest()
