"""Communities of other moments are those that a graph of just those facts would have."""

from datetime import UTC, datetime, timedelta

import anyio
import numpy as np
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from graphrag import Field, NewEpisode
from graphrag.community.detect import detect_levels
from graphrag.testing import HashEmbedder
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
    found = detect_levels(ends[:, 0], ends[:, 1], weights)
    return {(one.level, frozenset(order[row] for row in one.members)) for one in found}


def shown(communities, names):
    return {(one.level, frozenset(names[id_] for id_ in one.members)) for one in communities}


@settings(max_examples=6, phases=[Phase.explicit, Phase.generate])
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
            found = await graph.at(valid_at=moment).communities.list()
            names = {(await graph.entity(name)).id: name for name in order}
            ids = sorted(names)
            assert shown(found, names) == reference([names[id_] for id_ in ids], unique, moment)
            assert found == await graph.at(valid_at=moment).communities.list()

    anyio.run(check)


async def test_what_the_graph_had_at_a_moment_is_what_it_has_in_a_view_of_it(graph):
    told = [
        *("Ann likes Bob.", "Bob likes Cid.", "Cid likes Ann.", "Eve likes Fay.", "Fay likes Gil."),
        *("Gil likes Eve.", "Hal likes Eve.", "Hal knows Ann.", "Hal knows Bob.", "Cid knows Hal."),
    ]
    seen = []
    for number, text in enumerate(told):
        await graph.add_episode(text, reference_time=day(number))
        step = graph.communities.update if number % 3 else graph.communities.build
        made = await step()
        seen.append((made, await found_of(graph), datetime.now(UTC)))
    await graph.identity.merge("Ann", "Hal")
    await graph.communities.build()
    for communities, found, moment in seen:
        view = graph.at(known_at=moment)
        assert await view.communities.list() == communities
        assert await found_of(view) == found


async def found_of(graph, **options):
    found = await graph.search("Gil likes Eve", scopes=["communities"], **options)
    return [(hit.item, round(hit.score, 5), hit.relevance) for hit in found.communities]


async def test_a_community_of_another_day_that_lasts_has_its_id(graph):
    await graph.add_episodes(
        [
            NewEpisode("Ann likes Bob. Bob likes Cid. Cid likes Ann.", "2020-01-01"),
            NewEpisode("Dee likes Ann. Dee likes Bob. Dee likes Cid.", "2023-01-01"),
        ]
    )
    [now] = await graph.communities.build()
    [then] = await graph.at(valid_at="2021-01-01").communities.list()
    assert then.id == now.id and set(then.members) < set(now.members)
    assert await graph.at(valid_at="2019-01-01").communities.list() == []
    assert [one.id for one in await graph.communities.list()] == [now.id]


async def test_a_search_of_another_day_finds_its_communities_and_knows_nothing_later(graph):
    await graph.add_episodes(
        [
            NewEpisode("Ann likes Bob. Bob likes Cid. Cid likes Ann.", "2020-01-01"),
            NewEpisode("Eve likes Fay. Fay likes Gil. Gil likes Eve.", "2021-01-01"),
            NewEpisode("Dee likes Ann. Dee likes Bob. Dee likes Cid.", "2023-01-01"),
        ]
    )
    await graph.group("other").add_episode("Eve likes Hal.", reference_time="2020-06-01")
    await graph.communities.build()
    for year, count in (2019, 0), (2020, 1), (2022, 2), (2024, 2):
        view = graph.at(valid_at=f"{year}-07-01")
        there = await view.communities.list()
        assert len(there) == count
        found = [item for item, *_ in await found_of(view)]
        assert sorted(found, key=lambda one: one.id) == sorted(there, key=lambda one: one.id)
        several = await found_of(graph.groups("default", "other").at(valid_at=f"{year}-07-01"))
        others = await graph.group("other").at(valid_at=f"{year}-07-01").communities.list()
        assert {item.id for item, *_ in several} == {one.id for one in (*there, *others)}
        assert len(await found_of(view, where=Field.created_at > "2000-01-01")) == len(there)
        assert await found_of(view, where=Field.group == "no") == []
    told = (await found_of(graph.at(valid_at="2022-01-01")))[0][0]
    assert "Eve" in told.name and "Dee" not in str(await found_of(graph.at(valid_at="2022-01-01")))
    assert "Dee" in str(await found_of(graph.at(valid_at="2024-01-01")))


async def test_of_many_communities_of_another_day_those_that_may_answer_are_embedded():
    embedder = Counting()
    async with open_graph(embedder=embedder) as graph:
        pairs = [(f"Ann{n}", f"Bob{n}") for n in range(260)]
        rows = [
            {"subject": one, "relation": "knows", "object": other, "valid_at": "2020-01-01"}
            for one, other in pairs
        ]
        await graph.load.facts(rows)
        view = graph.at(valid_at="2021-01-01")
        embedder.documents = 0
        found = await view.search("Whom does Ann77 know?", scopes=["communities"], limit=3)
        assert "Ann77" in found.communities[0].item.name
        assert embedder.documents <= 100
        assert len(await view.communities.list()) == 260


class Counting(HashEmbedder):
    documents = 0

    async def embed(self, texts, *, purpose):
        self.documents += len(texts) * (purpose == "document")
        return await super().embed(texts, purpose=purpose)


async def test_a_search_of_the_past_looks_for_communities_only_if_asked_to():
    async with open_graph() as graph:
        await graph.add_fact("Ann", "knows", "Bob", valid_at="2020-01-01")
        await graph.communities.build()
        assert (await graph.search("Ann Bob")).communities
        then = graph.at(valid_at="2021-01-01")
        assert not (await then.search("Ann Bob")).communities
        for asked in ({"scopes": ["communities"]}, {"recipe": "community_hybrid_search_rrf"}):
            assert (await then.search("Ann Bob", **asked)).communities
