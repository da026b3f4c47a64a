"""Rows of the search tables that follow from a change set, and the index over their vectors.

An embedded database never takes new vectors into its index: they wait, and each search compares
them one by one, exactly. So after many writes the index is built anew; a server needs none of this.
"""

import asyncio
import logging
from collections import defaultdict
from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np

from graphrag.errors import StoreError
from graphrag.index.texts import WORD_COLUMNS, episode_words, words
from graphrag.names.key import name_key
from graphrag.schema import METHODS, VECTORS, definitions, nearest_index, vector_table, word_table
from graphrag.store.changes import ChangeSet
from graphrag.store.engine import Row
from graphrag.store.pages import count_rows, rows_of
from graphrag.store.record import Record
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

_LOG = logging.getLogger("graphrag")


def terms_of(table: str, row: Row) -> str:
    """Return the terms by which a row is found, with repetitions, as the index covers them."""
    episode = table == "episode"
    text = episode_words(row["name"], row["content"]) if episode else words(table, row, {})
    return " ".join(tokenize(text))


class Derivation:
    """The rows to add to and to delete from the search tables of a group."""

    def __init__(self, group: str) -> None:
        self.group = group
        self._vectors: dict[str, list[Row]] = defaultdict(list)
        self._words: dict[str, list[Row]] = defaultdict(list)
        self._gone: list[Record] = []

    def add(self, table: str, row: Row) -> None:
        """Take in a row that is new, or has other words."""
        if row.get("embedding") is not None:
            self.embed(table, row["id"].id, row["embedding"])
        if table in WORD_COLUMNS:
            id_ = row["id"].id
            record, of = Record(word_table(table, self.group), id_), Record(table, id_)
            entry: Row = {"id": record, "of": of, "terms": terms_of(table, row)}
            if table == "entity":
                names = row["name"], *(row.get("aliases") or ())
                entry["keys"] = sorted({*map(name_key, names)} - {""})
            self._words[table].append(entry)

    def embed(self, table: str, id_: str, embedding: bytes) -> None:
        """Take in a vector; one without a direction would be as near to everything."""
        vector = np.frombuffer(embedding, dtype="<f4")
        record = Record(vector_table(table, self.group), id_)
        if np.isfinite(vector).all() and vector.any():
            of = Record(table, id_)
            self._vectors[table].append({"id": record, "of": of, "vector": vector.tolist()})
        else:
            self._gone.append(record)

    def drop(self, table: str, id_: str) -> None:
        """Mark a row for deletion from the search tables."""
        self._gone.append(Record(vector_table(table, self.group), id_))
        if table in WORD_COLUMNS:
            self._gone.append(Record(word_table(table, self.group), id_))

    def vectors(self) -> dict[str, int]:
        """Count the new vectors by table."""
        return {table: len(rows) for table, rows in self._vectors.items()}

    def statements(self) -> tuple[str, dict[str, Any]]:
        """Return the SurrealQL and its parameters."""
        params: dict[str, Any] = {}
        lines = []
        if self._gone:
            params["unsearched"] = self._gone
            lines.append("DELETE $unsearched RETURN NONE;")
        for column, name, tables in (
            ("vector", vector_table, self._vectors),
            ("terms", word_table, self._words),
        ):
            for table, rows in tables.items():
                params[f"{column}_{table}"] = rows
                lines.append(
                    f"INSERT INTO {name(table, self.group)} ${column}_{table} "
                    f"ON DUPLICATE KEY UPDATE {column} = $input.{column}, keys = $input.keys "
                    "RETURN NONE;"
                )
        return "\n".join(lines), params


FEW = 2_000
"""Vectors that wait before the index is built anew: each costs a search 3 µs."""


