"""When large groups are written to the files beside the store, so that one is always near.

A process may be killed at any moment; the next opening then reads a file and, from the log, what
came after it, about 0.1 ms a record. So a group is written as soon as it is large, whenever a sixth
of it has changed since, and at the end: all files of a growing group together are six times the
last one. Everything stops for the copying, 1.5 µs a row; sorting and writing go on beside.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable

from graphrag.index.group import GroupIndex
from graphrag.index.saved import Copy, SavedGroups, copy_of
from graphrag.store.store import Store

_log = logging.getLogger(__name__)
LARGE = 10_000
"""Rows from which reading the tables takes long enough, half a second, to save them."""
MANY = 10_000
"""Changed records that take a second to read from the log."""
_SHARE = 6
"""Of the rows of a large group as many may have changed since it was saved."""
_MANY_EVENTS = 200


class Checkpoints:
    """The files of the groups of one open store: none, unless it is in a folder."""

    def __init__(self, store: Store, dimension: int) -> None:
        self._store = store
        self._dimension = dimension
        self._files: SavedGroups | None = None
        self._at: dict[str, int] = {}
        """The newest event in the file of each group; 0 if that could not be written."""
        self._changed: Counter[str] = Counter()
        """Records of each group that changed since."""
        self._writing: dict[str, tuple[Copy, asyncio.Task[None]]] = {}
        target = store.target
        if target.path is not None:
            place = target.namespace, target.database
            self._files = SavedGroups(target.path / "columns", *place)

    async def load(self, group: str) -> GroupIndex | None:
        """Return a group as it was when it was saved; None if that is of no use.

        Another history may have the same number of events: of a restored backup, say.
        """
        stamp = None if self._files is None else self._files.stamp(group, self._dimension)
        if stamp is None or await self._store.moment_of(group, stamp.seq) != stamp.at:
            return None
        assert self._files is not None
        index = await asyncio.to_thread(self._files.load, group)
        if index is None or index.seq != stamp.seq:
            return None
        self._note(index)
        return index

    def changed(self, index: GroupIndex, records: int = 0) -> None:
        """Take note of a commit that is in the index, or of a load; save the group if it is time.

        To be called while nobody writes to the group.
        """
        self._changed[index.group_id] += records
        if self._due(index):
            self._save(index)

    async def close(self, groups: list[GroupIndex]) -> None:
        """Save what is not as it was saved, and wait for all that is being saved."""
        for index in groups:
            await self._written(index.group_id)
            if self._due(index, closing=True):
                self._save(index)
                await self._written(index.group_id)

    async def discard(self, group: str) -> None:
        """Delete the file of a group, before something in it is forgotten."""
        if group in self._writing:
            self._writing[group][0].dropped.set()
            await self._written(group)
        self._at.pop(group, None)
        self._changed.pop(group, None)
        if self._files is not None:
            self._files.discard(group)

    def _due(self, index: GroupIndex, *, closing: bool = False) -> bool:
        group, rows = index.group_id, rows_of(index)
        if self._files is None or rows < LARGE or group in self._writing:
            return False
        at, changed = self._at.get(group), self._changed[group]
        if closing:
            return not at or index.seq - at >= _MANY_EVENTS or 20 * changed >= rows
        return at is None or changed >= max(MANY, rows // _SHARE)

    def _save(self, index: GroupIndex) -> None:
        """Save a group as it is now: the one place where the files beside a store are begun."""
        copy = copy_of(index)
        self._note(index)
        rows = self._store.held.checkpoint()
        self._writing[copy.group] = copy, asyncio.create_task(self._write(copy, rows))

    async def _write(self, copy: Copy, rows: Callable[[], None]) -> None:
        try:
            await asyncio.to_thread(rows)
            at = await self._store.moment_of(copy.group, copy.seq)
            if at is not None and self._files is not None:
                await asyncio.to_thread(self._files.write, copy, at, self._dimension)
        except OSError as error:
            _log.warning(
                "the columns of group %r were not saved beside the store (%s): nothing is lost, "
                "the next opening reads the tables",
                copy.group,
                error,
            )
            self._at[copy.group] = 0
        finally:
            del self._writing[copy.group]

    async def _written(self, group: str) -> None:
        """Wait until the group is not being written."""
        if group in self._writing:
            await asyncio.shield(self._writing[group][1])

    def _note(self, index: GroupIndex) -> None:
        self._at[index.group_id] = index.seq
        self._changed[index.group_id] = 0


def rows_of(index: GroupIndex) -> int:
    """Return how large a group is."""
    return len(index.facts) + len(index.entities) + len(index.episodes)
