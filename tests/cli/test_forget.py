"""``forget`` asks before it erases; ``replay`` makes the graph anew."""

import io
import json
import sys

import pytest


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def answering(monkeypatch):
    def answer(text):
        monkeypatch.setattr(sys, "stdin", Terminal(text))

    return answer


def test_it_says_what_goes_and_asks(told, answering):
    answering("n\n")
    done = told("forget", "Bob")
    assert done.code == 1
    assert "this erases 'Bob' of group 'default'" in done.err
    assert "for good: 2 entities, 2 facts, 1 episodes" in done.err
    assert "nothing was erased" in done.err
    assert json.loads(told("stats", "--json").out)["entities"] == 4
    answering("y\n")
    done = told("forget", "Bob")
    assert done.code == 0
    assert "Erased" in done.out
    assert told("show", "Bob").code != 0
    assert told("check").code == 0


def test_nobody_to_ask_is_misuse_and_yes_does_not_ask(told):
    done = told("forget", "Bob", stdin="")
    assert done.code == 2
    assert "give --yes" in done.err
    erased = json.loads(told("forget", "Bob", "--yes", "--keep-episodes", "--json").out)
    assert (erased["records"]["entity"], erased["records"]["relates_to"]) == (1, 1)
    assert "episode" not in erased["records"]
    assert "Bob knows Alice" in told("search", "Bob").out


def test_ctrl_c_at_the_question_erases_nothing(told, answering):
    answering("")
    done = told("forget", "Bob")
    assert done.code == 130
    assert told("show", "Bob").code == 0


def test_a_whole_group(told, tmp_path):
    (tmp_path / "b.txt").write_text("Zoe likes tea.")
    assert told("add", "b.txt", "--group", "theirs").code == 0
    assert told("forget", "--whole-group", "--yes", "--group", "theirs").code == 0
    shown = json.loads(told("stats", "--json").out)
    assert shown["groups"] == ["default"]
    assert shown["episodes"] == 2


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("Alice", "--whole-group"),
        ("Nobody", "--yes"),
        ("--whole-group", "--keep-episodes", "--yes"),
        ("--whole-group", "--yes", "--group", "others"),
    ],
)
def test_unclear_wishes_are_misuse(told, arguments):
    done = told("forget", *arguments)
    assert done.code == 2
    assert done.error
    assert json.loads(told("stats", "--json").out)["episodes"] == 2


def test_replay_makes_the_graph_anew(told):
    done = told("replay", "surrealkv://./again")
    assert done.code == 0 and "Replayed into surrealkv://./again" in done.out
    ours, again = (
        json.loads(told("stats", "--json", "--store", f"surrealkv://./{name}").out)
        for name in ("graph-store", "again")
    )
    assert {**ours, "bytes": 0} == {**again, "bytes": 0}
    assert told("check", "--store", "surrealkv://./again").code == 0
    done = told("replay", "surrealkv://./again")
    assert done.code == 2 and "already" in done.error
    made = json.loads(told("replay", "surrealkv://./old", "--until", "2000", "--json").out)
    assert made["events"] == 0
