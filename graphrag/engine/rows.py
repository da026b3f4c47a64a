"""Rows of the search tables that follow from a change set, written in its transaction."""

import logging
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphrag.engine.nearest import Waiting
from graphrag.errors import StoreError
from graphrag.index.texts import PIECE, community_text, episode_words
from graphrag.names.key import name_key
from graphrag.schema import METHODS, VECTORS, definitions, vector_table, word_table
from graphrag.store.changes import ChangeSet
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store
from graphrag.text.tokens import tokenize

_LOG = logging.getLogger("graphrag")


@dataclass(frozen=True, slots=True)
class Text:
    """The words of one table."""

    columns: tuple[str, ...]
    """Columns that they come from."""
    of: Callable[[Row], str]


def _of_fact(row: Row) -> str:
    return f"{row['subject']} {row['name'].replace('_', ' ')} {row['object']}. {row['text']}"


def _of_entity(row: Row) -> str:
    return " ".join((row["name"], *(row.get("aliases") or ())))


def _of_episode(row: Row) -> str:
    return episode_words(row.get("name", ""), row["content"])


def _of_community(row: Row) -> str:
    return community_text(row["name"], row.get("summary", ""))


TEXTS: dict[str, Text] = {
    "relates_to": Text(("subject", "name", "object", "text"), _of_fact),
    "entity": Text(("name", "aliases"), _of_entity),
    "episode": Text(("name", "content"), _of_episode),
    "community": Text(("name", "summary"), _of_community),
}
"""The tables that are searched by words."""


def keys_of(row: Row) -> list[str]:
    """Return the keys of the names of an entity."""
    return sorted({*map(name_key, (row["name"], *(row.get("aliases") or ())))} - {""})


def terms_of(table: str, row: Row) -> str:
    """Return the terms by which a row is found, with repetitions, as the index covers them."""
    return " ".join(tokenize(TEXTS[table].of(row).replace(PIECE, " ")))


class Derivation:
    """What some rows of a group add to its search tables, and what they take away."""

    def __init__(self, group: str) -> None:
        self.group = group
        self._vectors: dict[str, list[Row]] = defaultdict(list)
        self._words: dict[str, list[Row]] = defaultdict(list)
        self._gone: list[Record] = []

    def add(self, table: str, row: Row) -> None:
        """Take in a row that is new, or has other words."""
        if row.get("embedding") is not None:
            self.embed(table, row["id"].id, row["embedding"])
        if table in TEXTS:
            self._words[table].append(
                {
                    "id": Record(word_table(table, self.group), row["id"].id),
                    "of": Record(table, row["id"].id),
                    "terms": terms_of(table, row),
                    **({"keys": keys_of(row)} if table == "entity" else {}),
                }
            )

    def embed(self, table: str, id_: str, embedding: bytes) -> None:
        """Take in a vector; one without a direction would be as near to everything."""
        vector = np.frombuffer(embedding, dtype="<f4")
        record = Record(vector_table(table, self.group), id_)
        if np.isfinite(vector).all() and vector.any():
            self._vectors[table].append(
                {"id": record, "of": Record(table, id_), "vector": vector.tolist()}
            )
        else:
            self._gone.append(record)

    def drop(self, table: str, id_: str) -> None:
        """Take out a row."""
        self._gone.append(Record(vector_table(table, self.group), id_))
        if table in TEXTS:
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


class SearchRows:
    """Keep the search tables in step with every change set."""

    def __init__(self) -> None:
        self._waiting = Waiting()
        self._methods = list(METHODS)
        self._defined: set[str] = set()

    async def following(self, changes: ChangeSet, store: Store) -> tuple[str, dict[str, Any]]:
        """Return the statements of what a change set leads to.

        Before them the index of vectors is built anew, if too many wait for it.
        """
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
        reworded = [key for key, after in changed.items() if _shows(key[0], after)]
        for row in await _read(reworded, store):
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


async def _read(keys: list[tuple[str, str]], store: Store) -> list[Row]:
    """Return what says by which words some rows are found."""
    if not keys:
        return []
    columns = sorted({column for text in TEXTS.values() for column in text.columns})
    [rows] = await store.query(
        f"SELECT id, {', '.join(columns)} FROM $rows;", rows=[Record(*key) for key in keys]
    )
    return list(rows)


def _shows(table: str, after: Row) -> bool:
    """Tell whether a change shows in the words of a row."""
    return table in TEXTS and not after.keys().isdisjoint(TEXTS[table].columns)
