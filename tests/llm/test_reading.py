"""Small parts: shapes of answers, JSON in words, quotes, names and dates checked against a text."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from graphrag import ExtractionContext, NewEpisode, TimeError
from graphrag.extract.llm.arbiter import Decision
from graphrag.extract.llm.belief import Belief
from graphrag.extract.llm.belief_dates import Dating
from graphrag.extract.llm.grounds import Ground, locate, locate_name
from graphrag.extract.llm.wire import Reading
from graphrag.ingest.intake import prepare
from graphrag.llm.chat import fence_of, fenced
from graphrag.llm.schema import BadAnswerError, read_answer, strict_schema
from graphrag.llm.spending import Throttle
from graphrag.text.split import count_tokens
from tests.conftest import day


class Leaf(BaseModel):
    name: str
    size: int | None = None


class Tree(BaseModel):
    leaves: list[Leaf]
    parent: "Tree | None" = None


def objects(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from objects(value)


@pytest.mark.parametrize("model", [Reading, Decision, Leaf, Tree])
def test_schemas_are_closed_and_complete(model):
    schema = strict_schema(model)
    found = list(objects(schema))
    assert found
    for one in found:
        assert one["additionalProperties"] is False
        assert one["required"] == list(one["properties"])
    if model is not Tree:
        assert "$ref" not in json.dumps(schema)


VALID = '{"name": "Ghent", "size": 3}'


@pytest.mark.parametrize(
    "text",
    [
        VALID,
        f"```json\n{VALID}\n```",
        f"Sure! Here it is:\n{VALID}\nLet me know {{if}} you need more.",
        f'<think>{{"name": "no"}}</think>\n{VALID}',
        '{"name": "Ghent", "size": 3,}',
        '{"answer": {"name": "Ghent", "size": 3}}',
        '{"type": "object", "properties": {"name": "Ghent", "size": 3}}',
        '{"type": "object", "properties": {"name": {"type": "string"}}} ' + VALID,
        "\ufeff" + VALID,
    ],
)
def test_json_is_found_in_what_models_put_around_it(text):
    assert read_answer(text, Leaf) == Leaf(name="Ghent", size=3)


@given(st.text(max_size=60))
def test_any_words_give_an_answer_or_say_what_is_wrong(text):
    try:
        assert isinstance(read_answer(text, Reading), Reading)
    except BadAnswerError as error:
        assert str(error)


def test_deep_nesting_is_a_bad_answer_and_not_a_crash():
    with pytest.raises(BadAnswerError):
        read_answer('{"a":' * 20_000, Leaf)


def test_a_reading_may_lack_what_is_empty_anyway():
    reading = read_answer(
        '{"facts": [{"subject": "Ann", "relation": "likes", "object": "tea", '
        '"quote": "Ann likes tea", "since": null, "mood": "happy"}]}',
        Reading,
    )
    (fact,) = reading.facts
    assert (fact.since, fact.kind, fact.certainty) == ("", "state", "stated")


CONTENT = "Dr. Ann Lee left Initech.\nShe now   leads research at Globex, in Köln."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("Ann Lee left Initech.", "Ann Lee left Initech."),
        ('"Ann Lee left Initech."', "Ann Lee left Initech."),
        ("she now leads RESEARCH at globex", "She now   leads research at Globex"),
        ("She now is leading research at Globex", "She now   leads research at Globex"),
        ("Bob painted the whole house", None),
        ("", None),
        ("Oslo", None),
    ],
)
def test_a_quote_is_found_or_not(quote, found):
    place = locate(quote, CONTENT)
    assert (place and CONTENT[slice(*place)]) == found


@given(st.text(max_size=40), st.text(max_size=40))
def test_a_place_is_always_inside_the_text(quote, content):
    place = locate(quote, content)
    assert place is None or 0 <= place[0] < place[1] <= len(content)


def test_a_name_is_found_as_a_word():
    assert locate_name("köln", CONTENT) == (CONTENT.index("Köln"), len(CONTENT) - 1)
    assert locate_name("ann", "Planning with Ann") == (14, 17)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Ann Lee", "Dr. Ann Lee left."),
        ("Müller", "Müllers Haus"),
        ("Stadtwerke Kiel", "bei den Stadtwerken Kiel"),
        ("C++", "she writes C++ and C#"),
        ("张伟", "昨天张伟去了北京"),
        ("Blue-Green Team", "the blue green team"),
        ("AI", "uses AI daily"),
    ],
)
def test_names_that_a_text_bears(name, text):
    assert Ground((text,)).bears(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Mallory", "Ann met Bob."),
        ("Ann Smith", "Ann met Bob."),
        ("AI", "He said that aims matter."),
        ("she", "she left"),
        ("ich", "ich wohne hier"),
        ("Version 11.0", "Version 1.10"),
        ("", "anything"),
        ("李娜", "昨天张伟去了北京"),
    ],
)
def test_names_that_a_text_does_not_bear(name, text):
    assert not Ground((text,)).bears(name)


def dating(content, reference="2024-05-15"):
    return Dating(prepare(NewEpisode(content, reference)))


def test_a_date_that_fits_the_words_is_taken():
    quote = "Ann moved last month."
    assert dating(quote).start("2024-04").moment == day("2024-04-01")


def test_until_a_year_takes_the_year_in():
    quote = "She worked there until 2019."
    assert dating(quote).stop("2019", quote).moment == day("2020-01-01")


def test_a_date_from_another_sentence_is_taken():
    content = "In 2019 all changed. Ann moved last month."
    assert dating(content).start("2019").moment == day("2019-01-01")


def test_where_words_are_of_another_language_the_model_is_believed():
    quote = "Seit vorletztem Jahr wohnt sie in Köln."
    assert dating(quote).start("2022").moment == day("2022-01-01")


@pytest.mark.parametrize("given", ["someday", "2024-02-31", "5024", "2024-13"])
def test_what_is_no_date_is_refused(given):
    with pytest.raises(TimeError):
        dating("Ann moved.").start(given)


def test_no_date_is_no_date():
    assert dating("Ann moved.").start("  ") is None


def test_a_dropped_date_leaves_the_fact_and_is_told():
    belief = Belief(ExtractionContext(prepare(NewEpisode("Ann likes tea.", "2024-05-15"))))
    belief.take(
        Reading.model_validate(
            {
                "facts": [
                    {
                        "subject": "Ann",
                        "relation": "likes",
                        "object": "tea",
                        "quote": "Ann likes tea.",
                        "since": "eternity",
                    }
                ]
            }
        ),
        0,
        14,
    )
    extraction = belief.extraction()
    assert extraction.claims[0].valid_at is None
    assert belief.reasons == {"time": 1}
    assert "eternity" in extraction.dropped[0]


@given(st.text(max_size=50), st.text(max_size=50))
def test_no_text_contains_the_mark_of_its_fence(one, other):
    mark = fence_of((one, other))
    assert mark not in one + other
    assert mark == fence_of((one, other))
    assert fenced("text", one, mark).count(mark) == 2


def test_two_texts_have_two_marks():
    assert fence_of(("a",)) != fence_of(("b",))


def test_tokens_grow_with_the_text_and_count_other_scripts_higher():
    assert count_tokens("") == 0
    assert count_tokens("word " * 100) == 125
    assert count_tokens("漢字" * 10) > count_tokens("kanji" * 4)


async def test_a_rate_spreads_questions():
    throttle = Throttle(per_window=2, window=0.2)
    began = datetime.now(UTC)
    for _ in range(5):
        async with throttle.turn():
            pass
    assert (datetime.now(UTC) - began).total_seconds() >= 0.4
