"""Columns of the past: their own where they differ, elsewhere in the memory of the group."""

import numpy as np

from graphrag.index.columns import bytes_of
from graphrag.search import rewind
from tests.conftest import open_graph, triples

FACTS = 4_000


def facts(many):
    for number in range(many):
        yield {
            "subject": f"person {number % 40}",
            "relation": "knows",
            "object": f"thing {number // 2}",
        }


async def found(view, query="person 3"):
    results = await view.search(query, scopes=["facts", "entities"], limit=40)
    return [(hit.item.text, round(hit.score, 5)) for hit in results.facts], [
        hit.item.name for hit in results.entities
    ]


async def test_a_view_of_the_past_does_not_copy_the_group():
    async with open_graph() as graph, open_graph() as alone:
        await graph.load.facts(facts(FACTS), judge=False)
        await alone.load.facts(facts(FACTS), judge=False)
        moment = (await graph.log.events())[-1].at
        [fact, *_] = await graph.facts("person 3")
        await graph.edit.correct(fact, text="person 3 is a stranger to everybody")
        await graph.add_fact("person 3", "knows", "person 4")
        index = await graph.handle.session.catalog.group("default")
        before = await found(graph)
        then = graph.at(known_at=moment)
        assert await found(then) == await found(alone)
        upto, columns = rewind._LAST.get(index)
        assert upto < index.seq
        now, parts = ([*rows.facts.vectors._units.parts(slice(None))] for rows in (index, columns))
        shared = sum(any(np.shares_memory(own, part) for own in now) for part in parts)
        assert (shared, len(parts)) == (1, 2)  # but for the rows around the fact that was reworded
        derived, index.derived = index.derived, {}
        assert bytes_of([index, derived]) < 1.5 * bytes_of(index)
        index.derived = derived
        # Changes of now do not reach what was known then, nor the other way round.
        await graph.edit.retract(fact, "never so")
        await graph.add_episode("person 3 knows somebody else.")
        assert await found(then) == await found(alone)
        assert await found(graph) != before
        assert triples(await graph.facts("person 3", relation="knows"))


async def test_a_view_from_before_nearly_everything_was_told_has_the_little_that_there_was():
    async with open_graph() as graph, open_graph() as alone:
        for one in (graph, alone):
            await one.load.facts(facts(300), judge=False)
        moment = (await graph.log.events())[-1].at
        others = [fact | {"object": "another thing"} for fact in facts(1_500)]
        await graph.load.facts(others, judge=False)
        for number in range(45):  # more events than are read at a time
            await graph.add_episode(f"person {number} likes tea.", reference_time="2020-01-01")
        then = graph.at(known_at=moment)
        assert await found(then) == await found(alone)
        assert await found(then, "tea") == await found(alone, "tea")
        assert len(await then.facts()) == len(await alone.facts())
        assert (await then.stats()).facts == (await alone.stats()).facts
