"""Files of an export: their records, however they are wrapped, and what of them can come in.

A list or an object with lists in it is walked through, as answers of an API are; what the object
around a record says of all in it, such as whose memories they are, the record says, too.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from graphrag.errors import InputError
from graphrag.ingest.given import End, given_end, given_fact
from graphrag.ingest.intake import NewEpisode, checked_group, prepare
from graphrag.io.files import read_whole, refusals
from graphrag.io.folders import leads_out, stays_in
from graphrag.io.memories import AROUND, NAMES, Link, Node, Of, Portable, Record, Text
from graphrag.io.memories.graphiti import GraphReader
from graphrag.io.memories.mem0 import MemoryReader
from graphrag.model.checks import parsed_json, shown
from graphrag.model.extraction import Mention
from graphrag.model.values import JSON, Episode
from graphrag.names.key import name_key


def read_memory(paths: Sequence[Path], of: Of | None) -> Portable:
    """Read an export to its end; nothing is written."""
    files = files_of(paths)
    whose = of or looks_like(files)
    if whose is None:
        for file in files:  # one that cannot be read to its end says so itself
            for _ in records_of(file):
                pass
        raise InputError(
            f"{', '.join(file.name for file in files)}: this is no export of Graphiti, Zep or Mem0 "
            f"that can be recognised; say whose it is: one of {', '.join(get_args(Of))}"
        )
    records = (record for file in files for record in records_of(file))
    return MemoryReader().read(records) if whose == "mem0" else GraphReader(whose).read(records)


def looks_like(files: Sequence[Path]) -> Of | None:
    """Return whose export files are, by their first records; None if nobody's that is known."""
    for file in files:
        try:
            for _, record in records_of(file):
                if "properties" in record or {"uuid", "group_id"} <= record.keys():
                    return "graphiti"
                if {"memory", "memory_id", "relationship"} & record.keys():
                    return "mem0"
                if "uuid" in record or {"role", "content"} <= record.keys():
                    return "zep"
                break
        except InputError:
            continue
    return None


def groups_of(found: Portable, group: str, *, one_group: bool) -> dict[str, str]:
    """Return the group here of each group there."""
    return {
        theirs: group if one_group or not theirs else checked_group(theirs)
        for theirs in found.groups
    }


def leave_unfit(found: Portable, groups: Mapping[str, str]) -> None:
    """Leave out what no graph can hold, whatever it holds already: the same for a dry run."""
    for node in [*found.nodes.values()]:
        try:
            end_of(node)
        except InputError as error:
            found.leave(node.place, f"entity {shown(node.name)}", str(error))
            del found.nodes[node.id]
    for text in [*found.texts.values()]:
        try:
            prepared(text, found.of, groups[text.group])
        except InputError as error:
            found.leave(text.place, f"episode {shown(text.name or text.content)}", str(error))
            del found.texts[text.id]
    for link in [*found.links.values()]:
        try:
            _check(link, found, groups)
        except InputError as error:
            found.leave(link.place, f"fact {shown(link.text)}", str(error))
            del found.links[link.id]


def end_of(node: Node) -> End:
    """Return the entity that a node becomes."""
    return given_end(node.name, node.entity_type, attributes=node.attributes, what="name")


def key_of(text: Text, of: Of) -> str:
    """Return the key of the episode that a text becomes."""
    return f"{of}:{text.id}"


def prepared(text: Text, of: Of, group: str) -> Episode:
    """Return the episode that a text becomes."""
    return prepare(
        NewEpisode(
            text.content,
            reference_time=text.at,
            name=text.name,
            source=text.source,
            source_description=text.description or NAMES[of],
            metadata=text.metadata,
            saga=text.saga,
            key=key_of(text, of),
            author=text.author,
        ),
        group,
    )


