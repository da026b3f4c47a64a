"""What is denied, taken back, put right or called off: no fact, and named in ``dropped``."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from tests.conftest import open_graph
from tests.extract.test_prose import extract, told

GLOBEX = {"Ann Lee works_at Globex"}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ann Lee works at Globex, not Acme.", GLOBEX),
        ("Ann Lee works at Globex, not at Acme, since 2010.", GLOBEX),
        ("Ann Lee, not Bob Stone, works at Globex.", GLOBEX),
        ("Ann Lee joined Globex, not Acme, in 2010.", GLOBEX),
        ("Not Bob Stone but Ann Lee leads Globex.", {"Ann Lee leads Globex"}),
        ("Ann Lee is a nurse, not a doctor.", {"Ann Lee has_role nurse"}),
        ("Ann Lee was born in Rome and not in Paris.", {"Ann Lee born_in Rome"}),
        ("Ann Lee never worked at Acme.", set()),
        ("Ann Lee has never lived in Oslo.", set()),
    ],
)  # fmt: skip
async def test_of_a_contrast_only_the_stated_side_is_read(text, facts):
    assert await told(text) == facts


@pytest.mark.parametrize(
    "text",
    [
        "Nor did Ann Lee work at Acme.",
        "Ann Lee owns neither Globex nor Initech.",
        "Bo Ray never worked at Acme, nor did Ann Lee live in Hull.",
        "Ann Lee never worked at Acme, nor lived in Hull.",
    ],
)
async def test_what_nor_joins_is_denied_too(text):
    assert not await told(text)


@pytest.mark.parametrize(
    "text",
    ["Ann Lee was a nurse.", "Ann Lee used to be a nurse.", "Ann Lee had been a nurse.",
     "Ann Lee, a former nurse, slept.", "Ann Lee was previously a nurse."],
)  # fmt: skip
async def test_an_undated_past_does_not_hold_now(text):
    assert await told(text) == {"-Ann Lee has_role nurse"}


@pytest.mark.parametrize(
    ("text", "corrects"),
    [
        ("Ann Lee works at Globex, not Acme.", False),
        ("Correction: Ann Lee works at Globex.", True),
        ("Scratch that, Ann Lee works at Globex.", True),
    ],
)
async def test_only_what_was_said_before_is_corrected(text, corrects):
    assert [claim.corrects for claim in (await extract(text)).claims] == [corrects]


async def after(*texts):
    """What holds of Ann Lee after texts, each told a month after the one before; what is dropped.

    A fact is shown with the month in which it began.
    """
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for month, text in enumerate(texts, start=1):
            added = await graph.add_episode(text, reference_time=f"2024-0{month}-15")
        facts = await graph.at(valid_at="2024-12-01").facts()
        assert (await graph.health.check_all()).findings == ()
        return {f"{fact.object} {str(fact.valid_at)[:7]}" for fact in facts}, added.dropped


PLAN = "Ann Lee will move to Oslo in June. "


@pytest.mark.parametrize(
    "text",
    [
        "The move to Oslo is off.", "The move was called off.",
        "The move has been postponed to March 2025.", "The move was put off until August.",
        "Acme called off its merger with Globex.", "The merger of Acme and Globex fell through.",
        "The merger between Acme and Globex was cancelled.", "Acme withdrew its offer.",
        "Ann Lee's wedding was cancelled.", "Bob Stone turned down the Scania job.",
        "Ann Lee won't be moving to Oslo after all.",
    ],
)  # fmt: skip
async def test_what_calls_a_plan_off_is_not_read_and_named(text):
    held, (dropped,) = await after(PLAN, text)
    assert dropped.startswith(repr(text)) and "edit.retract" in dropped
    assert held == {"Oslo 2024-06"}


@pytest.mark.parametrize(
    "denial",
    ["Ann Lee never worked at Acme.", "Ann Lee has never worked at Acme.",
     "Ann Lee is not the mayor of Kell.", "Ann Lee is a nurse, and she has never worked for Acme.",
     "Ann Lee is not leaving Acme after all.", "Ann Lee hasn't joined Globex."],
)  # fmt: skip
async def test_a_plain_denial_is_not_read_and_named(denial):
    held, (dropped,) = await after("Ann Lee works at Acme.", denial)
    assert dropped.startswith(repr(denial)) and "edit.retract" in dropped
    assert "Acme 2024-01" in held


@pytest.mark.parametrize(
    "text",
    ["The move was not called off.", "Is the move off?", "Tom Hale is off to Riga.",
     "Globex is off the hook.", "Unless the move was put off, Ann Lee left.",
     "If the move is off, Ann Lee stays.", "Acme left the offer open.",
     "Ann Lee never worked at Acme for long.", "Ann Lee does not work hard at Acme.",
     'Bob wrote: "Ann Lee never worked at Acme."', "Had Ann Lee never worked at Acme?",
     "If Ann Lee never worked at Acme, she lied.",
     "Rumours say that Ann Lee never worked at Acme.", "It is not raining.",
     "Bo Ray did not sleep on Sunday.", "Bo Ray no longer works at Acme."],
)  # fmt: skip
async def test_nothing_else_is_named(text):
    assert not (await extract(text)).dropped


async def test_a_chat_that_calls_a_plan_off_says_so_unless_an_assistant_does():
    for speaker, count in (("Ann Lee", 1), ("assistant", 0)):
        read = await extract(f"{speaker}: The move is off.\nBob Ray: Pity.", "message")
        assert len(read.dropped) == count


@pytest.mark.parametrize(
    ("texts", "held"),
    [
        (["Ann Lee lives in Oslo.", "Correction: Ann Lee lived in Bergen until 2010."],
         {"Oslo 2024-01"}),
        (["Ann Lee lives in Oslo.", "Correction: Ann Lee lives in Paris, France."],
         {"Paris 2024-01"}),
        (["Ann Lee lives in Graz. Scratch that, Ann Lee lives in Linz."], {"Linz 2024-01"}),
    ],
)  # fmt: skip
async def test_what_is_put_right_is_no_longer_said(texts, held):
    assert (await after(*texts))[0] == held


async def test_a_correction_to_what_the_town_lies_in_leaves_the_town():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        await graph.add_fact("Paris", "located_in", "France")
        await graph.add_episode("Ann Lee lives in Paris.", reference_time="2024-01-15")
        broader = "Correction: Ann Lee lives in France."
        await graph.add_episode(broader, reference_time="2024-01-16")
        assert {fact.object for fact in await graph.facts("Ann Lee")} == {"Paris", "France"}
