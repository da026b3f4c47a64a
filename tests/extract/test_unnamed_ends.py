"""What ends, goes on or is called off though no text names it: the one that is known is meant."""

import pytest

from graphrag.errors import QueryError
from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.endings import over_in
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
        ("I quit my job yesterday.", "2024-04-30"),
        ("I got fired.", "2024-05-01"),
        ("I got the sack yesterday.", "2024-04-30"),
        ("I lost my job at Volvo yesterday.", "2024-04-30"),
        ("I was given my notice in March.", "2024-03-01"),
        ("They made me redundant in March.", "2024-03-01"),
        ("Volvo let me go in March.", "2024-03-01"),
        ("I was laid off today.", "2024-05-01"),
        ("I was let go in March.", "2024-03-01"),
        ("I was made redundant on 2 April.", "2024-04-02"),
        ("My boss fired me yesterday.", "2024-04-30"),
        ("I lost my job in March.", "2024-03-01"),
        ("I've left the company.", "2024-05-01"),
        ("I've been unemployed since March.", "2024-03-01"),
        ("I have retired.", "2024-05-01"),
        ("I stopped working in March.", "2024-03-01"),
        ("My last day at work is 31 May.", "2024-05-31"),
        ("I've stopped working at Volvo.", "2024-05-01"),
        ("I don't work at Volvo any more.", "2024-05-01"),
        ("I don't work at Volvo anymore, thank God.", "2024-05-01"),
    ],
)
async def test_a_job_ends_that_is_not_named(words, end):
    facts = await standing(VOLVO, f"2024-05-01 {words}")
    assert facts["Bo Karl works_at Volvo"] == end


async def test_a_job_that_is_heard_of_later_ended_all_the_same():
    facts = await standing("2024-05-01 I quit my job yesterday.", "2024-03-01 I work at Volvo.")
    assert facts["Bo Karl works_at Volvo"] == "2024-04-30"


async def test_of_two_jobs_none_ends_before_a_person_says_which():
    async with open_graph(extractor=RulesExtractor()) as graph:
        for date, words in (
            ("2024-01-10", "Bo Karl works at Volvo. Bo Karl works at Cafe Nord."),
            ("2024-05-01", "Bo Karl quit his job."),
        ):
            await graph.add_episode(words, reference_time=date)
        assert {fact.object for fact in await graph.facts("Bo Karl")} == {"Volvo", "Cafe Nord"}
        waiting = {one.fact.object for one in await graph.edit.pending()}
        assert waiting == {"Volvo", "Cafe Nord"}


@pytest.mark.parametrize(
    ("words", "end"),
    [
        ("Ida Holm resigned yesterday.", "2024-04-30"),
        ("Ida Holm stepped down on 30 April.", "2024-04-30"),
        ("Ida Holm left Fjord Ltd.", "2024-05-01"),
        ("Fjord Ltd has fired Ida Holm.", "2024-05-01"),
        ("Ida Holm no longer works at Fjord Ltd.", "2024-05-01"),
        ("Ida Holm has retired from Fjord Ltd.", "2024-05-01"),
        ("Ida Holm is stepping down from Fjord Ltd on 1 June.", "2024-06-01"),
        ("Ida Holm has moved from Fjord Ltd to Kiel Ltd.", "2024-05-01"),
    ],
)
async def test_who_leaves_a_body_leads_it_no_more(words, end):
    facts = await standing(IDA, f"2024-05-01 | {words}")
    assert facts["Ida Holm leads Fjord Ltd"] == end


async def test_a_role_ends_with_the_job_it_began_with_and_no_other_does():
    facts = await standing(
        "2023-01-10 | Ann Lee is the chairwoman of the Harbour Trust.",
        "2024-01-10 | Ann Lee works at Leeds University as a lecturer.",
        "2024-05-01 | Ann Lee was made redundant.",
    )
    assert facts["Ann Lee has_role lecturer"] == "2024-05-01"
    facts = await standing(
        "2023-01-10 | Ann Lee works at Leeds University.",
        "2024-01-10 | Ann Lee is the chairwoman of the Harbour Trust.",
        "2024-05-01 | Ann Lee stepped down.",
    )
    assert facts["Ann Lee works_at Leeds University"] == ""
    assert facts["Ann Lee leads Harbour Trust"] == "2024-05-01"


