"""What a text denies, takes back or puts right, and what it only calls off."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph
from tests.extract.test_prose import extract, told

GLOBEX, ROME = {"Ann Lee works_at Globex"}, {"Ann Lee lives_in Rome"}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ann Lee works not at Acme but at Globex.", GLOBEX),
        ("Ann Lee works at Globex, not Acme.", GLOBEX),
        ("Ann Lee works at Globex, not at Acme, since 2010.", GLOBEX),
        ("Ann Lee, not Bob Stone, works at Globex.", GLOBEX),
        ("Ann Lee joined Globex, not Acme, in 2010.", GLOBEX),
        ("Ann Lee lives in Rome rather than Paris.", ROME),
        ("Ann Lee moved to Rome instead of Paris.", ROME),
        ("Not Bob Stone but Ann Lee leads Globex.", {"Ann Lee leads Globex"}),
        ("It was Ann Lee, not Bob Stone, who founded Globex.", {"Ann Lee founded Globex"}),
        ("Ann Lee is not a doctor but a nurse.", {"Ann Lee has_role nurse"}),
        ("Ann Lee is a nurse, not a doctor.", {"Ann Lee has_role nurse"}),
        ("Ann Lee was born in Rome and not in Paris.", {"Ann Lee born_in Rome"}),
        ("Ann Lee likes tea but not coffee.", {"Ann Lee likes tea"}),
        ("Ann Lee no longer lives in Rome but in Paris.",
         {"-Ann Lee lives_in Rome", "Ann Lee lives_in Paris"}),
        ("Ann Lee is no longer a nurse but a doctor.",
         {"-Ann Lee has_role nurse", "Ann Lee has_role doctor"}),
        ("Ann Lee never worked at Acme.", set()),
        ("Ann Lee has never lived in Oslo.", set()),
    ],
)  # fmt: skip
async def test_of_a_contrast_only_the_stated_side_is_read(text, facts):
    assert await told(text) == facts


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        ("Ann Lee works at Globex, not Acme.", False),
        ("Scratch that, Ann Lee works at Globex.", True),
    ],
)
async def test_only_what_was_said_before_is_corrected(text, corrects):
    assert [claim.corrects for claim in (await extract(text)).claims] == [corrects]


PLAN = "Ann Lee will move to Oslo in June. "


OFF = [
    "The move is off.", "The move to Oslo is off.", "The move was called off.",
    "The move has been postponed to March 2025.", "The move was put off until August.",
    "Acme called off its merger with Globex.", "The merger of Acme and Globex fell through.",
    "The merger between Acme and Globex was cancelled.", "Acme withdrew its offer.",
    "Ann Lee's wedding was cancelled.", "Bob Stone turned down the Scania job.",
]  # fmt: skip


@pytest.mark.parametrize("extractor", [RulesExtractor(), NeuralExtractor()])
@pytest.mark.parametrize("text", OFF)
async def test_what_calls_a_plan_off_is_not_read_and_named(extractor, text):
    async with open_graph(extractor=extractor) as graph:
        await graph.add_episode(PLAN, reference_time="2024-01-15")
        added = await graph.add_episode(text, reference_time="2024-02-15")
        [dropped] = added.dropped
        assert dropped.startswith(repr(text))
        assert "edit.retract" in dropped
        facts = await graph.at(valid_at="2024-12-01").facts()
        assert [f"{fact.object} {str(fact.valid_at)[:7]}" for fact in facts] == ["Oslo 2024-06"]


@pytest.mark.parametrize(
    "text",
    ["The move was not called off.", "Is the move off?", "Tom Hale is off to Riga.",
     "Globex is off the hook.", "Unless the move was put off, Ann Lee left.",
     "If the move is off, Ann Lee stays.", "Acme left the offer open."],
)  # fmt: skip
async def test_nothing_else_is_named_as_called_off(text):
    assert not (await extract(text)).dropped


async def test_a_chat_that_calls_a_plan_off_says_so_unless_an_assistant_does():
    for speaker, count in (("Ann Lee", 1), ("assistant", 0)):
        read = await extract(f"{speaker}: The move is off.\nBob Ray: Pity.", "message")
        assert len(read.dropped) == count


async def current(*texts):
    """What holds after each text was told a month after the one before."""
    async with open_graph(extractor=RulesExtractor()) as graph:
        for month, text in enumerate(texts, start=1):
            await graph.add_episode(text, reference_time=f"2024-0{month}-15")
        facts = await graph.at(valid_at="2024-12-01").facts()
        return {f"{fact.object} {str(fact.valid_at)[:7]}" for fact in facts}


async def test_a_correction_of_the_past_leaves_the_present():
    told_wrong = await current(
        "Ann Lee lives in Oslo.", "Correction: Ann Lee lived in Bergen until 2010."
    )
    assert told_wrong == {"Oslo 2024-01"}


async def after(*texts, at="2024-08-01", **options):
    """What is known of Ann Lee after texts, each as ``DATE TEXT``, and what the last one did."""
    async with open_graph(extractor=RulesExtractor(), **options) as graph:
        for text in texts:
            date, _, words = text.partition(" ")
            added = await graph.add_episode(words, reference_time=date)
        facts = await graph.at(valid_at=at).facts("Ann Lee")
        assert (await graph.health.check_all()).findings == ()
        return {f"{fact.relation} {fact.object}" for fact in facts}, added


@pytest.mark.parametrize("extractor", [RulesExtractor(), NeuralExtractor()])
@pytest.mark.parametrize(
    "denial",
    ["Ann Lee never worked at Acme.", "Ann Lee has never worked at Acme.",
     "Ann Lee is a nurse, and she has never worked for Acme."],
)  # fmt: skip
async def test_a_plain_denial_is_not_read_and_named(extractor, denial):
    async with open_graph(extractor=extractor) as graph:
        await graph.add_episode("Ann Lee works at Acme.", reference_time="2020-01-15")
        added = await graph.add_episode(denial, reference_time="2024-02-15")
        [dropped] = [line for line in added.dropped if "edit.retract" in line]
        assert dropped.startswith(repr(denial))
        assert [one.object for one in await graph.facts("Ann Lee", relation="works_at")] == ["Acme"]


@pytest.mark.parametrize(
    "words",
    ["Ann Lee never worked at Acme for long.", "Ann Lee never worked hard at Acme.",
     "Had Ann Lee never worked at Acme?", "If Ann Lee never worked at Acme, she lied.",
     "Rumours say that Ann Lee never worked at Acme."],
)  # fmt: skip
async def test_no_other_denial_is_named(words):
    assert not (await extract(words)).dropped


@pytest.mark.parametrize(
    "words",
    ["Correction: Ann Lee lives in Paris, France.",
     "Correction: Ann Lee lives not in Oslo but in Paris, France."],
)  # fmt: skip
async def test_a_correction_that_names_the_country_keeps_the_town(words):
    wrong = "2024-01-15 Ann Lee lives in Oslo."
    assert (await after(wrong, f"2024-01-16 {words}"))[0] == {"lives_in Paris"}


@pytest.mark.parametrize(
    ("text", "fact", "start"),
    [
        ("Ann: Still in Oslo? Bo: No, I left in May Ann: Where do you live? Bo: I live in Turku.",
         "Bo lives_in Turku", None),
        ("Ann Lee lives in Graz. Scratch that, Ann Lee lives in Linz.",
         "Ann Lee lives_in Linz", None),
    ],
)  # fmt: skip
async def test_the_network_says_no_more_what_was_put_right(text, fact, start):
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_episode(text, reference_time="2024-09-01")
        [held] = await graph.facts(relation="lives_in")
        assert f"{held.subject} {held.relation} {held.object}" == fact
        assert start is None or held.valid_at.date().isoformat() == start


async def test_a_correction_to_what_the_town_lies_in_leaves_the_town():
    async with open_graph(extractor=RulesExtractor()) as graph:
        await graph.add_fact("Paris", "located_in", "France")
        await graph.add_episode("Ann Lee lives in Paris.", reference_time="2024-01-15")
        broader = "Correction: Ann Lee lives in France."
        await graph.add_episode(broader, reference_time="2024-01-16")
        assert {one.object for one in await graph.facts("Ann Lee")} == {"Paris", "France"}


async def test_a_plan_that_will_not_be_after_all_is_none():
    read = await extract(f"{PLAN}Ann Lee will not be moving to Oslo after all.")
    assert not [claim for claim in read.claims if claim.kind != "cancelled"]


async def test_who_does_not_leave_after_all_stays():
    texts = (
        "Ann Lee works at Acme.",
        "Ann Lee will leave Acme in June 2024.",
        "Ann Lee is not leaving Acme after all.",
    )
    assert await current(*texts) == {"Acme 2024-01"}
    assert not await current(PLAN, "Ann Lee won't be moving to Oslo after all.")
