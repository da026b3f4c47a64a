"""What follows from an end, a succession or a title for the facts that are known."""

import pytest

from graphrag.errors import QueryError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph


async def standing(*texts):
    """What is known of Bo and all others in the end, each with its end: texts are dated lines.

    ``2024-01-10 I work at Volvo.`` is by Bo, ``2024-01-10 | Bo works at Volvo.`` by nobody.
    """
    async with open_graph(extractor=RulesExtractor()) as graph:
        for text in texts:
            date, _, words = text.partition(" ")
            author = None if words.startswith("| ") else "Bo Karl"
            source = "message" if author else "text"
            await graph.add_episode(
                words.removeprefix("| "), reference_time=date, author=author, source=source
            )
        assert (await graph.health.check_all()).findings == ()
        everything = graph.at(history=True)
        facts = [fact for name in WHO for fact in await _known(everything, name)]
        return {
            f"{fact.subject} {fact.relation} {fact.object}": str(fact.invalid_at.date())
            if fact.invalid_at is not None
            else ""
            for fact in facts
            if fact.retracted_at is None
        }


async def _known(view, name):
    try:
        return await view.facts(name)
    except QueryError:
        return []


WHO = ("Bo Karl", "Ida Holm", "Ida", "Ann Lee", "Eva Holm", "Farid Aziz", "Ola Finn")
VOLVO = "2024-01-10 I work at Volvo."
IDA = "2024-01-10 | Ida Holm is the CEO of Fjord Ltd."


async def test_who_succeeds_without_a_date_leads_from_then_on():
    facts = await standing(IDA, "2024-05-01 | Ola Finn succeeds Ida Holm at the head of Fjord Ltd.")
    assert facts["Ida Holm leads Fjord Ltd"] == "2024-05-01"
    assert facts["Ola Finn leads Fjord Ltd"] == ""


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("I don't work at Volvo any more.", "2024-05-01"),
        ("I don't work at Volvo anymore, thank God.", "2024-05-01"),
    ],
)
async def test_a_job_ends_that_is_named(words, end):
    facts = await standing(VOLVO, f"2024-05-01 {words}")
    assert facts["Bo Karl works_at Volvo"] == end


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("Ida Holm left Fjord Ltd.", "2024-05-01"),
        ("Fjord Ltd has fired Ida Holm.", "2024-05-01"),
        ("Ida Holm no longer works at Fjord Ltd.", "2024-05-01"),
        ("Ida Holm has retired from Fjord Ltd.", "2024-05-01"),
        ("Ida Holm is stepping down from Fjord Ltd on 1 June.", "2024-06-01"),
    ],
)
async def test_who_leaves_a_body_leads_it_no_more(words, end):
    facts = await standing(IDA, f"2024-05-01 | {words}")
    assert facts["Ida Holm leads Fjord Ltd"] == end


async def test_a_role_ends_with_the_job_it_began_with_and_no_other_does():
    facts = await standing(
        "2023-01-10 | Ann Lee is the chairwoman of the Harbour Trust.",
        "2024-01-10 | Ann Lee works at Leeds University as a lecturer.",
        "2024-05-01 | Leeds University has fired Ann Lee.",
    )
    assert facts["Ann Lee has_role lecturer"] == "2024-05-01"
    assert facts["Ann Lee leads Harbour Trust"] == ""


@pytest.mark.parametrize(
    "words",
    [
        "I won't be joining Scania after all.",
        "I'm not starting at Scania after all.",
    ],
)
async def test_a_job_that_is_called_off_leaves_the_one_before(words):
    facts = await standing(VOLVO, "2024-03-10 I start at Scania on 1 May.", f"2024-04-10 {words}")
    assert facts == {"Bo Karl works_at Volvo": ""}


async def test_what_somebody_was_to_be_in_a_job_is_called_off_with_it():
    joins = "2024-01-10 | Eva Holm joins Nokia as plant manager on 1 March 2024."
    assert await standing(joins, "2024-02-10 | Eva Holm is not joining Nokia after all.") == {}


@pytest.mark.parametrize(
    "text",
    [
        "I'm staying at the Hilton this week.",
        "Ida Holm left early.",
        "I quit the meeting at noon.",
        "Ida Holm left the company of friends.",
        "Volvo withdrew from the tender.",
    ],
)
async def test_nothing_else_ends_a_job(text):
    facts = await standing(VOLVO, IDA, f"2024-05-01 {text}")
    assert facts["Bo Karl works_at Volvo"] == facts["Ida Holm leads Fjord Ltd"] == ""


@pytest.mark.parametrize(
    "title",
    [
        "deputy CEO", "vice president", "vice-chair", "assistant director", "head of sales",
        "finance director", "director of research", "deputy head", "branch manager",
    ],
)  # fmt: skip
async def test_who_is_not_the_first_leads_nothing(title):
    facts = await standing(IDA, f"2024-05-01 | Ola Finn is the {title} of Fjord Ltd.")
    assert facts["Ida Holm leads Fjord Ltd"] == ""
    assert "Ola Finn leads Fjord Ltd" not in facts
    assert any(fact.startswith("Ola Finn has_role") for fact in facts)


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        ("I started at Shell in 2015.", "I started at Shell in 2016, not 2015.", "works_at Shell"),
        ("I work at Shell.", "Correction: I work at BP, not Shell.", "works_at BP"),
    ],
)
async def test_what_is_denied_beside_what_is_so_was_never_so(before, after, fact):
    facts = await standing(f"2024-05-10 {before}", f"2024-05-12 {after}")
    assert facts == {f"Bo Karl {fact}": ""}


async def test_a_change_is_no_correction():
    facts = await standing("2024-01-10 I work at Shell.", "2024-05-12 I work at BP now, not Shell.")
    assert facts == {"Bo Karl works_at Shell": "2024-05-12", "Bo Karl works_at BP": ""}


async def test_who_is_back_from_leave_is_not_on_it():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(
            "Zara Novak is back from maternity leave.", reference_time="2024-05-01"
        )
        assert await graph.facts() == []


async def test_a_record_with_another_title_ends_the_one_that_came_with_the_job():
    async with open_graph(extractor=RulesExtractor()) as graph:
        await graph.add_episode("Ida Holm is a gardener.", reference_time="2023-01-10")
        for date, title in (("2024-01-10", "lab technician"), ("2024-05-01", "lab lead")):
            record = {"name": "Ida Holm", "employer": "Fjord Ltd", "title": title}
            await graph.add_episode(record, reference_time=date, source="json")
        roles = {fact.object for fact in await graph.facts("Ida Holm", relation="has_role")}
        assert roles == {"gardener", "lab lead"}
