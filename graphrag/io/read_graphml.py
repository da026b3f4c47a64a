"""Read GraphML, whoever wrote it, a part at a time.

The file is a stranger's: declared entities are refused, since a few of them can stand for
gigabytes or for other files, and nothing outside of the file is ever read.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.parsers import expat

from graphrag.errors import InputError
from graphrag.io.files import read_parts, unescaped

_TOKEN = 1 << 23
"""Bytes of a tag, or of the text inside one; an episode has a million characters at most."""
_NESTED, _KEYS = 100, 1_000
"""Nodes in nodes, and attributes that a file declares."""
_LABELS = frozenset({"NodeLabel", "EdgeLabel"})
"""Where yEd keeps what it shows."""


@dataclass(frozen=True, slots=True)
class Part:
    """A node or an edge."""

    place: str
    """What to call it in an error: ``jobs.graphml, line 7: ``."""
    ends: tuple[Any, Any] | None
    """Ids of the nodes that an edge joins; None for a node."""
    id: Any
    data: dict[str, Any]
    """Its attributes by name."""


@dataclass(frozen=True, slots=True)
class _Key:
    name: str
    kind: str
    of: str
    """What has it: ``node``, ``edge``, ``all``, ..."""
    default: str | None = None


def read_graphml(path: Path) -> Iterator[Part]:
    """Yield the nodes and edges of a file in its order.

    Raises:
        InputError: if there is none, or it is no GraphML.
    """
    reader = _Reader(path)
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = reader.start
    parser.EndElementHandler = reader.end
    parser.CharacterDataHandler = reader.add
    parser.EntityDeclHandler = reader.refuse
    parser.ExternalEntityRefHandler = reader.refuse
    reader.parser = parser
    try:
        size = 0
        for data in read_parts(path):
            parser.Parse(data)
            size += len(data)
            reader.bound("a tag", size - parser.CurrentByteIndex, _TOKEN)
            yield from reader.taken()
        parser.Parse(b"", True)
        yield from reader.taken()
    except (expat.ExpatError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path.name} is no XML that can be read: {error}") from None
    if not reader.root:
        raise InputError(f"{path.name} is no GraphML: its first element is no graphml")


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.text: list[str] = []
        self.parser: Any = None
        self.root = False
        self._keys: dict[str, _Key] = {}
        self._open: list[Part] = []
        self._done: list[Part] = []
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

    def taken(self) -> list[Part]:
        """Return what has been read since."""
        done, self._done = self._done, []
        return done

    def refuse(self, *_: object) -> int:
        raise InputError(
            f"{self._place()}it declares entities, which could stand for anything: remove the "
            "DOCTYPE"
        )

    def start(self, tag: str, given: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        match name:
            case "graphml":
                self.root = True
            case "key":
                kind = given.get("attr.type", "string")
                self._keys[given.get("id", "")] = _Key(
                    given.get("attr.name", ""), kind, given.get("for", "all")
                )
                self._data = given.get("id", "")
            case "node":
                self._open.append(Part(self._place(), None, self._given(given, "id"), {}))
            case "edge":
                ends = self._given(given, "source"), self._given(given, "target")
                self._open.append(Part(self._place(), ends, unescaped(given.get("id", "")), {}))
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
                self._keys[self._data] = replace(key, default=self._taken_text())
            case "data" if self._open:
                key = self._keys.get(self._data)
                text = self._taken_text()
                if key is not None and key.name:
                    self._open[-1].data[key.name] = self._value(key, text)
            case "NodeLabel" | "EdgeLabel" if self._open:
                if label := self._taken_text().strip():
                    self._open[-1].data.setdefault("label", label)
            case "node" | "edge":
                self._done.append(self._completed(self._open.pop(), name))

    def _completed(self, part: Part, of: str) -> Part:
        for key in self._keys.values():
            if key.default is not None and key.of in (of, "all") and key.name not in part.data:
                part.data[key.name] = self._value(key, key.default)
        return part

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
            match key.kind:
                case "boolean":
                    return {"true": True, "1": True, "false": False, "0": False}[text.strip()]
                case "int" | "long":
                    return int(text)
                case "float" | "double":
                    return float(text)
                case _:
                    return text
        except (KeyError, ValueError):
            raise InputError(f"{self._place()}{key.name} is {text!r}, no {key.kind}") from None

    def _place(self) -> str:
        return f"{self.path.name}, line {self.parser.CurrentLineNumber}: "
