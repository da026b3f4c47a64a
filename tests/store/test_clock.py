"""The time of an event is after that of the one before it, whatever the writers' clocks say."""

from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from unittest.mock import patch

import pytest

from graphrag.errors import QueryError
from graphrag.temporal import moment
from tests.conftest import open_graph
from tests.serving import served

MICRO = timedelta(microseconds=1)


class _Kind(type):
    def __instancecheck__(cls, value):
        return isinstance(value, datetime)


class Stopped(datetime, metaclass=_Kind):
    """A clock as a test library replaces it: its moments are of its own kind."""

    shift = timedelta(0)

    @classmethod
    def now(cls, tz=None):
        real = datetime.now(tz) + cls.shift
        return cls.combine(real.date(), real.time(), real.tzinfo)


@contextmanager
def shifted(seconds):
    """Set the clock forward or back."""
    Stopped.shift = timedelta(seconds=seconds)
    with patch.object(moment, "datetime", Stopped):
        yield


async def seen(graph, **view):
    try:  # of any time of the world: only what was known is asked
        facts = await graph.at(history=True, **view).facts("Ann")
    except QueryError:  # nobody had heard of her
        return []
    return sorted((fact.relation, fact.object) for fact in facts)


async def assert_every_moment(graph, states):
    """Compare what was known at, just before and just after each event with what it had left."""
    events = await graph.log.events()
    assert len(events) == len(states)
    times = [event.at for event in events]
    assert times == sorted(set(times))
    for number, (event, state) in enumerate(zip(events, states, strict=True)):
        before = states[number - 1] if number else []
        assert await seen(graph, known_at=event.at - MICRO) == before
        assert await seen(graph, known_at=event.at) == state
        found = await graph.at(known_at=event.at, history=True).search("Ann", limit=20)
        assert sorted((hit.item.relation, hit.item.object) for hit in found.facts) == state
    assert await seen(graph) == states[-1]


def test_the_present_is_pythons_own_kind_of_datetime():
    with shifted(-1):
        assert type(moment.utc_now()) is datetime
        assert moment.utc_now().tzinfo is UTC
        for value in (Stopped.now(UTC), "2024-01-01", "2024-01-01T10:00:00Z"):
            assert isinstance(moment.parse_moment(value), datetime)


SHIFTS = [
    (0, -1, -1, 0),
    (0, -3600, -7200, 5),
    (60, 0, 0, 0),
    (0, -1e-6, -0.5, -86_400),
    (0, 3, -3, 2),
]


@pytest.mark.parametrize("shifts", SHIFTS)
@pytest.mark.parametrize("url", ["mem://", "folder"])
async def test_with_a_clock_that_is_set_every_moment_is_read_as_it_was(shifts, url, tmp_path):
    url = url if url == "mem://" else f"surrealkv://{tmp_path}/store"
    states = []
    async with open_graph(url) as graph:
        for number, shift in enumerate(shifts):
            with shifted(shift):
                await graph.add_fact("Ann", "likes", f"tea{number}")
                states.append(await seen(graph))
        with shifted(-100):
            [tea] = [fact for fact in await graph.facts("Ann") if fact.object == "tea0"]
            await graph.edit.retract(tea)
            states.append(await seen(graph))
        await assert_every_moment(graph, states)
        assert (await graph.health.check_all()).sound


@pytest.mark.parametrize("shift", [-1, -3600, 30])
async def test_the_clock_may_be_set_back_between_two_sessions(shift, tmp_path):
    url, states = f"surrealkv://{tmp_path}/store", []
    for number in range(4):
        with shifted(number * shift):
            async with open_graph(url) as graph:
                await graph.add_fact("Ann", "likes", f"tea{number}")
                states.append(await seen(graph))
    async with open_graph(url) as graph:
        await assert_every_moment(graph, states)


@pytest.mark.parametrize("behind", [-1, -3600])
async def test_of_two_writers_on_a_server_the_clock_of_one_may_be_behind(behind):
    states = []
    async with (
        served() as place,
        open_graph(f"ws://{place}") as one,
        open_graph(f"ws://{place}") as other,
    ):
        for number in range(6):
            writer, shift = ((one, 0), (other, behind))[number % 2]
            with shifted(shift):
                await writer.add_fact("Ann", "likes", f"tea{number}")
                states.append(await seen(writer))
        await assert_every_moment(one, states)
        await assert_every_moment(other, states)


async def test_what_is_prepared_ahead_is_after_what_it_follows(tmp_path):
    facts = [{"subject": "Ann", "relation": "likes", "object": f"tea{n}"} for n in range(60)]
    async with open_graph(f"surrealkv://{tmp_path}/store") as graph:
        with shifted(10):
            await graph.add_fact("Ann", "likes", "milk")
        await graph.load.facts(facts, batch=10)
        with shifted(-20):
            await graph.load.facts(facts[::-1], batch=7)
        times = [event.at for event in await graph.log.events()]
        assert times == sorted(set(times))


async def test_a_group_that_is_ahead_takes_no_other_along():
    async with open_graph() as graph:
        with shifted(86_400):
            await graph.add_fact("Ann", "likes", "tea")
        await graph.group("other").add_fact("Ann", "likes", "tea")
        [event] = await graph.group("other").log.events()
        assert event.at < datetime.now(UTC)
