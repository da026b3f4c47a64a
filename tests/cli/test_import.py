"""``import``: facts, contacts and meetings from files."""

import json

import pytest

JOBS = "subject,relation,object,valid_at\nAnn,works_at,Acme,2020\nAnn,works_at,Globex,2023\n"
STAFF = (
    "Employee,Firm,Since,verb,Shoe size\nAnn,Acme,2020,works_at,38\nBo,Globex,2021,works_at,44\n"
)
CARD = "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEMAIL:ada@example.org\nORG:Acme\nEND:VCARD\n"
WEEKLY = (
    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Standup\nUID:1\nDTSTART:20240318T090000\n"
    "RRULE:FREQ=WEEKLY\nATTENDEE;CN=Ada:mailto:ada@example.org\nEND:VEVENT\nEND:VCALENDAR\n"
)


@pytest.fixture
def write(tmp_path):
    def written(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return written


def summary(done):
    assert done.code == 0, done.err
    return {name: count for name, count in json.loads(done.out).items() if name != "seconds"}


def test_a_table_becomes_facts(cli, write):
    done = cli("import", write("jobs.csv", JOBS))
    assert done.code == 0
    assert "new facts" in done.out and done.err == ""
    assert "Globex" in cli("search", "where does Ann work?").out


def test_importing_again_says_nothing_new(cli, write):
    cli("import", write("jobs.csv", JOBS))
    assert cli("import", "jobs.csv").out.strip() == "nothing new: all of 2 rows was in the graph"


def test_json_summary_over_several_files(cli, write):
    likes = json.dumps([{"subject": "Bo", "relation": "likes", "object": "tea"}])
    done = cli("import", write("jobs.csv", JOBS), write("likes.json", likes), "--json")
    assert summary(done) == {
        "group": "default",
        "rows": 3,
        "facts": 3,
        "repeated": 0,
        "entities": 5,
        "changed": 0,
        "contested": 0,
        "skipped": 0,
    }


def test_lifetimes_of_a_table_can_be_taken_as_given(cli, write):
    options = ("--batch", "1", "--json")
    assert summary(cli("import", write("jobs.csv", JOBS), "--as-given", *options))["changed"] == 0
    judged = cli("import", "jobs.csv", "--group", "judged", *options)
    assert summary(judged)["changed"] == 1


def test_columns_are_named(cli, write):
    mapping = ("subject=Employee", "object=Firm", "valid_at=Since", "relation=verb")
    options = [part for one in mapping for part in ("--column", one)]
    assert summary(cli("import", write("staff.csv", STAFF), *options, "--json"))["facts"] == 2
    assert "2021-01-01" in cli("search", "Bo works_at Globex").out


def test_a_dry_run_shows_what_would_be_told_and_writes_nothing(cli, write, tmp_path):
    done = cli("import", write("jobs.csv", JOBS), write("ada.vcf", CARD), "--dry-run")
    assert done.code == 0
    assert "works_at 2" in done.out and "nothing was written" in done.out
    assert "Ann works at Acme. (2020-01-01 to)" in done.out
    assert not (tmp_path / "graph-store").exists()
    [jobs, _] = json.loads(cli("import", "jobs.csv", "ada.vcf", "--dry-run", "--json").out)
    assert (jobs["facts"], jobs["names"], jobs["relations"]) == (2, 3, {"works_at": 2})


def test_contacts_and_meetings_are_known_by_their_endings(cli, write):
    done = cli(
        "import",
        write("ada.vcf", CARD),
        write("meetings.ics", WEEKLY),
        "--until",
        "2024-04-02",
        "--time-zone",
        "Europe/Oslo",
        "--json",
    )
    assert summary(done)["facts"] == 1 + 3


def test_contacts_of_a_table(cli, write):
    exported = (
        "First Name,Last Name,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Value,"
        "Organization Name,Organization Title,Notes\n"
        "Ada,King,home,ada@example.org,,Acme,engineer,tall\n"
    )
    assert (
        summary(cli("import", write("c.csv", exported), "--as", "contacts", "--json"))["facts"] == 2
    )
    assert "Ada King" in cli("search", "who works_at Acme").out


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (JOBS + "Ann,likes,,\n", (), "jobs.csv, line 4: column 'object' is missing or empty"),
        (JOBS + "Ann,likes,tea,soonish\n", (), "jobs.csv, line 4: valid_at 'soonish'"),
        (JOBS + "Ann,likes,tea,2020,x\n", (), "jobs.csv, line 4: it has more cells"),
        (STAFF, (), "jobs.csv, line 2: there is no column 'Employee'"),
        (STAFF, ("--column", "subject=Name"), "no column 'Name' for 'subject': there are Employee"),
        (STAFF, ("--column", "who=Employee"), "there is no column 'who' to fill"),
        (JOBS, ("--column", "subject"), "'subject' is no OURS=THEIRS"),
        (JOBS, ("--since", "soonish"), "soonish"),
        (JOBS, ("--as", "contacts"), "jobs.csv, line 2: no column is known"),
        (JOBS, ("--batch", "0"), "at least one row"),
        (JOBS, ("--since", "2024-01-01"), "--since is for meetings: no file here has any"),
        (JOBS, ("--reference-time", "2024-01-01"), "--reference-time is for contacts: no file"),
    ],
)
def test_what_cannot_be_used_is_named(cli, write, text, options, words):
    for dry in ((), ("--dry-run",)) if "--batch" not in options else ((),):
        done = cli("import", write("jobs.csv", text), *options, *dry)
        assert done.code != 0
        assert words in done.error


