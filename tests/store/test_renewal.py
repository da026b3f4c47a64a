"""What a session writes goes into files while it is open, before the engine would wait for ever."""

import asyncio

import pytest

from graphrag.store.record import Record
from graphrag.store.renewal import most_log, open_flushing
from graphrag.store.target import Target

GIB = 1 << 30


async def test_a_growing_log_goes_into_tables_between_writes_while_others_read(tmp_path):
    path = tmp_path / "store"
    engine = await open_flushing(Target.parse(f"surrealkv://{path}"), most=60_000)
    await engine.send("DEFINE TABLE scratch;", {})

    async def write():
        for number in range(10, 50):
            row = {"id": Record("scratch", number), "text": str(number) * 5_000}
            await engine.send("BEGIN; INSERT INTO scratch $rows; COMMIT;", {"rows": [row]})

    async def read():
        counts = []
        for _ in range(30):
            [row] = await engine.send("SELECT VALUE id FROM scratch;", {})
            counts.append(len(row["result"]))
        return counts

    async with asyncio.timeout(60):
        *counted, _ = await asyncio.gather(read(), read(), write())
    assert all(counts == sorted(counts) for counts in counted)
    assert list(path.glob("sstables/*.sst"))
    assert sum(file.stat().st_size for file in path.glob("wal/*")) < 100_000
    [row] = await engine.send("SELECT VALUE text FROM scratch;", {})
    assert sorted(row["result"]) == [str(number) * 5_000 for number in range(10, 50)]
    await engine.close()


@pytest.mark.parametrize(
    ("memory", "table"),  # the engine's table in memory; it waits for ever when two are full
    [
        (GIB // 4, GIB // 16),
        (GIB - 1, GIB // 16),
        (4 * GIB - 1, GIB // 8),
        (8 * GIB, GIB // 4),
        (16 * GIB - 1, GIB // 4),
        (24 * GIB, GIB),
        (256 * GIB, 4 * GIB),
    ],
)
def test_the_log_stays_below_what_the_engine_holds_on_a_machine_of_that_size(memory, table):
    assert most_log(memory) <= table
