"""SurrealQL queries on the database of a graph, for questions that no method answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

import numpy as np

from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.model.values import Community, Entity, Episode, Fact, Saga
from graphrag.schema import vector_table, word_table
from graphrag.store.record import Record, from_sdk, to_sdk
from graphrag.store.rows import TABLES
from graphrag.temporal.moment import utc_now
from graphrag.view.context import Room

_QUOTED: Final = re.compile(
    r"""'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*"|`(?:\\.|[^`\\])*`|⟨(?:\\.|[^⟩\\])*⟩"""
    r"|(?:--|\#|//)[^\n\r\x85\u2028\u2029]*|/\*.*?\*/|(?P<rest>/.*)",
    re.DOTALL,
)
"""Strings, quoted names and comments; not behind a slash, which may begin a regular expression."""
_WRITES: Final = re.compile(
    r"(?<![\w$])(?<!::)(?<!(?<!\.)\.)(access|alter|begin|cancel|commit|create|define|delete|insert"
    r"|kill|live|rebuild|relate|remove|update|upsert|use)(?![\w:])",
    re.IGNORECASE,
)
"""Words that begin a statement that writes, or that changes the connection."""


@checked(door="graph.surreal")
class SurrealQL(Room):
    """SurrealQL queries on the database of a graph: ``graph.surreal``.

    ``docs/surrealql.md`` describes the tables and fields. All groups share the tables: select one
    with ``WHERE group_id = $group``.
    """

    async def query(self, sql: str, **params: Any) -> Any:
        """Run read-only statements, and return the result of the last one.

        ``$group`` is the group, and ``$at`` the moment of the view or now, unless you pass a
        parameter of that name. Records are returned as ``surrealdb.RecordID``, times as aware
        datetimes in UTC, durations as ``surrealdb.Duration``, decimals as ``Decimal``. A fact,
        entity, episode, community or saga as a parameter stands for its record.

        Args:
            sql: One or more SurrealQL statements.
            params: Parameters by name.

        Raises:
            QueryError: if a statement writes (a write that bypasses the log cannot be undone), or
                if the view has ``known_at``: past states are only in the log.
            StoreError: if the database rejects the query; the message is its own.
        """
        if found := _WRITES.search(_QUOTED.sub(lambda match: match["rest"] or " ", sql)):
            raise QueryError(
                f"graph.surreal only reads, and {found[0].upper()!r} is no word of a read: write "
                "with the methods of the graph, which keep its log and its indexes in step; a "
                "name that is spelled so goes into backticks"
            )
        view = self._context.viewpoint
        if view.known_at is not None:
            raise QueryError(
                "the tables hold current knowledge only, and this view has known_at="
                f"{view.known_at:%Y-%m-%d %H:%M}: use graph.at(valid_at=...)"
            )
        given = {"group": self._context.group, "at": view.valid_at or utc_now()}
        given |= {name: _sent(value) for name, value in params.items()}
        results = await self._context.store.query(sql, **given)
        return to_sdk(results[-1]) if results else None

    def vectors(self, kind: str = "relates_to") -> str:
        """Return the name of the table with the vectors of a kind, in a DISKANN or HNSW index.

        Its rows have ``vector`` and ``of``, the record of the vector. Kinds are ``relates_to``,
        ``entity``, ``episode``, ``passage`` and ``community``. The tables exist in a store of the
        engine profile, and after ``surreal-graphrag index native``.
        """
        return vector_table(kind, self._context.group)

    def words(self, kind: str = "relates_to") -> str:
        """Return the name of the table with the words of a kind, in a FULLTEXT index.

        Its rows have ``terms`` (stemmed words) and ``of``, the record of the words.
        """
        return word_table(kind, self._context.group)


def _sent(value: Any) -> Any:
    match value:
        case Community() | Entity() | Episode() | Fact() | Saga():
            return Record(TABLES[type(value)], value.id)
        case np.ndarray() | np.generic():
            return value.tolist()
        case datetime() if value.tzinfo is None:
            raise QueryError(f"{value!r} has no time zone: give an aware datetime")
        case Mapping():
            return {name: _sent(item) for name, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [_sent(item) for item in value]
        case _:
            return from_sdk(value)
