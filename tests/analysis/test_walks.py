"""Walking verbs: what they say, and what they refuse; any history: ``test_as_of.py``."""

import json

import igraph
import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag import NewEpisode, QueryError
from graphrag.analysis.subgraph import heat
from graphrag.temporal.moment import utc_now


@pytest.fixture
async def case(graph):
    await graph.add_episodes(
        [
            NewEpisode("Ann works_at Acme from 2020-01-01.", reference_time="2020-01-01"),
            NewEpisode("Ann works_at Beta from 2022-01-01.", reference_time="2022-01-01"),
            NewEpisode("Bob works_at Beta. Bob likes tea.", reference_time="2022-02-01"),
        ]
    )
    return graph


async def test_paths_read_as_sentences_and_know_their_direction(case):
    path = await case.path("Ann", "tea")
    assert str(path) == "Ann -works_at-> Beta <-works_at- Bob -likes-> tea"
    assert "works at" in path._repr_html_()
    assert await case.path("Acme", "tea") is None
    assert str(await case.at(valid_at="2021-01-01").path("Acme", "Ann")) == ("Acme <-works_at- Ann")
    assert len(await case.path("Ann", "Ann")) == 0


async def test_sure_facts_are_shorter(graph):
    for middle, confidence in (("Bob", 0.75), ("Eve", 1.0)):
        await graph.add_fact("Ann", "knows_of", middle, confidence=confidence)
        await graph.add_fact(middle, "knows_of", "Dan", confidence=confidence)
    paths = await graph.paths("Ann", "Dan", k=5)
    assert [(str(one.entities[1].name), one.cost) for one in paths] == [("Eve", 2), ("Bob", 2.5)]


async def test_a_path_of_the_past_is_as_sure_as_it_was(graph):
    for middle, confidence in (("Bob", 0.6), ("Eve", 0.8)):
        await graph.add_fact("Ann", "knows_of", middle, confidence=confidence, valid_at="2020")
        await graph.add_fact(middle, "knows_of", "Dan", confidence=confidence, valid_at="2020")
    before = utc_now()
    await graph.add_fact("Ann", "knows_of", "Bob", valid_at="2020")
    await graph.add_fact("Bob", "knows_of", "Dan", valid_at="2020")
    for view, best, cost in ((graph.at(), "Bob", 2.0), (graph.at(known_at=before), "Eve", 2.4)):
        [path] = await view.paths("Ann", "Dan", k=1)
        assert (path.entities[1].name, round(path.cost, 6)) == (best, cost)


async def test_neighbors_may_be_of_some_types_and_along_some_relations(case):
    people = await case.neighbors("Ann", depth=2, types=["person"])
    assert [(one.entity.name, one.distance) for one in people] == [("Bob", 2)]
    assert await case.neighbors("Bob", relations=["likes"], types=["organization"]) == []
    assert [one.entity.name for one in await case.neighbors("Bob", relations=["likes"])] == ["tea"]


async def test_neighbors_of_the_past_are_of_the_types_of_then(graph):
    await graph.add_fact("Ann", "likes", "Mercury")
    before = utc_now()
    await graph.add_fact("Ann", "visited", "Mercury", object_type="place")
    then = graph.at(known_at=before)
    assert await graph.neighbors("Ann", types=["place"])
    assert not await then.neighbors("Ann", types=["place"])
    assert await then.neighbors("Ann", types=["thing"])


async def test_a_portrait_says_what_holds_and_what_ended(case):
    portrait = await case.profile("Ann")
    assert str(portrait).splitlines() == [
        "Ann (person)",
        "- Ann works at Beta (since 2022-01-01)",
        "before:",
        "- Ann works at Acme (2020-01-01 to 2022-01-01)",
    ]


async def test_a_subgraph_is_drawn_without_markup_from_texts(graph):
    await graph.add_fact("<b>Ann</b>", "likes", "tea & milk", valid_at="2020")
    drawn = (await graph.subgraph())._repr_html_()
    assert drawn.startswith("<svg") and drawn.count("<circle") == 2
    assert "&lt;b&gt;Ann" in drawn and "<b>Ann" not in drawn and "tea &amp; milk" in drawn
    assert "nothing" in (await graph.at(valid_at="1990").subgraph())._repr_html_()


