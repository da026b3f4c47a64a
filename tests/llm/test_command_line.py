"""``surreal-graphrag add`` with a model named in the environment."""

import json

from graphrag.cli.app import create_app, open_default, run
from graphrag.graph import GraphRAG
from graphrag.settings import Settings
from graphrag.testing import HashEmbedder
from tests.llm.server import Reply


def test_the_model_of_the_environment_extracts(server, tmp_path, monkeypatch, capsys):
    fact = {"subject": "Jule", "relation": "lives_in", "object": "Kiel", "quote": "Jule wohnt"}
    server.replies = [Reply(json.dumps({"entities": [], "facts": [fact]}))]
    monkeypatch.setattr("graphrag.graph.SentenceTransformerEmbedder", HashEmbedder)
    monkeypatch.setenv("SURREAL_GRAPHRAG_LLM", "tiny")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    text = tmp_path / "note.txt"
    text.write_text("Jule wohnt in Kiel.")
    store = f"surrealkv://{tmp_path / 'store'}"
    assert run(["add", str(text), "--store", store, "--json"], app=create_app()) == 0
    assert json.loads(capsys.readouterr().out)["facts"] == 1
    assert server.keys == ["Bearer sk-1"]


def test_without_a_model_the_rules_extract():
    assert isinstance(open_default(Settings(store="mem://")), GraphRAG)
