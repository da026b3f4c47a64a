"""A day or month without its year is of the one year that fits, or it is said which do."""

import pytest

from tests.ask.conftest import knowing

FACTS = (
    ("Ida Falk", "visited", "Lund", "2011-03-05", "2011-03-06"),
    ("Ida Falk", "visited", "Ystad", "2013-05-07", "2013-05-08"),
    ("Ida Falk", "visited", "Lund", "2015-05-20", "2015-05-21"),
    ("Ida Falk", "works_at", "Pier Mill", "2011-06-02", "2013-02-01"),
    ("Max Frey", "works_at", "Pier Mill", "2012-06-11", None),
    ("Max Frey", "lives_in", "Lund", None, "2013-02-01"),
    ("Max Frey", "born_in", "Lund", "1980-01-01", None),
)
ANSWERS = {
    "Where did Ida Falk travel on 5 March?": ["Lund"],
    "What did Ida Falk visit on the 7th of May?": ["Ystad"],
    "When did Ida Falk visit Lund in May?": ["2015-05-20"],
    "Did Ida Falk visit Lund on 5 March?": ["yes"],
    "Did Ida Falk visit Lund on 6 March?": ["no"],
    "Who joined Pier Mill on 11 June?": ["Max Frey"],
    "Where did Ida Falk travel on 5 March 2012?": [],
}
WHICH = {
    "What did Ida Falk visit in May?": "several years: 2013, 2015",
    "Who joined Pier Mill in June?": "several years: 2011, 2012",
    "Did Ida Falk work at Pier Mill in July?": "several years: 2011, 2012",
    "Where did Max Frey live in May?": "several years: 2011, 2012",
    "Who worked at Pier Mill in August?": "several years: 2011 to",
    "How old was Max Frey in May?": "every year",
    "As the records stood on 3 May, where did Ida Falk work?": "every year",
}


@pytest.fixture
async def travels():
    async with knowing(FACTS) as graph:
        yield graph


async def test_a_day_without_its_year_is_of_the_year_that_fits(travels):
    for question, values in ANSWERS.items():
        answer = await travels.ask(question)
        assert list(answer.values) == values, (question, answer.how, answer.missing)


async def test_a_day_of_several_years_is_not_guessed(travels):
    for question, missing in WHICH.items():
        answer = await travels.ask(question)
        assert not answer, (question, answer.how)
        assert missing in answer.missing, question


async def test_a_second_month_is_not_passed_over(travels):
    for question in ("Who visited Lund in March or May?", "Who visited Lund in March or November?"):
        assert "not understood" in (await travels.ask(question)).missing


async def test_the_year_is_among_the_steps(travels):
    answer = await travels.ask("Where did Ida Falk travel on 5 March?")
    assert "2011-03-05" in answer.how
