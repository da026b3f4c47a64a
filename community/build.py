"""Plan the communities of a group: detected anew, or brought up to date, in one transaction."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime

import numpy as np

from graphrag.community.detect import detect, grouped
from graphrag.community.local import DRIFT, NOWHERE, improve
from graphrag.community.match import continued
from graphrag.ids import new_id
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.texts import community_text
from graphrag.models import Community, Entity, Fact
from graphrag.protocols import Embedder
from graphrag.store.changes import ChangeSet
from graphrag.store.record import Record
from graphrag.store.rows import edge
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros, utc_now

BUILD, UPDATE = "build_communities", "update_communities"
"""Kinds of events."""
_NAMED = 3
"""Members that name a community."""
_DESCRIBING = 5
"""Facts that describe it."""


PlanCommunities = Callable[
    [GroupIndex, Store, Embedder], Awaitable[tuple[list[Community], ChangeSet]]
]
"""How to come to the communities of a group, and to what stores them."""


async def plan_communities(
    index: GroupIndex, store: Store, embedder: Embedder
) -> tuple[list[Community], ChangeSet]:
    """Detect, name and describe the communities of the facts that hold now, and how to store them.

    A community keeps its id as long as at least half of it stays. Names are the best connected
    members, summaries the sentences that tie the best connected members together.
    """
    now = utc_now()
    rows, subject, object_ = _live(index, now)
    clusters = detect(subject, object_)
    return await _described(clusters, rows, index, store, embedder, BUILD, now)


async def plan_update(
    index: GroupIndex, store: Store, embedder: Embedder
) -> tuple[list[Community], ChangeSet]:
    """Bring the communities up to date with the log, around what changed since they were built.

    When more facts changed since the last detection than a twentieth of those that hold, everything
    is detected anew: small moves alone drift away from the best partition.
    """
    now = utc_now()
    built, latest = await _last_times(index.group_id, store)
    rows, subject, object_ = _live(index, now)
    events = await store.events(index.group_id, after=built)
    touched = {
        change.record.removeprefix("relates_to:"): event.seq
        for event in events
        for change in event.changes
        if change.record.startswith("relates_to:")
    }
    if not built or len(touched) > DRIFT * len(rows):
        return await plan_communities(index, store, embedder)
    row_of, ends = index.facts.row_of, index.ends()
    changed = [
        int(end[row_of[id_]])
        for id_, seq in touched.items()
        if seq > latest and id_ in row_of
        for end in ends
    ]
    changed += _begun_or_ended(index, since=await store.moment_of(index.group_id, latest), now=now)
    old = await stored_communities(index.group_id, store)
    if not changed:
        return old, ChangeSet(index.group_id, kind=UPDATE)
    labels = np.full(len(index.entities), NOWHERE, dtype=np.int64)
    for number, community in enumerate(old):
        places = [index.entities.row_of.get(id_) for id_ in index.heirs.each(community.members)]
        labels[[place for place in places if place is not None]] = number
    labels = improve(subject, object_, labels, changed)
    clusters = grouped(labels, subject, object_)
    return await _described(clusters, rows, index, store, embedder, UPDATE, now)


def _live(index: GroupIndex, now: datetime) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the rows of the facts that hold, with their ends."""
    at = to_micros(now, FOREVER)
    held = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    held &= (index.facts["valid"] <= at) & (at < index.facts["invalid"]) & ~index.facts["pending"]
    rows = np.flatnonzero(held)
    subject, object_ = index.ends()
    return rows, subject[rows], object_[rows]


def _begun_or_ended(index: GroupIndex, *, since: int | None, now: datetime) -> list[int]:
    """Return the ends of the facts that began or ended by the clock since a moment."""
    if since is None:
        return []
    at = to_micros(now, FOREVER)
    turned = np.zeros(len(index.facts), dtype=np.bool_)
    for moments in (index.facts["valid"], index.facts["invalid"]):
        turned |= (since < moments) & (moments <= at)
    subject, object_ = index.ends()
    return [int(end[row]) for row in np.flatnonzero(turned) for end in (subject, object_)]


