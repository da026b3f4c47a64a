"""Snapshot file of a group's columns, so that opening need not read the tables.

It is a copy, used only if the store's log still has its event with the same moment; later events
come from the log, and anything unexpected means reading the tables. It holds ``arrays.py`` data
only and is treated as untrusted.
"""

import hashlib
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import Event
from typing import TypeVar

import numpy as np

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.filed import FiledTexts
from graphrag.index.group import GroupIndex
from graphrag.index.row_ids import Ids
from graphrag.store.cache_file import (
    MALFORMED,
    DamagedFileError,
    Head,
    files_in,
    open_private,
    read_head,
)

_LOG = logging.getLogger("graphrag")
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Copy:
    """A group as it was at one event, to be written while it goes on changing."""

    index: GroupIndex
    dropped: Event = field(default_factory=Event)
    """Set when it must not be written any more: something in it is to be forgotten."""

    def arrays(self) -> ArrayWriter:
        """Return what is to be written."""
        out, index = ArrayWriter(), self.index
        out.texts("relations", index.relations)
        out.texts("types", index.types)
        out.texts("saga_codes", index.saga_codes)
        out.texts("sagas", index.sagas)
        out.texts("saga_ids", index.sagas.values())
        index.entities.save(out, "entities")
        index.facts.save(out, "facts")
        index.episodes.save(out, "episodes")
        index.passages.save(out, "passages")
        index.communities.save(out, "communities")
        entities, episodes = (_numbered(scope.ids) for scope in (index.entities, index.episodes))
        index.names.save(out, "names", entities)
        index.summaries.save_by_row(out, "summaries", entities)
        index.heirs.save(out, "heirs")
        index.timeline.save(out, "timeline", episodes)
        return out


def copy_of(index: GroupIndex) -> Copy:
    """Copy a group that nothing is being written to.

    What is large stays in the memory of both: whoever changes it changes a copy.
    """
    return Copy(index.share())


def _numbered(ids: Ids) -> dict[str, int]:
    """Return the last row of each id."""
    return dict(zip(ids, range(len(ids)), strict=True))


def _read(arrays: ArrayReader) -> GroupIndex:
    """Return the group that was copied."""
    index = GroupIndex(str(arrays.said["group"]), int(arrays.said["dimension"]))
    index.seq = int(arrays.said["seq"])
    for relation in arrays.distinct("relations"):
        index.relation_code(relation)
    for kind in arrays.distinct("types"):
        index.type_code(kind)
    for saga in arrays.distinct("saga_codes"):
        index.saga_code(saga)
    sagas = arrays.texts("sagas")
    index.sagas = dict(zip(sagas, arrays.texts("saga_ids", len(sagas)), strict=True))
    index.entities.load(arrays, "entities", {"type": range(len(index.types))})
    entities = range(len(index.entities))
    relations = range(len(index.relations))
    ends = {"subject": entities, "object": entities, "relation": relations}
    index.facts.load(arrays, "facts", ends)
    index.episodes.load(arrays, "episodes", {"saga": range(-1, len(index.saga_codes))})
    index.episodes.load_links(arrays, "episodes", len(index.entities), len(index.facts))
    index.passages.load(arrays, "passages", {"episode": range(len(index.episodes))})
    index.communities.load(arrays, "communities", {})
    index.names.load(arrays, "names", index.entities.ids, index.entities.alive.values)
    index.summaries.take(FiledTexts(arrays, "summaries", index.entities.ids))
    index.heirs.load(arrays, "heirs")
    index.timeline.load(arrays, "timeline", index.episodes)
    return index


class SavedGroups:
    """The files of one store."""

    def __init__(self, folder: Path, *place: str) -> None:
        self._folder = folder
        self._place = place
        """What tells stores in one folder apart: their namespace and database."""

    def write(self, copy: Copy, at: int, dimension: int) -> None:
        """Write a copy as its group's file, whole or not at all; on any thread.

        Raises:
            OSError: if the disk refuses.
        """
        group = copy.index.group_id
        stamp = _stamp(group, dimension, copy.index.seq, at)
        copy.arrays().write(self._path(group), stamp, lambda: not copy.dropped.is_set())

    def stamp(self, group: str, dimension: int) -> Head | None:
        """Return what a group's file says of itself, None if there is none of this version.

        ``seq`` is the newest event in it, and ``at`` its system time in microseconds.
        """
        return self._believed(group, lambda: self._stamp(group, dimension))

    def load(self, group: str, stamp: Head) -> GroupIndex | None:
        """Return a group from its file, None if that is not what was written at this event."""
        return self._believed(group, lambda: _read(self._arrays(group, stamp)))

    def _believed(self, group: str, read: Callable[[], Item | None]) -> Item | None:
        try:
            return read()
        except (OSError, MemoryError, *MALFORMED) as error:
            _LOG.warning(
                "the columns of group %r beside the store are of no use (%s): nothing is lost, "
                "they are read from the tables and saved again",
                group,
                _reason(error),
            )
            return None

    def damage(self, group: str, dimension: int) -> list[str]:
        """Return what is wrong with a group's file, if it is one that would be used."""
        try:
            stamp = self._stamp(group, dimension)
            if stamp is not None:
                self._arrays(group, stamp).verify()
        except OSError:
            return []  # whoever reads it finds that out, and says so
        except (MemoryError, *MALFORMED) as error:
            return ["the columns beside the store are of no use: " + _reason(error)]
        return []

    def _stamp(self, group: str, dimension: int) -> Head | None:
        path = self._path(group)
        if path not in files_in(self._folder):
            return None
        with open_private(path, "rb") as file:
            said: Head = read_head(file)["said"]
        seq, at = said["seq"], said["at"]
        if not all(type(number) is int and abs(number) < 1 << 63 for number in (seq, at)):
            raise DamagedFileError("its first line says something else")
        return said if said == _stamp(group, dimension, seq, at) else None

    def _arrays(self, group: str, stamp: Head) -> ArrayReader:
        arrays = ArrayReader(self._path(group))
        if arrays.said != stamp:
            raise DamagedFileError("it is of another event")
        return arrays

    def discard(self, group: str) -> None:
        """Delete a group's file, if there is one, and what is left of one half written."""
        for path in (self._path(group), self._path(group).with_suffix(".partial")):
            path.unlink(missing_ok=True)

    def _path(self, group: str) -> Path:
        name = hashlib.sha256("\0".join((*self._place, group)).encode()).hexdigest()
        return self._folder / f"{name[:32]}.columns"


def _reason(error: Exception) -> str:
    explained = isinstance(error, OSError | DamagedFileError)
    return str(error) if explained else f"not what was written: {type(error).__name__}"


def _stamp(group: str, dimension: int, seq: str | int, at: str | int) -> Head:
    """Return what a file of this version says of itself."""
    code = code_version()
    return {"group": group, "seq": seq, "at": at, "dimension": dimension, "code": code}


@cache
def code_version() -> str:
    """Return a name for the layout of the columns: it changes with their code, and with numpy."""
    code = hashlib.sha256(f"{sys.version_info[:2]} {np.__version__}".encode())
    for room in ("index", "names", "text"):
        for path in sorted((Path(__file__).parents[1] / room).glob("*.py")):
            code.update(path.read_bytes())
    return code.hexdigest()
