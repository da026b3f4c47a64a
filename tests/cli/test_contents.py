"""``list``: the entities and episodes of a group, page by page."""

import json


def read(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def names(done):
    return [item["name"] for item in read(done)]


def test_entities_are_listed_best_connected_first_in_pages(told):
    every = names(told("list", "entities", "--json"))
    assert every[0] == "Alice" and set(every) == {"Alice", "Bob", "Acme", "Globex"}
    pages = [told("list", "entities", "--limit", 3, "--offset", n, "--json") for n in (0, 3)]
    assert [name for page in pages for name in names(page)] == every
    text = told("list", "entities", "--limit", 3).out
    assert text.startswith("Entities\n") and "--offset 3 goes on" in text
    assert read(told("show", "Alice", "--json"))["entity"]["id"] in text
    assert "--offset" not in told("list", "entities").out
    assert "no more entities" in told("list", "entities", "--offset", 9).out


def test_entities_of_a_type_and_of_a_moment(told):
    assert set(names(told("list", "entities", "--type", "person", "--json"))) == {"Alice", "Bob"}
    done = told("list", "entities", "--type", "ship")
    assert done.code == 0
    assert "no entity is of type 'ship'; types there are: " in done.out and "person" in done.out
    assert names(told("list", "entities", "--known-at", "1990", "--json")) == []


def test_episodes_are_listed_latest_first_in_pages(told):
    assert names(told("list", "episodes", "--json")) == ["new.txt", "old.txt"]
    text = told("list", "episodes", "--limit", 1).out
    assert "2023-07-01" in text and "Alice works_at Globex" in text and "--offset 1" in text
    assert names(told("list", "episodes", "--limit", 1, "--offset", 1, "--json")) == ["old.txt"]
    assert names(told("list", "episodes", "--at", "2021", "--json")) == ["old.txt"]
    assert "no episodes" in told("list", "episodes", "--at", "1990").out


def test_lists_refuse_what_is_not_there(told):
    assert "'nope'" in told("list", "episodes", "--group", "nope").error
    assert told("list", "entities", "--limit", 0).code == 2
    assert told("list", "people").code == 2
