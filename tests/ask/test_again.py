"""A second spell of one relation with one object: rejoined, returned, came back, again."""

import pytest

from tests.ask.conftest import knowing

FACTS = (
    ("Lea Voss", "works_at", "Tarn Glass", "2010-02-01", "2013-05-01"),
    ("Lea Voss", "works_at", "Bell Foundry", "2013-05-01", "2016-03-15"),
    ("Lea Voss", "works_at", "Tarn Glass", "2016-03-15", None),
    ("Lea Voss", "lives_in", "Kell", "2009-01-01", "2011-01-01"),
    ("Lea Voss", "lives_in", "Moss", "2011-01-01", "2018-01-01"),
    ("Lea Voss", "lives_in", "Kell", "2018-01-01", None),
    ("Lea Voss", "visited", "Moss", "2019-07-01", "2019-07-02"),
    ("Pim Ross", "works_at", "Tarn Glass", "2011-01-01", "2012-01-01"),
    ("Pim Ross", "works_at", "Tarn Glass", "2012-01-01", "2014-01-01"),
    ("Pim Ross", "visited", "Kell", "2012-07-01", "2012-07-02"),
    ("Pim Ross", "visited", "Kell", "2014-07-01", "2014-07-02"),
    ("Pim Ross", "visited", "Kell", "2016-07-01", "2016-07-02"),
)
ANSWERS = {
    "When did Lea Voss rejoin Tarn Glass?": ["2016-03-15"],
    "When did Lea Voss return to Tarn Glass?": ["2016-03-15"],
    "When did Lea Voss come back to Tarn Glass?": ["2016-03-15"],
    "In which year did Lea Voss go back to Tarn Glass?": ["2016"],
    "When did Lea Voss move back to Kell?": ["2018"],
    "When did Pim Ross return to Kell?": ["2014-07-01", "2016-07-01"],
    "When did Pim Ross first return to Kell?": ["2014-07-01"],
    "How often has Pim Ross returned to Kell?": ["2"],
    "How many times has Lea Voss worked for Tarn Glass?": ["2"],
    "How many times has Pim Ross worked for Tarn Glass?": ["1"],
    "Who rejoined Tarn Glass?": ["Lea Voss"],
    "Who returned to Tarn Glass in 2016?": ["Lea Voss"],
    "Who returned to Tarn Glass in 2010?": [],
    "Where did Lea Voss live when she rejoined Tarn Glass?": ["Moss"],
    "Where did Lea Voss work before rejoining Tarn Glass?": ["Bell Foundry"],
    "Did Lea Voss ever return to Tarn Glass?": ["yes"],
    "Did Pim Ross rejoin Tarn Glass?": ["no"],
    "Did Lea Voss return to Bell Foundry?": ["no"],
}


@pytest.fixture
async def works():
    async with knowing(FACTS) as graph:
        yield graph


async def test_a_second_spell_is_a_return(works):
    for question, values in ANSWERS.items():
        answer = await works.ask(question)
        assert list(answer.values) == values, (question, answer.how, answer.missing)


async def test_a_return_by_another_relation_is_no_yes_and_no_no(works):
    answer = await works.ask("Did Lea Voss return to Moss?")
    assert not answer
    assert "the relations differ" in answer.missing
