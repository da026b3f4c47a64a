"""Clusters as communities in the making: who is in them, and a mark of all they are told by."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.community.describe import AtMoment, Subject
from graphrag.community.detect import Nodes
from graphrag.community.levels import Cluster, inside
from graphrag.community.match import continued
from graphrag.community.stored import Ranks, by_rank
from graphrag.community.ties import Ties
from graphrag.index.group import GroupIndex
from graphrag.models import Community

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


def drafts(
    clusters: Sequence[Cluster],
    ties: Ties,
    index: GroupIndex,
    moment: AtMoment,
) -> list[Draft]:
    """Return the communities that clusters are to become, in the same order."""
    strengths = ties.strengths(len(index.entities))
    ids, found = index.entities.ids, []
    places: list[Nodes] = [np.zeros(0, dtype=np.int64)] * len(clusters)
    for level in {one.level for one in clusters}:
        here = [place for place, one in enumerate(clusters) if one.level == level]
        parts = inside([clusters[place].members for place in here], ties.subjects, ties.objects)
        for place, part in zip(here, parts, strict=True):
            places[place] = part
    for cluster, part in zip(clusters, places, strict=True):
        weights = strengths[list(cluster.members)] * -_THOUSANDTHS
        ranks = dict(
            zip(
                (ids[row] for row in cluster.members),
                weights.round().astype(int).tolist(),
                strict=True,
            )
        )
        members, facts = by_rank(ranks), ties.some(part)
        row_of = index.entities.row_of
        found.append(
            Draft(
                cluster.level,
                cluster.parent,
                members,
                ranks,
                _fingerprint(members, facts.rows, index, moment),
                Subject([row_of[id_] for id_ in members], facts),
            )
        )
    return found


def lasting(old: Sequence[Community], new: Sequence[Draft]) -> Mapping[int, Community]:
    """Return the community that each draft continues, by its place."""
    by_id = {one.id: one for one in old}
    found = continued(old, [(one.level, one.members) for one in new])
    return {place: by_id[id_] for place, id_ in found.items()}


def _fingerprint(members: Sequence[str], facts: Nodes, index: GroupIndex, moment: AtMoment) -> str:
    """Hash the members with their names and types, and the facts with their times and words."""
    marks = hashlib.blake2b(digest_size=16)
    for id_ in sorted(members):
        told = id_, moment.name_of(id_), index.entity_type(id_)
        marks.update("\0".join((*told, "\n")).encode())
    ids = index.facts.ids
    rows = np.array(sorted(facts.tolist(), key=ids.__getitem__), dtype=np.int64)
    marks.update("\n".join(ids[row] for row in rows.tolist()).encode())
    for moments in (moment.valid, moment.invalid):
        marks.update(moments[rows].astype("<i8").tobytes())
    words = index.facts.vectors.values[rows, :_OF_VECTOR]
    marks.update(np.ascontiguousarray(words, dtype="<f4").tobytes())
    return marks.hexdigest()
