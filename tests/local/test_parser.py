"""What the readers of a parse rely on, whatever the text."""

import pytest

from graphrag.local.parser import parse


@pytest.mark.parametrize(
    "text",
    [" and left: Ann works at Acme.", "  -", "Hae-won", "of Hae-won Lim", " Hae-won Lim\n\nleft."],
)
def test_every_word_leads_to_a_root_that_says_so(text):
    for _, doc in parse(text):
        for word in doc:
            above = list(word.ancestors)
            top = above[-1] if above else word
            assert len(above) <= len(doc) and top.head == top and top.dep_ == "ROOT"
