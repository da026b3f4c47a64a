"""Whatever is done, every earlier moment is read back exactly as it was read then."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag import GraphRAGError
from tests.conftest import open_graph
from tests.edits.faint import whole

PEOPLE = ("Alice", "Bob", "Carol")
NAMES = (*PEOPLE, "Acme", "Beta", "Globex", "tea")
WORLD = "2022-06-01"

years = st.integers(2018, 2025)
picks = st.integers(0, 30)
told = st.tuples(
    st.just("tell"),
    st.sampled_from(PEOPLE),
    st.sampled_from(["works_at Acme", "works_at Globex", "ends:works_at Acme", "likes tea"]),
    years,
)
done = st.tuples(
    st.sampled_from(["invalidate", "retract", "correct", "start", "merge", "revert", "remove"]),
    picks,
    picks,
    years,
)


async def act(graph, step, number):
    kind, one, other, year = step
    index = await graph._open().catalog.group("default")
    facts, episodes = sorted(index.facts.ids), sorted(index.episodes.ids)
    match kind:
        case "tell":
            since = "" if other.startswith("ends") else f" from {year}"
            text = f"{one} {other}{since}."
            await graph.add_episode(text, reference_time=f"{year}-{number % 12 + 1:02}-02")
        case "invalidate" if facts:
            await graph.invalidate(facts[one % len(facts)], str(year))
        case "retract" if facts:
            await graph.retract(facts[one % len(facts)])
        case "correct" if facts:
            await graph.correct(facts[one % len(facts)], object=("Beta", "Acme")[other % 2])
        case "start" if facts:
            await graph.correct(facts[one % len(facts)], valid_at=str(year))
        case "merge":
            await graph.merge(PEOPLE[one % 3], PEOPLE[other % 3])
        case "revert" if index.seq:
            await graph.revert(one % index.seq + 1, force=bool(other % 2))
        case "remove" if episodes:
            await graph.remove_episode(episodes[one % len(episodes)])


async def snapshot(view):
    seen = {}
    for name in NAMES:
        entities = await view.entities(name)
        seen[name] = [(entity, await view.facts(entity)) for entity in entities]
    for query in ("Alice works at Acme", "who likes tea"):
        found = await view.search(query, limit=50)
        for scope in ("facts", "entities", "episodes"):
            hits = [hit.item for hit in getattr(found, scope)]
            seen[query, scope] = sorted(hits, key=lambda item: item.id)
    return seen


async def views(graph, known_at=None):
    return [
        await snapshot(graph.at(known_at=known_at)),
        await snapshot(graph.at(known_at=known_at, valid_at=WORLD)),
        await snapshot(graph.at(known_at=known_at, history=True)),
    ]


async def play(steps):
    async with open_graph() as graph:
        past = []
        for number, step in enumerate(steps):
            before = await graph.log()
            try:
                await act(graph, step, number)
            except GraphRAGError:
                assert await graph.log() == before
            if log := await graph.log():
                past.append((log[-1].at, await views(graph)))
        for moment, then in past:
            assert await views(graph, moment) == then
        await whole(graph)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.one_of(told, told, done), min_size=1, max_size=9))
def test_every_earlier_moment_is_read_back_exactly(steps):
    asyncio.run(play(steps))
