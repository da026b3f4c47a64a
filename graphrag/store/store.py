"""The graph's records: opened and migrated, read by id or by group, written one event at a time."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from graphrag.errors import InputError, TransactionError
from graphrag.model.values import Community, Entity, Episode, Event, Fact, Saga
from graphrag.protocols import in_turns
from graphrag.schema import Profile
from graphrag.store import groups
from graphrag.store.changes import ChangeSet, Derived, Ready
from graphrag.store.connection import Connection
from graphrag.store.engine import Row
from graphrag.store.migrate import finish_vectors, migrate
from graphrag.store.process import Owner
from graphrag.store.record import Packed, Record
from graphrag.store.row_cache import RowCache
from graphrag.store.row_file import RowFile
from graphrag.store.rows import TABLES, event_of, from_row
from graphrag.store.target import Target
from graphrag.temporal.moment import from_micros, to_micros, utc_now

Value = TypeVar("Value", Episode, Entity, Fact, Community, Saga)

WITH_MEMBERS = (
    "SELECT *, (SELECT VALUE record::id(out) FROM $parent->has_member ORDER BY rank, out) "
    "AS members OMIT embedding"
)
"""Of which communities is to follow."""


class StaleGroupError(TransactionError):
    """Another writer committed to the group first; refresh and plan again."""


class Store:
    """An open store."""

    def __init__(self, connection: Connection, derived: Derived | None = None) -> None:
        self._connection = connection
        self._derived = derived
        # As the store remembers: where search runs, whether it has search tables though it runs in
        # the process, and how many numbers a vector has.
        self.profile: Profile = connection.target.profile or "process"
        self.native, self.dimension = False, 0
        # Number and moment of the newest event known of each group that was written to.
        self._last: dict[str, tuple[int, int]] = {}
        target = connection.target
        folder = target.path and target.path / "rows"
        rows = RowFile(folder, target.namespace, target.database)
        # A server has other writers, of whom nobody tells.
        self.cache = RowCache(rows) if target.embedded else RowCache(rows, most_bytes=0)

    @classmethod
    async def open(
        cls,
        target: Target,
        *,
        embedder: str,
        dimension: int,
        derived: Derived | None = None,
        copying: bool = False,
    ) -> "Store":
        """Open the target, apply pending migrations and check who wrote it.

        ``derived`` keeps search tables in step; a store that has some is otherwise only read.
        ``copying`` takes an unfinished copy, too.
        """
        connection = Connection(target)
        await connection.open()
        try:
            await finish_vectors(connection)
            known = await migrate(connection, embedder, dimension, copying=copying)
            store = cls(connection, derived)
            store.dimension = dimension
            store.profile, store.native = known
        except BaseException:
            await connection.close()
            raise
        return store

    @property
    def target(self) -> Target:
        """Return where this store is."""
        return self._connection.target

    @property
    def searchable(self) -> bool:
        """Tell whether SurrealDB has tables to search in."""
        return self.native or self.profile == "engine"

    @property
    def owner(self) -> Owner:
        """Return the process that opened it."""
        return self._connection.owner

    async def close(self) -> None:
        """Close the store; closing twice is fine."""
        try:
            await asyncio.to_thread(self.cache.close)
        finally:
            await self._connection.close()

    async def __aenter__(self) -> "Store":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    def prepare(self, changes: ChangeSet, *, after: int) -> None:
        """Encode a transaction while another is being written, if it is to follow on ``after``."""
        # What was prepared before keeps its moment: what follows on it may have one already.
        at = self._now(changes.group_id) if changes.ready is None else changes.ready.at
        sql, params = groups.stated(changes, after + 1, at)
        if self.target.embedded:
            params = {name: Packed.of(value) for name, value in params.items()}
        changes.ready = Ready(after + 1, at, sql, params)

    async def apply(self, changes: ChangeSet, *, after: int) -> int:
        """Write one change set as event number ``after + 1`` of its group and return that number.

        ``StaleGroupError``: the group has moved past ``after``, and nothing was written.
        """
        seq, group, ready = after + 1, changes.group_id, changes.ready
        last = self._last.setdefault(group, (0, 0))
        if last[0] != after:  # of another writer, or of an earlier session
            last = self._last[group] = after, await self.moment_of(group, after) or 0
        if ready and ready.seq == seq and to_micros(ready.at, 0) > last[1]:
            at, sql, params = ready.at, ready.sql, dict(ready.params)
        else:
            at = self._now(group)
            sql, params = groups.stated(changes, seq, at)
        if self.searchable:
            if self._derived is None:
                raise TransactionError("nothing was written: the store was opened for reading only")
            more, derived = await self._derived.following(changes, self)
            sql, params = f"{sql}\n{more}", params | derived
        if not self.target.embedded:
            sql = f"{sql}\n{groups.GUARD}"
            params["info"] = Record("group_info", group)
        touched = changes.touched()
        if touched is None:  # before, too: nothing may be left if the process dies between
            self.cache.erase()
        if changes.leaves is not None:
            asyncio.get_running_loop().call_soon(changes.leaves)  # once the engine has it
        try:
            await self._connection.transact(sql, params)
        except BaseException as error:
            self.cache.written(touched)
            words = str(error) if isinstance(error, TransactionError) else ""
            if "event:" not in words or "already exists" not in words:
                raise
            if self.target.embedded or not await groups.is_written(params["event"], self):
                raise StaleGroupError(f"group {group!r} moved past {after}") from None
        self._last[group] = seq, to_micros(at, 0)
        self.cache.wrote(changes, self._last[group])
        return seq

    def news(self) -> AsyncIterator[Row]:
        """Return the group of each event that anybody commits to a server; nothing at the start."""
        return self._connection.news("LIVE SELECT group_id FROM event;")

    def _now(self, group: str) -> datetime:
        """Return the moment of the next event: after the last one, whatever the clock says."""
        return max(utc_now(), from_micros(self._last.get(group, (0, 0))[1] + 1))

    async def transact(self, statements: str, **params: Any) -> None:
        """Run statements that no event records and no reader's cache has, all of them or none."""
        await self._connection.transact(statements, params)

    async def erase_group(self, group: str) -> Mapping[str, int]:
        """Erase a group, or the rest of one, for good; return the number of its rows by table."""
        self.cache.erase()
        await groups.mark(group, self)
        self.cache.written(None)  # before, too: nothing may be left if the process dies between
        self.cache.rows.stamps.pop(group, None)
        try:
            return await groups.erase(group, self)
        finally:
            self.cache.written(None)

    async def query(self, sql: str, **params: Any) -> list[Any]:
        """Run read-only SurrealQL with bound parameters; one result per statement."""
        return await self._connection.query(sql, params)

    async def get(self, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
        """Return the values that exist among ``ids``, by id, in the order asked."""
        wanted = list(dict.fromkeys(ids))
        values = self.cache.find(kind, wanted)
        if missing := [id_ for id_ in wanted if id_ not in values]:
            values.update(await self._read(kind, missing))
        return {id_: values[id_] for id_ in wanted if id_ in values}

    async def _read(self, kind: type[Value], ids: Sequence[str]) -> dict[str, Value]:
        table, writes = TABLES[kind], self.cache.writes
        what = WITH_MEMBERS if kind is Community else "SELECT * OMIT embedding"
        params: dict[str, Any] = {"ids": [Record(table, id_) for id_ in ids]}
        [rows] = await self._connection.query(f"{what} FROM $ids;", params)
        values = {row["id"].id: from_row(kind, row) for row in rows}
        self.cache.hold(values.values(), writes=writes)
        return values

    async def groups(self) -> list[str]:
        """Return the names of all groups, sorted."""
        [names] = await self.query("SELECT VALUE record::id(id) FROM group_info;")
        return sorted(names)

    async def forgotten_since(self, group: str) -> datetime | None:
        """Return since when a group is being erased, None if it is not."""
        return (await groups.read_entry(group, self) or {}).get("forgotten_at")

    async def refuse_forgotten(self, group: str) -> None:
        """Refuse to copy a group that is being erased."""
        if since := await self.forgotten_since(group):
            raise InputError(
                f"group {group!r} is being forgotten since {since.isoformat()}: "
                f"group({group!r}).erase.group(confirm={group!r}) finishes it"
            )

    async def last_seq(self, group: str) -> int:
        """Return the number of the group's newest event, 0 for a group without any."""
        return (await groups.newest(group, self))[0]

    async def moment_of(self, group: str, seq: int) -> int | None:
        """Return when an event was committed, in microseconds, None if there is no such event."""
        [moments] = await self.query(
            "SELECT VALUE time::micros(at) FROM $id;", id=Record("event", [group, seq])
        )
        return int(moments[0]) if moments else None

    async def events(self, group: str, *, after: int = 0, limit: int | None = None) -> list[Event]:
        """Return the group's events with a number above ``after``, oldest first."""
        rows = await self.event_rows(group, after=after, limit=limit)
        return [event_of(row) async for row in in_turns(rows)]

    async def event_rows(
        self, group: str, *, after: int = 0, upto: int | None = None, limit: int | None = None
    ) -> list[Row]:
        """Return the rows of the group's events above ``after`` up to ``upto``, oldest first."""
        if limit is not None:  # LIMIT would read on to the end; only a damaged log has gaps
            page = await self.event_rows(group, after=after, upto=after + limit)
            return page or (await self.event_rows(group, after=after))[:limit]
        last = ".." if upto is None else "$upto"
        [rows] = await self.query(
            f"SELECT * FROM event:[$group, $first]..=[$group, {last}];",
            group=group,
            first=after + 1,
            upto=upto,
        )
        return list(rows)
