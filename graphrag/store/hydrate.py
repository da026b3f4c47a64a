"""The values that a search found, with the episodes that state its facts: one round trip."""

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.rows import TABLES, from_row
from graphrag.store.store import WITH_MEMBERS, Store

Value = TypeVar("Value", Fact, Entity, Episode, Community)

# Facts, and the episodes that state them: each once, without those that are known or read anyway.
_FACTS = (
    "LET $facts = SELECT * OMIT embedding FROM $fact_ids; "
    "LET $stated = SELECT * OMIT embedding FROM array::complement("
    "array::distinct(array::flatten($facts.sources.episode)), $known); "
    "RETURN array::concat($facts, $stated);"
)
_OTHERS = "SELECT * OMIT embedding FROM $ids;"
_COMMUNITIES = f"{WITH_MEMBERS} FROM $community_ids;"


@dataclass(frozen=True, slots=True)
class Found:
    """Values by id, those that are there."""

    facts: Mapping[str, Fact]
    entities: Mapping[str, Entity]
    episodes: Mapping[str, Episode]
    """Those asked for and those that state the facts."""
    communities: Mapping[str, Community]

    @property
    def count(self) -> int:
        """Return how many values were read."""
        return sum(map(len, (self.facts, self.entities, self.episodes, self.communities)))


async def read_found(
    store: Store,
    *,
    facts: Iterable[str],
    entities: Iterable[str],
    episodes: Iterable[str],
    communities: Iterable[str],
) -> Found:
    """Return values of several kinds by id, and the episodes that state the facts.

    What the store holds is not read again.
    """
    wanted_facts, wanted_entities, wanted = list(facts), list(entities), list(episodes)
    held, writes = store.held, store.held.writes
    known = held.find(Fact, wanted_facts)
    wanted += (id_ for fact in known.values() for id_ in fact.episodes)
    people, texts = held.find(Entity, wanted_entities), held.find(Episode, wanted)
    fact_ids = _records(Fact, wanted_facts, known)
    ids = _records(Entity, wanted_entities, people) + _records(Episode, wanted, texts)
    community_ids = _records(Community, communities)
    asked = (
        (fact_ids, _FACTS),
        (ids, _OTHERS),
        (community_ids, _COMMUNITIES),
    )
    sql = " ".join(statement for some, statement in asked if some)
    params = {
        "fact_ids": fact_ids,
        "ids": ids,
        "community_ids": community_ids,
        "known": ids + _records(Episode, texts),
    }
    results = await store.query(sql, **params) if sql else []
    rows: list[Row] = [row for result in results for row in result or ()]
    read = Found(
        _values(Fact, rows), _values(Entity, rows), _values(Episode, rows), _values(Community, rows)
    )
    held.hold(read.facts.values(), writes=writes)
    held.hold(read.entities.values(), writes=writes)
    held.hold(read.episodes.values(), writes=writes)
    return Found(
        {**known, **read.facts},
        {**people, **read.entities},
        {**texts, **read.episodes},
        read.communities,
    )


def _records(kind: type[Any], ids: Iterable[str], known: Container[str] = ()) -> list[Record]:
    return [Record(TABLES[kind], id_) for id_ in dict.fromkeys(ids) if id_ not in known]


def _values(kind: type[Value], rows: Iterable[Row]) -> dict[str, Value]:
    table = TABLES[kind]
    return {row["id"].id: from_row(kind, row) for row in rows if row["id"].table == table}
