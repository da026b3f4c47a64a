"""``show`` and ``stats``."""

import json

import pytest


def test_entity_with_its_facts_by_direction(told):
    done = told("show", "Alice")
    assert done.code == 0
    assert done.out.startswith("Alice\nperson, id ")
    out, into = done.out.index("Facts of Alice"), done.out.index("Facts that point to Alice")
    assert out < done.out.index("Alice works at Globex") < into < done.out.rindex("Bob knows Alice")
    assert "(new.txt, 2023-07-01)" in done.out
    assert "Alice works at Acme" not in done.out


def test_past_and_history_of_an_entity(told):
    assert "Alice works at Acme" in told("show", "Alice", "--at", "2021").out
    both = told("show", "alice", "--history").out
    assert "2020-01-01 to 2023-06-01" in both and "since 2023-06-01" in both
    none = told("show", "Bob", "--at", "2021")
    assert none.code == 0
    assert "no facts hold then" in none.out


def test_entity_as_json(told):
    shown = json.loads(told("show", "Alice", "--json").out)
    assert shown["entity"]["name"] == "Alice"
    assert [fact["object"] for fact in shown["out"]] == ["Globex"]
    [fact] = shown["in"]
    assert (fact["subject"], fact["sources"][0]["text"]) == ("Bob", "Bob knows Alice.")
    assert shown["same_name"] == []
    again = json.loads(told("show", shown["entity"]["id"], "--json").out)
    assert again["entity"] == shown["entity"]


@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_unknown_entity_is_code_1_with_suggestions(told, flags):
    done = told("show", "Alicia", *flags)
    assert done.code == 1
    assert "no entity is called 'Alicia'" in done.error
    assert "did you mean" in done.error and "Alice" in done.error
    assert done.out == ""
    assert "did you mean" not in told("show", "Zebulon", *flags).error


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("show",), "Missing argument"),
        (("show", " "), "empty"),
        (("show", "Alice", "--at", "soonish"), "--at 'soonish'"),
        (("show", "Alice", "--group", "others"), "no group 'others'"),
        (("stats", "--group", "others"), "no group 'others'"),
        (("stats", "--top", "-1"), "--top"),
        (("stats", "more"), "unexpected extra argument"),
        (("nonsense",), "No such command"),
    ],
)
def test_misuse_is_code_2(told, arguments, reason):
    done = told(*arguments)
    assert done.code == 2
    assert reason in done.error


def test_stats(told):
    done = told("stats")
    assert done.code == 0
    counts, _, _ = done.out.partition("\n\n")
    rows = dict(line.rsplit(maxsplit=1) for line in counts.splitlines()[1:] if line.strip())
    assert (rows["episodes"], rows["entities"], rows["facts"]) == ("2", "4", "3")
    assert (rows["  true now"], rows["  ended"]) == ("2", "1")
    assert done.out.index("Most connected") < done.out.rindex("Alice")


def test_stats_as_json(told):
    counts = json.loads(told("stats", "--json", "--top", "1").out)
    assert counts["facts"] == 3
    assert counts["first"].startswith("2020-02-01")
    assert counts["groups"] == ["default"]
    assert [row["name"] for row in counts["most_connected"]] == ["Alice"]
    assert counts["bytes"] > 0


def test_version_and_help(cli):
    assert cli("--version").out.startswith("surreal-graphrag ")
    for arguments in ((), ("--help",), ("-h",)):
        done = cli(*arguments)
        assert done.code == 0
        assert all(name in done.out for name in ("demo", "add", "search", "show", "stats"))
    assert "--known-at" in cli("search", "--help").out
