"""The blocking twin: the same methods, from a script, a thread or a running event loop."""

import asyncio
import gc
import inspect
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from graphrag import NewEpisode, QueryError, StoreClosedError, StoreError
from graphrag._portal import BackgroundLoop
from graphrag.sync import GraphRAG
from tests import sync_twin
from tests.conftest import open_graph
from tests.surface import parameters, verbs

EPISODES = [
    NewEpisode(f"Person{number} works_at Acme.", f"2024-01-{number + 1:02}") for number in range(5)
]


def open_sync(url="mem://", **options):
    return open_graph(url, kind=GraphRAG, **options)


@pytest.fixture
def graph():
    with open_sync() as opened:
        yield opened


# -- the same interface ------------------------------------------------------------------------

# A plain call has no use for an async stream, and what follows the log is an iterator.
DIFFERENT = {("add_episodes", "episodes")}


def test_it_is_the_one_that_is_generated():
    assert sync_twin.TARGET.read_text(encoding="utf-8") == sync_twin.generated()


GRAPH, TWIN = open_graph(), open_graph(kind=GraphRAG)
TWINS = [(TWIN, GRAPH), (TWIN.at(), GRAPH.at()), (TWIN.groups(), GRAPH.groups())]


@pytest.mark.parametrize(("blocking", "core"), TWINS, ids=["graph", "view", "groups"])
def test_names_and_signatures_are_those_of_the_async_class(blocking, core):
    ours, theirs = verbs(blocking), verbs(core)
    assert ours.keys() == theirs.keys()
    for name, verb in theirs.items():
        given, wanted = parameters(ours[name]), parameters(verb)
        assert list(given) == list(wanted), name
        for key, parameter in wanted.items():
            assert given[key].kind == parameter.kind, (name, key)
            assert given[key].default == parameter.default, (name, key)
            if (name, key) not in DIFFERENT:
                assert given[key].annotation == parameter.annotation, (name, key)


@pytest.mark.parametrize("blocking", [twin for twin, _ in TWINS], ids=["graph", "view", "groups"])
def test_nothing_blocking_returns_a_coroutine(blocking):
    assert not [name for name, verb in verbs(blocking).items() if inspect.iscoroutinefunction(verb)]


def test_every_method_answers(graph):
    added = graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-05-01")
    graph.add_episode("Alice works_at Globex from 2023.", reference_time="2023-05-01")
    assert [hit.item.object for hit in graph.search("where does Alice work?")] == ["Globex"]
    past = graph.at(valid_at="2021-01-01")
    assert [hit.item.object for hit in past.search("where does Alice work?")] == ["Acme"]
    assert past.viewpoint.valid_at.year == 2021
    assert graph.entity("Alice").name == past.entity("Alice").name == "Alice"
    assert [entity.name for entity in past.entities("Alice")] == ["Alice"]
    assert [fact.object for fact in graph.facts("Alice")] == ["Globex"]
    assert [fact.object for fact in past.facts("Alice")] == ["Acme"]
    assert graph.episodes([added.episode.id]) == [added.episode]
    assert graph.stats().episodes == 2
    assert graph.audit.hubs(1)[0][0].name == "Alice"
    assert [event.seq for event in graph.log.events()] == [1, 2]
    assert [group.name for group in graph.groups().list()] == ["default"]
    assert graph.communities.build() == graph.communities.list()
    graph.group("other").add_episode("Bob works_at Acme.")
    both = graph.groups("default", "other").search("who works at Acme?")
    assert {hit.item.group_id for hit in both} == {"default", "other"}
    events = graph.log.follow(after=0)
    assert [next(events).seq for _ in range(3)] == [1, 2, 3]


def test_errors_are_those_of_the_graph(graph):
    with pytest.raises(QueryError, match="empty"):
        graph.search(" ")


# -- batches -----------------------------------------------------------------------------------


def test_batch_runs_the_iterable_and_the_progress_in_the_calling_thread(graph):
    threads = set()
    seen = []

    def told():
        for episode in EPISODES:
            threads.add(threading.current_thread())
            graph.stats()
            yield episode

    def progress(state):
        threads.add(threading.current_thread())
        graph.stats()
        seen.append((state.done, state.total))

    report = graph.add_episodes(told(), on_progress=progress)
    assert report.added == 5
    assert seen == [(number, None) for number in range(1, 6)]
    assert threads == {threading.current_thread()}


def test_batch_of_a_list_knows_its_length_and_continues(graph):
    totals = []
    graph.add_episodes(EPISODES[:2])
    report = graph.add_episodes(EPISODES, on_progress=lambda state: totals.append(state.total))
    assert (report.added, report.unchanged) == (3, 2)
    assert totals == [5] * 5


def test_error_in_the_iterable_or_the_callback_stops_the_batch_and_keeps_what_was_done(graph):
    def broken():
        yield from EPISODES[:3]
        raise ValueError("no more")

    with pytest.raises(ValueError, match="no more"):
        graph.add_episodes(broken())

    def refuse(state):
        raise RuntimeError("no room")

    with pytest.raises(RuntimeError, match="no room"):
        graph.add_episodes(EPISODES, on_progress=refuse)
    assert graph.add_episodes(EPISODES).added + graph.add_episodes(EPISODES).unchanged >= 5
    assert graph.stats().episodes == 5


# -- life --------------------------------------------------------------------------------------


