"""An event is undone by another one; later changes of the same fields are not run over."""

import pytest

from graphrag import InputError
from tests.conftest import open_graph
from tests.edit.faint import whole


async def test_an_edit_is_undone_and_done_again(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    await graph.edit.correct(added.facts[0], text="She works there.", valid_at="2018")
    edited = await graph.facts("Alice")
    undo = await graph.log.revert((await graph.log.events())[-1], actor="ann", reason="no")
    assert (undo.kind, undo.actor, undo.note) == ("revert", "ann", "no")
    assert await graph.facts("Alice") == told
    await graph.log.revert(undo.seq)
    assert await graph.facts("Alice") == edited
    await whole(graph)


async def test_a_reverted_episode_gives_back_what_it_closed(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    moved = await graph.facts("Alice")
    undo = await graph.log.revert(2)
    assert await graph.facts("Alice") == told
    assert await graph.entity("Globex") is None
    await graph.log.revert(undo)
    assert [fact.id for fact in await graph.facts("Alice")] == [fact.id for fact in moved]
    assert await graph.entity("Globex") is not None
    await whole(graph)


async def test_a_removed_episode_returns_unless_it_was_told_again(graph):
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    told = await graph.facts("Alice")
    gone = await graph.log.remove_episode(added.episode)
    back = await graph.log.revert(gone)
    assert await graph.facts("Alice") == told
    await graph.log.revert(back)
    await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    with pytest.raises(InputError):
        await graph.log.revert(gone)


async def test_a_merge_is_reverted_as_by_unmerge(graph):
    await graph.add_episode("Alice works_at Acme. Alicia likes tea.", reference_time="2020")
    merged = await graph.identity.merge("Alice", "Alicia")
    await graph.log.revert(merged)
    assert (await graph.entity("Alice")).id != (await graph.entity("Alicia")).id
    assert [fact.object for fact in await graph.facts("Alicia")] == ["tea"]


async def test_what_was_changed_again_is_a_conflict_unless_forced(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.edit.correct(added.facts[0], valid_at="2018")
    await graph.edit.correct(added.facts[0], valid_at="2017")
    log = await graph.log.events()
    with pytest.raises(InputError, match=r"'statements' of relates_to:.* was changed again"):
        await graph.log.revert(2)
    assert await graph.log.events() == log
    await graph.log.revert(2, force=True)
    assert [fact.valid_at.year for fact in await graph.facts("Alice")] == [2019]


async def test_a_returning_fact_leaves_no_two_values_at_one_moment(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.edit.retract(added.facts[0])
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.log.revert(2)
    jobs = await graph.facts("Alice")
    assert [fact.object for fact in jobs] == ["Globex"]
    await whole(graph)


async def test_communities_and_unknown_events_are_refused(graph):
    await graph.add_episode("Alice works_at Acme. Bob works_at Acme.", reference_time="2020")
    await graph.communities.build()
    with pytest.raises(InputError, match="build_communities"):
        await graph.log.revert(2)
    with pytest.raises(InputError, match="no event 9"):
        await graph.log.revert(9)


async def job_times(graph, name="Alice"):
    facts = await graph.at(history=True).facts(name)
    return {
        (
            fact.object,
            fact.valid_at and fact.valid_at.year,
            fact.invalid_at and fact.invalid_at.year,
        )
        for fact in facts
        if fact.retracted_at is None and fact.relation == "works_at"
    }


async def test_a_fallen_fact_frees_what_later_events_say_it_closed(graph):
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.add_episode("Alice works_at Acme from 2019 to 2024.", reference_time="2022")
    await graph.add_episode("Alice works_at Beta from 2018.", reference_time="2022-02")
    assert await job_times(graph) == {
        ("Beta", 2018, 2019),
        ("Acme", 2019, 2024),
        ("Globex", 2021, None),
    }
    undo = await graph.log.revert(1)
    assert await job_times(graph) == {("Beta", 2018, 2019), ("Acme", 2019, 2024)}
    await graph.log.revert(undo)
    assert await job_times(graph) == {
        ("Beta", 2018, 2019),
        ("Acme", 2019, 2024),
        ("Globex", 2021, None),
    }
    await whole(graph)


async def test_a_closing_under_a_closing_is_freed_with_both(graph):
    await graph.add_episode("Alice works_at Acme from 2018.", reference_time="2018")
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.add_episode("Alice works_at Beta from 2020.", reference_time="2022")
    assert ("Acme", 2018, 2020) in await job_times(graph)
    await graph.log.revert(2)
    assert await job_times(graph) == {("Acme", 2018, 2020), ("Beta", 2020, None)}
    await graph.log.revert(3)
    assert await job_times(graph) == {("Acme", 2018, None)}
    await whole(graph)


async def test_what_another_episode_tells_too_stays(graph):
    first = await graph.add_episode("Alice likes tea.", reference_time="2020")
    second = await graph.add_episode("Alice likes tea. Bob likes tea.", reference_time="2021")
    third = await graph.add_episode("Alice likes tea.", reference_time="2022")
    await graph.log.revert(2)
    [tea] = await graph.facts("Alice")
    assert tea.episodes == (first.episode.id, third.episode.id)
    assert await graph.entity("Bob") is None
    await graph.log.revert(1)
    [tea] = await graph.facts("Alice")
    assert tea.episodes == (third.episode.id,)
    assert second.episode.id not in {quote.episode.id for quote in await graph.sources(tea)}
    await whole(graph)


async def snapshot(graph):
    seen = []
    for name in ("Alice", "Alice B", "Bob", "Acme", "Globex", "tea"):
        entities = await graph.entities(name)
        seen.append([(entity, await graph.facts(entity)) for entity in entities])
    return seen


async def test_a_split_is_reverted_exactly(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    other = await graph.add_episode(
        "Alice works_at Globex from 2021. Alice likes tea.", reference_time="2021"
    )
    await graph.add_episode("Bob knows Alice.", reference_time="2022")
    before = await snapshot(graph)
    await graph.identity.split("Alice", name="Alice B", episodes=[other.episode])
    parted = await snapshot(graph)
    assert [fact.object for fact in await graph.facts("Alice")] == ["Acme", "Alice"]
    split = (await graph.log.events())[-1]
    undo = await graph.log.revert(split)
    assert await snapshot(graph) == before
    await whole(graph)
    await graph.log.revert(undo)
    assert await snapshot(graph) == parted
    await whole(graph)


async def test_what_was_told_of_a_split_off_entity_keeps_it(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    other = await graph.add_episode("Alice likes tea.", reference_time="2021")
    await graph.identity.split("Alice", name="Alice B", episodes=[other.episode])
    await graph.add_episode("Alice B knows Bob.", reference_time="2022")
    await graph.log.revert(3)
    assert {fact.object for fact in await graph.facts("Alice")} == {"Acme", "tea"}
    assert [fact.object for fact in await graph.facts("Alice B")] == ["Bob"]
    await whole(graph)


async def test_an_import_is_reverted(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    before = await snapshot(graph)
    await graph.load.facts(
        [
            {"subject": "Alice", "relation": "works_at", "object": "Globex", "valid_at": "2021"},
            {"subject": "Bob", "relation": "likes", "object": "tea"},
        ]
    )
    [imported] = [event for event in await graph.log.events() if event.kind == "import_facts"]
    await graph.log.revert(imported)
    assert await snapshot(graph) == before
    await whole(graph)


async def test_a_queued_telling_waits_failed_after_its_revert_and_may_be_read_again(graph):
    await graph.add_episode("Alice likes tea.", reference_time="2020", wait=False)
    await graph.queue.drain_all()
    told = await graph.facts("Alice")
    queued, finished = await graph.log.events()
    with pytest.raises(InputError, match="was read since"):
        await graph.log.revert(queued)
    await graph.log.revert(finished)
    assert await graph.entity("Alice") is None
    [failed] = await graph.queue.failed()
    assert failed.error == "event 2 was reverted"
    await graph.queue.drain_all()
    assert await graph.entity("Alice") is None
    await graph.queue.retry()
    await graph.queue.drain_all()
    assert [fact.text for fact in await graph.facts("Alice")] == [fact.text for fact in told]
    await whole(graph)


async def test_a_waiting_episode_that_returns_is_read_after_all():
    async with open_graph(workers=0) as graph:
        added = await graph.add_episode("Alice likes tea.", reference_time="2020", wait=False)
        gone = await graph.log.remove_episode(added.episode)
        await graph.queue.drain_all()
        await graph.log.revert(gone)
        await graph.queue.drain_all()
        assert [fact.object for fact in await graph.facts("Alice")] == ["tea"]


async def test_an_undone_unmerge_is_the_merge_again_with_what_was_told_since(graph):
    await graph.add_episode(
        "Alice works_at Acme from 2019. Alicia likes tea.", reference_time="2020"
    )
    merged = await graph.identity.merge("Alice", "Alicia")
    parted = await graph.identity.unmerge(merged)
    await graph.add_episode("Alicia works_at Globex from 2021.", reference_time="2021")
    again = await graph.log.revert(parted)
    assert (await graph.entity("Alicia")).name == "Alice"
    assert await job_times(graph) == {("Acme", 2019, 2021), ("Globex", 2021, None)}
    await whole(graph)
    await graph.log.revert(again)
    assert await job_times(graph) == {("Acme", 2019, None)}
    assert await job_times(graph, "Alicia") == {("Globex", 2021, None)}
    await whole(graph)


async def test_a_fact_does_not_return_without_anybody_who_tells_it(graph):
    added = await graph.add_episode("Alice likes tea.", reference_time="2020")
    await graph.edit.retract(added.facts[0])
    await graph.log.remove_episode(added.episode)
    await graph.log.revert(2)
    assert await graph.entity("Alice") is None
    assert (await graph.stats()).facts_now == 0
    await whole(graph)