class PendingVectors:
    """How many vectors of each table wait for their index."""

    def __init__(self, few: int = FEW) -> None:
        self._few = few
        self._counts: dict[str, tuple[int, int]] = {}
        """Vectors that wait and vectors that are covered, by table."""
        self._building: dict[str, asyncio.Lock] = defaultdict(asyncio.Lock)

    def forget(self, group: str) -> None:
        """Count a group anew, which may have been erased."""
        for table in VECTORS:
            self._counts.pop(vector_table(table, group), None)

    async def add(self, group: str, fresh: Mapping[str, int], method: str, store: Store) -> None:
        """Take note of new vectors by table, and build what too many wait for."""
        async with self._building[group]:
            for table, count in fresh.items():
                name = vector_table(table, group)
                waiting, covered = self._counts.get(name) or await _counted(name, store)
                waiting += count
                if waiting >= max(self._few, covered // 2):
                    covered = await build_nearest(store, table, group, method, few=self._few)
                    waiting = count
                self._counts[name] = waiting, covered


async def _counted(name: str, store: Store) -> tuple[int, int]:
    [known] = await store.query("SELECT VALUE indexed FROM $of;", of=[Record("meta", name)])
    covered = known[0] if known else 0
    return max(0, await count_rows(store, name) - covered), covered


async def build_nearest(
    store: Store, table: str, group: str, method: str, *, few: int = FEW
) -> int:
    """Build the index of the vectors of a group's rows anew; return how many it covers.

    Any write to the group meanwhile undoes the transaction: its row would be in no index. The old
    index serves until then. Few vectors need none.
    """
    name = vector_table(table, group)
    total = await count_rows(store, name)
    if total >= few and store.target.embedded:
        await store.transact(
            "UPDATE $info SET seq += 1 RETURN NONE; UPDATE $info SET seq -= 1 RETURN NONE;"
            f"{nearest_index(table, group, store.dimension, method)}"
            "UPSERT type::record('meta', $name) SET indexed = $total RETURN NONE;",
            info=[Record("group_info", group)],
            name=name,
            total=total,
        )
    return total


class SearchRows:
    """Keep the search tables in step with every change set."""

    def __init__(self) -> None:
        self._waiting = PendingVectors()
        self._methods = list(METHODS)
        self._defined: set[str] = set()

    async def following(self, changes: ChangeSet, store: Store) -> tuple[str, dict[str, Any]]:
        """Return what a change set leads to; the index is built anew if too many vectors wait."""
        group = changes.group_id
        if group not in self._defined or "group_info" in changes.inserts:
            await self.define(group, store)
            self._waiting.forget(group)
        derivation = Derivation(group)
        inserted = {
            (table, row["id"].id): dict(row)
            for table, rows in changes.inserts.items()
            if table in VECTORS
            for row in rows
        }
        changed: dict[tuple[str, str], Row] = defaultdict(dict)
        for update in changes.updates:
            if update.table in VECTORS:
                key = update.table, update.id
                (inserted.get(key) or changed[key]).update(update.after)
        for table, row in changes.deletes:
            if table in VECTORS:
                derivation.drop(table, row["id"].id)
        for (table, _), row in inserted.items():
            derivation.add(table, row)
        reworded = [
            (table, id_)
            for (table, id_), after in changed.items()
            if not after.keys().isdisjoint(WORD_COLUMNS.get(table, ()))
        ]
        columns = sorted({*chain.from_iterable(WORD_COLUMNS.values())})
        for row in await rows_of(store, (Record(*key) for key in reworded), columns):
            table, id_ = row["id"].table, row["id"].id
            derivation.add(table, row | changed[table, id_])
        for (table, id_), after in changed.items():
            if after.get("embedding") is not None and (table, id_) not in reworded:
                derivation.embed(table, id_, after["embedding"])
        if store.target.embedded and (fresh := derivation.vectors()):
            await self._waiting.add(group, fresh, self._methods[0], store)
        return derivation.statements()

    async def define(self, group: str, store: Store) -> str:
        """Make the search tables of a group where they are not there; return the kind of index."""
        while True:
            method = self._methods[0]
            try:
                await store.query(definitions(group, store.dimension, method))
            except StoreError as error:
                if "arse error" not in str(error) or len(self._methods) == 1:
                    raise
                _LOG.info("the database has no DISKANN: vectors are under HNSW")
                del self._methods[0]
            else:
                self._defined.add(group)
                return method
