"""``groups`` and ``search --group``: what graphs a store has, and several searched as one."""

import json


def test_groups_are_listed_with_sizes(told, tmp_path):
    (tmp_path / "more.txt").write_text("Cid likes tea.")
    assert told("add", "more.txt", "--group", "more").code == 0
    done = told("groups")
    assert [line.split()[:4] for line in done.out.splitlines()[2:]] == [
        ["default", "2", "4", "3"],
        ["more", "1", "2", "1"],
    ]
    [first, second] = json.loads(told("groups", "--json").out)
    assert (first["name"], first["facts"]) == ("default", 3)
    assert second["created_at"] == second["changed_at"]


def test_several_groups_are_searched_as_one(told, tmp_path):
    (tmp_path / "more.txt").write_text("Alice works_at Initech from 2023-06-01.")
    assert told("add", "more.txt", "--group", "more").code == 0
    asked = ("search", "where does Alice work?", "--scope", "facts")
    both = ("--group", "default", "--group", "more")
    found = json.loads(told(*asked, *both, "--json").out)
    assert found["group"] == ["default", "more"]
    assert {hit["fact"]["object"] for hit in found["facts"]} >= {"Globex", "Initech"}
    shown = told(*asked, *both).out.splitlines()
    assert any(line.split()[0] == "more" and "Initech" in line for line in shown)
    assert "Initech" not in told(*asked).out
    assert json.loads(told(*asked, "--group", "more", "--json").out)["group"] == "more"
    assert "'nope'" in told(*asked, *both, "--group", "nope").error
    nothing = told("search", "zzz", "--scope", "episodes", "--at", "1990", *both)
    assert "nothing found in groups 'default', 'more'" in nothing.out


def test_one_group_is_copied_under_another_name_and_elsewhere(told, tmp_path):
    here, there = "surrealkv://./graph-store", f"surrealkv://{tmp_path}/other"
    done = told("copy", here, here, "--group", "default", "--as", "draft")
    assert done.code == 0 and "Copied and compared" in done.out
    assert "relates_to: 3 rows, " in done.err
    assert told("copy", here, there, "--group", "draft", "--json").code == 0
    listed = json.loads(told("groups", "--store", there, "--json").out)
    assert [(one["name"], one["facts"]) for one in listed] == [("draft", 3)]
    assert (
        "there is a group 'draft' already in" in told("copy", here, there, "--group", "draft").error
    )
    assert "cannot be copied into itself" in told("copy", here, here, "--group", "draft").error
