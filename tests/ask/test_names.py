"""Entities are found by what people call them, if only one fits the question."""

from tests.ask.conftest import knowing, unlike

FACTS = (
    ("Ann Keller", "works_at", "Borealis Inc.", "2019", None),
    ("Ann Keller", "lives_in", "Bern", "2018", None),
    ("Ann Sommer", "born_in", "Basel", "1980", None),
    ("Tom Okafor", "plays_for", "Harrow Town F.C.", "2001", "2004"),
    ("Tom Okafor", "plays_for", "Luton Rovers (reserves)", "2004", "2008"),
    ("Navy (Aldia)", "visited", "Bern", "2011-05-01", "2011-05-02"),
    ("Aldia", "phoned", "Basel", "2012-05-01", "2012-05-02"),
    ("Vera Holt", "has_office", "mayor of Bern", "2010", "2014"),
)
ANSWERS = {
    "Where does Keller live?": ["Bern"],
    "Where does Ann live?": ["Bern"],
    "Where was Ann born?": ["Basel"],
    "where does keller live?": ["Bern"],
    "Who works at Borealis?": ["Ann Keller"],
    "Who played for Harrow Town in 2002?": ["Tom Okafor"],
    "Who played for Luton Rovers?": ["Tom Okafor"],
    "When did the navy of Aldia visit Bern?": ["2011-05-01"],
    "Did the Aldia navy visit Bern?": ["yes"],
    "Whom did the Aldia navy visit?": ["Bern"],
    "Who was Bern's mayor in 2012?": ["Vera Holt"],
    "The present mayor of Bern?": [],
}


async def test_short_names_stand_for_the_one_that_fits():
    async with knowing(FACTS) as graph:
        assert not await unlike(graph, ANSWERS)


async def test_name_that_several_bear_is_not_guessed():
    async with knowing((*FACTS, ("Ann Sommer", "lives_in", "Basel", "1999", None))) as graph:
        answer = await graph.ask("Where does Ann live?")
        assert not answer and "may be Ann Keller, Ann Sommer" in answer.missing
