"""What ask says of facts as texts leave them: posts in two facts, states that ended, the dead."""

import pytest

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
    "Is Bruno Falk alive?": ["no"],
    "Is Bruno Falk still alive?": ["no"],
    "Was Bruno Falk alive in 2019?": ["yes"],
    "Was Bruno Falk alive in 2021?": ["no"],
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
