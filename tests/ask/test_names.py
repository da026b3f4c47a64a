"""Entities are found by what people call them, if only one fits the question."""

from datetime import UTC, datetime

from graphrag import GraphRAG, Models
from graphrag.model.extraction import Claim, Extraction, Mention
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


CALLED = {
    "What is Talon Bikes called?": ["Corvo Cycles"],
    "What is Talon Bikes called now?": ["Corvo Cycles"],
    "what's the new name of talon bikes": ["Corvo Cycles"],
    "What was Corvo Cycles called before?": ["Talon Bikes"],
    "What was Talon Bikes formerly called?": ["Talon Bikes"],
    "What did Corvo Cycles use to be called?": ["Talon Bikes"],
    "What was Corvo Cycles called in 2024?": ["Talon Bikes"],
    "What was Ghent called before?": [],
}


async def test_what_something_is_or_was_called_is_answered_from_its_dated_names():
    old, new, day = (
        Mention("Talon Bikes"),
        Mention("Corvo Cycles"),
        datetime(2025, 3, 1, tzinfo=UTC),
    )
    renamed = Claim(old, "renamed_to", new, "x", 0, 1, valid_at=day, valid_precision="day")
    based = Claim(old, "located_in", Mention("Ghent", "place"), "y", 0, 1)
    read = {"x": Extraction((), (renamed,)), "y": Extraction((), (based,))}
    models = Models(embedder=HashEmbedder(), extractor=ScriptedExtractor(read))
    async with GraphRAG.open("mem://", models=models) as graph:
        await graph.add_episode("y", reference_time="2025-01-01")
        await graph.add_episode("x", reference_time="2025-03-05")
        assert not await unlike(graph, CALLED)
        then = graph.at(valid_at="2025-02-01")
        assert (await then.ask("What is Corvo Cycles called?")).values == ("Talon Bikes",)
        assert (await then.ask("What was Corvo Cycles called before?")).missing


async def test_who_is_no_number_of_people():
    facts = (("Kroon", "has_employees", "15 people", None, None),)
    counted = {"How many people work at Kroon?": ["15"], "How many employees has Kroon?": ["15"]}
    asked = ("Who works at Kroon?", "Who are the employees of Kroon?", "Whom does Kroon employ?")
    async with knowing(facts) as graph:
        assert not await unlike(graph, counted | {question: [] for question in asked})
    async with knowing((*facts, ("Ann Keller", "works_at", "Kroon", "2019", None))) as graph:
        assert not await unlike(graph, {question: ["Ann Keller"] for question in asked})
