"""Corrections keep what a fact is: an event its day, a plan a plan, a former fact in the past."""

import pytest

from graphrag import InputError, Relation, Relations
from graphrag.edit import Correction, corrected
from graphrag.model.assertion import Date
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph
from tests.edit.faint import believed, everything, only_fact, whole


async def stated(graph, *given, **times):
    return (await graph.add_fact(*given, **times)).fact


async def visit(graph, when="2021-05-03", **times):
    return await stated(graph, "Ann", "visited", "Riga", valid_at=when, kind="event", **times)


async def days(graph):
    """Return the first moments and the ends of what is believed of Ann."""
    return sorted((fact.valid_at, fact.invalid_at) for fact in await believed(graph, "Ann"))


# -- events ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "to", "first", "end"),
    [
        ("2021-05-03", "2021-05-01", "2021-05-01", "2021-05-02"),
        ("2021-05-03", "2021-05-10", "2021-05-10", "2021-05-11"),
        ("2021-05-03", day("2021-05-10"), "2021-05-10", "2021-05-11"),
        ("2021-05-03", "2021-05", "2021-05-01", "2021-06-01"),
        ("2021-05", "2021-05-01", "2021-05-01", "2021-05-02"),
        ("2021", "2022", "2022-01-01", "2023-01-01"),
    ],
)
async def test_an_event_moves_whole(graph, when, to, first, end):
    moved = await graph.edit.correct(await visit(graph, when), valid_at=to)
    assert (moved.valid_at, moved.invalid_at) == (day(first), day(end))
    assert (moved.kind, moved.closed_as) == ("event", "bounded")
    again = await graph.edit.correct(moved, valid_at="2023-02-07")
    assert await days(graph) == [(day("2023-02-07"), day("2023-02-08"))]
    assert again.id == moved.id
    assert await graph.facts("Ann") == []
    await whole(graph)


async def test_an_event_with_an_end_of_its_own_is_a_stretch(graph):
    stay = await graph.edit.correct(await visit(graph), valid_at="2021-05-01", invalid_at="2021-06")
    assert (stay.valid_at, stay.invalid_at) == (day("2021-05-01"), day("2021-06-01"))


async def test_an_event_of_something_else_is_an_event(graph):
    other = await graph.edit.correct(await visit(graph, "2021-05"), object="Oslo")
    assert (other.kind, other.object) == ("event", "Oslo")
    moved = await graph.edit.correct(other, valid_at="2021-06")
    assert (moved.valid_at, moved.invalid_at) == (day("2021-06-01"), day("2021-07-01"))
    await whole(graph)


async def trip(graph):
    return await visit(graph, "2021-05-03", invalid_at="2021-05-06")


async def three_days_in_a_row(graph):
    await visit(graph, "2021-05-04")
    await visit(graph, "2021-05-03")
    return await visit(graph, "2021-05-05")


@pytest.mark.parametrize("stay", [trip, three_days_in_a_row])
async def test_an_event_of_several_days_moves_whole(graph, stay):
    moved = await graph.edit.correct(await stay(graph), valid_at="2021-05-30")
    assert await days(graph) == [(day("2021-05-30"), day("2021-06-02"))]
    assert moved.kind == "event"
    for taken in ("valid_at", "invalid_at"):
        with pytest.raises(InputError, match="is an event"):
            await graph.edit.correct(moved, **{taken: None})
    await whole(graph)


@pytest.mark.parametrize("times", [{"valid_at": None}, {"invalid_at": None}])
async def test_an_event_without_its_day_is_refused(graph, times):
    fact = await visit(graph)
    with pytest.raises(InputError, match=r"Ann visited Riga.* is an event.* give its day"):
        await graph.edit.correct(fact, **times)
    assert await everything(graph, "Ann") == [fact]


# -- what merely was ---------------------------------------------------------------------------


async def former(graph):
    job = ("Ann", "works_at", "Acme")
    return await stated(graph, *job, kind="was", reference_time="2021-05-03")


async def test_a_former_fact_does_not_come_alive_without_a_start(graph):
    fact = await former(graph)
    for times in ({"invalid_at": None}, {"valid_at": None, "invalid_at": None}):
        with pytest.raises(InputError, match=r"some time before 2021-05-03.*give valid_at"):
            await graph.edit.correct(fact, **times)
    assert await graph.facts("Ann") == []
    back = await graph.edit.correct(fact, valid_at="2020", invalid_at=None)
    assert await graph.facts("Ann") == [back]


@pytest.mark.parametrize("change", [{"object": "Beta"}, {"text": "Hm."}, {"valid_at": None}])
async def test_other_corrections_leave_a_former_fact_in_the_past(graph, change):
    fact = await graph.edit.correct(await former(graph), **change)
    assert (fact.closed_as, fact.valid_at, fact.kind) == ("past", None, "was")
    assert await graph.facts("Ann") == []
    await whole(graph)


