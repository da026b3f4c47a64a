"""Whose export some files are, and what is in it."""

from collections.abc import Sequence
from pathlib import Path
from typing import get_args

from graphrag.errors import InputError
from graphrag.io.memories.dump import files_of, records_of
from graphrag.io.memories.graphiti import GraphReader
from graphrag.io.memories.mem0 import MemoryReader
from graphrag.io.memories.portable import Of, Portable


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
