"""Views for other programs: GraphML and CSV, graphs of networkx and igraph, frames of pandas.

In networks nodes are entities and edges facts, with typed attributes; moments are ISO 8601, lists
and objects JSON. ``label`` (name or relation) is what drawing programs show. In CSV (RFC 4180,
UTF-8) cells that begin with ``=``, ``+``, ``-``, ``@``, a tab or a carriage return get an
apostrophe, which reading removes: spreadsheets would run them as formulas.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from io import StringIO
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from graphrag.errors import MissingExtraError
from graphrag.io.files import Put, escaped
from graphrag.io.shown import ENTITY_CELLS, FACT_CELLS, Shown
from graphrag.store.rows import plain

if TYPE_CHECKING:
    import igraph
    import networkx
    import pandas

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


_RISKY = re.compile(r"'*[=+\-@\t\r]")
_MARK = "'"


async def write_csv(shown: Shown, put: Put) -> dict[str, int]:
    """Write the facts of a view, and return how many there are."""
    count = 0
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(_COLUMNS)
    async for page in shown.facts():
        for fact in page:
            cells = shown.fact_cells(fact)
            cells["episodes"] = " ".join(cells["episodes"])
            writer.writerow([cell_of(cells[name]) for name in _COLUMNS])
        count += len(page)
        put(text.getvalue().encode())
        text.seek(0)
        text.truncate()
    put(text.getvalue().encode())
    return {"fact": count}


def unmarked(cell: str) -> str:
    """Return a cell without the mark that it is text."""
    return cell[1:] if cell.startswith(_MARK) and _RISKY.match(cell) else cell


_COLUMNS = tuple(
    "subject subject_type relation object object_type valid_at invalid_at observed "
    "confidence text reference_time provenance attributes origin episodes closed_as id".split()
)


def cell_of(item: Any) -> str:
    """Return a value as the cell of a table."""
    match item:
        case None:
            return ""
        case str():
            return _MARK + item if _RISKY.match(item) else item
        case bool():
            return "true" if item else "false"
        case float() | int():
            return repr(item)
        case dict() | list():
            return json.dumps(item, ensure_ascii=False) if item else ""
        case _:
            return str(plain(item))


_MOMENTS = frozenset({"valid_at", "invalid_at", "reference_time", "created_at"})
_ENDS = ("subject_id", "object_id")
_DEGREE = "degree"


class Frames(NamedTuple):
    """A graph as two tables."""

    facts: "pandas.DataFrame"
    """One row each: both ends with name, type and id, lifetime, sentence, confidence, episodes."""
    entities: "pandas.DataFrame"
    """One row each, with the number of its facts as ``degree``."""


async def frames_of(shown: Shown) -> Frames:
    """Return the facts and the entities of a view.

    Raises:
        MissingExtraError: if pandas is not installed.
    """
    try:
        import pandas
    except ImportError:
        raise MissingExtraError("export.pandas()", "analysis") from None
    entities, facts = await shown.rows()
    degrees = Counter(cells[end] for cells in facts for end in _ENDS)
    for cells in entities:
        cells[_DEGREE] = degrees[cells["id"]]

    def frame(rows: list[dict[str, Any]], names: tuple[str, ...]) -> "pandas.DataFrame":
        columns = {name: _column([row[name] for row in rows], name) for name in names}
        found = pandas.DataFrame(columns)
        for name in _MOMENTS & columns.keys():
            found[name] = found[name].dt.tz_localize("UTC")
        return found

    return Frames(frame(facts, (*FACT_CELLS, *_ENDS)), frame(entities, (*ENTITY_CELLS, _DEGREE)))


def _column(cells: list[Any], name: str) -> Any:
    """Return the cells of a column; moments as numpy has them, exact to the microsecond."""
    return np.array(list(map(_utc, cells)), dtype="datetime64[us]") if name in _MOMENTS else cells


def _utc(moment: datetime | None) -> datetime | None:
    return None if moment is None else moment.astimezone(UTC).replace(tzinfo=None)
