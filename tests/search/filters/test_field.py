"""Filters are checked when they are written, and read as they were written."""

import pytest

from graphrag import Field, Filter, QueryError, TimeError
from graphrag.search.fields import Same
from graphrag.search.filters import SPECS, Compare


def test_every_field_has_its_column_and_every_column_its_field():
    assert {name for name in vars(Field) if isinstance(vars(Field)[name], Same)} == SPECS.keys()


@pytest.mark.parametrize(
    ("where", "shown"),
    [
        (Field.relation == "works_at", "relation == 'works_at'"),
        (Field.valid_at < "2022", "valid_at < '2022-01-01T00:00:00+00:00'"),
        (Field.attributes["address"]["city"] == "Rome", "attributes['address']['city'] == 'Rome'"),
        (Field.labels.contains("vip"), "labels.contains('vip')"),
        (Field.invalid_at.exists(), "invalid_at.exists()"),
        (Field.origin.in_(["stated", "manual"]), "origin.in_(['stated', 'manual'])"),
        (
            (Field.confidence > 0.5) & (Field.observed == True) & ~Field.expired_at.exists(),  # noqa: E712
            "(confidence > 0.5) & (observed == True) & (~(expired_at.exists()))",
        ),
        (
            (Field.confidence > 0.5) | (Field.relation != "likes"),
            "(confidence > 0.5) | (relation != 'likes')",
        ),
    ],
)
def test_a_filter_shows_itself(where, shown):
    assert repr(where) == shown


def test_equal_filters_are_equal_values():
    one = (Field.relation == "works_at") & (Field.metadata["channel"] == "mail")
    same = (Field.relation == "works_at") & (Field.metadata["channel"] == "mail")
    assert one == same
    assert len({one, same}) == 1
    assert ~~one == one


def test_between_has_its_start_and_not_its_end():
    assert Field.valid_at.between("2020", "2022") == (
        (Field.valid_at >= "2020") & (Field.valid_at < "2022")
    )


@pytest.mark.parametrize(
    ("wrong", "error", "words"),
    [
        (lambda: Field.relaton, AttributeError, "relaton.*relation"),
        (lambda: Field.relation < "x", TypeError, "not supported"),
        (lambda: Field.relation == 3, QueryError, "give text"),
        (lambda: Field.relation.in_("likes"), QueryError, "give a list"),
        (lambda: Field.origin == "guessed", QueryError, "one of stated, inferred"),
        (lambda: Field.source == "pdf", QueryError, "one of message"),
        (lambda: Field.confidence > "high", QueryError, "give a number"),
        (lambda: Field.confidence > float("nan"), QueryError, "give a number"),
        (lambda: Field.confidence > True, QueryError, "give a number"),
        (lambda: Field.confirmed == 1, QueryError, "True or False"),
        (lambda: Field.valid_at == None, QueryError, "exists"),  # noqa: E711
        (lambda: Field.valid_at > 3, QueryError, "give a moment"),
        (lambda: Field.valid_at > "soonish", TimeError, "soonish"),
        (lambda: Field.labels == "vip", QueryError, "contains"),
        (lambda: Field.attributes == "x", QueryError, "name one"),
        (lambda: Field.attributes["age"] > None, QueryError, "exists"),
        (lambda: Field.attributes[""] == 1, QueryError, "keys"),
        (lambda: Field.attributes[3] == 1, QueryError, "keys"),
        (lambda: Compare("relation", "like", "x"), QueryError, "use one of ==, !=, in"),
        (lambda: Compare("relation; DELETE entity", "==", "x"), QueryError, "no field"),
        (lambda: Compare("relation", "==", "x", ("a",)), QueryError, "no keys"),
        (lambda: (Field.relation == "a") and True, TypeError, "&"),
        (lambda: not (Field.relation == "a"), TypeError, "~"),
        (lambda: (Field.relation == "a") & True, QueryError, "parentheses"),
        (lambda: (Field.relation == "a") | "b", QueryError, "parentheses"),
    ],
)
def test_what_cannot_be_meant_is_refused_at_once(wrong, error, words):
    with pytest.raises(error, match=f"(?s){words}"):
        wrong()


async def test_a_search_refuses_a_filter_that_says_nothing_of_what_it_searches(graph):
    with pytest.raises(QueryError, match="says nothing of episodes"):
        await graph.search("Acme", scopes=["episodes"], where=Field.relation == "works_at")
    with pytest.raises(QueryError, match="where a dict of 1: give Filter or None"):
        await graph.search("Acme", where={"relation": "works_at"})
    assert isinstance(Field.relation == "works_at", Filter)
