"""Repair after an erasure: what stays, without what it had from what goes.

What an erased fact had closed holds again, as far as the rules leave room; what an erased text had
added to a fact or an entity is taken off it; a fact whose sentence only an erased text had is
stated by a text that stays; and the log loses the names. Events keep their number, kind and time.
Bytes that the database has not compacted yet are beyond it.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from graphrag.edit.editor import embedded, put_facts
from graphrag.edit.edits import plain_sentence
from graphrag.edit.inverse import added, inverse
from graphrag.history.erase_plan import ErasePlan, Texts, plan_of
from graphrag.history.redact import MARK, Attribute, Eraser, Sentences, comparable
from graphrag.history.removal_plan import resting_on
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.lifetimes.component import Component
from graphrag.ingest.lifetimes.said import gone_from
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.protocols import in_turns
from graphrag.store.changes import FORGET, ChangeSet, image_of
from graphrag.store.pages import group_pages
from graphrag.store.rows import TABLES, edge, from_image, from_row
from graphrag.store.store import Store

_LAST = ("passage", "relates_to", "community", "saga", "episode", "entity")
"""Tables whose rows links lead to, or that other rows rest on: they go after the links."""
_WORDED: Mapping[type, tuple[str, ...]] = {
    Fact: ("text", "subject", "object", "reason", "statements", "attributes", "provenance"),
    Entity: tuple("name key aliases summary attributes distinct_from endings names".split()),
}
"""Fields that may repeat what is erased."""
Value = TypeVar("Value", Fact, Entity)


@dataclass(slots=True)
class Removal:
    """What goes with an entity, and the facts that stay."""

    plan: ErasePlan
    texts: Texts
    before: dict[str, Fact] = field(default_factory=dict)
    """Facts that stay and may change, as they are."""
    after: dict[str, Fact] = field(default_factory=dict)
    """As they are to be, and those that begin to exist."""

    @classmethod
    async def of(
        cls, entity: str, index: GroupIndex, ingestion: Ingestion, texts: Texts, now: datetime
    ) -> "Removal":
        """Work out what goes with an entity, given by id."""
        removal = cls(await plan_of(entity, index, ingestion, texts), texts)
        await removal._settle(ingestion, now)
        return removal

    def counted(self) -> Mapping[str, int]:
        """Return how many rows are erased, by table."""
        new = self.after.keys() - self.before.keys()
        rows = self.plan.rows.items()
        return {table: count for table, ids in rows if (count := len(ids.keys() - new))}

    async def _settle(self, ingestion: Ingestion, now: datetime) -> None:
        """Settle what the erased facts and texts met without them."""
        plan, index, store = self.plan, self.plan.index, ingestion.store
        gone, facts = plan.rows["episode"], plan.rows["relates_to"]
        resting, ended = await resting_on(gone, index, store)
        component = Component.of(index, ingestion.relations)
        reached = component.reach_from([*facts, *resting, *plan.touched_in("relates_to")])
        await component.read([*reached, *component.reach((), ended)], store)
        component.stored = self._staying(component.stored)
        component.facts = {id_: self._without(fact) for id_, fact in component.stored.items()}
        component.nested = self._staying(component.nested)
        if component.nearby is not None:
            component.nearby.context = self._staying(component.nearby.context)
        component.endings.clear()
        for id_, entity in component.entities.items():
            left = (ending for ending in entity.endings if ending.assertion.source not in gone)
            if not plan.has("entity", id_) and (endings := tuple(left)):
                heir = index.heirs.of(id_)
                component.endings[heir] = (*component.endings.get(heir, ()), *endings)
        component.settle(gone_from(index, gone=gone), now=now)
        self.before, self.after = component.stored, component.facts
        while fallen := [
            id_
            for id_, fact in self.after.items()
            if fact.retracted_at is not None and not facts.keys().isdisjoint(fact.derived_from)
        ]:  # what was inferred from what is erased, and what was inferred from that
            await plan.enter("relates_to", fallen, store)
            for id_ in fallen:
                self.before.pop(id_, None)
                del self.after[id_]

    def _staying(self, facts: Mapping[str, Fact]) -> dict[str, Fact]:
        return {id_: fact for id_, fact in facts.items() if not self.plan.has("relates_to", id_)}

    def _without(self, fact: Fact) -> Fact:
        """Return a fact without what erased texts said of it, and without erased facts beside."""
        plan, statements = self.plan, []
        for statement in fact.statements:
            if plan.has("episode", statement.source):
                if not statement.manual:
                    continue
                statement = replace(statement, source="", start=0, end=0)
            if statement.void is not None and plan.has("relates_to", statement.void.fact):
                statement = replace(statement, void=replace(statement.void, fact=None))
            statements.append(statement)
        closed = plan.has("relates_to", fact.invalidated_by)
        fact = replace(
            fact,
            statements=tuple(statements),
            sources=tuple(at for at in fact.sources if not plan.has("episode", at.episode_id)),
            rivals=tuple(id_ for id_ in fact.rivals if not plan.has("relates_to", id_)),
            invalidated_by=None if closed else fact.invalidated_by,
        )
        for change in plan.told.get(f"relates_to:{fact.id}", ()):
            fact = inverse(fact, change)
        return fact


async def forget(
    removal: Removal, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that erases an entity."""
    plan, before, store = removal.plan, removal.before, ingestion.store
    erased = [from_row(Fact, row) for row in plan.rows["relates_to"].values()]
    settled = [fact for id_, fact in removal.after.items() if fact != before.get(id_)]
    heirs = index.heirs.each(ends_of([*erased, *settled]))
    ends = [id_ for id_ in dict.fromkeys(heirs) if not plan.has("entity", id_)]
    entities = await store.get(Entity, [*plan.touched_in("entity"), *ends])
    left = {id_: _untold(entity, plan) for id_, entity in entities.items()}
    sagas = (await store.get(Saga, plan.touched_in("saga"))).values()
    eraser = await _eraser(removal, left, sagas, store)

    changes = ChangeSet(index.group_id, FORGET)
    for table in (*(plan.rows.keys() - set(_LAST)), *_LAST):
        changes.deletes += [(table, row) for _, row in sorted(plan.rows[table].items())]
    after = await _restated(removal.after, eraser, store)
    changed = {id_: fact for id_, fact in after.items() if fact != before.get(id_)}
    await put_facts(changes, before, changed, ingestion)
    fallen: dict[str, Fact | None] = dict.fromkeys(plan.rows["relates_to"])
    for update in refreshed(ends, index, fallen | changed, now=now):
        left[update.id] = replace(left[update.id], summary=update.after["summary"])
    await _change_entities(changes, entities, left, eraser, ingestion)
    for saga in sagas:
        if saga.summary:  # it may tell of what is erased
            changes.change(saga, Saga(saga.id, saga.group_id, saga.created_at, saga.name))
    _relink(changes, plan)
    changes.clean = eraser.change
    rewritten = [await eraser.event(row) for row in plan.log]
    changes.rewrites = [row for row in rewritten if row is not None]
    return changes


