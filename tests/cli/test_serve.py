"""``serve`` as a command: its tokens, and what it refuses; what it serves is in tests/serve."""

import os
import subprocess
import sys

import pytest

from graphrag.settings import Settings

SECRET = "0123456789abcdef-secret"
FINE = f'[laptop]\ntoken = "{SECRET}"\ngroups = ["work"]\nwrites = false\n'


@pytest.fixture
def tokens(tmp_path):
    def write(text, mode=0o600):
        file = tmp_path / "tokens.toml"
        file.write_text(text)
        os.chmod(file, mode)
        return file

    return write


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[laptop", "is no TOML"),
        (f"laptop = '{SECRET}'", "takes token, groups and writes"),
        (f"[a]\ntoken = '{SECRET}'\ngroup = 'work'", "takes token, groups and writes"),
        (f"[a]\ntoken = '{SECRET}'", "needs its groups"),
        (f"[a]\ntoken = '{SECRET}'\ngroups = []", "needs its groups"),
        ("[a]\ntoken = 5\ngroups = ['work']", "needs a token in quotes"),
        ("[a]\ntoken = 'abc'\ngroups = ['work']", "is no secret"),
    ],
)
def test_a_file_of_tokens_that_cannot_be_used_is_refused_without_its_secrets(
    cli, tokens, text, said
):
    outcome = cli("serve", "--tokens", tokens(text))
    assert outcome.code == 2
    assert said in outcome.error
    assert SECRET not in outcome.error


@pytest.mark.skipif(sys.platform == "win32", reason="modes are those of POSIX")
def test_a_file_of_tokens_that_others_may_read_is_refused(cli, tokens):
    outcome = cli("serve", "--tokens", tokens(FINE, 0o644))
    assert (outcome.code, "chmod 600" in outcome.error) == (2, True)
    assert "cannot read" in cli("serve", "--tokens", "nowhere.toml").error


def test_beyond_this_machine_it_does_not_start_without_a_token(cli, tokens):
    outcome = cli("serve", "--host", "0.0.0.0", "--port", "0")
    assert outcome.code == 2
    assert "give tokens, or listen on 127.0.0.1" in outcome.error


def test_a_token_of_the_environment_is_for_the_group_and_is_never_shown(cli, tokens):
    settings = Settings.from_env({"SURREAL_GRAPHRAG_TOKEN": SECRET})
    assert settings.token == SECRET
    assert SECRET not in repr(settings)

    from graphrag.cli.config import read_tokens

    other = FINE.replace(SECRET, f"{SECRET}-2")
    known = read_tokens(tokens(other), settings, "home")
    assert repr(known) == "Tokens(laptop, environment)"
    assert known.grant(f"Bearer {SECRET}-2".encode()).groups == ("work",)
    assert known.grant(f"Bearer {SECRET}".encode()).groups == ("home",)
    only = read_tokens(None, settings, "home")
    assert only.grant(f"Bearer {SECRET}".encode()).groups == ("home",)
    every = read_tokens(tokens(FINE.replace("work", "*")), Settings(), "home")
    assert every.grant(f"Bearer {SECRET}".encode()).groups == ()


def test_without_its_extra_it_says_what_to_install():
    script = (
        "import sys; sys.modules['mcp'] = None; sys.argv = ['surreal-graphrag', 'serve']\n"
        "from graphrag.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "pip install 'surreal-graphrag[serve]'" in done.stderr
