"""Communities of other moments are those that a graph of just those facts would have."""

from datetime import UTC, datetime, timedelta

import anyio
import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag import NewEpisode
from graphrag.community.levels import detect_levels
from tests.conftest import open_graph

START = datetime(2020, 1, 1, tzinfo=UTC)
NAMES = "Ann Bob Cid Dee Eve Fay Gil Hal".split()
FACTS = st.lists(
    st.tuples(
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
        st.integers(0, 8),
        st.integers(1, 9),
        st.sampled_from((1.0, 0.5)),
    ).filter(lambda fact: fact[0] != fact[1]),
    min_size=1,
    max_size=14,
)


def day(number):
    return START + timedelta(days=number)


def reference(order, facts, moment):
    """Detect the communities of the facts that hold, as names."""
    held = [
        (one.subject, one.object, one.confidence)
        for one in facts
        if one.valid_at <= moment < one.invalid_at and one.retracted_at is None
    ]
    rows = {name: number for number, name in enumerate(order)}
    ends = np.array([[rows[a], rows[b]] for a, b, _ in held], dtype=np.int32).reshape(-1, 2)
    weights = np.array([weight for *_, weight in held], dtype=float)
    found = detect_levels(ends[:, 0], ends[:, 1], weights=weights)
    return {(one.level, frozenset(order[row] for row in one.members)) for one in found}


def shown(communities, names):
    return {(one.level, frozenset(names[id_] for id_ in one.members)) for one in communities}


@settings(deadline=None, max_examples=6, phases=[Phase.explicit, Phase.generate])
@given(FACTS, st.integers(0, 16))
def test_of_a_day_they_are_those_of_the_facts_that_held(facts, number):
    async def check():
        async with open_graph(review_below=0) as graph:
            stored, order = [], {}
            for subject, object_, start, length, confidence in facts:
                told = await graph.add_fact(
                    subject,
                    "knows",
                    object_,
                    valid_at=day(start),
                    invalid_at=day(start + length),
                    confidence=confidence,
                )
                stored.append(told)
                order.update(dict.fromkeys((subject, object_)))
            everything = [
                fact for name in order for fact in await graph.at(history=True).facts(name)
            ]
            unique = {fact.id: fact for fact in everything}.values()
            moment = day(number)
            found = await graph.at(valid_at=moment).communities()
            names = {(await graph.entity(name)).id: name for name in order}
            ids = sorted(names)
            assert shown(found, names) == reference([names[id_] for id_ in ids], unique, moment)
            assert found == await graph.at(valid_at=moment).communities()

    anyio.run(check)


async def test_what_the_graph_had_at_a_moment_is_what_it_has_in_a_view_of_it(graph):
    told = [
        *("Ann likes Bob.", "Bob likes Cid.", "Cid likes Ann.", "Eve likes Fay.", "Fay likes Gil."),
        *("Gil likes Eve.", "Hal likes Eve.", "Hal knows Ann.", "Hal knows Bob.", "Cid knows Hal."),
    ]
    seen = []
    for number, text in enumerate(told):
        await graph.add_episode(text, reference_time=day(number))
        step = graph.update_communities if number % 3 else graph.build_communities
        seen.append((await step(), datetime.now(UTC)))
    await graph.merge("Ann", "Hal")
    await graph.build_communities()
    for communities, moment in seen:
        view = graph.at(known_at=moment)
        assert await view.communities() == communities
        if communities:
            found = await view.search("likes", scopes=["communities"])
            then = {one.id: one for one in communities}
            assert all(hit.item == then[hit.item.id] for hit in found.communities)


async def test_a_community_of_another_day_that_lasts_has_its_id(graph):
    await graph.add_episodes(
        [
            NewEpisode("Ann likes Bob. Bob likes Cid. Cid likes Ann.", "2020-01-01"),
            NewEpisode("Dee likes Ann. Dee likes Bob. Dee likes Cid.", "2023-01-01"),
        ]
    )
    [now] = await graph.build_communities()
    [then] = await graph.at(valid_at="2021-01-01").communities()
    assert then.id == now.id and set(then.members) < set(now.members)
    assert await graph.at(valid_at="2019-01-01").communities() == []
    assert [one.id for one in await graph.communities()] == [now.id]
