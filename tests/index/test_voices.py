"""Who speaks in a message."""

import pytest

from graphrag.index.texts import asks


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
