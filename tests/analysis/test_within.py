"""Searches limited to a part of the graph: near something, or what somebody can know."""

import pytest

from graphrag import Field, NewEpisode, QueryError, Reach, Recipe, Within
from tests.conftest import open_graph

ALL = Recipe(pool=200)


@pytest.fixture
async def town(graph):
    """Mara and Tom at Initech, Kim at Umbra, Umbra linked to Initech by a deal."""
    await graph.add_episodes(
        [
            NewEpisode("Mara works_at Initech from 2020-01-01.", reference_time="2020-01-01"),
            NewEpisode("Tom works_at Initech from 2021-01-01.", reference_time="2021-01-01"),
            NewEpisode("Tom likes climbing from 2021-01-01.", reference_time="2021-02-01"),
            NewEpisode("Kim works_at Umbra from 2020-01-01.", reference_time="2020-03-01"),
            NewEpisode("Initech plans_a takeover from 2022-01-01.", reference_time="2022-01-01"),
            NewEpisode("Umbra plans_a strike from 2022-01-01.", reference_time="2022-02-01"),
            NewEpisode("Kim knows Zed from 2020-01-01.", reference_time="2020-04-01"),
        ]
    )
    return graph


async def found(graph, within, query="works_at plans_a likes knows", scope="facts", **options):
    results = await graph.search(query, within=within, scopes=[scope], recipe=ALL, **options)
    words = {"facts": "text", "entities": "name", "episodes": "content"}[scope]
    return {getattr(hit.item, words).split(" from")[0] for hit in getattr(results, scope)}


async def test_each_hop_goes_one_fact_further(town):
    near = {"Mara works_at Initech"}
    assert await found(town, Within("Mara", hops=1)) == near
    near |= {"Tom works_at Initech", "Initech plans_a takeover"}
    assert await found(town, Within("Mara", hops=2)) == near
    assert await found(town, Within("Mara", hops=3)) == near | {"Tom likes climbing"}
    everyone = "Mara Tom Kim Zed Initech Umbra climbing takeover strike"
    assert await found(town, Within("Mara", hops=2), everyone, "entities") == {
        "Mara", "Initech", "Tom", "takeover",
    }  # fmt: skip


async def test_episodes_that_speak_of_what_is_near_are_near(town):
    told = await found(town, Within("Mara", hops=2), scope="episodes")
    assert told == {"Mara works_at Initech", "Tom works_at Initech", "Initech plans_a takeover"}


async def test_a_search_may_go_along_some_relations_only(town):
    along = Within("Mara", hops=2, relations=["works_at"])
    assert await found(town, along) == {"Mara works_at Initech", "Tom works_at Initech"}
    both = Within(["Mara", "Kim"], hops=1)
    assert await found(town, both) == {
        "Mara works_at Initech", "Kim works_at Umbra", "Kim knows Zed",
    }  # fmt: skip


async def test_near_is_what_was_near_at_the_time(town):
    [fact] = await town.facts("Mara")
    await town.edit.invalidate(fact, at="2023-01-01")
    assert await found(town, Within("Mara", hops=3)) == set()
    then = town.at(valid_at="2020-06-01")
    assert await found(then, Within("Mara", hops=3)) == {"Mara works_at Initech"}


async def test_two_who_ask_the_same_are_told_what_each_can_know(town):
    answers = {}
    for who in ("Mara", "Kim"):
        known = await town.within(who, through=["works_at"])
        answers[who] = await found(town, known, "what is planned: plans_a?")
    assert "Initech plans_a takeover" in answers["Mara"]
    assert "Umbra plans_a strike" in answers["Kim"]
    assert not answers["Mara"] & answers["Kim"]


async def test_one_knows_what_is_told_of_what_one_is_linked_to(town):
    mara = await town.within("Mara", through=["works_at"])
    assert repr(mara) == "Reach(2 entities, 3 facts, 3 episodes)"
    assert await found(town, mara, "Tom likes climbing") == {
        "Mara works_at Initech", "Tom works_at Initech", "Initech plans_a takeover",
    }  # fmt: skip
    assert await found(town, mara, "Tom", "entities") == {"Mara", "Initech"}
    colleagues = await town.within("Mara", through=["works_at"], hops=2)
    assert colleagues - mara and await town.entity("Tom") in colleagues
    assert await town.entity("Tom") not in mara
    alone = await town.within("Mara", through=[])
    assert await found(town, alone) == {"Mara works_at Initech"}


