"""Searching within a saga: its facts, the entities it mentions and its episodes, nothing else."""

import random
from dataclasses import replace

import pytest

from graphrag import Field, QueryError
from graphrag.io.copy import copy_store
from tests.conftest import open_graph
from tests.engine.worlds import ASKED, Judge, ask, recall
from tests.sagas.plain import SAGAS, history
from tests.view.test_leaks import everything


async def letters(graph, group="default"):
    for said, saga in (
        ("Ann likes tea.", "letters"),
        ("Ann works_at Acme.", "case"),
        ("Bob likes tea.", None),
        ("Bob knows Ann.", "letters"),
    ):
        await graph.group(group).add_episode(said, reference_time="2020-01-01", saga=saga)


async def test_a_search_within_a_saga_leaves_out_what_others_tell(graph):
    await letters(graph)
    results = await graph.search("Ann Bob tea Acme", saga="letters")
    assert {hit.item.text for hit in results.facts} == {"Ann likes tea.", "Bob knows Ann."}
    assert {hit.item.name for hit in results.entities} == {"Ann", "Bob", "tea"}
    assert {hit.item.content for hit in results.episodes} == {"Ann likes tea.", "Bob knows Ann."}
    same_by_filter = await graph.search("Ann Bob tea Acme", where=Field.saga == "letters")
    assert [hit.item.id for hit in same_by_filter.facts] == [hit.item.id for hit in results.facts]


async def test_a_fact_that_two_sagas_state_is_found_in_both(graph):
    await letters(graph)
    await graph.add_episode("Ann works_at Acme.", reference_time="2020-05-05", saga="letters")
    for saga in ("letters", "case"):
        facts = await graph.search("where does Ann work?", saga=saga, scopes=["facts"])
        assert "Ann works_at Acme." in {hit.item.text for hit in facts}
    others = await graph.search("Ann Acme", where=Field.saga != "case", scopes=["facts"])
    assert "Ann works_at Acme." not in {hit.item.text for hit in others}


async def test_a_saga_and_a_filter_must_both_fit(graph):
    await letters(graph)
    found = await graph.search("Ann", saga="letters", where=Field.relation == "likes")
    assert [hit.item.text for hit in found] == ["Ann likes tea."]


async def test_what_was_merged_is_found_in_the_sagas_of_all_its_names(graph):
    await letters(graph)
    await graph.add_episode("Annie likes jazz.", reference_time="2020-01-01", saga="songs")
    await graph.identity.merge("Ann", "Annie")
    [hit] = (await graph.search("Ann", saga="songs", scopes=["entities"], limit=1)).entities
    assert hit.item.name == "Ann"


async def test_what_cannot_be_searched_says_why(graph):
    await letters(graph)
    with pytest.raises(QueryError, match=r"no saga 'leters'.*'letters', 'case'"):
        await graph.search("Ann", saga="leters")
    with pytest.raises(QueryError, match="communities are of no saga"):
        await graph.search("Ann", saga="letters", scopes=["communities"])
    with pytest.raises(QueryError, match="saga 3: give text or None"):
        await graph.search("Ann", saga=3)


async def test_a_saga_of_two_groups_is_searched_in_both_and_in_no_other(graph):
    for group in ("a", "b", "c"):
        await letters(graph, group)
    results = await graph.groups("a", "b").search("Ann likes tea", saga="letters", limit=50)
    assert sorted((hit.item.group_id, hit.item.text) for hit in results.facts) == [
        (group, fact) for group in ("a", "b") for fact in ("Ann likes tea.", "Bob knows Ann.")
    ]
    assert {hit.item.saga for hit in results.episodes} == {"letters"}
    assert {hit.item.name for hit in results.entities} == {"Ann", "Bob", "tea"}


NEAR = tuple(name for name in ASKED if "distance" not in name)
"""The engine profile walks eight hops for true distances; what fits a filter may be farther."""


@pytest.fixture(scope="module")
async def worlds(tmp_path_factory):
    """Give one history in both profiles, id for id."""
    folder = tmp_path_factory.mktemp("sagas")
    process, engine = f"surrealkv://{folder}/process", f"surrealkv://{folder}/engine"
    async with open_graph(process) as graph:
        known, _ = await history(graph, 11, steps=30)
    await copy_store(process, engine, profile="engine")
    async with (
        open_graph(process, reranker=Judge()) as one,
        open_graph(engine, reranker=Judge()) as other,
    ):
        yield one, other, [at for at, _ in known]


@pytest.mark.parametrize("seed", range(10))
async def test_both_profiles_find_the_same_in_a_saga(worlds, seed):
    one, other, moments = worlds
    dice = random.Random(seed)
    within = Field.saga == dice.choice(SAGAS)
    where = dice.choice((within, within & (Field.relation != "likes"), ~within))
    asked = replace(ask(dice, moments, names=NEAR), where=where)
    ours, theirs = await asked.of(one), await asked.of(other)
    for scope in ("facts", "entities", "episodes", "communities"):
        mine, others = getattr(ours, scope), getattr(theirs, scope)
        assert len(mine) == len(others)
        assert recall(mine, others) >= 0.95, (asked, scope)


async def test_no_verb_of_a_saga_tells_of_another_group(graph):
    for group in ("zebras", "quokkas"):
        for day, said in enumerate(("Ann likes {}.", "Bob knows Ann {}."), 1):
            text, when = said.format(group), f"2020-01-0{day}"
            await graph.group(group).add_episode(text, reference_time=when, saga="letters")
        await graph.group(group).sagas.summarize_all()
    for group, other in (("zebras", "quokkas"), ("quokkas", "zebras")):
        graph = graph.group(group)
        for view in (graph.at(), graph.at(history=True), graph.at(valid_at="2020-01-02")):
            saga = await view.sagas.get("letters")
            found = [
                (saga, saga.summary, saga.context(500), saga.timeline),
                await view.sagas.list(),
                await view.sagas.window(saga.episodes[0], across="group"),
                await view.search("Ann Bob", saga="letters"),
            ]
            told = "".join(map(everything, found))
            assert group in told and other not in told
