"""What is worth a fact: what a person would still want to know when the scene is over."""

import pytest

from tests.extract.test_prose import extract, told

WORTHLESS = [
    # outings at no date, and moves inside a house
    "I went on a hike.", "We visited a hospital.", "I ran into a group of tourists.",
    "Ann Lee entered the Throne Room.", "Ann Lee came to Bob Ray.", "Ann Lee helped Bob Ray up.",
    # what is liked there and then
    "I love playing.", "We enjoy talking about it.", "I love taking in the beauty of nature.",
    "I'm reading a book that I really enjoy.", "I love the freedom and connection it brings.",
    "I loved just chilling.", "I love spending time with friends.",
    "I love the energy, diversity, and food of this city.", "We played games with friends.",
    "I just finished this amazing fantasy series.", "The packages were installed using pip.",
    "My online store has been a roller coaster.",
    "Bob Ray began to use his axe.", "Bob Ray led her cow away.", "I've set up my project.",
    "I've been managing my branches.", "I finished a bookmark for a friend at my writing club.",
    # parts of words, programs
    "I ran a 5K.", "npm run lint && npm run test",
    # a moment of a story
    "She handed the basket to Bob Ray.", "The four travelers met in the Throne Room.",
    "The leader of the Winged Monkeys flew up to her.", "Toto had fallen down beside him.",
    "A rush was made upon the Admiral Benbow.", "I got a $900 raise.",
    "I've just started mentorship sessions with Karen Bell.", "I'm allergic to animals with fur.",
    # who did it is not clear
    "Feedback on the talk came, praising cultural alignment.",
    "I dropped off that stuff I baked at the homeless shelter.",
]  # fmt: skip


@pytest.mark.parametrize("text", WORTHLESS)
async def test_trivia_is_no_fact(text):
    assert not await told(f"Ann: {text}", "message")


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I love hiking in the mountains.", "Ann likes hiking"),
        ("I enjoy playing the guitar.", "Ann likes playing the guitar"),
        ("I love live music.", "Ann likes live music"),
        ("The choir meets in the Old Chapel.", "choir meets_in Old Chapel"),
        ("Chair of the Trust since 2019, Ann Bell lives in Leith.", "Ann Bell has_role chair"),
        ("Admiral Benbow came aboard.", "Admiral Benbow has_role admiral"),
        ("I started with Globex Ltd in May.", "Ann works_at Globex Ltd"),
        ("My career coach Greg Bell called.", "Greg Bell coaches Ann"),
        ("I'm allergic to cats and peanuts.", "Ann allergic_to cats"),
        ("Professor Tom Hale advises Bob Ray.", "Tom Hale supervises Bob Ray"),
        ("Bob Ray took the cap from Tom Hale.", "-cap owned_by Tom Hale"),
    ],
)
async def test_what_lasts_or_is_dated_is_one(text, fact):
    assert fact in await told(f"Ann: {text}", "message")


@pytest.mark.parametrize(
    "text",
    ["Bob Ray went all out with a Harry Potter theme.",
     "Bob Ray praised another of the Winkies, who was a goldsmith.",
     "I still have that stuffed animal dog.", "Bob Ray advised me to rest.",
     "Bob Ray often advises me on budgets."],
)  # fmt: skip
async def test_nobody_travels_with_a_theme_or_keeps_a_toy(text):
    wrong = ("travels_with", "goldsmith", "has_pet", "supervises")
    stated = await told(f"Ann: {text}", "message")
    assert not [fact for fact in stated if any(word in fact for word in wrong)]


async def test_what_a_thing_is_taken_out_of_did_not_own_it():
    stated = await told("Tom Hale took the Golden Cap from her cupboard.")
    assert stated == {"Golden Cap owned_by Tom Hale"}


async def test_who_got_a_pet_has_it_and_who_had_one_does_not():
    read = await extract("Ann: We got a cat named Bailey.", "message")
    assert [claim.kind for claim in read.claims] == ["state"]
    read = await extract("Ann: We had a cat named Bailey.", "message")
    assert [claim.kind for claim in read.claims] == ["was"]
