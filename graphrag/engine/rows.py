"""The derived rows of a change set: vectors as arrays, terms, counts of terms, names.

They are worked out before the transaction and written inside it. The event's number is the lock: if
another writer changed the group in between, the whole transaction fails, these rows with it.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from graphrag.engine.counts import Key, Tally, read_worded
from graphrag.engine.scopes import (
    NAMED,
    TEXTS,
    VECTORS,
    Pieces,
    keys_of,
    read_terms,
    stored_terms,
    terms_of,
)
from graphrag.store.changes import ChangeSet, Query
from graphrag.store.engine import Row
from graphrag.store.record import Record


class Derivation:
    """What one change set adds to the derived tables, and what it takes away."""

    def __init__(self, group: str, tally: Tally | None = None) -> None:
        self.group = group
        self.tally = Tally(group) if tally is None else tally
        self._vectors: dict[str, dict[str, list[float]]] = defaultdict(dict)
        self._words: dict[str, dict[str, str]] = defaultdict(dict)
        self._gone: list[Record] = []
        self._stated: list[Record] = []
        self._named: dict[str, set[str]] = defaultdict(set)
        self._unnamed: dict[str, set[str]] = defaultdict(set)

    def add(self, table: str, row: Row) -> None:
        """Take in a new row."""
        id_ = row["id"].id
        self.tally.rows[table] += 1
        if row.get("embedding") is not None:
            self.embed(table, id_, row["embedding"])
        if table in TEXTS:
            self._word(table, id_, terms_of(table, row), 1)
        if table == "entity":
            self._name(id_, keys_of(row), set())
        if table == "relates_to":
            self.state(id_, (), row.get("sources") or ())

    def drop(self, table: str, row: Row, terms: str) -> None:
        """Take out a row whose stored terms were these."""
        id_ = row["id"].id
        self.tally.rows[table] -= 1
        self._gone.append(self._record(f"{table}_vector", id_))
        if table in TEXTS:
            self._gone.append(self._record(f"{table}_words", id_))
            self._word(table, id_, read_terms(terms, self.group), -1)
        if table == "entity":
            self._name(id_, set(), keys_of(row))
        if table == "relates_to":
            self.state(id_, row.get("sources") or (), ())

    def change(self, table: str, before: Row, after: Row, terms: str) -> None:
        """Take in what a row whose stored terms were these says now."""
        id_ = before["id"].id
        if (embedding := after.get("embedding")) is not None:
            self.embed(table, id_, embedding)
        if not after.keys().isdisjoint(TEXTS[table].columns):
            self._word(table, id_, read_terms(terms, self.group), -1)
            self._word(table, id_, terms_of(table, {**before, **after}), 1)
        if table == "entity" and not after.keys().isdisjoint(NAMED):
            self._name(id_, keys_of({**before, **after}), keys_of(before))

    def state(self, fact: str, before: Iterable[Row], after: Iterable[Row]) -> None:
        """Take in which episodes state a fact, and which stated it."""
        then, now = ({span["episode"] for span in spans} for spans in (before, after))
        self._gone += [self._record("stated", one, fact) for one in sorted(then - now)]
        self._stated += [self._record("stated", one, fact) for one in sorted(now - then)]

    def embed(self, table: str, id_: str, embedding: bytes) -> None:
        """Take in a vector; one without a direction would be nearest to everything."""
        vector = np.frombuffer(embedding, dtype="<f4")
        if np.isfinite(vector).all() and vector.any():
            self._vectors[table][id_] = vector.tolist()

    def statements(self, *, tally: bool = True) -> tuple[str, dict[str, Any]]:
        """Return the SurrealQL and its parameters; without ``tally`` all but the counts."""
        params: dict[str, Any] = {}
        lines = []
        if self._gone:
            params["derived_gone"] = self._gone
            lines.append("DELETE $derived_gone RETURN NONE;")
        if self._stated:
            params["derived_stated"] = [{"id": id_} for id_ in self._stated]
            lines.append("INSERT IGNORE INTO stated $derived_stated RETURN NONE;")
        for name, column, tables in (
            ("vector", "vector", self._vectors),
            ("words", "terms", self._words),
        ):
            for table, values in tables.items():
                key = f"derived_{table}_{name}"
                lines.append(
                    f"INSERT INTO {table}_{name} ${key} "
                    f"ON DUPLICATE KEY UPDATE {column} = $input.{column} RETURN NONE;"
                )
                params[key] = [
                    {"id": self._record(f"{table}_{name}", id_), column: value}
                    for id_, value in values.items()
                ]
        if tally:
            counted, counts = self.tally.statements()
            lines += counted
            params |= counts
        if self._unnamed:
            params["derived_unnamed"] = self._names(self._unnamed)
            lines.append(
                "FOR $n IN $derived_unnamed "
                "{ UPDATE $n.id SET ids = array::complement(ids, $n.ids) RETURN NONE };"
            )
        if self._named:
            params["derived_named"] = self._names(self._named)
            lines.append(
                "INSERT INTO known_as $derived_named "
                "ON DUPLICATE KEY UPDATE ids = array::union(ids ?? [], $input.ids) RETURN NONE;"
            )
        # At the end, since what a transaction deletes it cannot insert again. A name or a term that
        # nothing has any more must not be left behind: it may have been forgotten.
        fewer = [self._record("term_count", *key) for key, n in self.tally.terms.items() if n < 0]
        for key, records, condition in (
            ("derived_fewer", fewer, "n <= 0"),
            ("derived_nameless", [*map(self._known_as, self._unnamed)], "array::is_empty(ids)"),
        ):
            if records:
                params[key] = records
                lines.append(f"DELETE ${key} WHERE {condition} RETURN NONE;")
        return "\n".join(lines), params

    def _word(self, table: str, id_: str, pieces: Pieces, sign: int) -> None:
        if sign > 0:
            self._words[table][id_] = stored_terms(pieces, self.group)
        self.tally.count(table, pieces, sign)

    def _name(self, id_: str, keys: set[str], before: set[str]) -> None:
        for key in keys - before:
            self._named[key].add(id_)
        for key in before - keys:
            self._unnamed[key].add(id_)

    def _names(self, names: dict[str, set[str]]) -> list[Row]:
        return [
            {"id": self._record("known_as", key), "ids": sorted(ids)} for key, ids in names.items()
        ]

    def _known_as(self, key: str) -> Record:
        return self._record("known_as", key)

    def _record(self, table: str, *key: str) -> Record:
        return Record(table, [self.group, *key])


class EngineRows:
    """Keep the derived tables in step with every change set."""

    async def following(self, changes: ChangeSet, query: Query) -> tuple[str, dict[str, Any]]:
        """Return the statements of what a change set leads to."""
        derivation = Derivation(changes.group_id)
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
            if update.table == "relates_to" and "sources" in update.after:
                then, now = (image.get("sources") or () for image in (update.before, update.after))
                derivation.state(update.id, then, now)
        gone = [(table, row) for table, row in changes.deletes if table in VECTORS]
        wanted = {key for key, after in changed.items() if _shows(key[0], after)}
        before: dict[Key, Row] = {}
        terms: dict[Key, str] = {}
        if keys := wanted | {(table, row["id"].id) for table, row in gone}:
            before, terms = await read_worded(changes.group_id, keys, keys, query)
        for table, row in gone:
            key = table, row["id"].id
            derivation.drop(table, {**row, **before.get(key, {})}, terms.get(key, ""))
        for (table, _), row in inserted.items():
            derivation.add(table, row)
        for key, after in changed.items():
            if key in before and key[0] in TEXTS:
                derivation.change(key[0], before[key], after, terms.get(key, ""))
            elif after.get("embedding") is not None:
                derivation.embed(*key, after["embedding"])
        return derivation.statements()


def _shows(table: str, after: Row) -> bool:
    """Tell whether a change shows in words or names."""
    columns = {*TEXTS[table].columns, *NAMED} if table in TEXTS else set()
    return not after.keys().isdisjoint(columns)