async def test_works_inside_a_running_event_loop(tmp_path):
    assert asyncio.get_running_loop()
    with open_sync(f"surrealkv://{tmp_path}/store") as graph:
        graph.add_episodes(EPISODES)
        graph.add_episode("Zoe knows Bob.")
        assert graph.stats().facts == 6
        assert graph.search("who knows Bob?").facts
        assert graph.at(history=True).facts("Zoe")
    assert asyncio.get_running_loop()


def test_repr_shows_where_and_whether_open_but_no_password():
    graph = GraphRAG.open("ws://root:s3cret@127.0.0.1:9", password="s3cret")
    assert repr(graph) == "GraphRAG('ws://127.0.0.1:9', closed)"
    with open_sync() as graph:
        assert repr(graph) == "GraphRAG('mem://', open)"


def test_the_first_call_opens_as_a_notebook_wants_it():
    graph = open_sync()
    assert "closed" in repr(graph)
    assert graph.stats().episodes == 0
    with graph:
        graph.add_episode("Zoe knows Bob.")
        assert graph.stats().episodes == 1
    with pytest.raises(StoreClosedError, match="was closed"):
        graph.stats()


def test_threads_that_call_first_at_once_open_it_once():
    graph = open_sync()
    together = threading.Barrier(8)

    def tell(number):
        together.wait()
        graph.add_episode(f"Person{number} works_at Acme.")

    threads = [threading.Thread(target=tell, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert graph.stats().episodes == 8
    graph.close()


def test_a_store_that_cannot_be_opened_is_tried_again(tmp_path):
    graph = open_sync(f"surrealkv://{tmp_path}/store")
    with open_sync(f"surrealkv://{tmp_path}/store"), pytest.raises(StoreError):
        graph.stats()
    assert graph.stats().episodes == 0
    graph.close()


async def test_an_awaited_graph_is_open_until_it_is_closed():
    graph = await open_graph()
    await graph.add_episode("Zoe knows Bob.")
    async with graph:
        assert (await graph.stats()).episodes == 1
    with pytest.raises(StoreClosedError):
        await graph.stats()


def test_threads_share_a_graph(graph):
    threads = [
        threading.Thread(target=graph.add_episode, args=(episode.content,)) for episode in EPISODES
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert graph.stats().episodes == 5


def test_close_twice_and_use_after_close():
    with open_sync() as graph:
        graph.close()
        graph.close()
    with pytest.raises(StoreClosedError, match="with GraphRAG"):
        graph.search("Alice")
    assert "closed" in repr(graph)
    with graph:
        assert graph.stats().episodes == 0


def test_close_leaves_no_thread():
    before = threading.active_count()
    with open_sync() as graph:
        graph.add_episodes(EPISODES)
    assert threading.active_count() == before


def test_failed_opening_leaves_no_thread(tmp_path):
    before = threading.active_count()
    with (
        open_sync(f"surrealkv://{tmp_path}/store"),
        pytest.raises(Exception, match="open in another"),
        open_sync(f"surrealkv://{tmp_path}/store"),
    ):
        pass
    assert threading.active_count() == before


def test_graph_dropped_open_warns_and_is_closed(tmp_path):
    graph = open_sync(f"surrealkv://{tmp_path}/store")
    graph.__enter__()
    with pytest.warns(ResourceWarning, match="never closed"):
        del graph
        gc.collect()
    with open_sync(f"surrealkv://{tmp_path}/store") as again:
        assert again.stats().episodes == 0


def test_blocking_call_from_the_graphs_own_loop_is_refused():
    class Asking:
        async def extract(self, context):
            return graph.stats()

    with open_sync(extractor=Asking()) as graph, pytest.raises(Exception, match="own loop"):
        graph.add_episode("x")


def test_forgotten_graph_does_not_hang_the_exit():
    script = (
        "from graphrag.session import Models\n"
        "from graphrag.sync import GraphRAG\n"
        "from graphrag.testing import HashEmbedder, ScriptedExtractor\n"
        "models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor({}))\n"
        "graph = GraphRAG.open('mem://', models=models)\n"
        "graph.__enter__()\n"
        "graph.stats()\n"
    )
    done = subprocess.run(
        [sys.executable, "-W", "always", "-c", script], capture_output=True, text=True, timeout=30
    )
    assert done.returncode == 0
    assert "never closed" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_interrupt_cancels_the_work_and_leaves_a_usable_graph():
    class Slow:
        async def extract(self, context):
            started.set()
            await asyncio.sleep(60)

    started = threading.Event()

    def interrupt():
        started.wait()
        os.kill(os.getpid(), signal.SIGINT)

    with open_sync(extractor=Slow()) as graph:
        threading.Thread(target=interrupt).start()
        began = time.perf_counter()
        with pytest.raises(KeyboardInterrupt):
            graph.add_episodes(EPISODES)
        assert graph.stats().episodes == 0
    assert time.perf_counter() - began < 10


def test_work_that_fails_when_it_is_interrupted_leaves_no_traceback(caplog):
    started = threading.Event()

    async def stubborn():
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            raise StoreError("half of it was written") from None

    loop = BackgroundLoop("this graph")
    future = loop.start(stubborn())
    started.wait()
    loop.stop()
    assert isinstance(future.exception(timeout=5), StoreError)
    assert caplog.records == []
