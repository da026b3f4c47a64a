"""Networks that others made, a networkx graph or a GraphML file, as facts.

Nodes come first and become entities, edges refer to them by id. GraphML is read a part at a time,
whoever wrote it. The file is a stranger's: declared entities are refused, since a few of them can
stand for gigabytes or for other files, and nothing outside of the file is ever read.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeGuard, runtime_checkable
from xml.parsers import expat

from graphrag.errors import InputError
from graphrag.ingest.given import End, given_end
from graphrag.io.fact_rows import Columns, Placed
from graphrag.io.files import ending, opened, refusals, unescaped

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
_PART, _TOKEN = 1 << 16, 1 << 23  # bytes read at once, and bytes of a tag or its text at most
_NESTED, _KEYS = 100, 1_000  # nodes in nodes, and attributes that a file declares
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_TYPED: Mapping[str, Callable[[str], Any]] = {
    "boolean": lambda text: _TRUTH[text.strip()],
    **{"int": int, "long": int, "float": float, "double": float},
}
"""How attributes are read, by their types; others are texts."""


@dataclass(frozen=True, slots=True)
class GraphElement:
    """A node or an edge."""

    place: str  # its name in an error: ``jobs.graphml, line 7: ``
    ends: tuple[Any, Any] | None  # ids of the nodes that an edge joins; None for a node
    id: Any
    data: dict[str, Any]  # its attributes by name


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
    nodes: Mapping[Any, End]  # the entities by the ids of their nodes

    @classmethod
    def of(cls, rows: Network | str | Path, columns: Columns | None = None) -> "NetworkRows":
        """Read a network."""
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
            for end in part.ends or ():
                if end not in self.nodes:
                    what = f"it leads to {end!r}, which is no node of the graph"
                    raise InputError(f"{part.place}{what}")
            if part.ends is None:
                continue
            subject, object_ = (
                self.nodes[end].mention.name if ids is None else ids[end] for end in part.ends
            )
            yield part.place, {"subject": subject, "object": object_, **_row(part)}


def is_network(rows: object) -> TypeGuard[Network | str | Path]:
    """Tell whether rows are a network, and no table."""
    if isinstance(rows, str | Path):
        return ending(Path(rows)) == ".graphml"
    return isinstance(rows, Network)


def _parts(network: Network | Path) -> Iterator[GraphElement]:
    if isinstance(network, Path):
        yield from read_graphml(network)
        return
    # A snapshot: the caller may change the network between two batches.
    for *ends, attributes in (*network.nodes(data=True), *network.edges(data=True)):
        stated = {name: item for name, item in attributes.items() if item is not None}
        if len(ends) == 1:
            yield GraphElement(f"node {ends[0]!r}: ", None, ends[0], stated)
        else:
            place = f"edge {ends[0]!r} to {ends[1]!r}: "
            yield GraphElement(place, (ends[0], ends[1]), "", stated)


def _end(part: GraphElement) -> End:
    name = next((part.data[key] for key in _NAMES if key in part.data), str(part.id))
    kind = next((part.data[key] for key in _TYPES if key in part.data), None)
    aliases = _decoded(part.data.get("aliases", []), part.place, "aliases")
    if not isinstance(aliases, list | tuple):
        raise InputError(f"{part.place}its aliases are {aliases!r}: expected a list")
    for what, text in (("name", name), ("type", kind), *(("alias", alias) for alias in aliases)):
        if text is not None and not isinstance(text, str):
            raise InputError(f"{part.place}its {what} is {text!r}: expected text")
    attributes = _attributes(part, _OURS_OF_NODES)
    try:
        return given_end(name, kind, aliases=tuple(aliases), attributes=attributes, what="name")
    except InputError as error:
        raise InputError(f"{part.place}{error}") from None


def _row(part: GraphElement) -> dict[str, Any]:
    relation = next((part.data[key] for key in _RELATIONS if key in part.data), None)
    if relation is None:
        what = f"it has no relation: name it in an attribute {' or '.join(_RELATIONS)}"
        raise InputError(f"{part.place}{what}")
    row = {name: part.data[name] for name in _STATED if name in part.data}
    rest = _attributes(part, _OURS_OF_EDGES.union(_STATED))
    return row | {"relation": relation, "attributes": rest}


def _attributes(part: GraphElement, known: frozenset[str]) -> dict[str, Any]:
    own = _decoded(part.data.get("attributes", {}), part.place, "attributes")
    if not isinstance(own, Mapping):
        raise InputError(f"{part.place}its attributes are {own!r}: expected an object")
    return {**{name: item for name, item in part.data.items() if name not in known}, **own}


def _decoded(item: Any, place: str, name: str) -> Any:
    try:
        return json.loads(item) if isinstance(item, str) else item
    except (ValueError, RecursionError):
        raise InputError(f"{place}its {name} are no JSON: {item[:60]!r}") from None


class _Key(NamedTuple):
    name: str
    kind: str
    of: str  # its domain: ``node``, ``edge``, ``all``, ...
    default: str | None = None


def read_graphml(path: Path) -> Iterator[GraphElement]:
    """Yield the nodes and edges of a file in its order."""
    parser = expat.ParserCreate(namespace_separator=" ")
    reader = _GraphMLReader(path, parser)
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = reader.start, reader.end
    parser.CharacterDataHandler = reader.add
    parser.EntityDeclHandler = parser.ExternalEntityRefHandler = reader.refuse
    try:
        size = 0
        with opened(path) as file, refusals("read", path):
            while data := file.read(_PART):
                parser.Parse(data)
                size += len(data)
                reader.bound("a tag", size - parser.CurrentByteIndex, _TOKEN)
                yield from reader.taken()
        parser.Parse(b"", True)
        yield from reader.taken()
    except InputError:
        raise
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise InputError(f"{path.name} is no XML that can be read: {error}") from None
    if not reader.root:
        raise InputError(f"{path.name} is no GraphML: its first element is no graphml")


class _GraphMLReader:
    def __init__(self, path: Path, parser: expat.XMLParserType) -> None:
        self.path, self.parser = path, parser
        self.text: list[str] = []
        self.root = False
        self._keys: dict[str, _Key] = {}
        self._open: list[GraphElement] = []
        self._done: list[GraphElement] = []
        self._data = ""
        self._size = 0

    def add(self, text: str) -> None:
        """Take some of the text inside a tag."""
        self.text.append(text)
        self._size += len(text)
        self.bound("the text of a tag", self._size, _TOKEN)

    def bound(self, what: str, size: int, most: int) -> None:
        """Refuse what is larger than in any graph."""
        if size > most:
            raise InputError(f"{self._place()}{what} is larger than {most:,}: this is no graph")

    def taken(self) -> list[GraphElement]:
        """Return what has been read since."""
        done, self._done = self._done, []
        return done

    def refuse(self, *_: object) -> int:
        why = "it declares entities, which are not allowed: remove the DOCTYPE"
        raise InputError(f"{self._place()}{why}")

    def start(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        match name:
            case "graphml":
                self.root = True
            case "key":
                self._data, kind = given.get("id", ""), given.get("attr.type", "string")
                key = _Key(given.get("attr.name", ""), kind, given.get("for", "all"))
                self._keys[self._data] = key
            case "node":
                self._open.append(GraphElement(self._place(), None, self._given(given, "id"), {}))
            case "edge":
                ends = self._given(given, "source"), self._given(given, "target")
                id_ = unescaped(given.get("id", ""))
                self._open.append(GraphElement(self._place(), ends, id_, {}))
            case "data":
                self._data = given.get("key", "")
        self.text.clear()
        self._size = 0
        self.bound("the depth of nodes", len(self._open), _NESTED)
        self.bound("the number of keys", len(self._keys), _KEYS)

    def end(self, tag: str) -> None:
        name = tag.rpartition(" ")[2]
        match name:
            case "default" if (key := self._keys.get(self._data)) is not None:
                self._keys[self._data] = key._replace(default=self._taken_text())
            case "data" if self._open:
                key = self._keys.get(self._data)
                text = self._taken_text()
                if key is not None and key.name:
                    self._open[-1].data[key.name] = self._value(key, text)
            case "NodeLabel" | "EdgeLabel" if self._open:
                if label := self._taken_text().strip():
                    self._open[-1].data.setdefault("label", label)
            case "node" | "edge":
                part = self._open.pop()
                for key in self._keys.values():
                    usual, fits = key.default, key.of in (name, "all")
                    if usual is not None and fits and key.name not in part.data:
                        part.data[key.name] = self._value(key, usual)
                self._done.append(part)

    def _taken_text(self) -> str:
        text = unescaped("".join(self.text))
        self.text.clear()
        return text

    def _given(self, given: dict[str, str], name: str) -> str:
        if name not in given:
            raise InputError(f"{self._place()}it has no {name}")
        return unescaped(given[name])

    def _value(self, key: _Key, text: str) -> Any:
        try:
            return _TYPED.get(key.kind, str)(text)
        except (KeyError, ValueError):
            raise InputError(f"{self._place()}{key.name} is {text!r}, no {key.kind}") from None

    def _place(self) -> str:
        return f"{self.path.name}, line {self.parser.CurrentLineNumber}: "
