"""The graph as a user has it: a real embedded database, a readable extractor."""

import asyncio
import gc

import pytest

from graphrag import (
    EpisodeError,
    ExtractionError,
    GraphRAG,
    InputError,
    Models,
    QueryError,
    StoreClosedError,
    StoreURLError,
    TimeError,
    sync,
)
from graphrag.ontology.relations import Relation
from graphrag.session import Rules
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder, ScriptedExtractor, ScriptedLLM
from tests.conftest import PlainExtractor, open_graph, triples

JOINED = "Alice works_at Acme from 2021-03-01."
CHANGED = "Alice works_at Globex from 2023-06-01."


async def everything(graph, name="Alice", **view):
    return triples(await graph.at(history=True, **view).facts(name))


async def test_a_new_job_ends_the_old_one(graph):
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    await graph.add_episode(CHANGED, reference_time="2023-07-10")
    assert await everything(graph) == {
        ("Alice", "works_at", "Acme", "2021-03-01", "2023-06-01"),
        ("Alice", "works_at", "Globex", "2023-06-01", None),
    }


async def test_now_and_as_of_and_as_known(graph):
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    before = utc_now()
    await graph.add_episode(CHANGED, reference_time="2023-07-10")

    async def employer(view):
        return [hit.item.object for hit in await view.search("Where does Alice work?")]

    assert await employer(graph) == ["Globex"]
    assert await employer(graph.at(valid_at="2022-01-01")) == ["Acme"]
    assert await employer(graph.at(known_at=before)) == ["Acme"]
    assert sorted(await employer(graph.at(history=True))) == ["Acme", "Globex"]
    assert await employer(graph.at(valid_at="2020")) == []


async def test_what_was_known_shows_no_later_closing(graph):
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    before = utc_now()
    await graph.add_episode(CHANGED, reference_time="2023-07-10")
    [fact] = await graph.at(known_at=before).facts("Alice")
    assert (fact.invalid_at, fact.expired_at, fact.reason) == (None, None, None)


async def test_entities_unknown_at_the_time_are_not_found(graph):
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    before = utc_now()
    await graph.add_episode(CHANGED, reference_time="2023-07-10")
    assert await graph.at(known_at=before).entity("Globex") is None
    assert (await graph.entity("Globex")).name == "Globex"


async def test_late_report_does_not_override_the_present(graph):
    await graph.add_episode(CHANGED, reference_time="2023-07-10")
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    assert await everything(graph) == {
        ("Alice", "works_at", "Acme", "2021-03-01", "2023-06-01"),
        ("Alice", "works_at", "Globex", "2023-06-01", None),
    }


async def test_a_fact_that_ended_can_begin_again(graph):
    await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-02-01")
    await graph.add_episode("Alice works_at Beta from 2023.", reference_time="2023-02-01")
    await graph.add_episode("Alice works_at Acme from 2026.", reference_time="2026-02-01")
    assert await everything(graph) == {
        ("Alice", "works_at", "Acme", "2020-01-01", "2023-01-01"),
        ("Alice", "works_at", "Beta", "2023-01-01", "2026-01-01"),
        ("Alice", "works_at", "Acme", "2026-01-01", None),
    }


async def test_a_known_future_end_is_no_expiry(graph):
    await graph.add_episode("Alice works_at Acme to 2999-01-01.", reference_time="2024-01-01")
    [fact] = await graph.facts("Alice")
    assert fact.expired_at is None
    assert await graph.at(valid_at="2999-01-01").facts("Alice") == []


async def test_repetition_adds_provenance_only(graph):
    first = await graph.add_episode(JOINED, reference_time="2021-04-02")
    second = await graph.add_episode("Alice works_at Acme.", reference_time="2021-09-01")
    assert second.facts == ()
    [fact] = await graph.facts("Alice")
    assert fact.episodes == (first.episode.id, second.episode.id)


async def test_adding_twice_changes_nothing_and_says_so(graph):
    first = await graph.add_episode(JOINED, reference_time="2021-04-02")
    again = await graph.add_episode(JOINED, reference_time="2021-04-02")
    assert first.new and not again.new
    assert again.episode == first.episode
    assert len(await graph.log.events()) == 1


async def test_same_words_at_another_time_are_another_episode(graph):
    await graph.add_episode("Alice likes tea.", reference_time="2021-04-02")
    assert (await graph.add_episode("Alice likes tea.", reference_time="2021-04-03")).new


