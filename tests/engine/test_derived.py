"""What the indexes cover follows from the records, whatever was written, undone or erased."""

import random
from itertools import chain

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.engine import rows
from graphrag.index.texts import WORD_COLUMNS
from graphrag.schema import is_search_table
from tests.conftest import open_graph
from tests.engine.worlds import tell


async def derived(graph):
    """Return every row of a search table."""
    found = {}
    store = graph.handle.session.store
    [info] = await store.query("INFO FOR DB;")
    for table in filter(is_search_table, info["tables"]):
        [rows] = await store.query(f"SELECT * FROM {table};")
        found |= {(table, row["id"].id): {**row, "id": None} for row in rows}
    return found


async def follows(graph):
    """Assert that the derived rows are those that are derived anew."""
    kept = await derived(graph)
    await graph.health.build_indexes()
    anew = await derived(graph)
    assert kept.keys() == anew.keys()
    assert kept == anew
    assert (await graph.health.indexes()).sound


async def test_they_follow_from_what_is_told_and_changed():
    async with open_graph(profile="engine") as graph:
        await tell(graph, random.Random(3), 12)
        await tell(graph, random.Random(4), 4, group="other")
        await follows(graph)


async def test_they_follow_from_what_is_undone_and_renamed():
    async with open_graph(profile="engine") as graph:
        await graph.add_episode("Alice works_at Acme. Bob knows Alice.", reference_time="2020-01")
        await graph.add_episode("Al works_at Beta.", reference_time="2021-01")
        merged = await graph.identity.merge("Alice", "Al")
        await graph.identity.unmerge(merged)
        [fact] = await graph.facts("Al")
        await graph.edit.correct(fact, subject="Bob")
        await graph.communities.build()
        await graph.communities.build()
        await follows(graph)


async def test_only_words_are_read_of_what_is_renamed(monkeypatch):
    async with open_graph(profile="engine") as graph:
        await graph.add_episode("Alice works_at Acme. Bob knows Alice.", reference_time="2020-01")
        read, given = [], rows.rows_of

        async def recorded(*arguments, **options):
            read.extend(await given(*arguments, **options))
            return read

        monkeypatch.setattr(rows, "rows_of", recorded)
        await graph.identity.rename("Alice", "Alicia")
        assert read
        known = {"id", *chain.from_iterable(WORD_COLUMNS.values())}
        assert all(row.keys() <= known for row in read)
        monkeypatch.undo()
        await follows(graph)


async def test_what_is_forgotten_leaves_no_words_behind():
    async with open_graph(profile="engine") as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
        await graph.add_episode("Bob works_at Beta.", reference_time="2020-01-01")
        await graph.group("g").add_episode("Alice works_at Globex.", reference_time="2020-01-01")
        await graph.erase.entity("Alice")
        await graph.group("g").erase.group(confirm="g")
        assert "alic" not in str(await derived(graph))
        await follows(graph)


@settings(max_examples=3, suppress_health_check=list(HealthCheck))
@given(st.integers(0, 10**6))
def test_they_follow_from_any_history(seed):
    import asyncio

    async def play():
        async with open_graph(profile="engine") as graph:
            await tell(graph, random.Random(seed), 6)
            await follows(graph)

    asyncio.run(play())
