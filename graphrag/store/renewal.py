"""Renewal of an embedded store: close and reopen, to flush what SurrealKV holds in memory.

surrealdb-embedded 3.0.0b10 flushes memory tables only on close. It has two, of 64 MiB (below 1 GiB
of RAM) to 1 GiB; when both are full the next write blocks for ever. So the store is reopened, in 1
to 2 s, between two transactions once the log is a quarter of its files.

Transactions go one at a time so that the log offset of each is known. Without disk space one is
refused; a failed write is cut off the log and the store reopened.
"""

import asyncio
import ctypes
import os
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from graphrag.errors import TransactionError
from graphrag.store.engine import Engine, EngineError, Row, open_engine
from graphrag.store.private import PrivateFolder
from graphrag.store.process import LogState, WriteAheadLog, files_of, lock_of
from graphrag.store.record import Packed
from graphrag.store.target import LOCKED, Target

_LEAST, _MOST = 32 << 20, 512 << 20
"""Bytes of the log at which a store is opened anew on the smallest and on the largest machine."""
_WORTH = 64 << 20
"""Bytes of the log that are worth opening a small store anew, where there is memory for it."""
_SHARE = 64
"""Part of the machine's memory: of a table in memory it is at most one, whatever the machine."""
_GROWTH = 8
"""Bytes that a byte of a transaction takes at most: 3.5 in the log, as many in the tables."""
_SPARE = 2 << 20
"""Bytes that must stay free beside: for the heads of tables and two versions of the manifest."""
# It may hold the lock of a folder that was moved a moment longer than close() takes.
_UNLOCK_SECONDS, _PAUSE = 1.0, 0.05
_HARMLESS = re.compile("can be retried|prior error")
"""Reasons for which the engine did not even try to write."""


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
        self._engine, self._target, self._path, self._folder = engine, target, path, folder
        self._log, self._lock = WriteAheadLog(path), lock_of(path)
        self._most = most  # bytes of the log of a large store
        self._limit = self._log_limit()
        self._writing = asyncio.Lock()
        self._spoiled: LogState | None = None
        """Where the log ended before what could not be written; the store is opened anew first."""
        self._flying = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._renewal: asyncio.Task[None] | None = None

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements; before a transaction the store may be opened anew."""
        if not sql.startswith("BEGIN;"):
            return await self._pass_on(sql, params)
        # Whoever is cancelled leaves, and the engine finishes what it was given before the next.
        return await asyncio.shield(asyncio.create_task(self._write(sql, params)))

    async def _write(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        async with self._writing:
            packed = {name: Packed.of(value) for name, value in params.items()}
            before = await self._ready(sum(len(value.data) for value in packed.values()))
            try:
                rows = await self._pass_on(sql, packed)
            except EngineError:
                if self._log.state() != before:
                    await asyncio.to_thread(self._refuse, before)
                raise
            cause = rows[-1]["result"] if rows[-1]["status"] != "OK" else ""
            if cause.startswith("Cannot COMMIT") and not _HARMLESS.search(cause):
                await asyncio.to_thread(self._refuse, before)
            return rows

    async def _pass_on(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        if self._renewal is not None:
            await asyncio.shield(self._renewal)
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
        async with self._writing:
            await self._engine.close()
        if self._folder is not None:
            await asyncio.to_thread(self._folder.close)

    def _log_limit(self) -> int:
        files = files_of(self._path / "sstables").values()
        return min(self._most, max(_WORTH, sum(state.st_size for state in files) // 4))

    async def _ready(self, size: int) -> LogState:
        """Return where the log ends, once there is room after it for a transaction of some size."""
        if lock_of(self._path) != self._lock:
            raise TransactionError(
                f"nothing was written: {self._path} was deleted, moved or replaced while the "
                "graph was open, and what it held is not there any more; close the graph, put "
                "the folder back or restore a backup, and open it again"
            )
        state = self._log.state()
        needed = state.size + _GROWTH * size + _SPARE
        free = shutil.disk_usage(self._path).free
        short = free < needed and state.size > _SPARE
        if self._spoiled or state.size > self._limit or short:
            if free < state.size + _SPARE:
                raise self._full(free, needed)
            self._renewal = asyncio.create_task(self._renew())
            await asyncio.shield(self._renewal)
            state, free = self._log.state(), shutil.disk_usage(self._path).free
            needed = state.size + _GROWTH * size + _SPARE
        if free < needed:
            raise self._full(free, needed)
        return state

    def _full(self, free: int, needed: int) -> TransactionError:
        return TransactionError(
            f"nothing was written: the disk of {self._path} is full: {free / 1e6:.1f} MB are free, "
            f"{needed / 1e6:.1f} are needed for this and for closing the store; make room and "
            "write it again"
        )

    def _refuse(self, state: LogState) -> None:
        self._spoiled = state
        try:
            self._log.refuse(state)
        except OSError as error:
            raise EngineError(
                f"a transaction failed, and {error.filename} could not be mended "
                f"({error.strerror}): whether it is written shows when the store is opened again"
            ) from None

    async def _renew(self) -> None:
        try:
            await self._idle.wait()
            self._spoiled = self._spoiled or self._log.state()  # until it is open again
            await self._engine.close()
            self._engine = await _open_mended(self._target, self._log)
            self._lock = lock_of(self._path)
            self._spoiled = None
            await asyncio.to_thread(give_back)
            self._limit = self._log_limit()
        except (RuntimeError, OSError) as error:
            raise EngineError(str(error)) from None
        finally:
            self._renewal = None


async def _open_mended(target: Target, log: WriteAheadLog) -> Engine:
    """Open the engine on a log that ends with a whole record, in a file that it goes on with."""
    patience = asyncio.get_running_loop().time() + _UNLOCK_SECONDS
    while True:
        if not await asyncio.to_thread(log.mend) and asyncio.get_running_loop().time() < patience:
            await asyncio.sleep(_PAUSE)  # an engine that was closed may still hold it
            continue
        before = log.state()
        try:
            engine = await open_engine(target)
        except EngineError as error:
            if LOCKED not in str(error) or asyncio.get_running_loop().time() > patience:
                raise
            await asyncio.sleep(_PAUSE)
            continue
        if not before.end or log.state().file == before.file:
            return engine
        await engine.close()  # it replaced a damaged file, and would write into the old one


async def open_flushing(target: Target, *, most: int | None = None) -> Engine:
    """Open whichever engine a target needs; ``mem://`` becomes a private folder."""
    if not target.embedded:
        return await open_engine(target)
    most = most_log(machine_memory()) if most is None else most
    if target.path is not None:
        engine = await _open_mended(target, WriteAheadLog(target.path))
        return FlushingEngine(engine, target, target.path, most=most)
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
    """Return to the system what the engine has freed: glibc keeps it otherwise."""
    if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
        trim(0)


def machine_memory() -> int:
    """Return the bytes of memory of this machine or container; 0 where nothing tells."""
    if not hasattr(os, "sysconf"):
        return 0
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for place in ("memory.max", "memory/memory.limit_in_bytes"):  # version 2 and 1
        limit = Path("/sys/fs/cgroup", place)
        if limit.exists() and (text := limit.read_text().strip()).isdigit():
            size = min(size, int(text))
    return size
