"""What BM25 must know of a whole group, read from its counts instead of its texts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from graphrag.engine.texts import TEXTS, VECTORS
from graphrag.index.postings import Statistics
from graphrag.store.record import Record
from graphrag.store.store import Store


@dataclass(frozen=True, slots=True)
class Counts:
    """The size of a group, and its statistics for the words of one query."""

    rows: Mapping[str, int]
    """How many rows it has, by table."""
    texts: Mapping[str, Statistics]
    """By table."""


async def read_counts(store: Store, group: str, terms: Iterable[str]) -> Counts:
    """Read the counts of a group in one round trip, those of the given terms only."""
    wanted = set(terms)
    totals, counts = await store.query(
        "SELECT id, rows, texts, terms FROM $totals; SELECT VALUE [record::id(id), n] FROM $terms;",
        totals=[Record("row_count", [group, table]) for table in VECTORS],
        terms=[Record("term_count", [group, table, term]) for table in TEXTS for term in wanted],
    )
    of = {row["id"].id[1]: row for row in totals}
    found: dict[str, dict[str, int]] = {table: {} for table in TEXTS}
    for (_, table, term), count in counts:
        found[table][term] = count
    return Counts(
        {table: of[table]["rows"] if table in of else 0 for table in VECTORS},
        {
            table: Statistics(of[table]["texts"], of[table]["terms"], found[table])
            if table in of
            else Statistics(0, 0, {})
            for table in TEXTS
        },
    )
