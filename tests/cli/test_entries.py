"""Findings as lines that fit."""

import io

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from graphrag.cli.render import Entries, Entry, fact_entry, short
from graphrag.model.values import Episode, Fact, Span
from tests.conftest import day

NOTE = "2021-02-22 to 2022-09-01"


def shown(*entries, width=80, lines=2):
    file = io.StringIO()
    console = Console(file=file, width=width)
    console.print(Entries(Text("Facts"), entries, lines))
    return file.getvalue().splitlines()


def test_notes_stand_in_one_column():
    _, one, other = shown(
        Entry("Ann knows Bo", NOTE, lead="0.1"), Entry("Bo", "since 2021", lead="0.1")
    )
    assert one == f"0.1  Ann knows Bo  {NOTE}"
    assert other == "0.1  Bo            since 2021"


def test_body_is_cut_to_its_lines_and_says_where_it_stands():
    body = f"“{'word ' * 100}end.”"
    _, head, *rest = shown(Entry("Ann knows Bo", NOTE, body, "mail, 2021-02-22"))
    assert head.startswith("Ann knows Bo")
    assert len(rest) == 2
    assert rest[0].startswith("  “word word")
    assert rest[1].endswith("word…” (mail, 2021-02-22)")


@pytest.mark.parametrize("width", [60, 80, 200])
@pytest.mark.parametrize("lead", ["", "0.0410"])
def test_no_line_is_wider_than_the_console_or_ends_in_space(width, lead):
    long = Entry("陈美玲 leads " + "Sarnbridge Dairy " * 8, NOTE, "昆明 " * 90, "n" * 40, lead)
    for line in shown(Entry("Ann", lead=lead), long, width=width):
        assert cell_len(line) <= width
        assert line == line.rstrip()


def test_head_is_wrapped_and_never_cut():
    head = " ".join(f"word{number}" for number in range(40))
    text = " ".join(shown(Entry(head, NOTE), width=60)).replace(NOTE, "")
    assert [word for word in text.split() if word.startswith("word")] == head.split()


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("two\n words", 20, "two words"),
        ("one two three", 9, "one two…"),
        ("“one two, three”", 11, "“one two…”"),
        ("unbreakable", 5, "unbr…"),
    ],
)
def test_short(text, longest, expected):
    assert short(text, longest) == expected


def told(content, source, words, subject="Ann", object_="Bo"):
    start = content.index(words)
    episode = Episode("e", "g", day("2024-01-02"), "Note", content, source, day("2024-01-01"), "")
    spans = (Span("e", start, start + len(words)),)
    fact = Fact(
        id="f",
        group_id="g",
        created_at=day("2024-01-02"),
        subject_id="s",
        object_id="o",
        subject=subject,
        relation="works_at",
        object=object_,
        text="",
        sources=spans,
    )
    return fact_entry(fact, {"e": episode})


def test_words_are_shown_with_their_speaker_or_their_record():
    assert told("Ann met Bo. Rain.", "text", "Ann met Bo.").body == "“Ann met Bo.”"
    said = told("Bo: Hi.\nAnn: Well. I met Bo.", "message", "I met Bo.")
    assert (said.body, said.where) == ("“Ann: I met Bo.”", "Note, 2024-01-01")
    record = '{"name": "Ann", "at": {"name": "Bo"}}'
    assert told(record, "json", '"Bo"').body == record


def test_long_record_is_shown_without_fields_that_name_neither_end():
    record = f'{{"id": "{"x" * 60}", "name": "Ann", "size": 3, "since": 4, "boss": "Bo"}}'
    assert told(record, "json", '"Bo"').body == '…, "name": "Ann", …, "boss": "Bo"}'
    nested = f'[{{"id": "{"x" * 600}"}}, {{"name": "Ann", "boss": "Bo"}}]'
    assert told(nested, "json", '"Bo"').body == '{"name": "Ann", "boss": "Bo"}'


def test_fact_without_a_source_shows_its_own_words():
    fact = Fact(
        "f", "g", day("2024-01-02"), "s", "o", "Ann", "knows", "Bo", "Ann knows Bo.", None, None
    )
    assert (fact_entry(fact, {}).body, fact_entry(fact, {}).note) == (
        "Ann knows Bo.",
        "start unknown",
    )
