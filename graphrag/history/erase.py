"""Permanent erasure of an entity or a group, with vectors, log images and files of the store.

Remaining data loses everything that came from the erased data. Facts that an erased fact had closed
hold again, as far as the rules allow; values from an erased text are removed; a fact whose sentence
was in an erased text gets one from a remaining text; the log loses the names. Events keep number,
kind and time. Bytes that the database has not compacted yet remain.

A whole group may be larger than memory, so it takes several transactions. The policy first checks
every row. Then the group is closed, and its log, its rows in batches and last its name are erased.
If the process dies, the group stays visibly half erased.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from graphrag.edit import plain_sentence
from graphrag.edit.editor import Door, entity_id, put_facts
from graphrag.edit.inverse import added, undone
from graphrag.errors import InputError, UnknownGroupError
from graphrag.health.snapshot import TABLES, group_names
from graphrag.history.erase_plan import ErasePlan, Texts, settled_plan
from graphrag.history.redact import (
    MARK,
    Attribute,
    Eraser,
    Forgotten,
    comparable,
    redacted,
)
from graphrag.index.group import GroupIndex
from graphrag.index.texts import embed_texts, entity_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.policy import refused
from graphrag.ingest.summaries import ends_of, updated
from graphrag.model.arguments import checked
from graphrag.model.values import Entity, Episode, Fact, Saga
from graphrag.protocols import in_turns
from graphrag.store.changes import FORGET, ChangeSet
from graphrag.store.groups import count
from graphrag.store.pages import group_pages
from graphrag.store.rows import edge, from_row
from graphrag.store.store import Store
from graphrag.temporal.moment import utc_now

_LAST = ("passage", "relates_to", "community", "saga", "episode", "entity")
"""Tables whose rows links lead to, or that other rows rest on: they go after the links."""


@checked(door="graph.erase")
class Erase(Door):
    """Permanent erasure, which cannot be undone: ``graph.erase``.

    Cached answers of a language model and backups must be deleted by you. ``actor`` is the name in
    the log; default: the one given to ``GraphRAG.open``. ``PolicyError`` is raised if the write
    policy refuses. After any error nothing was written.
    """

    async def entity(
        self,
        entity: Entity | str,
        *,
        episodes: Texts = "erase",
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase an entity with everything stated about it, in one transaction.

        This erases its facts, the episodes that mention it, state something about it or contain one
        of its names, facts and entities without other sources, and the communities until they are
        built again. Facts that an erased fact had closed hold again, as far as the rules allow. All
        other data and the log lose the names; events keep number, kind and time.

        Args:
            entity: The entity, its id or its name.
            episodes: ``keep`` preserves every text: it is still found by its words, but no longer
                linked to the entity.
            actor: Name for the log.
            dry_run: Only count the data to erase; the policy is not applied.

        Raises:
            InputError: if the entity does not exist or a name is ambiguous.
        """
        ingestion, group = self._handle.session, self._group
        counted: Mapping[str, int] = {}

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal counted
            id_, now = entity_id(entity, index), utc_now()
            plan = await settled_plan(id_, index, ingestion, episodes, now)
            counted = plan.counted()
            if dry_run:
                return ChangeSet(group, FORGET)  # nothing is written
            changes = await _forget(plan, index, ingestion, now=now)
            await ingestion.catalog.unsave(group)
            return changes

        if dry_run:
            await ingestion.writer.commit(group, build)
            return Forgotten(group, counted)
        event = await self._write(build, reason="", actor=actor)
        return Forgotten(group, counted, event)

    async def group(
        self, *, confirm: str | None = None, actor: str | None = None, dry_run: bool = False
    ) -> Forgotten:
        """Erase the whole group with its log and its name, whatever its size.

        This takes many small transactions. If it is interrupted the group is closed; call the
        method again to finish.

        Args:
            confirm: The name of the group, as a confirmation.
            actor: Name for the log.
            dry_run: Only count the data to erase; the policy is not applied.

        Raises:
            InputError: if ``confirm`` is not the name of the group.
            QueryError: if the group does not exist.
        """
        if confirm != self._group and not (dry_run and confirm is None):
            raise InputError(
                f"erasing group {self._group!r} takes its name twice: confirm={self._group!r}, "
                f"not {confirm!r}"
            )
        group, ingestion = self._group, self._handle.session
        store, catalog, writer = ingestion.store, ingestion.catalog, ingestion.writer
        half_gone = await store.forgotten_since(group) is not None
        if not half_gone and group not in await group_names(store):
            raise UnknownGroupError(group)
        if dry_run:
            return Forgotten(group, await count(group, store))
        if not half_gone:  # what is half gone was allowed to go
            await _ask(group, ingestion, actor or "")
        async with writer.locks[group], catalog.gate(group).change():
            await catalog.drop(group)
            await catalog.unsave(group)
            try:
                erased = await store.erase_group(group)
            finally:
                await catalog.drop(group)  # whatever was read meanwhile
        return Forgotten(group, erased)


async def _ask(group: str, ingestion: Ingestion, actor: str) -> None:
    """Ask the policy about every row; what it refuses is refused, and logged, by the writer."""
    if (policy := ingestion.writer.policy) is None:
        return
    index = await ingestion.catalog.group(group)
    changes = ChangeSet(group, FORGET, actor=actor or ingestion.writer.actor)

    async def build(_: GroupIndex) -> ChangeSet:
        return changes

    for table in TABLES:
        async for rows in group_pages(ingestion.store, table, group):
            changes.deletes = [(table, row) for row in rows]
            if refused(changes, index, policy):
                await ingestion.writer.commit(group, build)


