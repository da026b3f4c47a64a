"""Conditions bound an answer: at the time of another fact, or from the one to the other."""

import pytest

from tests.ask.conftest import knowing, unlike

FACTS = (
    ("Ray Holt", "lives_in", "Arden", "2000-01-01", "2006-01-01"),
    ("Ray Holt", "lives_in", "Byland", "2006-01-01", "2012-01-01"),
    ("Ray Holt", "lives_in", "Corfe", "2012-01-01", None),
    ("Ray Holt", "works_at", "Dale Press", "2001-01-01", "2008-01-01"),
    ("Ray Holt", "works_at", "Esk Paper", "2009-01-01", "2013-01-01"),
    ("Sue Lamb", "works_at", "Esk Paper", "2004-01-01", "2010-01-01"),
    ("Sue Lamb", "lives_in", "Byland", "2005-01-01", None),
    ("Ted Mohr", "warden_of", "Arden", "2000-01-01", "2005-01-01"),
    ("Una Nash", "warden_of", "Arden", "2005-01-01", "2007-06-01"),
    ("Vic Ohm", "warden_of", "Arden", "2007-06-01", "2011-01-01"),
    ("Wes Pym", "warden_of", "Arden", "2011-01-01", None),
    ("Ray Holt", "visited", "Fylde", "2003-04-01", "2003-04-02"),
    ("Ray Holt", "visited", "Gigha", "2007-04-01", "2007-04-02"),
    ("Ray Holt", "visited", "Iona", "2004-04-01", "2004-04-02"),
    ("Ray Holt", "visited", "Iona", "2011-04-01", "2011-04-02"),
    ("Ray Holt", "visited", "Hoy", "2010-04-01", "2010-04-02"),
)
ANSWERS = {
    "Did Ray Holt visit Hoy while he lived in Byland?": ["yes"],
    "Did Ray Holt visit Fylde while he lived in Byland?": ["no"],
    "What did Ray Holt visit after leaving Arden but before joining Esk Paper?": ["Gigha"],
    "What did Ray Holt visit after visiting Fylde but before visiting Hoy?": ["Iona", "Gigha"],
    "Who was warden of Arden after Ted Mohr but before Wes Pym?": ["Una Nash", "Vic Ohm"],
    "Where did Ray Holt live before moving to Corfe but after joining Esk Paper?": ["Byland"],
}
NO_ANSWER = {
    "Who was warden of Arden while Ray Holt lived in Corfe and worked at Dale Press?": "names 3",
    "Who was warden of Arden while Ray Holt lived in Byland and Sue Lamb sang?": "names 3",
    "When did Ray Holt and Sue Lamb visit Hoy?": "names 3 entities",
    "Did Ray Holt visit Fylde and Gigha?": "names 3 entities",
    "Did Ray Holt live between Arden and Byland?": "names 3 entities",
    "Who was warden of Arden between Ted Mohr and Vic Ohm?": "names 3 entities",
}


@pytest.fixture
async def shire():
    async with knowing(FACTS) as graph:
        yield graph


async def test_both_conditions_hold(shire):
    other = await unlike(shire, ANSWERS)
    assert not other, "\n".join(map(str, other.items()))


async def test_conditions_that_do_not_meet_have_no_answer(shire):
    for question, missing in NO_ANSWER.items():
        answer = await shire.ask(question)
        assert not answer, (question, answer.how)
        assert missing in answer.missing, (question, answer.missing)


async def test_the_facts_of_both_conditions_bound_the_answer(shire):
    answer = await shire.ask("Who was warden of Arden after Ted Mohr but before Vic Ohm?")
    assert [fact.subject for fact in answer.bounds] == ["Ted Mohr", "Vic Ohm"]
