"""Whose export some files are, what is in it, and what of that can come in."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import get_args

from graphrag.errors import InputError
from graphrag.ingest.given import End, given_end, given_fact
from graphrag.ingest.intake import NewEpisode, checked_group, prepare
from graphrag.io.memories.dump import files_of, records_of
from graphrag.io.memories.graphiti import GraphReader
from graphrag.io.memories.mem0 import MemoryReader
from graphrag.io.memories.portable import NAMES, Link, Node, Of, Portable, Text
from graphrag.model.checks import shown
from graphrag.model.extraction import Mention
from graphrag.model.values import Episode
from graphrag.names.key import name_key


def read_memory(paths: Sequence[Path], of: Of | None) -> Portable:
    """Read an export to its end; nothing is written.

    Raises:
        InputError: if a file cannot be read, or it is nobody's export that is known.
    """
    files = files_of(paths)
    whose = of or looks_like(files)
    if whose is None:
        for file in files:  # one that cannot be read to its end says so itself
            for _ in records_of(file):
                pass
    if whose is None or whose not in get_args(Of):
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
    """Return the group here of each group there.

    Raises:
        InputError: if one has a name that none can have here.
    """
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
    """Return the entity that a node becomes.

    Raises:
        InputError: if it cannot be one.
    """
    return given_end(node.name, node.entity_type, attributes=node.attributes, what="name")


def key_of(text: Text, of: Of) -> str:
    """Return the key of the episode that a text becomes."""
    return f"{of}:{text.id}"


def prepared(text: Text, of: Of, group: str) -> Episode:
    """Return the episode that a text becomes.

    Raises:
        InputError: if it cannot be one.
    """
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
    subject, object_ = (End(Mention(found.nodes[one].name)) for one in (link.source, link.target))
    given_fact(
        subject,
        link.relation,
        object_,
        valid_at=link.valid_at,
        invalid_at=link.invalid_at,
        text=link.text,
        attributes=link.attributes,
    )
