"""What waits for a server is read side by side, and written in order."""

import asyncio
import random

import pytest
from hypothesis import HealthCheck, given, settings

from graphrag import ExtractionError, InputError, LLMExtractor, NewEpisode
from graphrag.testing import ScriptedLLM
from tests.conftest import PlainExtractor, open_graph
from tests.ingest.test_batches import shown, told


class Abreast(PlainExtractor):
    """Wait as one waits for a server, and note what was asked at a time."""

    def __init__(self, side_by_side=3):
        self.side_by_side = side_by_side
        self.contexts = {}
        self.under_way = self.most = 0
        self.cancelled = 0
        self._chance = random.Random(0)

    async def extract(self, context):
        before = [other.content for other in context.previous]
        self.contexts.setdefault((context.episode.content, context.episode.valid_at), before)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            await self.served()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        finally:
            self.under_way -= 1
        if "fails" in context.episode.content:
            raise RuntimeError("cannot read that")
        return await super().extract(context)

    async def served(self):
        await asyncio.sleep(self._chance.choice((0, 0.001, 0.003)))


def days(*texts):
    return [NewEpisode(text, f"2021-01-{day:02}") for day, text in enumerate(texts, 1)]


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(told)
def test_the_texts_before_and_the_graph_are_those_of_one_by_one(episodes):
    async def both():
        many, one = Abreast(), Abreast(side_by_side=1)
        async with open_graph(extractor=many) as batch, open_graph(extractor=one) as single:
            await batch.add_episodes(episodes)
            for episode in episodes:
                await single.add_episode(episode.content, reference_time=episode.reference_time)
            assert many.contexts == one.contexts
            assert many.most <= 3
            return await shown(batch), await shown(single)

    batched, one_by_one = asyncio.run(both())
    assert batched == one_by_one


async def test_as_many_are_under_way_as_the_extractor_says():
    class Full(Abreast):
        full = asyncio.Event()

        async def served(self):
            if self.under_way == self.side_by_side:
                self.full.set()
            await asyncio.wait_for(self.full.wait(), 10)

    extractor = Full(side_by_side=4)
    async with open_graph(extractor=extractor) as graph:
        report = await graph.add_episodes(days(*(f"Ann likes tea{n}." for n in range(12))))
        assert (report.added, extractor.most) == (12, 4)


@pytest.mark.parametrize("side_by_side", [0, -3])
async def test_an_extractor_that_says_none_at_a_time_reads_one_at_a_time(side_by_side):
    extractor = Abreast(side_by_side)
    async with open_graph(extractor=extractor) as graph:
        batch = graph.add_episodes(days("Ann likes tea.", "Bo likes tea.", "Cy likes tea."))
        report = await asyncio.wait_for(batch, 10)
        assert (report.added, extractor.most) == (3, 1)


async def test_what_came_before_an_error_is_written_and_nothing_after_it():
    extractor = Abreast(side_by_side=8)
    async with open_graph(extractor=extractor) as graph:
        with pytest.raises(ExtractionError, match="cannot read that"):
            await graph.add_episodes(
                days("Ann likes tea.", "fails", "Bo likes tea.", "Cy likes tea.")
            )
        assert (await graph.stats()).episodes == 1
        assert extractor.under_way == 0


async def test_failures_are_skipped_one_by_one():
    async with open_graph(extractor=Abreast()) as graph:
        report = await graph.add_episodes(
            days("Ann likes tea.", "fails 1", "Bo likes tea.", " ", "fails 2", "Cy likes tea."),
            on_error="skip",
        )
        assert report.added == 3
        assert [(one.number, one.name) for one in report.failed] == [
            (2, "fails 1"),
            (4, " "),
            (5, "fails 2"),
        ]


async def test_an_episode_told_twice_is_read_and_written_once():
    extractor = Abreast(side_by_side=8)
    async with open_graph(extractor=extractor) as graph:
        report = await graph.add_episodes([NewEpisode("Ann likes tea.", "2021")] * 5)
        assert (report.added, report.unchanged, len(extractor.contexts)) == (1, 4, 1)


async def test_what_is_read_does_not_wait_for_a_slow_stream():
    written = asyncio.Event()

    async def stream():
        yield NewEpisode("Ann likes tea.", "2021-01-01")
        await asyncio.wait_for(written.wait(), 5)
        yield NewEpisode("Bo likes tea.", "2021-01-02")

    async with open_graph(extractor=Abreast(side_by_side=8)) as graph:
        report = await graph.add_episodes(stream(), on_progress=lambda _: written.set())
        assert report.added == 2


async def test_a_stream_that_fails_leaves_what_it_gave():
    async def stream():
        for episode in days("Ann likes tea.", "Bo likes tea."):
            yield episode
        raise OSError("the line is dead")

    async with open_graph(extractor=Abreast(side_by_side=8)) as graph:
        with pytest.raises(OSError, match="the line is dead"):
            await graph.add_episodes(stream())
        assert (await graph.stats()).episodes == 2


async def test_a_cancelled_batch_leaves_nothing_under_way():
    extractor = Abreast(side_by_side=4)
    async with open_graph(extractor=extractor) as graph:
        batch = asyncio.create_task(
            graph.add_episodes(days(*(f"Ann likes tea{n}." for n in range(28))))
        )
        while not extractor.under_way:
            await asyncio.sleep(0)
        batch.cancel()
        await asyncio.wait([batch])
        assert extractor.under_way == 0


def test_a_model_reads_eight_at_a_time_unless_told_otherwise():
    assert LLMExtractor(ScriptedLLM()).side_by_side == 8
    assert LLMExtractor(ScriptedLLM(), side_by_side=1).side_by_side == 1
    with pytest.raises(InputError, match="at least 1"):
        LLMExtractor(ScriptedLLM(), side_by_side=0)
