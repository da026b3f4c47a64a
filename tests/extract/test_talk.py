"""What people tell of themselves in chats, and what only looks like it."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from graphrag.extract.rules.extractor import RulesExtractor
from graphrag.ingest.intake import NewEpisode, prepare
from graphrag.protocols import ExtractionContext


async def read(text, at="2024-08-02", author="Ben", extractor=None):
    episode = prepare(NewEpisode(text, at, source="message", author=author))
    return await (extractor or RulesExtractor()).extract(ExtractionContext(episode))


async def told(text, at="2024-08-02", author="Ben"):
    return {
        f"{claim.subject.name} {claim.relation} {claim.object.name}"
        for claim in (await read(text, at, author)).claims
        if claim.object is not None
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
        "My team raised output by 12% in Q1 2024.",
        "I like my reduced intake of 40%.",
        "I've been using earplugs and a mask to get 7 hours of sleep nightly.",
        "I prefer combining classic drills with new techniques.",
        "Laura and I are painting a wall, starting April 22.",
        "With the Lumia Max offering 256GB of storage, I still need a cloud.",
        "I prefer limiting screen time in the evening.",
        "I'll definitely watch the budget using Mint Ledger.",
        "I'll set up Clock Keeper and rest.",
        "Status: I've attended the first webinar. Colors: I used gold and silver.",
        "I'm meeting Brooke at the station, but I don't know what to expect.",
        "I've been studying S_n = a_1 * r.",
        "I'm relocating to Canada and need help.",
        "I'm totally on board with that!",
        "Such a game-changer for Manchester City!",
        "We are a small church.",
        "I'm going with Laura!",
        "Guacamole is a classic!",
        "My work so far is: Sn = 5 * (2^8 - 1) / (2 - 1).",
        "I use the form y₁ here.",
        "I handled the situation with Amanda.",
        "I like having strong decks paired with odd effects.",
        "I like mixing banana, spinach, and milk.",
        "I've been practicing with n(n+1)(2n+1)/6.",
        "Hey Li Hua, just a friendly reminder that the rent is due.",
        "I've got a garden gathering from 3 to 6 pm.",
        "I got her a $10 gift card last week.",
        "My finish time is around 4 hours 15 minutes.",
    ],
)
async def test_what_only_looks_like_a_fact_is_none(text):
    assert not await told(text)


@pytest.mark.parametrize(
    ("text", "stated"),
    [
        ("I bought the Corner Bakery.", {"Corner Bakery owned_by Ben"}),
        ("I was invited by Omar.", set()),
        ("I'll rest and participate in relay races.", set()),
        ("My mentor Clara called me.", {"Clara mentors Ben"}),
    ],
)
async def test_what_is_told_is_read_whole(text, stated):
    assert await told(text) == stated


@pytest.mark.parametrize(
    ("text", "kind", "start"),
    [
        ("Ann Lee stays on as director through 2025.", "state", None),
    ],
)
async def test_what_goes_on_is_a_state_and_a_party_dates_no_invitation(text, kind, start):
    (claim,) = (await read(text)).claims
    assert (claim.kind, claim.valid_at and claim.valid_at.date().isoformat()) == (kind, start)


async def test_words_before_a_colon_are_no_speaker_if_they_are_a_clause():
    for lead in ("Now it can be said at last", "I'm telling you now"):
        text = f"{lead}: Ann Lee and I founded Acme in 2018."
        assert {one.subject.name for one in (await read(text, author=None)).claims} <= {"Ann Lee"}


@pytest.mark.parametrize("author", ["me", "Me", "user", "Ann"])
async def test_the_author_of_a_note_may_be_called_me(author):
    read_ = await read("I live in Rome.", author=author, extractor=NeuralExtractor())
    stated = [(claim.subject.name, claim.relation) for claim in read_.claims]
    assert (stated, read_.dropped) == ([(author, "lives_in")], ())


async def test_what_nobody_is_known_to_have_written_is_said_to_be_lost():
    read_ = await read("I work at Acme. I live in Rome. Ann lives in Oslo.", author=None)
    assert [claim.subject.name for claim in read_.claims] == ["Ann"]
    (lost,) = read_.dropped
    assert "2 sentences" in lost and "author" in lost
    for text in ("Ann lives in Oslo.", 'Ann says: "I live in Oslo."'):
        assert not (await read(text, author=None)).dropped


INLINE = (
    "Lucho: did you buy the flat? Anneke: no, my brother Joost did, he lives in Zwolle now. "
    "Lucho: nice, I live in Deventer now"
)


async def test_who_speaks_next_on_the_same_line_speaks_of_themselves():
    assert await told(INLINE, author=None) == {
        "Joost sibling_of Anneke",
        "Joost lives_in Zwolle",
        "Lucho lives_in Deventer",
    }
    exchange = "User: I live in Oslo. Assistant: I live in the cloud. User: I speak Dutch."
    assert await told(exchange, author=None) == {"User lives_in Oslo", "User speaks Dutch"}


async def test_labels_on_one_line_are_no_speakers():
    text = "Ann: I live in Oslo. Status: on leave. Budget: 40 euros."
    assert await told(text, author=None) == {"Ann lives_in Oslo"}


@pytest.mark.parametrize(
    ("text", "lives_in"),
    [
        ("user: If I live in Oslo, can you help?", False),
        ("user: Do I live in Oslo, or is it Bergen?", False),
    ],
)
async def test_what_a_question_or_a_condition_holds_is_not_stated(text, lives_in):
    done = await read(text, author=None)
    assert ("lives_in" in {claim.relation for claim in done.claims}) == lives_in
