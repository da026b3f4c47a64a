"""``export``, and ``import`` of what it wrote."""

import csv
import json


def test_a_graph_goes_to_another_store_whole(told, tmp_path):
    done = told("export", "graph.jsonl.gz")
    assert done.code == 0, done.err
    assert "Exported group default" in done.out
    looked = told("import", "graph.jsonl.gz", "--dry-run", "--store", "surrealkv://./other")
    assert "Would be group default" in looked.out
    assert not (tmp_path / "other").exists()
    made = told("import", "graph.jsonl.gz", "--store", "surrealkv://./other")
    assert "Imported group default" in made.out
    found = told("log", "--json", "--store", "surrealkv://./other")
    assert json.loads(found.out) == json.loads(told("log", "--json").out)


def test_it_is_imported_beside_itself_under_another_name(told):
    told("export", "graph.jsonl", "--no-vectors")
    assert "there is a group 'default' already" in told("import", "graph.jsonl").error
    made = told("import", "graph.jsonl", "--group", "copy", "--json")
    shown = json.loads(made.out)
    assert (shown["group"], shown["renewed"]) == ("copy", True)
    assert shown["embedded"] > 0
    assert json.loads(told("stats", "--group", "copy", "--json").out)["facts"] == 3
    assert "on its own" in told("import", "graph.jsonl", "graph.jsonl").error


def test_facts_of_all_times_or_of_one(told, tmp_path):
    def objects(file):
        with (tmp_path / file).open(newline="") as rows:
            return {row["object"] for row in csv.DictReader(rows)}

    done = json.loads(told("export", "facts.csv", "--json").out)
    assert (done["format"], done["records"]) == ("csv", {"fact": 3})
    assert objects("facts.csv") == {"Acme", "Globex", "Alice"}
    told("export", "then.csv", "--at", "2021")
    assert "Acme" in objects("then.csv")
    assert "Globex" not in objects("then.csv")
    assert told("import", "facts.csv", "--as-given", "--group", "again").code == 0
    told("export", "again.csv", "--group", "again")
    assert objects("again.csv") == objects("facts.csv")


def test_a_network_is_looked_at_and_imported(told):
    told("export", "graph.graphml")
    looked = json.loads(told("import", "graph.graphml", "--dry-run", "--json").out)
    assert looked[0]["facts"] == 3
    made = told("import", "graph.graphml", "--group", "drawn", "--as-given", "--json")
    assert json.loads(made.out)["facts"] == 3
    assert told("export", "graph.ttl").code == 0


def test_what_cannot_be_exported_is_an_error_of_one_line(told):
    assert "no ending that names a format" in told("export", "graph.xlsx").error
    assert "there is no group 'x'" in told("export", "graph.csv", "--group", "x").error
    assert "hold a group whole" in told("export", "graph.jsonl", "--at", "2021").error
    assert "cannot write" in told("export", "nowhere/graph.csv").error
    assert "--no-vectors is for" in told("export", "g.csv", "--at", "2021", "--no-vectors").error
