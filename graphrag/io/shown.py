"""What a view shows of a group, read in pages: its entities, and its facts between them.

Retracted facts and those that wait for review are left out: nobody who reads them elsewhere would
know what they are. Facts speak of the entities that were merged into others by these others' names.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import numpy as np

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.values import Entity, Fact
from graphrag.search.rewind import Past
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

PAGE = 500
FACT_CELLS = tuple(
    "id subject subject_type relation object object_type valid_at invalid_at closed_as observed "
    "confidence text reference_time origin episodes provenance attributes created_at".split()
)
ENTITY_CELLS = tuple("id name entity_type aliases labels summary attributes created_at".split())
"""What is shown of a fact and of an entity."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One group from one viewpoint."""

    group: str
    viewpoint: Viewpoint
    entity_ids: Sequence[str]
    fact_ids: Sequence[str]
    """In the order of telling, as those of the entities."""
    _index: GroupIndex
    _past: Past
    _store: Store

    @classmethod
    def of(
        cls, index: GroupIndex, past: Past, store: Store, viewpoint: Viewpoint, *, now: datetime
    ) -> "Shown":
        """Find out what is seen."""
        seen = visible(index, viewpoint, past, now=now)
        facts = seen.facts & (seen.retracted == FOREVER)
        # A view of all times sees what was removed, too: here only if a fact tells of it.
        standing = visible(index, replace(viewpoint, history=False), past, now=now)
        entities = standing.entities.copy()
        for ends in seen.ends:
            entities[ends[facts]] = True
        return cls(
            index.group_id,
            viewpoint,
            sorted(index.entities.ids[row] for row in np.flatnonzero(entities)),
            sorted(index.facts.ids[row] for row in np.flatnonzero(facts)),
            index,
            past,
            store,
        )

    async def entities(self) -> AsyncIterator[list[Entity]]:
        """Yield the entities as they were then."""
        for ids in _pages(self.entity_ids):
            found = await self._store.get(Entity, ids)
            yield [self._past.rewind(entity) for entity in found.values()]

    async def facts(self) -> AsyncIterator[list[Fact]]:
        """Yield the facts as they were then, each with the names of its ends of then."""
        for ids in _pages(self.fact_ids):
            found = self._past.facts(await self._store.get(Fact, ids), self._index)
            yield [
                replace(
                    fact,
                    subject=self._past.name(fact.subject_id, self._index),
                    object=self._past.name(fact.object_id, self._index),
                )
                for fact in found.values()
            ]

    def entity_type(self, id_: str) -> str:
        """Return the type that an entity had then."""
        return self._past.type_of(id_, self._index)

    def fact_cells(self, fact: Fact) -> dict[str, Any]:
        """Return what is shown of a fact, by name."""
        cells = {
            "subject_type": self.entity_type(fact.subject_id),
            "object_type": self.entity_type(fact.object_id),
            "episodes": list(fact.episodes),
            "provenance": list(fact.provenance),
            "attributes": dict(fact.attributes),
        }
        return {name: cells[name] if name in cells else getattr(fact, name) for name in FACT_CELLS}

    def entity_cells(self, entity: Entity) -> dict[str, Any]:
        """Return what is shown of an entity, by name."""
        cells = {
            "aliases": list(entity.aliases),
            "labels": list(entity.labels),
            "attributes": dict(entity.attributes),
        }
        return {
            name: cells[name] if name in cells else getattr(entity, name) for name in ENTITY_CELLS
        }

    async def rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the cells of all entities, and those of all facts with the ids of their ends."""
        entities = [self.entity_cells(entity) async for page in self.entities() for entity in page]
        facts = [
            self.fact_cells(fact) | {"subject_id": fact.subject_id, "object_id": fact.object_id}
            async for page in self.facts()
            for fact in page
        ]
        return entities, facts

    def about(self) -> dict[str, Any]:
        """Return what this is a picture of."""
        view = self.viewpoint
        return {
            "group": self.group,
            "valid_at": view.valid_at,
            "known_at": view.known_at,
            "history": view.history,
        }


def _pages(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + PAGE] for first in range(0, len(ids), PAGE))
