"""A view as RDF in Turtle, which triple stores and rdflib read.

A fact is a statement (``rdf:Statement``, RDF's own reification, since few tools read RDF-star yet)
with its lifetime, sentence and confidence. What holds at the moment of the view is also there as a
plain triple, so that a simple query finds what is so, and only that.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from graphrag.io.files import Put
from graphrag.io.shown import Shown
from graphrag.model.values import Entity, Fact
from graphrag.store.rows import plain

TERMS = "urn:surreal-graphrag:term:"
RELATIONS = "urn:surreal-graphrag:relation:"
TYPES = "urn:surreal-graphrag:type:"
_OWN = (
    *("valid_at", "invalid_at", "closed_as", "observed"),
    *("confidence", "reference_time", "origin"),
)
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
    """Write a view, and return how many entities and facts there are.

    Args:
        shown: The view.
        put: Takes the bytes.
        now: The moment at which facts without a moment of the view hold.
    """
    entities = facts = 0
    put("".join(f"@prefix {name}: <{place}> .\n" for name, place in _PREFIXES).encode())
    async for page in shown.entities():
        entities += len(page)
        put("".join(_entity(entity) for entity in page).encode())
    at = shown.viewpoint.valid_at or shown.viewpoint.known_at or now
    async for some in shown.facts():
        facts += len(some)
        put("".join(_fact(fact, shown.fact_cells(fact), at) for fact in some).encode())
    return {"entity": entities, "fact": facts}


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
    for name in _OWN:
        if cells[name] is not None:
            properties.append((f"sg:{name}", _literal(cells[name])))
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
