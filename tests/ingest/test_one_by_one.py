"""A table gives the graph that its rows give one by one, however they are cut into batches."""

import asyncio

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import open_graph

NAMES = ("Ann", "Bob", "Acme", "Globex")
RELATIONS = ("works_at", "likes", "dislikes", "married_to", "leads", "employs", "knows")


@st.composite
def tables(draw):
    ends = st.permutations(NAMES).map(lambda names: names[:2])
    years = st.sampled_from((None, 2018, 2019, 2020, 2021, 2022))
    rows = []
    for number in range(draw(st.integers(2, 12))):
        subject, object_ = draw(ends)
        start, end = draw(years), draw(years)
        if start is not None and end is not None and end <= start:
            end = None
        rows.append(
            {
                "subject": subject,
                "relation": draw(st.sampled_from(RELATIONS)),
                "object": object_,
                "valid_at": start and str(start),
                "invalid_at": end and str(end),
                "confidence": draw(st.sampled_from((1.0, 1.0, 0.5))),
                "text": f"Row {number}.",
            }
        )
    return rows


async def _all_of(graph):
    facts, entities = await graph.handle.session.store.query(
        "SELECT VALUE [subject, name, object, fact, valid_at, invalid_at, observed, pending, "
        "retracted_at IS NOT NONE, expired_at IS NOT NONE, confidence, reason] FROM relates_to;"
        "SELECT VALUE [name, summary] FROM entity;"
    )
    return sorted(facts, key=str), sorted(entities)


@settings(max_examples=6, suppress_health_check=list(HealthCheck))
@given(tables(), st.integers(1, 5))
def test_batches_give_the_graph_of_single_facts(rows, batch):
    asyncio.run(_compare(rows, batch))


async def _compare(rows, batch):
    async with open_graph() as single, open_graph() as batched:
        for row in rows:
            await single.add_fact(**row)
        await batched.load.facts(rows, batch=batch)
        assert await _all_of(batched) == await _all_of(single)
        assert not (await batched.health.check_all()).findings
