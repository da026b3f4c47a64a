"""Own notes: folders of Markdown whose dates stand in them."""

import os
from datetime import UTC, datetime

import pytest

from graphrag import EpisodeError
from graphrag.io.documents import read_document
from graphrag.io.folders import written_at
from tests.conftest import day

CHANGED = datetime(2026, 5, 6, tzinfo=UTC)


def write(folder, name, text):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    os.utime(path, (CHANGED.timestamp(),) * 2)
    return path


@pytest.mark.parametrize(
    ("name", "text", "when"),
    [
        ("note.md", "---\ntitle: Paper\ndate: 2024-03-04\n---\nMet Bob.", "2024-03-04"),
        ("note.md", '---\ncreated: "4 March 2024"\n---\n2023-01-01 is in the text.', "2024-03-04"),
        ("2024-03-04.md", "Met Bob.", "2024-03-04"),
        ("Standup 20240304.txt", "Met Bob.", "2024-03-04"),
        ("2024_03_04-paper.md", "# 2023-01-01\nMet Bob.", "2024-03-04"),
        ("note.md", "2024-03-04\n\nMet Bob.", "2024-03-04"),
        ("note.md", "\n# 2024-03-04 Standup\n- Met Bob.", "2024-03-04"),
        ("note.md", "## Monday, 4 March 2024\n\nMet Bob.", "2024-03-04"),
        ("note.txt", "March 4, 2024: met Bob.", "2024-03-04"),
        ("note.md", "**Date:** 2024-03-04\n\nMet Bob.", "2024-03-04"),
        (
            "note.txt",
            "From: Ann\nDate: Mon, 4 Mar 2024 01:00:00 +0100\nSubject: Hi\n\nMet Bob.",
            "2024-03-04",
        ),
        ("note.txt", "To: Ann\nDate: 4 March 2024\n\nMet Bob.", "2024-03-04"),
        # none that says when it was written
        ("note.md", "From: Ann\n\nDate: Mon, 4 Mar 2024 01:00:00 +0100", None),
        ("note.md", "On 4 March 2024 I met Bob.", None),
        ("note.md", "4 March 2024 was the day I met Bob.", None),
        ("note.md", "Met Bob.\n\n2024-03-04 was cold.", None),
        ("note.md", "March was cold.", None),
        ("note.md", "2024 was a good year.", None),
        ("note.md", "4/7/2024\n\nMet Bob.", None),
        ("2024-13-45.md", "Met Bob.", None),
        ("120240304.md", "Met Bob.", None),
        ("2999-01-01 plan.md", "Met Bob.", None),
    ],
)
def test_a_note_is_of_the_day_that_it_says_not_of_its_last_change(tmp_path, name, text, when):
    path = write(tmp_path, name, text)
    [episode] = read_document(path)
    assert written_at(text, name) == (None if when is None else day(when))
    assert episode.reference_time == (CHANGED if when is None else day(when))
    [given] = read_document(path, reference_time="2020")
    assert given.reference_time == day("2020-01-01")


def test_front_matter_is_kept_beside_the_text_and_places_count_in_the_file(tmp_path):
    text = "---\ntitle: Paper\ntags: [a, b]\n---\n# Paper\n\nMet Bob.\n"
    [episode] = read_document(write(tmp_path, "note.md", text))
    assert episode.content == "# Paper\n\nMet Bob."
    assert episode.metadata["front_matter"] == {"title": "Paper", "tags": "[a, b]"}
    assert text[episode.metadata["start"] : episode.metadata["end"]] == episode.content
    [rule] = read_document(write(tmp_path, "rule.md", "---\nMet Bob.\n---\n"))
    assert rule.content.startswith("---")  # a line, no front matter


async def test_a_folder_is_loaded_and_what_cannot_be_read_is_named(graph, tmp_path):
    write(tmp_path, "b/2024-03-04.md", "Alice works_at Acme.")
    write(tmp_path, "a.md", "Bob works_at Beta.")
    write(tmp_path, "empty.md", " ")
    write(tmp_path, "latin.md", "").write_bytes("Zürich".encode("latin-1"))
    seen = []
    report = await graph.load.documents(
        tmp_path, author="Ida", saga="diary", on_progress=seen.append
    )
    assert {os.path.basename(failed.name) for failed in report.failed} == {"empty.md", "latin.md"}
    assert {failed.number for failed in report.failed} == {0}
    assert report.added == seen[-1].total
    [first] = [one for one in await graph.episodes() if one.name == "2024-03-04.md"]
    assert (first.valid_at, first.author, first.saga) == (day("2024-03-04"), "Ida", "diary")
    again = await graph.load.documents([tmp_path / "a.md", tmp_path / "b"])
    assert (again.added, again.unchanged) == (0, 2)


async def test_nothing_is_written_where_no_file_can_be_read_or_one_must(graph, tmp_path):
    write(tmp_path, "a.md", "Bob works_at Beta.")
    write(tmp_path, "empty.md", " ")
    with pytest.raises(EpisodeError, match=r"empty\.md is empty"):
        await graph.load.documents(tmp_path, on_error="stop")
    with pytest.raises(EpisodeError, match=r"empty\.md is empty"):
        await graph.load.documents(tmp_path / "empty.md")
    with pytest.raises(EpisodeError, match="there is no such file"):
        await graph.load.documents(tmp_path / "missing")
    assert await graph.episodes() == []
