import pytest

from graphrag.errors import InputError
from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph, triples

TOLD = (
    ("Robert Smith works_at Acme from 2020.", "2020-01-01"),
    ("Bobby works_at Beta from 2022.", "2022-01-01"),
    ("Carol knows Bobby.", "2022-02-01"),
    ("Carol knows Robert Smith.", "2022-03-01"),
    ("Bobby likes Paris.", "2022-04-01"),
)


async def tell(graph, *told):
    for text, at in told:
        await graph.add_episode(text, reference_time=at)


async def current(graph, name, **view):
    return {(f.subject, f.relation, f.object) for f in await graph.at(**view).facts(name)}


async def snapshot(graph, known_at=None):
    """Everything that a reader can see of two people, at one moment of system time."""
    seen = []
    for history in (False, True):
        view = graph.at(known_at=known_at, history=history)
        for name in ("Robert Smith", "Bobby", "Carol", "Smith", "Acme"):
            seen.append(await view.entities(name))
            if seen[-1]:
                seen.append(sorted(map(repr, await view.facts(name))))
        for query in ("Where does Bobby work?", "Robert Smith", "who knows whom"):
            found = await view.search(query)
            seen.append(sorted(hit.item.id for hit in found.facts))
            seen.append(sorted(repr(hit.item) for hit in found.entities))
    return seen


async def test_everything_reads_one_entity_after_a_merge(graph):
    await tell(graph, *TOLD)
    bobby = await graph.entity("Bobby")
    await graph.identity.merge("Robert Smith", "Bobby")
    one = await graph.entity("Bobby")
    assert one.name == "Robert Smith" and "Bobby" in one.aliases
    assert await graph.entity(bobby.id) == one
    assert await graph.at().entities("Robert Smith") == [one]
    assert await current(graph, "Bobby") == {
        ("Robert Smith", "works_at", "Beta"),
        ("Carol", "knows", "Robert Smith"),
        ("Robert Smith", "likes", "Paris"),
    }
    found = await graph.search("Where does Bobby work?")
    assert bobby.id not in {hit.item.id for hit in found.entities}
    assert {hit.item.subject_id for hit in found.facts if hit.item.relation == "works_at"} == {
        one.id
    }
    assert dict((e.id, n) for e, n in await graph.audit.hubs())[one.id] == 4
    assert (await graph.stats()).entities == 5
    assert all(bobby.id not in group.members for group in await graph.communities.build())


async def test_a_relation_of_one_value_keeps_the_one_told_last(graph):
    await tell(graph, *TOLD)
    await graph.identity.merge("Robert Smith", "Bobby")
    history = triples(await graph.at(history=True).facts("Robert Smith"))
    assert ("Robert Smith", "works_at", "Acme", "2020-01-01", "2022-01-01") in history
    assert ("Robert Smith", "works_at", "Beta", "2022-01-01", None) in history
    assert not (await graph.health.check_all()).findings


async def test_what_both_were_told_is_one_fact_with_both_sources(graph):
    await tell(graph, *TOLD)
    await graph.identity.merge("Robert Smith", "Bobby")
    [knows] = [f for f in await graph.facts("Carol") if f.relation == "knows"]
    assert len(knows.episodes) == 2


async def test_what_they_said_of_each_other_is_retracted(graph):
    await tell(graph, *TOLD, ("Bobby knows Robert Smith.", "2023-01-01"))
    await graph.identity.merge("Robert Smith", "Bobby")
    assert all(f.subject_id != f.object_id for f in await graph.facts("Bobby"))


async def test_new_episodes_speak_of_the_kept_entity(graph):
    await tell(graph, *TOLD)
    await graph.identity.merge("Robert Smith", "Bobby")
    added = await graph.add_episode("Bobby works_at Globex from 2024.", reference_time="2024-01-01")
    assert [entity.name for entity in added.entities] == ["Globex"]
    assert ("Robert Smith", "works_at", "Globex") in await current(graph, "Robert Smith")
    assert len([r for _, r, _ in await current(graph, "Bobby") if r == "works_at"]) == 1


async def test_the_past_before_a_merge_has_two_entities_again(graph):
    await tell(graph, *TOLD)
    before, then = await snapshot(graph), utc_now()
    await graph.identity.merge("Robert Smith", "Bobby")
    assert await snapshot(graph) != before
    assert await snapshot(graph, then) == before


