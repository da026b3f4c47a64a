"""The facts and entities of a view, read in pages, as networkx or igraph graph or pandas frames.

Retracted and pending facts are left out: other programs would not know their status. The facts of
merged entities name the entities that they were merged into.
"""

from collections import Counter
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag.errors import MissingExtraError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.model.values import Entity, Fact
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas

PAGE = 500
FACT_CELLS = tuple(
    "id subject subject_type relation object object_type valid_at invalid_at closed_as observed "
    "confidence text reference_time origin episodes provenance attributes created_at".split()
)
ENTITY_CELLS = tuple("id name entity_type aliases labels summary attributes created_at".split())
"""Columns of a fact and of an entity."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One group from one viewpoint."""

    group: str
    viewpoint: Viewpoint
    entity_ids: Sequence[str]
    fact_ids: Sequence[str]  # in the order of telling, as those of the entities
    _index: GroupIndex
    _past: Rewind
    _store: Store

    @classmethod
    def of(
        cls, index: GroupIndex, past: Rewind, store: Store, viewpoint: Viewpoint, *, now: datetime
    ) -> "Shown":
        """Return what is seen."""
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

    async def entities(self) -> AsyncIterator[Entity]:
        """Yield the entities as they were then."""
        for ids in _pages(self.entity_ids):
            for entity in (await self._store.get(Entity, ids)).values():
                yield self._past.rewind(entity)

    async def facts(self) -> AsyncIterator[Fact]:
        """Yield the facts as they were then, each with the names of its ends of then."""
        past, index = self._past, self._index
        for ids in _pages(self.fact_ids):
            for fact in past.facts(await self._store.get(Fact, ids), index).values():
                ends = [past.name(id_, index) for id_ in (fact.subject_id, fact.object_id)]
                yield replace(fact, subject=ends[0], object=ends[1])

    def fact_cells(self, fact: Fact) -> dict[str, Any]:
        """Return what is shown of a fact, by name."""
        ends = {"subject_type": fact.subject_id, "object_type": fact.object_id}
        return {
            name: self._past.type_of(ends[name], self._index)
            if name in ends
            else _cell(getattr(fact, name))
            for name in FACT_CELLS
        }

    def entity_cells(self, entity: Entity) -> dict[str, Any]:
        """Return what is shown of an entity, by name."""
        return {name: _cell(getattr(entity, name)) for name in ENTITY_CELLS}

    async def rows(self) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the cells of all entities, and those of all facts with the ids of their ends."""
        entities = [self.entity_cells(entity) async for entity in self.entities()]
        facts = [
            self.fact_cells(fact) | {"subject_id": fact.subject_id, "object_id": fact.object_id}
            async for fact in self.facts()
        ]
        return entities, facts

    def counted(self) -> dict[str, int]:
        """Return how many entities and facts there are."""
        return {"entity": len(self.entity_ids), "fact": len(self.fact_ids)}

    def about(self) -> dict[str, Any]:
        """Return what this is a picture of."""
        return {"group": self.group, **asdict(self.viewpoint)}


def _cell(item: Any) -> Any:
    if isinstance(item, tuple):
        return list(item)
    return dict(item) if isinstance(item, Mapping) else item


def _pages(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + PAGE] for first in range(0, len(ids), PAGE))


_BY_ENDS = frozenset(
    {"subject", "subject_id", "subject_type", "object", "object_id", "object_type"}
)
"""Columns that an edge omits because its nodes have them."""


async def networkx_of(shown: Shown) -> "networkx.MultiDiGraph":
    """Return a directed graph: nodes by entity id, edges by fact id."""
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("export.networkx()", "analysis") from None
    network = networkx.MultiDiGraph(**shown.about())
    entities, facts = await shown.rows()
    for cells in entities:
        network.add_node(cells.pop("id"), **cells)
    for cells in facts:
        ends = cells["subject_id"], cells["object_id"]
        network.add_edge(*ends, cells["id"], **_without(cells, {"id", *_BY_ENDS}))
    return network


async def igraph_of(shown: Shown) -> "igraph.Graph":
    """Return a directed graph whose vertices and edges have the cells as attributes."""
    import igraph

    vertices, facts = await shown.rows()
    row_of = {cells["id"]: row for row, cells in enumerate(vertices)}
    ends = [(row_of[cells["subject_id"]], row_of[cells["object_id"]]) for cells in facts]
    edges = [_without(cells, _BY_ENDS) for cells in facts]
    graph = igraph.Graph(len(vertices), ends, directed=True, graph_attrs=shown.about())
    for sequence, cells_of in ((graph.vs, vertices), (graph.es, edges)):
        for name in cells_of[0] if cells_of else ():
            sequence[name] = [cells[name] for cells in cells_of]
    return graph


def _without(cells: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    return {name: cell for name, cell in cells.items() if name not in names}


_MOMENTS = frozenset({"valid_at", "invalid_at", "reference_time", "created_at"})
_ENDS = ("subject_id", "object_id")
_DEGREE = "degree"


class Frames(NamedTuple):
    """The facts and the entities of a view as two data frames."""

    facts: "pandas.DataFrame"
    """One row per fact: name, type and id of both ends, lifetime, sentence, confidence,
    episodes."""
    entities: "pandas.DataFrame"
    """One row for each entity; ``degree`` is the number of its facts."""


async def frames_of(shown: Shown) -> Frames:
    """Return the facts and the entities of a view."""
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("export.pandas()", "analysis") from None
    entities, facts = await shown.rows()
    degrees = Counter(cells[end] for cells in facts for end in _ENDS)
    for cells in entities:
        cells[_DEGREE] = degrees[cells["id"]]

    def frame(rows: list[dict[str, Any]], names: tuple[str, ...]) -> "pandas.DataFrame":
        columns: dict[str, Any] = {name: [row[name] for row in rows] for name in names}
        for name in _MOMENTS & columns.keys():  # exact to the microsecond, whatever the year
            columns[name] = pandas.Series(columns[name], dtype="datetime64[us, UTC]")
        return pandas.DataFrame(columns)

    return Frames(frame(facts, (*FACT_CELLS, *_ENDS)), frame(entities, (*ENTITY_CELLS, _DEGREE)))