@pytest.mark.parametrize(
    "words", ["We broke up last week.", "Ida and I broke up in April.", "Ida broke up with me."]
)
async def test_a_couple_breaks_up(words):
    facts = await standing("2024-01-10 My girlfriend is Ida.", f"2024-05-01 {words}")
    assert facts["Ida partner_of Bo Karl"]


@pytest.mark.parametrize(
    "words",
    [
        "Bo Karl is staying at Volvo.",
        "Bo Karl has withdrawn his resignation.",
        "Bo Karl's resignation has been withdrawn.",
        "Bo Karl is not leaving Volvo.",
        "Bo Karl will not leave Volvo.",
        "Bo Karl is not leaving Volvo after all.",
    ],
)
async def test_who_stays_after_all_has_been_there_all_the_time(words):
    facts = await standing(
        "2024-01-10 | Bo Karl works at Volvo. He will leave Volvo on 1 June 2024.",
        f"2024-05-01 | {words}",
    )
    assert facts == {"Bo Karl works_at Volvo": ""}
    async with open_graph(extractor=RulesExtractor()) as graph:
        for date, said in (
            ("2024-01-10", "Bo Karl works at Volvo. He will leave Volvo on 1 June 2024."),
            ("2024-05-01", words),
        ):
            await graph.add_episode(said, reference_time=date)
        [job] = await graph.at(valid_at="2024-02-01").facts("Bo Karl")
        assert job.object == "Volvo"


@pytest.mark.parametrize(
    "words",
    [
        "I won't be joining Scania.",
        "I'm not starting at Scania.",
    ],
)
async def test_a_job_that_is_called_off_leaves_the_one_before(words):
    facts = await standing(VOLVO, "2024-03-10 I start at Scania on 1 May.", f"2024-04-10 {words}")
    assert facts == {"Bo Karl works_at Volvo": ""}


async def test_what_somebody_was_to_be_in_a_job_is_called_off_with_it():
    joins = "2024-01-10 | Eva Holm joins Nokia as plant manager on 1 March 2024."
    assert await standing(joins, "2024-02-10 | Eva Holm is not joining Nokia after all.") == {}
    dean = "2022-03-01 | Farid Aziz will become dean of Hollis College in September 2022."
    off = "2022-08-15 | Farid Aziz will not become dean of Hollis College after all."
    assert await standing(dean, off) == {}


async def test_a_retirement_that_is_called_off_is_no_state_to_come():
    facts = await standing(
        VOLVO,
        "2024-02-10 I will retire on 1 June 2024.",
        "2024-05-01 I've called off my retirement.",
    )
    assert facts == {"Bo Karl works_at Volvo": ""}


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        ("I'm vegan.", "I'm not vegan any more.", "has_diet vegan"),
        ("I have asthma.", "I don't have asthma any longer.", "has_condition asthma"),
        ("I'm allergic to nuts.", "I'm no longer allergic to nuts.", "allergic_to nuts"),
        ("I take ibuprofen.", "I don't take ibuprofen any more.", "takes ibuprofen"),
        ("I like tea.", "I no longer like tea.", "likes tea"),
        ("I'm on sick leave.", "I'm not on sick leave any more.", "has_status sick leave"),
        ("I live in Hove.", "I haven't lived in Hove since March.", "lives_in Hove"),
        ("I use Slack.", "I don't use Slack any more.", "uses Slack"),
        ("I live in Hove.", "I no longer work at Shell or live in Hove.", "lives_in Hove"),
    ],
)
async def test_what_is_so_no_more_is_read_as_what_it_was(before, after, fact):
    facts = await standing(f"2024-01-10 {before}", f"2024-05-01 {after}")
    assert facts[f"Bo Karl {fact}"] == ("2024-03-01" if "since March" in after else "2024-05-01")


@pytest.mark.parametrize(
    "text",
    [
        "I don't want any more cake.",
        "Do you no longer live in Rome?",
        "I live in Rome.",
        "I haven't seen Ann.",
        "Nobody no longer cares, and I don't work at Acme any more than you.",
    ],
)
def test_nothing_else_is_said_to_be_over(text):
    assert over_in(text).strip() == ""


