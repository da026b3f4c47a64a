"""What ask says of facts as texts leave them: posts in two facts, states that ended, the dead."""

import pytest

from graphrag import GraphRAG
from tests.ask.conftest import knowing, unlike

FACTS = (
    ("Gerd Amsel", "leads", "Tarn Trust", "2015-01-01", "2022-01-02"),
    ("Gerd Amsel", "has_role", "chairman", "2015-01-01", "2022-01-02"),
    ("Iris Bohm", "leads", "Tarn Trust", "2022-01-02", None),
    ("Iris Bohm", "has_role", "chairman", "2022-01-02", None),
    ("Emil Roth", "sibling_of", "Jan Roth", None, None),
    ("Emil Roth", "lives_in", "Brno", "2022-01-01", "2022-07-15"),
    ("Emil Roth", "lives_in", "Vienna", "2022-07-15", None),
    ("Bruno Falk", "vital_status", "dead", "2020-05-02", None),
    ("Bruno Falk", "works_at", "Petrel Shipping", "2010-01-01", "2020-05-02"),
)
ANSWERS = {
    "Who is the chairman of the Tarn Trust?": ["Iris Bohm"],
    "Who was the chairman of the Tarn Trust in 2018?": ["Gerd Amsel"],
    "When did Iris Bohm become chairman of the Tarn Trust?": ["2022-01-02"],
    "Where does Jan Roth's brother live?": ["Vienna"],
    "Where did Jan Roth's brother live in February 2022?": ["Brno"],
    "When did Bruno Falk die?": ["2020-05-02"],
    "Is Emil Roth alive?": [],
}


@pytest.fixture
async def town():
    async with knowing(FACTS) as graph:
        yield graph


async def test_answers_by_what_texts_leave_behind(town):
    assert await unlike(town, ANSWERS) == {}


async def test_who_leads_a_body_has_the_title_of_who_leads_it(town):
    assert await unlike(town, {"Who is the editor of the Tarn Trust?": ["Iris Bohm"]}) == {}


SAID = (
    ("2024-01-10", "Lea Fox", "My mum, Fatima Fox, works at Acme."),
    ("2024-02-10", "Lea Fox", "I'm 29 years old."),
    ("2025-02-10", "Lea Fox", "I'm 30 now."),
    ("2024-01-10", None, {"company": "Orsova Mills", "employees": 1200, "phone": "0341 555"}),
    ("2025-01-10", None, {"company": "Orsova Mills", "employees": 1075}),
)
SAID_ANSWERS = {
    "When is Lea Fox's birthday?": ("3 March",),
    "How old is Lea Fox?": ("30",),
    "Who is Lea Fox's mother?": ("Fatima Fox",),
    "Who is Lea Fox's father?": (),
    "Who is Lea Fox's boss?": ("Bo Hill",),
    "Who is Bo Hill's boss?": (),
    "What medication does Lea Fox take?": ("metformin",),
    "How many employees does Orsova Mills have?": ("1075",),
    "How many employees did Orsova Mills have in 2024?": ("1200",),
    "How many employees did Orsova Mills have in 2020?": (),
    "What is the phone number of Orsova Mills?": ("0341 555",),
}


async def test_answers_by_what_people_and_records_say_of_themselves():
    async with GraphRAG.open("mem://") as graph:
        for date, author, text in SAID:
            source = "message" if author else "json"
            await graph.add_episode(text, reference_time=date, author=author, source=source)
        await graph.add_fact("Lea Fox", "has_birthday", "3 March")
        await graph.add_fact("Lea Fox", "reports_to", "Bo Hill", valid_at="2024-02-10")
        await graph.add_fact("Lea Fox", "takes", "metformin", valid_at="2025-02-10")
        found = {question: (await graph.ask(question)).values for question in SAID_ANSWERS}
    assert found == SAID_ANSWERS
