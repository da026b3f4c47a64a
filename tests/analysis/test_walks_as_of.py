"""Walking verbs at any time, over random histories, against plain Python over the stored rows."""

from datetime import UTC, datetime
from itertools import pairwise

import anyio
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from graphrag import InputError, NewEpisode, Within
from graphrag.index.tables import read_mentions
from graphrag.search.rewind import rewound_index
from graphrag.search.within import limited, reach
from tests.analysis.walk_reference import Snapshot
from tests.conftest import open_graph

NAMES = ("Ann", "Bob", "Eve", "Dan", "Joe", "Kim")
RELATIONS = ("knows_of", "likes", "works_at")
"""The last is one that only one thing at a time can be true of: a new one closes the old."""
NAME, RELATION = st.sampled_from(NAMES), st.sampled_from(RELATIONS)
YEAR, SURE = st.integers(2010, 2019), st.sampled_from([0.2, 0.6, 0.9, 1.0])
DEEDS = st.one_of(
    st.tuples(st.just("told"), NAME, RELATION, NAME, YEAR, st.integers(0, 6), SURE),
    st.tuples(st.just("told"), NAME, RELATION, NAME, YEAR, st.integers(0, 6), SURE),
    st.tuples(st.just("read"), NAME, RELATION, NAME, YEAR),
    st.tuples(st.just("read"), NAME, RELATION, NAME, YEAR),
    st.tuples(st.just("retract"), st.integers(0, 30)),
    st.tuples(st.just("invalidate"), st.integers(0, 30), YEAR),
    st.tuples(st.just("confirm"), st.integers(0, 30)),
    st.tuples(st.just("remove"), st.integers(0, 30)),
    st.tuples(st.just("merge"), NAME, NAME),
    st.tuples(st.just("unmerge")),
)


class History:
    """A graph that random things are done to, with copies of its rows in between."""

    def __init__(self, graph):
        self.graph = graph
        self.merges = []
        self.snapshots = []

    async def do(self, deed):
        """Do one thing; what a rule refuses stays undone."""
        graph = self.graph
        try:
            match deed:
                case ["told", one, relation, other, year, years, sure]:
                    end = f"{year + years}-01-01" if years else None
                    await graph.add_fact(
                        one,
                        relation,
                        other,
                        valid_at=f"{year}-01-01",
                        invalid_at=end,
                        confidence=sure,
                    )
                case ["read", one, relation, other, year]:
                    relation = "knows_of" if relation == "likes" else relation
                    text = f"{one} {relation} {other} from {year}-06-01."
                    await graph.add_episodes([NewEpisode(text, reference_time=f"{year}-06-01")])
                case ["retract", number]:
                    await graph.edit.retract(self.picked(number))
                case ["invalidate", number, year]:
                    await graph.edit.invalidate(self.picked(number), at=f"{year}-07-01")
                case ["confirm", number]:
                    await graph.edit.confirm(self.picked(number, hidden=True))
                case ["remove", number]:
                    episodes = sorted(self.snapshots[-1].episodes)
                    await graph.log.remove_episode(episodes[number % len(episodes)])
                case ["merge", one, other]:
                    self.merges.append(await graph.identity.merge(one, other))
                case ("unmerge",):
                    await graph.identity.unmerge(self.merges.pop())
        except (InputError, LookupError, ZeroDivisionError):
            pass
        self.snapshots.append(await Snapshot.of(graph))

    def picked(self, number, *, hidden=False):
        facts = sorted(one.id for one in self.snapshots[-1].facts if one.hidden is hidden)
        return facts[number % len(facts)]


