"""CrewAI's memory stores and recalls in the graph as in its own LanceDB storage."""

import json
from datetime import datetime, timedelta
from pathlib import Path

import pytest

pytest.importorskip(
    "crewai", reason="crewai is not installed: it has an environment of its own, make crewai"
)

from crewai.llms.base_llm import BaseLLM
from crewai.memory.storage.backend import StorageBackend
from crewai.memory.storage.lancedb_storage import LanceDBStorage
from crewai.memory.types import MemoryRecord
from crewai.memory.unified_memory import Memory

from graphrag.errors import InputError
from graphrag.integrations.crewai import GraphStorage
from graphrag.sync import GraphRAG as BlockingGraphRAG
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph

START = datetime(2024, 1, 1)  # noqa: DTZ001 - theirs are naive


def record(id, content, scope="/", categories=(), days=0, **more):
    return MemoryRecord(
        id=id,
        content=content,
        scope=scope,
        categories=list(categories),
        created_at=START + timedelta(days=days),
        **more,
    )


class Lance(LanceDBStorage):
    """CrewAI's own, with an embedder that needs no key."""

    def embed(self, texts):
        import asyncio

        return asyncio.run(HashEmbedder().embed(texts, purpose="document")).tolist()


@pytest.fixture(params=["CrewAI's own", "ours"])
def store(request, tmp_path):
    if request.param == "ours":
        with open_graph(kind=BlockingGraphRAG) as graph:
            yield GraphStorage(graph)
    else:
        yield Lance(path=str(tmp_path), vector_dim=64)


@pytest.fixture
def filled(store):
    records = [
        record("1", "Ann likes noodles", "/ann/food", ["food"], metadata={"stars": 5}),
        record("2", "Ann lives in Rome", "/ann", ["home"], 1, source="chat", private=True),
        record("3", "Bob likes stew", "/bob", ["food"], 2),
    ]
    vectors = store.embed([one.content for one in records])
    for one, vector in zip(records, vectors, strict=True):
        store.save([one.model_copy(update={"embedding": vector})])
    return store


def ids(found):
    return [one.id for one in found]


def search(store, query, **given):
    [vector] = store.embed([query])
    return [one.id for one, _ in store.search(vector, **given)]


def test_records_come_back_as_they_were_saved(filled):
    assert isinstance(filled, StorageBackend)
    one = filled.get_record("2")
    assert (one.content, one.scope, one.categories) == ("Ann lives in Rome", "/ann", ["home"])
    assert (one.source, one.private, one.importance) == ("chat", True, 0.5)
    assert filled.get_record("none") is None
    assert ids(filled.list_records()) == ["3", "2", "1"]
    assert ids(filled.list_records("/ann")) == ["2", "1"]
    assert ids(filled.list_records(limit=1, offset=1)) == ["2"]


def test_search_finds_by_meaning_in_scopes_categories_and_metadata(filled):
    assert search(filled, "Ann lives in Rome")[0] == "2"
    assert search(filled, "Ann lives in Rome", limit=1) == ["2"]
    assert search(filled, "likes stew", scope_prefix="/ann", limit=1) == ["1"]
    assert search(filled, "likes stew", categories=["home"]) in (["2"], [])
    assert search(filled, "likes noodles", metadata_filter={"stars": 5}) == ["1"]


def test_a_record_is_replaced(filled):
    one = filled.get_record("1")
    [vector] = filled.embed(["Ann likes soup"])
    filled.update(one.model_copy(update={"content": "Ann likes soup", "embedding": vector}))
    assert filled.get_record("1").content == "Ann likes soup"
    assert filled.count() == 3


def test_scopes_and_categories_are_told(filled):
    assert filled.list_scopes() == ["/ann", "/bob"]
    assert filled.list_scopes("/ann") == ["/ann/food"]
    info = filled.get_scope_info("/ann")
    assert (info.record_count, info.categories) == (2, ["food", "home"])
    assert (info.oldest_record, info.newest_record) == (START, START + timedelta(days=1))
    assert info.child_scopes == ["/ann/food"]
    assert filled.list_categories() == {"food": 2, "home": 1}
    assert (filled.count("/bob"), filled.count()) == (1, 3)


def test_records_are_deleted(filled):
    assert filled.delete(record_ids=["1"]) == 1
    assert filled.delete(older_than=START + timedelta(days=1, hours=1)) == 1
    assert ids(filled.list_records()) == ["3"]
    assert filled.delete(categories=["home"]) == 0
    filled.reset()
    assert filled.count() == 0


class NoModel(BaseLLM):
    """A model that nobody should need to ask: every field is given."""

    def call(self, messages, *given, **named):
        return json.dumps({})


def test_crewais_memory_remembers_and_recalls(store):
    memory = Memory(
        llm=NoModel(model="none"), storage=store, embedder=store.embed, consolidation_threshold=1.0
    )
    for text in ("Ann likes noodles", "Bob lives in Rome"):
        memory.remember(text, scope="/all", categories=["note"], importance=0.5, metadata={"n": 1})
    [match, *_] = memory.recall("Who lives in Rome?", depth="shallow", limit=1)
    assert match.record.content == "Bob lives in Rome"
    memory.forget(scope="/all")
    assert memory.recall("Rome", depth="shallow") == []


def test_the_documented_example_runs(capsys):
    page = (Path(__file__).parents[2] / "docs/integrations.md").read_text(encoding="utf-8")
    code = page.partition("## CrewAI")[2].partition("```text\n")[2].partition("```")[0]
    with open_graph(kind=BlockingGraphRAG) as graph:
        exec(code, {"graph": graph, "llm": NoModel(model="none")})
    assert "Ann Lee likes noodles. ['/ann']\n" in capsys.readouterr().out  # CrewAI prints, too


# -- what only ours does -------------------------------------------------------------------------


def test_records_tell_facts_and_the_past_is_read():
    with open_graph(kind=BlockingGraphRAG) as graph:
        store = GraphStorage(graph)
        store.save([record("1", "Ann works_at Acme from 2020.")])
        [fact] = graph.facts("Ann")
        assert (fact.object, fact.valid_at.year) == ("Acme", 2020)
        then = graph.log.events()[-1].at
        store.delete(record_ids=["1"])
        assert graph.facts() == []
        past = GraphStorage(graph, known_at=then)
        assert ids(past.list_records()) == ["1"]
        assert search(past, "Ann") == ["1"]
        with pytest.raises(InputError, match="only read"):
            past.reset()


def test_a_vector_of_another_embedder_is_refused():
    with open_graph(kind=BlockingGraphRAG) as graph:
        with pytest.raises(InputError, match="another embedder"):
            GraphStorage(graph).search([0.0] * 64)
