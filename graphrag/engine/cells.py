"""Sort the pages of a group into cells around mean vectors, so that a search reads a few of them.

The means are those of k-means over a sample, by cosine; there are as many cells as a cell has rows,
so that finding the nearest cells and reading them cost about the same. A few thousand rows need no
cells: their pages are made full, and read all.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from math import isqrt

import numpy as np
from numpy.typing import NDArray

from graphrag.engine.vector_pages import Page, page_id
from graphrag.errors import StoreError
from graphrag.store.engine import Row
from graphrag.store.record import Record
from graphrag.store.store import Store

FEW = 10_000
"""Rows that need no cells."""
_SAMPLE = 40_000
_ROUNDS = 6
_BATCH = 16
"""Pages of one transaction: some 6 MB."""
_RANGE = "vector_page:[$group, $table, NONE]..=[$group, $table, ..]"

Matrix = NDArray[np.float32]


async def arrange(
    store: Store, group: str, table: str, on_rows: Callable[[int], None], *, few: int = FEW
) -> None:
    """Sort all vectors of a table of a group anew.

    Args:
        store: Where they are.
        group: The group.
        table: The table that the vectors follow from.
        on_rows: Called with how many rows were written, after each transaction.
        few: How many rows need no cells.

    Raises:
        StoreError: if the group was written to meanwhile: it is as it was before.
    """
    of = {"group": group, "table": table}
    seq, _ = await store.newest(group)
    known, ids = await store.query(
        "SELECT VALUE generation FROM vector_cells:[$group, $table];"
        f"SELECT VALUE id FROM {_RANGE};",
        **of,
    )
    generation = known[0] if known else 0
    pages = [id_ for id_ in ids if id_.id[2] in (0, generation)]
    # What is of no generation that counts is left of a run that came to no end.
    await store.transact("DELETE $ids RETURN NONE;", ids=[id_ for id_ in ids if id_ not in pages])
    if not pages:
        return
    page = await _read(store, pages)
    if len(page.ids) <= few:
        rows = list(_rows(page, np.zeros(len(page.ids), np.intp), group, table, 0))
        await store.transact(
            "INSERT INTO vector_page $rows RETURN NONE; DELETE $old RETURN NONE;",
            rows=rows,
            old=[*pages, Record("vector_cells", [group, table])],
        )
        on_rows(len(page.ids))
        return
    means, cells = _sorted(page)
    rows = list(_rows(page, cells, group, table, generation + 1))
    for start in range(0, len(rows), _BATCH):
        some = rows[start : start + _BATCH]
        await store.transact("INSERT INTO vector_page $rows RETURN NONE;", rows=some)
        on_rows(sum(row["ids"].count("\n") + 1 for row in some))
    counts = Counter(row["id"].id[3] for row in rows)
    names = [f"{cell} {counts[cell]}" for cell in range(len(means))]
    directory = Page.of(names, means).row(Record("vector_cells", [group, table]))
    if (await store.newest(group))[0] != seq:
        raise StoreError(f"group {group!r} was written to while its index was built: build again")
    await store.transact(
        "UPSERT $cells.id CONTENT $cells RETURN NONE; DELETE $pages RETURN NONE;",
        cells=directory | {"generation": generation + 1},
        pages=pages,
    )


async def _read(store: Store, ids: Sequence[Record]) -> Page:
    rows: list[Row] = []
    for start in range(0, len(ids), _BATCH):
        [some] = await store.query(
            "SELECT ids, codes, scales FROM $ids;", ids=ids[start : start + _BATCH]
        )
        rows += some
    return Page.read(rows)


def _sorted(page: Page) -> tuple[Matrix, NDArray[np.intp]]:
    """Return the mean vector of each cell, and the cell of each row."""
    count = len(page.ids)
    dice = np.random.default_rng(0)
    some = page.take(np.sort(dice.permutation(count)[:_SAMPLE])).vectors()
    some /= np.linalg.norm(some, axis=1, keepdims=True)
    means = some[dice.permutation(len(some))[: isqrt(count)]]
    for _ in range(_ROUNDS):
        near = _nearest(some, means)
        sums = np.zeros_like(means)
        np.add.at(sums, near, some)
        lengths = np.linalg.norm(sums, axis=1, keepdims=True)
        means = np.where(lengths > 0, sums / np.maximum(lengths, 1e-9), means)
    return means, np.concatenate([_nearest(part.vectors(), means) for part in page.parts()])


def _nearest(vectors: Matrix, means: Matrix) -> NDArray[np.intp]:
    return np.asarray((vectors @ means.T).argmax(axis=1))


def _rows(
    page: Page, cells: NDArray[np.intp], group: str, table: str, generation: int
) -> Iterator[Row]:
    order = np.argsort(cells, kind="stable")
    bounds = np.searchsorted(cells[order], np.arange(cells.max() + 2))
    for cell, places in enumerate(np.split(order, bounds[1:-1])):
        for number, part in enumerate(page.take(places).parts()):
            yield part.row(page_id(group, table, generation, cell, number if generation else None))
