"""``add``: what goes in, what is refused, what is left when it stops."""

import json
import re

import pytest

from graphrag import ExtractionError
from tests.conftest import PlainExtractor


def stored(tmp_path):
    return (tmp_path / "graph-store").exists()


def test_file_becomes_entities_and_facts(cli, tmp_path):
    (tmp_path / "note.txt").write_text("Alice works_at Acme. Alice lives_in Paris.")
    done = cli("add", "note.txt")
    assert done.code == 0
    assert done.err == ""
    assert "episodes" in done.out and "new facts" in done.out
    assert stored(tmp_path)


def test_json_summary(cli, tmp_path):
    (tmp_path / "a.txt").write_text("Alice works_at Acme from 2020.")
    (tmp_path / "b.txt").write_text("Alice works_at Globex from 2023.")
    done = cli("add", "a.txt", "b.txt", "--json", "--reference-time", "2024-01-01")
    summary = json.loads(done.out)
    assert summary.pop("seconds") >= summary.pop("seconds_until_first_episode") > 0
    assert summary.pop("episodes_per_second") > 0
    assert summary == {
        "group": "default",
        "added": 2,
        "unchanged": 0,
        "failed": 0,
        "skipped_files": 0,
        "entities": 3,
        "facts": 2,
        "waiting": 0,
        "dropped": 0,
        "adjusted": 0,
        "calls": 0,
        "tokens": 0,
        "closed": 1,
    }


def test_second_time_says_nothing_new(cli, tmp_path):
    lines = ('{"speaker": "Ann", "text": "Alice knows Bob."}', '{"name": "Acme", "size": 3}')
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    cli("add", "a.jsonl")
    done = cli("add", "a.jsonl")
    assert done.code == 0
    assert done.out.strip() == "nothing new: all 2 episodes were already in the graph"
    assert json.loads(cli("add", "a.jsonl", "--json").out)["unchanged"] == 2


@pytest.mark.parametrize(
    ("text", "episodes"),
    [
        ("Alice works_at Acme.", 1),
        ('{"speaker": "Ann", "text": "Hi."}\n{"speaker": "Bo", "text": "Ho."}\n', 2),
        ('[{"speaker": "Ann", "text": "Hi."}, {"speaker": "Bo", "text": "Ho."}]', 1),
    ],
)
def test_standard_input_is_told_by_its_content(cli, text, episodes):
    done = cli("add", "-", "--json", stdin=text)
    assert json.loads(done.out)["added"] == episodes


def test_name_source_and_group_are_kept(cli):
    arguments = ("--name", "A note", "--source", "mail", "--group", "mine")
    cli("add", "-", *arguments, stdin="Alice works_at Acme.")
    done = cli("search", "Alice", "--group", "mine", "--json")
    [hit] = json.loads(done.out)["episodes"]
    assert hit["episode"]["name"] == "A note"
    assert hit["episode"]["source_description"] == "mail"
    assert hit["episode"]["group_id"] == "mine"


BAD_FILES = {
    "missing.txt": (None, "no such file"),
    "folder": ("folder", "is a folder without files to read"),
    "zeros.txt": (b"a\0b", "binary"),
    "latin.txt": ("Zürich".encode("latin-1"), "no UTF-8 text"),
    "escape.txt": (b"a \x1b[0m b", "control character"),
    "empty.txt": (b"", "is empty"),
    "blank.md": (b" \n\n ", "is empty"),
    "broken.json": (b'{"a": 1,}', "no JSON"),
    "null.json": (b"null", "is empty"),
    "naive.json": (b'{"a": 1, "time": "2024-01-01T10:00:00"}', "has no time zone"),
    "deep.json": (b"[" * 200_000, "no JSON|nested"),
    "broken.jsonl": (b'{"a": 1}\n{"a":\n', "line 2"),
    "naive.jsonl": (b'{"a": 1}\n\n{"a": 2, "time": "2024-01-01T10:00:00"}', "line 3.*time zone"),
    "half.jsonl": (b'{"a": "\\ud800"}', "surrogate"),
}


@pytest.mark.parametrize("name", BAD_FILES)
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_bad_file_fails_in_one_line_and_leaves_the_store_untouched(cli, tmp_path, name, flags):
    reason = write_bad(tmp_path, name)
    done = cli("add", name, *flags)
    assert done.code == 1
    assert name in done.error
    assert re.search(reason, done.error)
    assert done.out == ""
    assert not stored(tmp_path)


