"""An event is undone by another one; later changes of the same fields are not run over."""

import pytest

from graphrag import InputError
from tests.edits.faint import whole


async def test_an_edit_is_undone_and_done_again(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    await graph.correct(added.facts[0], text="She works there.", valid_at="2018")
    edited = await graph.facts("Alice")
    undo = await graph.revert((await graph.log())[-1], actor="ann", reason="no")
    assert (undo.kind, undo.actor, undo.note) == ("revert", "ann", "no")
    assert await graph.facts("Alice") == told
    await graph.revert(undo.seq)
    assert await graph.facts("Alice") == edited
    await whole(graph)


async def test_a_reverted_episode_gives_back_what_it_closed(graph):
    await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    told = await graph.facts("Alice")
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    moved = await graph.facts("Alice")
    undo = await graph.revert(2)
    assert await graph.facts("Alice") == told
    assert await graph.entity("Globex") is None
    await graph.revert(undo)
    assert [fact.id for fact in await graph.facts("Alice")] == [fact.id for fact in moved]
    assert await graph.entity("Globex") is not None
    await whole(graph)


async def test_a_removed_episode_returns_unless_it_was_told_again(graph):
    added = await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    told = await graph.facts("Alice")
    gone = await graph.remove_episode(added.episode)
    back = await graph.revert(gone)
    assert await graph.facts("Alice") == told
    await graph.revert(back)
    await graph.add_episode("Alice works_at Acme.", reference_time="2020")
    with pytest.raises(InputError):
        await graph.revert(gone)


async def test_a_merge_is_reverted_as_by_unmerge(graph):
    await graph.add_episode("Alice works_at Acme. Alicia likes tea.", reference_time="2020")
    merged = await graph.merge("Alice", "Alicia")
    await graph.revert(merged)
    assert (await graph.entity("Alice")).id != (await graph.entity("Alicia")).id
    assert [fact.object for fact in await graph.facts("Alicia")] == ["tea"]


async def test_what_was_changed_again_is_a_conflict_unless_forced(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.correct(added.facts[0], valid_at="2018")
    await graph.correct(added.facts[0], valid_at="2017")
    log = await graph.log()
    with pytest.raises(InputError, match=r"'valid_at' of relates_to:.* was changed again"):
        await graph.revert(2)
    assert await graph.log() == log
    await graph.revert(2, force=True)
    assert [fact.valid_at.year for fact in await graph.facts("Alice")] == [2019]


async def test_a_returning_fact_leaves_no_two_values_at_one_moment(graph):
    added = await graph.add_episode("Alice works_at Acme from 2019.", reference_time="2020")
    await graph.retract(added.facts[0])
    await graph.add_episode("Alice works_at Globex from 2021.", reference_time="2021")
    await graph.revert(2)
    jobs = await graph.facts("Alice")
    assert [fact.object for fact in jobs] == ["Globex"]
    await whole(graph)


async def test_communities_and_unknown_events_are_refused(graph):
    await graph.add_episode("Alice works_at Acme. Bob works_at Acme.", reference_time="2020")
    await graph.build_communities()
    with pytest.raises(InputError, match="build_communities"):
        await graph.revert(2)
    with pytest.raises(InputError, match="no event 9"):
        await graph.revert(9)
