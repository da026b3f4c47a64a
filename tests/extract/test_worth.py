"""What is worth a fact: what a person would still want to know when the scene is over."""

import pytest

from tests.extract.test_prose import told

WORTHLESS = [
    # outings at no date, and moves inside a house
    "I went on a hike.", "We visited a hospital.", "I ran into a group of tourists.",
    "Ann Lee entered the Throne Room.", "Ann Lee came to Bob Ray.", "Ann Lee helped Bob Ray up.",
    # what is liked there and then
    "I love playing.", "We enjoy talking about it.", "I love taking in the beauty of nature.",
    "I'm reading a book that I really enjoy.", "I love the freedom and connection it brings.",
    "I loved just chilling.", "I love spending time with friends.",
    "I love the energy, diversity, and food of this city.",
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
        ("I love live music.", "Ann likes live music"),
        ("The choir meets in the Old Chapel.", "choir meets_in Old Chapel"),
        ("Admiral Benbow came aboard.", "Admiral Benbow has_role admiral"),
        ("I started with Globex Ltd in May.", "Ann works_at Globex Ltd"),
    ],
)
async def test_what_lasts_or_is_dated_is_one(text, fact):
    assert fact in await told(f"Ann: {text}", "message")
