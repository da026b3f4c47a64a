"""Bring what waits in memory into the store's files, by closing and opening it.

SurrealKV gathers the writes of a session in memory and in its log, and only closing it brings them
into its tables (surrealdb-embedded 3.0.0b10 does not start what would do so meanwhile). After
1 GiB it begins anew beside that; when both are full, the next write waits for ever. So the store is
closed and opened between two transactions when its log has grown to half of that, which takes one
or two seconds, and memory stays bounded.
"""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphrag.store.engine import Engine, EngineError, Row, open_engine
from graphrag.store.target import Target

MOST = 512 * 1024 * 1024
"""Bytes of the log: one transaction more may fill a gigabyte."""


class FlushingEngine:
    """An embedded store in a folder."""

    def __init__(self, engine: Engine, target: Target, log: Path) -> None:
        self._engine = engine
        self._target = target
        self._log = log
        self._flying = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self._renewal: asyncio.Task[None] | None = None

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements; before a transaction the store may be opened anew."""
        if self._renewal is None and sql.startswith("BEGIN;") and self._waiting() > MOST:
            self._renewal = asyncio.create_task(self._renew())
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
        """Shut the engine down."""
        if self._renewal is not None:
            await asyncio.wait([self._renewal])
        await self._engine.close()

    def _waiting(self) -> int:
        """Return the bytes of the log."""
        try:
            return sum(file.stat().st_size for file in self._log.iterdir())
        except FileNotFoundError:  # a part of it was just removed
            return 0

    async def _renew(self) -> None:
        try:
            await self._idle.wait()
            await self._engine.close()
            self._engine = await open_engine(self._target)
        except RuntimeError as error:
            raise EngineError(str(error)) from None
        finally:
            self._renewal = None


async def open_flushing(target: Target) -> Engine:
    """Open whichever engine a target needs; one in a folder brings its writes into files."""
    engine = await open_engine(target)
    return engine if target.path is None else FlushingEngine(engine, target, target.path / "wal")
