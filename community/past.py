"""The communities of a group as they were at a moment of system time."""

from typing import Any

from graphrag.index.heirs import Heirs
from graphrag.models import Community
from graphrag.search.visible import Past
from graphrag.store.record import Record
from graphrag.store.rows import from_row, unplain
from graphrag.store.store import Store


async def communities_then(group: str, store: Store, past: Past, heirs: Heirs) -> list[Community]:
    """Return the communities as they were, largest first, their members seen through the heirs."""
    rows = _then(
        await store.query(
            "SELECT * OMIT embedding FROM community WHERE group_id = $group;", group=group
        ),
        "community",
        past,
    )
    links = _then(
        await store.query("SELECT * FROM has_member WHERE group_id = $group;", group=group),
        "has_member",
        past,
    )
    members: dict[str, list[tuple[int, str]]] = {id_: [] for id_ in rows}
    for link in links.values():
        if link["in"].id in members:
            members[link["in"].id].append((link["rank"], link["out"].id))
    found = [
        from_row(
            Community,
            {
                **row,
                "id": Record("community", id_),
                "members": heirs.each(member for _, member in sorted(members[id_])),
            },
        )
        for id_, row in rows.items()
    ]
    return sorted(found, key=lambda community: (-len(community.members), community.id))


def _then(found: list[Any], table: str, past: Past) -> dict[str, dict[str, Any]]:
    """Return rows by id as they were: changed and deleted ones from the images of the log."""
    rows: dict[str, dict[str, Any]] = {row["id"].id: row for row in found[0]}
    for record, image in past.before.items():
        kind, _, id_ = record.partition(":")
        if kind != table:
            continue
        if image is None:
            rows.pop(id_, None)
        else:
            old = {column: unplain(column, item) for column, item in image.items()}
            rows[id_] = {**rows.get(id_, {}), **old}
    return rows
