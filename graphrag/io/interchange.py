"""Views as files for other programs: GraphML, CSV, and RDF in Turtle.

In GraphML ``label`` is what drawing programs show. In CSV cells that spreadsheets would run as
formulas get an apostrophe, which reading removes. In Turtle a fact is an ``rdf:Statement``, since
few tools read RDF-star; what holds at the moment of the view (or now) is also a plain triple.
"""

import csv
import json
import re
from collections.abc import Mapping
from datetime import datetime
from io import StringIO
from typing import Any
from urllib.parse import quote

from graphrag.io.files import Put, escaped
from graphrag.io.shown import ENTITY_CELLS, FACT_CELLS, Shown
from graphrag.model.values import Entity, Fact
from graphrag.store.rows import plain

NAMESPACE = "http://graphml.graphdrawing.org/xmlns"
_NODE = {"label": "name"} | {name: name for name in ENTITY_CELLS[2:]}
_EDGE = {"label": "relation"} | {name: name for name in FACT_CELLS[FACT_CELLS.index("valid_at") :]}
"""Attributes by the names that the file has, with those of ``Shown``."""
_TYPES = {"observed": "boolean", "confidence": "double", "history": "boolean"}


async def write_graphml(shown: Shown, put: Put) -> dict[str, int]:
    """Write a view, and return how many entities and facts there are."""
    about = {name: item for name, item in shown.about().items() if item is not None}
    put(_head(about).encode())
    async for entity in shown.entities():
        data = _data("n", _NODE, shown.entity_cells(entity))
        put(f'<node id="{escaped(entity.id)}">{data}</node>\n'.encode())
    async for fact in shown.facts():
        ends = f'source="{escaped(fact.subject_id)}" target="{escaped(fact.object_id)}"'
        data = _data("e", _EDGE, shown.fact_cells(fact))
        put(f'<edge id="{escaped(fact.id)}" {ends}>{data}</edge>\n'.encode())
    put(b"</graph>\n</graphml>\n")
    return shown.counted()


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
        f'<data key="{mark}_{name}">{escaped(text_of(cells[cell]))}</data>'
        for name, cell in names.items()
        if cells[cell] is not None and cells[cell] not in ("", [], {})
    )


def text_of(item: Any) -> str:
    """Return a value as text."""
    match item:
        case str():
            return item
        case bool():
            return "true" if item else "false"
        case dict() | list():
            return json.dumps(item, ensure_ascii=False)
        case float() | int():
            return repr(item)
        case _:
            return str(plain(item))


_RISKY = re.compile(r"'*[=+\-@\t\r]")
_MARK = "'"


async def write_csv(shown: Shown, put: Put) -> dict[str, int]:
    """Write the facts of a view, and return how many there are."""
    put(f"{','.join(_COLUMNS)}\r\n".encode())
    text = StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    async for fact in shown.facts():
        cells = shown.fact_cells(fact)
        cells["episodes"] = " ".join(cells["episodes"])
        writer.writerow([cell_of(cells[name]) for name in _COLUMNS])
        put(text.getvalue().encode())
        text.seek(0)
        text.truncate()
    return {"fact": len(shown.fact_ids)}


def unmarked(cell: str) -> str:
    """Return a cell without the mark that it is text."""
    return cell[1:] if cell.startswith(_MARK) and _RISKY.match(cell) else cell


_COLUMNS = tuple(
    "subject subject_type relation object object_type valid_at invalid_at observed "
    "confidence text reference_time provenance attributes origin episodes closed_as id".split()
)


def cell_of(item: Any) -> str:
    """Return a value as the cell of a table."""
    if item is None or item in ([], {}):
        return ""
    return _MARK + item if isinstance(item, str) and _RISKY.match(item) else text_of(item)


TERMS = "urn:surreal-graphrag:term:"
RELATIONS = "urn:surreal-graphrag:relation:"
TYPES = "urn:surreal-graphrag:type:"
_OWN = "valid_at invalid_at closed_as observed confidence reference_time origin".split()
"""Cells of a fact that are properties of the statement."""
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ESCAPED = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_CONTROL = re.compile("[\x00-\x1f\x7f\ufffe\uffff]")
_PREFIXES = (
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
    ("sg", TERMS),
)


async def write_turtle(shown: Shown, put: Put, now: datetime) -> dict[str, int]:
    """Write a view, and return how many entities and facts there are."""
    put("".join(f"@prefix {name}: <{place}> .\n" for name, place in _PREFIXES).encode())
    async for entity in shown.entities():
        put(_entity(entity).encode())
    at = shown.viewpoint.valid_at or shown.viewpoint.known_at or now
    async for fact in shown.facts():
        put(_fact(fact, shown.fact_cells(fact), at).encode())
    return shown.counted()


def iri(id_: str) -> str:
    """Return the IRI of an entity or a fact."""
    return f"urn:uuid:{id_}" if _UUID.fullmatch(id_) else f"urn:surreal-graphrag:id:{_part(id_)}"


def _entity(entity: Entity) -> str:
    properties = [
        ("a", f"<{TYPES}{_part(entity.entity_type)}>"),
        ("rdfs:label", _literal(entity.name)),
        *(("skos:altLabel", _literal(alias)) for alias in entity.aliases),
        ("sg:created_at", _literal(entity.created_at)),
    ]
    if entity.summary:
        properties.append(("rdfs:comment", _literal(entity.summary)))
    if entity.attributes:
        properties.append(("sg:attributes", _literal(dict(entity.attributes))))
    return _block(iri(entity.id), properties)


def _fact(fact: Fact, cells: Mapping[str, Any], at: datetime) -> str:
    ends = iri(fact.subject_id), f"{RELATIONS}{_part(fact.relation)}", iri(fact.object_id)
    subject, predicate, object_ = (f"<{id_}>" for id_ in ends)
    properties = [
        ("a", "rdf:Statement"),
        ("rdf:subject", subject),
        ("rdf:predicate", predicate),
        ("rdf:object", object_),
        ("rdfs:comment", _literal(fact.text)),
    ]
    known = (name for name in _OWN if cells[name] is not None)
    properties += [(f"sg:{name}", _literal(cells[name])) for name in known]
    properties += [("sg:episode", f"<{iri(id_)}>") for id_ in cells["episodes"]]
    properties += [("sg:provenance", _literal(place)) for place in cells["provenance"]]
    if cells["attributes"]:
        properties.append(("sg:attributes", _literal(cells["attributes"])))
    begun = fact.valid_at is None or fact.valid_at <= at
    holds = begun and (fact.invalid_at is None or at < fact.invalid_at)
    block = _block(iri(fact.id), properties)
    return block + (f"{subject} {predicate} {object_} .\n" if holds else "")


def _block(subject: str, properties: list[tuple[str, str]]) -> str:
    lines = " ;\n    ".join(f"{predicate} {object_}" for predicate, object_ in properties)
    return f"<{subject}> {lines} .\n"


def _literal(item: Any) -> str:
    match item:
        case bool():
            return "true" if item else "false"
        case float():
            return f'"{item!r}"^^xsd:double'
        case datetime():
            return f'"{plain(item)}"^^xsd:dateTime'
        case dict():
            return f"{_quoted(json.dumps(item, ensure_ascii=False))}^^rdf:JSON"
        case _:
            return _quoted(str(item))


def _quoted(text: str) -> str:
    text = text.translate(_ESCAPED)
    return '"' + _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04X}", text) + '"'


def _part(text: str) -> str:
    return quote(text, safe="")