async def test_what_is_known_can_be_joined_and_cut(town):
    mara = await town.within("Mara", through=["works_at"])
    kim = await town.within("Kim", through=["works_at"])
    assert len(mara & kim) == 0 and len(mara | kim) == len(mara) + len(kim)
    secrets = Reach(facts=frozenset(fact.id for fact in await town.facts("takeover")))
    assert "Initech plans_a takeover" not in await found(town, (mara | kim) - secrets)


async def test_what_is_hidden_withdrawn_or_to_come_is_not_known():
    async with open_graph(review_below=0.5) as graph:
        await graph.add_fact("Mara", "likes", "tea", confidence=0.2)
        wrong = (await graph.add_fact("Mara", "likes", "milk", valid_at="2020")).fact
        await graph.add_fact("Mara", "likes", "juice", valid_at="2999")
        await graph.add_fact("Mara", "likes", "water", valid_at="2020", invalid_at="2021")
        await graph.edit.retract(wrong)
        known = await graph.within("Mara", through=[])
        ever = await graph.at(history=True).facts("Mara")
        assert [fact.object for fact in ever if fact in known] == ["water"]


async def test_a_past_view_knows_what_was_linked_then(town):
    then = await town.at(valid_at="2020-06-01").within("Mara", through=["works_at"])
    now = await town.within("Mara", through=["works_at"])
    assert len(then.facts) == 1 and then.facts < now.facts and then.episodes < now.episodes


async def test_the_merged_are_near_as_one(town):
    before = await town.within("Zed", through=[])
    await town.add_fact("Zeddy", "likes", "tea")
    await town.identity.merge("Mara", "Zed")
    assert "Kim knows Zed" in await found(town, Within("Mara", hops=1))
    assert "Mara" in await found(town, before, "Mara", "entities")


async def test_nothing_outside_shows_through(town):
    """Not as a name that is walked from, and not in the times that a question speaks of."""
    known = await town.within("Mara", through=["works_at"])
    results = await town.search("what happened before Kim knows Zed?", within=known, explain=True)
    assert not any(why.method == "graph" for hit in results.facts for why in hit.why)
    assert not results.communities


async def test_a_part_is_searched_with_a_filter_too(town):
    near = Within("Mara", hops=2)
    assert await found(town, near, where=Field.relation == "plans_a") == {
        "Initech plans_a takeover"
    }


async def test_several_groups_each_have_their_part(town):
    await town.group("other").add_fact("Mara", "likes", "opera")
    await town.group("other").add_fact("Ann", "likes", "opera")
    both = await town.groups("default", "other").search(
        "likes opera works_at", within=Within("Mara", hops=1), scopes=["facts"], recipe=ALL,
    )  # fmt: skip
    assert {(hit.item.subject, hit.item.object) for hit in both.facts} == {
        ("Mara", "Initech"), ("Mara", "opera"),
    }  # fmt: skip
    one = await town.groups("default", "other").search("opera", within=Within("Ann"))
    assert one.facts and all(hit.item.group_id == "other" for hit in one.facts)
    with pytest.raises(QueryError, match="within 'Nobody': no entity"):
        await town.groups("default", "other").search("opera", within=Within("Nobody"))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Within("Mara", hops=0), "hops 0: give 1 to 10"),
        (lambda: Within("Mara", hops=True), "hops True"),
        (lambda: Within("Mara", relations="likes"), "give a list of names"),
        (lambda: Within([]), "give an entity, its name or its id"),
        (lambda: Within([3]), "give an entity, its name or its id"),
    ],
)
def test_a_part_that_cannot_be_is_refused(make, message):
    with pytest.raises(QueryError, match=message):
        make()


async def test_a_search_in_a_part_that_is_not_there_says_so(town):
    with pytest.raises(QueryError, match="within 'Nobody': no entity has this name"):
        await town.search("tea", within=Within("Nobody"))
    with pytest.raises(QueryError, match="give Within"):
        await town.search("tea", within="Mara")
    with pytest.raises(QueryError, match="communities lie in no part"):
        await town.search("tea", within=Within("Mara"), scopes=["communities"])
    with pytest.raises(QueryError, match="through 'likes': give a list"):
        await town.within("Mara", through="likes")
    with pytest.raises(QueryError, match="hops 11: give 0 to 10"):
        await town.within("Mara", through=["likes"], hops=11)
    assert await found(town, Reach()) == set()
