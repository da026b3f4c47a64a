"""As of any moment, the records of the whole graph are those that plain Python makes of the log."""

import asyncio

from hypothesis import HealthCheck, Phase, given, settings

from graphrag import GraphRAGError
from tests.analysis.audit.audit_reference import Reference, line
from tests.conftest import day
from tests.history.acts import FIRST, STEPS, act, open_any

WORLD = day("2022-06-01")
ASKED = ("employs", "leads", "likes", "works at", "knows")


async def compare(view, events, at, history):
    known = Reference(events)
    for relation in ("works_at", *ASKED):
        found = [line(fact) for fact in await view.facts(relation=relation, limit=1000)]
        told = relation.replace(" ", "_")
        assert found == known.facts_of(told, at=at, history=history), relation
        paged = [
            line(fact)
            for start in range(0, len(found), 2)
            for fact in await view.facts(relation=relation, limit=2, offset=start)
        ]
        assert paged == found
    for entity in known.entities.values():
        if entity.merged_into is None and (entity.removed_at is None or history):
            about = await view.facts(entity.id)
            shown = [line(one) for one in about.outgoing], [line(one) for one in about.incoming]
            assert shown == known.facts_about(entity.id, at=at, history=history)
            timeline = await view.timeline(entity.id)
            stages = [
                (line(one.fact), one.status, one.closed_by and one.closed_by.id) for one in timeline
            ]
            assert stages == known.timeline(entity.id, at=timeline.at)
    found = await view.audit.contradictions(limit=1000)
    if view.viewpoint.valid_at is None:
        pairs = {(one.fact.id, one.other.id, one.outcome) for one in found}
        assert pairs == known.contradictions()
    else:
        assert all(one.disputed.contains(WORLD) for one in found)
    orphans = await view.audit.orphans(limit=1000)
    told = {one.id for one in orphans.entities}, {one.id for one in orphans.episodes}
    assert told == known.orphans()
    assert orphans.facts == ()


async def play(steps):
    async with open_any() as graph:
        await graph.add_episode(FIRST, reference_time="2021-06-01", saga="lives")
        for number, step in enumerate(steps):
            try:
                await act(graph, step, number)
            except GraphRAGError:
                continue
        log = list(await graph.log.events())
        assert (await graph.health.check_all()).sound
        picked = {0, len(log) // 2, len(log) - 1}
        for upto in sorted(picked):
            moment, events = log[upto].at, log[: upto + 1]
            await compare(graph.at(known_at=moment), events, moment, False)
            await compare(graph.at(known_at=moment, valid_at=WORLD), events, WORLD, False)
            await compare(graph.at(known_at=moment, history=True), events, moment, True)
        now = log[-1].at
        await compare(graph.at(), log, now, False)


@settings(
    max_examples=3,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow],
)
@given(STEPS)
def test_views_of_the_whole_graph_agree_with_the_replayed_log(steps):
    asyncio.run(play(steps))
