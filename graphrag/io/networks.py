"""Views as networks: GraphML, networkx, igraph.

Nodes are entities, edges facts, with typed attributes; moments are ISO 8601, lists and objects
JSON. ``label`` (name or relation) is what drawing programs show.
"""

import json
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from graphrag.errors import MissingExtraError
from graphrag.io.files import Put, escaped
from graphrag.io.shown import ENTITY_CELLS, FACT_CELLS, Shown
from graphrag.store.rows import plain

if TYPE_CHECKING:
    import igraph
    import networkx

_BY_ENDS = frozenset(
    {"subject", "subject_id", "subject_type", "object", "object_id", "object_type"}
)
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


NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE = {"label": "name"} | {name: name for name in ENTITY_CELLS[2:]}
_EDGE = {"label": "relation"} | {name: name for name in FACT_CELLS[FACT_CELLS.index("valid_at") :]}
"""Attributes by the names that the file has, with those of ``Shown``."""
_TYPES = {"observed": "boolean", "confidence": "double", "history": "boolean"}


async def write_graphml(shown: Shown, put: Put) -> dict[str, int]:
    """Write a view, and return how many entities and facts there are."""
    entities = facts = 0
    about = {name: item for name, item in shown.about().items() if item is not None}
    put(_head(about).encode())
    async for page in shown.entities():
        entities += len(page)
        for entity in page:
            data = _data("n", _NODE, shown.entity_cells(entity))
            put(f'<node id="{escaped(entity.id)}">{data}</node>\n'.encode())
    async for some in shown.facts():
        facts += len(some)
        for fact in some:
            ends = f'source="{escaped(fact.subject_id)}" target="{escaped(fact.object_id)}"'
            data = _data("e", _EDGE, shown.fact_cells(fact))
            put(f'<edge id="{escaped(fact.id)}" {ends}>{data}</edge>\n'.encode())
    put(b"</graph>\n</graphml>\n")
    return {"entity": entities, "fact": facts}


def _head(about: Mapping[str, Any]) -> str:
    keys = [
        f'<key id="{mark}_{name}" for="{what}" attr.name="{name}" '
        f'attr.type="{_TYPES.get(name, "string")}"/>\n'
        for mark, what, names in (("g", "graph", about), ("n", "node", _NODE), ("e", "edge", _EDGE))
        for name in names
    ]
    data = _data("g", {name: name for name in about}, about)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<graphml xmlns="{NAMESPACE}">\n{"".join(keys)}'
        f'<graph id="G" edgedefault="directed">{data}\n'
    )


def _data(mark: str, names: Mapping[str, str], cells: Mapping[str, Any]) -> str:
    return "".join(
        f'<data key="{mark}_{name}">{escaped(_text(cells[cell]))}</data>'
        for name, cell in names.items()
        if cells[cell] is not None and cells[cell] not in ("", [], {})
    )


def _text(item: Any) -> str:
    match item:
        case str():
            return item
        case bool():
            return "true" if item else "false"
        case dict() | list():
            return json.dumps(item, ensure_ascii=False)
        case float():
            return repr(item)
        case _:
            return str(plain(item))
