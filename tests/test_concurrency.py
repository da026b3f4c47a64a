"""Many tasks, many groups, two processes' worth of writers: one graph, as if told one by one."""

import asyncio

import pytest

from graphrag.store.store import Store
from tests.conftest import open_graph, triples
from tests.store.test_server import served

PEOPLE = "Ann Bob Cid Dora".split()
FIRMS = "Acme Beta Globex Initech".split()
TASKS = 16


def told(task):
    """Return what a task tells: the same people and firms as the others, and one episode of all."""
    person, firm = PEOPLE[task % 4], FIRMS[task // 4]
    return [
        (f"{person} works_at {firm} from {2000 + task}-01-01.", f"{2000 + task}-06-01"),
        (f"{person} knows {PEOPLE[(task + 1) % 4]}.", f"{2000 + task}-07-01"),
        ("Ann likes tea. Bob likes tea.", "2001-01-01"),
    ]


async def tell(graph, task, group="default"):
    for text, when in told(task):
        await graph.group(group).add_episode(text, reference_time=when)
        await asyncio.sleep(0)


async def histories(graph, group="default"):
    found = set()
    for person in PEOPLE:
        found |= triples(await graph.group(group).at(history=True).facts(person))
    return found


async def one_by_one(graph, group="default"):
    for task in range(TASKS):
        await tell(graph, task, group)
    return await histories(graph, group)


@pytest.fixture
async def expected():
    async with open_graph() as graph:
        return await one_by_one(graph)


@pytest.fixture
def retries(monkeypatch):
    """Count the transactions that another writer forestalled."""
    apply, refused = Store.apply, []

    async def counted(self, changes, *, after):
        try:
            return await apply(self, changes, after=after)
        except Exception as error:
            refused.append(type(error).__name__)
            raise

    monkeypatch.setattr(Store, "apply", counted)
    return refused


async def assert_as_one_by_one(graph, expected, group="default"):
    report = await graph.health.check_all()
    assert report.findings == ()
    stats = await graph.group(group).stats()
    assert (stats.episodes, stats.entities) == (2 * TASKS + 1, len(PEOPLE) + len(FIRMS) + 1)
    assert stats.events == stats.episodes
    assert await histories(graph, group) == expected
    for number, person in enumerate(PEOPLE):
        works = [fact for fact in await graph.group(group).facts(person)
                 if fact.relation == "works_at"]  # fmt: skip
        assert [fact.object for fact in works] == ["Initech"], number


async def test_sixteen_tasks_tell_one_group_what_one_would(graph, expected):
    await asyncio.gather(*(tell(graph, task) for task in range(TASKS)))
    await assert_as_one_by_one(graph, expected)


async def test_the_same_episode_from_sixteen_tasks_is_one(graph):
    added = await asyncio.gather(
        *(graph.add_episode("Ann likes tea.", reference_time="2020") for _ in range(TASKS))
    )
    assert sum(one.new for one in added) == 1
    assert len({one.episode.id for one in added}) == 1
    assert len(await graph.log.events()) == 1
    assert (await graph.health.check_all()).sound


async def test_two_groups_at_once_never_meet(graph, expected):
    groups = ("left", "right")
    await asyncio.gather(*(tell(graph, task, group) for task in range(TASKS) for group in groups))
    ids = []
    for group in groups:
        await assert_as_one_by_one(graph, expected, group)
        ids.append({entity.id for name in PEOPLE + FIRMS
                    for entity in await graph.group(group).at().entities(name)})  # fmt: skip
        found = await graph.group(group).at(history=True).search("Ann works tea", limit=1000)
        assert {hit.item.group_id for hit in (*found, *found.entities, *found.episodes)} == {group}
    assert not ids[0] & ids[1]


async def test_two_writers_on_a_server_tell_what_one_would(expected, retries):
    async with served() as place:
        async with open_graph(f"ws://{place}") as one, open_graph(f"ws://{place}") as other:
            await asyncio.gather(*(tell((one, other)[task % 2], task) for task in range(TASKS)))
            assert "StaleGroupError" in retries  # each was forestalled and planned again
            for graph in (one, other):
                await assert_as_one_by_one(graph, expected)


async def test_reading_and_checking_while_others_write(graph, expected):
    async def read():
        for _ in range(10):
            assert (await graph.health.check_all()).findings == ()
            await graph.search("where does Ann work?")

    await asyncio.gather(read(), *(tell(graph, task) for task in range(TASKS)))
    await assert_as_one_by_one(graph, expected)


@pytest.mark.parametrize("steps", range(1, 12))
async def test_a_task_cancelled_at_any_step_leaves_the_graph_whole(graph, steps):
    await graph.add_episode("Ann knows Bob.", reference_time="2019")
    task = asyncio.create_task(graph.add_episode("Ann likes tea.", reference_time="2020"))
    for _ in range(steps):
        await asyncio.sleep(0.0005)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert (await graph.health.check_all()).findings == ()
    await graph.add_episode("Ann likes tea.", reference_time="2020")
    await graph.add_episode("Ann likes jazz.", reference_time="2021")
    assert len(await graph.facts("Ann")) == 3
    assert (await graph.health.check_all()).findings == ()