def test_what_is_over_stands_where_it_stood():
    for text in ("She no longer works at Acme.", "We don't rent the barn any more, and I moved."):
        assert len(over_in(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm staying at the Hilton this week.",
        "Ida Holm left early.",
        "I quit the meeting at noon.",
        "Ida Holm left the company of friends.",
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
        ("I'm on sick leave.", "I'm back at work.", "has_status sick leave"),
        ("I'm on holiday.", "I'm back from holiday.", "has_status holiday"),
        ("I have the flu.", "I'm over the flu.", "has_condition flu"),
        ("I have asthma.", "My asthma is gone.", "has_condition asthma"),
        ("I study at Leiden University.", "I got my degree!", "studies_at Leiden University"),
        ("I study at Leiden University.", "I dropped out.", "studies_at Leiden University"),
        (
            "I study at Leiden University.",
            "I dropped out of university.",
            "studies_at Leiden University",
        ),
        ("I like coffee.", "I've gone off coffee.", "likes coffee"),
        ("I'm learning Portuguese.", "I gave up on Portuguese.", "learns Portuguese"),
        ("I live with Ida.", "Ida and I broke up.", "lives_with Ida"),
        ("Ida lives with me.", "Ida and I split up.", "lives_with Bo Karl"),
        (
            "I study at Leiden University.",
            "Graduated!!! Three years, done.",
            "studies_at Leiden University",
        ),
        ("I am married to Ida.", "The divorce from Ida came through today.", "married_to Ida"),
        ("I am married to Ida.", "Ida and I got divorced today.", "married_to Ida"),
        ("I'm vegetarian.", "I eat meat again.", "has_diet vegetarian"),
        (
            "My favourite colour is green.",
            "My favourite colour is blue now.",
            "has_favourite_colour green",
        ),
        ("I drive a Skoda.", "I drive a Tesla now.", "drives Skoda"),
        ("I am a clerk at Fjord Ltd.", "I'm now head of sales at Fjord Ltd.", "has_role clerk"),
        ("I live with Ida.", "I've moved out.", "lives_with Ida"),
        ("I am married to Ida.", "My divorce is final.", "married_to Ida"),
        ("I am married to Ida.", "Our divorce was finalised today.", "married_to Ida"),
    ],
)
async def test_who_is_back_or_well_or_done_is_so_no_more(before, after, fact):
    facts = await standing(f"2024-01-10 {before}", f"2024-05-01 {after}")
    [known] = [end for name, end in facts.items() if fact in name]
    assert known == "2024-05-01"


@pytest.mark.parametrize(
    "text", ["I'm back in Rome.", "My patience is gone.", "Ann is over 40.", "I got my coat."]
)
async def test_nothing_else_ends_an_absence_or_an_illness(text):
    facts = await standing("2024-01-10 I'm on sick leave. I have asthma.", f"2024-05-01 {text}")
    assert facts["Bo Karl has_status sick leave"] == facts["Bo Karl has_condition asthma"] == ""


@pytest.mark.parametrize(
    "words",
    [
        "My new number is 0160 5559876.",
        "I've got a new number: 0160 5559876.",
        "You can reach me on 0160 5559876 from now on.",
        "My number is now 0160 5559876.",
        "I changed my number, it's 0160 5559876 now.",
        "Please use 0160 5559876 from now on.",
    ],
)
async def test_a_new_number_takes_the_place_of_the_old_one(words):
    facts = await standing(
        "2024-01-10 My number is 0171 5550123.", *[f"2024-05-0{day} {words}" for day in (1, 2)]
    )
    assert facts == {
        "Bo Karl has_phone 0171 5550123": "2024-05-01",
        "Bo Karl has_phone 0160 5559876": "",
    }


async def test_a_number_at_work_is_one_more():
    facts = await standing(
        "2024-01-10 My number is 0171 5550123.", "2024-05-01 My new work number is 0160 5559876."
    )
    assert set(facts.values()) == {""}


@pytest.mark.parametrize(
    ("before", "after", "fact"),
    [
        ("I started at Shell in 2015.", "I started at Shell in 2016, not 2015.", "works_at Shell"),
        ("I work at Shell.", "Sorry, I work at BP, not Shell.", "works_at BP"),
        ("I work at Shell.", "Correction: I work at BP, not Shell.", "works_at BP"),
    ],
)
async def test_what_is_denied_beside_what_is_so_was_never_so(before, after, fact):
    facts = await standing(f"2024-05-10 {before}", f"2024-05-12 {after}")
    assert facts == {f"Bo Karl {fact}": ""}


