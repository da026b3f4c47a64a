"""One open database: queries, transactions that are retried on conflict, and a clean close.

This room is the only one that imports ``surrealdb``. The SDK raises the first failed statement of a
transaction, which is often "not executed due to a failed transaction"; the cause is found here.
"""

import asyncio
import random
from collections.abc import Mapping
from typing import Any

from surrealdb import AsyncSurreal
from surrealdb.errors import ServerError, SurrealError, TransportError

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
from graphrag.store.target import Target

Row = dict[str, Any]

_RETRIES = 12
# A worker thread of the engine may still call into Python right after close(); without this pause
# one process in five aborted at exit (surrealdb-embedded 3.0.0b10).
_SETTLE_SECONDS = 0.1


class Connection:
    """A database connection that says what went wrong."""

    def __init__(self, target: Target) -> None:
        self.target = target
        self._db: Any = None

    async def open(self) -> None:
        """Connect, sign in and select the namespace and database.

        Raises:
            StoreLockedError, StoreCorruptError, StoreUnreachableError, StoreAuthError: by cause.
        """
        target = self.target
        if target.path is not None:
            _make_parent(target)
        try:
            self._db = AsyncSurreal(target.url)
            await self._db.connect()
            if target.user is not None:
                await self._db.signin({"username": target.user, "password": target.password})
            await self._db.use(target.namespace, target.database)
            if not target.embedded:
                await self._first_contact()
        except (SurrealError, OSError, ValueError, _RefusedError) as error:
            await self.close()
            raise _opening_error(target, error) from None

    async def query(self, sql: str, params: Mapping[str, Any] | None = None) -> list[Any]:
        """Run statements and return one result per statement.

        Raises:
            StoreError: with the text of the first statement that really failed.
        """
        results = await self._send(sql, params)
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
        """Close and let the engine's threads settle; closing twice is fine."""
        db, self._db = self._db, None
        if db is None:
            return
        await db.close()
        await asyncio.sleep(_SETTLE_SECONDS if self.target.embedded else 0)

    async def _send(self, sql: str, params: Mapping[str, Any] | None) -> list[Row]:
        if self._db is None:
            raise StoreClosedError(
                f"the graph at {self.target.url} is not open: use 'async with GraphRAG.open(...)'"
            )
        try:
            answer = await self._db.query_raw(sql, dict(params or {}))
        except TransportError as error:
            raise StoreUnreachableError(f"lost {self.target.url}: {error}") from error
        except SurrealError as error:
            raise StoreError(f"the database refused a query: {error}") from error
        if "error" in answer:
            raise StoreError(f"the database refused a query: {answer['error'].get('message')}")
        results: list[Row] = answer["result"]
        return results

    async def _first_contact(self) -> None:
        """Touch the database, so that missing rights show up now and not at the first write."""
        answer = await self._db.query_raw("INFO FOR DB")
        failed = answer.get("error") or next(
            (row for row in answer["result"] if row["status"] != "OK"), None
        )
        if failed:
            raise _RefusedError(str(failed.get("message") or failed.get("result")))


class _RefusedError(Exception):
    """The server took the connection and refused the first query."""


def _cause(results: list[Row]) -> str | None:
    failed = [str(row["result"]) for row in results if row["status"] != "OK"]
    for text in failed:
        if not text.startswith("The query was not executed"):
            return text
    return failed[0] if failed else None


def _make_parent(target: Target) -> None:
    assert target.path is not None
    try:
        target.path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreURLError(f"cannot create {target.path.parent}: {error.strerror}") from None


def _opening_error(target: Target, error: Exception) -> StoreError:
    text = str(error)
    if isinstance(error, _RefusedError | ServerError) and not target.embedded:
        return StoreAuthError(
            f"{target.url} refused user {target.user!r} for {target.namespace}/{target.database}: "
            "check user, password and rights"
        )
    if "already locked" in text:
        return StoreLockedError(
            f"{target.path} is open in another process (or twice in this one): "
            "close it there, or run a SurrealDB server and use ws://"
        )
    if not target.embedded:
        return StoreUnreachableError(f"no SurrealDB server answers at {target.url}: is it running?")
    if "IO error" in text and "os error" in text:
        return StoreURLError(
            f"cannot open a store at {target.path}: {text.rpartition('IO error: ')[2]}"
        )
    return StoreCorruptError(
        f"the store at {target.path} is damaged: {text.rpartition('datastore: ')[2]}; "
        "restore a copy, or start a new store and add the sources again"
    )
