"""Walking verbs against plain Python over the facts that hold at the view."""

from collections import defaultdict, deque
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag import NewEpisode, QueryError
from tests.conftest import open_graph

NAMES = ["Ann", "Bob", "Eve", "Dan", "Joe", "Kim"]
LINKS = st.tuples(
    st.sampled_from(NAMES),
    st.sampled_from(["knows_of", "likes", "leads"]),
    st.sampled_from(NAMES),
    st.integers(2010, 2019),
    st.integers(1, 6),
)


async def graph_of(links):
    graph = open_graph()
    await graph.__aenter__()
    await graph.add_episodes(
        NewEpisode(
            f"{a} {relation} {b} from {start}-01-01 to {start + length}-01-01.",
            reference_time=f"{start}-01-01",
        )
        for a, relation, b, start, length in links
        if a != b
    )
    return graph


async def holding(graph, moment):
    """The facts as they are stored that hold at a moment."""
    told = {}
    for name in NAMES:
        for entity in await graph.at(history=True).entities(name):
            told |= {one.id: one for one in await graph.at(history=True).facts(entity)}
    return {
        (one.subject, one.relation, one.object)
        for one in told.values()
        if one.valid_at <= moment < one.invalid_at and one.retracted_at is None
    }


def joined(facts):
    near = defaultdict(set)
    for a, _, b in facts:
        near[a].add(b)
        near[b].add(a)
    return near


def distances(facts, start):
    near, found, waiting = joined(facts), {start: 0}, deque([start])
    while waiting:
        here = waiting.popleft()
        for there in near[here] - found.keys():
            found[there] = found[here] + 1
            waiting.append(there)
    return found


def simple_paths(facts, start, end, longest):
    near = joined(facts)

    def walk(path):
        if path[-1] == end:
            yield tuple(path)
        elif len(path) <= longest:
            for there in sorted(near[path[-1]] - set(path)):
                yield from walk([*path, there])

    return sorted(walk([start]), key=len)


@settings(
    max_examples=25,
    deadline=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.lists(LINKS, max_size=14), st.integers(2010, 2022), st.integers(1, 4))
def test_verbs_agree_with_plain_python_at_any_time(links, year, depth):
    import anyio

    anyio.run(_compare, links, year, depth)


async def _compare(links, year, depth):
    graph = await graph_of(links)
    try:
        moment = datetime(year, 6, 1, tzinfo=UTC)
        view, facts = graph.at(valid_at=moment), await holding(graph, moment)
        there = [name for name in NAMES if await graph.entity(name)]
        for name in there:
            far = distances(facts, name)
            expected = {other: d for other, d in far.items() if 0 < d <= depth}
            found = await view.neighbors(name, depth=depth)
            assert {one.entity.name: one.distance for one in found} == expected
            assert [one.distance for one in found] == sorted(expected.values())
            for one in found:
                ends = {frozenset((f.subject, f.object)) for f in one.facts}
                nearer = {n for n, d in far.items() if d == one.distance - 1}
                assert ends <= {frozenset((one.entity.name, n)) for n in nearer} and ends
        for a, b in pairwise(there):
            ways = simple_paths(facts, a, b, depth)
            path = await view.path(a, b, max_depth=depth)
            assert (path is None) == (not ways)
            if path is not None:
                assert len(path) == len(ways[0]) - 1
                assert tuple(one.name for one in path.entities) in ways
            several = await view.paths(a, b, k=3, max_depth=depth)
            assert [len(one) for one in several] == [len(way) - 1 for way in ways[:3]]
            assert len({tuple(e.id for e in one.entities) for one in several}) == len(several)
            for one in several:
                assert tuple(entity.name for entity in one.entities) in ways
                for here, fact, after in zip(
                    one.entities, one.facts, one.entities[1:], strict=False
                ):
                    assert {fact.subject, fact.object} == {here.name, after.name}
        whole = await view.subgraph(limit=100)
        assert {(f.subject, f.relation, f.object) for f in whole.facts} == facts
        assert {one.name for one in whole.entities} == {end for f in facts for end in (f[0], f[2])}
        for name in there:
            around = await view.subgraph(name, depth=depth, limit=3)
            expected = {n for n, d in distances(facts, name).items() if d <= depth}
            assert {one.name for one in around.entities} <= expected
            assert len(around.entities) + around.left_out == len(expected)
            assert around.entities[0].name == name
            portrait = await view.identity(name, facts=100)
            assert {(f.subject, f.relation, f.object) for f in portrait.facts} == {
                fact for fact in facts if name in (fact[0], fact[2])
            }
    finally:
        await graph.close()


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


async def test_neighbors_may_be_of_some_types_and_along_some_relations(case):
    people = await case.neighbors("Ann", depth=2, types=["person"])
    assert [(one.entity.name, one.distance) for one in people] == [("Bob", 2)]
    assert await case.neighbors("Bob", relations=["likes"], types=["organization"]) == []
    assert [one.entity.name for one in await case.neighbors("Bob", relations=["likes"])] == ["tea"]


async def test_a_portrait_says_what_holds_and_what_ended(case):
    portrait = await case.identity("Ann")
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
    await case.merge("Bob", "Bobby")
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
        ("identity", {"entity": "Nobody"}, "no entity is called 'Nobody'"),
        ("neighbors", {"entity": "Ann", "group": "elsewhere"}, "no group 'elsewhere'"),
    ],
)
async def test_what_cannot_be_is_said(case, verb, arguments, message):
    with pytest.raises(QueryError, match=message):
        await getattr(case, verb)(**arguments)
