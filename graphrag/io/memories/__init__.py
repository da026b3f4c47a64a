"""Contents of an export of another memory system in one common form, and the import report.

Readers put every record into one of three lists, or into ``left_out`` with the reason. Fields
without an equivalent here are kept unchanged under the id of the record.
"""

import re
from collections import defaultdict
from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, cast

from graphrag.errors import TimeError
from graphrag.io.records import since_epoch
from graphrag.model.checks import shown
from graphrag.model.values import JSON, Episode, Source
from graphrag.temporal.moment import parse_moment

Of = Literal["graphiti", "zep", "mem0"]
NAMES: Mapping[Of, str] = {"graphiti": "Graphiti", "zep": "Zep", "mem0": "Mem0"}
UNTYPED = "thing"
Record = tuple[str, Mapping[str, Any]]
"""Place of a record in its file, and its fields."""
AROUND = "around"
"""Under this key stand the names of what an object says beside the records in it."""
_ZONE = re.compile(r"\[[\w/+-]+\]$")  # suffix of a moment in Neo4j: ``2024-05-01T00:00Z[UTC]``
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A record of an export that was not imported."""

    place: str
    """Location of the record: ``dump.jsonl, line 7``."""
    what: str
    """Description of the record, such as ``community Jazz``."""
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.what}: {self.why}"


@dataclass(slots=True)
class Node:
    """An entity."""

    id: str
    name: str
    entity_type: str
    attributes: dict[str, JSON]
    group: str
    place: str


@dataclass(slots=True)
class Text:
    """An episode."""

    id: str
    content: str
    at: datetime
    source: Source | None
    group: str
    place: str
    name: str = ""
    description: str = ""
    metadata: dict[str, JSON] = field(default_factory=dict)
    saga: str | None = None
    author: str | None = None
    mentions: dict[str, None] = field(default_factory=dict)  # ids of the nodes that it speaks of
    read: bool = False  # True if nobody has read its facts yet
    until: datetime | None = None
    """When it was replaced or deleted there: what is read in it ends then."""

    def is_version(self, known: Episode) -> bool:
        """Tell whether an episode is this version of a memory of Mem0, whatever its key."""
        memory = self.metadata.get("memory_id")
        ours = (known.metadata.get("memory_id"), known.valid_at, known.content)
        return memory is not None and ours == (memory, self.at, self.content)


@dataclass(slots=True)
class Link:
    """A fact."""

    id: str
    source: str  # id of a node, as ``target``
    target: str
    relation: str
    text: str
    group: str
    place: str
    valid_at: datetime | None = None
    invalid_at: datetime | None = None
    known_at: datetime | None = None  # when it was said, or else stored there
    episodes: tuple[str, ...] = ()
    attributes: dict[str, JSON] = field(default_factory=dict)
    reason: str = ""  # reason of its end there


@dataclass(slots=True)
class Portable:
    """A whole export."""

    of: Of
    nodes: dict[str, Node] = field(default_factory=dict)
    texts: dict[str, Text] = field(default_factory=dict)
    links: dict[str, Link] = field(default_factory=dict)
    left_out: list[LeftOut] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    records: int = 0

    @property
    def groups(self) -> tuple[str, ...]:
        """Return the names of its groups, as they are called there."""
        parts: list[Node | Text | Link] = [*self.nodes.values(), *self.texts.values()]
        parts += self.links.values()
        return tuple(dict.fromkeys(part.group for part in parts))

    @property
    def counts(self) -> dict[str, int]:
        """Return how much it holds, by what that is here."""
        return {
            "records": self.records,
            "entities": len(self.nodes),
            "episodes": len(self.texts),
            "facts": len(self.links),
        }

    def leave(self, place: str, what: str, why: str) -> None:
        """Note a record that is left out of the import, and why."""
        self.left_out.append(LeftOut(place, what, why))

    def wordless(self, place: str, what: str, value: object) -> bool:
        """Tell whether that is no text, or an empty one; if so, the record is left out."""
        if not spoken(value):
            self.leave(place, what, f"it has no text: {shown(value)} stands there")
        return not spoken(value)

    def moment(
        self, place: str, what: str, record: Mapping[str, Any], *names: str
    ) -> datetime | None:
        """Return the first moment that a record has of these; what is none is noted."""
        for name in names:
            try:
                if (moment := moment_of(record.get(name))) is not None:
                    return moment
            except TimeError as error:
                self.notes.append(f"{place}: {what}: {name} is left out: {error}")
        return None


@dataclass(frozen=True, slots=True)
class MemoryReport:
    """Result of the import of another memory system."""

    of: Of
    """The system that the export is from."""
    groups: tuple[str, ...]
    """The groups of this store that received its contents."""
    records: int
    """Number of records in the export."""
    episodes: int = 0
    """Number of new episodes; ``entities`` and ``facts`` count the new ones, too."""
    entities: int = 0
    facts: int = 0
    repeated: int = 0
    """Number of episodes and facts that the graph already had."""
    left_out: tuple[LeftOut, ...] = ()
    """The records that were not imported, each with the reason."""
    notes: tuple[str, ...] = ()
    """Records that were imported with changes, in words."""
    seconds: float = 0.0


def joined(found: Portable) -> list[str]:
    """Return a note of each fact that says of the same two entities what another one says."""
    alike: dict[tuple[str, ...], list[Link]] = defaultdict(list)
    for link in found.links.values():
        alike[link.group, link.source, link.relation, link.target].append(link)
    return [
        f"{link.place}: fact {shown(link.text)} is of the same two as {shown(same[0].text)}: where "
        "their times touch, one fact has both, this one's words among its attributes"
        for same in alike.values()
        for link in same[1:]
        if link.text != same[0].text
    ]


def type_of(label: str) -> str:
    """Return the type of an entity for a label: ``SoftwareProject`` is ``software_project``."""
    return _snake(label) or UNTYPED


def relation_of(name: str) -> str:
    """Return a relation for the name of an edge: ``WORKS_AT`` and ``WorksAt`` are ``works_at``."""
    return _snake(name) or "relates_to"


def _snake(name: str) -> str:
    return "_".join(part for part in _WORDS.split(name) if part).casefold()


def mapping(value: JSON) -> dict[str, JSON]:
    """Return an object, an empty one for what is none."""
    return dict(value) if isinstance(value, Mapping) else {}


def filled(record: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return what a record says beside what is known of it; empty fields fall."""
    return {
        name: value
        for name, value in record.items()
        if name not in known and value not in (None, "", [], {})
    }


def spoken(value: object) -> bool:
    """Tell whether a value is a text with words in it."""
    return isinstance(value, str) and bool(value.strip())


def group_of(record: Mapping[str, Any]) -> str:
    """Return the group of a record as it is called there; empty for none."""
    for name in ("group_id", "graph_id", "user_id", "graph_uuid"):
        if isinstance(record.get(name), str) and record[name].strip("_"):
            return cast(str, record[name])
    return ""


def moment_of(value: Any) -> datetime | None:
    """Return a moment as these programs write it, None for none."""
    if value is None or value == "":
        return None
    if isinstance(value, int | float):
        return since_epoch(value, "the number")
    return parse_moment(_ZONE.sub("", value.strip()) if isinstance(value, str) else value)
