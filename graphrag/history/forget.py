"""Erase an entity for good, and every text that names it, in the tables and in the log.

The one thing that deletes. Episodes that mention the entity or have its name in their text go, with
every fact that nothing else states; what stays loses the name. Events keep their number, kind and
time. Bytes that the database has not compacted yet are beyond it.
"""

import json
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

from graphrag.history.erase import Eraser
from graphrag.index.group import GroupIndex, fact_text
from graphrag.ingest import Ingestion
from graphrag.invariants import FORGET
from graphrag.models import Entity, Fact
from graphrag.store.changes import ChangeSet
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import plain
from graphrag.store.store import Store
from graphrag.summaries import ends_of, refreshed

_TABLES = (
    "entity", "relates_to", "episode", "passage", "mentions", "occurred_after", "community",
    "has_member", "has_episode",
)  # fmt: skip


async def forget(
    entity: str, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that erases an entity, given by id."""
    store = ingestion.store
    rows = {table: await _rows(table, index.group_id, store) for table in _TABLES}
    family = set(index.heirs.family(entity))
    names = {name for id_ in family for name in index.names.names[id_]}
    finder = Eraser(frozenset(), tuple(sorted(names, key=len, reverse=True)))
    ended = {f"entity:{id_}" for id_ in family}
    episodes = {row["in"].id for row in rows["mentions"].values() if str(row["out"]) in ended} | {
        id_ for id_, row in rows["episode"].items() if finder.names_it(_text(row))
    }
    facts = {
        id_
        for id_, row in rows["relates_to"].items()
        if {str(row["in"]), str(row["out"])} & ended or _rests_on(row, episodes)
    }
    gone: dict[str, set[str]] = {"entity": family, "relates_to": facts, "episode": episodes}
    gone["passage"] = {id_ for id_, row in rows["passage"].items() if row["episode"] in episodes}
    gone["community"] = set(rows["community"])  # build_communities() makes them anew
    for table in ("mentions", "occurred_after", "has_member", "has_episode"):
        gone[table] = {
            id_
            for id_, row in rows[table].items()
            if any(end.id in gone.get(end.table, ()) for end in (row["in"], row["out"]))
        }
    changes = ChangeSet(index.group_id, FORGET)
    for table in reversed(_TABLES):
        changes.deletes += [(table, rows[table][id_]) for id_ in sorted(gone[table])]
    records = frozenset(str(row["id"]) for _, row in changes.deletes)
    eraser = Eraser(records, finder.names)
    await _clean(changes, gone, eraser, index, ingestion, now)
    changes.inserts |= _relinked(rows, episodes, index.group_id)
    changes.clean = eraser.change
    [events] = await store.query(
        "SELECT * FROM event WHERE group_id = $group;", group=index.group_id
    )
    changes.rewrites = [
        {
            "id": event["id"],
            "changes": json.dumps(
                [eraser.change(change) for change in json.loads(event["changes"])],
                ensure_ascii=False,
            ),
            "note": eraser.cleaned(event.get("note")),
        }
        for event in events
    ]
    return changes


async def _clean(
    changes: ChangeSet,
    gone: dict[str, set[str]],
    eraser: Eraser,
    index: GroupIndex,
    ingestion: Ingestion,
    now: datetime,
) -> None:
    """Take the names out of what stays, and what was erased out of its sources."""
    store, embedder = ingestion.store, ingestion.embedder
    kept = [id_ for id_ in index.facts.row_of if id_ not in gone["relates_to"]]
    stored = await store.get(Fact, kept)
    erased: dict[str, Fact | None] = dict.fromkeys(gone["relates_to"])
    for fact in stored.values():
        clean = replace(
            fact,
            fact=eraser.cleaned(fact.fact),
            subject=eraser.cleaned(fact.subject),
            object=eraser.cleaned(fact.object),
            reason=eraser.cleaned(fact.reason),
            attributes=eraser.cleaned(dict(fact.attributes)),
            sources=tuple(s for s in fact.sources if s.episode_id not in gone["episode"]),
        )
        text, vector = fact_text(clean), None
        if text != fact_text(fact):
            [vector] = await embedder.embed([text], purpose="document")
        changes.change(fact, clean, vector)
    ends = ends_of((await store.get(Fact, gone["relates_to"])).values())
    left = [id_ for id_ in index.entities.row_of if id_ not in gone["entity"]]
    for entity in (await store.get(Entity, left)).values():
        clean_entity = replace(
            entity,
            name=eraser.cleaned(entity.name),
            key=eraser.cleaned(entity.key),
            aliases=tuple(name for name in entity.aliases if not eraser.names_it(name)),
            attributes=eraser.cleaned(dict(entity.attributes)),
        )
        vector = None
        if clean_entity.name != entity.name:
            [vector] = await embedder.embed([clean_entity.name], purpose="document")
        changes.change(entity, clean_entity, vector)
    touched = [id_ for id_ in ends if id_ not in gone["entity"]]
    changes.updates += refreshed(touched, index, erased, now=now)


def _relinked(
    rows: dict[str, dict[str, Row]], erased: set[str], group: str
) -> dict[str, list[Row]]:
    """Return the links that close the gaps in the chain of episodes."""
    linked = {end.id for row in rows["occurred_after"].values() for end in (row["in"], row["out"])}
    order = sorted((rows["episode"][id_]["valid_at"], id_) for id_ in linked - erased)
    new = []
    for (_, earlier), (_, later) in pairwise(order):
        if (id_ := f"{later}>{earlier}") not in rows["occurred_after"]:
            ends = {"in": Record("episode", later), "out": Record("episode", earlier)}
            new.append({"id": Record("occurred_after", id_), **ends, "group_id": group})
    return {"occurred_after": new} if new else {}


async def _rows(table: str, group: str, store: Store) -> dict[str, Row]:
    [found] = await store.query(
        f"SELECT * OMIT embedding FROM {table} WHERE group_id = $group;", group=group
    )
    return {row["id"].id: row for row in found}


def _text(row: Row) -> str:
    return json.dumps(row, ensure_ascii=False, default=plain)


def _rests_on(row: Row, episodes: set[str]) -> bool:
    sources = {span["episode"] for span in row.get("sources", ())}
    return bool(sources) and sources <= episodes
