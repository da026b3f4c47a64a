"""``surreal-graphrag add`` with a model named in the environment."""

import json

import pytest

from graphrag.cli.app import create_app, open_default, run
from graphrag.graph import GraphRAG
from graphrag.settings import Settings
from graphrag.testing import HashEmbedder
from tests.llm.server import Reply


@pytest.fixture
def command(server, tmp_path, monkeypatch, capsys):
    """Run a command over a store of its own with the model of the environment."""
    monkeypatch.setattr("graphrag.graph.embedder_named", HashEmbedder)
    monkeypatch.setenv("SURREAL_GRAPHRAG_LLM", "tiny")
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-1")
    text = tmp_path / "note.txt"
    text.write_text("Jule wohnt in Kiel.")
    store = f"surrealkv://{tmp_path / 'store'}"

    def call(name, *options):
        files = [str(text)] if name == "add" else []
        code = run([name, *files, "--store", store, *options], app=create_app())
        return code, capsys.readouterr()

    return call


FACT = {"subject": "Jule", "relation": "lives_in", "object": "Kiel", "quote": "Jule wohnt"}
INVENTED = {**FACT, "object": "Mars", "quote": "Jule wohnt auf dem Mars"}


def answer(*facts):
    return Reply(json.dumps({"entities": [], "facts": facts}))


def test_the_model_of_the_environment_extracts(server, command):
    server.replies = [answer(FACT)]
    code, shown = command("add", "--json")
    assert (code, json.loads(shown.out)["facts"]) == (0, 1)
    assert server.keys == ["Bearer sk-1"]


def test_what_is_not_believed_is_counted_and_named_in_the_log(server, command):
    server.replies = [answer(FACT, INVENTED)]
    code, shown = command("add")
    assert code == 0
    assert any(line.split()[-1] == "1" for line in shown.out.splitlines() if "not believed" in line)
    assert "surreal-graphrag log" in shown.err
    code, shown = command("log", "--json")
    assert "Jule lives_in Mars" in shown.out


def test_a_text_that_the_model_refuses_waits_in_the_queue(server, command):
    server.answer = lambda request: Reply(refusal="no")
    code, shown = command("add")
    assert code == 1 and "refused" in shown.err
    code, shown = command("queue", "--json")
    assert json.loads(shown.out)["failed"] == 1
    server.answer = lambda request: answer(FACT)
    code, shown = command("add", "--json")
    assert (code, json.loads(shown.out)["facts"]) == (0, 1)
    assert json.loads(command("queue", "--json")[1].out)["failed"] == 0


def test_the_model_of_the_environment_translates_a_question(server, command):
    read = {"subject": "Jule", "relation": ["lives_in"], "object": "?"}
    server.replies = [answer(FACT), Reply(json.dumps(read))]
    command("add")
    code, shown = command("ask", "Wo wohnt Jule?", "--json")
    assert (code, json.loads(shown.out)["values"]) == (0, ["Kiel"])
    assert "Jule: → lives_in 1" in server.requests[1]["messages"][-1]["content"]


def test_without_a_model_the_rules_extract():
    assert isinstance(open_default(Settings(store="mem://")), GraphRAG)
