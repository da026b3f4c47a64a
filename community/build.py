"""Plan the communities of a group: detected anew, or brought up to date, in one transaction.

What did not change is not touched: a community whose members and facts are the same keeps its name
and its summary, and nothing of it is written.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from graphrag.community.author import Author
from graphrag.community.describe import AtMoment, Describer
from graphrag.community.draft import drafts, lasting
from graphrag.community.levels import Cluster, detect_levels
from graphrag.community.local import DRIFT
from graphrag.community.stored import Detection, Storing, Tree, noted, read_detection
from graphrag.community.ties import Ties
from graphrag.community.touched import changed_since, redrawn
from graphrag.ids import new_id
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.texts import community_text
from graphrag.models import Community
from graphrag.protocols import Embedder
from graphrag.store.changes import ChangeSet
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros, utc_now

BUILD, UPDATE = "build_communities", "update_communities"
"""Kinds of events."""


@dataclass(frozen=True, slots=True)
class Planned:
    """The communities that there are to be, and what stores them."""

    tree: Tree
    changes: ChangeSet


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
    clusters = detect_levels(ties.subjects, ties.objects, weights=ties.weights)
    before = await read_detection(index.group_id, workshop.store)
    after = Detection(index.seq + 1, index.seq + 1, 0, now)
    planned = await _planned(clusters, ties, index, tree, (), workshop, BUILD, now)
    return Planned(planned.tree, noted(planned.changes, before, after))


async def plan_update(index: GroupIndex, tree: Tree, workshop: Workshop) -> Planned:
    """Bring the communities up to date with the log, around what changed since.

    When more facts changed since the last detection than a twentieth of those that hold, everything
    is detected anew: small moves alone drift away from the best partition.
    """
    now = utc_now()
    before = await read_detection(index.group_id, workshop.store)
    if not before.built or not tree.communities:
        return await plan_communities(index, tree, workshop)
    facts, nodes = await changed_since(before, index, workshop.store, now)
    ties = await _live(index, workshop.store, now)
    if before.drift + facts > DRIFT * len(ties.rows):
        return await plan_communities(index, tree, workshop)
    if not nodes:
        return Planned(tree, ChangeSet(index.group_id, kind=UPDATE))
    kept, clusters = redrawn(tree, ties, index, nodes)
    planned = await _planned(clusters, ties, index, tree, kept, workshop, UPDATE, now)
    after = Detection(before.built, index.seq + 1, before.drift + facts, now)
    return Planned(planned.tree, noted(planned.changes, before, after))


async def _live(index: GroupIndex, store: Store, now: datetime) -> Ties:
    """Return the facts that hold."""
    at = to_micros(now, FOREVER)
    held = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    held &= (index.facts["valid"] <= at) & (at < index.facts["invalid"]) & ~index.facts["pending"]
    return await Ties.read(index, store, held, index.ends())


async def _planned(
    clusters: Sequence[Cluster],
    ties: Ties,
    index: GroupIndex,
    tree: Tree,
    kept: Sequence[Community],
    workshop: Workshop,
    kind: str,
    now: datetime,
) -> Planned:
    moment = AtMoment.now(index)
    made = drafts(clusters, ties, index, moment)
    staying = {one.id for one in kept}
    known = lasting([one for one in tree.communities if one.id not in staying], made)
    describer = Describer(index, moment)
    names = {one.name for one in kept}
    told = await workshop.author.describe(made, known, describer, names)
    ids = [known[place].id if place in known else new_id() for place in range(len(made))]
    fresh = [
        Community(
            id=ids[place],
            group_id=index.group_id,
            created_at=known[place].created_at if place in known else now,
            name=said.name,
            summary=said.summary,
            members=draft.members,
            fingerprint=mark,
            level=draft.level,
            parent=None if draft.parent is None else ids[draft.parent],
        )
        for place, (draft, (said, mark)) in enumerate(zip(made, told, strict=True))
    ]
    ranks = {id_: draft.ranks for id_, draft in zip(ids, made, strict=True)}
    storing = Storing(index.group_id, tree, kept, fresh, ranks)
    retold = storing.retold()
    texts = [community_text(one.name, one.summary) for one in retold]
    vectors = await workshop.embedder.embed(texts, purpose="document") if texts else ()
    by_id = {one.id: vector for one, vector in zip(retold, vectors, strict=True)}
    return Planned(storing.after(), storing.changes(kind, by_id))
