"""Another embedder: every vector is made anew, nothing is extracted again, a kill loses nothing."""

import subprocess
import sys

import pytest

from graphrag import EmbedderMismatchError, EmbeddingError, InputError
from graphrag.store.migrate import end_vectors
from graphrag.store.store import Store
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph, triples

OLD, NEW = HashEmbedder(64), HashEmbedder(32)


class Failing(HashEmbedder):
    """Make so many batches, then fail."""

    def __init__(self, batches):
        super().__init__(NEW.dimension)
        self.left = batches

    async def embed(self, texts, *, purpose):
        if not self.left:
            raise EmbeddingError("the model went away")
        self.left -= 1
        return await super().embed(texts, purpose=purpose)


@pytest.fixture
def url(tmp_path):
    return f"surrealkv://{tmp_path}/store"


async def filled(url, people=100):
    rows = [{"subject": f"P{i}", "relation": "likes", "object": "tea"} for i in range(people)]
    async with open_graph(url, embedder=OLD) as graph:
        await graph.load.facts(rows)
        await graph.add_episode("Alice works_at Acme from 2020.", reference_time="2020-01-01")
        await graph.communities.build()


async def test_every_vector_is_made_anew_and_nothing_else_changes(url):
    await filled(url)
    async with open_graph(url, embedder=OLD) as graph:
        before, log = triples(await graph.facts("Alice")), len(await graph.log.events())
        await graph.search("Alice")  # its columns are saved beside the store
    seen = []
    done = await open_graph(url, embedder=NEW).health.reembed(on_progress=seen.append)
    assert done.done == done.total == done.made > 200
    assert seen[-1].done == done.total and seen[0].eta is not None
    async with open_graph(url, embedder=NEW) as graph:
        assert triples(await graph.facts("Alice")) == before
        assert (await graph.search("Alice Acme")).facts[0].item.object == "Acme"
        assert len(await graph.log.events()) == log
        assert (await graph.health.check_all()).findings == ()
    with pytest.raises(EmbedderMismatchError, match="surreal-graphrag index embed"):
        async with open_graph(url, embedder=OLD):
            pass


async def test_what_was_made_before_a_failure_is_not_made_again_and_the_old_vectors_serve(url):
    await filled(url)
    with pytest.raises(EmbeddingError):
        await open_graph(url, embedder=Failing(2)).health.reembed()
    with pytest.raises(EmbedderMismatchError, match="again, which goes on"):
        async with open_graph(url, embedder=NEW):
            pass
    async with open_graph(url, embedder=OLD) as graph:
        assert (await graph.search("Alice Acme")).facts[0].item.object == "Acme"
        await graph.add_fact("Bob", "likes", "jazz")
    done = await open_graph(url, embedder=NEW).health.reembed()
    assert done.done == done.total > done.made > 0
    async with open_graph(url, embedder=NEW) as graph:
        assert [fact.object for fact in await graph.facts("Bob")] == ["jazz"]
        assert (await graph.health.check_all()).findings == ()


KILLED = """
import asyncio, os
from tests.conftest import open_graph
from graphrag.testing import HashEmbedder

def die(progress):
    if progress.done >= 128:
        os._exit(9)

asyncio.run(open_graph({url!r}, embedder=HashEmbedder(32)).health.reembed(on_progress=die))
"""


async def test_a_killed_process_loses_nothing(url):
    await filled(url)
    killed = subprocess.run([sys.executable, "-c", KILLED.format(url=url)], check=False)
    assert killed.returncode == 9
    async with open_graph(url, embedder=OLD) as graph:
        assert (await graph.search("Alice Acme")).facts[0].item.object == "Acme"
    done = await open_graph(url, embedder=NEW).health.reembed()
    assert done.total - done.made >= 64
    async with open_graph(url, embedder=NEW) as graph:
        assert (await graph.health.check_all()).findings == ()


async def test_whoever_opens_the_store_finishes_what_was_cut_short_when_all_was_there(url):
    await filled(url)
    await killed_before_the_last_step(url)
    async with open_graph(url, embedder=NEW) as graph:
        assert (await graph.search("Alice Acme")).facts[0].item.object == "Acme"
        assert (await graph.health.check_all()).findings == ()


async def killed_before_the_last_step(url):
    graph = open_graph(url, embedder=NEW)
    with pytest.raises(StopAsyncIteration):
        await graph.health.reembed(on_progress=_last)
    async with await Store.open(graph.handle.target, embedder=OLD.name, dimension=64) as store:
        await end_vectors(store)
        [staged] = await store.query("SELECT * FROM staged_vector LIMIT 7;")
        for row in staged:  # as if some were moved already
            await store.transact(
                "UPDATE $of SET embedding = $new; DELETE $id;",
                of=row["of"],
                new=row["embedding"],
                id=row["id"],
            )


def _last(progress):
    if progress.done == progress.total:
        raise StopAsyncIteration


async def test_another_target_begins_anew_and_the_same_one_does_nothing(url):
    await filled(url, people=5)
    with pytest.raises(EmbeddingError):
        await open_graph(url, embedder=Failing(1)).health.reembed()
    other = HashEmbedder(16)
    done = await open_graph(url, embedder=other).health.reembed()
    assert done.made == done.total
    again = await open_graph(url, embedder=other).health.reembed()
    assert (again.made, again.done) == (0, done.total)


async def test_an_open_graph_and_the_engine_profile_are_refused(url, tmp_path):
    async with open_graph(url, embedder=OLD) as graph:
        with pytest.raises(InputError, match="before it is entered"):
            await graph.health.reembed()
