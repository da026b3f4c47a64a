"""Named runs of episodes, read in the order of their reference times.

An episode names its saga, so order, removal and the past need nothing of their own: a saga is what
its visible episodes are.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.models import Entity, Episode, Fact
from graphrag.results import lifetime, triple
from graphrag.search.visible import Past, Visible
from graphrag.store.record import Record
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True, repr=False)
class SagaView:
    """What one saga holds, as seen from a viewpoint."""

    name: str
    episodes: tuple[Episode, ...]
    """In the order of their reference times."""
    entities: tuple[Entity, ...]
    """Entities that its episodes mention, those of the most episodes first."""
    facts: tuple[Fact, ...]
    """Visible facts that its episodes state, by their start."""

    def __iter__(self) -> Iterator[Episode]:
        """Iterate over the episodes, in order."""
        return iter(self.episodes)

    def __len__(self) -> int:
        """Count the episodes."""
        return len(self.episodes)

    def __repr__(self) -> str:
        """Show the counts and the time that it spans."""
        days = [f"{one.valid_at:%Y-%m-%d}" for one in (*self.episodes[:1], *self.episodes[-1:])]
        return (
            f"SagaView({self.name!r}: {len(self.episodes)} episodes from {' to '.join(days)}, "
            f"{len(self.entities)} entities, {len(self.facts)} facts)"
        )

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.valid_at:%Y-%m-%d}</td><td>{escape(one.name or one.content[:100])}</td>"
            "</tr>"
            for one in self.episodes
        )
        facts = "".join(
            f"<li>{escape(triple(fact))} <small>{escape(lifetime(fact))}</small></li>"
            for fact in self.facts
        )
        return f"<b>{escape(self.name)}</b><table>{rows}</table><ul>{facts}</ul>"


def saga_names(index: GroupIndex, seen: Visible) -> list[str]:
    """Return the names of the sagas that have a visible episode, in order of their making."""
    there = set(np.unique(index.episodes["saga"][seen.episodes]).tolist())
    return [name for name in index.sagas if index.saga_code(name) in there]


async def read_saga(
    name: str, index: GroupIndex, store: Store, seen: Visible, past: Past
) -> SagaView:
    """Return one saga.

    Raises:
        QueryError: if no visible episode belongs to it.
    """
    ids = [index.episodes.ids[row] for row in rows_of(name, index, seen)]
    if not ids:
        known = ", ".join(map(repr, saga_names(index, seen))) or "none"
        raise QueryError(f"there is no saga {name!r} in group {index.group_id!r}; sagas: {known}")
    episodes = (await store.get(Episode, ids)).values()
    entities, facts = await _told(ids, store)
    shown = seen.shown(entities, index)
    row_of = index.facts.row_of
    visible = [id_ for id_ in facts if id_ in row_of and seen.facts[row_of[id_]]]
    told = past.facts(await store.get(Fact, visible), index).values()
    return SagaView(
        name,
        tuple(past.rewind(episode) for episode in episodes),
        tuple(past.rewind(entity) for entity in (await store.get(Entity, shown)).values()),
        tuple(sorted(told, key=lambda fact: (fact.valid_at is not None, fact.valid_at, fact.id))),
    )


def rows_of(name: str, index: GroupIndex, seen: Visible) -> list[int]:
    """Return the rows of the visible episodes of a saga, in the order of their reference times."""
    if name not in index.sagas:
        return []
    rows = np.flatnonzero(seen.episodes & (index.episodes["saga"] == index.saga_code(name)))
    order = np.lexsort((rows, index.episodes["valid"][rows]))
    return [int(row) for row in rows[order]]


async def _told(episodes: list[str], store: Store) -> tuple[list[str], list[str]]:
    """Return the entities that episodes mention, most mentioned first, and the facts they state."""
    entities, facts = await store.query(
        "SELECT VALUE record::id(id) FROM (SELECT entity AS id, count() AS n FROM "
        "(SELECT out AS entity FROM mentions WHERE in IN $records) GROUP BY entity) "
        "ORDER BY n DESC;"
        "SELECT VALUE record::id(id) FROM relates_to WHERE sources.episode ANYINSIDE $ids;",
        records=[Record("episode", id_) for id_ in episodes],
        ids=episodes,
    )
    return entities, facts
