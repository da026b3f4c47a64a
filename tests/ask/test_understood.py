"""No word of a question is passed over: what is not understood is said, and nothing is answered."""

import pytest

from graphrag.testing import HashEmbedder
from tests.ask.conftest import knowing, unlike
from tests.conftest import open_graph

NOT_UNDERSTOOD = {
    "Who never led Hull?": "never",
    "Did Ada Vance never live in York?": "never",
    "Didn't Ada Vance live in York?": "Didn't",
    "Whom did Ada Vance secretly marry?": "secretly",
    "Which big city did Ada Vance live in?": "big",
    "Who was bailiff of Hull two years after Ben Rowe?": "two",
    "Where did Ada Vance live in 1985 and in 1995?": "in 1995",
    "Why did Ada Vance live in York?": "Why",
    "Who else lived in York?": "else",
    "Who lived in York twice?": "twice",
    "Who only lived in York?": "only",
    "Where did Ada Vance live previously?": "previously",
    "Who was the previous bailiff of Hull?": "previous",
    "Did Ada Vance live in York earlier?": "earlier",
    "Where did Ada Vance live next?": "next",
    "Who recently inspected Brook Mill?": "recently",
    "Did Ada Vance teleport to York?": "teleport",
    "Where did Ada Vance live without Tom?": "without",
    "Which religious residence did Ada Vance have?": "religious",
    "What was the sixth-floor residence of Ada Vance?": "sixth-floor",
    "Which residence of Ada Vance ended first?": "ends",
    "In which decade did Ada Vance live in York?": "decade",
    "For how long did Ada Vance happily live in York?": "happily",
    "Since when has Dan Pym reluctantly been bailiff of Hull?": "reluctantly",
    "How many grey residences did Ada Vance have?": "grey",
    "Where did Ada Vance live when Ben Rowe was wrongly bailiff of Hull?": "wrongly",
}


async def test_word_that_is_not_understood_is_named(town):
    for question, word in NOT_UNDERSTOOD.items():
        answer = await town.ask(question)
        assert not answer, answer.how
        assert answer.missing.startswith("not understood")
        assert word in answer.missing


class NearOpposites(HashEmbedder):
    """Embed "dislike" as "likes": as words of one topic, opposites are near in meaning."""

    def _word(self, word):
        return super()._word(word.replace("dislike", "likes"))


@pytest.mark.parametrize("question", ["Whom does Ada dislike?", "Does Ada dislike Tom?"])
async def test_the_opposite_of_what_is_asked_is_no_answer(question):
    async with open_graph(embedder=NearOpposites()) as graph:
        await graph.add_fact("Ada", "likes", "Tom")
        answer = await graph.ask(question)
        assert answer.missing == "only the opposite is known: likes"


NO_ANSWER = {
    "When did Ben Rowe leave Hull Harbour Board?": "inspected",
    "When did Cora Lunt leave York?": "no fact is known between",
    "When did Ada Vance leave Hull?": "no end is known",
    "Who was bailiff of Hull after Dan Pym left Hull?": "left; known: has_function",
    "Who was Ben Rowe's predecessor as bailiff of Hull?": "no fact fits",
    "Who was bailiff of Hull for more than fifty years?": "not understood: more",
    "Where did Ada Vance live when Cora Lunt was inspected?": "not understood",
    "Who was bailiff of Hull on 30 February 1995?": "not understood: 30",
    "Who was bailiff of Hull on 29 February 1995?": "not understood: 29",
    "Who was bailiff of Hull on 1995-02-30?": "not understood: 1995-02-30",
    "Who was bailiff of Hull on June 31st, 1995?": "not understood: June",
    "Who was bailiff of Hull between 2000 and 1995?": "not understood: 1995",
    "How old is Ada Vance?": "no birthday is known",
    "Where will Ada Vance live?": "planned",
}


async def test_what_does_not_hold_has_no_answer(town):
    for question, missing in NO_ANSWER.items():
        answer = await town.ask(question)
        assert not answer, answer.how
        assert missing in answer.missing, question


ANSWERS = {
    "Which residences of Ada Vance ended before 1995?": ["Leeds"],
    "Who left Brook Mill in 1995?": ["Ada Vance"],
    "Who joined Brook Mill in 1990?": [],
    "Who besides Ada Vance lived in York?": ["Ben Rowe"],
    "In which county does Ada Vance live?": ["Humberside"],
    "Who was bailiff of Hull after Ada Vance left Brook Mill?": ["Dan Pym"],
    "Which job did Ada Vance start while living in Hull?": ["Hull Harbour Board"],
    "Who was bailiff of Hull in the 1980s?": [],
    "Who was bailiff of Hull in the nineties?": ["Ben Rowe", "Cora Lunt"],
    "Whose employer was Brook Mill in 1990?": ["Ada Vance"],
}


