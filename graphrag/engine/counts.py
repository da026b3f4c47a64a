"""Counts of terms and rows of one group, as changes make them more or fewer.

What BM25 must know of a whole group, read from its counts instead of its texts.
"""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from graphrag.engine.scopes import NAMED, TEXTS, VECTORS, Pieces, read_terms, terms_of
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
_COLUMNS = sorted({*NAMED, *(column for text in TEXTS.values() for column in text.columns)})
Images = Mapping[str, Mapping[str, Any] | None]
"""What was different before a moment, by ``table:id``; None for what was not there."""


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a group, and its statistics for the words of one query."""

    rows: Mapping[str, int]
    """How many rows it has, by table."""
    texts: Mapping[str, Statistics]
    """By table."""


async def read_counts(store: Store, group: str, terms: Iterable[str], before: Images) -> Counts:
    """Read the counts of a group, for the given terms only.

    With images of the past, the statistics are those of then: what was added or reworded since is
    read and taken off again.
    """
    wanted = set(terms)
    totals, counts = await store.query(
        "SELECT id, rows, texts, terms FROM $totals; SELECT VALUE [record::id(id), n] FROM $terms;",
        totals=[Record("row_count", [group, table]) for table in VECTORS],
        terms=[Record("term_count", [group, table, term]) for table in TEXTS for term in wanted],
    )
    rows = dict.fromkeys(VECTORS, 0)
    texts: Counter[str] = Counter()
    lengths: Counter[str] = Counter()
    for row in totals:
        table = row["id"].id[1]
        rows[table], texts[table], lengths[table] = row["rows"], row["texts"], row["terms"]
    found: dict[str, Counter[str]] = {table: Counter() for table in TEXTS}
    for (_, table, term), count in counts:
        found[table][term] = count
    async for table, pieces, sign in _since(store, group, before):
        texts[table] += sign * len(pieces)
        for piece in pieces:
            lengths[table] += sign * len(piece)
            for term in wanted.intersection(piece):
                found[table][term] += sign
    return Counts(
        rows,
        {table: Statistics(texts[table], lengths[table], dict(found[table])) for table in TEXTS},
    )


async def _since(
    store: Store, group: str, before: Images
) -> AsyncIterator[tuple[str, Pieces, int]]:
    """Yield what the texts of a group have more since then, and what they had instead."""
    changed: dict[tuple[str, str], Mapping[str, Any] | None] = {}
    for record, image in before.items():
        table, _, id_ = record.partition(":")
        if table in TEXTS and (image is None or not image.keys().isdisjoint(TEXTS[table].columns)):
            changed[table, id_] = image
    if not changed:
        return
    reworded = [key for key, image in changed.items() if image is not None]
    stored, terms = await read_worded(group, reworded, changed, store.query)
    for key, image in changed.items():
        if key in terms:
            yield key[0], read_terms(terms[key], group), -1
            if image is not None and key in stored:
                yield key[0], terms_of(key[0], {**stored[key], **image}), 1


async def read_worded(
    group: str, rows: Iterable[Key], words: Iterable[Key], query: Query
) -> tuple[dict[Key, Row], dict[Key, str]]:
    """Return what says by which words some rows are found, and the stored terms of others."""
    found, terms = await query(
        f"SELECT id, {', '.join(_COLUMNS)} FROM $rows; SELECT id, terms FROM $words;",
        rows=[Record(*key) for key in rows],
        words=[Record(f"{table}_words", [group, id_]) for table, id_ in words if table in TEXTS],
    )
    return (
        {(row["id"].table, row["id"].id): row for row in found},
        {(row["id"].table.removesuffix("_words"), row["id"].id[1]): row["terms"] for row in terms},
    )
