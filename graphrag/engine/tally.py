"""Counts of terms and rows of one group, as changes make them more or fewer."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from graphrag.engine.texts import Pieces
from graphrag.store.engine import Row
from graphrag.store.record import Record


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
