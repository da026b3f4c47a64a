"""Markdown is read as Markdown: marks are no words, a list item is a sentence."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext
from graphrag.text.split import prose_of


async def read(text, author=None):
    episode = prepare(NewEpisode(text, "2024-03-04", author=author))
    return await NeuralExtractor().extract(ExtractionContext(episode))


def claims(extraction):
    return {
        (claim.subject.name, claim.relation, claim.object and claim.object.name)
        for claim in extraction.claims
    }


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("# Paper", "Paper"),
        ("Paper\n=====\nIt is long.", "Paper It is long."),
        ("- one\n* two\n+ three\n1. four\n-five", "one two three four five"),
        ("- [ ] call Bob\n- [x] done", "call Bob done"),
        ("> Eva moved.", "Eva moved."),
        (
            "[Bob](https://x.org/Bob_Page) **joined** _Acme_ and `Beta`.",
            "Bob joined Acme and Beta .",
        ),
        ("See [[Jonas Hahn|Jonas]] and [[Eva]].", "See Jonas and Eva ."),
        ("![Bob's cat](cat.png)See <https://x.org>.", "See ."),
        ("| Name | At |\n|---|---|\n| Kari | NIVA |\n", ""),
        ("```\nBob works at Foo.\n```\nEva sings.", "Eva sings."),
        ("Before.<!-- Bob works at Foo. -->", "Before."),
        ("---\ntitle: Paper\n---\nEva sings.", "Eva sings."),
        ("***\n", ""),
        # what only looks like marks
        ("2 * 3 * 4 = works_at some_where", "2 * 3 * 4 = works_at some_where"),
        (
            "In 1990\n2021. Then - so they say - it rained.",
            "In 1990 2021. Then - so they say - it rained.",
        ),
        ("#hash [1] and -3 degrees", "#hash [1] and -3 degrees"),
    ],
)
def test_marks_become_blanks_and_nothing_moves(text, prose):
    found = prose_of(text)
    assert (len(found), " ".join(found.split())) == (len(text), prose)
    assert all(one in (" ", other) for one, other in zip(found, text, strict=True))


async def test_each_item_of_a_list_is_its_own_sentence():
    text = (
        "# Paper\n\n- PI: Anna Berg works at NIVA\n- Tromsø\n- NIVA\n-PI Tomas Lund\n"
        "Eva Strand works at Acme"
    )
    found = await read(text)
    assert claims(found) == {
        ("Anna Berg", "works_at", "NIVA"),
        ("Eva Strand", "works_at", "Acme"),
    }
    names = {mention.name for mention in found.mentions}
    assert "Paper" not in names
    assert not [name for name in names if name[0] in "#-*"]


async def test_places_count_in_the_note_as_it_was_written():
    text = "* [Tomas Lund](https://x.org/a) joined **Globex**.\n"
    found = await read(text)
    [claim] = found.claims
    assert text[claim.start : claim.end].strip() == text.strip()
    assert claim.text == "Tomas Lund joined Globex."
    assert {text[one.start : one.end] for one in found.mentions} == {"Tomas Lund", "Globex"}


async def test_i_is_who_writes_if_that_is_told():
    text = 'I work at Acme. My sister Mira lives in Oslo. Bob Hill said: "I live in Rome."'
    assert not [one for one in claims(await read(text)) if one[1] == "works_at"]
    found = await read(text, author="Ida Moe")
    assert {("Ida Moe", "works_at", "Acme"), ("Ida Moe", "sibling_of", "Mira")} <= claims(found)
    assert ("Ida Moe", "lives_in", "Rome") not in claims(found)
    assert "Ida Moe: I work at Acme." in {claim.text for claim in found.claims}
    silent = await read("Bob lives in Rome.", author="Ida Moe")
    assert [mention.name for mention in silent.mentions] == ["Bob", "Rome"]
