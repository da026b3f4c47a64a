"""What the readers of a parse rely on, whatever the text."""

import pytest

from graphrag.local import parser
from graphrag.local.parser import parse, parse_ahead


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


def test_what_is_parsed_ahead_reads_as_it_does_by_itself():
    texts = [f"Ann Lee joined Acme in {year}. She left it." for year in range(1990, 2000)]
    texts += ["Two\nlines.", "", "  Bo moved to Oslo."]
    alone = [shape(parse(text)) for text in texts]
    parser._PARSED.clear()
    parse_ahead(texts)
    assert len(parser._PARSED) == 11  # what has several lines is cut before it is parsed
    assert [shape(parse(text)) for text in texts] == alone


def test_parses_are_not_kept_for_ever():
    for number in range(2 * parser._KEPT):
        parse(f"Number {number}.")
    assert len(parser._PARSED) <= parser._KEPT


def shape(parsed):
    return [(at, [(word.text, word.tag_, word.head.i) for word in doc]) for at, doc in parsed]
