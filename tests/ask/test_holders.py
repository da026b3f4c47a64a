"""Who came before and after whom in a post that several hold at once."""

import pytest

from tests.ask.conftest import knowing

FACTS = (
    ("Ava Lin", "canon_of", "Ely Chapter", "2000-01-01", "2005-01-01"),
    ("Bo Marsh", "canon_of", "Ely Chapter", "2001-01-01", "2007-01-01"),
    ("Cal Nye", "canon_of", "Ely Chapter", "2005-03-01", "2009-01-01"),
    ("Dot Orr", "canon_of", "Ely Chapter", "2007-02-01", None),
    ("Eli Park", "provost_of", "Ely Chapter", "2000-01-01", "2004-01-01"),
    ("Flo Quinn", "provost_of", "Ely Chapter", "2003-12-20", "2010-01-01"),
)
ANSWERS = {
    "Who was Dot Orr's predecessor as canon of Ely Chapter?": ["Bo Marsh"],
    "Who was canon of Ely Chapter before Cal Nye?": ["Ava Lin"],
    "Who succeeded Ava Lin as canon of Ely Chapter?": ["Cal Nye"],
    "Who was canon of Ely Chapter right after Bo Marsh?": ["Dot Orr"],
    "Who preceded Bo Marsh as canon of Ely Chapter?": [],
    "Who succeeded Dot Orr as canon of Ely Chapter?": [],
    "Who preceded Flo Quinn as provost of Ely Chapter?": ["Eli Park"],
    "Who succeeded Eli Park as provost of Ely Chapter?": ["Flo Quinn"],
}


@pytest.fixture
async def chapter():
    async with knowing(FACTS) as graph:
        yield graph


async def test_of_several_holders_the_predecessor_is_who_had_ended_last(chapter):
    for question, values in ANSWERS.items():
        answer = await chapter.ask(question)
        assert list(answer.values) == values, (question, answer.how)
        assert ("several hold it at once" in answer.how) is (
            "canon" in question and "Dot Orr as" not in question
        )
