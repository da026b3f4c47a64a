import pytest

from graphrag.index.group import GroupIndex
from graphrag.model.extraction import Mention
from graphrag.resolve.mentions import resolve
from tests.conftest import day, enter
from tests.resolve.pairs import PAIRS, UNFOUND

NOW = day("2024-01-01")


def outcome(known, told):
    """Tell what a name means in a group that knows one other."""
    index = GroupIndex("g", 2)
    first = resolve([Mention(known[1], known[0])], index, created_at=NOW)
    enter(index, first.created.values())
    resolution = resolve([Mention(told[1], told[0])], index, created_at=NOW, doubts=True)
    if not resolution.created:
        return "same"
    return "propose" if resolution.doubts else "different"


def shown(pair):
    return f"{pair[1][1]} / {pair[2][1]}"


@pytest.mark.parametrize("pair", PAIRS, ids=shown)
def test_hard_pair(pair):
    wanted, known, told = pair
    assert outcome(known, told) == wanted


@pytest.mark.parametrize("pair", UNFOUND, ids=shown)
@pytest.mark.xfail(strict=True, reason="left to the arbiter's own knowledge or to a person")
def test_pair_that_no_rule_finds(pair):
    wanted, known, told = pair
    assert outcome(known, told) == wanted


def test_there_are_enough_hard_pairs():
    assert len(PAIRS) >= 60