async def test_unmerge_restores_everything(graph):
    await tell(graph, *TOLD)
    before = await snapshot(graph)
    event = await graph.identity.merge("Robert Smith", "Bobby", reason="the same man", actor="ann")
    merged, between = await snapshot(graph), utc_now()
    undo = await graph.identity.unmerge(event)
    assert await snapshot(graph) == before
    assert await snapshot(graph, between) == merged
    assert (event.kind, event.note, event.actor, undo.kind) == (
        "merge", "the same man", "ann", "unmerge",
    )  # fmt: skip
    assert not (await graph.health.check_all()).findings


async def test_what_was_told_since_stays_with_the_kept_entity(graph):
    await tell(graph, *TOLD)
    event = await graph.identity.merge("Robert Smith", "Bobby")
    await tell(graph, ("Bobby likes Rome.", "2024-01-01"), ("Carol knows Bobby.", "2024-02-01"))
    await graph.identity.unmerge(event.seq)
    assert ("Robert Smith", "likes", "Rome") in await current(graph, "Robert Smith")
    assert ("Robert Smith", "likes", "Rome") not in await current(graph, "Bobby")
    assert ("Carol", "knows", "Bobby") in await current(graph, "Bobby")


async def test_a_chain_of_merges_leads_to_its_end_and_is_undone_in_order(graph):
    await tell(graph, *TOLD, ("Rob likes Rome.", "2023-01-01"))
    first = await graph.identity.merge("Bobby", "Rob")
    second = await graph.identity.merge("Robert Smith", "Bobby")
    assert (await graph.entity("Rob")).name == "Robert Smith"
    assert ("Robert Smith", "likes", "Rome") in await current(graph, "Rob")
    with pytest.raises(InputError, match="unmerge that first"):
        await graph.identity.unmerge(first)
    await graph.identity.unmerge(second)
    assert (await graph.entity("Rob")).name == "Bobby"
    await graph.identity.unmerge(first)
    assert await current(graph, "Rob") == {("Rob", "likes", "Rome")}


@pytest.mark.parametrize(
    ("keep", "other", "message"),
    [
        ("Robert Smith", "Nobody", "no entity is called 'Nobody'"),
        ("Bobby", "Bobby", "nothing to merge"),
        ("", "Bobby", "no entity is called ''"),
    ],
)
async def test_an_impossible_merge_changes_nothing(graph, keep, other, message):
    await tell(graph, *TOLD)
    events = len(await graph.log.events())
    with pytest.raises(InputError, match=message):
        await graph.identity.merge(keep, other)
    assert len(await graph.log.events()) == events


async def test_only_a_merge_is_unmerged_and_only_once(graph):
    await tell(graph, *TOLD)
    event = await graph.identity.merge("Robert Smith", "Bobby")
    await graph.identity.unmerge(event)
    for wrong, message in ((event, "undone before"), (1, "not a merge"), (99, "no event 99")):
        with pytest.raises(InputError, match=message):
            await graph.identity.unmerge(wrong)


async def test_a_merge_is_there_after_reopening(tmp_path):
    url = f"surrealkv://{tmp_path}/g"
    async with open_graph(url) as graph:
        await tell(graph, *TOLD)
        event = await graph.identity.merge("Robert Smith", "Bobby")
        merged = await snapshot(graph)
    async with open_graph(url) as graph:
        assert await snapshot(graph) == merged
        await graph.identity.unmerge(event.seq)
        assert (await graph.entity("Bobby")).name == "Bobby"


async def test_communities_name_the_kept_entity(graph):
    await tell(graph, *TOLD)
    bobby = await graph.entity("Bobby")
    await graph.communities.build()
    await graph.identity.merge("Robert Smith", "Bobby")
    assert all(bobby.id not in group.members for group in await graph.communities.list())


async def test_what_was_told_between_leaves_each_entity_one_value_after_an_unmerge(graph):
    await tell(
        graph,
        ("Alice works_at Acme from 2019.", "2019-02-01"),
        ("Alicia works_at Globex from 2021.", "2021-02-01"),
    )
    merged = await graph.identity.merge("Alice", "Alicia")
    await tell(graph, ("Alice works_at Beta from 2022.", "2022-02-01"))
    await graph.identity.unmerge(merged)
    jobs = {
        name: {
            (fact.object, fact.valid_at.year, fact.invalid_at and fact.invalid_at.year)
            for fact in await graph.at(history=True).facts(name)
        }
        for name in ("Alice", "Alicia")
    }
    assert jobs["Alice"] == {("Acme", 2019, 2022), ("Beta", 2022, None)}
    assert jobs["Alicia"] == {("Globex", 2021, None)}
    assert (await graph.health.check_all()).sound
