"""A role that is an entity of its own is found by its words and its body."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from tests.ask.conftest import knowing, unlike
from tests.conftest import open_graph

FACTS = (
    ("Abe Stone", "has_role", "CEO of Acme Corp", "2012-01-01", "2018-01-01"),
    ("Bea Lund", "has_role", "CEO of Acme Corp", "2018-01-01", None),
    ("Cy Dorn", "works_at", "Acme Corp", "2010-01-01", None),
    ("Dee Falk", "has_role", "treasurer", "2011-01-01", "2016-01-01"),
    ("Dee Falk", "works_at", "Onyx Bank", "2009-01-01", "2019-01-01"),
    ("Eve Gold", "has_role", "treasurer", "2016-01-01", None),
    ("Eve Gold", "works_at", "Onyx Bank", "2017-01-01", None),
    ("Fox Hart", "has_role", "Head of Sales", "2011-01-01", None),
    ("Fox Hart", "works_at", "Onyx Bank", "2010-01-01", "2014-01-01"),
    ("Fox Hart", "works_at", "Acme Corp", "2014-01-01", None),
    ("Dee Falk", "lives_in", "Rill", "2000-01-01", None),
    ("Cy Dorn", "lives_in", "Rill", "2000-01-01", "2013-01-01"),
    ("Cy Dorn", "lives_in", "Beck", "2013-01-01", None),
)
ANSWERS = {
    "Who was CEO of Acme Corp in 2019?": ["Bea Lund"],
    "Who was Acme Corp's CEO in 2013?": ["Abe Stone"],
    "Who was the CEO at Acme Corp in 2013?": ["Abe Stone"],
    "Who was the predecessor of Bea Lund as Acme Corp's CEO?": ["Abe Stone"],
    "Since when has Bea Lund been CEO at Acme Corp?": ["2018"],
    "Was Cy Dorn Acme Corp's CEO?": ["no"],
    "Who was treasurer of Onyx Bank in 2013?": ["Dee Falk"],
    "Who is Onyx Bank's treasurer?": ["Eve Gold"],
    "Who was the treasurer at Onyx Bank in 2016?": [],
    "Who was treasurer of Onyx Bank before Eve Gold?": ["Dee Falk"],
    "Since when has Eve Gold been treasurer of Onyx Bank?": ["2017"],
    "Was Dee Falk treasurer of Onyx Bank in 2010?": ["no"],
    "How many treasurers of Onyx Bank were there?": [],
    "Where did Cy Dorn live when Dee Falk was treasurer of Onyx Bank?": ["Rill", "Beck"],
    "Who was treasurer of Acme Corp?": [],
}


@pytest.fixture
async def firms():
    async with knowing(FACTS) as graph:
        yield graph


async def test_who_holds_a_role_of_a_body(firms):
    other = await unlike(firms, ANSWERS)
    assert not other, "\n".join(map(str, other.items()))


async def test_a_role_beside_two_bodies_is_of_neither(firms):
    for question in (
        "Who was head of sales at Onyx Bank in 2012?",
        "Who is the head of sales of Acme Corp?",
    ):
        answer = await firms.ask(question)
        assert not answer, answer.how
        assert "may be another's" in answer.missing


async def test_role_and_job_are_both_facts_of_the_answer(firms):
    answer = await firms.ask("Who was treasurer of Onyx Bank in 2013?")
    assert [fact.relation for fact in answer.facts] == ["has_role", "works_at"]


async def test_who_leads_by_no_title_that_is_known_has_the_post():
    facts = (
        ("Luis Ferrante", "leads", "Amber Society", "2023", "2024"),
        ("Ida Roos", "leads", "Amber Society", "2024", None),
        ("Ida Roos", "has_role", "president", "2024", None),
        ("Ola Finn", "works_at", "Amber Society", "2023", None),
        ("Ola Finn", "has_role", "vice president", "2023", None),
    )
    async with knowing(facts) as graph:
        answers = {
            "Who was the president of the Amber Society in 2023?": ["Luis Ferrante"],
            "Who is the president of the Amber Society?": ["Ida Roos"],
            "Who succeeded Luis Ferrante as president of the Amber Society?": ["Ida Roos"],
            "Who is the vice president of the Amber Society?": ["Ola Finn"],
        }
        assert await unlike(graph, answers) == {}


async def test_a_title_that_is_an_entity_without_facts_is_a_word():
    async with open_graph(extractor=RulesExtractor()) as graph:
        for text in (
            "Nora Beck is the CEO of Dale.",
            "Ola Finn replaced Nora Beck as CEO of Dale.",
        ):
            await graph.add_episode(text, reference_time="2024-05-01")
        assert (await graph.ask("Who is the CEO of Dale?")).values == ("Ola Finn",)