@settings(
    max_examples=8,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(st.lists(DEEDS, min_size=8, max_size=22), st.randoms(use_true_random=False))
def test_every_verb_agrees_with_plain_python_at_any_time(deeds, dice):
    anyio.run(_compare, deeds, dice)


async def _compare(deeds, dice):
    async with open_graph(review_below=0.5) as graph:
        history = History(graph)
        for deed in deeds:
            await history.do(deed)
        for number in {len(deeds) - 1, dice.randrange(len(deeds)), dice.randrange(len(deeds))}:
            snapshot = history.snapshots[number]
            newest = number == len(deeds) - 1
            for valid_at in (None, datetime(dice.randint(2009, 2021), 3, 1, tzinfo=UTC)):
                known_at = None if newest and dice.random() < 0.5 else snapshot.taken
                view = graph.at(valid_at=valid_at, known_at=known_at)
                expected = snapshot.at(valid_at or snapshot.taken)
                await _walks_agree(view, expected, dice)
                await _parts_agree(view, expected, valid_at, dice)


async def _walks_agree(view, graph, dice):
    there = sorted(graph.snapshot.there)
    for one in there:
        depth = dice.randint(1, 3)
        relations = dice.choice([None, None, ["likes"], ["knows_of", "works_at"]])
        found = await view.neighbors(one, depth=depth, relations=relations, facts=3)
        wanted = graph.neighbors(one, depth, relations)
        assert {near.entity.id: near.distance for near in found} == {
            other: distance for other, (distance, _) in wanted.items()
        }
        for near in found:
            facts = wanted[near.entity.id][1]
            assert near.count == len(facts)
            assert {fact.id for fact in near.facts} <= facts
            assert len(near.facts) == min(3, len(facts))
        around = await view.subgraph(one, depth=depth, limit=3)
        reached = graph.distances([one], depth)
        assert around.entities[0].id == one
        assert {other.id for other in around.entities} <= reached.keys()
        assert len(around.entities) + around.left_out == len(reached)
        portrait = await view.profile(one, facts=100, changes=100)
        assert {fact.id for fact in portrait.facts} == graph.about(one)
        ended = graph.ended(one)
        assert [ended[fact.id] for fact in portrait.changes] == sorted(ended.values())[::-1]
        assert {fact.id for fact in await view.facts(one)} == graph.about(one)
    for one, other in pairwise(there):
        longest, k = dice.randint(1, 4), dice.randint(1, 5)
        ways = graph.ways(one, other, longest)
        path = await view.path(one, other, max_depth=longest)
        assert (path is None) == (not ways)
        assert path is None or len(path) == min(len(way) - 1 for _, way in ways)
        paths = await view.paths(one, other, k=k, max_depth=longest)
        assert [round(way.cost, 6) for way in paths] == [cost for cost, _ in ways[:k]]
        taken = {(round(way.cost, 6), tuple(e.id for e in way.entities)) for way in paths}
        assert taken <= set(ways) and len(taken) == len(paths)
        for way in paths:
            for here, fact, after in zip(way.entities, way.facts, way.entities[1:], strict=False):
                assert {fact.subject_id, fact.object_id} == {here.id, after.id}
    whole = await view.subgraph(limit=100, facts=1000)
    inside = {one.id for one in whole.entities}
    degrees = graph.degrees()
    assert dict(whole.degrees) == {one: degrees[one] for one in inside}
    assert {(e.source, e.relation, e.target): e.count for e in whole.edges} == graph.edges(inside)
    assert {fact.id for fact in whole.facts} == {
        fact.id for fact in graph.facts if fact.ends <= inside
    }


async def _parts_agree(view, graph, until, dice):
    """Compare what a search may be limited to."""
    there = sorted(graph.snapshot.there)
    if not there:
        return
    hops, through = dice.randint(0, 2), dice.sample(RELATIONS, dice.randint(1, 3))
    start = dice.choice(there)
    known = await view.within(start, through=through, hops=hops)
    assert parts(known) == graph.visible(start, through, hops, until)
    starts = dice.sample(there, min(len(there), dice.randint(1, 2)))
    relations = dice.choice([None, through])
    within = Within(starts, hops=hops + 1, relations=relations)
    index, past, seen = await view._context.scene()
    store, embedder = view._context.store, view._context.session.embedder
    if not past:
        await read_mentions(store, index)
    then = await rewound_index(index, past, store, embedder, mentions=True)
    expected = graph.within(starts, hops + 1, relations, until)
    assert parts(reach(limited(within, then, seen), then)) == expected
    results = await view.search("Ann knows of Bob", within=within, limit=100)
    for hits, allowed in zip(
        (results.entities, results.facts, results.episodes), expected, strict=True
    ):
        assert {hit.item.id for hit in hits} <= allowed
    assert not results.communities


def parts(known):
    return set(known.entities), set(known.facts), set(known.episodes)
