"""One open database: queries, transactions that are retried on conflict, and a clean close.

A failed transaction reports each of its statements, most of them only as "not executed due to a
failed transaction"; the one that was the cause is found here.
"""

import asyncio
import atexit
import errno
import os
import random
import re
import time
from collections.abc import Mapping
from typing import Any

from graphrag.errors import (
    StoreAuthError,
    StoreClosedError,
    StoreCorruptError,
    StoreDiskError,
    StoreError,
    StoreLockedError,
    StoreUnreachableError,
    StoreURLError,
    TransactionError,
)
from graphrag.store.engine import Engine, EngineError, Row
from graphrag.store.process import Owner, check_limits
from graphrag.store.renewal import LOCKED, give_back, open_flushing
from graphrag.store.target import Target

_RETRIES = 12
_FULL = "the disk is full", "make room there and try again; what was acknowledged is kept"
_READ_ONLY = (
    "it cannot be written to",
    "the engine writes even to read; make it writable, or copy the folder to where it is",
)
_ADVICE = {
    **dict.fromkeys(("ENOSPC", "EDQUOT", "EFBIG"), _FULL),
    **dict.fromkeys(("EROFS", "EACCES", "EPERM"), _READ_ONLY),
    "EIO": (
        "the disk fails",
        "look after the disk, and restore a backup if 'health check' says so",
    ),
}
"""What is wrong, and what to do, by the name of the system's error."""
_DAMAGE = re.compile("SSTable error|corrupt|checksum|deseriali[sz]|panicked", re.IGNORECASE)
"""What the engine says of files that are not what it wrote."""
# A worker thread of the engine may still call into Python right after close(); without a pause
# before the interpreter ends one process in five aborted (surrealdb-embedded 3.0.0b10).
_SETTLE_SECONDS = 0.1


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
                raise _folder_error(self.target, error) from None
        opening = asyncio.create_task(open_flushing(self.target))
        try:
            await outlast(opening)
            self._engine = opening.result()
        except EngineError as error:
            raise _opening_error(self.target, error) from None
        except OSError as error:
            raise _folder_error(self.target, error) from None
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
            raise self._refusal(cause)
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
        if isinstance(refusal := self._refusal(cause), StoreCorruptError):
            raise refusal
        raise TransactionError(f"nothing was written: {_disk_fault(cause) or cause}")

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
            raise self._refusal(str(error)) from None

    def _refusal(self, text: str | None) -> StoreError:
        """Return the error for what the engine says of a query."""
        if self.target.embedded and _DAMAGE.search(text or ""):
            return _damaged(self.target, text or "")
        return StoreError(f"the database refused a query: {_disk_fault(text) or text}")


def _settle() -> None:
    time.sleep(_SETTLE_SECONDS)


def _cause(results: list[Row]) -> str | None:
    failed = [str(row["result"]) for row in results if row["status"] != "OK"]
    for text in failed:
        if not text.startswith("The query was not executed"):
            return text
    return failed[0] if failed else None


def _disk_fault(text: str | None) -> str | None:
    """Return what a disk lacks and what to do, if an error names it; its number is the system's."""
    found = re.search(r"os error (\d+)", text or "")
    number = int(found[1]) if found else 0
    advice = _ADVICE.get(errno.errorcode.get(number, ""))
    return advice and f"{advice[0]} ({os.strerror(number)}): {advice[1]}"


def _folder_error(target: Target, error: OSError) -> StoreError:
    """Return the error for a folder that cannot be made or written to."""
    place = error.filename or target.path or target.url
    if (fault := _disk_fault(f"os error {error.errno}")) is not None:
        return StoreDiskError(f"cannot open {target.url} at {place}: {fault}")
    return StoreURLError(f"cannot open {target.url}: {error.strerror} ({place})")


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
    if LOCKED in text:
        return StoreLockedError(
            f"{target.path} is open in another process (or twice in this one): "
            "close it there, or run a SurrealDB server and use ws://"
        )
    if (fault := _disk_fault(text)) is not None:
        return StoreDiskError(f"cannot open the store at {target.path}: {fault}")
    if "IO error" in text and "os error" in text and not _lost_file(target, text):
        reason = text.rpartition("IO error: ")[2]
        return StoreURLError(f"cannot open a store at {target.path}: {reason}")
    return _damaged(target, text)


def _damaged(target: Target, text: str) -> StoreCorruptError:
    return StoreCorruptError(
        f"the store at {target.path} is damaged: {text.rpartition('datastore: ')[2]}; "
        "restore a copy, or start a new store and add the sources again"
    )
