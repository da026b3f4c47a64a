"""What people tell of themselves in chats, notes and interviews, and who speaks there."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext


async def read(text, author="Ben", source="text"):
    episode = prepare(NewEpisode(text, "2024-08-02", source=source, author=author))
    return await NeuralExtractor().extract(ExtractionContext(episode))


async def told(text, author="Ben", source="text"):
    return {
        f"{claim.subject.name} {claim.relation} {claim.object.name}"
        for claim in (await read(text, author, source)).claims
    }


@pytest.mark.parametrize(
    "text",
    [
        "I've maintained 30 minutes of daily stretching since June.",
        "Laura and I went to a flea market and found two lamps.",
        "I'll buy Laura her favourite cake tonight.",
        "I'm going to a chess congress this month.",
        "I've been practicing with the function g(y), and f(x.",
        "My reading speed has increased by 25% thanks to the new lamp.",
        "Laura and I are painting a wall, starting April 22.",
        "I prefer limiting screen time in the evening.",
        "I'll set up Clock Keeper and rest.",
        "I'm meeting Brooke at the station, but I don't know what to expect.",
        "I'm totally on board with that!",
        "We are a small church.",
        "My work so far is: Sn = 5 * (2^8 - 1) / (2 - 1).",
        "I handled the situation with Amanda.",
        "I got her a $10 gift card last week.",
        "My finish time is around 4 hours 15 minutes.",
        "I went on a hike.",
        "I love spending time with friends.",
        "I love the energy, diversity, and food of this city.",
        "I just finished this amazing fantasy series.",
        "I got a $900 raise.",
        "I was invited by Omar.",
    ],
)
async def test_small_talk_is_no_fact(text):
    assert not await told(text, source="message")
    assert not await told(f"Ann: {text}", None, "message")


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I bought the Corner Bakery.", {"Ben owns Corner Bakery"}),
        ("I now play chess.", {"Ben plays chess"}),
        ("I've joined the Tuesday choir.", {"Ben member_of Tuesday choir"}),
        ("My son Finn is 9.", {"Ben parent_of Finn", "Finn has_age 9"}),
        ("My sister Mira lives in Oslo.", {"Ben sibling_of Mira", "Mira lives_in Oslo"}),
        ("I love painting.", {"Ben likes painting"}),
        ("I started at Globex Ltd in May.", {"Ben works_at Globex Ltd"}),
    ],
)
async def test_who_writes_tells_of_themselves(text, stated):
    assert await told(text) == stated
    assert await told(text, source="message") == stated


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("Ann: I work at Acme Corp.", {"Ann works_at Acme Corp"}),
        ("Ann: I moved to Oslo.\nBob: I live in Paris.",
         {"Ann lives_in Oslo", "Bob lives_in Paris"}),
        ("Ann: My brother Tom lives in Oslo.", {"Ann sibling_of Tom", "Tom lives_in Oslo"}),
        ("Ann: Bob, after a week I got a letter.\nBob: Nice!", set()),
        ("Ann: I have played since I was a kid.", set()),
        ("Ann: Have you seen Oslo?", set()),
        ("Ann: I might move to Oslo.", set()),
        ("user: If I live in Oslo, can you help?", set()),
        ("user: Do I live in Oslo, or is it Bergen?", set()),
        # who speaks next on the same line
        ("Lucho: did you buy the flat? Anneke: no, my brother Joost did, he lives in Zwolle now. "
         "Lucho: nice, I live in Deventer now",
         {"Anneke sibling_of Joost", "Joost lives_in Zwolle", "Lucho lives_in Deventer"}),
        ("User: I live in Oslo. Assistant: I live in the cloud. User: I speak Dutch.",
         {"User lives_in Oslo", "User speaks Dutch"}),
        # a label in what a user says is no speaker
        ("user: I work at Acme.\nPlan: Ann Lee lives in Oslo.",
         {"user works_at Acme", "Ann Lee lives_in Oslo"}),
    ],
)  # fmt: skip
async def test_i_is_who_speaks(text, facts):
    assert await told(text, None, "message") == facts


async def test_labels_on_one_line_are_no_speakers():
    read_ = await told("Ann: I live in Oslo. Budget: 40 euros. Status: fine.", None, "message")
    assert read_ == {"Ann lives_in Oslo"}


@pytest.mark.parametrize("author", ["Mia", None, "The Guardian"])
async def test_who_is_interviewed_answers(author):
    text = "Q: Where did you grow up?\nA: In Faro. I have lived in Porto since 2006."
    stated = {one for one in await told(text, author) if "Porto" in one}
    assert stated == ({"Mia lives_in Porto"} if author == "Mia" else set())
    assert not [one for one in await told(text, author) if one.startswith(("A ", "Q ", "The "))]


@pytest.mark.parametrize("lead", ["Now it can be said at last", "I'm telling you now"])
async def test_words_before_a_colon_are_no_speaker_if_they_are_a_clause(lead):
    read_ = await read(f"{lead}: Ann Lee and I founded Acme in 2018.", None, "message")
    assert {claim.subject.name for claim in read_.claims} <= {"Ann Lee"}


@pytest.mark.parametrize("author", ["me", "Me", "user", "Ann"])
async def test_the_author_of_a_note_may_be_called_me(author):
    read_ = await read("I live in Rome.", author, "message")
    stated = [(claim.subject.name, claim.relation) for claim in read_.claims]
    assert (stated, read_.dropped) == ([(author, "lives_in")], ())


async def test_what_nobody_is_known_to_have_written_is_said_to_be_lost():
    read_ = await read("I work at Acme. I live in Rome. Ann lives in Oslo.", None, "message")
    assert [claim.subject.name for claim in read_.claims] == ["Ann"]
    (lost,) = read_.dropped
    assert "2 sentences" in lost and "author" in lost
    for text in ("Ann lives in Oslo.", 'Ann says: "I live in Oslo."'):
        assert not (await read(text, None, "message")).dropped


@pytest.mark.parametrize(
    ("text", "author"),
    [
        ("assistant: Ann Lee works at Acme.", None),
        ("assistant: Ann Lee works at Acme.\nStep 1: Bob Ray lives in Oslo.", None),
        ("user: Who is she?\nassistant: Ann Lee works at Acme.", None),
        ("Ann Lee works at Acme.", "assistant"),
    ],
)
async def test_what_an_assistant_says_states_nothing(text, author):
    assert not (await read(text, author)).claims
