"""What a text denies, takes back, calls off, puts off or puts right."""

import pytest

from graphrag.extract.rules.extractor import RulesExtractor
from tests.conftest import open_graph
from tests.extract.test_prose import dates, extract, told

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
        ("Ann Lee works at Globex, not Acme as I told you.", True),
        ("Scratch that, Ann Lee works at Globex.", True),
    ],
)
async def test_only_what_was_said_before_is_corrected(text, corrects):
    assert [claim.corrects for claim in (await extract(text)).claims] == [corrects]


@pytest.mark.parametrize(
    "slip",
    ["I said January, it was February.", "Correction: it was February.",
     "Sorry, February, not January.", "I meant February."],
)  # fmt: skip
async def test_a_slip_is_put_right_in_the_date_just_said(slip):
    text = f"Ann Lee joined Acme in January 2020. {slip}"
    assert await dates(text) == {"works_at Acme": ("2020-02-01", "")}


async def test_a_slip_is_put_right_in_the_name_just_said():
    assert await told("Ann Lee works at Acme. Sorry, I meant Globex.") == GLOBEX


PLAN = "Ann Lee will move to Oslo in June. "


@pytest.mark.parametrize(
    ("text", "life"),
    [
        (f"{PLAN}The move is off.", None),
        (f"{PLAN}The move was called off.", None),
        (f"{PLAN}Ann Lee will not be moving to Oslo after all.", None),
        (f"{PLAN}The move has been postponed to March 2025.", ("2025-03-01", "")),
        (f"{PLAN}The move was put off until August.", ("2024-08-01", "")),
    ],
)
async def test_a_plan_is_called_off_or_put_off(text, life):
    read = await extract(text)
    plans = [claim for claim in read.claims if claim.kind != "cancelled"]
    assert [str(claim.valid_at.date()) for claim in plans] == ([life[0]] if life else [])


@pytest.mark.parametrize(
    "text",
    ["Acme called off its merger with Globex.", "The merger of Acme and Globex fell through.",
     "The merger between Acme and Globex was cancelled."],
)  # fmt: skip
async def test_a_plan_of_an_earlier_text_is_called_off_by_name(text):
    [claim] = (await extract(text)).claims
    assert claim.kind == "cancelled"
    assert (claim.subject.name, claim.object.name) == ("Acme", "Globex")


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


async def test_a_later_text_puts_the_date_of_an_earlier_one_right():
    texts = "Ann Lee joined Acme in January 2020.", "I said January, it was February."
    assert await current(*texts) == {"Acme 2020-02"}


async def test_who_does_not_leave_after_all_stays():
    texts = (
        "Ann Lee works at Acme.",
        "Ann Lee will leave Acme in June 2024.",
        "Ann Lee is not leaving Acme after all.",
    )
    assert await current(*texts) == {"Acme 2024-01"}
    assert not await current(PLAN, "Ann Lee won't be moving to Oslo after all.")
