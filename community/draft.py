"""Clusters as communities in the making: who is in them, and a mark of all they are told by."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.community.describe import AtMoment, Subject
from graphrag.community.levels import Cluster, inside
from graphrag.community.local import Weights
from graphrag.community.match import continued
from graphrag.community.stored import Ranks, by_rank
from graphrag.community.ties import NO_FACT, Ties
from graphrag.index.group import GroupIndex
from graphrag.models import Community

_THOUSANDTHS = 1000
_NONE: Mapping[int, Community] = {}
_UNRANKED: Mapping[str, Ranks] = {}
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
    strengths: Weights,
    *,
    same: Mapping[int, Community] = _NONE,
    ranks: Mapping[str, Ranks] = _UNRANKED,
) -> list[Draft]:
    """Return the communities that clusters are to become, in the same order.

    Args:
        clusters: Parents before their parts.
        ties: Of all entities.
        index: Of the group.
        moment: When names and times of facts are looked at.
        strengths: The weight of all ties of every entity.
        same: The communities in which nothing changed, by the place of their cluster.
        ranks: Of the members of those.
    """
    parts = _within(clusters, ties, len(strengths))
    ids, row_of, found = index.entities.ids, index.entities.row_of, []
    for place, (cluster, facts) in enumerate(zip(clusters, parts, strict=True)):
        if (old := same.get(place)) is not None:
            members, weights, mark = old.members, ranks[old.id], old.fingerprint.partition(" ")[0]
        else:
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
    for one in clusters:
        held[list(one.members)] = True
    near = ties.some(np.flatnonzero(held[ties.subjects] & held[ties.objects]))
    found = [near] * len(clusters)
    for level in {one.level for one in clusters}:
        here = [place for place, one in enumerate(clusters) if one.level == level]
        parts = inside([clusters[place].members for place in here], near.subjects, near.objects)
        for place, part in zip(here, parts, strict=True):
            found[place] = near.some(part)
    return found


def lasting(
    old: Sequence[Community], new: Sequence[Draft], same: Mapping[int, Community] = _NONE
) -> Mapping[int, Community]:
    """Return the community that each draft continues, by its place; ``same`` is known of."""
    settled = {one.id for one in same.values()}
    by_id = {one.id: one for one in old if one.id not in settled}
    places = [place for place in range(len(new)) if place not in same]
    found = continued(
        list(by_id.values()), [(new[place].level, new[place].members) for place in places]
    )
    return {**same, **{places[number]: by_id[id_] for number, id_ in found.items()}}


def _fingerprint(members: Sequence[str], ties: Ties, index: GroupIndex, moment: AtMoment) -> str:
    """Hash the members with their names and types, and the facts with their times and words.

    Of what texts name together, the weights: another passage about them is another weight.
    """
    marks = hashlib.blake2b(digest_size=16)
    for id_ in sorted(members):
        told = id_, moment.name_of(id_), index.entity_type(id_)
        marks.update("\0".join((*told, "\n")).encode())
    ids = index.facts.ids
    rows = np.array(sorted(ties.facts.rows.tolist(), key=ids.__getitem__), dtype=np.int64)
    marks.update("\n".join(ids[row] for row in rows.tolist()).encode())
    for moments in (moment.valid, moment.invalid):
        marks.update(moments[rows].astype("<i8").tobytes())
    words = index.facts.vectors.values[rows, :_OF_VECTOR]
    marks.update(np.ascontiguousarray(words, dtype="<f4").tobytes())
    if len(named := ties.weights[ties.rows == NO_FACT]):
        marks.update(np.sort((named * _THOUSANDTHS).round().astype("<i8")).tobytes())
    return marks.hexdigest()
