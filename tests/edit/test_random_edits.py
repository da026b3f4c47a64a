"""Whatever is told and edited, in whatever order: the rules hold and the past stays readable."""

import asyncio
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag import GraphRAGError
from tests.edit.faint import open_unsure, whole
from tests.ingest.meeting import ends_as_told, equal_evidence

PEOPLE = ("Alice", "Bob")
JOBS = ("Acme", "Beta", "Globex")

years = st.integers(2018, 2026)
told = st.tuples(
    st.just("tell"),
    st.sampled_from(["", "?? "]),
    st.sampled_from(PEOPLE),
    st.sampled_from(JOBS),
    years,
)
done = st.tuples(
    st.sampled_from(["retract", "invalidate", "object", "start", "end", "confirm", "reject"]),
    st.integers(0, 50),
    st.sampled_from(JOBS),
    years,
)


async def edited(graph, kind, fact, job, year):
    match kind:
        case "retract":
            await graph.edit.retract(fact, "so")
        case "invalidate":
            await graph.edit.invalidate(fact, str(year))
        case "object":
            await graph.edit.correct(fact, object=job)
        case "start":
            await graph.edit.correct(fact, valid_at=str(year))
        case "end":
            await graph.edit.correct(fact, invalid_at=str(year))
        case "confirm":
            await graph.edit.confirm(fact)
        case "reject":
            await graph.edit.reject(fact)


async def snapshot(view):
    found = {}
    for person in PEOPLE:
        if await view.entity(person) is not None:
            found[person] = await view.facts(person)
    return found


def agreed(facts):
    """Assert that nobody is at two places by unequal evidence, and no lifetime is inverted."""
    held = [fact for fact in facts if fact.retracted_at is None]
    for fact in facts:
        over = fact.invalid_at is not None or fact.retracted_at is not None
        assert over == (fact.closed_as is not None), fact
    for fact in held:
        assert not (fact.valid_at and fact.invalid_at and fact.invalid_at <= fact.valid_at), fact
    for one, other in combinations(held, 2):
        apart = (one.invalid_at and other.valid_at and one.invalid_at <= other.valid_at) or (
            other.invalid_at and one.valid_at and other.invalid_at <= one.valid_at
        )
        # Of equal evidence all hold, and what is told to end later goes on until then.
        told = equal_evidence(one, other, facts) or ends_as_told(one, other)
        assert apart or told, (one, other)


async def play(steps):
    async with open_unsure() as graph:
        past = []
        for number, (kind, *rest) in enumerate(steps):
            before = await graph.log.events()
            if kind == "tell":
                unsure, person, job, year = rest
                await graph.add_episode(
                    f"{unsure}{person} works_at {job} from {year}.",
                    reference_time=f"2026-{number + 1:02}",
                )
            else:
                pick, job, year = rest
                ids = sorted((await graph.handle.session.catalog.group("default")).facts.ids)
                if not ids:
                    continue
                try:
                    await edited(graph, kind, ids[pick % len(ids)], job, year)
                except GraphRAGError:
                    assert await graph.log.events() == before
            now = await snapshot(graph.at(history=True))
            for facts in now.values():
                agreed(facts)
            if log := await graph.log.events():
                past.append((log[-1].at, now))
        for moment, then in past:
            assert await snapshot(graph.at(known_at=moment, history=True)) == then
        await whole(graph)


@settings(max_examples=10)
@given(st.lists(st.one_of(told, done), max_size=8))
def test_no_edit_leaves_two_values_at_one_moment_and_the_past_is_exact(steps):
    asyncio.run(play(steps))
