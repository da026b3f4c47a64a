import numpy as np
import pytest

from graphrag.community.detect import detect
from tests.conftest import open_graph


def communities(*edges):
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2)
    return detect(ends[:, 0], ends[:, 1])


@pytest.mark.parametrize(
    ("edges", "expected"),
    [
        ([], []),
        ([(0, 1)], [[0, 1]]),
        ([(0, 1), (0, 1)], [[0, 1]]),
        ([(0, 1), (0, 1), (0, 2), (0, 2), (0, 3), (0, 3)], [[0, 1, 2, 3]]),
        ([(0, 1), (2, 3)], [[0, 1], [2, 3]]),
        ([(5, 6), (6, 7), (5, 7), (7, 1), (1, 2), (2, 3), (1, 3)], [[1, 2, 3], [7, 5, 6]]),
    ],
    ids=["nothing", "pair", "two parallel facts", "star", "two pairs", "two triangles"],
)
def test_detection_ends_on_every_shape(edges, expected):
    assert communities(*edges) == expected


def test_same_edges_same_communities():
    rng = np.random.default_rng(1)
    edges = rng.integers(0, 60, (300, 2)).tolist()
    assert communities(*edges) == communities(*edges)


TOWN = (
    "Alice works_at Acme. Bob works_at Acme. Alice married_to Bob. "
    "Carol lives_in Paris. Dora lives_in Paris. Carol sibling_of Dora."
)


async def test_communities_are_named_described_and_stored(tmp_path):
    url = f"surrealkv://{tmp_path}/graph"
    async with open_graph(url) as graph:
        await graph.add_episode(TOWN)
        built = await graph.communities.build()
    assert {len(community.members) for community in built} == {3}
    assert any("Acme" in community.name for community in built)
    summaries = " ".join(community.summary for community in built)
    assert "Alice and Bob work at Acme (as of " in summaries
    async with open_graph(url) as graph:
        stored = await graph.communities.list()
    assert sorted(stored, key=lambda c: c.id) == sorted(built, key=lambda c: c.id)


async def test_unchanged_communities_keep_their_id_and_write_nothing(graph):
    await graph.add_episode(TOWN)
    first = await graph.communities.build()
    events = len(await graph.log.events())
    assert await graph.communities.build() == first
    assert len(await graph.log.events()) == events
    await graph.add_episode("Erik works_at Acme.")
    second = await graph.communities.build()
    assert {community.id for community in first} == {c.id for c in second}
    assert sorted(len(community.members) for community in second) == [3, 4]


async def test_ended_facts_tie_nobody_together(graph):
    await graph.add_episode("Alice works_at Acme from 2020 to 2021.")
    assert await graph.communities.build() == []


async def test_an_update_takes_in_what_was_told_since(graph):
    await graph.add_episode(TOWN)
    assert await graph.communities.update() == await graph.communities.list()
    first = await graph.communities.list()
    for number in range(80):  # so that a few more facts are no twentieth of all
        await graph.add_episode(f"Carol likes thing {number}.")
    await graph.communities.build()
    await graph.add_episode("Erik works_at Acme.")
    await graph.add_episode("Finn likes milk. Gwen likes milk.")
    updated = await graph.communities.update()
    assert (await graph.log.events())[-1].kind == "update_communities"
    names = [{(await graph.entities(id_))[0].name for id_ in one.members} for one in updated]
    assert {"Alice", "Bob", "Acme", "Erik"} in names
    assert {"Finn", "Gwen", "milk"} in names
    assert {one.id for one in first} <= {one.id for one in updated}
    events = len(await graph.log.events())
    assert await graph.communities.update() == updated
    assert len(await graph.log.events()) == events
    rebuilt = {frozenset(one.members) for one in await graph.communities.build()}
    assert rebuilt == {frozenset(one.members) for one in updated}


async def test_an_update_lets_go_of_what_ended(graph):
    await graph.add_episode(TOWN)
    for number in range(100):
        await graph.add_episode(f"Carol likes thing {number}.")
    await graph.communities.build()
    for fact in await graph.facts("Bob"):
        await graph.edit.retract(fact)
    names = [
        {(await graph.entities(id_))[0].name for id_ in one.members}
        for one in await graph.communities.update()
    ]
    assert {"Alice", "Acme"} in names and not any("Bob" in some for some in names)


async def test_much_that_is_new_is_detected_anew(graph):
    await graph.add_episode(TOWN)
    await graph.communities.build()
    await graph.add_episode("Erik works_at Acme. Finn works_at Acme.")
    await graph.communities.update()
    assert (await graph.log.events())[-1].kind == "build_communities"
