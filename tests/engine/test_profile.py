"""A store remembers where it is searched, and an engine store searches in SurrealDB."""

import pytest

from graphrag.errors import InputError, StoreIndexError, StoreProfileError
from graphrag.search.recipe import Recipe
from graphrag.temporal.interval import Viewpoint
from tests.conftest import open_graph, triples
from tests.engine.worlds import Asked
from tests.serving import a_server


async def told(graph):
    await graph.add_episode("Alice works_at Acme. Bob knows Alice.", reference_time="2020-01-01")
    await graph.add_episode("Alice works_at Beta.", reference_time="2021-01-01")


def asked(query, **view):
    return Asked(query, "default", Recipe(), Viewpoint(**view), None, ())


def best(found):
    return found.facts[0].item.object


async def test_a_new_store_gets_the_process_profile_and_any_store_keeps_its_own(tmp_path):
    plain, chosen = f"surrealkv://{tmp_path}/plain", f"surrealkv://{tmp_path}/chosen"
    async with open_graph(plain) as graph:
        assert graph.handle.session.store.profile == "process"
    async with open_graph(chosen, profile="engine") as graph:
        await told(graph)
    async with open_graph(chosen) as graph:
        assert graph.handle.session.store.profile == "engine"
        assert best(await graph.search("where does Alice work")) == "Beta"


async def test_the_other_profile_is_refused_and_copy_is_named(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url, profile="engine"):
        pass
    with pytest.raises(StoreProfileError, match="surreal-graphrag copy"):
        async with open_graph(url, profile="process"):
            pass


def test_an_unknown_profile_is_refused():
    with pytest.raises(InputError, match="choose from process, engine"):
        open_graph(profile="fast")


async def test_a_search_reads_nothing_of_the_group_into_memory():
    async with open_graph(profile="engine") as graph:
        await told(graph)
        catalog = graph.handle.session.catalog
        await catalog.drop("default")
        found = await asked("where does Alice work").of(graph)
        assert best(found) == "Beta"
        assert not catalog.loaded("default")


async def test_the_past_is_searched_as_it_was():
    async with open_graph(profile="engine") as graph:
        await told(graph)
        found = await asked("where does Alice work", history=True).of(graph)
        assert {("Alice", "works_at", "Acme", "2020-01-01", "2021-01-01")} < triples(
            hit.item for hit in found
        )


@pytest.mark.parametrize(("index", "table"), [("words", "words"), ("nearest", "vector")])
async def test_a_missing_index_is_refused_until_it_is_built(index, table):
    async with open_graph(profile="engine") as graph:
        await told(graph)
        await graph.handle.session.store.query(
            f"REMOVE INDEX {index} ON relates_to_{table}_default;"
        )
        with pytest.raises(StoreIndexError, match="index build"):
            await asked("where does Alice work").of(graph)
        assert f"the index of relates_to_{table}_default is missing" in str(
            (await graph.health.indexes()).findings
        )
        await graph.health.build_indexes(rows=False)
        assert (await graph.health.indexes()).sound
        assert len(await asked("where does Alice work").of(graph))


async def test_the_process_profile_has_no_such_indexes():
    async with open_graph() as graph:
        with pytest.raises(StoreProfileError, match="has profile 'process'"):
            await graph.health.indexes()
        with pytest.raises(StoreProfileError):
            await graph.health.build_indexes()


async def test_no_group_sees_another_through_the_shared_indexes():
    async with open_graph(profile="engine") as graph:
        await told(graph)
        await graph.group("default2").add_episode(
            "Alice works_at Globex.", reference_time="2021-01-01"
        )
        found = await asked("where does Alice work").of(graph)
        assert "Globex" not in {hit.item.object for hit in found}
        found = await asked("where does Alice work").of(graph, group="default2")
        assert {hit.item.object for hit in found} == {"Globex"}


async def test_a_small_group_beside_a_large_one_is_found():
    async with open_graph(profile="engine") as graph:
        for day in range(1, 29):
            await graph.group("large").add_episode(
                " ".join(f"Bob knows Alice Wood{chr(65 + day % 26)}{n}." for n in "abcdefgh"),
                reference_time=f"2020-01-{day:02}",
            )
        await told(graph)
        found = await asked("who does Bob know").of(graph)
        assert {hit.item.object for hit in found} == {"Alice", "Beta"}


async def test_the_engine_profile_works_on_a_server():
    async with a_server() as (url, options):
        async with open_graph(url, profile="engine", **options) as one:
            await told(one)
            found = await asked("where does Alice work").of(one)
            assert best(found) == "Beta"
            async with open_graph(url, **options) as other:
                await other.add_episode("Alice works_at Globex.", reference_time="2022-01-01")
            found = await asked("where does Alice work").of(one)
            assert best(found) == "Globex"
            assert (await one.health.indexes()).sound


async def test_a_word_is_counted_anew_when_its_group_has_grown():
    async with open_graph(profile="engine") as graph:
        await told(graph)
        await asked("where does Alice work").of(graph)
        counted = graph.handle.session.frequencies
        words = {key: count for key, count in counted.items() if key[1] == "alic"}
        assert words
        for year in range(1990, 2000):
            await graph.add_episode("Alice knows Bob.", reference_time=f"{year}-01-01")
            await graph.add_episode(f"Alice likes tea{year}.", reference_time=f"{year}-01-01")
        for _ in range(2):
            await asked("where does Alice work").of(graph)
        assert all(counted[key] > count for key, count in words.items() if "relates" in key[0])
