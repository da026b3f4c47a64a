"""Plan the communities of a group: detected anew, or brought up to date, in one transaction.

A community whose members and facts are the same keeps its name and its summary, and nothing of it
is written. An update moves only what is around a change; rows of members are cached, since looking
up 30,000 of them by id takes 30 ms.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import takewhile
from typing import Final

import numpy as np
import numpy.typing as npt

from graphrag.community import detect
from graphrag.community.describe import Author, Describer
from graphrag.community.draft import AtMoment, Ties, drafts, finished, lasting
from graphrag.community.stored import TREES, CommunityTree, Storing
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.retention import Slot
from graphrag.index.texts import community_text
from graphrag.model.ids import new_id
from graphrag.model.values import VALUE, Community
from graphrag.protocols import Embedder, Matrix
from graphrag.search.rewind import NO_REWIND
from graphrag.search.visibility import visible
from graphrag.store.changes import ChangeSet
from graphrag.store.links import Detection, noted
from graphrag.store.store import Store
from graphrag.temporal.interval import NOW
from graphrag.temporal.moment import to_micros, utc_now

BUILD, UPDATE = "build_communities", "update_communities"  # kinds of events
_DESCRIBED_BY = frozenset({"aliases", "entity_type", "merged_into", "name", "removed_at"})
"""Columns of an entity that decide on its community, or on how that is described."""


class MemberRows:
    """Rows of members by community, until entities are merged."""

    def __init__(self, index: GroupIndex) -> None:
        self._row_of, self._heirs = index.entities.row_of, index.heirs
        self._version = index.heirs.version
        self._known: dict[str, tuple[Sequence[str], detect.Nodes]] = {}

    def of(self, community: Community) -> detect.Nodes:
        """Return the rows of its members; merged members have one row."""
        if self._version != self._heirs.version:
            self._known.clear()
            self._version = self._heirs.version
        members, rows = self._known.get(community.id, (None, _NONE))
        if members is not community.members:
            row_of = self._row_of
            ids = self._heirs.each(community.members)
            rows = np.array([row_of[id_] for id_ in ids if id_ in row_of], dtype=np.int64)
            self._known[community.id] = community.members, rows
        return rows

    def forget(self, ids: Iterable[str]) -> None:
        """Drop communities that are gone."""
        for id_ in ids:
            self._known.pop(id_, None)

    def labels(self, communities: Sequence[Community], nodes: int) -> detect.Labels:
        """Return the number of the community of each row, ``NOWHERE`` for none."""
        labels = np.full(nodes, detect.NOWHERE, dtype=np.int64)
        if communities:
            rows = [self.of(community) for community in communities]
            numbers = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
            labels[np.concatenate(rows)] = numbers
        return labels


_NONE: detect.Nodes = np.empty(0, dtype=np.int64)
_MEMBER_ROWS: Final = Slot[MemberRows]()


def _member_rows(index: GroupIndex) -> MemberRows:
    if (known := _MEMBER_ROWS.get(index)) is None:
        _MEMBER_ROWS.set(index, known := MemberRows(index))
    return known


@dataclass(frozen=True, slots=True)
class Redrawn:
    """The communities around a change, before and after it."""

    kept: Sequence[Community]  # unchanged communities, with all their parts
    loose: Sequence[Community]  # all other communities of before
    clusters: Sequence[detect.Cluster]  # what the others become
    strengths: detect.Weights  # the weight of all ties of every entity


@dataclass(frozen=True, slots=True)
class Planned:
    """Planned communities, and the transaction that stores them."""

    tree: CommunityTree
    changes: ChangeSet
    found: Sequence[tuple[Community, str, Matrix]] = ()
    """Communities with a new name or summary, with the text to search and its vector."""

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Enter new names and summaries into the search index."""
        columns = index.communities
        gone = [row["id"].id for table, row in self.changes.deletes if table == "community"]
        _member_rows(index).forget(gone)
        columns.leave({*gone, *(community.id for community, _, _ in self.found)})
        if self.found:
            found = sorted(self.found, key=lambda each: each[0].id)
            ids, texts = [community.id for community, _, _ in found], [text for _, text, _ in found]
            columns.extend(ids, np.stack([vector for _, _, vector in found]), texts, {})
        index.seq = seq
        TREES.set(index, self.tree)


@dataclass(frozen=True, slots=True)
class Workshop:
    """What planning needs beside the group and its stored communities."""

    store: Store
    embedder: Embedder
    author: Author


Plan = Callable[[GroupIndex, CommunityTree, Workshop], Awaitable[Planned]]


async def plan_communities(index: GroupIndex, tree: CommunityTree, workshop: Workshop) -> Planned:
    """Detect, name and describe the communities of the facts that hold now.

    A community keeps its id as long as at least half of it stays.
    """
    now = utc_now()
    ties = await _live(index, workshop.store, now)
    clusters = await detect.detected(ties.subjects, ties.objects, ties.weights)
    made = Redrawn((), tree.communities, clusters, ties.strengths(len(index.entities)))
    done = Detection(index.seq + 1, index.seq + 1, 0, now)
    return await _planned(made, ties, index, tree, workshop, BUILD, done)


async def plan_update(index: GroupIndex, tree: CommunityTree, workshop: Workshop) -> Planned:
    """Bring the communities up to date with the log, around what changed since.

    When more facts changed since the last detection than a twentieth of those that hold, everything
    is detected anew: small moves alone drift away from the best partition.
    """
    now = utc_now()
    before = tree.detection
    if not before.built or not tree.communities:
        return await plan_communities(index, tree, workshop)
    facts, nodes = await _changed_since(before, index, workshop.store, now)
    ties = await _live(index, workshop.store, now)
    if before.drift + facts > detect.DRIFT * len(ties):
        return await plan_communities(index, tree, workshop)
    if not nodes:
        return Planned(tree, ChangeSet(index.group_id, kind=UPDATE))
    made = redrawn(tree, ties, index, nodes)
    done = Detection(before.built, index.seq + 1, before.drift + facts, now)
    return await _planned(made, ties, index, tree, workshop, UPDATE, done)


