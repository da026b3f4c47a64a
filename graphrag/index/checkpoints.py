"""Schedule of snapshots of large groups, so that a killed process restarts near one.

Replaying the log costs 0.1 ms a record. A group is written once large, after each sixth changed,
and at close: six times the last file in all. Copying stops everything, 0.5 µs a row; the rest runs
aside.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from weakref import WeakKeyDictionary

from graphrag.errors import StoreError
from graphrag.index.group import GroupIndex
from graphrag.index.snapshot import Copy, SavedGroups, copy_of
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
    """It was said that it could not be written."""


class Checkpoints:
    """The files of the groups of one open store: none, unless it is in a folder."""

    def __init__(self, store: Store, dimension: int) -> None:
        self._store = store
        self._dimension = dimension
        self._files: SavedGroups | None = None
        self._saved: WeakKeyDictionary[GroupIndex, _Saved] = WeakKeyDictionary()
        self._writing: dict[str, tuple[Copy, asyncio.Task[None]]] = {}
        target = store.target
        if target.path is not None:
            place = target.namespace, target.database
            self._files = SavedGroups(target.path / "columns", *place)

    async def load(self, group: str) -> GroupIndex | None:
        """Return a group as it was when it was saved; None if that is of no use.

        Another history may have the same number of events: of a restored backup, say.
        """
        await self._written(group)  # it may just have been let go
        stamp = None if self._files is None else self._files.stamp(group, self._dimension)
        if stamp is None or await self._store.moment_of(group, int(stamp["seq"])) != stamp["at"]:
            return None
        assert self._files is not None
        index = await asyncio.to_thread(self._files.load, group, stamp)
        if index is None:
            return None
        self._saved[index] = _Saved(index.seq)
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
        self._saved_of(index).changed += records
        if self._due(index):
            self._save(index)

    def leave(self, index: GroupIndex) -> None:
        """Save a group that is to be let go of, if reading it again would take long.

        One at a time, what is written is still in memory: a disk that cannot keep up saves less.
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
        """Delete the file of a group, before something in it is forgotten.

        ``index`` is what is in memory of it.

        Raises:
            OSError: if it cannot be deleted.
        """
        if group in self._writing:
            self._writing[group][0].dropped.set()
            await self._written(group)
        if index is not None:
            self._saved.pop(index, None)
        if self._files is not None:
            self._files.discard(group)

    def _due(self, index: GroupIndex, *, closing: bool = False, leaving: bool = False) -> bool:
        group, rows = index.group_id, rows_of(index)
        least = LEAVING if leaving else LARGE
        if self._files is None or rows < least or group in self._writing:
            return False
        at, changed = self._saved_of(index).at, self._saved_of(index).changed
        if closing or leaving:
            return not at or index.seq - at >= _MANY_EVENTS or 20 * changed >= rows
        return at is None or changed >= max(MANY, rows // _SHARE)

    def _save(self, index: GroupIndex, *, rows: bool = True) -> None:
        """Save a group as it is now, with what is known of ``rows``.

        The one place where the files beside a store are begun.
        """
        saved = self._saved_of(index)
        saved.at, saved.changed = index.seq, 0
        try:
            copy = copy_of(index)
        except MemoryError as error:
            _unsaved(index.group_id, saved, error)
            return
        known = self._store.held.checkpoint() if rows else None
        self._writing[index.group_id] = copy, asyncio.create_task(self._write(copy, saved, known))

    async def _write(self, copy: Copy, saved: _Saved, rows: Callable[[], None] | None) -> None:
        try:
            if rows is not None:
                await asyncio.to_thread(rows)
            at = await self._store.moment_of(copy.index.group_id, copy.index.seq)
            if at is not None and self._files is not None:
                await asyncio.to_thread(self._files.write, copy, at, self._dimension)
        except (OSError, ValueError, TypeError, KeyError, MemoryError, StoreError) as error:
            _unsaved(copy.index.group_id, saved, error)
        finally:
            del self._writing[copy.index.group_id]

    async def _written(self, group: str) -> None:
        """Wait until the group is not being written."""
        if group in self._writing:
            await asyncio.shield(self._writing[group][1])

    def _saved_of(self, index: GroupIndex) -> _Saved:
        return self._saved.setdefault(index, _Saved())


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