async def _eraser(
    removal: Removal, entities: Mapping[str, Entity], sagas: Iterable[Saga], store: Store
) -> Eraser:
    """Return what takes the names, and what only erased texts said, out of the rest."""
    plan, facts = removal.plan, removal.after
    neighbours: dict[str, set[str]] = defaultdict(set)
    for row in plan.rows["relates_to"].values():
        neighbours[str(row["in"])].add(row["object"])
        neighbours[str(row["out"])].add(row["subject"])
    given: dict[str, set[Attribute]] = {}
    called: dict[str, set[str]] = {}
    for record, told in plan.told.items():
        table, _, id_ = record.partition(":")
        value = facts.get(id_) if table == "relates_to" else entities.get(id_)
        if value is not None:
            pairs = {comparable(*pair) for change in told for pair in added(change, "attributes")}
            given[record] = pairs - {comparable(*pair) for pair in value.attributes.items()}
        if isinstance(value, Entity):
            names = {name for change in told for name in added(change, "aliases")}
            called[record] = names - {value.name}
    sentences = await _only_said(removal, called, store)
    return Eraser(
        plan.names,
        records=plan.records(),
        episodes=frozenset(plan.rows["episode"]),
        sentences=sentences,
        neighbours=neighbours,
        given=given,
        called=called,
        sagas=frozenset(f"saga:{saga.id}" for saga in sagas),
        touched=frozenset(plan.touched),
        keeps_texts=removal.texts == "keep",
    )


