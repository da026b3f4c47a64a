"""Events in a question are dated by the facts that tell of them."""

import pytest

from graphrag.search.near import anchored
from graphrag.search.query_time import read_when
from graphrag.search.rewind import NO_REWIND
from graphrag.search.visibility import visible
from graphrag.temporal.interval import Interval, Viewpoint
from graphrag.temporal.moment import utc_now
from tests.conftest import day


@pytest.fixture
async def told(graph):
    for text, when in (
        ("Alice works_at Acme from 2015-01-01 to 2020-01-01.", "2015-02-01"),
        ("Alice works_at Beta from 2020-01-01.", "2020-02-01"),
        ("Alice moved_to Rome from 2018-01-01.", "2018-02-01"),
        ("Bob moved_to Paris from 2022-01-01.", "2022-02-01"),
    ):
        await graph.add_episode(text, reference_time=when)
    return graph


async def read(graph, question):
    index = await graph.handle.session.catalog.group("default")
    ever = visible(index, Viewpoint(history=True), NO_REWIND, now=utc_now())
    return anchored(read_when(question), question, index, ever)


@pytest.mark.parametrize(
    ("question", "interval"),
    [
        ("Where did Alice work before she moved?", Interval(end=day("2018-01-01"))),
        ("Where has Alice worked since the move to Rome?", Interval(start=day("2018-01-01"))),
        ("Where did Alice work when Bob moved to Paris?", Interval(start=day("2022-01-01"))),
        (
            "Where did Alice live while at Acme?",
            Interval(day("2015-01-01"), day("2020-01-01")),
        ),
        ("What did Alice do until Acme?", Interval(end=day("2020-01-01"))),
    ],
)
async def test_an_event_is_dated_by_the_fact_that_tells_of_it(told, question, interval):
    when = await read(told, question)
    assert when.intervals == (interval,)
    assert not when.filters


async def test_an_event_that_no_fact_tells_of_stays_without_a_date(told):
    when = await read(told, "Where did Alice work before the war?")
    assert when.intervals == ()
    assert when.anchors


async def test_facts_without_a_start_do_not_date_an_event(graph):
    rows = [
        {"subject": "Ann", "relation": "painted", "object": "Mill"},
        {"subject": "Bob", "relation": "lives_in", "object": "Rome", "valid_at": "2001"},
    ]
    await graph.load.facts(rows, judge=False)
    assert await graph.search("Where did Bob live before he painted?")


async def test_what_overlaps_the_event_comes_first(told):
    before = await told.search("Where did Alice work before she moved to Rome?", scopes=["facts"])
    works = [hit.item.object for hit in before.facts if hit.item.relation == "works_at"]
    assert works[0] == "Acme"
    now = await told.search("Where does Alice work?", scopes=["facts"])
    assert "Acme" not in {hit.item.object for hit in now.facts}


async def test_an_event_of_which_only_facts_without_a_start_tell_has_no_date(graph):
    await graph.add_fact("Tom", "divorced", "Ann")
    await graph.add_fact("Ann", "lives_in", "Rome", valid_at="2018-01-01")
    when = await read(graph, "Who did Ann marry after divorcing Tom?")
    assert when.anchors
    assert when.intervals == ()