def write_bad(folder, name):
    content, reason = BAD_FILES[name]
    if content == "folder":
        (folder / name).mkdir()
    elif content is not None:
        (folder / name).write_bytes(content)
    return reason


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_file_among_good_ones_is_skipped_in_one_line_and_loses_nothing(cli, tmp_path, name):
    reason = write_bad(tmp_path, name)
    (tmp_path / "a.txt").write_text("Alice works_at Acme.")
    (tmp_path / "z.txt").write_text("Bob works_at Globex.")
    done = cli("add", "a.txt", name, "z.txt", "--json")
    assert done.code == 1
    assert done.err.startswith("skipped: ") and done.err.count("\n") == 1
    assert name in done.err and re.search(reason, done.err)
    summary = json.loads(done.out)
    assert (summary["added"], summary["failed"], summary["skipped_files"]) == (2, 0, 1)
    assert (summary["facts"], summary["entities"]) == (2, 4)


def test_a_folder_is_its_readable_files_and_those_of_its_folders(cli, tmp_path):
    notes = tmp_path / "notes"
    for name, text in (
        ("a.md", "Alice works_at Acme."),
        ("deep/b.TXT", "Bob works_at Globex."),
        ("deep/c.jsonl", '{"speaker": "Ann", "text": "Hi."}\n'),
        ("deep/empty.md", ""),
        ("picture.png", "no text"),
        (".obsidian/app.json", "{}"),
        ("deep/.hidden.md", "Carl knows Dan."),
    ):
        (notes / name).parent.mkdir(parents=True, exist_ok=True)
        (notes / name).write_text(text)
    done = cli("add", "notes", "--json")
    assert done.code == 1 and done.err.count("\n") == 1 and "empty.md is empty" in done.err
    assert json.loads(done.out)["added"] == 3
    (notes / "deep/empty.md").unlink()
    again = cli("add", "notes")
    assert (again.code, again.out) == (
        0,
        "nothing new: all 3 episodes were already in the graph\n",
    )
    assert "--name names one document" in cli("add", "notes", "--name", "x").error


def test_an_author_is_kept_with_each_note(cli, tmp_path):
    (tmp_path / "note.md").write_text("I met Bob.")
    cli("add", "note.md", "--author", "Ida Moe")
    [episode] = json.loads(cli("list", "episodes", "--json").out)
    assert episode["author"] == "Ida Moe"


@pytest.mark.parametrize(
    ("data", "reason"), [(b"", "standard input is empty"), (b"\xff", "no UTF-8 text")]
)
def test_bad_standard_input(cli, tmp_path, data, reason):
    done = cli("add", "-", stdin=data)
    assert done.code == 1
    assert reason in done.error
    assert not stored(tmp_path)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ((), "Missing argument"),
        (("-", "--colour"), "No such option"),
        (("-", "--reference-time", "soonish"), "--reference-time 'soonish'"),
        (("-", "--reference-time", "2024-01-01T10:00:00"), "has no time zone"),
        (("-", "-"), "only once"),
        (("a.txt", "b.txt", "--name", "x"), "--name"),
        (("-", "--group", ""), "group"),
        (("-", "--store", "nowhere"), "no store URL"),
        (("-", "--store", "sqlite://x"), "unknown scheme"),
    ],
)
def test_misuse_is_code_2(cli, tmp_path, arguments, reason):
    done = cli("add", *arguments, stdin="Alice works_at Acme.")
    assert done.code == 2
    assert reason in done.error
    assert not stored(tmp_path)


def test_failing_extraction_says_what_was_kept(cli, tmp_path):
    class Failing(PlainExtractor):
        async def extract(self, context):
            if "Carl" in context.episode.content:
                raise ExtractionError("the model is gone")
            return await super().extract(context)

    lines = [
        f'{{"speaker": "Ann", "text": "{name} works_at Acme."}}' for name in ("A", "B", "Carl")
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    done = cli("add", "a.jsonl", extractor=Failing())
    assert done.code == 1
    assert "the model is gone" in done.err
    assert "2 of 3 episodes are in the graph" in done.err
    assert json.loads(cli("add", "a.jsonl", "--json").out)["unchanged"] == 2


def test_episode_that_fails_does_not_keep_out_the_next(cli, tmp_path):
    class Failing(PlainExtractor):
        async def extract(self, context):
            if "Bob" in context.episode.content:
                raise ExtractionError("cannot read of Bob")
            return await super().extract(context)

    for name in ("Alice", "Bob", "Carl"):
        (tmp_path / f"{name}.txt").write_text(f"{name} works_at Acme.")
    done = cli("add", "Alice.txt", "Bob.txt", "Carl.txt", "--json", extractor=Failing())
    assert done.code == 1
    summary = json.loads(done.out)
    assert (summary["added"], summary["failed"]) == (2, 1)
    assert "Bob.txt" in done.err


def test_unexpected_error_is_one_line_and_debug_shows_it(cli):
    class Broken:
        async def extract(self, context):
            raise ZeroDivisionError("a bug")

    done = cli("add", "-", stdin="x", extractor=Broken())
    assert done.code == 1
    assert "a bug" in done.err
    assert "Traceback" not in done.err
    with pytest.raises(Exception, match="a bug"):
        cli("add", "-", "--debug", stdin="x", extractor=Broken())