async def _forget(
    plan: ErasePlan, index: GroupIndex, ingestion: Ingestion, *, now: datetime
) -> ChangeSet:
    before, store = plan.before, ingestion.store
    erased = [from_row(Fact, row) for row in plan.rows["relates_to"].values()]
    settled = [fact for id_, fact in plan.after.items() if fact != before.get(id_)]
    heirs = index.heirs.each(ends_of([*erased, *settled]))
    ends = [id_ for id_ in dict.fromkeys(heirs) if not plan.has("entity", id_)]
    entities = await store.get(Entity, [*plan.touched_in("entity"), *ends])
    attributes = "attributes", "attribute_times"
    left = {
        id_: undone(entity, plan.told.get(f"entity:{id_}", ()), columns=attributes)
        for id_, entity in entities.items()
    }
    sagas = (await store.get(Saga, plan.touched_in("saga"))).values()
    eraser = await _eraser(plan, left, sagas, store)

    changes = ChangeSet(index.group_id, FORGET)
    for table in (*(plan.rows.keys() - set(_LAST)), *_LAST):
        changes.deletes += [(table, row) for _, row in sorted(plan.rows[table].items())]
    after = await _restated(plan.after, eraser, store)
    changed = {id_: fact for id_, fact in after.items() if fact != before.get(id_)}
    await put_facts(changes, before, changed, ingestion)
    fallen: dict[str, Fact | None] = dict.fromkeys(plan.rows["relates_to"])
    for update in updated(ends, index, fallen | changed, now=now):
        left[update.id] = replace(left[update.id], summary=update.after["summary"])
    cleaned: dict[str, Entity] = {}
    async for id_, entity in in_turns(left.items()):
        clean = redacted(entity, eraser)
        names = tuple(name for name in clean.names if MARK not in name.name)
        cleaned[id_] = replace(clean, names=names)
    texts = {id_: entity_text(entity) for id_, entity in cleaned.items()}
    others = {id_: text for id_, text in texts.items() if text != entity_text(entities[id_])}
    vectors = await embed_texts(ingestion.embedder, others)
    for id_, entity in cleaned.items():
        changes.change(entities[id_], entity, vectors.get(id_))
    for saga in sagas:
        if saga.summary:  # it may tell of what is erased
            changes.change(saga, Saga(saga.id, saga.group_id, saga.created_at, saga.name))
    _relink(changes, plan)
    changes.clean = eraser.change
    rewritten = [await eraser.event(row) for row in plan.log]
    changes.rewrites = [row for row in rewritten if row is not None]
    return changes


async def _eraser(
    plan: ErasePlan, entities: Mapping[str, Entity], sagas: Iterable[Saga], store: Store
) -> Eraser:
    """Return what takes the names, and what only erased texts said, out of the rest."""
    neighbours: dict[str, set[str]] = defaultdict(set)
    for row in plan.rows["relates_to"].values():
        neighbours[str(row["in"])].add(row["object"])
        neighbours[str(row["out"])].add(row["subject"])
    given, called = dict[str, set[Attribute]](), dict[str, set[str]]()
    for record, told in plan.told.items():
        table, _, id_ = record.partition(":")
        value = plan.after.get(id_) if table == "relates_to" else entities.get(id_)
        if value is not None:
            pairs = {comparable(*pair) for change in told for pair in added(change, "attributes")}
            given[record] = pairs - {comparable(*pair) for pair in value.attributes.items()}
        if isinstance(value, Entity):
            names = {name for change in told for name in added(change, "aliases")}
            called[record] = names - {value.name}
    return Eraser(
        plan.names,
        records=plan.records(),
        episodes=frozenset(plan.rows["episode"]),
        sentences=await _only_said(plan, called, store),
        neighbours=neighbours,
        given=given,
        called=called,
        sagas=frozenset(f"saga:{saga.id}" for saga in sagas),
        touched=frozenset(plan.touched),
        keeps_texts=plan.texts == "keep",
    )


async def _only_said(plan: ErasePlan, called: Mapping[str, set[str]], store: Store) -> set[str]:
    """Return what only erased facts and texts say; ``called`` loses the names that others have."""
    said = {row["text"] for row in plan.rows["relates_to"].values()}
    for image in (change.after or {} for changes in plan.told.values() for change in changes):
        said.add(image.get("text") or "")
        if image.get("closed_as") != "retracted":  # the reason quotes a text
            said.add(image.get("reason") or "")
    gone = plan.rows["episode"].keys()
    said |= {fact.text for fact in plan.before.values() if not gone.isdisjoint(fact.episodes)}
    alone = said - {""}
    names = set().union(*called.values())
    async for page in group_pages(store, "episode", plan.index.group_id):
        async for row in in_turns(page):
            if not plan.has("episode", row["id"].id):
                alone = {sentence for sentence in alone if sentence not in row["content"]}
                names = {name for name in names if name not in row["content"]}
    for given in called.values():
        given &= names
    return alone


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
        id_: redacted(replace(fact, text=texts.get(id_, fact.text)), eraser)
        async for id_, fact in in_turns(facts.items())
    }


def _relink(changes: ChangeSet, plan: ErasePlan) -> None:
    """Close the gaps in the chain of episodes."""
    before = {row["in"].id: row["out"].id for row in plan.rows["occurred_after"].values()}
    for later, earlier in before.items():
        while plan.has("episode", earlier) and earlier in before:
            earlier = before[earlier]
        if not plan.has("episode", later) and not plan.has("episode", earlier):
            ends = ("episode", later), ("episode", earlier)
            row = edge("occurred_after", f"{later}>{earlier}", *ends, group_id=changes.group_id)
            changes.insert_row("occurred_after", row)
