"""Erase plan: what goes with an entity, and what of the rest may speak of it.

Of a large group only the touched part is read: the facts of the entity, what rests on the texts
that name it, and what those meet. The log is looked through as text, a megabyte in 2 ms: since a
table has nothing that no event has, it tells every record that ever spoke of what is erased.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Literal

import numpy as np

from graphrag.analysis.orphans import manual_entities
from graphrag.edit.inverse import read_touched, undone
from graphrag.history.redact import Eraser, Names, redacted
from graphrag.index.group import GroupIndex
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.model.values import Change, Episode, Fact
from graphrag.names.key import name_key
from graphrag.protocols import in_turns
from graphrag.store import links
from graphrag.store.assertions import STATED, parts
from graphrag.store.engine import Row
from graphrag.store.log import log_rows
from graphrag.store.pages import group_pages, group_rows, rows_of
from graphrag.store.record import Record
from graphrag.store.store import Store

Texts = Literal["erase", "keep"]
"""What becomes of the episodes that name what is forgotten."""
Rows = dict[str, dict[str, Row]]
"""By table and id, without vectors."""


@dataclass(slots=True)
class ErasePlan:
    """What is to be erased, and what stays and may speak of it."""

    index: GroupIndex
    names: Names
    rows: Rows
    naming: Mapping[str, str]
    """Episodes that have one of the names, by id, and the saga of each."""
    texts: Texts
    log: list[Row] = field(default_factory=list)
    """Events that may speak of what goes, oldest first."""
    touched: set[str] = field(default_factory=set)
    """Records that stay and may repeat its words, as ``table:id``."""
    told: dict[str, list[Change]] = field(default_factory=lambda: defaultdict(list))
    """What the erased episodes did to each record, newest first."""
    before: dict[str, Fact] = field(default_factory=dict)
    """Facts that stay and may change, as they are."""
    after: dict[str, Fact] = field(default_factory=dict)
    """As they are to be, and those that begin to exist."""

    def counted(self) -> Mapping[str, int]:
        """Return how many rows are erased, by table."""
        new = self.after.keys() - self.before.keys()
        rows = self.rows.items()
        return {table: count for table, ids in rows if (count := len(ids.keys() - new))}

    def has(self, table: str, id_: str | None) -> bool:
        """Tell whether a record goes."""
        return id_ in self.rows[table]

    def records(self) -> frozenset[str]:
        """Return what goes, as ``table:id``."""
        return frozenset(f"{table}:{id_}" for table, rows in self.rows.items() for id_ in rows)

    def touched_in(self, table: str) -> list[str]:
        """Return the ids of the records of a table that stay and may speak of what goes."""
        named = (record.partition(":") for record in sorted(self.touched))
        return [id_ for name, _, id_ in named if name == table and not self.has(table, id_)]

    async def enter(self, table: str, ids: Iterable[str], store: Store) -> None:
        """Let more rows of a table go."""
        records = [Record(table, id_) for id_ in sorted(ids) if not self.has(table, id_)]
        stored = await rows_of(store, records, vectors=False) if records else []
        self.rows[table] |= {row["id"].id: row for row in stored}


async def settled_plan(
    entity: str, index: GroupIndex, ingestion: Ingestion, texts: Texts, now: datetime
) -> ErasePlan:
    """Return what goes with an entity, given by id, and the facts that stay, settled without it."""
    plan, component = await _plan_of(entity, index, ingestion, texts, now)
    gone, facts = plan.rows["episode"], plan.rows["relates_to"]
    await read_touched(component, gone, (*facts, *plan.touched_in("relates_to")))
    component.stored = _staying(plan, component.stored)
    nameless = Eraser(Names(()), plan.records(), frozenset(gone))
    component.facts = {}
    async for id_, fact in in_turns(component.stored.items()):
        kept = redacted(fact, nameless)
        if plan.has("relates_to", fact.invalidated_by):
            kept = replace(kept, invalidated_by=None)
        component.facts[id_] = undone(kept, plan.told.get(f"relates_to:{id_}", ()))
    component.nested = _staying(plan, component.nested)
    if component.nearby is not None:
        component.nearby.context = _staying(plan, component.nearby.context)
    component.endings.clear()
    for id_, stored in component.entities.items():
        left = (ending for ending in stored.endings if ending.assertion.source not in gone)
        if not plan.has("entity", id_) and (endings := tuple(left)):
            heir = index.heirs.of(id_)
            component.endings[heir] = (*component.endings.get(heir, ()), *endings)
    component.settle()
    plan.before, plan.after = component.stored, component.facts
    while fallen := [
        id_
        for id_, fact in plan.after.items()
        if fact.retracted_at is not None and not facts.keys().isdisjoint(fact.derived_from)
    ]:  # what was inferred from what is erased, and what was inferred from that
        await plan.enter("relates_to", fallen, ingestion.store)
        for id_ in fallen:
            plan.before.pop(id_, None)
            del plan.after[id_]
    return plan


def _staying(plan: ErasePlan, facts: Mapping[str, Fact]) -> dict[str, Fact]:
    return {id_: fact for id_, fact in facts.items() if not plan.has("relates_to", id_)}


async def _plan_of(
    entity: str, index: GroupIndex, ingestion: Ingestion, texts: Texts, now: datetime
) -> tuple[ErasePlan, Component]:
    """Return what goes with an entity, and a component that has read nothing yet."""
    family, group, store = set(index.heirs.family(entity)), index.group_id, ingestion.store
    names = await _names(family, index, store)
    rows: Rows = {table: {} for table in ("passage", "relates_to", "episode", "entity", "saga")}
    for table in ("community", "has_member"):  # communities.build() makes them anew
        rows[table] = await group_rows(store, table, group, vectors=False)
    naming: dict[str, str] = {}
    async for page in group_pages(store, "episode", group):
        async for row in in_turns(page):
            if names.named_in(row):
                naming[row["id"].id] = row.get("saga") or ""
    plan = ErasePlan(index, names, rows, naming, texts)
    facts = set(index.facts_of(entity))
    if texts == "erase":
        # What a person corrected keeps the sources of what was misread: they say something else.
        stored = (await store.get(Fact, facts)).values()
        stating = (fact.episodes for fact in stored if fact.origin != "manual")
        linked = (await links.episodes_on(store, family)).values()
        await plan.enter("episode", {*naming}.union(*stating, *linked), store)
    resting = await links.facts_on(store, rows["episode"])
    await plan.enter("relates_to", {*facts, *resting}, store)
    stated, heard = rows["relates_to"], rows["episode"].keys()
    resting = [id_ for id_ in stated.keys() - facts if not _sources(stated[id_]) <= heard]
    # What these closed, or were closed by, may quote them.
    component = Component.of(index, ingestion.relations, store, now, gone=rows["episode"])
    met = component.reach_from(sorted(rows["relates_to"]))
    plan.touched |= {f"relates_to:{id_}" for id_ in met}
    for id_ in resting:
        del rows["relates_to"][id_]
    await plan.enter("saga", await _emptied(plan, store), store)
    silent = await _unheard_of(plan, family, store)
    by_hand = await _look_through_log(plan, family.union(*silent), store)
    lost = {id_ for members in silent if not by_hand & members for id_ in members}
    await plan.enter("entity", family | lost, store)
    episodes = [Record("episode", id_) for id_ in rows["episode"]]
    entities = [Record("entity", id_) for id_ in rows["entity"]]
    rows["mentions"] = await links.links_at(store, "mentions", [*episodes, *entities])
    rows["occurred_after"] = await links.links_at(store, "occurred_after", episodes)
    there = [index.episodes.row_of[id_] for id_ in rows["episode"] if id_ in index.episodes.row_of]
    pieces = np.flatnonzero(np.isin(index.passages["episode"], there) & index.passages.alive.values)
    await plan.enter("passage", (index.passages.ids[piece] for piece in pieces), store)
    return plan, component


async def _names(family: set[str], index: GroupIndex, store: Store) -> Names:
    """Return the names of a family, today's and those in the log, that nobody else bears."""
    own = {name for id_ in family for name in index.names.names[id_]}
    async for row in log_rows(store, index.group_id):
        if not any(id_ in row["changes"] for id_ in family):
            continue
        for change in json.loads(row["changes"]):
            table, _, id_ = change["record"].partition(":")
            if table == "entity" and id_ in family:
                for image in (change["before"] or {}, change["after"] or {}):
                    own |= {image.get("name") or "", *(image.get("aliases") or ())}
    mine = [name for name in own if name and family.issuperset(index.names.keyed(name_key(name)))]
    finder = Names(tuple(sorted(mine, key=len)))
    kinds = {index.entity_type(id_) for id_ in family}
    alike = {
        name
        async for id_, names in in_turns(index.names.names.items())
        if id_ not in family and index.entity_type(id_) in kinds
        for name in names
        if finder.named_in(name)
    }
    return Names(finder.names, tuple(sorted(alike)))


