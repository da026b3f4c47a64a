"""Networks that others made, as nodes and edges: a networkx graph, or a GraphML file."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from graphrag.errors import InputError
from graphrag.io.read_graphml import Part, read_graphml

_NAMES = ("name", "label")
_TYPES = ("entity_type", "type")
_RELATIONS = ("relation", "label")
_OURS_OF_NODES = frozenset(
    {"id", "name", "label", "entity_type", "type", "aliases", "labels", "summary", "attributes"}
    | {"created_at"}
)
_STATED = (
    *("text", "valid_at", "invalid_at", "observed", "reference_time", "confidence"),
    *("source", "provenance"),
)
_OURS_OF_EDGES = frozenset(
    {"relation", "label", "origin", "episodes", "attributes", "created_at", "closed_as"}
)


@runtime_checkable
class Network(Protocol):
    """A graph of networkx."""

    @property
    def nodes(self) -> Any:
        """Return the nodes with their attributes."""

    @property
    def edges(self) -> Any:
        """Return the edges with theirs."""

    def is_multigraph(self) -> bool:
        """Tell whether an edge has a key."""


@dataclass(frozen=True, slots=True)
class Node:
    """What a network says of an entity."""

    place: str
    id: Any
    name: str
    entity_type: str | None
    aliases: tuple[str, ...]
    attributes: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Edge:
    """What a network says of a fact: a row without its ends."""

    place: str
    ends: tuple[Any, Any]
    row: Mapping[str, Any]


def nodes_of(network: Network | Path) -> dict[Any, Node]:
    """Return the nodes of a network by id, after the whole of it was read once.

    Raises:
        InputError: if there is no such file, it is no network, or a node has no use.
    """
    found: dict[Any, Node] = {}
    for part in _parts(network):
        if part.ends is None:
            if part.id in found:
                raise InputError(f"{part.place}node {part.id!r} is there twice")
            found[part.id] = _node(part)
    return found


def edges_of(network: Network | Path, nodes: Mapping[Any, Node]) -> Iterator[Edge]:
    """Yield the edges of a network.

    Raises:
        InputError: if one has no relation, or leads to what is no node.
    """
    for part in _parts(network):
        if part.ends is None:
            continue
        for end in part.ends:
            if end not in nodes:
                raise InputError(f"{part.place}it leads to {end!r}, which is no node of the graph")
        yield Edge(part.place, part.ends, _row(part))


def _parts(network: Network | Path) -> Iterable[Part]:
    return read_graphml(network) if isinstance(network, Path) else _of_networkx(network)


def _of_networkx(network: Network) -> Iterator[Part]:
    for id_, attributes in network.nodes(data=True):
        yield Part(f"node {id_!r}: ", None, id_, dict(attributes))
    for source, target, attributes in network.edges(data=True):
        yield Part(f"edge {source!r} to {target!r}: ", (source, target), "", dict(attributes))


def _node(part: Part) -> Node:
    stated = {name: item for name, item in part.data.items() if item is not None}
    name = next((stated[one] for one in _NAMES if one in stated), str(part.id))
    kind = next((stated[one] for one in _TYPES if one in stated), None)
    aliases = _decoded(stated.get("aliases", []), part.place, "aliases")
    if not isinstance(aliases, list | tuple):
        raise InputError(f"{part.place}its aliases are {aliases!r}: expected a list")
    for what, text in (("name", name), ("type", kind), *(("alias", alias) for alias in aliases)):
        if text is not None and not isinstance(text, str):
            raise InputError(f"{part.place}its {what} is {text!r}: expected text")
    return Node(
        part.place, part.id, name, kind, tuple(aliases), _attributes(stated, _OURS_OF_NODES, part)
    )


def _row(part: Part) -> dict[str, Any]:
    stated = {name: item for name, item in part.data.items() if item is not None}
    relation = next((stated[one] for one in _RELATIONS if one in stated), None)
    if relation is None:
        raise InputError(
            f"{part.place}it has no relation: name it in an attribute {' or '.join(_RELATIONS)}"
        )
    row = {name: stated[name] for name in _STATED if name in stated}
    rest = _attributes(stated, _OURS_OF_EDGES.union(_STATED), part)
    return row | {"relation": relation, "attributes": rest}


def _attributes(stated: Mapping[str, Any], known: frozenset[str], part: Part) -> dict[str, Any]:
    """Return whatever else is stated, and what stands under ``attributes``."""
    own = _decoded(stated.get("attributes", {}), part.place, "attributes")
    if not isinstance(own, Mapping):
        raise InputError(f"{part.place}its attributes are {own!r}: expected an object")
    return {**{name: item for name, item in stated.items() if name not in known}, **own}


def _decoded(item: Any, place: str, name: str) -> Any:
    try:
        return json.loads(item) if isinstance(item, str) else item
    except (ValueError, RecursionError):
        raise InputError(f"{place}its {name} are no JSON: {item[:60]!r}") from None
