"""``add --saga``, ``sagas``, ``saga`` and ``search --saga``."""

import json


def in_sagas(told, tmp_path):
    letters = [
        {"text": "Cid likes tea.", "date": "2020-01-01"},
        {"text": "Cid works_at Acme.", "date": "2020-02-01"},
    ]
    (tmp_path / "letters.jsonl").write_text("\n".join(map(json.dumps, letters)))
    (tmp_path / "case.txt").write_text("Dan likes tea.")
    assert told("add", "letters.jsonl", "--saga", "letters").code == 0
    assert told("add", "case.txt", "--saga", "case", "--reference-time", "2019-01-01").code == 0


def test_a_key_is_what_a_document_is_known_by(cli, tmp_path):
    (tmp_path / "note.txt").write_text("Alice works_at Acme.")
    say = ("add", "note.txt", "--reference-time", "2024-01-01", "--json", "--key")
    assert [json.loads(cli(*say, key).out)["added"] for key in ("m1", "m1", "m2")] == [1, 0, 1]
    (tmp_path / "note.txt").write_text("Alice works_at Beta.")
    assert "key 'm1' is that of episode" in cli(*say, "m1").err
    (tmp_path / "chat.jsonl").write_text('{"a": 1}\n{"a": 1}\n')
    parts = ("add", "chat.jsonl", "--reference-time", "2024-01-01", "--json", "--key", "chat")
    assert [json.loads(cli(*parts).out)["added"] for _ in range(2)] == [2, 0]
    done = cli("add", "note.txt", "chat.jsonl", "--key", "m1")
    assert done.code == 2 and "--key is the id of one document" in done.error


def test_sagas_are_listed_with_sizes_and_dates(told, tmp_path):
    assert "add --saga" in told("sagas").out
    in_sagas(told, tmp_path)
    rows = [line.split() for line in told("sagas").out.splitlines()[2:]]
    assert rows == [
        ["case", "1", "2019-01-01", "2019-01-01"],
        ["letters", "2", "2020-01-01", "2020-02-01"],
    ]
    assert [one["episodes"] for one in json.loads(told("sagas", "--json").out)] == [1, 2]


def test_a_saga_is_shown_with_its_summary_and_its_summary_is_stored_when_asked(told, tmp_path):
    in_sagas(told, tmp_path)
    shown = told("saga", "letters").out
    assert "2020-02-01: Cid works at Acme." in shown
    assert "as of 2020-01-01" in shown and "Dan" not in shown
    assert "Acme." not in told("saga", "letters", "--at", "2020-01-15").out
    form = json.loads(told("saga", "letters", "--summarize", "--json").out)
    assert form["summary"].startswith("2 episodes") and len(form["episodes"]) == 2
    assert told("sagas", "--summarize").code == 0
    assert told("log").out.count("summarize_saga") == 2
    assert "there is no saga 'leters'" in told("saga", "leters").error


def test_a_search_within_a_saga(told, tmp_path):
    in_sagas(told, tmp_path)
    found = json.loads(told("search", "who likes tea?", "--saga", "letters", "--json").out)
    assert [hit["fact"]["subject"] for hit in found["facts"] if hit["fact"]["object"] == "tea"] == [
        "Cid"
    ]
    assert {hit["episode"]["saga"] for hit in found["episodes"]} == {"letters"}
    assert "no saga 'nope'" in told("search", "tea", "--saga", "nope").error
    wrong = told("search", "tea", "--saga", "letters", "--scope", "communities")
    assert "communities are of no saga" in wrong.error
    assert "is no name" in told("add", "case.txt", "--saga", " ").error
