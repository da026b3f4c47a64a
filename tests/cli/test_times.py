"""``timeline``, ``changes`` and ``search --where``."""

import json


def facts_of(done):
    return [(one["fact"]["object"], one["status"]) for one in json.loads(done.out)["facts"]]


def test_timeline_shows_each_fact_with_what_ended_it(told):
    done = told("timeline", "Alice")
    assert (done.code, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[:2] == [
        "Alice (person)",
        "2020-01-01 to 2023-06-01 Alice works at Acme ended "
        "ended by: Alice works_at Globex from 2023-06-01.",
    ]
    assert facts_of(told("timeline", "Alice", "--at", "2021-01-01", "--json"))[0] == (
        "Acme",
        "holds",
    )


def test_timeline_of_nobody_says_so(told):
    done = told("timeline", "Nobody")
    assert done.code == 2
    assert "'Nobody'" in done.err


def test_changes_tell_what_was_learned_and_what_happened(told):
    done = told("changes", "--since", "2020-01-01")
    assert done.code == 0
    assert "learned" in done.out and "works at Globex" in done.out
    assert told("changes", "--since", "2100-01-01", "--until", "2100-01-02").out == (
        "nothing changed\n"
    )
    world = told("changes", "--since", "2023", "--until", "2024", "--axis", "world", "--json")
    assert [(one["kind"], one["fact"]["object"]) for one in json.loads(world.out)["facts"]] == [
        ("ended", "Acme"),
        ("began", "Globex"),
        ("began", "Alice"),
    ]


def test_changes_without_a_moment_are_refused(told):
    assert told("changes").code == 2
    done = told("changes", "--since", "soonish")
    assert done.code == 2
    assert "--since 'soonish'" in done.err


def test_search_takes_a_filter(told):
    def objects(where):
        done = told("search", "Alice", "--history", "--scope", "facts", "--where", where, "--json")
        return {hit["fact"]["object"] for hit in json.loads(done.out)["facts"]}

    assert objects("relation == works_at") == {"Acme", "Globex"}
    assert objects("relation == works_at and valid_at < 2022") == {"Acme"}
    done = told("search", "Alice", "--where", "relaton == works_at")
    assert done.code == 2
    assert "no field 'relaton'" in done.err
