"""What a session writes goes into files while it is open, before the engine would wait for ever."""

import asyncio

from graphrag.store import flushing
from graphrag.store.record import Record
from tests.conftest import open_graph


async def test_a_growing_log_goes_into_tables_between_writes_while_others_read(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(flushing, "MOST", 60_000)
    path = tmp_path / "store"
    async with open_graph(f"surrealkv://{path}") as graph, asyncio.timeout(60):
        store = graph._store
        await store.transact("DEFINE TABLE scratch;")

        async def write():
            for number in range(10, 50):
                row = {"id": Record("scratch", number), "text": str(number) * 5_000}
                await store.transact("INSERT INTO scratch $rows;", rows=[row])

        async def read():
            counts = []
            for _ in range(30):
                [found] = await store.query("SELECT VALUE id FROM scratch;")
                counts.append(len(found))
            return counts

        *counted, _ = await asyncio.gather(read(), read(), write())
        assert all(counts == sorted(counts) for counts in counted)
        assert list(path.glob("sstables/*.sst"))
        assert sum(file.stat().st_size for file in path.glob("wal/*")) < 100_000
        [found] = await store.query("SELECT VALUE text FROM scratch;")
        assert sorted(found) == [str(number) * 5_000 for number in range(10, 50)]


async def test_what_is_in_memory_only_has_no_log():
    engine = await flushing.open_flushing(flushing.Target.parse("mem://"))
    assert not isinstance(engine, flushing.FlushingEngine)
    await engine.close()
