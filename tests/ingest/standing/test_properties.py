"""Random worlds, rules and orders of telling, against an account of every day."""

import asyncio
import os
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag.graph import GraphRAG
from graphrag.session import Models, Rules
from graphrag.testing import HashEmbedder
from tests.conftest import PlainExtractor
from tests.ingest.standing.worlds import DAYS, histories, relations_with, rule_sets, states

FIRST = datetime(2030, 1, 1, tzinfo=UTC)
numbers = count()


def moment(day):
    return FIRST + timedelta(days=day)


def opened(rules):
    relations = relations_with([])
    return GraphRAG.open(
        "mem://",
        models=Models(embedder=HashEmbedder(), extractor=PlainExtractor()),
        rules=Rules(relations=relations, standing=rules, review_below=0),
    )


async def tell(graph, one):
    """Tell one thing, and return what takes it back."""
    if one.ends:
        for fact in await graph.at(history=True).facts(one.subject, relation=one.relation):
            same = (fact.subject, fact.relation, fact.object) == one.line
            if same and not fact.derived_from and fact.statements:
                found = fact
        text = f"{one.subject} ends:{one.relation} {one.object} from {moment(one.day):%Y-%m-%d}."
        assert found is not None
        return await graph.add_episode(text, reference_time=moment(one.day))
    return await graph.add_fact(*one.line, valid_at=moment(one.day), source=str(next(numbers)))


async def days_of(graph):
    """Return what the graph says for each day, as often as it says it."""
    facts = await graph.at(history=True).facts(limit=1000)
    # What merely was at some time holds at no moment that is known.
    facts = [fact for fact in facts if fact.retracted_at is None and fact.closed_as != "past"]
    return [
        [
            (fact.subject, fact.relation, fact.object)
            for fact in facts
            if (fact.valid_at is None or fact.valid_at <= moment(day))
            and (fact.invalid_at is None or moment(day) < fact.invalid_at)
        ]
        for day in range(DAYS)
    ]


def compare(found, expected):
    for day, (some, others) in enumerate(zip(found, expected, strict=True)):
        assert sorted(some) == sorted(others), f"day {day}"


slow = settings(
    max_examples=int(os.environ.get("GRAPHRAG_HISTORIES", "10")),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@slow
@given(rules=rule_sets(), said=histories(), data=st.data())
def test_any_order_of_telling_gives_what_every_day_gives(rules, said, data):
    order = data.draw(st.permutations(said))
    order = [*(one for one in order if not one.ends), *(one for one in order if one.ends)]
    ended = {(one.subject, one.relation) for one in said if one.ends}
    free = [one for one in said if one.ends or (one.subject, one.relation) not in ended]
    undone = data.draw(st.lists(st.sampled_from(free), max_size=2, unique=True)) if free else []

    both = {"Ann", "Ben"} <= {name for one in said for name in (one.subject, one.object)}

    async def run():
        async with opened(rules) as graph:
            events = {}
            for one in order:
                await tell(graph, one)
                events[one] = (await graph.log.events(limit=1))[-1].seq
            compare(await days_of(graph), states(said, rules))
            assert (await graph.health.check_all()).findings == ()
            left = list(order)
            for one in undone:
                await graph.log.revert(events[one], force=True)
                left.remove(one)
                compare(await days_of(graph), states(left, rules))
            assert (await graph.health.check_all()).findings == ()
            if both:
                await graph.identity.merge("Ann", "Ben")
                assert (await graph.health.check_all()).findings == ()
                await graph.identity.unmerge((await graph.log.events(limit=1))[-1])
                compare(await days_of(graph), states(left, rules))
                assert (await graph.health.check_all()).findings == ()

    asyncio.run(run())
