"""A view as a network of networkx or igraph, to count and draw with."""

from typing import TYPE_CHECKING, Any

from graphrag.errors import MissingExtraError
from graphrag.io.shown import Shown

if TYPE_CHECKING:
    import igraph
    import networkx

_BY_ENDS = ("subject", "subject_type", "object", "object_type")
"""What an edge need not say, because its nodes do."""


async def networkx_of(shown: Shown) -> "networkx.MultiDiGraph":
    """Return a directed graph: nodes by entity id, edges by fact id.

    Raises:
        MissingExtraError: if networkx is not installed.
    """
    try:
        import networkx
    except ImportError:
        raise MissingExtraError("export.networkx()", "analysis") from None
    network = networkx.MultiDiGraph(**shown.about())
    async for page in shown.entities():
        for entity in page:
            cells = shown.entity_cells(entity)
            network.add_node(cells.pop("id"), **cells)
    async for some in shown.facts():
        for fact in some:
            cells = {
                name: cell for name, cell in shown.fact_cells(fact).items() if name not in _BY_ENDS
            }
            network.add_edge(fact.subject_id, fact.object_id, cells.pop("id"), **cells)
    return network


async def igraph_of(shown: Shown) -> "igraph.Graph":
    """Return a directed graph whose vertices and edges have the cells as attributes."""
    import igraph

    vertices: list[dict[str, Any]] = []
    edges: list[dict[str, Any]] = []
    ends: list[tuple[int, int]] = []
    row_of: dict[str, int] = {}
    async for page in shown.entities():
        for entity in page:
            row_of[entity.id] = len(vertices)
            vertices.append(shown.entity_cells(entity))
    async for some in shown.facts():
        for fact in some:
            ends.append((row_of[fact.subject_id], row_of[fact.object_id]))
            cells = shown.fact_cells(fact)
            edges.append({name: cell for name, cell in cells.items() if name not in _BY_ENDS})
    graph = igraph.Graph(len(vertices), ends, directed=True, graph_attrs=shown.about())
    for sequence, cells_of in ((graph.vs, vertices), (graph.es, edges)):
        for name in cells_of[0] if cells_of else ():
            sequence[name] = [cells[name] for cells in cells_of]
    return graph
