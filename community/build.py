"""Replace the communities of a group by those of its facts today, in one transaction."""

import hashlib
from collections.abc import Sequence

import numpy as np

from graphrag.community.detect import detect
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

_NAMED = 3
"""Members that name a community."""
_DESCRIBING = 5
"""Facts that describe it."""


async def plan_communities(
    index: GroupIndex, store: Store, embedder: Embedder
) -> tuple[list[Community], ChangeSet]:
    """Detect, name and describe the communities of the facts that hold now, and how to store them.

    A community whose members did not change keeps its id. Names are the best connected members,
    summaries the sentences that tie the best connected members together.
    """
    now = utc_now()
    at = to_micros(now, FOREVER)
    held = index.facts.alive.values & (index.facts["retracted"] == FOREVER)
    held &= (index.facts["valid"] <= at) & (at < index.facts["invalid"]) & ~index.facts["pending"]
    rows = np.flatnonzero(held)
    subject, object_ = index.ends()
    clusters = detect(subject[rows], object_[rows])
    old = await stored_communities(index.group_id, store)
    by_fingerprint = {community.fingerprint: community for community in old}
    fresh: list[Community] = []
    for members in clusters:
        ids = tuple(index.entities.ids[row] for row in members)
        fingerprint = hashlib.sha256("\n".join(sorted(ids)).encode()).hexdigest()
        known = by_fingerprint.get(fingerprint)
        fresh.append(
            Community(
                id=known.id if known else new_id(),
                group_id=index.group_id,
                created_at=known.created_at if known else now,
                name=", ".join(index.entity_name(id_) for id_ in ids[:_NAMED]),
                summary=await _summary(ids, rows, index, store),
                members=ids,
                fingerprint=fingerprint,
            )
        )
    return fresh, await _changes(index.group_id, old, fresh, store, embedder)


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
) -> ChangeSet:
    changes = ChangeSet(group, kind="build_communities")
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
