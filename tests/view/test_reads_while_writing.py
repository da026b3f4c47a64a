"""Reads of recent moments while others write give what they give when nobody does."""

import asyncio
from contextvars import Context

import pytest

from graphrag.index.retention import Gate, disturbed, steady
from graphrag.search.within import Within
from tests.view.writing import READS, Campaign, campaign


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_reads_while_others_write_are_as_at_rest(profile):
    outcome = await campaign(5, profile=profile)
    assert outcome.errors == {}, str(outcome)
    assert outcome.different == {}, str(outcome.examples)
    assert outcome.reads.total() > 20
    assert len(READS) > 20


async def test_a_read_that_a_commit_disturbs_is_made_again_and_the_second_time_commits_wait():
    gate, seen, turns = Gate(), [], []

    async def change(name):
        async with gate.change():
            seen.append(f"{name} begins")
            await asyncio.sleep(0)
            seen.append(f"{name} ends")

    async def read():
        turns.append(len(turns))
        changing = asyncio.create_task(change(f"commit {len(turns)}"), context=Context())
        for _ in range(5):
            await asyncio.sleep(0)
        seen.append(f"read {len(turns)}, disturbed: {disturbed()}")
        return changing

    await (await steady([gate], read))
    assert seen == [
        "commit 1 begins", "commit 1 ends", "read 1, disturbed: True",
        "read 2, disturbed: False", "commit 2 begins", "commit 2 ends",
    ]  # fmt: skip


async def test_an_error_of_a_disturbed_read_is_no_answer():
    gate, turns = Gate(), []

    async def read():
        turns.append(1)
        if len(turns) == 1:
            async with gate.change():
                pass
            raise IndexError("columns have grown")
        return "right"

    assert await steady([gate], read) == "right"

    async def wrong():
        raise IndexError("of its own")

    with pytest.raises(IndexError, match="of its own"):
        await steady([gate], wrong)


async def test_a_read_that_writes_to_its_own_group_does_not_wait_for_itself():
    gate, turns = Gate(), []

    async def read():
        turns.append(1)
        async with gate.change():
            return len(turns)

    assert await asyncio.wait_for(steady([gate], read), 5) == 2


async def test_reads_of_two_groups_and_their_writers_never_wait_for_each_other():
    gates, done = [Gate(), Gate()], []

    async def read(order):
        async def both():
            await asyncio.sleep(0)
            return True

        done.append(await steady(order, both))

    async def write(gate):
        async with gate.change():
            await asyncio.sleep(0)

    work = [read(order) for order in (gates, gates[::-1]) for _ in range(20)]
    work += [write(gate) for gate in gates for _ in range(20)]
    await asyncio.wait_for(asyncio.gather(*work), 20)
    assert done == [True] * 40


async def test_a_read_that_ended_does_not_cover_a_task_that_it_started():
    gate, ended = Gate(), asyncio.Event()

    async def later():
        await ended.wait()
        async with gate.change():
            return disturbed()

    async def read():
        return asyncio.create_task(later())

    task = await steady([gate], read)
    ended.set()
    assert not await task


async def test_columns_of_then_that_are_older_than_the_group_serve_it(graph):
    await graph.add_episode("Ann knows Bob. Bob knows Cid.", reference_time="2020-01-01")
    event = (await graph.log.events())[0]
    view = graph.at(known_at=event.at)
    near = Within("Ann", hops=1)
    first = await view.search("Ann", within=near)
    for number in range(3):
        text = f"Ann knows Dora{number}. Eve{number} knows Ann."
        await graph.add_episode(text, reference_time="2021-01-01")
    assert len((await view.within("Ann", through=["knows"], hops=1)).entities) == 2
    assert (await view.search("Ann", within=near)).facts == first.facts


async def test_communities_of_before_an_erasure_are_gone_like_what_was_erased(graph):
    await Campaign(graph, None).fill()
    event = (await graph.log.events())[-1]
    for text in ("Ann leads Zoe.", "Zoe knows Eve."):
        await graph.add_episode(text, reference_time="2021-01-01")
        await graph.communities.update()
    await graph.erase.entity("Zoe")
    assert list(await graph.at(known_at=event.at).communities.list()) == []
