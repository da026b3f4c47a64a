"""Sagas of any moment of either time are what plain Python makes of the rows of then."""

import pytest

from graphrag import QueryError
from graphrag.search.rewind import Rewind, rewound_mentions
from tests.conftest import open_graph
from tests.engine.worlds import FIRMS, FIRST, LAST, THINGS, TOWNS, moment
from tests.sagas.plain import SAGAS, Plain, history, plain, plain_sagas

ASKED = " ".join((*FIRST, *LAST, *FIRMS, *TOWNS, *THINGS))
"""Words of every sentence there is."""
NOTHING = Plain((), frozenset(), frozenset(), frozenset())


async def read(view, saga):
    try:
        return plain(await view.sagas.get(saga))
    except QueryError:
        return NOTHING


@pytest.mark.parametrize("seed", range(2))
async def test_a_saga_is_now_and_was_then_what_its_rows_say(seed):
    async with open_graph() as graph:
        known, dice = await history(graph, seed)
        for saga, wanted in (await plain_sagas(graph)).items():
            assert await read(graph, saga) == wanted
        for at, sagas in known:
            view = graph.at(known_at=at)
            for saga, wanted in sagas.items():
                assert await read(view, saga) == wanted
            listed = {one.name: one.episodes for one in await view.sagas.list()}
            assert listed == {
                saga: len(one.episodes) for saga, one in sagas.items() if one.episodes
            }
        for _ in range(4):
            view = graph.at(valid_at=moment(dice))
            sagas = await plain_sagas(graph, at=view.viewpoint.valid_at)
            for saga in SAGAS:
                assert await read(view, saga) == sagas[saga]


@pytest.mark.parametrize("seed", range(1, 2))
async def test_a_search_within_a_saga_finds_what_it_tells_of_at_any_known_moment(seed):
    async with open_graph() as graph:
        known, _ = await history(graph, seed)
        counted = 0
        for at, sagas in [*known, (None, await plain_sagas(graph))]:
            for saga, wanted in sagas.items():
                if not wanted.episodes:
                    continue
                results = await graph.at(known_at=at).search(ASKED, saga=saga, limit=1000)
                facts = {hit.item.id for hit in results.facts}
                assert {hit.item.id for hit in results.episodes} == set(wanted.episodes)
                assert facts == wanted.facts
                assert {hit.item.id for hit in results.entities} <= wanted.entities
                assert not results.communities
                counted += len(facts)
        assert counted > 10


def test_mentions_then_are_without_later_ones_and_with_those_taken_back_since():
    past = Rewind(
        {"mentions": {"later"}}, {"mentions": {"gone": {"in": "episode:1", "out": "entity:a"}}}
    )
    now = {"later": ("2", "b"), "both": ("1", "c")}
    assert rewound_mentions(now, past) == {"both": ("1", "c"), "gone": ("1", "a")}
