"""What BM25 must know of a whole group, read from its counts instead of its texts."""

from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from graphrag.engine.texts import NAMED, TEXTS, VECTORS, Pieces, read_terms, terms_of
from graphrag.index.postings import Statistics
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

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

    With images of the past, the statistics are those of then: what was told or reworded since is
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
    columns = sorted({*NAMED, *(column for text in TEXTS.values() for column in text.columns)})
    words, rows = await store.query(
        f"SELECT id, terms FROM $words; SELECT id, {', '.join(columns)} FROM $reworded;",
        words=[Record(f"{table}_words", [group, id_]) for table, id_ in changed],
        reworded=[Record(*key) for key, image in changed.items() if image is not None],
    )
    now: dict[tuple[str, str], Pieces] = {
        (row["id"].table.removesuffix("_words"), row["id"].id[1]): read_terms(row["terms"], group)
        for row in words
    }
    stored: dict[tuple[str, str], Row] = {(row["id"].table, row["id"].id): row for row in rows}
    for key, image in changed.items():
        if key in now:
            yield key[0], now[key], -1
            if image is not None and key in stored:
                yield key[0], terms_of(key[0], {**stored[key], **image}), 1
