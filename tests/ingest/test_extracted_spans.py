"""Places that an extractor gives are put right before they are stored, and it is said."""

import asyncio

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag import Claim, Extraction, ExtractionError, Mention, NewEpisode
from graphrag.ingest.intake import prepare
from graphrag.ingest.read_episode import extract
from graphrag.protocols import ExtractionContext
from tests.conftest import open_graph

TEXT = "Alice knows Bob. Nothing more."


class Fixed:
    """Return what it was made with, for every episode."""

    def __init__(self, extraction):
        self.extraction = extraction

    async def extract(self, context):
        return self.extraction


def knows(start, end, *, mention=(0, 0), text="Alice knows Bob."):
    alice, bob = Mention("Alice", "person", *mention), Mention("Bob", "person")
    return Extraction((alice,), (Claim(alice, "knows", bob, text, start, end),))


async def told(extraction, content=TEXT):
    """Return what adding an episode with this extraction gives, after a check of the graph."""
    async with open_graph(extractor=Fixed(extraction)) as graph:
        added = await graph.add_episode(content, reference_time="2020")
        report = await graph.health.check_all()
        assert not report.findings, report.findings
        [quote] = await graph.sources(added.facts[0])
        return added, quote.text


@pytest.mark.parametrize(
    ("start", "end", "text", "quote"),
    [
        (0, 16, "Alice knows Bob.", "Alice knows Bob."),
        (3, 9000, "Alice knows Bob.", "Alice knows Bob."),
        (-5, 16, "They know each other.", "Alice knows Bob."),
        (6, 2**70, "They know each other.", "knows Bob. Nothing more."),
        (50, 60, "They know each other.", TEXT),
        (-(2**70), -1, "They know each other.", TEXT),
        (16, 0, "They know each other.", TEXT),
        (np.int64(0), np.int32(16), "Alice knows Bob.", "Alice knows Bob."),
    ],
)
async def test_a_claim_rests_on_words_of_its_episode(start, end, text, quote):
    added, found = await told(knows(start, end, text=text))
    assert found == quote
    right = 0 <= start <= end <= len(TEXT)
    assert len(added.dropped) == (0 if right else 1)
    if not right:
        assert f"claim {text!r} is not at {start} to {end} of 30 characters" in added.dropped[0]


async def test_a_mention_is_looked_for_and_said_once():
    added, _ = await told(knows(0, 16, mention=(70, 75)))
    assert added.dropped == (
        "mention 'Alice' is not at 70 to 75 of 30 characters: it was put at 0 to 5",
    )


async def test_what_the_extractor_dropped_itself_is_kept():
    extraction = Extraction((), knows(0, 99).claims, ("Carol: no text names it",))
    added, _ = await told(extraction)
    assert added.dropped[0] == "Carol: no text names it"
    assert len(added.dropped) == 2


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (None, "it gave NoneType; expected Extraction"),
        ("nothing", "it gave str; expected Extraction"),
        ([], "it gave list; expected Extraction"),
    ],
)
async def test_what_is_no_extraction_is_refused_and_nothing_is_written(given, words):
    extractor = Fixed(given)
    async with open_graph(extractor=extractor) as graph:
        with pytest.raises(ExtractionError, match=words):
            await graph.add_episode(TEXT, reference_time="2020")
        report = await graph.add_episodes([NewEpisode(TEXT)], on_error="skip")
        assert len(report.failed) == 1
        assert [group.name for group in await graph.groups().list()] == []
        extractor.extraction = knows(0, 16)
        assert len((await graph.add_episode(TEXT, reference_time="2020")).facts) == 1
        assert not (await graph.health.check_all()).findings


PLACES = st.integers(-40, 40) | st.sampled_from([2**70, -(2**70), 2**31, 2**63])


@settings(max_examples=300)
@given(PLACES, PLACES, PLACES, PLACES, st.sampled_from(["Alice knows Bob.", "never said"]))
def test_every_place_is_inside_and_a_right_one_stays(start, end, first, last, text):
    context = ExtractionContext(prepare(NewEpisode(TEXT, reference_time="2020")))
    extraction = knows(start, end, mention=(first, last), text=text)
    found = asyncio.run(extract(Fixed(extraction), context))
    [mention], [claim] = found.mentions, found.claims
    for place, begin, stop in ((claim, start, end), (mention, first, last)):
        assert 0 <= place.start <= place.end <= len(TEXT)
        if 0 <= begin <= stop <= len(TEXT):
            assert (place.start, place.end) == (begin, stop)
    assert claim.subject == mention
    assert claim.start < claim.end or start == end
    wrong = {(start, end, "claim"), (first, last, "mention")}
    assert len(found.dropped) == sum(not 0 <= a <= b <= len(TEXT) for a, b, _ in wrong)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (
            Extraction(mentions=("Alice",)),
            "mentions 1 is not used: it is 'Alice'; expected Mention",
        ),
        (Extraction(claims=(Mention("Alice"),)), "expected Claim"),
        (Extraction(mentions=None), "mentions is None: give a tuple; nothing of it was used"),
        (knows(None, 3), "is at None to 3: expected whole numbers"),
        (knows("0", "3"), "is at '0' to '3'"),
        (knows(0.0, 3.0), "is at 0.0 to 3.0"),
        (knows(0, 3, mention=(1, None)), "mention 'Alice' is at 1 to None"),
    ],
)
async def test_what_cannot_be_placed_is_left_out_and_the_text_is_kept(given, words):
    async with open_graph(extractor=Fixed(given)) as graph:
        added = await graph.add_episode(TEXT, reference_time="2020")
        assert added.facts == ()
        assert any(words in note for note in added.dropped), added.dropped
        assert not (await graph.health.check_all()).findings
