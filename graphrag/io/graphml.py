"""A view as GraphML, which Gephi, yEd, Cytoscape, networkx and igraph open.

Nodes are entities and edges facts, with typed attributes; moments stand as ISO 8601, lists and
objects as JSON. ``label`` is what drawing programs show: the name, or the relation.
"""

import json
from collections.abc import Mapping
from typing import Any

from graphrag.io.files import Put, escaped
from graphrag.io.shown import Shown
from graphrag.store.rows import plain

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE = {"label": "name", "entity_type": "entity_type"} | {
    name: name for name in ("aliases", "labels", "summary", "attributes", "created_at")
}
_EDGE = {"label": "relation"} | {
    name: name
    for name in (
        "fact",
        "valid_at",
        "invalid_at",
        "closed_as",
        "observed",
        "confidence",
        "reference_time",
        "origin",
        "episodes",
        "provenance",
        "attributes",
        "created_at",
    )
}
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