async def test_a_change_is_no_correction():
    facts = await standing("2024-01-10 I work at Shell.", "2024-05-12 I work at BP now, not Shell.")
    assert facts == {"Bo Karl works_at Shell": "2024-05-12", "Bo Karl works_at BP": ""}


async def test_a_firm_that_is_known_as_one_is_left_whatever_its_name_looks_like():
    facts = await standing(
        "2024-01-10 | Ann Lee works at Helix Bio.", "2024-05-01 | Ann Lee has left Helix Bio."
    )
    assert facts["Ann Lee works_at Helix Bio"] == "2024-05-01"


async def test_who_is_back_from_leave_is_not_on_it():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for date, words in (("2024-01-10", "on"), ("2024-05-01", "back from")):
            text = f"Zara Novak is {words} maternity leave."
            await graph.add_episode(text, reference_time=date)
        assert await graph.facts("Zara Novak") == []


@pytest.mark.parametrize(
    "text",
    [
        "I got a sack of potatoes.",
        "They let me go to the fair.",
        "They let me go early.",
        "I got the order.",
        "I was given my order.",
        "I got a push.",
        "Volvo withdrew from the tender.",
        "Volvo is off the hook.",
    ],
)
async def test_what_only_sounds_like_a_dismissal_ends_no_job(text):
    facts = await standing(VOLVO, f"2024-05-01 {text}")
    assert facts["Bo Karl works_at Volvo"] == ""


async def test_who_splits_up_was_not_married_for_that():
    facts = await standing("2024-05-01 | Ida Holm and Ola Finn split up in April.")
    assert facts == {"Ida Holm partner_of Ola Finn": "2024-04-01"}


async def test_who_is_promoted_is_no_more_what_they_were():
    facts = await standing(
        "2024-01-10 | Ida Holm is vice president of Fjord Ltd.",
        "2024-05-01 | Ida Holm was promoted to head of sales in March 2024.",
        "2024-06-01 | Ida Holm was promoted to president of Fjord Ltd on 1 June 2024.",
    )
    assert facts["Ida Holm has_role vice president"] == "2024-03-01"
    assert facts["Ida Holm has_role head of sales"] == "2024-06-01"
    assert facts["Ida Holm works_at Fjord Ltd"] == facts["Ida Holm leads Fjord Ltd"] == ""


async def test_what_is_denied_by_a_part_of_its_name_was_never_so():
    facts = await standing(
        "2024-01-10 | Ida Holm works at Dunmore Hospital.",
        "2024-01-11 | Sorry, I misspoke, Ida Holm works at St. Brannock, not Dunmore.",
    )
    assert list(facts) == ["Ida Holm works_at St. Brannock"]


async def test_a_record_with_another_title_ends_the_one_that_came_with_the_job():
    async with open_graph(extractor=RulesExtractor()) as graph:
        for date, title in (("2024-01-10", "lab technician"), ("2024-05-01", "lab lead")):
            record = {"name": "Ida Holm", "employer": "Fjord Ltd", "title": title}
            await graph.add_episode(record, reference_time=date, source="json")
        roles = [fact.object for fact in await graph.facts("Ida Holm", relation="has_role")]
        assert roles == ["lab lead"]


@pytest.mark.parametrize(
    "text",
    [
        "I dropped a coin out of my pocket.",
        "My parents' divorce ended my childhood.",
        "My brother's divorce is final.",
        "Ann's divorce went badly.",
        "I ate chicken again, yuck.",
    ],
)
async def test_what_is_of_others_or_a_moment_ends_nothing(text):
    before = "2024-01-10 I study at Leiden University. I am married to Ida. I'm vegetarian."
    facts = await standing(before, f"2024-05-01 {text}")
    ended = {name for name, end in facts.items() if end and "Bo Karl" in name}
    assert ended <= {name for name in facts if "has_status" in name}


async def test_a_promotion_ends_no_calling():
    facts = await standing(
        "2024-01-10 | Ida Holm is a gardener.", "2024-05-01 | Ida Holm was promoted to captain."
    )
    assert facts["Ida Holm has_role gardener"] == ""


@pytest.mark.parametrize(
    ("text", "fact", "end"),
    [
        ("Still in Porto, by the way.", "lives_in Porto", ""),
    ],
)
async def test_sentences_without_a_verb_are_of_who_writes_them(text, fact, end):
    facts = await standing("2024-01-10 I work at Volvo. I live in Porto.", f"2024-05-01 {text}")
    assert facts[f"Bo Karl {fact}"] == end
