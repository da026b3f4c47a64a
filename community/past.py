"""The communities of a group at another moment: as they were stored then, or as they would be.

At a moment of system time they are those that the graph had, read back from the log. At a moment of
world time nobody had made any: they are detected from the facts that held then, and described
without a model. What continues a stored community has its id, any other one an id made from its
members, so that it is the same when it is asked for again.
"""

import hashlib
import uuid
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from graphrag.community.author import Facts
from graphrag.community.describe import AtMoment, Describer
from graphrag.community.draft import Draft, drafts, lasting
from graphrag.community.levels import detect_levels
from graphrag.community.stored import Tree, in_order, merged, with_members
from graphrag.community.ties import Ties
from graphrag.index.group import GroupIndex
from graphrag.index.heirs import Heirs
from graphrag.models import Community
from graphrag.search.visible import Past, Visible
from graphrag.store.record import Record
from graphrag.store.rows import unplain
from graphrag.store.store import Store


async def communities_then(group: str, store: Store, past: Past, heirs: Heirs) -> Tree:
    """Return the communities as they were stored, their members seen through the heirs."""
    found = await store.query(
        "SELECT * OMIT embedding FROM community WHERE group_id = $group;"
        "SELECT * FROM has_member WHERE group_id = $group;",
        group=group,
    )
    rows, links = (
        _then(rows, table, past)
        for rows, table in zip(found, ("community", "has_member"), strict=True)
    )
    told: dict[str, dict[str, int]] = {id_: {} for id_ in rows}
    for link in links.values():
        if (inside := told.get(link["in"].id)) is not None:
            inside[link["out"].id] = link["rank"]
    ranks = {id_: merged(inside, heirs) for id_, inside in told.items()}
    communities = (
        with_members({**row, "id": Record("community", id_)}, ranks[id_])
        for id_, row in rows.items()
    )
    return Tree(tuple(in_order(communities)), ranks)


async def communities_of(
    index: GroupIndex, store: Store, seen: Visible, past: Past, stored: Tree, at: datetime
) -> list[Community]:
    """Return the communities that the visible facts make, whatever is stored."""
    subject, object_ = seen.ends
    held = seen.facts & seen.entities[subject] & seen.entities[object_]
    ties = await Ties.read(index, store, held, seen, past=past)
    clusters = detect_levels(ties.subjects, ties.objects, weights=ties.weights)
    moment = AtMoment(lambda id_: past.name(id_, index), seen.ends, seen.valid, seen.invalid)
    made = drafts(clusters, ties, index, moment, ties.strengths(len(index.entities)))
    known = lasting(stored.communities, made)
    told = await Facts().describe(made, {}, Describer(index, moment), set())
    ids = [known[place].id if place in known else _id(one) for place, one in enumerate(made)]
    return in_order(
        Community(
            id=ids[place],
            group_id=index.group_id,
            created_at=known[place].created_at if place in known else at,
            name=said.name,
            summary=said.summary,
            members=one.members,
            fingerprint=mark,
            level=one.level,
            parent=None if one.parent is None else ids[one.parent],
        )
        for place, (one, (said, mark)) in enumerate(zip(made, told, strict=True))
    )


def _id(draft: Draft) -> str:
    told = "\n".join((str(draft.level), *sorted(draft.members)))
    return str(uuid.UUID(bytes=hashlib.blake2b(told.encode(), digest_size=16).digest()))


def _then(found: list[Any], table: str, past: Past) -> dict[str, dict[str, Any]]:
    """Return rows by id as they were: changed and deleted ones from the images of the log."""
    rows: dict[str, dict[str, Any]] = {row["id"].id: row for row in found}
    for record, image in past.before.items():
        kind, _, id_ = record.partition(":")
        if kind != table:
            continue
        if image is None:
            rows.pop(id_, None)
        else:
            old: Mapping[str, Any] = {
                column: unplain(column, item) for column, item in image.items()
            }
            rows[id_] = {**rows.get(id_, {}), **old}
    return rows
