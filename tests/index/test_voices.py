"""Who speaks in a message."""

import pytest

from graphrag.index.titles import asks, is_users


@pytest.mark.parametrize(
    ("message", "question"),
    [
        ("Ann: Where is it?", True),
        ('Ann: "Where is it?" \N{SLIGHTLY SMILING FACE}', True),
        ("Ann: \u5b83\u5728\u54ea\u91cc\uff1f", True),
        ("Ann: Where is it? Bob knows.", False),
        ("Bob: Under the stairs.", False),
        ("Ann: Where?" + "!" * 100, False),
        ("", False),
    ],
)
def test_a_message_asks_if_it_ends_with_a_question(message, question):
    assert asks(message) == question


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("user: I moved.", True),
        ("Human : I moved.", True),
        ("user: I moved.\nTo Lund, that is.", True),
        ("user: I moved.\nassistant: Where to?", False),
        ("assistant: Where to, user?", False),
        ("users: many", False),
        ("Ann: user: me", False),
    ],
)
def test_a_message_is_the_users_if_only_the_user_speaks(message, own):
    assert is_users(message) == own
