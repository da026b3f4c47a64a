"""Typed queries: a pattern with an open end, its limits and bounds, and queries inside queries."""

import re

import pytest

from graphrag import Bound, Order, Query, QueryError
from graphrag.sync import GraphRAG
from graphrag.temporal.interval import Interval
from graphrag.temporal.moment import parse_moment
from tests.ask.conftest import knowing
from tests.conftest import open_graph

ADA = Query("Ada Vance", "resides_in")
BAILIFF = Query(relation="has_function", object="bailiff of Hull")
YEARS = Interval(parse_moment("1991"), parse_moment("1993"))
ANSWERS = (
    (ADA, ("Leeds", "York", "Hull")),
    (Query("Ada Vance", "resides_in", holds="now"), ("Hull",)),
    (Query("Ada Vance", "resides_in", interval=YEARS), ("York",)),
    (Query("Ada Vance", "resides_in", order=Order("first", 2)), ("York",)),
    (Query("Ada Vance", "resides_in", without=("York",)), ("Leeds", "Hull")),
    (Query("Ada Vance", ("resides_in", "employed_at"), wants="how many"), ("5",)),
    (Query("Ada Vance", "resides_in", "York", wants="when"), ("1990 to 2001",)),
    (Query("Ada Vance", "resides_in", "York", wants="how long", unit="year"), ("11",)),
    (Query("Ada Vance", "resides_in", "Bath", wants="whether"), ()),
    (Query("Ada Vance", "resides_in", "York", wants="whether"), ("yes",)),
    (Query(Query("Ada Vance", "wife_of"), "resides_in"), ()),
    (
        Query(relation="owned_by", subject=Query("Ada Vance", "employed_at", interval=YEARS)),
        ("Tom Vance",),
    ),
    (
        Query(
            "Ada Vance", "resides_in", wants="which", order=Order("last"), among=("York", "Hull")
        ),
        ("Hull",),
    ),
    (
        Query(
            relation="has_function",
            object="bailiff of Hull",
            bounds=(Bound("after", Query("Ben Rowe", "has_function"), nearest=True),),
        ),
        ("Cora Lunt",),
    ),
    (
        Query("Ada Vance", "home_of"),
        (),
    ),
)


@pytest.mark.parametrize(("query", "values"), ANSWERS, ids=lambda value: str(value)[:60])
async def test_query_is_answered_from_the_facts(town, query, values):
    answer = await town.query(query)
    assert answer.values == values, answer.how
    assert answer.query == query
    assert bool(answer) is not bool(answer.missing)


async def test_inverse_of_a_relation_has_its_ends_swapped(town):
    answer = await town.query(Query("Hull", "home_of"))
    assert answer.values == ("Ada Vance",)


async def test_question_shows_the_query_that_it_was_read_as(town):
    answer = await town.ask("Where did Ada Vance live right before Hull?")
    again = await town.query(answer.query)
    assert again.values == answer.values == ("York",)
    assert str(answer.query) == (
        "entities of Ada Vance · resides_in · ?; "
        "right before (entities of Ada Vance · resides_in · Hull)"
    )


async def test_query_that_cannot_be_worked_out_says_why(town):
    assert "names its subject or its object" in (await town.query(Query())).missing
    assert "no entity is called 'Zed'" in (await town.query(Query("Zed", "knows"))).missing
    with pytest.raises(QueryError, match="give Query"):
        await town.query("Where does Ada Vance live?")


async def test_a_state_without_an_end_is_no_moment():
    facts = (
        ("Ann Lee", "chairs", "Hull Board", "1900-01-01", None),
        ("Bob Oak", "chairs", "Hull Board", "1950-01-01", None),
    )
    ends = "Ann Lee chairing Hull Board and Bob Oak chairing Hull Board"
    async with knowing(facts) as graph:
        answer = await graph.ask(f"How many years are there between {ends}?")
        assert answer.missing == "a date of one of them is not known"


def test_the_blocking_twin_queries():
    with open_graph(kind=GraphRAG) as graph:
        graph.add_fact("Alice", "works_at", "Beta", valid_at="2021")
        assert graph.query(Query("Alice", "works_at")).values == ("Beta",)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"wants": "all"}, "wants 'all': choose from entities"),
        ({"interval": "2021"}, "interval '2021': give Interval"),
        ({"order": "first"}, "order 'first': give Order"),
        ({"bounds": [3]}, "bounds"),
        ({"relation": 5}, "relation 5: give text"),
        ({"subject": 3}, "subject 3: give text"),
    ],
)
def test_a_part_of_a_query_that_does_not_fit_is_refused(given, said):
    with pytest.raises(QueryError, match=re.escape(said)):
        Query(**given)


@pytest.mark.parametrize("n", [0, -1])
def test_no_place_comes_before_the_first(n):
    with pytest.raises(QueryError, match="give at least 1"):
        Order("first", n)