async def test_two_entities_merged_are_walked_as_one(case):
    await case.add_fact("Bobby", "likes", "milk")
    await case.identity.merge("Bob", "Bobby")
    assert str(await case.path("Ann", "milk")) == (
        "Ann -works_at-> Beta <-works_at- Bob -likes-> milk"
    )


@pytest.mark.parametrize(
    ("verb", "arguments", "message"),
    [
        ("neighbors", {"entity": "Nobody"}, "no entity is called 'Nobody'"),
        ("neighbors", {"entity": "Ann", "depth": 0}, "depth 0: give 1 to 10"),
        ("path", {"start": "Ann", "end": "Nobody"}, "no entity is called 'Nobody'"),
        ("paths", {"start": "Ann", "end": "Bob", "k": 0}, "k 0: give 1"),
        ("subgraph", {"center": "Ann", "limit": "all"}, "limit 'all'"),
        ("profile", {"entity": "Nobody"}, "no entity is called 'Nobody'"),
    ],
)
async def test_what_cannot_be_is_said(case, verb, arguments, message):
    with pytest.raises(QueryError, match=message):
        await getattr(case, verb)(**arguments)


async def test_a_group_that_nobody_wrote_to_is_empty_or_said(case):
    with pytest.raises(QueryError, match="no group 'elsewhere'"):
        await case.group("elsewhere", strict=True).neighbors("Ann")
    with pytest.raises(QueryError, match="no entity is called 'Ann' in group 'elsewhere'"):
        await case.group("elsewhere").neighbors("Ann")


async def test_many_facts_between_two_are_one_edge(graph):
    for year in range(2010, 2015):
        await graph.add_fact("Ann", "met_with", "Bob", valid_at=str(year), invalid_at=f"{year}-02")
    history = graph.at(history=True)
    piece = await history.subgraph("Ann", depth=1, facts=2)
    ann, bob = (one.id for one in piece.entities)
    assert [(one.source, one.relation, one.target, one.count) for one in piece.edges] == [
        (ann, "met_with", bob, 5)
    ]
    assert [fact.valid_at.year for fact in piece.facts] == [2014, 2013]
    assert piece.degrees == {ann: 5, bob: 5}
    assert {moment.isoformat() for moment in piece.changed.values()} == {
        "2014-02-01T00:00:00+00:00"
    }
    assert "met with Bob (5 facts)" in piece._repr_html_()


async def test_a_subgraph_is_json_for_explorers(case):
    told = json.loads(json.dumps((await case.subgraph("Bob", depth=2)).to_dict()))
    names = {node["id"]: node["name"] for node in told["nodes"]}
    assert {(names[e["source"]], e["relation"], names[e["target"]]) for e in told["edges"]} == {
        ("Bob", "works_at", "Beta"), ("Bob", "likes", "tea"), ("Ann", "works_at", "Beta"),
    }  # fmt: skip
    assert {fact["id"] for fact in told["facts"]} and told["left_out"] == 0
    assert max(told["nodes"], key=lambda node: node["heat"])["name"] == "Bob"
    assert all(node["facts"] >= 1 and node["changed"] for node in told["nodes"])


@settings(phases=[Phase.explicit, Phase.generate])
@given(st.lists(st.tuples(st.integers(0, 7), st.integers(0, 7)), max_size=30), st.booleans())
def test_heat_is_pagerank(ends, centred):
    pairs = np.array(ends, dtype=np.intp).reshape(-1, 2)
    found = heat(pairs[:, 0], pairs[:, 1], 8, 3 if centred else None)
    start = [float(node == 3) if centred else 1.0 for node in range(8)]
    walker = igraph.Graph(n=8, edges=ends)
    expected = np.array(walker.personalized_pagerank(directed=False, reset=start))
    assert np.allclose(found, expected / expected.max(), atol=1e-4)
