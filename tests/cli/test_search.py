"""``search``: now, then, as known then; as tables and as JSON."""

import json
import re
from datetime import UTC, datetime

import pytest

QUESTION = "where does Alice work?"


def objects(done):
    return [hit["fact"]["object"] for hit in json.loads(done.out)["facts"]]


def test_entry_has_relevance_fact_validity_and_source(told):
    done = told("search", QUESTION)
    assert done.code == 0
    assert done.err == ""
    lines = done.out.splitlines()
    fact = next(number for number, line in enumerate(lines) if "works at" in line)
    [first, *_] = json.loads(told("search", QUESTION, "--json").out)["facts"]
    assert first["score"] != first["relevance"]
    lead = re.escape(f"{first['relevance']:.2f}")
    assert re.fullmatch(rf"{lead}  Alice works at Globex  +since 2023-06-01", lines[fact])
    assert lines[fact + 1].strip() == (
        "“Alice works_at Globex from 2023-06-01.” (new.txt, 2023-07-01)"
    )
    assert "Entities" in done.out and "Episodes" in done.out
    assert not any(line.endswith(" ") for line in lines)


def test_past_and_history(told):
    assert objects(
        told("search", QUESTION, "--scope", "facts", "--at", "2021-01-01", "--json")
    ) == ["Acme"]
    assert set(objects(told("search", "Alice works_at", "--history", "--json"))) >= {
        "Acme",
        "Globex",
    }
    past = told("search", QUESTION, "--at", "May 2021")
    assert "2020-01-01 to 2023-06-01" in past.out


def test_as_it_was_known(told):
    before = json.loads(told("search", QUESTION, "--known-at", "2020-01-01", "--json").out)
    assert (before["facts"], before["entities"], before["episodes"]) == ([], [], [])
    now = datetime.now(UTC).isoformat()
    assert objects(told("search", QUESTION, "--known-at", now, "--scope", "facts", "--json")) == (
        objects(told("search", QUESTION, "--scope", "facts", "--json"))
    )


def test_json_has_everything(told):
    found = json.loads(told("search", QUESTION, "--json").out)
    assert found["query"] == QUESTION
    assert found["group"] == "default"
    assert found["view"] == {"valid_at": None, "known_at": None, "history": False}
    hit = next(hit for hit in found["facts"] if hit["fact"]["object"] == "Globex")
    assert hit["score"] > 0
    assert {why["method"] for why in hit["why"]} & {"vector", "fulltext", "graph"}
    fact = hit["fact"]
    assert fact["id"] and fact["subject_id"] and fact["object_id"]
    assert fact["valid_at"].startswith("2023-06-01")
    [source] = fact["sources"]
    assert source["text"] == "Alice works_at Globex from 2023-06-01."
    assert source["name"] == "new.txt"
    assert found["entities"][0]["entity"]["name"] == "Alice"
    assert found["episodes"][0]["episode"]["content"]


def test_scopes_and_limit(told):
    found = json.loads(told("search", "Alice", "--scope", "entities", "--limit", "1", "--json").out)
    assert (found["facts"], found["episodes"], len(found["entities"])) == ([], [], 1)
    done = told("search", "Alice", "--scope", "facts", "--scope", "episodes")
    assert "Entities" not in done.out and "Episodes" in done.out


def test_nothing_found_says_so(cli, tmp_path):
    cli("add", "-", stdin="Rain.")
    done = cli("search", "Alice", "--scope", "facts")
    assert done.code == 0
    assert done.out.startswith("nothing found in group 'default'; --history")
    assert json.loads(cli("search", "Alice", "--scope", "facts", "--json").out)["facts"] == []


@pytest.mark.parametrize("flags", [(), ("--json",)])
@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Missing argument"),
        (("",), "empty"),
        ((" \n",), "empty"),
        (("Alice", "--at", "soonish"), "--at 'soonish'"),
        (("Alice", "--known-at", "2024-01-01T10:00"), "--known-at.*time zone"),
        (("Alice", "--scope", "people"), "people"),
        (("Alice", "--limit", "0"), "--limit"),
        (("Alice", "--limit", "many"), "--limit"),
        (("Alice", "--group", "others"), "there is no group 'others': groups"),
        (("Alice", "--group", ""), "group"),
        (("Alice", "--wat"), "No such option"),
        (("Alice", "Bob"), "unexpected extra argument"),
    ],
)
def test_misuse_is_code_2(told, arguments, reason, flags):
    done = told("search", *arguments, *flags)
    assert done.code == 2
    assert re.search(reason, done.error)
    assert done.out == ""


def test_reading_makes_no_store(cli, tmp_path):
    for arguments in (("search", "Alice"), ("show", "Alice"), ("stats",)):
        done = cli(*arguments)
        assert done.code == 1
        assert "there is no store at" in done.error
    assert list(tmp_path.iterdir()) == []


def test_markup_in_the_graph_is_shown_as_it_is(cli):
    cli(
        "add",
        "-",
        "--name",
        "[red]x[/]",
        stdin="Alice works_at Acme. [bold]not bold[/bold] [/oops]",
    )
    done = cli("search", "Alice")
    assert "[bold]not bold[/bold] [/oops]" in done.out
    assert "[red]x[/]" in done.out


def test_a_recipe_by_name_searches_its_scopes(told):
    found = json.loads(told("search", QUESTION, "--recipe", "node_hybrid_search_rrf", "--json").out)
    assert found["entities"] and not found["facts"] and not found["episodes"]
    wrong = told("search", QUESTION, "--recipe", "best")
    assert wrong.code != 0 and "edge_hybrid_search_mmr" in wrong.err


def test_a_search_may_be_limited_to_what_lies_near_something(told):
    near = ("--scope", "facts", "--within", "Bob", "--hops", "1", "--json")
    found = json.loads(told("search", "who works where and knows whom", *near).out)["facts"]
    ends = [{hit["fact"]["subject"], hit["fact"]["object"]} for hit in found]
    assert ends and all("Bob" in pair for pair in ends)
    unknown = told("search", QUESTION, "--within", "Zed")
    assert unknown.code != 0 and "within 'Zed'" in unknown.err
    assert "hops 0: give 1 to 10" in told("search", QUESTION, "--within", "Bob", "--hops", "0").err


def test_closeness_counts_from_a_center(told):
    near = ("--recipe", "near", "--scope", "facts", "--json")
    assert objects(told("search", "who knows", *near, "--center", "Bob"))[0] == "Alice"
    unknown = told("search", QUESTION, "--center", "Zed")
    assert unknown.code != 0 and "center 'Zed'" in unknown.err


def test_every_step_is_explained(told):
    shown = told("search", QUESTION, "--explain")
    assert shown.code == 0
    assert re.search(r"^step +ms +found +note$", shown.out, re.MULTILINE)
    assert re.search(r"^facts: candidates +\d+\.\d\d +\d+$", shown.out, re.MULTILINE)
    steps = json.loads(told("search", QUESTION, "--explain", "--json").out)["steps"]
    assert {"embed", "read"} <= {step["name"] for step in steps}
