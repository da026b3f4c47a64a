"""Questions that sound like the facts and ask for something else: none is answered wrongly."""

import pytest

from tests.ask.conftest import knowing, unlike

FACTS = (
    ("Ann Keller", "works_at", "Borealis Inc.", "2001", None),
    ("Ann Keller", "lives_in", "Bern", "1998", None),
    ("Ann Sommer", "born_in", "Basel", "1980", None),
    ("Tom Okafor", "plays_for", "Harrow Town", "2001", "2004"),
    ("Vera Holt", "has_office", "mayor of Bern", "2010", "2014"),
    ("Aldia", "phoned", "Basel", "2012-05-01", "2012-05-02"),
    ("Ray Holt", "visited", "Fylde", "2003-04-01", "2003-04-02"),
    ("Ray Holt", "visited", "Hoy", "2010-04-01", "2010-04-02"),
    ("Wes Pym", "warden_of", "Arden", "2011-01-01", None),
    ("Ida Vance", "wife_of", "Tom Vance", "1988", None),
    ("Ida Vance", "won", "Salt Prize", "1991-05-01", "1991-05-02"),
    ("Ida Vance", "employed_at", "Brook Mill", "1985", "1995"),
    ("Ann Reed", "parent_of", "Dora Reed", "1996-02-29", None),
    ("Emil Roth", "sibling_of", "Jan Roth", None, None),
    ("Port Wick", "capital_of", "Wickland", "1900", None),
    ("Galway Rovers", "is_associated_with_sport", "hurling", None, None),
    ("hurling", "was_created_in_country", "Ireland", None, None),
    ("Haru Mori", "created", "Blue Tide", "2002", None),
    ("Haru Mori", "has_members", "15 people", "2002", None),
)
NO_FACT_SAYS_SO = """
Did Ann Keller pay Borealis?
Did Ann Keller file Borealis?
Did Ann Keller name Borealis?
Did Ann Keller find Bern?
Did Ann Keller divorce Bern?
What did Ann Keller pay in 2001?
What did Tom Okafor give in 2002?
What did Tom Okafor pay in 2002?
What did Vera Holt give in 2010?
What did Vera Holt complete in 2012?
What did Ida Vance pick up in 1991?
What did Ray Holt order in 2003?
What did Ray Holt present in 2003?
What did Ray Holt finish in 2003?
What did Ray Holt get in 2003?
When was Ann Keller fired by Borealis?
When did Tom Okafor divorce Harrow Town?
When did Tom Okafor captain Harrow Town?
Where did Ann Keller come from?
Is Vera Holt from Bern?
Did Ida Vance give the Salt Prize?
Did Ida Vance receive the Salt Prize from Tom Vance?
How long did it take Ann Keller to move to Bern?
Did Ann Reed bear Dora Reed?
Who created Galway Rovers?
Haru Mori in 2002?
Who was Haru Mori in 2002?
Was Ann Keller born in Basel?
Is Ida Vance older than Tom Vance?
Did Ann Keller refuse to live in Bern?
Was Ann Keller almost mayor of Bern?
Who nearly became mayor of Bern in 2010?
""".strip().split("\n")
THE_OTHER_WAY_ROUND = """
Who appointed Vera Holt?
Who elected Vera Holt?
Whom did Vera Holt appoint?
Whom did Vera Holt dismiss?
Who fired Ida Vance?
Whom did Ida Vance hire?
Whom did Ida Vance employ?
Who awarded the Salt Prize?
What did Ida Vance award in 1991?
Who lives in Ann Keller?
Where does Bern live?
Whose husband is Ida Vance?
Who is the wife of Ida Vance?
Who is Tom Vance's husband?
Who is the child of Dora Reed?
Whose parent is Dora Reed?
Is Ann Reed Dora Reed's father?
Is Jan Roth the sister of Emil Roth?
Of what is Wickland the capital?
What is the capital of Port Wick?
Whose warden is Arden?
Who is Wes Pym's warden?
Who phoned Aldia?
Whom did Basel phone?
""".strip().split("\n")
NOTHING_IS_ASKED_OF_IT = """
Is Ann Keller Bern?
Is Ida Vance Tom Vance?
Has Ann Keller Bern?
Does Ida Vance have Tom Vance?
Did Wes Pym start Arden?
Did Wes Pym become Arden?
Did Wes Pym do Arden?
Who started Arden in 2011?
Who ended Arden?
Who was in Arden in 2012?
Who was Wes Pym in 2012?
What happened in Arden in 2011?
What happened to Wes Pym in 2011?
When did Arden begin?
When did Wes Pym end?
Wes Pym's latest?
Is Borealis in Bern?
""".strip().split("\n")
REQUESTS = """
Give the relation between Ann Keller and Bern
List the links of Ann Keller to Bern
Name the job of Ann Keller at Borealis.
Tell me about Ann Keller and Bern
Tell me about Ann Keller at Borealis.
Show me Ann Keller and Bern
I'd like to know the job of Ann Keller at Borealis
The job that Ann Keller had at Borealis
Ann Keller's job at Borealis?
Ann Keller and Bern?
Could you give me the story of Ann Keller at Borealis?
Did the mayor tell anyone that, as far as we know, Aldia ever phoned Bern?
""".strip().split("\n")
ANSWERED = {
    "Who is Tom Vance's wife?": ["Ida Vance"],
    "Who is Ida Vance's husband?": ["Tom Vance"],
    "Whose wife is Ida Vance?": ["Tom Vance"],
    "Whom did Tom Vance marry?": ["Ida Vance"],
    "Is Tom Vance the wife of Ida Vance?": ["no"],
    "Is Dora Reed the child of Ann Reed?": ["yes"],
    "Is Ann Reed the child of Dora Reed?": ["no"],
    "Whose child is Dora Reed?": ["Ann Reed"],
    "Of what is Port Wick the capital?": ["Wickland"],
    "Whose warden is Wes Pym?": ["Arden"],
    "Who employed Ida Vance in 1990?": ["Brook Mill"],
    "Whom did Brook Mill employ?": ["Ida Vance"],
    "When was Tom Okafor transferred to Harrow Town?": ["2001"],
    "When did Ida Vance depart from Brook Mill?": ["1995"],
    "When was Ida Vance given the Salt Prize?": ["1991-05-01"],
    "How long did Tom Okafor stay at Harrow Town?": ["1095 days"],
    "What did Haru Mori bring out in 2002?": ["Blue Tide"],
    "Tom Okafor, still at Harrow Town?": ["no"],
    "Was Tom Okafor at Harrow Town in 2002?": ["yes"],
    "Was Ann Keller ever mayor of Bern?": ["no"],
    "Who was mayor of Bern in 2012?": ["Vera Holt"],
    "What was Vera Holt in 2012?": ["mayor of Bern"],
    "Ray Holt visited Hoy?": ["yes"],
}


ALL = (NO_FACT_SAYS_SO, THE_OTHER_WAY_ROUND, NOTHING_IS_ASKED_OF_IT, REQUESTS)


@pytest.fixture(scope="module")
async def land():
    async with knowing(FACTS) as graph:
        yield graph


@pytest.mark.parametrize("questions", ALL)
async def test_what_no_fact_says_is_not_answered(land, questions):
    assert await unlike(land, {question: [] for question in questions}) == {}


async def test_what_a_fact_says_in_these_words_is_answered(land):
    assert await unlike(land, ANSWERED) == {}
