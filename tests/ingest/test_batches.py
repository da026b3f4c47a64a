"""Many episodes: the same graph as one by one, failures apart, fewer and larger embed calls."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag import EpisodeError, ExtractionError, InputError, NewEpisode, StoreClosedError
from graphrag.model.values import Entity, Episode
from graphrag.store.rows import TABLES
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor, open_graph, triples

NAMES = ("Alice", "Bob", "Carol")
STORIES = [
    "Alice works_at Acme.",
    "Alice works_at Beta.",
    "Bob leads Acme.",
    "Carol leads Acme.",
    "Alice married_to Bob.",
    "Alice ends:married_to Bob.",
    "Alice likes tea. Bob works_at Acme from 2018 to 2020.",
    "Alice Johnson works_at Globex.",
    "Bob knows Alice. Carol knows Bob.",
    "Alice works_at Acme from 2019 in fact.",
    "Nothing was said.",
]


class Ahead(PlainExtractor):
    """Read texts alone, and only what is told before."""

    looks_at_graph = False

    def __init__(self):
        self.contexts = {}

    async def extract(self, context):
        before = [other.content for other in context.previous]
        self.contexts.setdefault((context.episode.content, context.episode.valid_at), before)
        if "fails" in context.episode.content:
            raise RuntimeError("cannot read that")
        return await super().extract(context)


class Counting(HashEmbedder):
    def __init__(self):
        super().__init__()
        self.calls = []

    async def embed(self, texts, *, purpose):
        self.calls.append(len(texts))
        return await super().embed(texts, purpose=purpose)


async def shown(graph):
    """Return all of a group but its ids and system times."""
    store = graph.handle.session.store
    entity_rows, episode_rows, mentions, order = await store.query(
        f"SELECT VALUE record::id(id) FROM {TABLES[Entity]};"
        f"SELECT VALUE record::id(id) FROM {TABLES[Episode]};"
        "SELECT VALUE [in.content, out.name, start, end] FROM mentions;"
        "SELECT VALUE [in.content, in.valid_at, out.content, out.valid_at] FROM occurred_after;"
    )
    entities = await store.get(Entity, entity_rows)
    episodes = await store.get(Episode, episode_rows)
    view = graph.at(history=True)
    facts = [fact for id_ in entities for fact in await view.facts(id_)]
    return {
        "facts": triples(facts),
        "closed": {(fact.text, fact.reason, fact.observed, len(fact.sources)) for fact in facts},
        "entities": sorted(
            (one.name, sorted(one.aliases), one.entity_type, one.summary)
            for one in entities.values()
        ),
        "episodes": sorted((one.content, one.valid_at, one.status) for one in episodes.values()),
        "mentions": sorted(map(tuple, mentions)),
        "order": sorted(map(tuple, order)),
    }


told = st.lists(
    st.builds(
        lambda text, day: NewEpisode(text, f"2021-01-{day:02}"),
        st.sampled_from(STORIES),
        st.integers(1, 9),
    ),
    max_size=12,
)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(told)
def test_batch_gives_the_same_graph_as_one_by_one(episodes):
    async def both():
        many, one = Ahead(), Ahead()
        async with open_graph(extractor=many) as batch, open_graph(extractor=one) as single:
            report = await batch.add_episodes(episodes)
            new = 0
            for episode in episodes:
                added = await single.add_episode(
                    episode.content, reference_time=episode.reference_time
                )
                new += added.new
            assert (report.added, report.unchanged) == (new, len(episodes) - new)
            assert many.contexts == one.contexts
            return await shown(batch), await shown(single)

    batched, one_by_one = asyncio.run(both())
    assert batched == one_by_one


async def test_window_is_embedded_in_one_call():
    embedder = Counting()
    episodes = [NewEpisode(text, f"2021-01-{day + 1:02}") for day, text in enumerate(STORIES)]
    async with open_graph(extractor=Ahead(), embedder=embedder) as graph:
        await graph.add_episodes(episodes)
        # What resolves otherwise than guessed is embedded later: here the longer name of Alice.
        assert embedder.calls[0] > 3 * sum(embedder.calls[1:])
        assert len(embedder.calls) <= 4


async def test_extractor_that_may_look_at_the_graph_sees_all_that_was_told():
    class Curious(PlainExtractor):
        known = ()

        async def extract(self, context):
            self.known = {one.name for one in context.known}
            return await super().extract(context)

    extractor = Curious()
    async with open_graph(extractor=extractor) as graph:
        await graph.add_episodes(
            [NewEpisode("Alice works_at Acme."), NewEpisode("Bob knows Alice.")]
        )
        assert "Alice" in extractor.known


@pytest.mark.parametrize("extractor", [PlainExtractor, Ahead])
async def test_episode_that_fails_is_reported_and_the_rest_goes_on(extractor):
    seen = []
    async with open_graph(extractor=extractor()) as graph:
        report = await graph.add_episodes(
            [
                NewEpisode("Alice works_at Acme."),
                NewEpisode("  ", name="empty"),
                NewEpisode("Bob leads Acme."),
            ],
            on_progress=seen.append,
            on_error="skip",
        )
        [failed] = report.failed
        assert (failed.number, failed.name) == (2, "empty")
        assert isinstance(failed.error, EpisodeError)
        assert (report.added, report.done) == (2, 3)
        assert [(step.done, step.failed, step.last is None) for step in seen] == [
            (1, 0, False),
            (2, 1, True),
            (3, 1, False),
        ]
        assert (await graph.stats()).facts == 2


async def test_extractor_error_is_one_of_the_episode():
    extractor = Ahead()
    episodes = [
        NewEpisode(text, f"2021-01-0{day}")
        for day, text in enumerate(("Alice works_at Acme.", "This fails.", "Bob leads Acme."), 1)
    ]
    async with open_graph(extractor=extractor) as graph:
        report = await graph.add_episodes(episodes, on_error="skip")
        assert [type(one.error) for one in report.failed] == [ExtractionError]
        # The next one was not read with the failed one before it.
        assert ["Alice works_at Acme."] in extractor.contexts.values()
        assert (await graph.stats()).episodes == 2
        with pytest.raises(ExtractionError, match="This fails"):
            await graph.add_episodes(episodes)
        assert not (await graph.health.check_all()).findings


async def test_stop_keeps_what_came_before_in_the_same_window():
    async with open_graph(extractor=Ahead()) as graph:
        with pytest.raises(ExtractionError):
            await graph.add_episodes(
                [
                    NewEpisode("Alice works_at Acme."),
                    NewEpisode("It fails."),
                    NewEpisode("Bob leads Acme."),
                ]
            )
        assert (await graph.stats()).episodes == 1


async def test_stream_that_breaks_keeps_what_it_gave():
    def stories():
        yield NewEpisode("Alice works_at Acme.")
        raise OSError("the line is dead")

    async with open_graph(extractor=Ahead()) as graph:
        with pytest.raises(OSError, match="dead"):
            await graph.add_episodes(stories(), on_error="skip")
        assert (await graph.stats()).episodes == 1


async def test_slow_stream_is_written_as_it_comes():
    written = asyncio.Event()

    async def stories():
        yield NewEpisode("Alice works_at Acme.")
        await written.wait()
        yield NewEpisode("Bob leads Acme.")

    async with open_graph(extractor=Ahead()) as graph, asyncio.timeout(10):
        report = await graph.add_episodes(stories(), on_progress=lambda _: written.set())
        assert report.added == 2


async def test_progress_tells_time_and_what_is_left(graph):
    seen = []
    await graph.add_episodes([NewEpisode(text) for text in STORIES[:4]], on_progress=seen.append)
    assert [step.seconds for step in seen] == sorted(step.seconds for step in seen)
    assert seen[0].eta > 0
    assert seen[-1].eta == 0
    await graph.add_episodes(iter([NewEpisode("Bob likes tea.")]), on_progress=seen.append)
    assert seen[-1].eta is None


async def test_wrong_choice_and_a_closed_store_are_no_matter_of_one_episode(graph):
    with pytest.raises(InputError, match="on_error"):
        await graph.add_episodes([], on_error="ignore")
    closed = open_graph()
    with pytest.raises(StoreClosedError):
        await closed.add_episodes([NewEpisode("Alice likes tea.")], on_error="skip")
