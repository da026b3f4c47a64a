"""The derived rows of a change set: vectors in pages, terms, counts of terms.

They are worked out before the transaction and written inside it. The event's number is the lock: if
another writer changed the group in between, the whole transaction fails, these rows with it.
"""

from collections import defaultdict
from random import randrange
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag.engine.counts import Key, Tally, read_worded
from graphrag.engine.scopes import TEXTS, VECTORS, Pieces, read_terms, stored_terms, terms_of
from graphrag.engine.vector_pages import added, joined, without
from graphrag.store.changes import ChangeSet, Query
from graphrag.store.engine import Row
from graphrag.store.record import Record

_TURN = 64
"""Transactions of which one joins the pages of the others."""


class Derivation:
    """What one change set adds to the derived tables, and what it takes away."""

    def __init__(self, group: str, tally: Tally | None = None) -> None:
        self.group = group
        self.tally = Tally(group) if tally is None else tally
        self._vectors: dict[str, dict[str, NDArray[np.float32]]] = defaultdict(dict)
        self._words: dict[str, dict[str, str]] = defaultdict(dict)
        self._gone: list[Record] = []
        self._left: dict[str, set[str]] = defaultdict(set)
        """Rows by table whose vectors go."""
        self._pages: list[Row] = []
        """Pages that are there without some of their rows."""
        self._joined: list[Row] = []

    def add(self, table: str, row: Row) -> None:
        """Take in a new row."""
        self.tally.rows[table] += 1
        if row.get("embedding") is not None:
            self._embed(table, row["id"].id, row["embedding"])
        if table in TEXTS:
            self._word(table, row["id"].id, terms_of(table, row))

    def drop(self, table: str, id_: str, terms: str) -> None:
        """Take out a row whose stored terms were these."""
        self.tally.rows[table] -= 1
        self._left[table].add(id_)
        if table in TEXTS:
            self._gone.append(Record(f"{table}_words", [self.group, id_]))
            self.tally.count(table, read_terms(terms, self.group), -1)

    def reword(self, table: str, row: Row, terms: str) -> None:
        """Take in what a row whose stored terms were these says now."""
        self.tally.count(table, read_terms(terms, self.group), -1)
        self._word(table, row["id"].id, terms_of(table, row))

    def replace(self, table: str, id_: str, embedding: bytes) -> None:
        """Take in another vector of a row."""
        self._left[table].add(id_)
        self._embed(table, id_, embedding)

    async def leave(self, query: Query) -> None:
        """Take the vectors that go out of the pages that hold them."""
        self._pages, emptied = await without(self.group, self._left, query)
        self._gone += emptied

    async def join(self, query: Query) -> None:
        """Make large pages of the small ones of the tables that only gain vectors."""
        for table in self._vectors.keys() - self._left.keys():
            made, gone = await joined(self.group, table, query)
            self._joined += made
            self._gone += gone

    def statements(self, *, tally: bool = True) -> tuple[str, dict[str, Any]]:
        """Return the SurrealQL and its parameters; without ``tally`` all but the counts."""
        params: dict[str, Any] = {}
        lines = []
        if self._gone:
            params["derived_gone"] = self._gone
            lines.append("DELETE $derived_gone RETURN NONE;")
        if self._pages:
            params["derived_left"] = self._pages
            lines.append(
                "FOR $page IN $derived_left { UPDATE $page.id CONTENT $page RETURN NONE };"
            )
        if self._vectors:
            params["derived_pages"] = self._joined + [
                page
                for table, vectors in self._vectors.items()
                for page in added(self.group, table, vectors)
            ]
            lines.append("INSERT INTO vector_page $derived_pages RETURN NONE;")
        for table, words in self._words.items():
            params[f"derived_{table}"] = [
                {"id": Record(f"{table}_words", [self.group, id_]), "terms": terms}
                for id_, terms in words.items()
            ]
            lines.append(
                f"INSERT INTO {table}_words $derived_{table} "
                "ON DUPLICATE KEY UPDATE terms = $input.terms RETURN NONE;"
            )
        if tally:
            counted, counts = self.tally.statements()
            lines += counted
            params |= counts
        # At the end, since what a transaction deletes it cannot insert again. A term that nothing
        # has any more must not be left behind: it may have been forgotten.
        if fewer := [key for key, n in self.tally.terms.items() if n < 0]:
            params["derived_fewer"] = [Record("term_count", [self.group, *key]) for key in fewer]
            lines.append("DELETE $derived_fewer WHERE n <= 0 RETURN NONE;")
        return "\n".join(lines), params

    def _word(self, table: str, id_: str, pieces: Pieces) -> None:
        self._words[table][id_] = stored_terms(pieces, self.group)
        self.tally.count(table, pieces, 1)

    def _embed(self, table: str, id_: str, embedding: bytes) -> None:
        """Take in a vector; one without a direction would be as near to everything."""
        vector = np.frombuffer(embedding, dtype="<f4")
        if np.isfinite(vector).all() and vector.any():
            self._vectors[table][id_] = vector


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
        changed: dict[Key, Row] = defaultdict(dict)
        for update in changes.updates:
            if update.table in VECTORS:
                key = update.table, update.id
                (inserted.get(key) or changed[key]).update(update.after)
        gone = [(table, row["id"].id) for table, row in changes.deletes if table in VECTORS]
        reworded = [key for key, after in changed.items() if _shows(key[0], after)]
        rows, terms = await read_worded(changes.group_id, reworded, [*reworded, *gone], query)
        for key in gone:
            derivation.drop(*key, terms.get(key, ""))
        for (table, _), row in inserted.items():
            derivation.add(table, row)
        for key, after in changed.items():
            if key in rows:
                derivation.reword(key[0], {**rows[key], **after}, terms.get(key, ""))
            if after.get("embedding") is not None:
                derivation.replace(*key, after["embedding"])
        await derivation.leave(query)
        # By lot: clients that keep nothing cannot count, and asking costs each a round trip.
        if randrange(_TURN) == 0:
            await derivation.join(query)
        return derivation.statements()


def _shows(table: str, after: Row) -> bool:
    """Tell whether a change shows in the words of a row."""
    return table in TEXTS and not after.keys().isdisjoint(TEXTS[table].columns)
