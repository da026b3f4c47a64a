"""LangChain's own conformance tests of vector stores, and what the store adds to them."""

import pytest

pytest.importorskip("langchain_tests", reason="langchain-tests is not installed: extra dev")

from langchain_core.documents import Document
from langchain_tests.integration_tests import VectorStoreIntegrationTests

from graphrag import Field
from graphrag.errors import EpisodeError, InputError
from graphrag.integrations.langchain import GraphVectorStore
from graphrag.sync import GraphRAG as BlockingGraphRAG
from tests.conftest import open_graph


class TestConformance(VectorStoreIntegrationTests):
    @pytest.fixture
    def vectorstore(self):
        with open_graph(kind=BlockingGraphRAG) as graph:
            yield GraphVectorStore(graph)


TEA = Document("Ann likes green tea.", id="tea", metadata={"lang": "en", "day": "2020-03-01"})
RENT = Document("Bob pays 900 of rent.", id="rent", metadata={"lang": "en", "day": "2021-03-01"})
TEE = Document("Ann mag grünen Tee.", id="tee", metadata={"lang": "de", "day": "2022-03-01"})


def ids(documents):
    return [document.id for document in documents]


@pytest.fixture
async def store(graph):
    store = GraphVectorStore(graph, time_field="day")
    await store.aadd_documents([TEA, RENT, TEE])
    return store


async def test_metadata_and_filters_of_the_graph_choose_documents(store):
    assert ids(await store.asimilarity_search("Ann tea", filter={"lang": "de"})) == ["tee"]
    where = (Field.metadata["lang"] == "en") & (Field.reference_time < "2021")
    assert ids(await store.asimilarity_search("rent", filter=where)) == ["tea"]
    assert await store.asimilarity_search("rent", filter={"lang": "fr"}) == []
    with pytest.raises(TypeError, match="fliter"):
        await store.asimilarity_search("rent", fliter={"lang": "en"})


async def test_scores_are_relevances_and_a_retriever_takes_a_threshold(store):
    scored = await store.asimilarity_search_with_relevance_scores("Ann likes green tea", k=3)
    assert scored[0][0] == TEA and 1 >= scored[0][1] > scored[1][1] >= scored[2][1] >= 0
    threshold = {"score_threshold": scored[0][1], "filter": {"lang": "en"}}
    kind = "similarity_score_threshold"
    retriever = store.as_retriever(search_type=kind, search_kwargs=threshold)
    assert await retriever.ainvoke("Ann likes green tea") == [TEA]


async def test_diverse_documents_come_before_the_same_again(store):
    await store.aadd_documents([Document("Ann likes green tea!", id="again")])
    near = await store.asimilarity_search("Ann likes green tea", k=2)
    diverse = await store.amax_marginal_relevance_search("Ann likes green tea", 2, lambda_mult=0.1)
    assert {"tea", "again"} == set(ids(near)) and {"tea", "again"} != set(ids(diverse))


async def test_a_replaced_document_is_there_as_of_before(graph, store):
    before = (await graph.log.events())[-1].at
    new = Document("Ann likes coffee.", id="tea", metadata=TEA.metadata)
    await store.aadd_documents([new, RENT])
    assert len(await graph.log.events(after=0)) == 5  # three, a removal, an addition
    then = GraphVectorStore(graph, known_at=before)
    assert await then.aget_by_ids(["tea"]) == [TEA]
    assert await store.aget_by_ids(["tea"]) == [new]
    assert TEA in await store.asimilarity_search("Ann likes tea", known_at=before)
    assert ids(await store.asimilarity_search("Ann", valid_at="2020-06-01")) == ["tea"]
    assert [fact.object for fact in await graph.facts("Ann")] == ["coffee"]
    await store.adelete(["tea"])
    assert await then.aget_by_ids(["tea"]) == [TEA] and await store.aget_by_ids(["tea"]) == []
    with pytest.raises(InputError, match="past"):
        await then.adelete(["tea"])


async def test_what_cannot_replace_a_document_leaves_it(store):
    with pytest.raises(EpisodeError, match="empty"):
        await store.aadd_texts([" "], ids=["tea"])
    assert await store.aget_by_ids(["tea"]) == [TEA]
    with pytest.raises(InputError, match="1 texts, 1 metadatas, 2 ids"):
        await store.aadd_texts(["one"], ids=["a", "b"])


async def test_episodes_of_the_graph_are_documents_too(graph, store):
    added = await graph.add_episode("Cleo likes chess.")
    [document] = await store.asimilarity_search("Cleo chess", k=1)
    assert document == Document("Cleo likes chess.", id=added.episode.id)
    assert await store.aget_by_ids([added.episode.id]) == [document]
    await store.aadd_documents([Document("Cleo likes go.", id=document.id)])
    assert [fact.object for fact in await graph.facts("Cleo")] == ["go"]
    [replaced] = await store.aget_by_ids([document.id])
    assert replaced.page_content == "Cleo likes go."
    before = (await graph.log.events())[-3].at
    assert await GraphVectorStore(graph, known_at=before).aget_by_ids([document.id]) == [document]
    await store.aadd_documents([Document("Cleo likes golf.", id=document.id)])
    assert [fact.object for fact in await graph.facts("Cleo")] == ["golf"]
    await store.adelete()
    assert await graph.episodes() == [] and await store.asimilarity_search("Ann") == []


async def test_a_store_is_made_from_documents_both_ways(graph):
    store = await GraphVectorStore.afrom_documents([TEA], None, graph=graph, wait=False)
    assert await store.aget_by_ids(["tea"]) == [TEA]
    await graph.queue.drain()
    assert [fact.object for fact in await graph.facts("Ann")] == ["green tea"]
    with pytest.raises(InputError, match="the graph embeds"):
        await GraphVectorStore.afrom_texts(["a"], object(), graph=graph)


def test_a_store_is_made_from_texts_with_the_blocking_graph():
    with open_graph(kind=BlockingGraphRAG) as graph:
        store = GraphVectorStore.from_texts(["foo"], None, [{"n": 1}], ids=["1"], graph=graph)
        assert store.similarity_search("foo") == [Document("foo", id="1", metadata={"n": 1})]