def _check(link: Link, found: Portable, groups: Mapping[str, str]) -> None:
    ends = [found.nodes.get(id_) for id_ in (link.source, link.target)]
    names = []
    for end in ends:
        if end is None or groups[end.group] != groups[link.group]:
            raise InputError("an entity of it is not in the graph")
        names.append((name_key(end.name), end.entity_type))
    if names[0] == names[1]:
        raise InputError("both ends are the same entity")
    subject, object_ = (End(Mention(found.nodes[id_].name)) for id_ in (link.source, link.target))
    given_fact(
        subject,
        link.relation,
        object_,
        valid_at=link.valid_at,
        invalid_at=link.invalid_at,
        text=link.text,
        attributes=link.attributes,
    )


_ENDINGS = (".json", ".jsonl", ".ndjson", ".json.gz", ".jsonl.gz", ".ndjson.gz")
_DEEPEST = 8
_OF_RECORDS = ({"memory_id", "event"}, {"id", "memory"}, {"source", "relationship"})
_AROUND = (
    "user_id", "agent_id", "run_id", "group_id", "graph_id", "graph_uuid", "session_id",
    "thread_id", "memory_id",
)  # fmt: skip
"""Fields of an object that hold for all records in it."""
_PAGING = frozenset(
    {"count", "next", "previous", "row_count", "total_count", "response_count", "total", "page",
     "page_size", "has_more", "cursor", "next_cursor", "limit", "created_at", "updated_at", "uuid_"}
)  # fmt: skip


def files_of(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are meant; of a folder those of JSON, by name."""
    found: list[Path] = []
    for path in paths:
        with refusals("read", path):  # a name may be too long to ask for
            inside = sorted(path.iterdir()) if path.is_dir() else [path]
        if inside != [path]:
            inside = [file for file in inside if file.name.casefold().endswith(_ENDINGS)]
        for file in inside:
            if file != path and not stays_in(file, path):
                raise InputError(leads_out(file, path))
        found += inside
    if not found:
        raise InputError(f"there is no .json or .jsonl file in {', '.join(map(str, paths))}")
    return found


def records_of(file: Path) -> Iterator[Record]:
    """Yield the records of a file."""
    data = read_whole(file)
    lines = [(at, line) for at, line in enumerate(data.splitlines(), start=1) if line.strip()]
    if not lines:
        raise InputError(f"{file.name} is empty")
    if len(lines) == 1 or not _is_json(lines[0][1]):
        yield from _walk(parsed_json(file.name, data), file.name, {})
        return
    for number, line in lines:
        place = f"{file.name}, line {number}"
        yield from _walk(parsed_json(place, line), place, {})


def _is_json(line: bytes) -> bool:
    try:
        parsed_json("", line)
    except InputError:
        return False
    return True


def _walk(value: JSON, place: str, around: Mapping[str, Any], depth: int = 0) -> Iterator[Record]:
    if isinstance(value, list):
        for number, item in enumerate(value, start=1):
            yield from _walk(item, f"{place}, record {number}", around, depth + 1)
    elif not isinstance(value, Mapping):
        yield place, {"value": value}
    elif is_record(value) or not _wraps(value, depth):
        yield place, {**around, **value}
    else:
        own = {name: value[name] for name in _AROUND if isinstance(value.get(name), str)}
        inner = {name: item for name, item in value.items() if _holds(item, depth)}
        for name, item in inner.items():
            yield from _walk(item, f"{place}, {name}", {**around, **own}, depth + 1)
        rest = [
            name
            for name, item in value.items()
            if name not in {*own, *inner, *_PAGING} and item not in (None, "", [], {})
        ]
        if rest:
            yield place, {AROUND: rest}


def _wraps(value: Mapping[str, Any], depth: int) -> bool:
    return depth < _DEEPEST and any(_holds(item, depth) for item in value.values())


def _holds(value: JSON, depth: int) -> bool:
    if isinstance(value, list):
        return any(isinstance(item, Mapping) for item in value)
    return isinstance(value, Mapping) and (is_record(value) or _wraps(value, depth + 1))


def is_record(value: Mapping[str, Any]) -> bool:
    """Tell whether an object is a record, and no wrapping around some."""
    return (
        (value.get("type") in ("node", "relationship") and "id" in value)
        or isinstance(value.get("uuid"), str)
        or any(fields <= value.keys() for fields in _OF_RECORDS)
        or (isinstance(value.get("content"), str) and ("role" in value or "role_type" in value))
    )