async def _live(index: GroupIndex, store: Store, now: datetime) -> Ties:
    """Return the ties of the facts that hold now."""
    seen = visible(index, NOW, NO_REWIND, now=now)
    return await Ties.read(index, store, seen.facts, seen, past=NO_REWIND)


async def _planned(
    redrawn: Redrawn,
    ties: Ties,
    index: GroupIndex,
    tree: CommunityTree,
    workshop: Workshop,
    kind: str,
    done: Detection,
) -> Planned:
    at = done.at or utc_now()
    moment = AtMoment.of(index, NO_REWIND, visible(index, NOW, NO_REWIND, now=at))
    made = await drafts(redrawn.clusters, ties, index, moment, redrawn.strengths)
    known = lasting(redrawn.loose, made)
    describer = Describer(index, moment)
    names = {community.name for community in redrawn.kept}
    descriptions = await workshop.author(made, known, describer, names)
    fresh = finished(made, descriptions, known, index.group_id, at, lambda _: new_id())
    ranks = {community.id: draft.ranks for community, draft in zip(fresh, made, strict=True)}
    storing = Storing(index.group_id, tree, redrawn.kept, redrawn.loose, fresh, ranks)
    reworded = storing.reworded()
    texts = [community_text(community.name, community.summary) for community in reworded]
    vectors = await workshop.embedder.embed(texts, purpose="document") if texts else ()
    found = tuple(zip(reworded, texts, vectors, strict=True))
    changes = storing.changes(kind, {community.id: vector for community, _, vector in found})
    changes = noted(changes, tree.detection, done)
    return Planned(storing.after(done if changes else tree.detection), changes, found)


async def _changed_since(
    last: Detection, index: GroupIndex, store: Store, now: datetime
) -> tuple[int, list[int]]:
    facts: set[int] = set()
    nodes: set[int] = set()
    entities, of = index.entities.row_of, index.heirs.of
    for event in await store.events(index.group_id, after=last.seen):
        for change in event.changes:
            table, _, id_ = change.record.partition(":")
            if table == "relates_to" and id_ in index.facts.row_of:
                facts.add(index.facts.row_of[id_])
            elif table == "entity" and id_ in entities:
                if _DESCRIBED_BY & (change.after or {}).keys():
                    nodes |= {entities[id_], entities[of(id_)]}
    if last.at is not None:
        since, at = (to_micros(moment, FOREVER) for moment in (last.at, now))
        for moments in (index.facts["valid"], index.facts["invalid"]):
            facts.update(np.flatnonzero((since < moments) & (moments <= at)).tolist())
    value = NO_REWIND.of_types((VALUE,), index)  # facts with a value at an end tie nothing
    subject, object_ = (ends[sorted(facts)] for ends in index.ends())
    tying = ~value[subject] & ~value[object_]
    nodes.update(subject[tying].tolist(), object_[tying].tolist())
    return int(tying.sum()), sorted(nodes)


def redrawn(tree: CommunityTree, ties: Ties, index: GroupIndex, changed: Sequence[int]) -> Redrawn:
    """Reassign the neighbourhood of the changed entities to the communities where it fits best."""
    nodes, member_rows = len(index.entities), _member_rows(index)
    tops = list(takewhile(lambda community: community.level == 0, tree.communities))
    old = member_rows.labels(tops, nodes)
    strengths = ties.strengths(nodes)
    labels = detect.improve(ties.subjects, ties.objects, old, changed, ties.weights, strengths)
    left, made = _stirred(old, labels, changed, [len(community.members) for community in tops])
    inner = np.where(made[labels], labels, detect.NOWHERE)
    clusters = detect.by_label(inner, strengths)
    leaving = {community.id for community, leaves in zip(tops, left, strict=True) if leaves}
    kept: list[Community] = []
    loose: list[Community] = []
    for community in tree.communities:  # parents come before their parts
        if community.id in leaving or community.parent in leaving:
            leaving.add(community.id)
            loose.append(community)
        else:
            kept.append(community)
    near = ties.subset(np.flatnonzero((inner[ties.subjects] >= 0) & (inner[ties.objects] >= 0)))
    levels = ([part for part in loose if part.level == level] for level in range(detect.LEVELS))
    initial = [member_rows.labels(parts, nodes) for parts in levels]
    found = detect.divided(clusters, near.subjects, near.objects, near.weights, initial)
    return Redrawn(kept, loose, found, strengths)


def _stirred(
    old: detect.Labels, labels: detect.Labels, changed: Sequence[int], members: Sequence[int]
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Tell for each old community, and for each new label, whether anything changed in it.

    How many members each has is as stored: of two of them one may speak for both by now.
    """
    about = np.concatenate((np.flatnonzero(old != labels), np.asarray(changed, dtype=np.int64)))
    stirred = np.zeros(int(max(old.max(initial=0), labels.max(initial=0))) + 2, dtype=np.bool_)
    stirred[old[about]] = stirred[labels[about]] = True  # the last one stands for nowhere
    here = np.bincount(old + 1, minlength=len(members) + 1)[1:]
    stirred[: len(members)] |= here != np.asarray(members, dtype=np.int64)
    stirred[detect.NOWHERE] = False
    return stirred[: len(members)], stirred
