"""Recorded answers of a strong model, replayed: what is right at the end, and nothing is lost."""

import asyncio

import pytest

from tests.extract.replay import KINDS, stories, tell
from tests.llm.server import ModelServer


@pytest.fixture(scope="module")
def outcomes():
    async def replayed():
        found = []
        for story in stories():
            server = ModelServer()
            try:
                found.append(await tell(story, server))
            finally:
                server.close()
        return found

    return asyncio.run(replayed())


def share(of, outcomes):
    expected = sum(len(told.story["facts"]) for told in outcomes)
    return sum(getattr(told, of) for told in outcomes) / expected


def test_there_are_180_episodes_of_eighteen_kinds_in_four_languages():
    told = stories()
    assert {story["kind"] for story in told} == set(KINDS)
    assert len(KINDS) == 18
    assert sum(len(story["episodes"]) for story in told) >= 180
    assert {story["language"] for story in told} == {"en", "de", "es", "fr"}


@pytest.mark.parametrize("way", ["right", "batched"])
def test_of_the_expected_facts_95_percent_are_right_at_the_end(way, outcomes):
    wrong = [problem for told in outcomes for problem in told.wrong]
    assert share(way, outcomes) >= 0.95, wrong


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_much_worse_than_the_others(kind, outcomes):
    own = [told for told in outcomes if told.story["kind"] == kind]
    assert share("right", own) >= 0.85, [told.wrong for told in own]


def test_what_the_model_said_is_stored_or_reported(outcomes):
    lost = {told.story["name"]: told.read - told.kept - told.named for told in outcomes}
    assert {name: count for name, count in lost.items() if count} == {}
    assert sum(told.named for told in outcomes) >= 1


def test_an_episode_takes_at_most_two_calls_and_hardly_more_than_one(outcomes):
    calls = [count for told in outcomes for count in told.calls]
    assert max(calls) <= 2
    assert sum(calls) / len(calls) <= 1.1


def test_an_episode_takes_1900_tokens_to_ask_and_700_to_answer(outcomes):
    asked, answered = (
        [tokens for told in outcomes for tokens in getattr(told, side)]
        for side in ("asked", "answered")
    )
    assert sum(asked) / len(asked) <= 1900
    assert sum(answered) / len(answered) <= 700
    repaired = ("a cut answer", "one wrong fact")
    for told in outcomes:
        if told.story["name"] not in repaired:
            both = map(sum, zip(told.asked, told.answered, strict=True))
            assert max(both) <= 3500, told.story["name"]