async def _only_said(removal: Removal, called: Mapping[str, set[str]], store: Store) -> Sentences:
    """Return what the erased facts and texts say and no text that stays does.

    Names that a text that stays has are taken out of ``called``.
    """
    plan = removal.plan
    said = {row["text"] for row in plan.rows["relates_to"].values()} | plan.words()
    said |= {
        fact.text
        for fact in removal.before.values()
        if any(plan.has("episode", id_) for id_ in fact.episodes)
    }
    alone = said - {""}
    all_said, names = Sentences(alone), set().union(*called.values())
    async for page in group_pages(store, "episode", plan.index.group_id):
        async for row in in_turns(page):
            if not plan.has("episode", row["id"].id):
                alone.difference_update(all_said.within(row["content"]))
                names -= {name for name in names if name in row["content"]}
    for given in called.values():
        given &= names
    return Sentences(alone)


def _untold(entity: Entity, plan: ErasePlan) -> Entity:
    """Return an entity without the attributes that only erased texts gave it."""
    for change in plan.told.get(f"entity:{entity.id}", ()):
        entity = inverse(entity, change, columns=("attributes", "attribute_times"))
    return entity


async def _restated(facts: Mapping[str, Fact], eraser: Eraser, store: Store) -> dict[str, Fact]:
    """Return facts without what is erased from their words."""
    quoting = [fact for fact in facts.values() if fact.text in eraser.sentences]
    episodes = await store.get(Episode, [id_ for fact in quoting for id_ in fact.episodes])
    texts = {}
    for fact in quoting:
        quotes = [
            episodes[span.episode_id].content[span.start : span.end].strip()
            for span in fact.sources
            if span.episode_id in episodes
        ]
        texts[fact.id] = next(iter(quotes), "") or plain_sentence(fact)
    return {
        id_: _cleaned(replace(fact, text=texts.get(id_, fact.text)), eraser)
        async for id_, fact in in_turns(facts.items())
    }


def _cleaned(value: Value, eraser: Eraser) -> Value:
    """Return a value without what is erased from its words."""
    image = json.loads(image_of(value))
    clean = from_image(
        type(value), value.id, eraser.image(f"{TABLES[type(value)]}:{value.id}", image)
    )
    return replace(value, **{name: getattr(clean, name) for name in _WORDED[type(value)]})


async def _change_entities(
    changes: ChangeSet,
    before: Mapping[str, Entity],
    left: Mapping[str, Entity],
    eraser: Eraser,
    ingestion: Ingestion,
) -> None:
    after = {}
    async for id_, entity in in_turns(left.items()):
        clean = _cleaned(entity, eraser)
        names = (name for name in clean.names if MARK not in name.name)
        after[id_] = replace(clean, names=tuple(names))
    texts = {id_: entity_text(entity) for id_, entity in after.items()}
    renamed = {id_: text for id_, text in texts.items() if text != entity_text(before[id_])}
    vectors = await embedded(renamed, ingestion)
    for id_, entity in after.items():
        changes.change(before[id_], entity, vectors.get(id_))


def _relink(changes: ChangeSet, plan: ErasePlan) -> None:
    """Close the gaps in the chain of episodes."""
    links = [(row["in"].id, row["out"].id) for row in plan.rows["occurred_after"].values()]
    before = dict(links)
    for later, earlier in links:
        while plan.has("episode", earlier) and earlier in before:
            earlier = before[earlier]
        if not plan.has("episode", later) and not plan.has("episode", earlier):
            ends = ("episode", later), ("episode", earlier)
            row = edge("occurred_after", f"{later}>{earlier}", *ends, group_id=changes.group_id)
            changes.insert_row("occurred_after", row)
