"""Files of large groups beside the store, so that opening need not read the tables.

A file is a copy, used only if the log still has its event with the same moment; later events come
from the log, 0.1 ms a record, and anything unexpected means reading the tables. It is untrusted.

A group is written once large, after each sixth changed, and at close: six times the last file in
all. Copying stops everything, 0.5 µs a row; the rest runs aside.
"""

import asyncio
import hashlib
import logging
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from threading import Event
from weakref import WeakKeyDictionary

import numpy as np

from graphrag.errors import StoreError
from graphrag.index.array_file import ArrayReader, ArrayWriter, FileStamp, read_footer
from graphrag.index.group import GroupIndex
from graphrag.store.private import MALFORMED, DamagedFileError, code_hash, files_in, open_private
from graphrag.store.store import Store

_LOG = logging.getLogger("graphrag")
LARGE = 10_000
"""Rows from which reading the tables takes long enough, half a second, to save them."""
LEAVING = 1_000
"""Rows from which a group is saved before it is let go of: reading them takes 50 ms."""
MANY = 10_000
"""Changed records that take a second to read from the log."""
_SHARE = 6
"""Of the rows of a large group as many may have changed since it was saved."""
_MANY_EVENTS = 200


@dataclass(slots=True)
class _Saved:
    """How far the file of a group is behind."""

    at: int | None = None
    """The newest event in it; 0 if that could not be written, None if it was not tried."""
    changed: int = 0
    """Records that changed since."""
    warned: bool = False


