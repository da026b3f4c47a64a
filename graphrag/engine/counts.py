"""Counts of terms and rows of one group, as changes make them more or fewer.

What BM25 must know of a whole group, read from its counts instead of its texts.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from graphrag.engine.scopes import TEXTS, VECTORS, Pieces
from graphrag.index.entries import Statistics
from graphrag.store.changes import Query
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store


@dataclass(slots=True)
class Tally:
    """How many more there are, of each; fewer, where negative."""

    group: str
    terms: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Texts that have a term, by table and term."""
    rows: Counter[str] = field(default_factory=Counter)
    texts: Counter[str] = field(default_factory=Counter)
    lengths: Counter[str] = field(default_factory=Counter)

    def count(self, table: str, pieces: Pieces, sign: int) -> None:
        """Take in the texts of a row, or take them out."""
        for terms in pieces:
            for term in set(terms):
                self.terms[table, term] += sign
            self.lengths[table] += sign * len(terms)
        self.texts[table] += sign * len(pieces)

    def statements(self) -> tuple[list[str], dict[str, Any]]:
        """Return the SurrealQL that adds them to what is counted, and its parameters."""
        return _statements(self._counts(), self._totals())

    def parts(self, size: int) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the same in several transactions of so many terms at most."""
        counts, totals = iter(self._counts()), self._totals()
        while (some := list(islice(counts, size))) or totals:
            lines, params = _statements(some, totals)
            totals = []
            yield "\n".join(lines), params

    def _counts(self) -> list[Row]:
        return [
            {"id": Record("term_count", [self.group, table, term]), "n": n}
            for (table, term), n in self.terms.items()
            if n
        ]

    def _totals(self) -> list[Row]:
        return [
            {
                "id": Record("row_count", [self.group, table]),
                "rows": self.rows[table],
                "texts": self.texts[table],
                "terms": self.lengths[table],
            }
            for table in sorted({*self.rows, *self.texts})
        ]


def _statements(counts: Sequence[Row], totals: Sequence[Row]) -> tuple[list[str], dict[str, Any]]:
    lines: list[str] = []
    params: dict[str, Any] = {}
    if counts:
        params["derived_counts"] = counts
        lines.append(
            "INSERT INTO term_count $derived_counts "
            "ON DUPLICATE KEY UPDATE n += $input.n RETURN NONE;"
        )
    if totals:
        params["derived_totals"] = totals
        lines.append(
            "INSERT INTO row_count $derived_totals ON DUPLICATE KEY UPDATE "
            "rows += $input.rows, texts += $input.texts, terms += $input.terms RETURN NONE;"
        )
    return lines, params


Key = tuple[str, str]
"""Table and id of a row."""
_COLUMNS = sorted({column for text in TEXTS.values() for column in text.columns})


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a group, and its statistics for the words of one query."""

    rows: Mapping[str, int]
    """How many rows it has, by table."""
    texts: Mapping[str, Statistics]
    """By table."""


async def read_counts(store: Store, group: str, terms: Iterable[str]) -> Counts:
    """Read the counts of a group, for the given terms only."""
    totals, counts = await store.query(
        "SELECT id, rows, texts, terms FROM $totals; SELECT VALUE [record::id(id), n] FROM $terms;",
        totals=[Record("row_count", [group, table]) for table in VECTORS],
        terms=[Record("term_count", [group, table, term]) for table in TEXTS for term in {*terms}],
    )
    rows = {row["id"].id[1]: row for row in totals}
    none = {"rows": 0, "texts": 0, "terms": 0}
    found: dict[str, dict[str, int]] = {table: {} for table in TEXTS}
    for (_, table, term), count in counts:
        found[table][term] = count
    known = {table: rows.get(table, none) for table in VECTORS}
    return Counts(
        {table: row["rows"] for table, row in known.items()},
        {
            table: Statistics(known[table]["texts"], known[table]["terms"], found[table])
            for table in TEXTS
        },
    )


async def read_worded(
    group: str, rows: Collection[Key], words: Collection[Key], query: Query
) -> tuple[dict[Key, Row], dict[Key, str]]:
    """Return what says by which words some rows are found, and the stored terms of others."""
    if not rows and not words:
        return {}, {}
    found, terms = await query(
        f"SELECT id, {', '.join(_COLUMNS)} FROM $rows; SELECT id, terms FROM $words;",
        rows=[Record(*key) for key in rows],
        words=[Record(f"{table}_words", [group, id_]) for table, id_ in words if table in TEXTS],
    )
    return (
        {(row["id"].table, row["id"].id): row for row in found},
        {(row["id"].table.removesuffix("_words"), row["id"].id[1]): row["terms"] for row in terms},
    )
