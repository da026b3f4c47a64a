"""What a graph held in memory is free when it is closed, whoever still refers to the graph."""

import gc
from collections import Counter

from graphrag.index.group import GroupIndex
from graphrag.index.scope import ScopeIndex
from graphrag.model.values import Community, Entity, Episode, Fact
from tests.conftest import day, open_graph

HELD = GroupIndex, ScopeIndex, Entity, Fact, Episode, Community


def held():
    gc.collect()
    return Counter(type(thing).__name__ for thing in gc.get_objects() if type(thing) in HELD)


async def use(graph):
    for number in range(6):
        await graph.add_episode(
            f"P{number} works_at Acme from 2020. P{number} knows P{(number + 1) % 6}.",
            reference_time=day("2021-01-01"),
        )
    await graph.communities.update()
    at = (await graph.log.events())[3].at
    await graph.add_episode("Alice lives_in Paris.")
    await graph.search("P1", scopes=("facts", "entities", "episodes", "communities"))
    views = [graph.at(valid_at=day("2021-06-01")), graph.at(known_at=at)]
    for view in views:
        await view.search("P2", scopes=("facts", "entities", "episodes", "communities"))
        await view.communities.list()
        await view.neighbors("P1")
    await graph.communities.update()
    await graph.neighbors("P1")
    await graph.health.check_all()
    return views


async def test_a_closed_graph_holds_no_rows_and_no_columns(tmp_path):
    before = held()
    for url in ("mem://", f"surrealkv://{tmp_path / 'store'}"):
        graph = await open_graph(url)
        views = await use(graph)
        assert held()["GroupIndex"] > before["GroupIndex"]
        await graph.close()
        assert held() == before
        assert len(views) == 2  # they are still there, as a user may have kept them
