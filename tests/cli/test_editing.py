"""What a person knows better, on the command line; each edit is in the log with who and why."""

import json

import pytest

from graphrag.model.extraction import Claim, Extraction, Mention


def read(done):
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def shown(done):
    assert (done.code, done.err) == (0, "")
    return " ".join(done.out.split())


def works(cli, *options):
    return {
        fact["object"]: fact
        for fact in read(cli("facts", "--relation", "works_at", "--json", *options))
    }


class Unsure:
    """Read in every episode that Bob moved to Rome, without much faith in it."""

    async def extract(self, context):
        words = context.episode.content
        ends = Mention("Bob", "person"), "lives_in", Mention("Rome", "place")
        claim = Claim(*ends, words, 0, len(words.rstrip()), confidence=0.4)
        return Extraction(claims=(claim,))


@pytest.fixture
def rumour(cli, tmp_path):
    (tmp_path / "rumour.txt").write_text("I think Bob moved to Rome?")
    assert cli("add", "rumour.txt", extractor=Unsure()).code == 0
    return cli


def test_what_waits_is_listed_and_confirmed(rumour):
    [waiting] = read(rumour("review", "--json"))
    assert (waiting["subject"], waiting["object"], waiting["confidence"]) == ("Bob", "Rome", 0.4)
    assert waiting["sources"][0]["text"] == "I think Bob moved to Rome?"
    text = shown(rumour("review"))
    assert text.startswith("To review") and waiting["id"] in text and "Bob lives in Rome" in text
    assert read(rumour("facts", "Bob", "--json")) == []

    assert shown(rumour("confirm", waiting["id"], "--actor", "ann")).startswith("confirmed: Bob")
    assert [fact["object"] for fact in read(rumour("facts", "Bob", "--json"))] == ["Rome"]
    assert read(rumour("log", "--limit", 1, "--json"))[0]["actor"] == "ann"
    assert shown(rumour("review")) == "nothing waits for review"
    assert "does not wait" in rumour("confirm", waiting["id"]).error


def test_what_waits_is_rejected(rumour):
    [waiting] = read(rumour("review", "--json"))
    rejected = read(rumour("reject", waiting["id"], "--reason", "she only joked", "--json"))
    assert rejected["retracted_at"]
    assert read(rumour("review", "--json")) == []
    assert read(rumour("log", "--limit", 1, "--json"))[0]["note"] == "she only joked"


def test_a_retracted_fact_gives_back_what_it_closed_and_revert_brings_it_back(told):
    globex = works(told)["Globex"]["id"]
    assert globex in told("facts", "Alice", "--ids").out
    done = told("retract", globex, "--reason", "a namesake", "--actor", "ann")
    assert shown(done).startswith("retracted: Alice works at Globex, never true")
    assert set(works(told)) == {"Acme"}

    [event] = read(told("log", "--limit", 1, "--json"))
    assert (event["kind"], event["actor"]) == ("retract", "ann")
    assert event["note"] == "a namesake; Alice works_at Acme: has no end any more"
    undone = read(told("revert", event["seq"], "--json"))
    assert undone["kind"] == "revert" and undone["did"]
    assert set(works(told)) == {"Globex"}


def test_a_fact_is_retracted_once(told):
    globex = works(told)["Globex"]["id"]
    assert told("retract", globex).code == 0
    done = told("retract", globex)
    assert (done.code, "was retracted at" in done.error) == (2, True)


def test_a_fact_ends_when_a_person_says_so(told):
    globex = works(told)["Globex"]["id"]
    ended = read(told("invalidate", globex, "--end", "2024-03-01", "--json"))
    assert ended["invalid_at"] == "2024-03-01T00:00:00+00:00"
    assert works(told) == {}
    assert "--end" in told("invalidate", globex, "--end", "someday").error


