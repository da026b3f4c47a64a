import pytest

from graphrag.errors import InputError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.temporal.moment import utc_now
from tests.conftest import open_graph
from tests.edit.test_merge import snapshot, tell
from tests.ingest.test_renames import RENAMED, shown

TOLD = (
    ("Robert Smith works_at Acme from 2020.", "2020-01-01"),
    ("Bobby works_at Beta from 2022.", "2022-01-01"),
    ("Carol knows Bobby.", "2022-02-01"),
)


async def test_a_renamed_entity_has_the_new_name_and_its_old_one_as_an_alias(graph):
    await tell(graph, *TOLD)
    known, events = utc_now(), len(await graph.log.events())
    event = await graph.identity.rename("Bobby", " Robert Jones ", reason="full name", actor="ann")
    assert (event.kind, event.note, event.actor) == ("rename", "full name", "ann")
    assert len(await graph.log.events()) == events + 1
    for name in ("Bobby", "Robert Jones", event.changes[0].record.partition(":")[2]):
        entity = await graph.entity(name)
        assert (entity.name, entity.key) == ("Robert Jones", "robert jones")
        assert entity.aliases == ("Bobby",)
    assert (await graph.at(valid_at="2019-01-01").entity("Bobby")).name == "Robert Jones"
    assert (await graph.at(known_at=known).entity("Bobby")).name == "Bobby"
    with pytest.raises(InputError):
        await graph.at(known_at=known).facts("Robert Jones")
    await tell(graph, ("Robert Jones likes Paris.", "2024-01-01"))
    assert {fact.object for fact in await graph.facts("Bobby")} == {"Beta", "Bobby", "Paris"}
    assert not (await graph.health.check_all()).findings


async def test_a_rename_can_be_reverted_and_the_revert_too(graph):
    await tell(graph, *TOLD)
    before = await snapshot(graph)
    event = await graph.identity.rename("Bobby", "Zoltan")
    renamed = await snapshot(graph)
    undone = await graph.log.revert(event)
    assert await snapshot(graph) == before
    await graph.log.revert(undone)
    assert await snapshot(graph) == renamed


async def test_an_alias_can_become_the_primary_name(graph):
    await tell(graph, *TOLD)
    await graph.identity.merge("Robert Smith", "Bobby")
    await graph.identity.rename("Robert Smith", "Bobby")
    entity = await graph.entity("Robert Smith")
    assert (entity.name, entity.aliases) == ("Bobby", ("Robert Smith",))
    await graph.identity.rename("Bobby", "bobby")
    entity = await graph.entity("Robert Smith")
    assert (entity.name, entity.aliases) == ("bobby", ("Robert Smith",))


@pytest.mark.parametrize(
    ("entity", "name", "message"),
    [
        ("Bobby", " ", "no name: give the entity one"),
        ("Bobby", "Bobby", "called 'Bobby' already: nothing to rename"),
        ("Bobby", "robert smith", r"already a name of 'Robert Smith' \(.+\): .+identity\.merge"),
        ("Nobody", "Somebody", "no entity is called 'Nobody'"),
    ],
)
async def test_impossible_names_are_refused(graph, entity, name, message):
    await tell(graph, *TOLD)
    events = len(await graph.log.events())
    with pytest.raises(InputError, match=message):
        await graph.identity.rename(entity, name)
    assert len(await graph.log.events()) == events


async def test_renaming_what_has_dated_names_replaces_the_present_one():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(RENAMED, reference_time="2022-05-01")
        event = await graph.identity.rename("Globex", "Initech Holding")
        assert await shown(graph, "Initech") == ("Initech Holding", {"Globex", "Initech"})
        assert (await graph.at(valid_at="2020-01-01").entity("Initech")).name == "Globex"
        await graph.log.revert(event)
        assert await shown(graph, "Globex") == ("Initech", {"Globex"})


async def test_search_finds_a_renamed_entity_by_its_new_name_and_of_then_by_its_old(graph):
    await tell(graph, *TOLD)
    known = utc_now()
    await graph.identity.rename("Bobby", "Zoltan Kovacs")
    assert (await graph.search("Zoltan Kovacs")).entities[0].item.name == "Zoltan Kovacs"
    assert "Bobby" in [
        hit.item.name for hit in (await graph.at(known_at=known).search("Bobby")).entities
    ]


async def test_summaries_of_neighbours_have_the_new_name_and_after_a_revert_the_old_one(graph):
    await tell(graph, *TOLD)
    event = await graph.identity.rename("Bobby", "Zoltan")
    assert (await graph.entity("Carol")).summary.startswith("knows Zoltan")
    assert "Zoltan works at" in (await graph.entity("Beta")).summary
    await graph.log.revert(event)
    assert (await graph.entity("Carol")).summary.startswith("knows Bobby")
    assert "Bobby works at" in (await graph.entity("Beta")).summary
    assert not (await graph.health.check_all()).findings


@pytest.mark.parametrize("undo", ["unmerge", "revert"])
async def test_a_merge_is_not_undone_while_the_kept_one_has_the_name_of_the_other(graph, undo):
    await tell(graph, *TOLD)
    merged = await graph.identity.merge("Robert Smith", "Bobby")
    event = await graph.identity.rename("Robert Smith", "Bobby")
    call = graph.identity.unmerge if undo == "unmerge" else graph.log.revert
    with pytest.raises(
        InputError, match=rf"event {event.seq} \(rename\) .+log\.revert\(\) that event"
    ):
        await call(merged)
    assert (await graph.log.events())[-1].seq == event.seq
    await graph.log.revert(event)
    await call(merged)
    assert (await graph.entity("Robert Smith")).name == "Robert Smith"
    assert (await graph.entity("Bobby")).name == "Bobby"
    assert not (await graph.health.check_all()).findings


async def test_neighbours_call_a_merged_entity_by_the_name_that_it_has_then():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_fact("Ann Lee", "works_at", "Hooli")
        await graph.add_episode(RENAMED, reference_time="2022-05-01")
        merged = await graph.identity.merge("Hooli", "Globex")
        assert (await graph.entity("Ann Lee")).summary == "works at Initech"
        await graph.identity.unmerge(merged)
        assert (await graph.entity("Ann Lee")).summary == "works at Hooli"
        again = await graph.identity.merge("Hooli", "Globex")
        undone = await graph.log.revert(again)
        await graph.log.revert(undone)
        assert (await graph.entity("Ann Lee")).summary == "works at Initech"
        assert not (await graph.health.check_all()).findings