class Checkpoints:
    """The files of the groups of one open store: none, unless it is in a folder."""

    def __init__(self, store: Store, dimension: int) -> None:
        self._store, self._dimension = store, dimension
        self._files: ColumnFiles | None = None
        self._saved: WeakKeyDictionary[GroupIndex, _Saved] = WeakKeyDictionary()
        self._writing: dict[str, tuple[Event, asyncio.Task[None]]] = {}
        """The files that are being written; each stops once its event is set."""
        if (path := store.target.path) is not None:
            place = store.target.namespace, store.target.database
            self._files = ColumnFiles(path / "columns", *place)

    async def load(self, group: str) -> GroupIndex | None:
        """Return a group as it was when it was saved; None if that is of no use.

        Another history may have the same number of events: of a restored backup, say.
        """
        await self._written(group)  # it may just have been let go
        arrays = index = None
        if self._files is not None:
            with _unusable_logged(group):
                arrays = self._files.open(group, self._dimension)
        if arrays is None:
            return None
        seq, at = int(arrays.stamp["seq"]), arrays.stamp["at"]
        if await self._store.moment_of(group, seq) == at:
            with _unusable_logged(group):
                index = await asyncio.to_thread(read_group, arrays)
                self._saved[index] = _Saved(seq)
        return index

    async def damage(self, group: str) -> list[str]:
        """Return what is wrong with the file of a group, nothing if there is none to be used."""
        await self._written(group)
        if self._files is None:
            return []
        return await asyncio.to_thread(self._files.damage, group, self._dimension)

    def changed(self, index: GroupIndex, records: int = 0) -> None:
        """Take note of a commit that is in the index, or of a load; save the group if it is time.

        To be called while nobody writes to the group.
        """
        self._saved.setdefault(index, _Saved()).changed += records
        if self._due(index):
            self._save(index)

    def leave(self, index: GroupIndex) -> None:
        """Save a group that is to be let go of, if reading it again would take long.

        One at a time, as what is written stays in memory: a slow disk saves fewer groups.
        """
        if not self._writing and self._due(index, leaving=True):
            self._save(index, rows=False)

    async def close(self, groups: list[GroupIndex]) -> None:
        """Save what is not as it was saved, and wait for all that is being saved."""
        for index in groups:
            await self._written(index.group_id)
            if self._due(index, closing=True):
                # Whoever only wrote looked for no titles; every later opening would.
                await asyncio.to_thread(index.episodes.titles.catch_up, index.episodes.postings)
                self._save(index)
                await self._written(index.group_id)
        for group in [*self._writing]:
            await self._written(group)

    async def discard(self, group: str, index: GroupIndex | None) -> None:
        """Delete the file of a group, before something in it is forgotten."""
        if group in self._writing:
            self._writing[group][0].set()
            await self._written(group)
        if index is not None:
            self._saved.pop(index, None)
        if self._files is not None:
            self._files.discard(group)

    def _due(self, index: GroupIndex, *, closing: bool = False, leaving: bool = False) -> bool:
        rows, least = rows_of(index), LEAVING if leaving else LARGE
        if self._files is None or rows < least or index.group_id in self._writing:
            return False
        saved = self._saved.setdefault(index, _Saved())
        if closing or leaving:
            behind = not saved.at or index.seq - saved.at >= _MANY_EVENTS
            return behind or 20 * saved.changed >= rows
        return saved.at is None or saved.changed >= max(MANY, rows // _SHARE)

    def _save(self, index: GroupIndex, *, rows: bool = True) -> None:
        """Save a group as it is now, and with ``rows`` the file of rows.

        It is called while nobody writes. A thread writes a shared copy: whoever changes what is
        large meanwhile changes a copy of it.
        """
        saved = self._saved.setdefault(index, _Saved())
        saved.at, saved.changed = index.seq, 0
        try:
            copy = index.share()
        except MemoryError as error:
            _unsaved(index.group_id, saved, error)
            return
        known = self._store.cache.rows.checkpoint() if rows else None
        writing = self._write(copy, saved, known, dropped := Event())
        self._writing[index.group_id] = dropped, asyncio.create_task(writing)

    async def _write(
        self, copy: GroupIndex, saved: _Saved, rows: Callable[[], None] | None, dropped: Event
    ) -> None:
        try:
            if rows is not None:
                await asyncio.to_thread(rows)
            at = await self._store.moment_of(copy.group_id, copy.seq)
            if at is not None and self._files is not None:
                await asyncio.to_thread(self._files.write, copy, at, self._dimension, dropped)
        except (OSError, ValueError, TypeError, KeyError, MemoryError, StoreError) as error:
            _unsaved(copy.group_id, saved, error)
        finally:
            del self._writing[copy.group_id]

    async def _written(self, group: str) -> None:
        if group in self._writing:
            await asyncio.shield(self._writing[group][1])


def rows_of(index: GroupIndex) -> int:
    """Return how large a group is."""
    return len(index.facts) + len(index.entities) + len(index.episodes)


def _unsaved(group: str, saved: _Saved, error: Exception) -> None:
    saved.at = 0
    if not saved.warned:
        saved.warned = True
        _LOG.warning(
            "the columns of group %r were not saved beside the store (%s): nothing is lost, "
            "the next opening reads the tables",
            group,
            error,
        )


class ColumnFiles:
    """The files of one store; ``place``, namespace and database, tells those of a folder apart."""

    def __init__(self, folder: Path, *place: str) -> None:
        self._folder, self._place = folder, place

    def write(self, copy: GroupIndex, at: int, dimension: int, dropped: Event) -> None:
        """Write a copy as its group's file, whole or not at all, unless dropped; on any thread."""
        copy.exchange(file := ArrayWriter())
        stamp = _stamp(copy.group_id, dimension, copy.seq, at)
        file.write(self._path(copy.group_id), stamp, lambda: not dropped.is_set())

    def open(self, group: str, dimension: int) -> ArrayReader | None:
        """Return a group's file, None if there is none of this version."""
        if (path := self._path(group)) not in files_in(self._folder):
            return None
        with open_private(path, "rb") as file:
            if re.match(rb"[0-9a-f]{8} \{", file.read(10)):  # of an earlier version
                return None
            stamp = read_footer(file)[0].get("stamp")
        if not isinstance(stamp, dict):  # of another version, whose arrays may be others
            return None
        seq, at = stamp.get("seq"), stamp.get("at")
        if type(seq) is not int or type(at) is not int or max(abs(seq), abs(at)) >= 1 << 63:
            raise DamagedFileError("its stamp is no event")
        if stamp != _stamp(group, dimension, seq, at):
            return None
        arrays = ArrayReader(path)
        if arrays.stamp != stamp:
            raise DamagedFileError("it is of another event")
        return arrays

    def damage(self, group: str, dimension: int) -> list[str]:
        """Return what is wrong with a group's file, if it is one that would be used."""
        try:
            if (arrays := self.open(group, dimension)) is not None:
                arrays.verify()
        except OSError:
            return []  # whoever reads it finds that out, and says so
        except (MemoryError, *MALFORMED) as error:
            return ["the columns beside the store are of no use: " + _reason(error)]
        return []

    def discard(self, group: str) -> None:
        """Delete a group's file, if there is one, and what is left of one half written."""
        for path in (self._path(group), self._path(group).with_suffix(".partial")):
            path.unlink(missing_ok=True)

    def _path(self, group: str) -> Path:
        name = hashlib.sha256("\0".join((*self._place, group)).encode()).hexdigest()
        return self._folder / f"{name[:32]}.columns"


def read_group(arrays: ArrayReader) -> GroupIndex:
    """Return the group of a file."""
    index = GroupIndex(str(arrays.stamp["group"]), int(arrays.stamp["dimension"]))
    index.seq = int(arrays.stamp["seq"])
    index.exchange(arrays)
    return index


@contextmanager
def _unusable_logged(group: str) -> Iterator[None]:
    try:
        yield
    except (OSError, MemoryError, *MALFORMED) as error:
        _LOG.warning(
            "the columns of group %r beside the store are of no use (%s): nothing is lost, "
            "they are read from the tables and saved again",
            group,
            _reason(error),
        )


def _reason(error: Exception) -> str:
    if isinstance(error, OSError | DamagedFileError):
        return str(error)
    return f"not what was written: {type(error).__name__}"


def _stamp(group: str, dimension: int, seq: str | int, at: str | int) -> FileStamp:
    """Return what a file is of: a group, its newest event, the moment of that in µs, and so on."""
    stamp = {"group": group, "seq": seq, "at": at, "dimension": dimension}
    return stamp | {"code": code_version()}


@cache
def code_version() -> str:
    """Return a name for the layout of the columns: it changes with their code, and with numpy."""
    rooms = (Path(__file__).parents[1] / room for room in ("index", "names", "text"))
    sources = chain.from_iterable(sorted(room.glob("*.py")) for room in rooms)
    return code_hash(sources, sys.version_info[:2], np.__version__)
