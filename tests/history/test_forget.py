"""What is forgotten is nowhere: no table and no event holds the name."""

import pytest

from graphrag import InputError
from tests.edits.faint import whole


async def held(graph):
    store = graph._open().store
    [info] = await store.query("INFO FOR DB;")
    return [
        row
        for table in info["tables"]
        for [rows] in [await store.query(f"SELECT * FROM {table};")]
        for row in rows
    ]


async def test_no_table_holds_the_name(graph):
    await graph.add_episode("Bob knows Carol.", reference_time="2019")
    await graph.add_episode("Alice knows Bob. Bob knows Carol.", reference_time="2020")
    await graph.add_episode("Bob works_at Acme.", reference_time="2021")
    await graph.correct((await graph.facts("Alice"))[0], text="Alice met Bob.", reason="Alice said")
    await graph.build_communities()
    event = await graph.forget("Alice", actor="ann")
    assert (event.kind, event.actor) == ("forget", "ann")
    assert "alice" not in repr(await held(graph)).casefold()
    assert await graph.entity("Alice") is None
    assert {fact.object for fact in await graph.facts("Bob")} == {"Carol", "Acme"}
    assert [event.seq for event in await graph.log()] == [1, 2, 3, 4, 5, 6]
    assert not (await graph.search("Alice")).episodes[2:]
    await whole(graph)
    with pytest.raises(InputError):
        await graph.forget("Alice")
    with pytest.raises(InputError, match="erased"):
        await graph.revert(event)
    assert (await graph.add_episode("Alice knows Bob.", reference_time="2022")).new
    await whole(graph)
