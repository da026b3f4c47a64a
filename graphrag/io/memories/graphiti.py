"""Graphiti and Zep: entities, facts between them, and the episodes that state these.

Read are what Graphiti's ``model_dump_json`` gives, an export of Neo4j as JSON Lines
(``apoc.export.json.all``), and the answers of Zep's API. Which kind a record is, its fields tell.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from graphrag.io.memories import (
    AROUND,
    NAMES,
    UNTYPED,
    Link,
    Node,
    Of,
    Portable,
    Record,
    Text,
    filled,
    group_of,
    mapping,
    relation_of,
    type_of,
)
from graphrag.model.checks import parsed_json, shown
from graphrag.model.values import JSON, Source
from graphrag.temporal.moment import utc_now

_OWN_LABELS = frozenset({"Entity", "Node"})
_VECTORS = ("name_embedding", "fact_embedding", "embedding", "content_embedding")
_NODE = frozenset({"uuid", "name", "group_id", "attributes"})
_KEPT = ("summary", "created_at")  # fields of an entity that stay beside its attributes
_EDGE = frozenset(
    {"uuid", "group_id", "attributes", "source_node_uuid", "target_node_uuid", "name", "episodes"}
)
_TEXT = frozenset(
    {"uuid", "name", "group_id", "content", "source", "source_description", "saga", "type"}
)
_SAGA = frozenset({"first_episode_uuid", "last_episode_uuid", "last_summarized_at"})
_ROLES = frozenset({"user", "assistant", "system", "function", "tool", "human", "ai"})
"""Roles that are no names of speakers."""
_FILLED = ("score", "relevance")  # fields that the answer to a search adds
_SCOPES = ("user_id", "graph_id", "graph_uuid", "session_id", "thread_id")
_SOURCES: Mapping[str, Source] = {
    "message": "message", "text": "text", "json": "json", "fact_triple": "fact",
}  # fmt: skip
_COMPUTED = "communities are computed here: communities.build()"


class GraphReader:
    """Sorts the records of a graph, in any order; ends are looked up when all are there."""

    def __init__(self, of: Of) -> None:
        self._found = Portable(of)
        self._edges: list[tuple[str, Mapping[str, Any]]] = []
        self._uuid_of: dict[str, str] = {}
        """Of the ids that Neo4j gives."""
        self._communities: set[str] = set()
        self._sagas: dict[str, str] = {}
        self._vectors = 0

    def read(self, records: Iterable[Record]) -> Portable:
        """Return what all records say."""
        for place, record in records:
            self._found.records += 1
            self._sort(place, self._plain(record))
        for place, record in self._edges:
            self._tie(place, record)
        for link in self._found.links.values():
            for episode in link.episodes:
                if episode in self._found.texts:
                    ends = dict.fromkeys((link.source, link.target))
                    self._found.texts[episode].mentions |= ends
        if self._vectors:
            self._found.notes.append(
                f"{self._vectors} vectors stayed behind: the embedder of this store makes its own"
            )
        return self._found

    def _plain(self, record: Mapping[str, Any]) -> dict[str, Any]:
        found = dict(record)
        if found.get("type") == "node" and isinstance(found.get("properties"), Mapping):
            own = found["properties"]
            self._uuid_of[str(found.get("id"))] = str(own.get("uuid", found.get("id")))
            found = {"uuid": str(found.get("id")), **own, "labels": found.get("labels")}
            found["of_neo4j"] = True
        elif found.get("type") == "relationship" and "start" in found and "end" in found:
            own = found.get("properties") or {}
            ends = [str((found[end] or {}).get("id")) for end in ("start", "end")]
            found = {"uuid": str(found["id"]), **own, "label": found.get("label")}
            found["neo4j_ends"] = ends
        labels = list(found.get("labels") or ())
        if _SAGA & found.keys():  # told by the fields that may be empty, before those fall
            labels.append("Saga")
        elif {"name_embedding", "group_id"} <= found.keys() and "attributes" not in found:
            labels += [] if found.get("of_neo4j") else ["Community"]
        elif "content" in found:
            labels.append("Episodic")
        found["labels"] = labels
        self._vectors += sum(bool(found.pop(name, None)) for name in _VECTORS)
        if isinstance(found.get("attributes"), str):  # as Kuzu keeps them
            found["attributes"] = parsed_json("attributes", found["attributes"])
        if "episode_uuids" in found:
            found.setdefault("episodes", found.pop("episode_uuids"))
        return filled(found, ())

    def _sort(self, place: str, record: dict[str, Any]) -> None:
        if AROUND in record and len(record) == 1:
            self._found.leave(
                place, f"what stands around: {', '.join(record[AROUND])}", "no record"
            )
        elif {"source_node_uuid", "neo4j_ends"} & record.keys():
            self._edges.append((place, record))
        elif {"fact", "source_node_name"} <= record.keys():
            self._edges.append((place, record))
        elif "fact" in record:
            self._lone_fact(place, record)
        elif "Saga" in record.get("labels", ()):
            self._saga(place, record)
        elif "Episodic" in record.get("labels", ()):
            self._text(place, record)
        elif "Community" in record.get("labels", ()):
            self._communities.add(str(record.get("uuid")))
            self._found.leave(place, f"community {shown(record.get('name'))}", _COMPUTED)
        elif "uuid" in record and "name" in record:
            self._node(place, record)
        else:
            names = ", ".join(list(record)[:5]) or "nothing"
            self._found.leave(place, f"a record of {names}", "it is of no kind that is known")

    def _node(self, place: str, record: dict[str, Any]) -> None:
        if self._found.wordless(place, "an entity", record["name"]):
            return
        labels = [label for label in record.get("labels", ()) if isinstance(label, str)]
        own = [label for label in labels if label not in _OWN_LABELS]
        attributes = mapping(record.get("attributes"))
        known = {*_NODE, *_KEPT, "labels", "of_neo4j", *_FILLED, *_SCOPES}
        rest = filled(record, known)
        kept: dict[str, JSON] = {name: record[name] for name in _KEPT if name in record}
        if len(own) > 1:
            kept["labels"] = own
        if record.get("of_neo4j"):
            attributes |= rest
        else:
            kept |= rest
        id_ = str(record["uuid"])
        self._found.nodes[id_] = Node(
            id_,
            str(record["name"]),
            type_of(own[0]) if own else UNTYPED,
            {**attributes, f"{self._found.of}:{id_}": kept} if kept else attributes,
            group_of(record),
            place,
        )

    def _text(self, place: str, record: dict[str, Any]) -> None:
        what = f"episode {shown(record.get('name') or record.get('uuid') or '')}"
        if "content" not in record:
            self._found.leave(place, what, "it has no text: it was stored without")
            return
        if self._found.wordless(place, what, record["content"]):
            return
        dates = ("valid_at", "reference_time", "created_at")
        if (at := self._found.moment(place, what, record, *dates)) is None:
            at = utc_now()
            self._found.notes.append(f"{place}: {what} has no time: it is taken to be of now")
        id_ = str(record.get("uuid") or place)
        saga = record.get("session_id") or record.get("thread_id")
        spoken = "role" in record or "role_type" in record
        speaker = record.get("name") if spoken else None
        if speaker is None and str(record.get("role", "user")).casefold() not in _ROLES:
            speaker = record["role"]
        own = {"labels", "valid_at", "of_neo4j", "entity_edges", *_FILLED, *_SCOPES}
        self._found.texts[id_] = Text(
            id_,
            str(record["content"]),
            at,
            _SOURCES.get(str(record.get("source", "message" if spoken else ""))),
            group_of(record),
            place,
            name=str(record.get("name") or "") if not spoken else "",
            description=str(record.get("source_description") or ""),
            metadata=filled(record, _TEXT | own),
            saga=None if saga is None else str(saga),
            author=None if speaker is None else str(speaker),
        )

    def _lone_fact(self, place: str, record: dict[str, Any]) -> None:
        """Take a fact of Zep's first versions, which is a sentence: it is read like any text."""
        what = f"fact {shown(record['fact'])}"
        if self._found.wordless(place, what, record["fact"]):
            return
        at = self._found.moment(place, what, record, "valid_at", "created_at")
        id_ = str(record.get("uuid") or place)
        self._found.texts[id_] = Text(
            id_,
            str(record["fact"]),
            at or utc_now(),
            "text",
            group_of(record),
            place,
            description=NAMES[self._found.of],
            metadata={name: value for name, value in record.items() if name != "fact"},
            read=True,
            until=self._found.moment(place, what, record, "invalid_at", "expired_at"),
        )

    def _saga(self, place: str, record: dict[str, Any]) -> None:
        id_, name = str(record.get("uuid")), str(record.get("name") or record.get("uuid"))
        self._sagas[id_] = name
        if record.get("summary"):
            what = f"summary of saga {shown(name)}"
            self._found.leave(place, what, "summaries are written here: sagas.summarize()")

    def _tie(self, place: str, record: Mapping[str, Any]) -> None:
        source, target = self._ends(record)
        found, label = self._found, record.get("label")
        between = source in found.nodes and target in found.nodes
        if "fact" in record or label == "RELATES_TO" or (between and "name" in record):
            self._fact(place, record, source, target)
        elif target in found.nodes and source in found.texts:
            found.texts[source].mentions[target] = None
        elif source in self._communities or target in self._communities or label == "HAS_MEMBER":
            found.leave(place, "membership of a community", _COMPUTED)
        elif source in self._sagas and target in found.texts:
            found.texts[target].saga = self._sagas[source]
        elif (source in found.texts and target in found.texts) or label == "NEXT_EPISODE":
            found.notes.append(f"{place}: the order of two episodes follows from their times here")
        elif between:
            found.leave(place, "a link", "it has neither name nor fact")
        else:
            found.leave(place, "a link", f"{source} or {target} is not in the export")

    def _ends(self, record: Mapping[str, Any]) -> tuple[str, str]:
        if "neo4j_ends" in record:
            source, target = (self._uuid_of.get(end, end) for end in record["neo4j_ends"])
            return source, target
        return str(record.get("source_node_uuid")), str(record.get("target_node_uuid"))

    def _fact(self, place: str, record: Mapping[str, Any], source: str, target: str) -> None:
        what = f"fact {shown(record.get('fact') or record.get('name') or '')}"
        found = self._found
        if "fact" in record and found.wordless(place, what, record["fact"]):
            return
        for end, name in ((source, "source_node_name"), (target, "target_node_name")):
            if end not in found.nodes and isinstance(record.get(name), str):
                found.nodes[end] = Node(end, record[name], UNTYPED, {}, group_of(record), place)
        for end in (source, target):
            if end not in found.nodes:
                found.leave(place, what, f"the entity {end} is not in the export")
                return
        date = {
            name: self._found.moment(place, what, record, name)
            for name in ("valid_at", "invalid_at", "expired_at", "created_at", "reference_time")
        }
        start, end_, expired = date["valid_at"], date["invalid_at"], date["expired_at"]
        if end_ is None and expired is not None:
            end_ = expired
            found.notes.append(f"{place}: {what} ends when it was expired: it has no other end")
        if start is not None and end_ is not None and end_ <= start:
            start = None
            found.notes.append(f"{place}: {what} ends before it begins: its start is unknown here")
        name = NAMES[found.of]
        reason = "" if end_ is None else f"{name} says so"
        if expired is not None:
            reason = f"closed in {name} on {expired:%Y-%m-%d}"
        known = {*_EDGE, "neo4j_ends", "label", *_FILLED, *_SCOPES}
        rest = filled(record, known)
        id_ = str(record.get("uuid") or place)
        attributes = mapping(record.get("attributes"))
        if "neo4j_ends" in record:
            own = ("fact", "valid_at", "invalid_at", "expired_at", "created_at", "reference_time")
            attributes |= {field: rest.pop(field) for field in list(rest) if field not in own}
        found.links[id_] = Link(
            id_,
            source,
            target,
            relation_of(str(record.get("name") or "relates_to")),
            str(record.get("fact") or ""),
            group_of(record),
            place,
            start,
            end_,
            date["reference_time"] or date["created_at"],
            tuple(map(str, record.get("episodes", ()))),
            {**attributes, f"{found.of}:{id_}": rest},
            reason,
        )
