"""``surreal-graphrag add`` with a model named in the environment."""

import json
from io import StringIO

import pytest
from rich.console import Console

from graphrag import NewEpisode
from graphrag.cli.app import create_app, open_default, run
from graphrag.cli.terminal import Bar
from graphrag.graph import GraphRAG
from graphrag.settings import Settings
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph
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


def test_a_dry_run_estimates_calls_tokens_and_cost_and_asks_nothing(server, command, tmp_path):
    code, shown = command("add", "--dry-run", "--price", "10", "40", "--json")
    expected = json.loads(shown.out)
    assert code == 0
    assert (expected["episodes"], expected["calls"], expected["calls_at_most"]) == (1, 1, 2)
    asked = expected["tokens"] - expected["answered"]
    assert expected["cost"][0] == pytest.approx((10 * asked + 40 * expected["answered"]) / 1e6)
    assert expected["cost"][0] < expected["cost"][1]
    code, shown = command("add", "--dry-run")
    assert code == 0 and "1 to 2" in shown.out and "cost" not in shown.out
    assert not server.requests and not (tmp_path / "store").exists()


def test_a_dry_run_names_what_it_cannot_use(command, tmp_path, monkeypatch):
    empty = tmp_path / "empty.txt"
    empty.touch()
    code, shown = command("add", str(empty), "--dry-run")
    assert code == 1 and "empty.txt" in shown.err and "1 to 2" in shown.out
    assert "--price is for" in command("add", "--price", "1", "2")[1].err
    monkeypatch.delenv("SURREAL_GRAPHRAG_LLM")
    assert "the settings name no model" in command("add", "--dry-run")[1].err


async def test_progress_on_a_terminal_has_the_tokens_of_the_model(server, connect):
    server.answer = lambda request: answer()
    shown = Console(file=StringIO(), force_terminal=True, width=120)
    llm = connect()
    async with open_graph(extractor=None, llm=llm) as graph:
        with Bar(shown, "waiting for tiny", 2) as bar:
            texts = [NewEpisode(f"Jule wohnt in Kiel. {number}") for number in range(2)]
            await graph.add_episodes(texts, on_progress=bar.episode)
        [task] = bar._drawn.tasks
        assert task.fields["note"].endswith(f" left, {llm.usage.tokens:,} tokens")


def test_the_model_of_the_environment_translates_a_question(server, command):
    read = {"subject": "Jule", "relation": ["lives_in"], "object": "?"}
    server.replies = [answer(FACT), Reply(json.dumps(read))]
    command("add")
    code, shown = command("ask", "Wo wohnt Jule?", "--json")
    assert (code, json.loads(shown.out)["values"]) == (0, ["Kiel"])
    assert "Jule: → lives_in 1" in server.requests[1]["messages"][-1]["content"]


def test_without_a_model_the_rules_extract():
    assert isinstance(open_default(Settings(store="mem://")), GraphRAG)
