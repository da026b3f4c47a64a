"""Who left one firm for another, and when; who leaves a town may come back."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph
from tests.extract.test_corrections import after
from tests.extract.test_prose import dates

WORKS, LIVES = "2020-01-15 Ann Lee works at Globex.", "2020-01-15 Ann Lee lives in Paris."


async def ended(*texts):
    """What was closed, and when."""
    async with open_graph(extractor=RulesExtractor()) as graph:
        for text in texts:
            date, _, words = text.partition(" ")
            await graph.add_episode(words, reference_time=date)
        facts = await graph.at(history=True).facts("Ann Lee")
        assert (await graph.health.check_all()).findings == ()
        return {
            f"{fact.relation} {fact.object}": str(fact.invalid_at.date())
            for fact in facts
            if fact.invalid_at is not None
        }


@pytest.mark.parametrize(
    "words",
    ["Ann Lee left Globex in May 2024 and joined Initech.",
     "Ann Lee joined Initech after leaving Globex in May 2024.",
     "Ann Lee left Globex in May 2024 to join Initech."],
)  # fmt: skip
async def test_who_leaves_one_firm_and_joins_another_worked_at_the_first_until_then(words):
    assert (await dates(words))["works_at Globex"] == ("", "2024-05-01")
    assert await ended(WORKS, f"2024-07-01 {words}") == {"works_at Globex": "2024-05-01"}


async def test_the_second_of_two_jobs_without_a_date_is_seen_from_the_text_on():
    async with open_graph(extractor=RulesExtractor()) as graph:
        await graph.add_episode(
            "Ann Lee left Globex in May 2024 and joined Initech.", reference_time="2024-07-01"
        )
        [job] = await graph.facts("Ann Lee")
        assert (job.object, str(job.valid_at.date()), job.observed) == (
            "Initech",
            "2024-07-01",
            True,
        )


@pytest.mark.parametrize(
    "words",
    ["left Paris by train", "left Paris at 9 am", "left Paris for lunch", "will leave Paris",
     "never left Paris", "left Oslo"],
)  # fmt: skip
async def test_who_only_goes_away_still_lives_there(words):
    assert (await after(LIVES, f"2024-07-01 Ann Lee {words}."))[0] == {"lives_in Paris"}
