"""Bring what waits in memory into the store's files, by closing and opening it.

SurrealKV gathers the writes of a session in memory and in its log, and only closing it brings them
into its tables (surrealdb-embedded 3.0.0b10 does not start what would do so meanwhile). It has two
tables in memory for that, of 64 MiB on a machine with less than 1 GiB, 128 MiB below 4 GiB, 256 MiB
below 16 GiB and 1 GiB or more above; when both are full, the next write waits for ever. So the
store is closed and opened between two transactions when its log has grown to a quarter of its
files, and long before those tables are full; that takes a second or two.
"""

import asyncio
import ctypes
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphrag.store.engine import Engine, EngineError, Row, open_engine
from graphrag.store.private import PrivateFolder
from graphrag.store.process import Presence
from graphrag.store.target import Target

_LEAST, _MOST = 32 << 20, 512 << 20
"""Bytes of the log at which a store is opened anew on the smallest and on the largest machine."""
_WORTH = 64 << 20
"""Bytes of the log that are worth opening a small store anew, where there is memory for it."""
_SHARE = 64
"""Part of the machine's memory: of a table in memory it is at most one, whatever the machine."""


class FlushingEngine:
    """An embedded store in a folder, which goes with it if it is private."""

    def __init__(
        self,
        engine: Engine,
        target: Target,
        path: Path,
        *,
        folder: PrivateFolder | None = None,
        most: int,
    ) -> None:
        self._engine = engine
        self._target = target
        self._path = path
        self._log = str(path / "wal")
        self._folder = folder
        self._presence = Presence(path)
        self._most = most
        """Bytes of the log of a large store."""
        self._limit = self._log_limit()
        self._flying = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._renewal: asyncio.Task[None] | None = None

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements; before a transaction the store may be opened anew.

        Raises:
            TransactionError: if its folder is not there any more.
        """
        writes = sql.startswith("BEGIN;")
        if self._renewal is None and writes and _size(self._log) > self._limit:
            self._renewal = asyncio.create_task(self._renew())
        if self._renewal is not None:
            await asyncio.shield(self._renewal)
        if writes:
            self._presence.check()
        self._flying += 1
        self._idle.clear()
        try:
            return await self._engine.send(sql, params)
        finally:
            self._flying -= 1
            if not self._flying:
                self._idle.set()

    async def close(self) -> None:
        """Shut the engine down; a private folder is removed."""
        if self._renewal is not None:
            await asyncio.wait([self._renewal])
        await self._engine.close()
        if self._folder is not None:
            await asyncio.to_thread(self._folder.close)

    def _log_limit(self) -> int:
        return min(self._most, max(_WORTH, _size(str(self._path / "sstables")) // 4))

    async def _renew(self) -> None:
        try:
            await self._idle.wait()
            await self._engine.close()
            self._engine = await open_engine(self._target)
            self._presence = Presence(self._path)
            await asyncio.to_thread(give_back)
            self._limit = self._log_limit()
        except RuntimeError as error:
            raise EngineError(str(error)) from None
        finally:
            self._renewal = None


async def open_flushing(target: Target, *, most: int | None = None) -> Engine:
    """Open whichever engine a target needs; one in a folder brings its writes into files.

    Args:
        target: Where it is; ``mem://`` becomes a private folder.
        most: Bytes of the log at which a large store is opened anew; default: by the machine.
    """
    if not target.embedded:
        return await open_engine(target)
    if most is None:
        most = most_log(machine_memory())
    if target.path is not None:
        return FlushingEngine(await open_engine(target), target, target.path, most=most)
    folder = await asyncio.to_thread(PrivateFolder)
    path = folder.path / "store"
    target = replace(target, url=f"surrealkv://{path}?sync=never")
    try:
        engine = await open_engine(target)
    except BaseException:
        folder.close()
        raise
    return FlushingEngine(engine, target, path, folder=folder, most=most)


def most_log(memory: int) -> int:
    """Return the bytes of the log at which a store is opened anew, whatever else it holds."""
    return min(_MOST, max(_LEAST, memory // _SHARE))


def give_back() -> None:
    """Return to the system what the engine has freed.

    glibc keeps it otherwise: 140 MB after reading 130 MB from a store that was closed since.
    """
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            trim(0)


def _size(folder: str) -> int:
    """Return the bytes of the files in a folder."""
    try:
        with os.scandir(folder) as files:  # half the time of Path.iterdir, before every write
            return sum(file.stat().st_size for file in files)
    except FileNotFoundError:  # a part of it was just removed
        return 0


def machine_memory() -> int:
    """Return the bytes of memory of this machine, or container, where the engine looks for them.

    0 where nothing tells.
    """
    if (info := Path("/proc/meminfo")).exists():
        size = int(info.read_text().split()[1]) << 10  # MemTotal: 24576000 kB
    elif hasattr(os, "sysconf"):
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    else:
        return 0
    for place in ("memory.max", "memory/memory.limit_in_bytes"):  # version 2 and 1
        limit = Path("/sys/fs/cgroup", place)
        if limit.exists() and (text := limit.read_text().strip()).isdigit():
            size = min(size, int(text))
    return size
