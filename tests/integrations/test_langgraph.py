"""The store does what LangGraph's own ``InMemoryStore`` does, and can be read as of a moment."""

import pytest

pytest.importorskip("langgraph", reason="langgraph is not installed: extra langgraph")

from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.store.base import BaseStore, GetOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from graphrag.errors import InputError
from graphrag.integrations.langgraph import GraphStore
from graphrag.sync import GraphRAG as BlockingGraphRAG
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph

ANN, BOB = ("memories", "ann"), ("memories", "bob")


def embed(texts):
    import asyncio

    return asyncio.run(HashEmbedder().embed(texts, purpose="document")).tolist()


@pytest.fixture(params=["LangGraph's own", "ours"])
def store(request):
    if request.param == "ours":
        with open_graph(kind=BlockingGraphRAG) as graph:
            yield GraphStore(graph)
    else:
        yield InMemoryStore(index={"dims": 64, "embed": embed})


@pytest.fixture
def filled(store):
    store.put(ANN, "food", {"text": "Ann likes noodles", "stars": 5, "tags": ["a", {"b": None}]})
    store.put(ANN, "home", {"text": "Ann lives in Rome", "stars": 3, "at": {"city": "Rome"}})
    store.put(BOB, "food", {"text": "Bob likes stew", "stars": 4.5})
    return store


def keys(items):
    return [(item.namespace[-1], item.key) for item in items]


def test_what_is_put_can_be_got(filled):
    item = filled.get(ANN, "food")
    assert item.value == {"text": "Ann likes noodles", "stars": 5, "tags": ["a", {"b": None}]}
    assert (item.namespace, item.key) == (ANN, "food")
    assert item.created_at.tzinfo is not None
    assert filled.get(ANN, "drink") is None
    assert filled.get(("memories", "eve"), "food") is None


def test_a_second_put_replaces_the_value_whole(filled):
    before = filled.get(ANN, "food")
    filled.put(ANN, "food", {"text": "Ann likes soup"})
    after = filled.get(ANN, "food")
    assert after.value == {"text": "Ann likes soup"}
    assert after.updated_at > before.updated_at
    assert keys(filled.search(ANN)) == [("ann", "food"), ("ann", "home")]


def test_what_is_deleted_is_gone_and_may_come_again(filled):
    filled.delete(ANN, "food")
    filled.delete(ANN, "never there")
    assert filled.get(ANN, "food") is None
    assert keys(filled.search(ANN)) == [("ann", "home")]
    filled.put(ANN, "food", {"text": "Ann likes noodles"})
    assert keys(filled.search(ANN)) == [("ann", "home"), ("ann", "food")]


def test_search_finds_by_meaning_below_a_prefix(filled):
    found = filled.search(("memories",), query="Where is it that Ann lives? In Rome?")
    assert keys(found)[0] == ("ann", "home")
    assert sorted(keys(found)) == [("ann", "food"), ("ann", "home"), ("bob", "food")]
    assert found[0].score > found[1].score
    assert keys(filled.search(BOB, query="lives in Rome")) == [("bob", "food")]
    assert filled.search(("other",), query="Rome") == []


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"stars": 5}, ["food"]),
        ({"stars": {"$gt": 3}}, ["food"]),
        ({"stars": {"$gte": 3, "$lt": 5}}, ["home"]),
        ({"stars": {"$ne": 5}}, ["home"]),
        ({"at": {"city": "Rome"}}, ["home"]),
        ({"tags": ["a", {"b": None}]}, ["food"]),
        ({"stars": {"$lte": 5}, "text": {"$eq": "none"}}, []),
    ],
)
def test_search_filters_values(filled, wanted, found):
    assert [item.key for item in filled.search(ANN, filter=wanted)] == found


def test_search_has_pages(filled):
    filled.put(ANN, "work", {"text": "Ann works at Acme"})
    assert keys(filled.search(ANN, limit=2)) == [("ann", "food"), ("ann", "home")]
    assert keys(filled.search(ANN, limit=2, offset=2)) == [("ann", "work")]
    best = keys(filled.search(ANN, query="Ann works at Acme", limit=1))
    assert best == [("ann", "work")]
    assert keys(filled.search(ANN, query="Ann works at Acme", limit=1, offset=1)) != best


def test_what_is_not_indexed_comes_last_and_without_a_score(store):
    store.put(ANN, "secret", {"text": "Rome"}, index=False)
    store.put(ANN, "named", {"text": "nothing", "title": "Rome"}, index=["title"])
    store.put(ANN, "other", {"text": "a word or two"})
    found = store.search(ANN, query="Rome")
    assert [item.key for item in found] == ["named", "other", "secret"]
    assert found[-1].score is None
    assert store.get(ANN, "secret").value == {"text": "Rome"}