async def test_limits_of_a_question_are_kept(town):
    for question, values in ANSWERS.items():
        answer = await town.ask(question)
        assert list(answer.values) == values, answer.how


FAMILY = (
    ("Ann Reed", "born_in", "Port Wick", "1970-06-30", None),
    ("Ann Reed", "married_to", "Carl Reed", "1995-05-01", "2005-01-01"),
    ("Ann Reed", "lives_in", "Port Wick", "1990", None),
    ("Ann Reed", "works_at", "Reed Yard", "2001-01-01", "2010-01-01"),
    ("Ann Reed", "works_at", "Wick Docks", "2010-01-01", None),
    ("Ann Reed", "works_at", "Moon Base", "2999-01-01", None),
    ("Carl Reed", "works_at", "Reed Yard", "2003-01-01", None),
    ("Mark Oll", "works_at", "Reed Yard", "2012-01-01", None),
    ("Ann Reed", "parent_of", "Dora Reed", "1996-02-29", None),
    ("Carl Reed", "parent_of", "Dora Reed", "1996-02-29", None),
    ("Port Wick", "capital_of", "Wickland", "1900", None),
    ("Gus Hale", "founded", "Reed Yard", "1950-03-01", "1950-03-02"),
    ("Gus Hale", "born_in", "Port Wick", "1920-01-01", None),
)
OF_THE_FAMILY = {
    "How old was Ann Reed on 30 June 2000?": ["30"],
    "How old was Ann Reed on 29 June 2000?": ["29"],
    "How old was Ann Reed when she joined Wick Docks?": ["39"],
    "At what age did Ann Reed marry Carl Reed?": ["24"],
    "How old was Ann Reed on her wedding day?": ["24"],
    "What was Ann Reed's age in March 1990?": ["19"],
    "When was Ann Reed born?": ["1970-06-30"],
    "When did Ann Reed get married to Carl Reed?": ["1995-05-01"],
    "When was the marriage of Ann Reed and Carl Reed over?": ["2005-01-01"],
    "Where does Ann Reed work?": ["Wick Docks"],
    "What was Ann Reed's last job?": ["Wick Docks"],
    "Where did Ann Reed work?": ["Reed Yard", "Wick Docks"],
    "Where will Ann Reed work?": ["Moon Base"],
    "Who are Ann Reed's children?": ["Dora Reed"],
    "How many children does Ann Reed have?": ["1"],
    "Who are the parents of Dora Reed?": ["Ann Reed", "Carl Reed"],
    "Who is the mother of Dora Reed?": [],
    "Where was the founder of Reed Yard born?": ["Port Wick"],
    "where does ann reed work": ["Wick Docks"],
    "ann reed employer 2005?": ["Reed Yard"],
    "who left the mark at reed yard?": [],
}


@pytest.fixture
async def family():
    async with knowing(FAMILY) as graph:
        yield graph


async def test_ages_plans_and_kin(family):
    assert not await unlike(family, OF_THE_FAMILY)


NOT_TRIED = (
    "Who worked at Reed Yard for more than five years?",
    "Who worked at Reed Yard more than once in 2004?",
    "How did Gus Hale die?",
    "What does Carl Reed do?",
    "Who is Carl Reed?",
    "With whom did Ann Reed live?",
    "Did Mark Oll work with Ann Reed?",
    "Who were Carl Reed's colleagues at Reed Yard in 2004?",
    "Did Ann Reed and Carl Reed live in Port Wick at the same time?",
    "Is it true that Ann Reed never lived in Port Wick?",
    "Who worked at Reed Yard but never at Wick Docks?",
    "Who is older, Ann Reed or Gus Hale?",
    "Who are the grandchildren of Gus Hale?",
    "Who is Ann Reed's mother-in-law?",
    "When did Ann Reed rejoin Reed Yard?",
    "When did Ann Reed return to Port Wick?",
    "Is Ann Reed alive?",
    "In which country does Ann Reed live?",
    "Who worked at Reed Yard while Ann Reed lived in Port Wick and worked at Wick Docks?",
)


async def test_what_it_does_not_read_it_does_not_answer(family):
    for question in NOT_TRIED:
        answer = await family.ask(question)
        assert not answer and answer.missing, (question, answer.how)
