"""What is only said to be so, imagined or made up is no fact, and what is no name is nobody."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext
from tests.extract.test_prose import extract, told


@pytest.mark.parametrize(
    "text",
    [
        "According to rumours, Ann Lee works at Acme.",
        "Rumour has it that Ann Lee works at Acme.",
        "Ann Lee is rumoured to have joined Acme.",
        "Reportedly, Ann Lee works at Acme.",
        "Imagine Ann Lee works at Acme.",
        "Suppose Ann Lee works at Acme.",
        "In my novel, Ann Lee works at Acme.",
        "The heroine, Captain Ann Lee, works at Acme.",
        "I dreamt that Ann Lee works at Acme.",
        '"Ann Lee works at Acme," he said.',
        "Tell Ann Lee to work at Acme.",
        "When does Ann Lee start at Acme",
    ],
)
async def test_hearsay_fiction_and_orders_state_nothing(text):
    assert not await told(text)


@pytest.mark.parametrize("extractor", [RulesExtractor(), NeuralExtractor()])
@pytest.mark.parametrize(
    "text",
    [
        "Nor did Ann Lee work at Acme.",
        "Nowhere did Ann Lee work for Acme.",
        "Neither Ann Lee nor Bo Ray works at Acme.",
        "Ann Lee owns neither Globex nor Initech.",
        "Bo Ray never worked at Acme, nor did Ann Lee live in Hull.",
        "Ann Lee never worked at Acme, nor lived in Hull.",
    ],
)
async def test_what_nor_joins_is_denied_too(text, extractor):
    episode = prepare(NewEpisode(text, "2024-05-15"))
    read = await extractor.extract(ExtractionContext(episode))
    assert not [claim.relation for claim in read.claims if not claim.ends]


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee's mother-in-law, Eve Ray, slept.",
        "Eve Ray is Ann Lee's sister-in-law.",
    ],
)
async def test_an_in_law_is_a_relative_and_no_parent(text):
    kin = {fact for fact in await told(text) if "relative_of" in fact or "parent" in fact}
    assert kin == {"Eve Ray relative_of Ann Lee"}


@pytest.mark.parametrize(
    "text",
    [
        "Ann Lee was a nurse.", "Ann Lee used to be a nurse.", "Ann Lee had been a nurse.",
        "Ann Lee was once a nurse.", "Ann Lee, a former nurse, slept.",
        "Ann Lee was previously a nurse.",
    ],
)  # fmt: skip
async def test_an_undated_past_does_not_hold_now(text):
    [claim] = [one for one in (await extract(text)).claims if one.relation == "has_role"]
    assert claim.kind == "was"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("The board of directors met. A member resigned.", set()),
        ("The Chairman met Ann Lee.", {"Ann Lee"}),
        ("Imagine Ann Lee slept.", {"Ann Lee"}),
    ],
)
async def test_what_is_no_name_is_no_entity(text, names):
    assert {mention.name for mention in (await extract(text)).mentions} == names


async def test_a_shop_is_that_of_its_owner():
    text = "Bob Ray bought Anna Holm's bakery. Cora Vine bought Bob Ray's bakery."
    assert await told(text) == {
        "Anna Holm's bakery owned_by Bob Ray",
        "Bob Ray's bakery owned_by Cora Vine",
    }


async def test_who_is_transferred_plays_for_a_club_only():
    assert "Ivor Quinn plays_for leisure centre" not in await told(
        "Ivor Quinn was transferred to the leisure centre."
    )


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("assistant: Ann Lee works at Acme.", None),
        ("assistant: Ann Lee works at Acme.\nStep 1: Bob Ray lives in Oslo.", None),
        ("user: Who is she?\nassistant: Ann Lee works at Acme.", None),
        ("Ann Lee works at Acme.", "assistant"),
    ],
)
@pytest.mark.parametrize("extractor", [RulesExtractor(), NeuralExtractor()])
async def test_what_an_assistant_says_states_nothing(text, author, extractor):
    episode = prepare(NewEpisode(text, "2024-01-15", author=author))
    assert not (await extractor.extract(ExtractionContext(episode))).claims


async def test_a_label_in_what_a_user_says_is_no_speaker():
    assert await told("user: I work at Acme.\nPlan: Ann Lee lives in Oslo.") == {
        "user works_at Acme", "Ann Lee lives_in Oslo",
    }  # fmt: skip