def test_namespaces_are_listed(filled):
    filled.put(("notes", "ann", "old"), "k", {"text": "x"})
    assert filled.list_namespaces() == [ANN, BOB, ("notes", "ann", "old")]
    assert filled.list_namespaces(prefix=("memories",)) == [ANN, BOB]
    assert filled.list_namespaces(suffix=("old",)) == [("notes", "ann", "old")]
    assert filled.list_namespaces(prefix=("*", "ann")) == [ANN, ("notes", "ann", "old")]
    assert filled.list_namespaces(max_depth=1) == [("memories",), ("notes",)]
    assert filled.list_namespaces(limit=1, offset=1) == [BOB]
    assert filled.list_namespaces(suffix=("a", "b", "c", "d")) == []


def test_a_batch_reads_first_and_of_several_writes_keeps_the_last(filled):
    before, nothing, found, none = filled.batch(
        [
            GetOp(ANN, "food"),
            PutOp(ANN, "food", {"text": "second"}),
            SearchOp(ANN, limit=1),
            PutOp(ANN, "food", {"text": "third"}),
        ]
    )
    assert before.value["stars"] == 5
    assert (nothing, none) == (None, None)
    assert found[0].value["stars"] == 5
    assert filled.get(ANN, "food").value == {"text": "third"}


@pytest.mark.anyio
async def test_the_same_can_be_awaited(filled):
    await filled.aput(ANN, "tea", {"text": "Ann likes tea"})
    assert (await filled.aget(ANN, "tea")).value == {"text": "Ann likes tea"}
    assert keys(await filled.asearch(ANN, query="Ann likes tea", limit=1)) == [("ann", "tea")]
    await filled.adelete(ANN, "tea")
    assert await filled.aget(ANN, "tea") is None
    assert await filled.alist_namespaces() == [ANN, BOB]


def test_a_time_to_live_and_a_wrong_namespace_are_refused(store):
    with pytest.raises(NotImplementedError):
        store.put(ANN, "food", {"text": "x"}, ttl=5)
    with pytest.raises(ValueError):
        store.put(("a.b",), "food", {"text": "x"})


def test_an_agent_of_langgraph_reads_and_writes_it(store):
    def remember(state: MessagesState, *, store: BaseStore):
        store.put(ANN, "said", {"text": state["messages"][-1].content})
        found = store.search(ANN, query="noodles")
        return {"messages": [("ai", found[0].value["text"])]}

    builder = StateGraph(MessagesState)
    builder.add_node("remember", remember)
    builder.add_edge(START, "remember")
    builder.add_edge("remember", END)
    answer = builder.compile(store=store).invoke({"messages": [("user", "Ann likes noodles")]})
    assert answer["messages"][-1].content == "Ann likes noodles"


# -- what only ours does -------------------------------------------------------------------------


async def test_items_tell_the_graph_facts_and_replaced_ones_take_them_back(graph):
    store = GraphStore(graph)
    await store.aput(ANN, "job", {"text": "Ann works_at Acme."})
    group = graph.group("memories.ann")
    assert [fact.object for fact in await group.facts("Ann")] == ["Acme"]
    await store.aput(ANN, "job", {"text": "Ann works_at Beta."})
    assert [fact.object for fact in await group.facts("Ann")] == ["Beta"]
    assert await graph.facts() == []


async def test_a_store_of_a_moment_has_what_there_was_and_is_only_read(graph):
    store = GraphStore(graph)
    await store.aput(ANN, "job", {"text": "Ann works_at Acme."})
    between = (await store.aget(ANN, "job")).updated_at
    await store.aput(ANN, "job", {"text": "Ann works_at Beta."})
    await store.aput(BOB, "job", {"text": "Bob works_at Beta."})
    group = await graph.group("memories.ann").log.events()
    then = GraphStore(graph, known_at=group[0].at)
    assert between <= group[0].at
    assert (await then.aget(ANN, "job")).value == {"text": "Ann works_at Acme."}
    [item] = await then.asearch(("memories",), query="Beta")
    assert item.value == {"text": "Ann works_at Acme."}
    assert await then.alist_namespaces() == [ANN]
    with pytest.raises(InputError, match="only read"):
        await then.aput(ANN, "job", {"text": "no"})
    assert await GraphStore(graph, valid_at="2001").asearch(("memories",)) == []


async def test_namespaces_stand_below_the_group_of_the_graph(graph):
    await GraphStore(graph.group("app")).aput(ANN, "k", {"n": 1})
    await GraphStore(graph).aput(BOB, "k", {"n": 2})
    await graph.group("letters").add_episode("A letter is no item.")
    assert await GraphStore(graph.group("app")).alist_namespaces() == [ANN]
    assert await GraphStore(graph).alist_namespaces() == [("app", *ANN), BOB]


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", float("nan")])
async def test_a_value_that_is_none_of_json_is_refused_with_its_key(value):
    async with open_graph() as graph:
        with pytest.raises(InputError, match="the value of 'food'"):
            await GraphStore(graph).aput(ANN, "food", {"text": "noodles", "at": value})
        assert await graph.group("memories.ann").episodes() == []