async def _emptied(plan: ErasePlan, store: Store) -> list[str]:
    """Return the ids of the sagas of which every episode goes; those that lose one are touched."""
    group, episodes = plan.index.group_id, plan.rows["episode"]
    stating = {id_ for row in plan.rows["relates_to"].values() for id_ in _sources(row)}
    told = (await store.get(Episode, stating - episodes.keys())).values()
    losing = {row.get("saga") for row in episodes.values()}
    concerned = losing | {episode.saga for episode in told} | {*plan.naming.values()}
    sagas = {name: plan.index.sagas[name] for name in concerned if name in plan.index.sagas}
    plan.touched |= {f"saga:{id_}" for id_ in sagas.values()}
    return [
        id_
        for name, id_ in sagas.items()
        if name in losing and await links.saga_episodes(store, group, [name]) <= episodes.keys()
    ]


async def _unheard_of(plan: ErasePlan, family: set[str], store: Store) -> list[set[str]]:
    """Return the families that nothing speaks of any more; touch those at the ends of what goes."""
    index, facts, episodes = plan.index, plan.rows["relates_to"], plan.rows["episode"]
    ends = {row[end].id for row in facts.values() for end in ("in", "out")}
    plan.touched |= {f"entity:{id_}" for id_ in ends - family}
    mentioned = {entity for _, entity in await links.mentioned_in(store, episodes)}
    left = index.facts.alive.values.copy()
    left[[index.facts.row_of[id_] for id_ in facts if id_ in index.facts.row_of]] = False
    at_facts = {*np.concatenate([index.facts[end][left] for end in ("subject", "object")]).tolist()}
    heirs = {index.heirs.of(id_) for id_ in (mentioned | ends) - family}
    families = [set(index.heirs.family(heir)) for heir in sorted(heirs)]
    members = {id_ for family in families for id_ in family}
    spoken = await links.episodes_on(store, members)
    held = {id_ for id_, speaking in spoken.items() if not speaking <= episodes.keys()}
    held |= {id_ for id_ in members if index.entities.row_of.get(id_) in at_facts}
    return [members for members in families if not members & held]


