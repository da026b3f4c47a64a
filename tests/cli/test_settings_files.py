"""Settings: argument before environment before project file before user file; doctor shows them."""

import json
import os
import shlex
import socket

import pytest
import typer

from graphrag.cli.app import COMMANDS, create_app
from graphrag.cli.config import address_of, configured, noted
from graphrag.errors import InputError


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Return a folder of a user with a file of settings to be written."""
    place = tmp_path / "home" / "surreal-graphrag"
    place.mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return place / "config.toml"


def looks(done):
    return {one["what"]: one for one in json.loads(done.out)}


def test_each_place_gives_way_to_the_one_before_it(tmp_path, home, monkeypatch):
    home.write_text('group = "of user"\nembedder = "mine"\nwait = 3\n')
    monkeypatch.chdir(tmp_path)
    assert configured({}).settings.group == "of user"
    (tmp_path / "surreal-graphrag.toml").write_text('group = "of project"\n')
    below = tmp_path / "notes" / "2024"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    found = configured({})
    assert (found.settings.group, found.settings.embedder, found.wait) == ("of project", "mine", 3)
    monkeypatch.setenv("SURREAL_GRAPHRAG_GROUP", "of environment")
    assert configured({}).settings.group == "of environment"
    found = configured({"group": "of argument", "wait": None})
    assert found.settings.group == "of argument"
    assert found.origins == {
        "group": "the command line",
        "embedder": str(home),
        "wait": str(home),
    }


def test_the_store_of_a_project_counts_from_its_file(tmp_path, home, monkeypatch):
    (tmp_path / "surreal-graphrag.toml").write_text('store = "surrealkv://./kept?sync=1s"\n')
    below = tmp_path / "below"
    below.mkdir()
    monkeypatch.chdir(below)
    store = configured({}).settings.store
    assert store == f"surrealkv://{tmp_path}/kept?sync=1s"


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('store = "ws://elsewhere:8000"', "is a folder"),
        ('llm_base_url = "http://elsewhere"', "cannot be set here"),
        ('password = "x"', "cannot be set here"),
        ("group = 3", "text in quotes"),
        ("wait = -1", "number of seconds"),
        ("group = ", "no TOML"),
        ("group = [}", "no TOML at line 1, column 10"),
    ],
)
def test_a_project_cannot_send_secrets_elsewhere_and_a_wrong_file_is_named(
    tmp_path, home, monkeypatch, line, says
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "surreal-graphrag.toml").write_text(line)
    with pytest.raises(InputError, match=says):
        configured({})


def test_a_secret_that_others_may_read_is_refused(tmp_path, home, monkeypatch):
    monkeypatch.chdir(tmp_path)
    home.write_text('password = "x"')
    home.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        configured({})
    home.chmod(0o600)
    assert configured({}).settings.password == "x"


def test_a_project_is_made_and_commands_use_it(cli, tmp_path, home):
    assert cli("init", "--group", 'di"ary').code == 0
    assert "is there already" in cli("init").error
    (tmp_path / "note.txt").write_text("Ann likes tea.")
    assert cli("add", "note.txt").code == 0
    assert json.loads(cli("stats", "--json").out)["group"] == 'di"ary'
    assert "tea" in cli("search", "what does Ann like?").out
    (tmp_path / "surreal-graphrag.toml").write_text("store = 3")
    done = cli("stats")
    assert (done.code, "text in quotes" in done.error) == (2, True)


def test_doctor_tells_what_is_set_by_whom_and_what_to_do(cli, home, monkeypatch):
    found = looks(cli("doctor", "--json"))
    assert found["store"]["state"] == "missing" and "init" in found["store"]["do"]
    assert "surreal-graphrag add FILE makes it" in found["store"]["do"]
    assert "The store is created by the first command" in cli("init", "--help").out
    assert found["language model"]["state"] == "missing"
    home.write_text('group = "mine"\nllm_api_key = "secret-of-mine"')
    home.chmod(0o600)
    done = cli("doctor", "--json")
    assert "secret-of-mine" not in done.out
    assert looks(done)["setting group"]["says"] == f"mine ({home})"
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    monkeypatch.setenv("SURREAL_GRAPHRAG_LLM", "some-model")
    monkeypatch.setenv("OPENAI_BASE_URL", f"http://127.0.0.1:{port}/v1")
    done = cli("doctor", "--json")
    assert (done.code, looks(done)["language model"]["state"]) == (1, "wrong")


def test_doctor_opens_the_store(told, home):
    done = told("doctor", "--json")
    assert done.code == 0
    assert "2 episodes" in looks(done)["store"]["says"]


def test_a_served_store_says_where_it_is_served(tmp_path):
    with noted(tmp_path, "http://127.0.0.1:8000"):
        assert address_of(tmp_path) == "http://127.0.0.1:8000"
        assert (tmp_path / "served.json").stat().st_mode & 0o077 == 0
    assert address_of(tmp_path) is None
    gone = os.spawnlp(os.P_NOWAIT, "true", "true")
    os.waitpid(gone, 0)
    (tmp_path / "served.json").write_text(json.dumps({"url": "http://x", "process": gone}))
    assert address_of(tmp_path) is None


def test_a_context_is_printed_alone(told):
    done = told("context", "where does Alice work?", "--max-tokens", "200")
    assert done.code == 0 and done.err == ""
    assert "Globex" in done.out
    assert json.loads(told("context", "Alice", "--json").out)


def test_every_command_has_an_example(cli):
    app = typer.main.get_command(create_app())
    commands = {}
    for name, command in app.commands.items():
        inner = getattr(command, "commands", None) or {"": command}
        commands |= {f"{name} {one}".strip(): below for one, below in inner.items()}
    assert commands.keys() == COMMANDS.keys()
    for name, command in commands.items():
        words = f"{name} {COMMANDS[name][1]}".rstrip()
        options = {form for option in command.params for form in option.opts}
        assert words.startswith(name)
        assert {word for word in shlex.split(words) if word.startswith("--")} <= options, words
    assert "surreal-graphrag index embed --model" in cli("index", "embed", "--help").out
