"""What all walks begin and end with: names to rows, and rows to values."""

import asyncio
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.models import Entity, Fact
from graphrag.search.edges import Rows
from graphrag.search.seeds import bearers
from graphrag.search.visible import Past, Visible
from graphrag.views import Views

MOST = 10_000
"""Rows that a walk returns at most."""


class Places(Views):
    """Where entities are in the columns of a view."""

    __slots__ = ()

    async def _places(
        self, group: str, *entities: Entity | str
    ) -> tuple[GroupIndex, Past, Visible, list[int]]:
        """Return the view and the rows of these entities."""
        groups = {one.group_id for one in entities if isinstance(one, Entity)}
        if len(groups) > 1:
            raise QueryError(f"entities of different groups are not linked: {sorted(groups)}")
        group = next(iter(groups), group)
        await self._group(group)
        index, past, seen = await self._view(group)
        rows = []
        for one in entities:
            found = bearers(one.id if isinstance(one, Entity) else one, index, seen)
            if not found:
                name = one.name if isinstance(one, Entity) else one
                raise QueryError(f"no entity is called {name!r} in group {group!r}: try a search")
            rows.append(index.entities.row_of[found[0]])
        return index, past, seen, rows

    async def _read(
        self,
        entities: Sequence[int] | Rows,
        facts: Sequence[int] | Rows,
        index: GroupIndex,
        past: Past,
    ) -> tuple[dict[int, Entity], dict[int, Fact]]:
        """Return entities and facts of these rows as they were, by row."""
        found, told = await asyncio.gather(
            self._entities(entities, index, past), self._facts(facts, index, past)
        )
        return found, told

    async def _entities(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Past
    ) -> dict[int, Entity]:
        ids = {int(row): index.entities.ids[row] for row in rows}
        found = await self._reading.store.get(Entity, ids.values())
        return {row: past.rewind(found[id_]) for row, id_ in ids.items()}

    async def _facts(
        self, rows: Sequence[int] | Rows, index: GroupIndex, past: Past
    ) -> dict[int, Fact]:
        ids = {int(row): index.facts.ids[row] for row in rows}
        found = await self._reading.store.get(Fact, ids.values())
        then = past.facts(found, index)
        return {row: then[id_] for row, id_ in ids.items()}


def types_then(index: GroupIndex, past: Past) -> npt.NDArray[np.int16]:
    """Return the code of the type that each entity had."""
    types = index.entities["type"].copy()
    for id_, image in past.images("entity"):
        if "entity_type" in image and id_ in index.entities.row_of:
            types[index.entities.row_of[id_]] = index.type_code(str(image["entity_type"]))
    return types