async def test_every_fact_leads_back_to_its_words(graph):
    content = "Much happened. Alice works_at Acme. Nothing else."
    added = await graph.add_episode(content)
    [fact] = added.facts
    [span] = fact.sources
    assert content[span.start : span.end] == "Alice works_at Acme."
    results = await graph.search("Alice")
    assert results.source_of(results.facts[0].item) == "Alice works_at Acme."


async def test_start_without_a_date_is_marked_as_observed(graph):
    [fact] = (await graph.add_episode("Alice works_at Acme.", reference_time="2021-04-02")).facts
    assert fact.observed and fact.valid_at.isoformat() == "2021-04-02T00:00:00+00:00"


@pytest.mark.parametrize(
    ("content", "time", "error"),
    [
        ("", "2021", EpisodeError),
        ("\0\1", "2021", EpisodeError),
        (JOINED, "2023-02-30", TimeError),
        (JOINED, "soonish", TimeError),
    ],
)
async def test_bad_input_leaves_the_store_untouched(graph, content, time, error):
    with pytest.raises(error):
        await graph.add_episode(content, reference_time=time)
    assert await graph.log.events() == []


async def test_failing_extractor_is_named_and_leaves_nothing():
    async with open_graph(extractor=ScriptedExtractor({})) as graph:
        with pytest.raises(ExtractionError, match="no extraction scripted for 'Alice"):
            await graph.add_episode(JOINED)
        assert await graph.log.events() == []


async def test_extractor_crash_becomes_an_error_that_names_the_episode():
    class Broken:
        async def extract(self, context):
            raise ZeroDivisionError("boom")

    async with open_graph(extractor=Broken()) as graph:
        with pytest.raises(ExtractionError, match="episode 'minutes': boom"):
            await graph.add_episode(JOINED, name="minutes")


@pytest.mark.parametrize("query", ["", "  "])
async def test_empty_query_is_refused(graph, query):
    with pytest.raises(QueryError, match="empty"):
        await graph.search(query)


@pytest.mark.parametrize("limit", [0, -1, 1001, True, "3"])
async def test_impossible_limit_is_refused(graph, limit):
    with pytest.raises(QueryError, match="limit"):
        await graph.search("Alice", limit=limit)


async def test_unknown_group_is_empty_or_refused_and_names_no_other(graph):
    await graph.group("work").add_episode(JOINED)
    assert not await graph.group("wrok").search("Alice")
    with pytest.raises(QueryError, match="no group 'wrok'") as refused:
        await graph.group("wrok", strict=True).search("Alice")
    assert "'work'" not in str(refused.value)


async def test_searching_an_empty_graph_finds_nothing(graph):
    assert not await graph.search("Alice")


async def test_groups_never_see_each_other(graph):
    await graph.group("one").add_episode(JOINED)
    await graph.group("two").add_episode("Alice likes tea.")
    assert triples(await graph.group("two").facts("Alice")).isdisjoint(
        triples(await graph.group("one").facts("Alice"))
    )
    assert [group.name for group in await graph.groups().list()] == ["one", "two"]
    assert len((await graph.group("two").search("Alice")).facts) == 1


async def test_concurrent_episodes_make_one_entity_and_one_current_job(graph):
    jobs = [f"Alice works_at {where} from 20{year}." for year, where in enumerate(
        ["Acme", "Beta", "Globex", "Initech"] * 4, start=10
    )]  # fmt: skip
    await asyncio.gather(
        *(graph.group(group).add_episode(job, reference_time="2024-01-01")
          for job in jobs for group in ("one", "two"))
    )  # fmt: skip
    for group in ("one", "two"):
        stats = await graph.group(group).stats()
        assert (stats.episodes, stats.entities, stats.facts_now) == (16, 5, 1)
        assert [fact.object for fact in await graph.group(group).facts("Alice")] == ["Initech"]


async def test_reopened_graph_answers_as_before(tmp_path):
    url = f"surrealkv://{tmp_path}/graph"
    async with open_graph(url) as graph:
        await graph.add_episode(JOINED, reference_time="2021-04-02")
        await graph.add_episode(CHANGED, reference_time="2023-07-10")
        stats, facts = await graph.stats(), await everything(graph)
        found = await graph.search("Who works at Globex?")
    async with open_graph(url) as graph:
        assert await graph.stats() == stats
        assert await everything(graph) == facts
        again = await graph.search("Who works at Globex?")
        assert [hit.item for hit in again] == [hit.item for hit in found]
        assert not (await graph.add_episode(JOINED, reference_time="2021-04-02")).new


