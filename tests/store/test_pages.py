"""A table comes in pages, whatever its ids are made of."""

import pytest

from graphrag.store.pages import PAGE, read_pages
from graphrag.store.record import Record
from tests.conftest import open_graph


@pytest.mark.parametrize("rows", [0, 1, PAGE, PAGE + 1, 2 * PAGE])
@pytest.mark.parametrize("id_of", [lambda n: f"{n:04}", lambda n: [f"g{n % 3}", n]])
async def test_every_row_comes_once_in_the_order_of_ids(rows, id_of):
    async with open_graph() as graph:
        store = graph.handle.session.store
        ids = [Record("scratch", id_of(n)) for n in range(rows)]
        await store.transact("DEFINE TABLE scratch;")
        await store.transact("INSERT INTO scratch $rows;", rows=[{"id": id_} for id_ in ids])
        pages = [[row["id"] for row in page] async for page in read_pages(store, "scratch", "id")]
        assert all(pages)
        found = [row for page in pages for row in page]
        assert [key(id_) for id_ in found] == sorted(key(id_) for id_ in ids)
        after = found[len(found) // 3 :]
        rest = [
            row["id"]
            for first in after[:1]
            async for page in read_pages(store, "scratch", after=first)
            for row in page
        ]
        assert rest == after[1:]


def key(record):
    return record.id if isinstance(record.id, str) else tuple(record.id)
