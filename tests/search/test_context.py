"""Results as a block of text for a prompt, as a data frame and as a page."""

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import QueryError
from graphrag.model.values import Entity, Episode, Fact, Span
from graphrag.search.context import excerpt
from graphrag.search.results import Hit, Results

AT = datetime(2024, 5, 1, tzinfo=UTC)


def episode(id_, content, name=""):
    return Episode(id_, "g", AT, name, content, "text", AT, "hash")


def fact(id_, subject, relation, object_, source=None, words="", **rest):
    sources = ()
    if source is not None:
        start = source.content.index(words)
        sources = (Span(source.id, start, start + len(words)),)
    return Fact(
        id_, "g", AT, subject, object_, subject, relation, object_, words, sources=sources, **rest
    )


NOTE = episode("e1", "Ann left Acme. She joined Beta in May.", "note")
LETTER = episode("e2", "Dear Bob, <b>tea</b> is served at five & never later.", "letter")
JOB = fact("f1", "Ann", "works_at", "Beta", NOTE, "She joined Beta in May.", valid_at=AT)
OLD = fact("f2", "Ann", "works_at", "Acme", NOTE, "Ann left Acme.", invalid_at=AT)
ANN = Entity("n1", "g", AT, "Ann", "ann", "person", summary="works at Beta since 2024-05-01")


def hits(*items):
    return tuple(Hit(item, 1 / place, (), score) for place, (item, score) in enumerate(items, 1))


FOUND = Results(
    "where does Ann work?",
    facts=hits((JOB, 0.9), (OLD, 0.4)),
    entities=hits((ANN, 0.3)),
    episodes=hits((LETTER, 0.6)),
    passages=(NOTE,),
)


def test_text_has_dates_quotes_and_numbered_sources():
    assert FOUND.context().text == (
        "Facts:\n"
        "- Ann works at Beta (since 2024-05-01) [1]: “She joined Beta in May.”\n"
        "- Ann works at Acme (unknown to 2024-05-01) [1]: “Ann left Acme.”\n"
        "Excerpts:\n"
        "- [2] 2024-05-01, letter: Dear Bob, <b>tea</b> is served at five & never later.\n"
        "About:\n"
        "- Ann (person): works at Beta since 2024-05-01\n"
        "Sources:\n"
        "[1] 2024-05-01, note"
    )
    assert [(one.number, one.episode_id) for one in FOUND.context().citations] == [
        (1, "e1"), (2, "e2")
    ]  # fmt: skip
    assert FOUND.context().left_out == 0


@pytest.mark.parametrize("shape", ["text", "xml", "json"])
def test_a_source_without_a_name_is_known_by_its_date_and_first_words(shape):
    nameless = replace(NOTE, name="")
    found = replace(FOUND, passages=(nameless,), episodes=()).context(format=shape)
    begins = "“Ann left Acme. She joined Beta in May.”"
    assert begins in found.text
    assert "no name" not in found.text
    [citation] = found.citations
    assert (citation.name, citation.valid_at) == (begins, NOTE.valid_at)


def test_the_budget_keeps_the_most_relevant_of_all_scopes():
    small = FOUND.context(45)
    assert "Beta" in small.text and "letter" not in small.text
    assert small.left_out == 2
    assert FOUND.context(1).text == ""


def test_a_quote_is_left_out_before_its_fact():
    assert FOUND.context(21).text == (
        "Facts:\n- Ann works at Beta (since 2024-05-01) [1]\nSources:\n[1] 2024-05-01, note"
    )


def test_nothing_is_said_twice():
    twin = fact("f3", "Ann", "works_at", "Beta", NOTE, "She joined Beta in May.", valid_at=AT)
    other = fact("f4", "Ann", "likes", "Beta", NOTE, "She joined Beta in May.", valid_at=AT)
    found = Results("Ann", facts=hits((JOB, 0.9), (twin, 0.8), (other, 0.7)), passages=(NOTE,))
    assert found.context().text.count("She joined") == 1
    assert found.context().text.count("Ann works at Beta") == 1
    assert "Ann likes Beta (since 2024-05-01) [1]" in found.context().text
    shown = Results("Ann", facts=hits((JOB, 0.5)), episodes=hits((NOTE, 0.9)), passages=(NOTE,))
    assert shown.context().text.count("She joined") == 1


def test_xml_is_well_formed_whatever_the_text_says():
    root = ElementTree.fromstring(FOUND.context(format="xml").text)
    assert [one.tag for one in root] == [
        "fact", "fact", "excerpt", "entity", "source", "source"
    ]  # fmt: skip
    assert root.find("excerpt").text.endswith("<b>tea</b> is served at five & never later.")
    assert root.find("fact").get("valid") == "since 2024-05-01"


def test_json_has_the_same():
    found = json.loads(FOUND.context(format="json").text)
    assert found["facts"][0] == {
        "fact": "Ann works at Beta",
        "valid": "since 2024-05-01",
        "quote": "She joined Beta in May.",
        "sources": [1],
    }
    assert [one["number"] for one in found["sources"]] == [1, 2]


@given(
    st.integers(1, 120),
    st.sampled_from(["text", "xml", "json"]),
    st.sampled_from([len, lambda text: len(text.split())]),
)
def test_no_format_takes_more_than_its_budget(budget, format_, count):
    context = FOUND.context(budget, format_, count=count)
    assert context.tokens == count(context.text) <= budget


def test_of_a_long_episode_the_part_that_answers_is_shown():
    filler = "The weather was fine and nobody minded. " * 40
    long = episode("e3", f"{filler}Ann bought a violin in Cremona. {filler}")
    shown = excerpt(long, "Where did Ann buy a violin?")
    assert "violin in Cremona" in shown
    assert shown.startswith("… ") and shown.endswith(" …") and len(shown) < 900


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_tokens": 0}, "max_tokens 0: give at least 1"),
        ({"max_tokens": "many"}, "max_tokens 'many'"),
        ({"format": "yaml"}, "format 'yaml': choose text, xml or json"),
    ],
)
def test_what_cannot_be_is_said(arguments, message):
    with pytest.raises(QueryError, match=message):
        FOUND.context(**arguments)


def test_a_data_frame_has_a_row_for_each_hit():
    facts = FOUND.to_dataframe()
    assert facts["source"].tolist() == ["She joined Beta in May.", "Ann left Acme."]
    assert facts["score"].tolist() == [1.0, 0.5]
    assert FOUND.to_dataframe("entities")["name"].tolist() == ["Ann"]
    assert len(FOUND.to_dataframe("communities")) == 0
    with pytest.raises(QueryError, match="scope 'people': choose from facts"):
        FOUND.to_dataframe("people")


def test_a_page_draws_lifetimes_and_escapes_what_texts_say():
    page = FOUND._repr_html_()
    assert page.count("<svg") == 3  # and the years above them
    assert "&lt;b&gt;tea&lt;/b&gt;" in page and "<b>tea" not in page
    assert "nothing found" in Results("x")._repr_html_()


def test_rich_prints_what_was_found_as_plain_text():
    from rich.console import Console

    console = Console(width=120, record=True)
    console.print(FOUND)
    printed = console.export_text()
    assert "Ann works at Beta" in printed and "<b>tea</b>" in printed
