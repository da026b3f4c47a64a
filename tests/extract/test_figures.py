"""Numbers of one's own: whose they are, what states them, and that a new one ends the old one."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.ontology.relations import Relations
from graphrag.protocols import ExtractionContext
from tests.conftest import open_graph


async def read(text):
    episode = prepare(NewEpisode(text, "2024-05-01", source="message"))
    done = await RulesExtractor().extract(ExtractionContext(episode))
    return {
        f"{claim.subject.name} {claim.relation} {claim.object.name}"
        for claim in done.claims
        if claim.object is not None and any(map(str.isdigit, claim.object.name))
    }


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("user: My rent is 1200 euros.", "user's rent costs 1200 euros"),
        ("user: I raised my budget to $900.", "user's budget has_value $900"),
        ("user: My weight is down to 71 kg.", "user's weight has_value 71 kg"),
        ("user: My quiz score improved to 19/20.", "user's quiz score has_score 19/20"),
        ("user: My heart rate is 78.", "user's heart rate has_value 78"),
    ],
)
async def test_a_number_of_ones_own_is_stated_in_questions_too(text, stated):
    assert await read(text) == {stated}


@pytest.mark.parametrize(
    "text",
    [
        "user: I want a budget of $900.",
        "user: If I get a score of 90%, I pass.",
        "user: I don't have a budget of $900.",
        "user: Is a score of 90% enough?",
        "user: My old score of 60% was bad.",
        "user: My target is to weigh 65 kg.",
        "user: My rating will reach 60%.",
        "user: I need 8 hours of sleep.",
        "user: I should complete 5 sketches.",
        "user: I hope my weight is 70 kg by June.",
        "user: My plan of 2024 is done.",
        "user: My trip of 3 days was short.",
        "assistant: Your budget is $900.",
        "user: I'm 35% of the way.",
        "user: Here's my schedule for April 22:",
        "user: The area is 3² or less.",
    ],
)
async def test_a_wish_a_condition_or_another_number_is_none(text):
    assert not await read(text)


@pytest.mark.parametrize(
    ("text", "lives_in"),
    [
        ("user: I live in Oslo, can you suggest a gym?", True),
        ("user: I live in Oslo and run 5.5 km a day, so what should I eat?", True),
        ("user: If I live in Oslo, can you help?", False),
        ("user: Do I live in Oslo, or is it Bergen?", False),
    ],
)
async def test_what_is_told_before_a_question_is_stated(text, lives_in):
    episode = prepare(NewEpisode(text, "2024-05-01", source="message"))
    done = await RulesExtractor().extract(ExtractionContext(episode))
    assert ("lives_in" in {claim.relation for claim in done.claims}) == lives_in


@pytest.mark.parametrize(
    ("text", "kind", "start"),
    [
        ("user: I increased my monthly savings to $175.", "state", ""),
        ("user: I increased my monthly savings to $175 in March.", "state", "2024-03-01"),
        ("user: My rating rose to 60% in 2022.", "state", "2022-01-01"),
    ],
)
async def test_what_something_became_it_still_is(text, kind, start):
    episode = prepare(NewEpisode(text, "2024-05-01", source="message"))
    [claim] = (await RulesExtractor().extract(ExtractionContext(episode))).claims
    assert claim.kind == kind
    assert (claim.valid_at.date().isoformat() if claim.valid_at else "") == start


async def test_a_new_number_ends_the_old_one_of_the_same_thing_alone():
    told = ["My rent is 900 euros.", "My phone costs 30 euros.", "My rent is 950 euros now."]
    async with open_graph(extractor=RulesExtractor()) as graph:
        for month, text in enumerate(told, start=1):
            await graph.add_episode(f"user: {text}", reference_time=f"2024-0{month}-01")
        held = {(fact.subject, fact.object) for fact in await graph.facts()}
        [old] = await graph.at(valid_at="2024-02-01").facts("user's rent")
    assert held == {("user's rent", "950 euros"), ("user's phone", "30 euros")}
    assert old.object == "900 euros" and old.invalid_at.date().isoformat() == "2024-03-01"


@pytest.mark.parametrize("relation", ["costs", "earns", "has_value", "has_score"])
def test_a_relation_to_a_number_holds_one(relation):
    assert Relations()[relation].single_valued
