"""Mem0: memories that are sentences, what became of each, and the relations of its graph.

A memory is a text of ours: it is kept word for word and read like any other. Every version that its
history tells of is one, of the time when it was written; what is read in a version that was
replaced or deleted ends then. A history without the present memory is enough, and the other way
round.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from graphrag.io.memories import (
    AROUND,
    Link,
    Node,
    Portable,
    Record,
    Text,
    filled,
    group_of,
    relation_of,
    spoken,
)
from graphrag.model.checks import shown
from graphrag.temporal.moment import utc_now

_TARGETS = ("target", "destination", "relatee")
_CHANGES = ("ADD", "UPDATE", "DELETE")
_SAID = frozenset({"id", "memory", "user_id"})
_VERSION = frozenset({"old_memory", "new_memory", "user_id"})


class MemoryReader:
    """Sorts the records of Mem0, in any order."""

    def __init__(self) -> None:
        self._found = Portable("mem0")
        self._memories: dict[str, Record] = {}
        self._history: dict[str, list[Record]] = defaultdict(list)

    def read(self, records: Iterable[Record]) -> Portable:
        """Return what all records say."""
        found = self._found
        for place, record in records:
            found.records += 1
            if {"memory_id", "event"} <= record.keys():
                self._history[str(record["memory_id"])].append((place, record))
            elif "memory" in record:
                self._memories[str(record.get("id") or place)] = place, record
            elif "relationship" in record:
                self._relation(place, record)
            else:
                about = record.get(AROUND) or list(record)[:5]
                found.leave(place, f"a record of {', '.join(about)}", "it is no memory")
        for id_, (place, record) in self._memories.items():
            self._versions(id_, place, record, self._history.pop(id_, []))
        for id_, history in self._history.items():
            self._versions(id_, history[0][0], {}, history)
        return found

    def _versions(
        self, id_: str, place: str, memory: Mapping[str, Any], history: list[Record]
    ) -> None:
        """Take the versions of one memory, in the order of their times."""
        events: list[tuple[datetime | None, str, Record]] = []
        for where, event in history:
            kind = str(event["event"]).upper()
            if kind in _CHANGES:
                events.append((self._at(where, event, kind), kind, (where, event)))
            else:
                self._found.leave(where, f"event {kind} of memory {id_}", "it changed nothing")
        moment, what = self._found.moment, f"memory {id_}"
        first = moment(place, what, memory, "created_at")
        last = max((at for at in (first, *(event[0] for event in events)) if at), default=None)
        ordered = [(at or last or utc_now(), kind, record) for at, kind, record in events]
        ordered.sort(key=lambda event: (event[0], _CHANGES.index(event[1])))
        group = group_of(memory) or next((group_of(record[1]) for *_, record in ordered), "")
        texts: list[Text] = []
        for number, (at, kind, (where, event)) in enumerate(ordered):
            old, words = event.get("old_memory"), event.get("new_memory")
            if not texts and kind != "ADD" and spoken(old):
                born = moment(where, what, event, "created_at") or at
                if kind == "DELETE" or born < at:
                    texts.append(_text(f"{id_}:before", where, event, str(old), born, group))
            if texts and texts[-1].until is None:
                texts[-1].until = at
                texts[-1].metadata["ended_by"] = kind
            what = f"event {kind} of memory {id_}"
            if kind != "DELETE" and not self._found.wordless(where, what, words):
                version = f"{id_}:{event.get('id', number)}"
                texts.append(_text(version, where, event, str(words), at, group))
        self._present(id_, place, memory, texts, group)
        for text in texts:
            self._found.texts[text.id] = text

    def _present(
        self, id_: str, place: str, memory: Mapping[str, Any], texts: list[Text], group: str
    ) -> None:
        """Take the memory as it stands, unless that is the last of its versions."""
        if not memory or self._found.wordless(place, f"memory {id_}", memory["memory"]):
            return
        fields = filled(memory, _SAID)
        alike = [text for text in texts if text.content == memory["memory"] and text.until is None]
        if alike:
            alike[-1].metadata |= fields
            return
        written = self._found.moment(place, f"memory {id_}", memory, "updated_at", "created_at")
        if written is None:
            written = utc_now()
            self._found.notes.append(f"{place}: memory {id_} has no time: it is taken to be of now")
        if texts and texts[-1].until is None:
            texts[-1].until = max(written, texts[-1].at)
        text = _text(id_, place, memory, memory["memory"], written, group)
        text.metadata = {"memory_id": id_, **fields}
        texts.append(text)

    def _at(self, place: str, event: Mapping[str, Any], kind: str) -> datetime | None:
        """Return when something became of a memory: an update keeps when that was made, too."""
        order = ("created_at", "updated_at") if kind == "ADD" else ("updated_at", "created_at")
        what = f"{kind} of memory {event['memory_id']}"
        at = self._found.moment(place, what, event, *order)
        if at is None:
            self._found.notes.append(f"{place}: {what} has no time: the last that is known of it")
        return at

    def _relation(self, place: str, record: Mapping[str, Any]) -> None:
        found, group = self._found, group_of(record)
        target = next((record[name] for name in _TARGETS if record.get(name)), None)
        what = f"relation {shown(record.get('relationship'))}"
        if not isinstance(record.get("source"), str) or not isinstance(target, str):
            found.leave(place, what, "it does not name two entities")
            return
        for name, kind in ((record["source"], "source_type"), (target, "destination_type")):
            type_ = relation_of(str(record.get(kind) or "thing"))
            found.nodes.setdefault(
                f"{group}/{name}", Node(f"{group}/{name}", name, type_, {}, group, place)
            )
        id_ = f"{group}/{record['source']}/{record['relationship']}/{target}"
        found.links[id_] = Link(
            id_,
            f"{group}/{record['source']}",
            f"{group}/{target}",
            relation_of(str(record["relationship"])),
            "",
            group,
            place,
            known_at=found.moment(place, what, record, "created_at"),
            attributes=filled(record, {"source", "relationship", "user_id", *_TARGETS}),
        )


def _text(
    id_: str, place: str, record: Mapping[str, Any], words: str, at: datetime, group: str
) -> Text:
    user = record.get("user_id")
    return Text(
        id_,
        words,
        at,
        "text",
        group,
        place,
        description="Mem0",
        metadata=filled(record, _VERSION),
        author=user if isinstance(user, str) and user.strip() else None,
        read=True,
    )
