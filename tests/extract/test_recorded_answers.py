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


def test_there_are_sixty_episodes_of_six_kinds_in_three_languages():
    told = stories()
    assert {one["kind"] for one in told} == set(KINDS)
    assert len(KINDS) == 6
    assert sum(len(one["episodes"]) for one in told) >= 60
    assert {one["language"] for one in told} == {"en", "de", "es"}


def test_nine_in_ten_of_the_expected_facts_are_right_at_the_end(outcomes):
    expected = sum(len(one.story["facts"]) for one in outcomes)
    right = sum(one.right for one in outcomes)
    wrong = [problem for one in outcomes for problem in one.wrong]
    assert right / expected >= 0.9, wrong


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_is_much_worse_than_the_others(kind, outcomes):
    own = [one for one in outcomes if one.story["kind"] == kind]
    expected = sum(len(one.story["facts"]) for one in own)
    assert sum(one.right for one in own) / expected >= 0.85, [one.wrong for one in own]


def test_what_the_model_said_is_stored_or_reported(outcomes):
    for one in outcomes:
        assert one.read == one.kept + one.named, one.story["name"]
    assert sum(one.named for one in outcomes) >= 1


def test_an_episode_takes_at_most_two_calls_and_hardly_more_than_one(outcomes):
    calls = [count for one in outcomes for count in one.calls]
    assert max(calls) <= 2
    assert sum(calls) / len(calls) <= 1.2


def test_an_episode_takes_three_thousand_tokens_at_most_unless_it_is_repaired(outcomes):
    repaired = ("a cut answer", "one wrong fact")
    for one in outcomes:
        if one.story["name"] not in repaired:
            assert max(one.tokens) <= 3000, one.story["name"]
