"""What returns is spoken for: by an episode that is there, or by a person."""

import pytest

from tests.edit.faint import whole


async def standing(graph, relation="works_at"):
    facts = await graph.at(history=True).facts(relation=relation)
    return {(fact.subject, fact.object) for fact in facts if fact.retracted_at is None}


async def split_off(graph):
    """Tell of Alice, and move what was told to another Alice."""
    added = await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020")
    event = (await graph.log.events())[-1]
    await graph.identity.split("Alice", name="Alice B", facts=[added.facts[0].id])
    return added.episode, event


@pytest.mark.parametrize("undo", ["remove", "revert"])
async def test_what_was_split_off_goes_with_what_it_was_split_from(graph, undo):
    episode, event = await split_off(graph)
    await (graph.log.remove_episode(episode) if undo == "remove" else graph.log.revert(event))
    assert await standing(graph) == set()
    await whole(graph)


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
async def test_of_two_that_replaced_each_other_none_is_left_without_its_episode(graph, order):
    texts = ("Alice works_at Acme from 2020.", "Alice works_at Beta from 2020.")
    added = [
        await graph.add_episode(text, reference_time=f"202{number}")
        for number, text in enumerate(texts, 1)
    ]
    await graph.log.remove_episode(added[order[0]].episode)
    left = {("Alice", "Beta")} if order[0] == 0 else {("Alice", "Acme")}
    assert await standing(graph) == left
    last = await graph.log.remove_episode(added[order[1]].episode)
    assert await standing(graph) == set()
    await whole(graph)
    await graph.log.revert(last)
    assert await standing(graph) == left
    await whole(graph)


async def test_what_lost_its_episode_returns_with_it_if_what_had_its_place_has_fallen(graph):
    first = await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2021")
    second = await graph.add_episode("Alice works_at Beta from 2020.", reference_time="2022")
    removed = await graph.log.remove_episode(first.episode)
    await graph.log.remove_episode(second.episode)
    await graph.log.revert(removed)
    assert await standing(graph) == {("Alice", "Acme")}
    await whole(graph)


@pytest.mark.parametrize("how", ["remove", "retract"])
async def test_what_was_cut_short_at_birth_and_taken_back_stays_so(graph, how):
    later = await graph.add_episode("Alice works_at Beta from 2023.", reference_time="2023")
    early = await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2024")
    if how == "remove":
        await graph.log.remove_episode(early.episode)
    else:
        await graph.edit.retract(early.facts[0], "a joke")
    await graph.edit.retract(later.facts[0])
    assert await standing(graph) == set()
    [acme] = [one for one in await graph.at(history=True).facts(relation="works_at")
              if one.object == "Acme"]  # fmt: skip
    assert acme.reason == ("a joke" if how == "retract" else "its episode was removed")
    await whole(graph)


@pytest.mark.parametrize("undo", ["remove", "revert"])
async def test_a_text_that_corrects_itself_leaves_nothing_of_itself(graph, undo):
    added = await graph.add_episode(
        "Alice works_at Acme from 2020. Alice works_at Beta from 2020 in fact.",
        reference_time="2020",
    )
    [event] = await graph.log.events()
    await (graph.log.remove_episode(added.episode) if undo == "remove" else graph.log.revert(event))
    assert await standing(graph) == set()
    await whole(graph)


async def test_what_a_merge_took_back_does_not_return_without_its_episode(graph):
    await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020")
    other = await graph.add_episode("Alicia works_at Acme from 2020.", reference_time="2021")
    merging = await graph.identity.merge("Alice", "Alicia")
    await graph.log.remove_episode(other.episode)
    await graph.identity.unmerge(merging)
    assert await standing(graph) == {("Alice", "Acme")}
    await whole(graph)


async def test_a_check_finds_what_stands_without_its_episode_or_names_what_is_gone(graph):
    await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020")
    await graph.handle.session.store.query(
        "UPDATE episode SET removed_at = time::now();"
        "UPDATE relates_to SET invalidated_by = 'gone';"
        "UPDATE entity SET distinct_from = ['gone'];"
    )
    found = " ".join(finding.what for finding in (await graph.health.check_all()).findings)
    assert "which was removed" in found
    assert "was closed by fact gone, which is not there" in found
    assert "is not to be taken for entity gone, which is not there" in found
