"""Erase an entity for good, in the tables and in the log, and by default every text that names it.

The one thing that deletes. What rests on it goes, what it had closed holds again, and what stays
loses its names. Events keep their number, kind and time. Bytes that the database has not compacted
yet are beyond it.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import pairwise

from graphrag.history.erasure import Doomed, Group, Texts, doomed_with
from graphrag.history.kept import (
    Tellings,
    called_by,
    given_by,
    restated,
    sentences,
    spared_facts,
    unsaid,
    without_given,
)
from graphrag.history.redact import Attribute, Eraser, Sentences, comparable
from graphrag.index.group import GroupIndex
from graphrag.index.texts import entity_text, fact_text
from graphrag.ingest.ingestion import Ingestion
from graphrag.ingest.summaries import ends_of, refreshed
from graphrag.model.values import Entity, Fact, Saga
from graphrag.protocols import Matrix, in_turns
from graphrag.store.changes import FORGET, ChangeSet
from graphrag.store.engine import Row
from graphrag.store.rows import edge, from_row

_LAST = ("passage", "relates_to", "community", "saga", "episode", "entity")
"""Tables whose rows links lead to, or that other rows rest on: they go after the links."""


@dataclass(frozen=True, slots=True)
class Removal:
    """What goes with an entity, and the facts that stay."""

    doomed: Doomed
    tellings: Tellings
    before: Mapping[str, Fact]
    """Facts that stay, as they are."""
    after: Mapping[str, Fact]
    """As they are to be, and those that begin to exist."""

    @classmethod
    async def of(
        cls, entity: str, index: GroupIndex, ingestion: Ingestion, texts: Texts, now: datetime
    ) -> "Removal":
        """Find out what goes with an entity, given by id."""
        group = await Group.read(index.group_id, ingestion.store)
        doomed = await doomed_with(entity, group, index, texts)
        tellings = Tellings(doomed)
        return cls(doomed, tellings, *await spared_facts(doomed, tellings, index, ingestion, now))

    def counted(self) -> Mapping[str, int]:
        """Return how many rows are erased, by table."""
        new = self.after.keys() - self.before.keys()
        return {table: left for table, ids in self.doomed.ids.items() if (left := len(ids - new))}


async def forget(
    removal: Removal, index: GroupIndex, ingestion: Ingestion, texts: Texts, *, now: datetime
) -> ChangeSet:
    """Work out the transaction that erases an entity."""
    doomed, tellings, before = removal.doomed, removal.tellings, removal.before
    after = {  # nor what only an erased text gave
        id_: without_given(fact, tellings.of(f"relates_to:{id_}"))
        if id_ in before and fact.sources != before[id_].sources
        else fact
        for id_, fact in removal.after.items()
    }
    removal = replace(removal, after=after)
    rows = doomed.kept("entity").items()
    entities = {id_: from_row(Entity, row) async for id_, row in in_turns(rows)}
    left = {
        id_: without_given(entity, tellings.of(f"entity:{id_}")) for id_, entity in entities.items()
    }
    telling = _telling(doomed)
    eraser = _eraser(removal, left, telling, await sentences(doomed, tellings), texts == "keep")

    changes = ChangeSet(index.group_id, FORGET)
    for table in (*(doomed.ids.keys() - set(_LAST)), *_LAST):
        changes.deletes += [(table, row) for row in doomed.rows(table)]
    episodes = doomed.kept("episode")
    each = in_turns(after.items())
    spared = {id_: restated(fact, eraser, episodes) async for id_, fact in each}
    await _change_facts(changes, before, spared, ingestion)
    summaries = _summaries(doomed, before, spared, index, now)
    await _change_entities(changes, entities, left, summaries, eraser, ingestion)
    _change_sagas(changes, telling)
    _relink(changes, doomed)
    changes.clean = eraser.change
    rewritten = [await eraser.event(row) for row in doomed.group.log]
    changes.rewrites = [row for row in rewritten if row is not None]
    return changes


def _eraser(
    removal: Removal,
    entities: Mapping[str, Entity],
    telling: Iterable[Saga],
    said: Sentences,
    keeps_texts: bool,
) -> Eraser:
    """Return what takes the names, and what only erased texts said, out of the rest."""
    doomed, tellings, facts = removal.doomed, removal.tellings, removal.after
    neighbours: dict[str, set[str]] = defaultdict(set)
    for row in doomed.rows("relates_to"):
        neighbours[str(row["in"])].add(row["object"])
        neighbours[str(row["out"])].add(row["subject"])
    given: dict[str, set[Attribute]] = {}
    called: dict[str, set[str]] = {}
    kept = doomed.kept_words()
    for table, values in (("relates_to", facts), ("entity", entities)):
        for id_, entity in values.items():
            changes = tellings.of(f"{table}:{id_}")
            if found := given_by(changes) - {
                comparable(*pair) for pair in entity.attributes.items()
            }:
                given[f"{table}:{id_}"] = found
            if isinstance(entity, Entity) and (names := called_by(changes) - {entity.name}):
                only = {name for name in names if name not in kept}
                called[f"{table}:{id_}"] = only
    return Eraser(
        doomed.names,
        records=frozenset(f"{table}:{id_}" for table, ids in doomed.ids.items() for id_ in ids),
        episodes=frozenset(doomed.ids["episode"]),
        sentences=said,
        neighbours=neighbours,
        given=given,
        called=called,
        sagas=frozenset(f"saga:{saga.id}" for saga in telling),
        keeps_texts=keeps_texts,
    )


async def _change_facts(
    changes: ChangeSet, before: Mapping[str, Fact], after: Mapping[str, Fact], ingestion: Ingestion
) -> None:
    texts = {
        id_: text
        for id_, fact in after.items()
        if (text := fact_text(fact)) and (id_ not in before or text != fact_text(before[id_]))
    }
    vectors = await _embedded(texts, ingestion)
    async for id_, fact in in_turns(after.items()):
        if id_ not in before:
            changes.insert(fact, vectors[id_])
        elif fact != before[id_]:  # comparing costs a hundredth of what making rows does
            changes.change(before[id_], fact, vectors.get(id_))


async def _change_entities(
    changes: ChangeSet,
    before: Mapping[str, Entity],
    left: Mapping[str, Entity],
    summaries: Mapping[str, str],
    eraser: Eraser,
    ingestion: Ingestion,
) -> None:
    after = {}
    async for id_, entity in in_turns(left.items()):
        image = {
            "summary": summaries.get(id_, entity.summary),
            "attributes": entity.attributes,
            "aliases": entity.aliases,
            "distinct_from": entity.distinct_from,
        }
        clean = eraser.image(f"entity:{id_}", image)
        after[id_] = replace(
            entity,
            name=eraser.names.cleaned(entity.name),
            key=eraser.names.cleaned(entity.key),
            aliases=tuple(clean["aliases"]),
            summary=clean["summary"],
            attributes=clean["attributes"],
            distinct_from=tuple(clean["distinct_from"]),
            endings=tuple(
                replace(
                    ending,
                    text=eraser.text(ending.text),
                    assertion=unsaid(ending.assertion, eraser),
                )
                for ending in entity.endings
                if ending.assertion.source not in eraser.episodes
            ),
            names=tuple(
                said
                for said in entity.names
                if said.source not in eraser.episodes and not eraser.names.names_it(said.name)
            ),
        )
    renamed = {
        id_: text
        for id_, entity in after.items()
        if (text := entity_text(entity)) != entity_text(before[id_])
    }
    vectors = await _embedded(renamed, ingestion)
    for id_, entity in after.items():
        changes.change(before[id_], entity, vectors.get(id_))


def _summaries(
    doomed: Doomed,
    before: Mapping[str, Fact],
    after: Mapping[str, Fact],
    index: GroupIndex,
    now: datetime,
) -> dict[str, str]:
    """Return the new summaries of the entities that lose a fact or have one changed."""
    changed: dict[str, Fact | None] = dict.fromkeys(doomed.ids["relates_to"])
    changed |= {id_: fact for id_, fact in after.items() if fact != before.get(id_)}
    fallen = [from_row(Fact, row) for row in doomed.rows("relates_to")]
    ends = ends_of([*fallen, *(fact for fact in changed.values() if fact is not None)])
    touched = dict.fromkeys(index.heirs.each(ends))
    stay = [id_ for id_ in touched if id_ not in doomed.ids["entity"]]
    return {
        update.id: update.after["summary"] for update in refreshed(stay, index, changed, now=now)
    }


def _change_sagas(changes: ChangeSet, telling: Iterable[Saga]) -> None:
    """Take back summaries that may tell of what is erased."""
    for saga in telling:
        if saga.summary:
            blank = Saga(saga.id, saga.group_id, saga.created_at, saga.name)
            changes.change(saga, blank)


def _telling(doomed: Doomed) -> list[Saga]:
    """Return the sagas that lose an episode or a fact, or go on naming what is erased."""
    stating = {
        span["episode"] for row in doomed.rows("relates_to") for span in row.get("sources", ())
    }
    concerned = {row.get("saga") for row in doomed.rows("episode")} | {
        row.get("saga")
        for id_, row in doomed.kept("episode").items()
        if row.get("saga") and (id_ in stating or doomed.names.named_in(row))
    }
    sagas = (from_row(Saga, row) for row in doomed.kept("saga").values())
    return [saga for saga in sagas if saga.name in concerned]


def _relink(changes: ChangeSet, doomed: Doomed) -> None:
    """Close the gaps in the chain of episodes."""
    links: Iterable[Row] = doomed.group.rows["occurred_after"].values()
    linked = {end.id for row in links for end in (row["in"], row["out"])}
    episodes = doomed.kept("episode")
    order = sorted((episodes[id_]["valid_at"], id_) for id_ in linked & episodes.keys())
    for (_, earlier), (_, later) in pairwise(order):
        if (id_ := f"{later}>{earlier}") not in doomed.group.rows["occurred_after"]:
            ends = ("episode", later), ("episode", earlier)
            row = edge("occurred_after", id_, *ends, group_id=changes.group_id)
            changes.insert_row("occurred_after", row)


async def _embedded(texts: Mapping[str, str], ingestion: Ingestion) -> dict[str, Matrix]:
    if not texts:
        return {}
    rows = await ingestion.embedder.embed(list(texts.values()), purpose="document")
    return dict(zip(texts, rows, strict=True))