async def _look_through_log(plan: ErasePlan, entities: set[str], store: Store) -> set[str]:
    """Enter the events that may speak of what goes; return entities entered for their own sake."""
    names, touched = plan.names, plan.touched
    ids = {*entities, *(f"entity:{id_}" for id_ in entities)}
    for table, rows in plan.rows.items():
        ids |= {*rows, *(f"{table}:{id_}" for id_ in rows)}
    episodes = {f"episode:{id_}" for id_ in plan.rows["episode"]}
    by_hand: set[str] = set()
    async for row in log_rows(store, plan.index.group_id):
        text, words = row["changes"], _words(row["changes"])
        speaks = names.may_be_in(text) or not ids.isdisjoint(words)
        noted = bool(row.get("note")) or names.may_be_in(row["actor"])
        if speaks or noted or not touched.isdisjoint(words):
            plan.log.append(row)
        if not speaks:
            continue
        changes = [Change(**change) for change in json.loads(text)]
        by_hand |= manual_entities([(row["kind"], changes)])
        told = {change.record for change in changes if change.record.startswith("episode:")}
        tells = bool(told) and told <= episodes
        async for change in in_turns(changes):
            if tells:
                plan.told[change.record].insert(0, change)
            elif change.record in touched or not _speaks(change, ids, names):
                continue
            if change.record.startswith(("entity:", "relates_to:")):
                touched.add(change.record)
                if (change.after or {}).get("derived_from"):  # what rests on this goes, too
                    ids |= {change.record, change.record.partition(":")[2]}
    return by_hand & entities


def _speaks(change: Change, ids: set[str], names: Names) -> bool:
    """Tell whether a change tells of some records, or names a name."""
    text = json.dumps([change.record, change.before, change.after], ensure_ascii=False)
    if not ids.isdisjoint(_words(text)):
        return True
    return names.may_be_in(text) and any(
        names.named_in(parts(item) if column in STATED and item else item)
        for image in (change.before or {}, change.after or {})
        for column, item in image.items()
    )


def _words(text: str) -> list[str]:
    """Return what stands between quotes in JSON, in JSON within it, too."""
    return text.replace("\\", "").split('"')


def _sources(row: Row) -> set[str]:
    return {span["episode"] for span in row.get("sources", ())}
