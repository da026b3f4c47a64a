"""Networks that others made, a networkx graph or a GraphML file, as facts.

Nodes become entities, edges refer to them by id. The file is a stranger's: declared entities are
refused, since a few of them can stand for gigabytes or for other files, and nothing outside of the
file is ever read. The reader of networkx would lose defaults, nested graphs and directions.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Protocol, TypeGuard, runtime_checkable
from xml.etree import ElementTree
from xml.parsers import expat

from graphrag.errors import InputError
from graphrag.ingest.given import End, given_end
from graphrag.io.fact_rows import Columns, Placed
from graphrag.io.files import ending, read_whole, unescaped

_NAMES = ("name", "label")
_TYPES = ("entity_type", "type")
_RELATIONS = ("relation", "label")
_OURS_OF_NODES = frozenset(
    "id name label entity_type type aliases labels summary attributes created_at".split()
)
_STATED = tuple(
    "text valid_at invalid_at observed reference_time confidence source provenance".split()
)
_OURS_OF_EDGES = frozenset(
    {"relation", "label", "origin", "episodes", "attributes", "created_at", "closed_as"}
)
_IDS: Mapping[str, tuple[str, ...]] = {"node": ("id",), "edge": ("source", "target")}
_KEYS = 1_000  # attributes that a file declares
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_TYPED: Mapping[str, Callable[[str], Any]] = {
    "boolean": lambda text: _TRUTH[text.strip()],
    **{"int": int, "long": int, "float": float, "double": float},
}
"""How attributes are read, by their types; others are texts."""


class Element(NamedTuple):
    """A node with its id, or an edge with those of the nodes that it joins."""

    place: str  # its name in an error: ``jobs.graphml, node 'a': ``
    ids: Sequence[Any]
    data: Mapping[str, Any]  # its attributes by name


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

    nodes: Mapping[Any, End]  # the entities by the ids of their nodes
    edges: Sequence[Element]

    @classmethod
    def of(cls, rows: Network | str | Path, columns: Columns | None = None) -> "NetworkRows":
        """Read a network."""
        if columns:
            raise InputError("columns are for tables: a network has attributes")
        read = _read_graphml(Path(rows)) if isinstance(rows, str | Path) else _elements(rows)
        found = cls(nodes := {}, edges := [])
        for element in read:
            if len(element.ids) > 1:
                edges.append(element)
            elif (id_ := element.ids[0]) in nodes:
                raise InputError(f"{element.place}it is there twice")
            else:
                nodes[id_] = _end(element)
        for _ in found.rows():
            pass
        return found

    def rows(self, ids: Mapping[Any, str] | None = None) -> Iterator[Placed]:
        """Yield the edges as rows of a table, their ends by id of the entity or else by name."""
        for edge in self.edges:
            for end in edge.ids:
                if end not in self.nodes:
                    what = f"it leads to {end!r}, which is no node of the graph"
                    raise InputError(f"{edge.place}{what}")
            subject, object_ = (
                self.nodes[end].mention.name if ids is None else ids[end] for end in edge.ids
            )
            yield edge.place, {"subject": subject, "object": object_, **_row(edge)}


def is_network(rows: object) -> TypeGuard[Network | str | Path]:
    """Tell whether rows are a network, and no table."""
    if isinstance(rows, str | Path):
        return ending(Path(rows)) == ".graphml"
    return isinstance(rows, Network)


def _elements(network: Network) -> Iterator[Element]:
    for *ids, attributes in (*network.nodes(data=True), *network.edges(data=True)):
        what = "node" if len(ids) == 1 else "edge"
        stated = {name: item for name, item in attributes.items() if item is not None}
        yield Element(f"{what} {' to '.join(map(repr, ids))}: ", ids, stated)


def _end(element: Element) -> End:
    name = next((element.data[key] for key in _NAMES if key in element.data), str(element.ids[0]))
    kind = next((element.data[key] for key in _TYPES if key in element.data), None)
    aliases = _decoded(element.data.get("aliases", []), element.place, "aliases")
    if not isinstance(aliases, list | tuple):
        raise InputError(f"{element.place}its aliases are {aliases!r}: expected a list")
    attributes = _attributes(element, _OURS_OF_NODES)
    try:
        return given_end(name, kind, aliases=tuple(aliases), attributes=attributes, what="name")
    except InputError as error:
        raise InputError(f"{element.place}{error}") from None


def _row(element: Element) -> dict[str, Any]:
    relation = next((element.data[key] for key in _RELATIONS if key in element.data), None)
    if relation is None:
        what = f"it has no relation: name it in an attribute {' or '.join(_RELATIONS)}"
        raise InputError(f"{element.place}{what}")
    row = {name: element.data[name] for name in _STATED if name in element.data}
    rest = _attributes(element, _OURS_OF_EDGES.union(_STATED))
    return row | {"relation": relation, "attributes": rest}


def _attributes(element: Element, known: frozenset[str]) -> dict[str, Any]:
    own = _decoded(element.data.get("attributes", {}), element.place, "attributes")
    if not isinstance(own, Mapping):
        raise InputError(f"{element.place}its attributes are {own!r}: expected an object")
    return {**{name: item for name, item in element.data.items() if name not in known}, **own}


def _decoded(item: Any, place: str, name: str) -> Any:
    try:
        return json.loads(item) if isinstance(item, str) else item
    except (ValueError, RecursionError):
        raise InputError(f"{place}its {name} are no JSON: {item[:60]!r}") from None


def _read_graphml(path: Path) -> Iterator[Element]:
    """Yield the nodes and edges of a file; the attributes that it declares come before them."""
    data = read_whole(path, advice="give its edges as a table (.csv)")
    checker = expat.ParserCreate(namespace_separator=" ")
    checker.EntityDeclHandler = _refuse_entity
    try:
        checker.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise InputError(f"{path.name} is no XML that can be read: {error}") from None
    keys: dict[str | None, ElementTree.Element] = {}
    tag = ""
    for _, element in ElementTree.iterparse(BytesIO(data)):
        tag = element.tag.rpartition("}")[2]
        if tag in _IDS:
            if missing := [name for name in _IDS[tag] if name not in element.attrib]:
                raise InputError(f"{path.name}: a {tag} has no {missing[0]}")
            ids = [unescaped(element.attrib[name]) for name in _IDS[tag]]
            place = f"{path.name}, {tag} {' to '.join(map(repr, ids))}: "
            yield Element(place, ids, _values(element, tag, keys, place))
            element.clear()
        elif tag == "key":
            keys[element.get("id")] = element
            if len(keys) > _KEYS:
                raise InputError(f"{path.name} declares more than {_KEYS:,} keys: this is no graph")
    if tag != "graphml":
        raise InputError(f"{path.name} is no GraphML: its first element is no graphml")


def _refuse_entity(*_: object) -> NoReturn:
    raise ValueError("it declares entities, which are not allowed: remove the DOCTYPE")


def _values(
    element: ElementTree.Element,
    tag: str,
    keys: Mapping[str | None, ElementTree.Element],
    place: str,
) -> dict[str, Any]:
    """Return the attributes of an element, and as its label what yEd draws beside it."""
    texts = [
        (key, default.text)
        for key in keys.values()
        for default in key.iterfind("{*}default")
        if key.get("for", "all") in (tag, "all")
    ]
    stated = element.iterfind("{*}data")
    texts += [(keys[data.get("key")], data.text) for data in stated if data.get("key") in keys]
    values: dict[str, Any] = {}
    for key, text in texts:
        name, kind = key.get("attr.name"), key.get("attr.type", "string")
        if name:
            try:
                values[name] = _TYPED.get(kind, str)(unescaped(text or ""))
            except (KeyError, ValueError):
                raise InputError(f"{place}{name} is {text!r}, no {kind}") from None
    for label in element.iterfind(f"{{*}}data//{{*}}{tag.title()}Label"):
        if label.text and label.text.strip():
            values.setdefault("label", unescaped(label.text.strip()))
    return values
