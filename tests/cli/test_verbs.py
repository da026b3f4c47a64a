"""The verbs of the graph as commands: facts, neighbors, path, identity, contradictions, orphans."""

import json
from typing import get_args

from graphrag.analysis import contradictions
from graphrag.cli.command import Outcome, ScopeChoice
from graphrag.search.recipe import SCOPES


def test_choices_of_options_are_those_of_the_library():
    assert [*Outcome] == [*get_args(contradictions.Outcome)]
    assert [*ScopeChoice] == [*SCOPES]


def shown(done):
    assert (done.code, done.err) == (0, "")
    return [" ".join(line.split()) for line in done.out.splitlines()]


def read(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_facts_about_an_entity_of_a_relation_or_both(told):
    assert "Alice works at Globex since 2023-06-01" in shown(told("facts", "Alice"))
    works = read(told("facts", "--relation", "employs", "--history", "--json"))
    assert [(one["subject"], one["object"]) for one in works] == [
        ("Alice", "Acme"),
        ("Alice", "Globex"),
    ]
    assert works[0]["sources"][0]["text"] == "Alice works_at Acme from 2020-01-01."
    page = told("facts", "--relation", "works_at", "--history", "--offset", 1, "--json")
    assert [one["object"] for one in read(page)] == ["Globex"]
    both = told("facts", "Alice", "--relation", "works_at", "--at", "2021", "--json")
    assert [one["object"] for one in read(both)] == ["Acme"]

    # What is misspelt, or nobody.
    [line] = shown(told("facts", "--relation", "work_at"))
    assert line.endswith("did you mean works_at?")
    done = told("facts")
    assert (done.code, done.error) == (2, "name an entity, or give --relation, or both")
    assert "'Nobody'" in told("facts", "Nobody").error


def test_how_entities_are_linked_and_who_they_are(told):
    lines = shown(told("neighbors", "Alice"))
    assert lines[0] == "Near Alice"
    assert "1 Globex organization" in lines
    near = read(told("neighbors", "Globex", "--depth", 2, "--type", "person", "--json"))
    assert [(one["entity"]["name"], one["distance"]) for one in near] == [("Alice", 1), ("Bob", 2)]
    assert "Acme" in told("neighbors", "Alice", "--at", "2021", "--relation", "works_at").out

    # A path, or an exit code that says that there is none.
    assert shown(told("path", "Bob", "Globex"))[0] == "Bob -knows-> Alice -works_at-> Globex"
    [way] = read(told("path", "Bob", "Globex", "--json"))
    assert len(way["facts"]) == 2
    done = told("path", "Bob", "Acme")
    assert done.code == 1 and "no way of at most 4 facts" in done.out

    # Who somebody is.
    lines = shown(told("identity", "Alice"))
    assert lines[0] == "Alice (person)" and "before:" in lines
    assert read(told("identity", "Alice", "--json"))["text"].startswith("Alice (person)")


def test_contradictions_name_both_sides_and_why(told):
    lines = shown(told("contradictions"))
    assert lines == [
        "ended Alice works at Acme (2020-01-01 to 2023-06-01), confidence 1.00",
        "“Alice works_at Acme from 2020-01-01.” (old.txt, 2020-02-01)",
        "by Alice works at Globex (since 2023-06-01), confidence 1.00",
        "“Alice works_at Globex from 2023-06-01.” (new.txt, 2023-07-01)",
        "why works_at holds one value at a time",
    ]
    found = read(told("contradictions", "--json"))
    [one] = found["contradictions"]
    assert (one["outcome"], one["rule"], one["open"]) == ("ended", "single_valued", False)
    assert one["other"]["sources"][0]["name"] == "new.txt"
    assert shown(told("contradictions", "--outcome", "open")) == ["no contradictions"]
    assert shown(told("contradictions", "--until", "2000")) == ["no contradictions"]
    assert shown(told("contradictions", "--axis", "world", "--until", "2022")) == [
        "no contradictions"
    ]


def test_orphans_are_listed_and_cleaned_up_only_when_told_to(told, tmp_path):
    (tmp_path / "rain.txt").write_text("It rained.")
    assert told("add", "rain.txt", "--reference-time", "2023").code == 0
    assert "- 2023-01-01, rain.txt: 'It rained.'" in shown(told("orphans"))
    assert len(read(told("orphans", "--json"))["episodes"]) == 1
    assert shown(told("cleanup")) == ["nothing to clean up"]
    planned = shown(told("cleanup", "--episodes"))
    assert planned[0].startswith("would remove 2023-01-01, rain.txt: 'It rained.': ")
    assert planned[-1] == "nothing is written without --apply"
    done = read(told("cleanup", "--episodes", "--apply", "--reason", "dull", "--json"))
    assert (done["dry_run"], done["events"][0]["note"]) == (False, "dull")
    assert shown(told("orphans")) == ["no orphans"]


def test_stats_count_by_relation_type_and_time(told):
    lines = shown(told("stats", "--growth", "year"))
    assert {"works_at 2", "knows 1", "organization 2", "Added, by year"} <= {*lines}
    counts = read(told("stats", "--growth", "day", "--json"))
    assert counts["relations"] == {"works_at": 2, "knows": 1}
    assert sum(one["facts"] for one in counts["growth"]) == 3


def test_each_refuses_a_group_that_is_not_there(told):
    for command in (("facts", "Alice"), ("path", "Alice", "Bob"), ("cleanup",)):
        done = told(*command, "--group", "gone")
        assert done.code == 2 and "'gone'" in done.error
