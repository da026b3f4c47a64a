"""One open database: queries, transactions retried on conflict, reconnecting to a lost server.

A failed transaction reports each of its statements, most of them only as "not executed due to a
failed transaction"; the one that was the cause is found here.
"""

import asyncio
import atexit
import random
import re
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from graphrag.errors import (
    StoreAuthError,
    StoreClosedError,
    StoreCorruptError,
    StoreError,
    StoreUnreachableError,
    TransactionError,
)
from graphrag.store.engine import Engine, EngineError, RemoteEngine, Row, open_engine
from graphrag.store.process import Owner, check_limits
from graphrag.store.renewal import give_back, open_flushing
from graphrag.store.target import (
    DENIED,
    Target,
    damaged,
    denial,
    disk_fault,
    folder_error,
    opening_error,
)

_RETRIES = 12
_PAUSES = tuple(0.05 * 2**attempt for attempt in range(8))
"""Seconds before each try to reach a server again that was lost: 13 in all."""
_DAMAGE = re.compile("SSTable error|corrupt|checksum|deseriali[sz]|panicked", re.IGNORECASE)
# A worker thread of the engine may still call into Python right after close(); without a pause
# before the interpreter ends one process in five aborted (surrealdb-embedded 3.0.0b10).
_SETTLE_SECONDS = 0.1


async def outlast(task: asyncio.Task[Any]) -> None:
    """Wait for the end of what must not be left half done; raise CancelledError only then."""
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled


class Connection:
    """A database connection that says what went wrong."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self.owner = Owner(f"the graph at {target.url}")
        self._engine: Engine | None = None
        self._reopening = asyncio.Lock()
        self._denial: str | None = None
        """Why nothing may be written, if so."""

    async def open(self) -> None:
        """Connect, sign in and select the namespace and database; a new folder is for its owner."""
        if self.target.embedded:
            check_limits()
        if self.target.path is not None:
            try:
                self.target.path.parent.mkdir(parents=True, exist_ok=True)
                self.target.path.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise folder_error(self.target, error) from None
        opening = asyncio.create_task(open_flushing(self.target))
        try:
            await outlast(opening)
            self._engine = opening.result()
        except EngineError as error:
            raise opening_error(self.target, str(error), unreachable=error.unreachable) from None
        except OSError as error:
            raise folder_error(self.target, error) from None
        except asyncio.CancelledError:
            # What is half open would abort the process at its end: it is opened, and closed.
            if not opening.cancelled() and opening.exception() is None:
                self._engine = opening.result()
                await outlast(asyncio.create_task(self.close()))
            raise

    async def prepare(self) -> None:
        """Make the table of what a store remembers of itself; who may not, may only read."""
        try:
            await self.query("DEFINE TABLE IF NOT EXISTS meta SCHEMALESS;")
        except StoreAuthError as error:
            [info] = await self.query("INFO FOR DB;")
            if "meta" not in info["tables"]:
                raise
            self._denial = str(error)

    async def query(self, sql: str, params: Mapping[str, Any] | None = None) -> list[Any]:
        """Run statements and return one result per statement."""
        results = await self._send(sql, params or {})
        if (cause := _cause(results)) is not None:
            raise self._refusal(cause)
        return [statement["result"] for statement in results]

    async def transact(self, statements: str, params: Mapping[str, Any]) -> None:
        """Run statements as one transaction: all of them, or none.

        A conflict with another writer is retried with growing pauses. What was sent when a server
        was lost is sent again: what it makes can be made only once, and what it sets is the same.
        A ``StoreUnreachableError`` leaves open whether it was written.
        """
        if self._denial is not None:
            raise StoreAuthError(self._denial)
        sql, again = f"BEGIN;\n{statements}\nCOMMIT;", False
        cause: str | None = None
        for attempt in range(_RETRIES):
            first = self._engine
            try:
                cause = _cause(await self._send(sql, params))
            except StoreUnreachableError as error:
                raise StoreUnreachableError(
                    f"{error}; it may be written or not: log.events() shows that"
                ) from None
            again = again or self._engine is not first
            made = cause and "already exists" in cause and "event:" not in cause
            if cause is None or (again and made):  # by what was sent before the server was lost
                return
            if "can be retried" not in cause:
                break
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
        refusal = self._refusal(cause)
        if isinstance(refusal, StoreCorruptError | StoreAuthError):
            raise refusal
        raise TransactionError(f"nothing was written: {disk_fault(cause) or cause}")

    async def close(self) -> None:
        """Close and give back what the engine held; closing twice is fine."""
        engine = self._engine
        if engine is None or not self.owner.here:
            return
        self._engine = None
        await engine.close()
        if self.target.embedded:
            atexit.unregister(_settle)
            atexit.register(_settle)
            del engine
            await asyncio.to_thread(give_back)

    async def news(self, sql: str) -> AsyncIterator[Row]:
        """Yield nothing once a server hears a LIVE query, and the rows that it tells of."""
        try:
            if isinstance(self._engine, RemoteEngine):
                async for row in self._engine.news(sql):
                    yield row
        except EngineError as error:
            raise self._refusal(str(error)) from None

    async def _send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        for pause in (*_PAUSES, None):
            if self._engine is None:
                what = f"the graph at {self.target.url} is not open"
                raise StoreClosedError(f"{what}: use 'async with GraphRAG.open(...)'")
            self.owner.check()
            engine = self._engine
            try:
                return await engine.send(sql, params)
            except EngineError as error:
                if pause is None or not error.lost:
                    if error.unreachable:
                        raise StoreUnreachableError(f"lost {self.target.url}: {error}") from None
                    raise self._refusal(str(error)) from None
            await asyncio.sleep(pause * random.uniform(0.5, 1))
            await self._reopen(engine)
        raise AssertionError

    async def _reopen(self, lost: Engine) -> None:
        """Reach a server again, unless that was done, or it does not answer yet."""
        async with self._reopening:
            if self._engine is not lost:
                return
            try:
                engine = await open_engine(self.target)
            except EngineError as error:
                if not error.unreachable:
                    raise opening_error(self.target, str(error), unreachable=False) from None
                return
            if self._engine is lost:
                engine, self._engine = lost, engine
        await engine.close()

    def _refusal(self, text: str | None) -> StoreError:
        if self.target.embedded and _DAMAGE.search(text or ""):
            return damaged(self.target, text or "")
        if DENIED in (text or "").lower():
            user = self._engine.user if isinstance(self._engine, RemoteEngine) else "the owner"
            return StoreAuthError(denial(self.target, f"{user}: {text}"))
        return StoreError(f"the database refused a query: {disk_fault(text) or text}")


def _settle() -> None:
    time.sleep(_SETTLE_SECONDS)


def _cause(results: list[Row]) -> str | None:
    failed = [str(row["result"]) for row in results if row["status"] != "OK"]
    causes = [text for text in failed if not text.startswith("The query was not executed")]
    return next(iter(causes or failed), None)