async def test_what_is_timeless_stays_so_under_another_object(graph):
    fact = await stated(graph, "Ann", "native_of", "Riga", kind="timeless")
    other = await graph.edit.correct(fact, object="Oslo")
    assert (other.kind, other.valid_at, other.invalid_at) == ("timeless", None, None)


# -- plans -------------------------------------------------------------------------------------

TOLD = {"reference_time": "2026-01-01"}


@pytest.mark.parametrize("to", ["2030-03-01", "2030-03-05", "2030"])
async def test_a_corrected_plan_leaves_the_other_plans(graph, to):
    first, *others = [await visit(graph, when, **TOLD) for when in ("2030-03-03", "2031-03-20")]
    moved = await graph.edit.correct(first, valid_at=to)
    assert moved.id == first.id
    assert [fact for fact in await believed(graph, "Ann") if fact.id != first.id] == others
    assert (await graph.log.events())[-1].note is None
    await whole(graph)


@pytest.mark.parametrize("kind", ["planned", "state"])
async def test_a_corrected_plan_of_a_state_is_a_plan(graph, kind):
    job = ("Ann", "works_at", "Acme")
    fact = await stated(graph, *job, valid_at="2030-03-03", kind=kind, **TOLD)
    fact = await graph.edit.correct(fact, valid_at="2030-05-01")
    await stated(graph, *job, valid_at="2030-07-01", kind="planned", reference_time="2026-06-01")
    assert [start for start, _ in await days(graph)] == [day("2030-07-01")]
    await whole(graph)


@pytest.mark.parametrize("kind", ["planned", "event"])
async def test_a_plan_without_its_day_is_refused(graph, kind):
    given = {"valid_at": "2030-03-03", "kind": kind, **TOLD}
    fact = await stated(graph, "Ann", "visits", "Riga", **given)
    with pytest.raises(InputError, match="give its day"):
        await graph.edit.correct(fact, valid_at=None)


async def test_a_corrected_report_that_replaces_a_plan_says_so(graph):
    report = await visit(graph, "2025-05-03")
    await visit(graph, "2030-03-03", **TOLD)
    report = await graph.edit.correct(report, valid_at="2026-05-01")
    assert await days(graph) == [(day("2026-05-01"), day("2026-05-02"))]
    [event] = await graph.log.events(fact=report, limit=1)
    assert event.note == "Ann visited Riga: was cancelled"


# -- what else changes -------------------------------------------------------------------------


async def test_the_note_of_an_edit_tells_what_else_ends_and_holds_again(graph):
    await stated(graph, "Ann", "works_at", "Acme", valid_at="2020")
    beta = await stated(graph, "Ann", "works_at", "Beta", valid_at="2023")
    beta = await graph.edit.correct(beta, valid_at="2022", reason="the contract")
    [event] = await graph.log.events(fact=beta, limit=1)
    assert event.note == "the contract; Ann works_at Acme: ends 2022-01-01 (superseded)"
    await graph.edit.retract(beta)
    [event] = await graph.log.events(fact=beta, limit=1)
    assert event.note == "Ann works_at Acme: has no end any more"


# -- self-loops --------------------------------------------------------------------------------


async def test_a_correction_may_make_a_fact_of_one_entity_with_itself(graph):
    fact = await stated(graph, "Board", "consults", "Bob", valid_at="2020")
    loop = await graph.edit.correct(fact, object="Board")
    assert (loop.subject_id, loop.valid_at) == (loop.object_id, day("2020-01-01"))
    moved = await graph.edit.correct(loop, valid_at="2021", text="The board asks itself.")
    assert await graph.facts("Board") == [moved]
    assert (moved.id, moved.valid_at) == (loop.id, day("2021-01-01"))
    both = await graph.edit.correct(moved, subject="Council", object="Council")
    assert both.subject_id == both.object_id
    assert [one.name for one in await graph.entities() if one.name == "Council"] == ["Council"]
    await whole(graph)


async def test_a_loop_of_an_irreflexive_relation_is_refused_with_what_would_allow_it(graph):
    fact = await stated(graph, "Zoe", "works_at", "Acme")
    words = r"relate 'Zoe' to itself.*Relation\('works_at', irreflexive=False\)"
    with pytest.raises(InputError, match=words):
        await graph.edit.correct(fact, object="Zoe")
    own = Relations().having(Relation("works_at", irreflexive=False))
    async with open_graph(relations=own) as allowed:
        fact = await stated(allowed, "Zoe", "works_at", "Acme")
        await allowed.edit.correct(fact, object="Zoe")
        assert (await only_fact(allowed, "Zoe")).object == "Zoe"


async def test_a_fact_that_nothing_supports_any_more_is_dated_by_hand():
    async with open_graph() as graph:
        fact = (await graph.add_fact("Ada", "works_at", "Initech", valid_at="2020")).fact
    edit = corrected(fact, Correction(valid_at=Date(day("2021-01-01"))), (), "", now=utc_now())
    assert [one.since for one in edit.said] == [Date(day("2021-01-01"))]
