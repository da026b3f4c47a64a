"""One open database: queries, transactions that are retried on conflict, and a clean close.

A failed transaction reports each of its statements, most of them only as "not executed due to a
failed transaction"; the one that was the cause is found here.
"""

import asyncio
import atexit
import random
import time
from collections.abc import Mapping
from typing import Any

from graphrag.errors import (
    StoreAuthError,
    StoreClosedError,
    StoreCorruptError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreURLError,
    TransactionError,
)
from graphrag.store.engine import Engine, EngineError, Row
from graphrag.store.process import Owner, check_limits
from graphrag.store.renewal import give_back, open_flushing
from graphrag.store.target import Target

_RETRIES = 12
_LOCKED = "already locked"
# A worker thread of the engine may still call into Python right after close(); without a pause
# before the interpreter ends one process in five aborted (surrealdb-embedded 3.0.0b10).
_SETTLE_SECONDS = 0.1
# And it may hold the lock of a folder that was moved a moment longer than close() takes.
_UNLOCK_SECONDS, _PAUSE = 1.0, 0.05


async def outlast(task: asyncio.Task[Any]) -> None:
    """Wait for the end of what must not be left half done, however often this is cancelled.

    Raises:
        CancelledError: at the end, if it was.
    """
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
        """Who may use it."""
        self._engine: Engine | None = None

    async def open(self) -> None:
        """Connect, sign in and select the namespace and database.

        A new folder is for its owner alone.

        Raises:
            StoreLockedError, StoreCorruptError, StoreUnreachableError, StoreAuthError: by cause.
            StoreError: if this process may not have what the engine needs.
        """
        if self.target.embedded:
            check_limits()
        if self.target.path is not None:
            try:
                self.target.path.parent.mkdir(parents=True, exist_ok=True)
                self.target.path.mkdir(mode=0o700, exist_ok=True)
            except OSError as error:
                raise StoreURLError(f"cannot create {error.filename}: {error.strerror}") from None
        opening = asyncio.create_task(_open(self.target))
        try:
            await outlast(opening)
            self._engine = opening.result()
        except EngineError as error:
            raise _opening_error(self.target, error) from None
        except OSError as error:
            raise StoreURLError(
                f"cannot make a folder for {self.target.url}: {error.strerror} ({error.filename})"
            ) from None
        except asyncio.CancelledError:
            # What is half open would abort the process at its end: it is opened, and closed.
            if not opening.cancelled() and opening.exception() is None:
                self._engine = opening.result()
                await outlast(asyncio.create_task(self.close()))
            raise

    async def query(self, sql: str, params: Mapping[str, Any] | None = None) -> list[Any]:
        """Run statements and return one result per statement.

        Raises:
            StoreError: with the text of the first statement that really failed.
        """
        results = await self._send(sql, params or {})
        cause = _cause(results)
        if cause is not None:
            raise StoreError(f"the database refused a query: {cause}")
        return [statement["result"] for statement in results]

    async def transact(self, statements: str, params: Mapping[str, Any]) -> None:
        """Run statements as one transaction: all of them, or none.

        A conflict with another writer is retried with growing pauses.

        Raises:
            TransactionError: with the true cause; nothing was written.
        """
        sql = f"BEGIN;\n{statements}\nCOMMIT;"
        cause: str | None = None
        for attempt in range(_RETRIES):
            cause = _cause(await self._send(sql, params))
            if cause is None:
                return
            if "can be retried" not in cause:
                break
            await asyncio.sleep(random.uniform(0, 0.002 * 2**attempt))
        raise TransactionError(f"nothing was written: {cause}")

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

    async def _send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        if self._engine is None:
            raise StoreClosedError(
                f"the graph at {self.target.url} is not open: use 'async with GraphRAG.open(...)'"
            )
        self.owner.check()
        try:
            return await self._engine.send(sql, params)
        except EngineError as error:
            if error.unreachable:
                raise StoreUnreachableError(f"lost {self.target.url}: {error}") from None
            raise StoreError(f"the database refused a query: {error}") from None


async def _open(target: Target) -> Engine:
    patience = asyncio.get_running_loop().time() + _UNLOCK_SECONDS
    while True:
        try:
            return await open_flushing(target)
        except EngineError as error:
            if _LOCKED not in str(error) or asyncio.get_running_loop().time() > patience:
                raise
        await asyncio.sleep(_PAUSE)


def _settle() -> None:
    time.sleep(_SETTLE_SECONDS)


def _cause(results: list[Row]) -> str | None:
    failed = [str(row["result"]) for row in results if row["status"] != "OK"]
    for text in failed:
        if not text.startswith("The query was not executed"):
            return text
    return failed[0] if failed else None


def _lost_file(target: Target, text: str) -> bool:
    """Tell whether a store is there but a file that it names is not."""
    return (
        "(os error 2)" in text and target.path is not None and (target.path / "manifest").is_dir()
    )


def _opening_error(target: Target, error: EngineError) -> StoreError:
    text = str(error)
    if error.unreachable:
        return StoreUnreachableError(f"no SurrealDB server answers at {target.url}: is it running?")
    if not target.embedded:
        return StoreAuthError(
            f"{target.url} refused user {target.user!r} for {target.namespace}/{target.database}: "
            f"check user, password and rights ({text})"
        )
    if _LOCKED in text:
        return StoreLockedError(
            f"{target.path} is open in another process (or twice in this one): "
            "close it there, or run a SurrealDB server and use ws://"
        )
    if "IO error" in text and "os error" in text and not _lost_file(target, text):
        reason = text.rpartition("IO error: ")[2]
        return StoreURLError(f"cannot open a store at {target.path}: {reason}")
    return StoreCorruptError(
        f"the store at {target.path} is damaged: {text.rpartition('datastore: ')[2]}; "
        "restore a copy, or start a new store and add the sources again"
    )