async def _last_times(group: str, store: Store) -> tuple[int, int]:
    """Return the events at which communities were last detected, and last brought up to date."""
    [found] = await store.query(
        "SELECT kind, math::max(seq) AS seq FROM event "
        "WHERE group_id = $group AND kind IN $kinds GROUP BY kind;",
        group=group,
        kinds=[BUILD, UPDATE],
    )
    times = {row["kind"]: int(row["seq"]) for row in found}
    return times.get(BUILD, 0), max(times.values(), default=0)


async def _described(
    clusters: Sequence[Sequence[int]],
    rows: np.ndarray,
    index: GroupIndex,
    store: Store,
    embedder: Embedder,
    kind: str,
    now: datetime,
) -> tuple[list[Community], ChangeSet]:
    old = await stored_communities(index.group_id, store)
    known = {community.id: community for community in old}
    members = [tuple(index.entities.ids[row] for row in cluster) for cluster in clusters]
    ids = continued({one.id: one.members for one in old}, members)
    fresh: list[Community] = []
    for number, inside in enumerate(members):
        before = known.get(ids.get(number, ""))
        fingerprint = hashlib.sha256("\n".join(sorted(inside)).encode()).hexdigest()
        fresh.append(
            Community(
                id=before.id if before else new_id(),
                group_id=index.group_id,
                created_at=before.created_at if before else now,
                name=", ".join(index.entity_name(id_) for id_ in inside[:_NAMED]),
                summary=await _summary(inside, rows, index, store),
                members=inside,
                fingerprint=fingerprint,
            )
        )
    return fresh, await _changes(index.group_id, old, fresh, store, embedder, kind)


async def stored_communities(group: str, store: Store) -> list[Community]:
    """Return the communities of a group, largest first."""
    [ids] = await store.query(
        "SELECT VALUE record::id(id) FROM community WHERE group_id = $group;", group=group
    )
    found = (await store.get(Community, ids)).values()
    return sorted(found, key=lambda community: (-len(community.members), community.id))


async def members_of(community: Community, store: Store) -> list[Entity]:
    """Return the members of a community, best connected first."""
    return list((await store.get(Entity, community.members)).values())


async def _summary(
    members: Sequence[str], rows: np.ndarray, index: GroupIndex, store: Store
) -> str:
    place = {index.entities.row_of[id_]: number for number, id_ in enumerate(members)}
    subjects, objects = index.ends()
    inside = [
        (place[subject] + place[object_], index.facts.ids[row])
        for row in rows.tolist()
        if (subject := int(subjects[row])) in place and (object_ := int(objects[row])) in place
    ]
    facts = await store.get(Fact, [id_ for _, id_ in sorted(inside)[: 4 * _DESCRIBING]])
    return " ".join(list(dict.fromkeys(fact.fact for fact in facts.values()))[:_DESCRIBING])


async def _changes(
    group: str,
    old: Sequence[Community],
    fresh: Sequence[Community],
    store: Store,
    embedder: Embedder,
    kind: str,
) -> ChangeSet:
    changes = ChangeSet(group, kind=kind)
    known, staying = {one.id: one for one in old}, {one.id for one in fresh}
    stale = [community for community in old if community not in fresh]
    new = [community for community in fresh if community not in old]
    links = [Record("community", community.id) for community in stale]
    [rows] = await store.query("SELECT * FROM has_member WHERE in IN $links;", links=links)
    changes.deletes += [("has_member", row) for row in rows]
    links = [link for link in links if link.id not in staying]
    [rows] = await store.query("SELECT * OMIT embedding FROM $links;", links=links)
    changes.deletes += [("community", row) for row in rows]
    texts = [community_text(community.name, community.summary) for community in new]
    vectors = await embedder.embed(texts, purpose="document")
    for community, vector in zip(new, vectors, strict=True):
        if community.id in known:
            changes.change(known[community.id], community, vector)
        else:
            changes.insert(community, vector)
        for rank, member in enumerate(community.members):
            changes.insert_row(
                "has_member",
                edge(
                    "has_member",
                    new_id(),
                    ("community", community.id),
                    ("entity", member),
                    group_id=group,
                    rank=rank,
                ),
            )
    return changes