def test_rows_before_a_bad_one_stay_and_the_error_says_how_many(cli, write):
    done = cli("import", write("jobs.csv", JOBS + "Ann,likes,,\n"), "--batch", "1")
    assert "2 rows are in the graph; import again" in done.error


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (("none.csv",), "there is no file none.csv"),
        (("note.txt",), "note.txt is no table"),
        (("ada.vcf", "--column", "subject=x"), "--column is for tables of facts: no file here"),
        (("ada.vcf", "jobs.csv", "--column", "a=x"), "facts: import the other files on their own"),
    ],
)
def test_files_that_are_not_there_or_no_tables_are_refused(cli, write, tmp_path, names, words):
    write("note.txt", "Ann works at Acme.")
    write("ada.vcf", CARD)
    write("jobs.csv", JOBS)
    done = cli("import", *names)
    assert done.code == 2
    assert words in done.error


def test_a_relation_for_a_table_without_one(cli, write):
    table = write("firms.csv", "Employee,Firm\nAnn,Acme\nBo,Globex\n")
    options = ("--column", "subject=Employee", "--column", "object=Firm", "--relation", "works_at")
    dry = json.loads(cli("import", table, *options, "--dry-run", "--json").out)
    assert dry[0]["relations"] == {"works_at": 2}
    options += ("--default", "object_type=organization", "--json")
    assert summary(cli("import", table, *options))["facts"] == 2
    assert "organization" in cli("show", "Acme").out
    wrong = cli("import", table, "--default", "relation")
    assert wrong.code == 2 and "--default 'relation' is no OURS=VALUE" in wrong.error


def test_rows_that_cannot_be_used_may_be_skipped(cli, write):
    table = write("jobs.csv", f"{JOBS}Bo,works_at,bo,2020\nBo,works_at,Acme,soon\n")
    stopped = cli("import", table)
    assert stopped.code == 2 and "jobs.csv, line 5: " in stopped.err
    done = cli("import", table, "--on-error", "skip", "--json")
    assert done.code == 1
    assert (json.loads(done.out)["facts"], json.loads(done.out)["skipped"]) == (2, 2)
    skipped = done.err.splitlines()
    assert len(skipped) == 2 and all(line.startswith("skipped: jobs.csv, line") for line in skipped)
    assert "rows skipped" in cli("import", table, "--on-error", "skip").out


GRAPHITI = {
    "nodes": [
        {"uuid": "n1", "name": "Ann", "group_id": "home", "labels": ["Entity"], "attributes": {}},
        {"uuid": "n2", "name": "Acme", "group_id": "home", "labels": ["Entity"], "attributes": {}},
    ],
    "edges": [
        {"uuid": "f1", "group_id": "home", "source_node_uuid": "n1", "target_node_uuid": "n2",
         "name": "WORKS_AT", "fact": "Ann works at Acme", "valid_at": "2020-01-01T00:00:00Z"},
        {"uuid": "f2", "group_id": "home", "source_node_uuid": "n1", "target_node_uuid": "n3",
         "name": "KNOWS", "fact": "Ann knows nobody"},
    ],
}  # fmt: skip


def test_an_export_of_another_memory_is_recognised_and_what_stays_out_is_named(cli, write):
    file = write("dump.json", json.dumps(GRAPHITI))
    done = cli("import", file)
    assert done.code == 1
    assert "From Graphiti" in done.out and "home" in done.out
    assert done.err.startswith("left out: dump.json, edges, record 2: fact 'Ann knows nobody'")
    assert "Acme" in cli("facts", "Ann", "--group", "home").out
    again = json.loads(cli("import", "--from", "graphiti", file, "--json").out)
    assert (again["facts"], again["repeated"], len(again["left_out"])) == (0, 1, 1)


def test_another_memory_can_come_into_one_group_and_be_looked_at_first(cli, write):
    file = write("dump.json", json.dumps(GRAPHITI))
    done = cli("import", file, "--dry-run", "--json")
    looked = json.loads(done.out)
    assert (looked["entities"], looked["facts"], done.code) == (2, 1, 1)
    assert json.loads(cli("import", file, "--group", "mine", "--json").out)["groups"] == ["mine"]


def test_looking_first_counts_what_would_come_in(cli, write):
    fact = GRAPHITI["edges"][0]
    nodes = [*GRAPHITI["nodes"], {"uuid": "n4", "group_id": "work", "name": "Bo", "labels": []}]
    edges = [
        fact,
        {**fact, "uuid": "f3", "target_node_uuid": "n1"},
        {**fact, "uuid": "f4", "target_node_uuid": "n4"},
        {**fact, "uuid": "f5", "attributes": {"weight": float("nan")}},
    ]
    file = write("dump.json", json.dumps({"nodes": nodes, "edges": edges}))
    done = cli("import", file, "--dry-run", "--json")
    looked, came = json.loads(done.out), json.loads(cli("import", file, "--json").out)
    assert (looked["entities"], looked["facts"]) == (came["entities"], came["facts"]) == (3, 1)
    assert looked["left_out"] == came["left_out"] and len(looked["left_out"]) == 3
    assert done.code == 1
    assert (
        cli("import", "--from", "graphiti", write("odd.json", '[{"a": 1}]'), "--dry-run").code == 1
    )
