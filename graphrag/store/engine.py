"""The two ways to reach SurrealDB: the engine in this process, and a server through the SDK.

The embedded engine is spoken to in CBOR by ``record`` instead of the SDK's Python encoder: at 100k
facts a cold start reads 3 times and a bulk load writes 1.6 times as fast.
"""

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Protocol

from graphrag.store.record import decode, encode, from_sdk, to_sdk
from graphrag.store.target import Target, check_version, user_of

Row = dict[str, Any]


class EngineError(Exception):
    """The engine failed; ``unreachable``: nothing answered; ``lost``: a new connection helps."""

    def __init__(self, message: str, *, unreachable: bool = False, lost: bool = False) -> None:
        super().__init__(message)
        self.unreachable, self.lost = unreachable, lost


class Engine(Protocol):
    """An open database."""

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements; each row has ``status`` (``OK`` or ``ERR``) and ``result``."""

    async def close(self) -> None:
        """Let go of the database."""


class EmbeddedEngine:
    """SurrealDB inside this process."""

    def __init__(self, database: Any) -> None:
        self._database = database

    @classmethod
    async def open(cls, target: Target) -> "EmbeddedEngine":
        """Open the store of a target."""
        from surrealdb_embedded import AsyncEmbeddedDB

        try:
            engine = cls(AsyncEmbeddedDB(target.url))
            await engine._database.connect()
            await engine._call("use", [target.namespace, target.database])
        except RuntimeError as error:
            raise EngineError(str(error)) from None
        return engine

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements."""
        try:
            rows: list[Row] = await self._call("query", [sql, dict(params)])
        except (RuntimeError, ValueError) as error:  # it will not run, or not even read it
            raise EngineError(str(error)) from None
        return rows

    async def close(self) -> None:
        """Shut the engine down."""
        await self._database.close()

    async def _call(self, method: str, params: list[Any]) -> Any:
        request = {"id": "1", "method": method, "params": params}
        answer = await decode(await self._database.execute(encode(request)))
        if answer.get("error"):
            raise EngineError(str(answer["error"].get("message", answer["error"])))
        return answer.get("result")


class _Calls(dict[str, Any]):
    """Calls that wait for an answer: the SDK leaves the errors of those that it could not send."""

    def __setitem__(self, id_: str, answer: Any) -> None:
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())
        super().__setitem__(id_, answer)


class RemoteEngine:
    """A SurrealDB server, through the SDK's websocket or HTTP client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        if hasattr(client, "qry"):  # not over HTTP
            client.qry = _Calls()
        self._lost = False
        self.user = "nobody"
        """Who signed in, in words."""

    @classmethod
    async def open(cls, target: Target) -> "RemoteEngine":
        """Connect, check the version, sign in, ask what is there to show missing rights."""
        from surrealdb import AsyncSurreal

        engine = cls(AsyncSurreal(target.url, streaming=False))
        try:
            with engine._worded():
                await engine._client.connect()
                check_version(await engine._client.version(), target)
                await engine._sign_in(target)
                await engine._client.use(target.namespace, target.database)
            token, info = await engine.send("RETURN $token; INFO FOR DB;", {})
            engine.user = user_of(token["result"])
            if info["status"] != "OK":
                raise EngineError(f"{engine.user}: {info['result']}")
        except BaseException:
            await engine.close()
            raise
        return engine

    async def _sign_in(self, target: Target) -> None:
        """Bring the token, or try the user as one of root, of the namespace and of the database."""
        from surrealdb.errors import NotAllowedError

        if target.token is not None:
            await self._client.authenticate(target.token)
        if target.user is None:
            return
        who = {"username": target.user, "password": target.password}
        of_namespace = {**who, "namespace": target.namespace}
        for given in (who, of_namespace, {**of_namespace, "database": target.database}):
            try:
                await self._client.signin(given)
                return
            except NotAllowedError:
                if "database" in given:
                    raise

    @contextmanager
    def _worded(self) -> Iterator[None]:
        from surrealdb import errors

        try:
            yield
        except (errors.SurrealError, OSError) as error:
            # What was refused for an old token was not run: it is asked again with a new one.
            old = isinstance(error, errors.ServerError) and "has expired" in str(error)
            old = old or (isinstance(error, errors.HttpStatusError) and error.status == 401)
            away = isinstance(error, errors.TransportError | OSError) and not old
            late = isinstance(error, errors.TransportTimeoutError)
            self._lost = self._lost or old or (away and not late)
            raise EngineError(str(error), unreachable=away, lost=self._lost) from None

    async def send(self, sql: str, params: Mapping[str, Any]) -> list[Row]:
        """Run statements."""
        from surrealdb.errors import parse_rpc_error

        with self._worded():
            # The SDK would connect again by itself, as nobody, and without namespace and database.
            reader = getattr(self._client, "recv_task", None)
            if self._lost or (reader is not None and reader.done()):
                raise ConnectionError("the connection was closed")
            answer = await self._client.query_raw(sql, to_sdk(dict(params)))
            if answer.get("error"):
                raise parse_rpc_error(answer["error"])
        rows: list[Row] = from_sdk(answer["result"])
        return rows

    async def news(self, sql: str) -> AsyncIterator[Row]:
        """Yield nothing once a LIVE query is heard, and the rows that it tells of."""
        [answer] = await self.send(sql, {})
        if answer["status"] != "OK":
            raise EngineError(str(answer["result"]))
        with self._worded():
            notes = await self._client.subscribe_live(answer["result"])
            yield {}
            async for note in notes:
                yield note["result"] or {}

    async def close(self) -> None:
        """Close the connection."""
        with suppress(OSError):
            await self._client.close()


async def open_engine(target: Target) -> Engine:
    """Open whichever engine a target needs."""
    opener = EmbeddedEngine if target.embedded else RemoteEngine
    return await opener.open(target)
