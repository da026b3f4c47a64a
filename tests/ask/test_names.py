"""Entities are found by what people call them, if only one fits the question."""

from datetime import UTC, datetime, timedelta

import pytest

from graphrag import GraphRAG, Models, Query
from graphrag.ask.query import Named
from graphrag.model.extraction import Claim, Extraction, Mention
from graphrag.temporal.moment import utc_now
from graphrag.testing import HashEmbedder, ScriptedExtractor
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


async def test_a_middle_name_and_what_completes_a_name_may_stand_apart():
    facts = (
        ("Ann M. Keller", "lives_in", "Bern", "2018", None),
        ("Ann M. Keller", "studies_at", "Zurich School of Arts", "2001", "2005"),
        ("Bern", "phoned", "Basel", "2012-05-01", "2012-05-02"),
        ("Vera Holt", "has_office", "mayor of Bern", "2010", "2014"),
        ("Lena Boll", "has_office", "mayor of Bern", "2014", "2016"),
    )
    answers = {
        "Where does Ann Keller live?": ["Bern"],
        "where does kellers live?": ["Bern"],
        "Since when was Keller at ZSA?": ["2001"],
        "Did Keller study at ZSA?": ["yes"],
        "How many different mayors did Bern have?": ["2"],
        "Who was in Bern as mayor in 2012?": ["Vera Holt"],
        "Who lived in Basel?": [],
        "Did Keller study at LSE?": [],
    }
    async with knowing(facts) as graph:
        assert not await unlike(graph, answers)


async def test_a_name_in_brackets_is_a_name():
    facts = (("(Old Hull Mill)", "owned_by", "Ann Lee", "2010", None),)
    async with knowing(facts) as graph:
        answers = {"Who owns Old Hull Mill?": ["Ann Lee"], "Who owns Old Mill?": []}
        assert not await unlike(graph, answers)


async def test_an_apostrophe_is_one_however_it_is_written():
    for written, asked in (("O’Brien Ltd", "O'Brien"), ("O'Brien Ltd", "O’Brien")):
        async with knowing(((written, "owned_by", "Ann Lee", "2010", None),)) as graph:
            assert not await unlike(graph, {f"Who owns {asked} Ltd?": ["Ann Lee"]})


async def test_only_words_near_a_name_complete_it():
    asked = "Did the mayor tell anyone that, as far as we know, Aldia ever phoned Bern?"
    async with knowing(FACTS) as graph:
        assert not await unlike(graph, {asked: []})


async def test_what_names_nothing_has_no_facts():
    async with knowing(FACTS) as graph:
        missing = (await graph.query(Query(Named("Zed", ()), "works_at"))).missing
        assert missing == "no entity is called 'Zed'"


async def test_plans_lie_ahead_and_what_was_lies_behind():
    day, week = utc_now() + timedelta(days=3), timedelta(days=7)
    facts = [
        ("Ann Lee", "meets", name, f"{at:%Y-%m-%d}", f"{at + timedelta(days=1):%Y-%m-%d}")
        for name, at in (("Bob Oak", day), ("Tom Oak", day - week))
    ]
    async with knowing(facts) as graph:
        answers = {
            f"Whom will Ann Lee meet on {day:%A}?": ["Bob Oak"],
            f"Whom did Ann Lee meet on {day:%A}?": ["Tom Oak"],
        }
        assert not await unlike(graph, answers)


CALLED = {
    "What is Talon Bikes called?": ["Corvo Cycles"],
    "What is Talon Bikes called now?": ["Corvo Cycles"],
    "what's the new name of talon bikes": ["Corvo Cycles"],
    "What was Corvo Cycles called before?": ["Talon Bikes"],
    "What was Talon Bikes formerly called?": ["Talon Bikes"],
    "What did Corvo Cycles use to be called?": ["Talon Bikes"],
    "What was Corvo Cycles called in 2024?": ["Talon Bikes"],
    "What was Ghent called before?": [],
    "What was Corvo Cycles called in 2025?": ["Talon Bikes", "Corvo Cycles"],
    "What is the old name of Corvo Cycles?": ["Talon Bikes"],
    "What is the previous name of Corvo Cycles?": ["Talon Bikes"],
    "What is Corvo Cycles's former name?": ["Talon Bikes"],
    "What was Corvo Cycles's original name?": ["Talon Bikes"],
    "What is the name of Talon Bikes?": ["Corvo Cycles"],
    "What is the maiden name of Corvo Cycles?": [],
    "What is Corvo Cycles's stage name?": [],
    "What is the domain name of Talon Bikes?": [],
    "What was Corvo Cycles called to do?": [],
    "What was Corvo Cycles not called?": [],
    "What was Corvo Cycles called by Ghent?": [],
}
AGAIN = {
    "What is Corvo Cycles called?": ["Talon Bikes"],
    "What was Talon Bikes called before?": ["Corvo Cycles"],
    "What was Corvo Cycles called before?": ["Talon Bikes"],
    "What was Talon Bikes originally called?": ["Talon Bikes"],
    "What was Talon Bikes called in July 2025?": ["Corvo Cycles"],
}


def renamed(old, new, day, text):
    moment = datetime.fromisoformat(day).replace(tzinfo=UTC)
    old, new = Mention(old), Mention(new)
    claim = Claim(old, "renamed_to", new, text, 0, 1, valid_at=moment, valid_precision="day")
    return Extraction((), (claim,))


@pytest.fixture
async def bikes():
    based = Claim(Mention("Talon Bikes"), "located_in", Mention("Ghent", "place"), "y", 0, 1)
    read = {
        "y": Extraction((), (based,)),
        "x": renamed("Talon Bikes", "Corvo Cycles", "2025-03-01", "x"),
        "z": renamed("Corvo Cycles", "Talon Bikes", "2025-08-01", "z"),
    }
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor(read))
    async with GraphRAG.open("mem://", models=models) as graph:
        await graph.add_episode("y", reference_time="2025-01-01")
        await graph.add_episode("x", reference_time="2025-03-05")
        yield graph


async def test_what_something_is_or_was_called_is_answered_from_its_dated_names(bikes):
    assert not await unlike(bikes, CALLED)
    then = bikes.at(valid_at="2025-02-01")
    assert (await then.ask("What is Corvo Cycles called?")).values == ("Talon Bikes",)
    before = await then.ask("What was Corvo Cycles called before?")
    assert before.missing == "no earlier name is known of Corvo Cycles"


async def test_a_name_may_come_back(bikes):
    await bikes.add_episode("z", reference_time="2025-08-02")
    assert not await unlike(bikes, AGAIN)


async def test_the_query_for_a_name_says_of_when(bikes):
    for question, holds in (
        ("What is Talon Bikes called?", "now"),
        ("What was Corvo Cycles called before?", "ended"),
    ):
        assert (await bikes.ask(question)).query.holds == holds
    asked = (await bikes.ask("What was Corvo Cycles called in 2024?")).query
    assert asked.interval.start == datetime(2024, 1, 1, tzinfo=UTC)


async def test_who_is_no_number_of_people():
    facts = (("Kroon", "has_employees", "15 people", None, None),)
    counted = {"How many people work at Kroon?": ["15"], "How many employees has Kroon?": ["15"]}
    asked = ("Who works at Kroon?", "Who are the employees of Kroon?", "Whom does Kroon employ?")
    async with knowing(facts) as graph:
        assert not await unlike(graph, counted | {question: [] for question in asked})
    async with knowing((*facts, ("Ann Keller", "works_at", "Kroon", "2019", None))) as graph:
        assert not await unlike(graph, {question: ["Ann Keller"] for question in asked})
