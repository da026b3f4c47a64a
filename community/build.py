"""Plan the communities of a group: detected anew, or brought up to date, in one transaction.

What did not change is not touched: a community whose members and facts are the same keeps its name
and its summary, and nothing of it is written.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from graphrag.community.describe import AtMoment, Describer
from graphrag.community.detect import DRIFT, detected
from graphrag.community.draft import Author, drafts, finished, lasting
from graphrag.community.stored import Storing, Tree, keep_tree
from graphrag.community.ties import Ties
from graphrag.community.update import Redrawn, changed_since, redrawn, seats_of
from graphrag.index.group import GroupIndex
from graphrag.index.texts import community_text
from graphrag.model.ids import new_id
from graphrag.model.values import Community
from graphrag.protocols import Embedder, Matrix
from graphrag.search.rewind import NOTHING_UNDONE
from graphrag.search.visibility import visible
from graphrag.store.changes import ChangeSet
from graphrag.store.links import Detection, noted
from graphrag.store.store import Store
from graphrag.temporal.interval import NOW
from graphrag.temporal.moment import utc_now

BUILD, UPDATE = "build_communities", "update_communities"
"""Kinds of events."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The communities that there are to be, and what stores them."""

    tree: Tree
    changes: ChangeSet
    found: Sequence[tuple[Community, str, Matrix]] = ()
    """Those that are found by other words than before: the words and their vector."""

    def enter(self, index: GroupIndex, seq: int) -> None:
        """Let searches find the communities by what is said of them now."""
        columns = index.communities
        gone = [row["id"].id for table, row in self.changes.deletes if table == "community"]
        seats_of(index).forget(gone)
        for id_ in {
            *gone,
            *(community.id for community, _, _ in self.found),
        } & columns.row_of.keys():
            columns.remove(id_)
        if self.found:
            found = sorted(self.found, key=lambda each: each[0].id)
            ids, texts = [community.id for community, _, _ in found], [text for _, text, _ in found]
            columns.extend(ids, np.stack([vector for _, _, vector in found]), texts, {})
        index.seq = seq
        keep_tree(index, self.tree)


@dataclass(frozen=True, slots=True)
class Workshop:
    """What planning communities needs beside the group and its stored communities."""

    store: Store
    embedder: Embedder
    author: Author


Plan = Callable[[GroupIndex, Tree, Workshop], Awaitable[Planned]]
"""How to come to the communities of a group from those that are stored."""


async def plan_communities(index: GroupIndex, tree: Tree, workshop: Workshop) -> Planned:
    """Detect, name and describe the communities of the facts that hold now.

    A community keeps its id as long as at least half of it stays.
    """
    now = utc_now()
    ties = await _live(index, workshop.store, now)
    clusters = await detected(ties.subjects, ties.objects, ties.weights)
    made = Redrawn((), tree.communities, clusters, ties.strengths(len(index.entities)))
    done = Detection(index.seq + 1, index.seq + 1, 0, now)
    return await _planned(made, ties, index, tree, workshop, BUILD, done)


async def plan_update(index: GroupIndex, tree: Tree, workshop: Workshop) -> Planned:
    """Bring the communities up to date with the log, around what changed since.

    When more facts changed since the last detection than a twentieth of those that hold, everything
    is detected anew: small moves alone drift away from the best partition.
    """
    now = utc_now()
    before = tree.detection
    if not before.built or not tree.communities:
        return await plan_communities(index, tree, workshop)
    facts, nodes = await changed_since(before, index, workshop.store, now)
    ties = await _live(index, workshop.store, now)
    if before.drift + facts > DRIFT * len(ties.facts):
        return await plan_communities(index, tree, workshop)
    if not nodes:
        return Planned(tree, ChangeSet(index.group_id, kind=UPDATE))
    made = redrawn(tree, ties, index, nodes)
    done = Detection(before.built, index.seq + 1, before.drift + facts, now)
    return await _planned(made, ties, index, tree, workshop, UPDATE, done)


async def _live(index: GroupIndex, store: Store, now: datetime) -> Ties:
    """Return what ties entities now."""
    seen = visible(index, NOW, NOTHING_UNDONE, now=now)
    return await Ties.read(index, store, seen.facts, seen)


async def _planned(
    redrawn: Redrawn,
    ties: Ties,
    index: GroupIndex,
    tree: Tree,
    workshop: Workshop,
    kind: str,
    done: Detection,
) -> Planned:
    moment = AtMoment.now(index)
    made = await drafts(redrawn.clusters, ties, index, moment, redrawn.strengths)
    known = lasting(redrawn.loose, made)
    describer = Describer(index, moment)
    names = {one.name for one in redrawn.kept}
    descriptions = await workshop.author(made, known, describer, names)
    at = done.at or utc_now()
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
