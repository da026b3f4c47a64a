"""Filters as text become the same values."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import Field, Filter, GraphRAGError, QueryError

YES = True


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("relation == works_at", Field.relation == "works_at"),
        ("relation = works_at", Field.relation == "works_at"),
        (
            "relation == works_at and valid_at < 2022",
            (Field.relation == "works_at") & (Field.valid_at < "2022"),
        ),
        (
            "confidence > .5 or not (confidence < 1e-3 and observed == true)",
            (Field.confidence > 0.5) | ~((Field.confidence < 0.001) & (Field.observed == YES)),
        ),
        (
            "confidence < 1 and confidence > 0 or origin = manual",
            ((Field.confidence < 1) & (Field.confidence > 0)) | (Field.origin == "manual"),
        ),
        ("origin in (stated, manual)", Field.origin.in_(["stated", "manual"])),
        ("attributes.home.city == 'New York'", Field.attributes["home"]["city"] == "New York"),
        ("attributes.age >= 30", Field.attributes["age"] >= 30),
        ('attributes.age == "30"', Field.attributes["age"] == "30"),
        ("metadata.ok != false", Field.metadata["ok"] != False),  # noqa: E712
        ("labels CONTAINS vip AND NOT invalid_at EXISTS",
         Field.labels.contains("vip") & ~Field.invalid_at.exists()),
        (r'relation == "says \"and\" or (not)"', Field.relation == 'says "and" or (not)'),
        ('valid_at >= "1 March 2021"', Field.valid_at >= "2021-03-01"),
    ],
)  # fmt: skip
def test_text_reads_as_python_does(text, where):
    assert Filter.parse(text) == where


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "expected the name of a field"),
        ("relation", "expected an operator"),
        ("relation ==", "expected a value"),
        ("relation like x", "takes one of ==, !=, in"),
        ("relaton == x", "no field 'relaton'"),
        ("relation == x y", "expected 'and' or 'or' before 'y'"),
        ("(relation == x", r"a '\)' is missing"),
        ("origin in stated", r"a '\(' is missing"),
        ("relation == x and", "expected the name of a field"),
        ("relation == (x)", "expected a value"),
        ("'relation' == x", "expected the name of a field"),
        ("confidence > high", "give a number"),
        ('relation == "x', "cannot read"),
        ("relation == x; DELETE entity", "expected 'and' or 'or'"),
        ("(" * 100 + "relation == x" + ")" * 100, "parentheses"),
        ("relation == x" + " and relation == x" * 1000, "at most"),
    ],
)
def test_what_is_no_filter_says_where(text, words):
    with pytest.raises(QueryError, match=words):
        Filter.parse(text)


@given(st.text())
def test_any_text_is_a_filter_or_an_error_of_ours(text):
    with suppress(GraphRAGError):
        assert isinstance(Filter.parse(text), Filter)