def test_a_fact_is_corrected_and_a_date_is_taken_away(told):
    globex = works(told)["Globex"]["id"]
    done = told("correct", globex, "--object", "Initech", "--reason", "misheard")
    assert shown(done).startswith("now stands: Alice works at Initech, since 2023-06-01")
    initech = works(told)["Initech"]["id"]
    assert initech in done.out
    dated = read(told("correct", initech, "--valid-at", "2023-07", "--json"))
    assert dated["valid_at"] == "2023-07-01T00:00:00+00:00"
    moved = shown(told("correct", initech, "--valid-at", "2023-08"))
    assert "Alice works_at Acme: ends 2023-08-01 (superseded)" in moved
    free = read(told("correct", initech, "--valid-at", "unknown", "--json"))
    assert free["valid_at"] is None and free["id"] == initech
    assert "nothing is to change" in told("correct", initech).error
    assert "--valid-at" in told("correct", initech, "--valid-at", "someday").error


def test_two_entities_become_one_and_two_again(told):
    names = {entity["name"] for entity in read(told("list", "entities", "--json"))}
    merged = read(told("merge", "Alice", "Bob", "--reason", "same phone", "--json"))
    assert merged["kind"] == "merge" and merged["note"] == "same phone"
    assert "Bob" in read(told("show", "Alice", "--json"))["entity"]["aliases"]
    assert shown(told("unmerge", merged["seq"])).startswith(f"event {merged['seq'] + 1}, unmerge: ")
    assert {entity["name"] for entity in read(told("list", "entities", "--json"))} == names
    text = shown(told("merge", "Acme", "Globex"))
    assert f"unmerge {merged['seq'] + 2} takes it back" in text
    assert "has no event 99" in told("unmerge", 99).error
    assert "no entity" in told("merge", "Alice", "Nobody").error


def test_an_entity_gets_another_name_and_its_old_one_back(told):
    renamed = read(told("rename", "Alice", "Alice Johnson", "--reason", "full name", "--json"))
    assert (renamed["kind"], renamed["note"]) == ("rename", "full name")
    entity = read(told("show", "Alice", "--json"))["entity"]
    assert (entity["name"], entity["aliases"]) == ("Alice Johnson", ["Alice"])
    assert "Bob" in told("rename", "Alice", "Bob").error
    assert shown(told("revert", renamed["seq"])).startswith(f"event {renamed['seq'] + 1}, revert: ")
    assert read(told("show", "Alice", "--json"))["entity"]["name"] == "Alice"
    assert f"revert {renamed['seq'] + 2} takes it back" in shown(told("rename", "Bob", "Rob"))


def test_what_was_wrongly_told_of_an_entity_goes_to_another(told):
    acme = works(told, "--history")["Acme"]["id"]
    done = told("split", "Alice", "Alice Lee", "--fact", acme, "--type", "pilot")
    assert shown(done).startswith("new: Alice Lee, pilot, id ")
    assert [fact["object"] for fact in read(told("facts", "Alice Lee", "--history", "--json"))] == [
        "Acme"
    ]
    [event] = read(told("log", "--limit", 1, "--json"))
    assert event["kind"] == "split"
    old = read(told("list", "episodes", "--json"))[0]["id"]
    assert read(told("split", "Bob", "Bob Ray", "--episode", old, "--json"))["name"] == "Bob Ray"
    assert told("split", "Bob", "Rob").code == 2


def test_pairs_that_may_be_one_are_listed(told, tmp_path):
    assert shown(told("candidates")) == "no two entities look like one"
    (tmp_path / "alike.txt").write_text("Jonathan Miller knows Bob. Jonathon Miller knows Bob.")
    assert told("add", "alike.txt").code == 0
    [pair] = read(told("candidates", "--json"))
    assert {pair["entity"]["name"], pair["other"]["name"]} == {"Jonathan Miller", "Jonathon Miller"}
    text = shown(told("candidates"))
    assert pair["entity"]["id"] in text and "merge KEEP OTHER" in text


@pytest.mark.parametrize(
    "arguments",
    [("retract", "x"), ("confirm", "x"), ("reject", "x"), ("correct", "x", "--text", "a"),
     ("invalidate", "x"), ("revert", "99"), ("split", "Nobody", "New", "--fact", "x")],
    ids=lambda arguments: arguments[0],
)  # fmt: skip
def test_what_is_not_there_is_one_line_and_writes_nothing(told, arguments):
    done = told(*arguments)
    assert done.code == 2
    assert arguments[1] in done.error
    assert len(read(told("log", "--json"))) == 2
