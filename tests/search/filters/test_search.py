"""Filtered searches, through every step."""

import pytest

from graphrag import Field
from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph


async def tell(graph):
    for text, when, channel in (
        ("Alice works_at Acme from 2020.", "2020-02-01", "mail"),
        ("Alice likes tea. Bob knows Alice.", "2021-02-01", "chat"),
        ("Alice works_at Beta from 2022.", "2022-02-01", "mail"),
    ):
        await graph.add_episode(text, reference_time=when, metadata={"channel": channel})


def objects(results):
    return {hit.item.object for hit in results.facts}


async def test_a_filter_holds_with_a_view_of_the_past_whatever_was_asked_before(graph):
    await tell(graph)
    [likes] = [fact for fact in await graph.facts("Alice") if fact.relation == "likes"]
    before = utc_now()
    await graph.edit.correct(likes, text="Alice is fond of tea.")
    await graph.add_episode("Alice likes coffee.", metadata={"channel": "mail"})
    then = graph.at(known_at=before)
    confirmed = Field.confirmed == True  # noqa: E712
    for _ in range(2):
        assert objects(await graph.search("Alice tea", where=confirmed)) == {"tea"}
        assert objects(await then.search("Alice tea", where=confirmed)) == set()
        mail = await then.search("Alice", where=Field.metadata["channel"] == "mail")
        assert len(mail.episodes) == 2
        everything = await then.search("Alice", where=Field.created_at <= utc_now())
        assert objects(everything) == {"tea", "Beta", "Alice"}


async def test_names_and_walks_go_by_what_is_visible_and_hits_by_the_filter(graph):
    await tell(graph)
    results = await graph.search(
        "where does Alice work?", where=Field.entity_type == "organization"
    )
    assert {hit.item.entity_type for hit in results.entities} == {"organization"}
    assert results.entities[0].item.name == "Beta"
    assert len(results.facts) == 3


async def test_what_a_filter_reads_is_kept_up_to_date(graph):
    where = (Field.origin == "manual") | (Field.confidence > 0.99)
    await tell(graph)
    known = objects(await graph.search("Alice Bob", where=where))
    await graph.add_fact("Alice", "likes", "jazz")
    assert objects(await graph.search("Alice Bob jazz", where=where)) == known | {"jazz"}
    await graph.identity.merge("Bob", "Alice")
    assert await graph.search("jazz", where=where, scopes=["facts"])


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_filters_and_several_groups_in_either_profile(profile):
    async with open_graph(profile=profile) as graph:
        for group in ("a", "b"):
            for number in range(6):
                await graph.group(group).add_episode(
                    f"Alice likes tea{number}.", metadata={"number": number}
                )
        where = Field.metadata["number"].between(1, 3)
        for asked in (graph.group("a"), graph.groups("a", "b")):
            results = await asked.search("Alice tea2", where=where)
            assert {hit.item.metadata["number"] for hit in results.episodes} == {1, 2}
            assert results.facts[0].item.object == "tea2"


async def test_facts_are_filtered_by_their_ends_under_every_name(graph):
    await tell(graph)
    await graph.identity.merge("Bob", "Alice")
    view = graph.at(history=True)

    async def ends(where):
        hits = (await view.search("Alice Bob works likes", where=where, scopes=["facts"])).facts
        return {(hit.item.subject, hit.item.object) for hit in hits}

    about = await ends(Field.subject == "alice")
    assert about == await ends(Field.subject == "Bob") and len(about) >= 3
    assert await ends(Field.object.in_(["Acme", "Beta"])) == {
        pair for pair in about if pair[1] in ("Acme", "Beta")
    }
    assert await ends(Field.object != "Acme") == {pair for pair in about if pair[1] != "Acme"}
    assert await ends(Field.subject == "Nobody") == set()
    alice = await graph.entity("Alice")
    assert await ends(Field.subject == alice.id) == about


async def test_episodes_are_filtered_by_their_saga(graph):
    for number, saga in enumerate(("first", "second", None)):
        await graph.add_episode(f"Alice likes tea{number}.", saga=saga)
    results = await graph.search("Alice", where=Field.saga == "first")
    assert [hit.item.saga for hit in results.episodes] == ["first"]
    results = await graph.search("Alice", where=~(Field.saga == "first"))
    assert {hit.item.saga for hit in results.episodes} == {"second", None}


async def test_communities_are_filtered_by_their_age(graph):
    await tell(graph)
    await graph.communities.build()
    for where, count in ((Field.created_at > "2020", 1), (Field.created_at < "2020", 0)):
        results = await graph.search("Alice", scopes=["communities"], where=where)
        assert len(results.communities) == count