async def test_episodes_are_linked_in_the_order_of_their_times(graph):
    for time in ("2021", "2023", "2022"):
        await graph.add_episode(f"Report of {time}.", reference_time=time)
    store = graph.handle.session.store
    [links] = await store.query("SELECT VALUE [in.content, out.content] FROM occurred_after;")
    assert sorted(links) == [
        ["Report of 2022.", "Report of 2021."],
        ["Report of 2023.", "Report of 2022."],
    ]


async def test_stats_and_most_connected(graph):
    await graph.add_episode(JOINED, reference_time="2021-04-02")
    await graph.add_episode(CHANGED, reference_time="2023-07-10")
    stats = await graph.stats()
    assert (stats.episodes, stats.entities, stats.facts, stats.facts_now, stats.facts_ended) == (
        2, 3, 2, 1, 1,
    )  # fmt: skip
    assert [(entity.name, count) for entity, count in await graph.audit.hubs(1)] == [("Alice", 2)]


async def test_facts_of_nobody_suggest_a_search(graph):
    with pytest.raises(QueryError, match="no entity is called 'Zoe'"):
        await graph.facts("Zoe")


async def test_using_a_closed_graph_says_how_to_open_it():
    graph = GraphRAG.open("mem://", models=Models(extractor=PlainExtractor()))
    with pytest.raises(StoreClosedError, match="async with"):
        await graph.search("Alice")


class ConnectedLLM(ScriptedLLM):
    """A model that counts how often it is closed, and may fail at it."""

    def __init__(self, error=None):
        super().__init__()
        self.closed, self.error = 0, error

    async def close(self):
        self.closed += 1
        if self.error:
            raise self.error


@pytest.mark.parametrize("entered", [True, False])
async def test_a_graph_closes_its_model_whether_it_was_opened_or_not(entered):
    llm = ConnectedLLM()
    graph = open_graph(llm=llm)
    if entered:
        await graph
    await graph.close()
    assert llm.closed == 1


async def test_a_model_that_fails_to_close_leaves_the_store_closed(tmp_path):
    llm, url = ConnectedLLM(OSError("connection lost")), f"surrealkv://{tmp_path}/store"
    graph = await open_graph(url, llm=llm)
    with pytest.raises(OSError, match="connection lost"):
        await graph.close()
    async with open_graph(url) as again:
        assert await again.stats()


def test_url_is_checked_before_anything_opens():
    with pytest.raises(StoreURLError):
        GraphRAG.open("nowhere")


async def test_graph_dropped_open_warns():
    graph = await open_graph().__aenter__()
    store = graph.handle.session.store
    with pytest.warns(ResourceWarning, match="never closed"):
        del graph
        gc.collect()
    await store.close()


@pytest.mark.parametrize("kind", [GraphRAG, sync.GraphRAG])
@pytest.mark.parametrize("given", [(), ("mem://",), ("ws://root:secret@host",)])
def test_a_graph_that_is_made_by_hand_is_sent_to_open(kind, given):
    with pytest.raises(TypeError, match=r"use GraphRAG\.open\(URL\)") as raised:
        kind(*given)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("kind", [GraphRAG, sync.GraphRAG])
async def test_what_python_says_of_arguments_names_what_the_user_wrote(kind):
    graph = kind.open("mem://", models=Models(embedder=HashEmbedder(), extractor=PlainExtractor()))
    for call, name in (
        (graph.add_episode, "GraphRAG.add_episode"),
        (graph.search, "GraphRAG.search"),
        (graph.sources, "GraphRAG.sources"),
        (graph.at(valid_at="2020").sources, "View.sources"),
        (graph.load.facts, "graph.load.facts"),
        (graph.log.revert, "graph.log.revert"),
        (graph.communities.get, "graph.communities.get"),
    ):
        with pytest.raises(TypeError, match=rf"^{name}\(\) missing 1 required positional"):
            given = call()
            await given


def test_a_list_of_relations_is_no_relations():
    with pytest.raises(InputError, match=r"relations is a list: give Relations\(\)\.having"):
        Rules(relations=[Relation("consults")])


def test_what_is_no_model_is_refused_at_once():
    with pytest.raises(InputError, match="embedder is the class HashEmbedder: give an object"):
        Models(embedder=HashEmbedder)
    with pytest.raises(InputError, match=r"extractor is a str, which has no extract\(\)"):
        Models(extractor="rules")
