"""One value for people: a line, and a card that is safe to show."""

from dataclasses import replace

import pytest

from graphrag import Community, Entity, Episode, Fact
from graphrag.display.cards import episode_title
from tests.conftest import day

LONG_WORD = "x" * 60

FACT = Fact(
    id="f1",
    group_id="g",
    created_at=day("2024-01-01"),
    subject_id="a",
    object_id="b",
    subject="Alice",
    relation="works_at",
    object="Acme",
    text="Alice joined Acme.",
    valid_at=day("2021-03-01"),
    invalid_at=day("2023-06-01"),
    reason="she moved on",
    attributes={"role": "cook"},
)
ENTITY = Entity(
    id="a",
    group_id="g",
    created_at=day("2024-01-01"),
    name="Alice",
    key="alice",
    entity_type="person",
    aliases=("Ally", "A."),
)
EPISODE = Episode(
    id="e",
    group_id="g",
    created_at=day("2024-01-01"),
    name="letter",
    content="Dear Bob,\n" * 100,
    source="text",
    valid_at=day("2023-05-01"),
    content_hash="0",
)
COMMUNITY = Community(
    id="c",
    group_id="g",
    created_at=day("2024-01-01"),
    name="The dairy",
    summary="They make milk.",
    members=("a", "b"),
    fingerprint="0",
)


def test_a_line_says_what_matters():
    assert repr(FACT) == "Fact(Alice works at Acme, 2021-03-01 to 2023-06-01)"
    assert repr(replace(FACT, invalid_at=None, pending=True)).endswith("since 2021-03-01, pending)")
    assert repr(ENTITY) == "Entity(Alice, person)"
    assert repr(replace(ENTITY, merged_into="z")) == "Entity(Alice, person, merged)"
    assert repr(EPISODE).startswith("Episode(2023-05-01, letter: 'Dear Bob, Dear Bob,")
    assert len(repr(EPISODE)) < 100
    assert repr(COMMUNITY) == "Community(The dairy, 2 members)"


def test_a_card_shows_what_there_is_and_leaves_out_the_rest():
    page = FACT._repr_html_()
    assert "<svg" in page and "she moved on" in page and "cook" in page
    assert "confidence" not in page
    assert "Ally, A." in ENTITY._repr_html_() and "summary" not in ENTITY._repr_html_()
    assert "They make milk." in COMMUNITY._repr_html_()
    assert "…" in EPISODE._repr_html_()


@pytest.mark.parametrize(
    "value", [FACT, ENTITY, EPISODE, COMMUNITY], ids=lambda v: type(v).__name__
)
def test_text_of_the_graph_is_never_markup(value):
    evil = "<script>alert(1)</script>\"'&"
    texts = ("id", "name", "subject", "object", "text", "reason", "content", "summary", "relation")
    fields = {name: evil for name in texts if hasattr(value, name)}
    fields |= {name: {evil: [evil]} for name in ("attributes", "metadata") if hasattr(value, name)}
    page = replace(value, **fields)._repr_html_()
    assert "<script" not in page and evil not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("letter", "Dear Bob", "letter"),
        ("", "Dear Bob,\nhow are you?", "“Dear Bob, how are you?”"),
        (
            "",
            "I moved to Paris in May and have not seen you since",
            "“I moved to Paris in May and have not…”",
        ),
        ("", LONG_WORD, f"“{LONG_WORD[:40]}…”"),
        (" ", '{"id": 7}', '“{"id": 7}”'),
    ],
)
def test_an_episode_is_called_by_its_name_or_its_first_words(name, content, title):
    assert episode_title(replace(EPISODE, name=name, content=content)) == title
