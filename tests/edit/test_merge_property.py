"""Whatever was told: a merge taken back leaves nothing behind, and the past never changes."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph

PEOPLE = ("Ann", "Ben", "Cay")
SENTENCES = st.builds(
    "{} {} {} from {}.".format,
    st.sampled_from(PEOPLE),
    st.sampled_from(("works_at", "likes", "knows", "married_to")),
    st.sampled_from(("Acme", "Beta", "Rome", "Dan", *PEOPLE)),
    st.integers(2015, 2024),
)


async def snapshot(graph, known_at=None):
    seen = []
    for history in (False, True):
        view = graph.at(known_at=known_at, history=history)
        for name in (*PEOPLE, "Dan", "Acme"):
            entities = await view.entities(name)
            seen += [sorted(map(repr, await view.facts(entity))) for entity in entities]
            seen.append(entities)
        found = await view.search("Ann Ben works", limit=50)
        seen.append({repr(hit.item) for hit in (*found.facts, *found.entities)})
    return seen


async def merged_and_back(told, pair):
    async with open_graph() as graph:
        for day, sentence in enumerate(told):
            await graph.add_episode(sentence, reference_time=f"2025-01-{day + 1:02}")
        for name in pair:
            await graph.add_episode(f"{name} likes Paris.", reference_time="2025-02-01")
        before, then = await snapshot(graph), utc_now()
        event = await graph.identity.merge(*pair)
        merged, between = await snapshot(graph), utc_now()
        assert not (await graph.health.check_all()).findings
        assert await snapshot(graph, then) == before
        await graph.identity.unmerge(event)
        assert await snapshot(graph) == before
        assert await snapshot(graph, between) == merged
        assert not (await graph.health.check_all()).findings


@settings(max_examples=6, suppress_health_check=[HealthCheck.too_slow])
@given(
    told=st.lists(SENTENCES, min_size=1, max_size=8),
    pair=st.permutations(PEOPLE).map(lambda people: tuple(people[:2])),
)
def test_a_merge_taken_back_leaves_everything_as_it_was(told, pair):
    asyncio.run(merged_and_back(told, pair))
