"""Networks that others made, a networkx graph or a GraphML file, as facts.

Nodes come first and become entities, edges refer to them by id.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Protocol, TypeGuard, runtime_checkable

from graphrag.errors import InputError
from graphrag.ingest.fact_writer import FactWriter
from graphrag.ingest.given import End, given_end
from graphrag.io.fact_rows import Columns, Placed
from graphrag.io.files import ending
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
class NetworkRows:
    """A network that was read to its end once: nothing is taken from one that cannot be read."""

    network: Network | Path
    nodes: Mapping[Any, End]
    """The entities by the ids of their nodes."""

    @classmethod
    def of(cls, rows: Network | str | Path, columns: Columns | None = None) -> "NetworkRows":
        """Read a network.

        Raises:
            InputError: naming the node or the edge that cannot be used, or if columns are named.
        """
        if columns:
            raise InputError("columns are for tables: a network has attributes")
        network = Path(rows) if isinstance(rows, str) else rows
        nodes: dict[Any, End] = {}
        for part in _parts(network):
            if part.ends is None:
                if part.id in nodes:
                    raise InputError(f"{part.place}node {part.id!r} is there twice")
                nodes[part.id] = _end(part)
        found = cls(network, nodes)
        for _ in found.rows():
            pass
        return found

    def rows(self, ids: Mapping[Any, str] | None = None) -> Iterator[Placed]:
        """Yield the edges as rows of a table, their ends by id of the entity or else by name."""
        for part in _parts(self.network):
            if part.ends is None:
                continue
            for end in part.ends:
                if end not in self.nodes:
                    raise InputError(
                        f"{part.place}it leads to {end!r}, which is no node of the graph"
                    )
            subject, object_ = (
                self.nodes[end].mention.name if ids is None else ids[end] for end in part.ends
            )
            yield part.place, {"subject": subject, "object": object_, **_row(part)}

    async def write_nodes(self, writer: FactWriter, batch: int) -> tuple[dict[Any, str], int]:
        """Make the nodes known, and return the id of the entity of each, and how many are new."""
        ids: dict[Any, str] = {}
        new = 0
        rest = iter(self.nodes.items())
        while nodes := dict(islice(rest, batch)):
            plan = await writer.write([], list(nodes.values()))
            ids.update(zip(nodes, plan.extra, strict=True))
            new += len(plan.entities)
        return ids, new


def is_network(rows: object) -> TypeGuard[Network | str | Path]:
    """Tell whether rows are a network, and no table."""
    if isinstance(rows, str | Path):
        return ending(Path(rows)) == ".graphml"
    return isinstance(rows, Network)


def _parts(network: Network | Path) -> Iterable[Part]:
    return read_graphml(network) if isinstance(network, Path) else _of_networkx(network)


def _of_networkx(network: Network) -> Iterator[Part]:
    for id_, attributes in network.nodes(data=True):
        yield Part(f"node {id_!r}: ", None, id_, dict(attributes))
    for source, target, attributes in network.edges(data=True):
        yield Part(f"edge {source!r} to {target!r}: ", (source, target), "", dict(attributes))


def _end(part: Part) -> End:
    stated = {name: item for name, item in part.data.items() if item is not None}
    name = next((stated[key] for key in _NAMES if key in stated), str(part.id))
    kind = next((stated[key] for key in _TYPES if key in stated), None)
    aliases = _decoded(stated.get("aliases", []), part.place, "aliases")
    if not isinstance(aliases, list | tuple):
        raise InputError(f"{part.place}its aliases are {aliases!r}: expected a list")
    for what, text in (("name", name), ("type", kind), *(("alias", alias) for alias in aliases)):
        if text is not None and not isinstance(text, str):
            raise InputError(f"{part.place}its {what} is {text!r}: expected text")
    attributes = _attributes(stated, _OURS_OF_NODES, part)
    try:
        return given_end(name, kind, aliases=tuple(aliases), attributes=attributes, what="name")
    except InputError as error:
        raise InputError(f"{part.place}{error}") from None


def _row(part: Part) -> dict[str, Any]:
    stated = {name: item for name, item in part.data.items() if item is not None}
    relation = next((stated[key] for key in _RELATIONS if key in stated), None)
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
