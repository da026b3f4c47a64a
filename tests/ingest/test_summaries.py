"""Summaries say what is live, in the transaction that changes it."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphrag.index.group import GroupIndex
from graphrag.ingest.summaries import LONGEST, composed, ends_of, updated, without
from graphrag.model.values import Entity, Fact
from graphrag.store.changes import ChangeSet, Update
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph

NOW = day("2024-06-01")
ALICE = Entity("a", "default", NOW, "Alice", "alice", "person")


def summarize(entity, facts, now):
    changed = {fact.id: fact for fact in facts}
    return composed({entity.id: entity.name}, GroupIndex("default", 4), changed, now=now)[entity.id]


def fact(relation, other, start=None, end=None, *, incoming=False, **rest):
    ends = ("x", "a", other, "Alice") if incoming else ("a", "x", "Alice", other)
    subject_id, object_id, subject, object_ = ends
    return Fact(
        f"{relation} {other} {start} {end}", "default", NOW, subject_id, object_id, subject,
        relation, object_, "irrelevant", start and day(start), end and day(end), **rest,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("facts", "summary"),
    [
        ([], ""),
        ([fact("works_at", "Acme", "2020-01-01")], "works at Acme (from 2020-01-01)"),
        ([fact("works_at", "Acme", None, "2021-02-03")], "works at Acme (until 2021-02-03)"),
        (
            [fact("works_at", "Acme", "2020-01-01", "2021-01-01")],
            "works at Acme (2020-01-01 to 2021-01-01)",
        ),
        ([fact("likes", "tea")], "likes tea"),
        ([fact("reports_to", "Bob", incoming=True)], "Bob reports to Alice"),
        ([fact("likes", "tea", retracted_at=NOW)], ""),
        ([fact("likes", "tea", pending=True)], ""),
    ],
    ids=[
        "nothing known", "running", "end only", "ended", "no dates", "incoming", "retracted",
        "pending",
    ],
)  # fmt: skip
def test_a_fact_is_said_with_its_dates(facts, summary):
    assert summarize(ALICE, facts, NOW) == summary


def test_current_before_ended_and_one_of_each_relation_before_a_second():
    told = [
        fact("works_at", "Acme", "2020-01-01", "2022-01-01"),
        fact("works_at", "Beta", "2022-01-01"),
        fact("likes", "tea", "2020-01-01"),
        fact("likes", "coffee", "2023-01-01"),
        fact("lives_in", "Rome", "2019-01-01", "2020-01-01"),
    ]
    said = summarize(ALICE, told, NOW).split("; ")
    assert [clause.split(" (")[0] for clause in said] == [
        "likes coffee", "works at Beta", "lives in Rome", "likes tea", "works at Acme",
    ]  # fmt: skip


def test_a_fact_about_others_is_left_out():
    stray = replace(fact("likes", "tea"), subject_id="b")
    assert summarize(ALICE, [stray], NOW) == ""


@given(
    st.lists(st.tuples(st.sampled_from("abcdefghijkl"), st.text("xyz ", min_size=1, max_size=200)))
)
def test_a_summary_is_bounded(told):
    facts = [fact(relation, name) for relation, name in told]
    summary = summarize(ALICE, facts, NOW)
    assert len(summary) <= LONGEST
    assert summary.count("; ") < 8


async def summary_of(graph, name):
    return (await graph.entity(name)).summary


async def test_a_summary_follows_the_facts(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
    assert await summary_of(graph, "Alice") == "works at Acme (as of 2020-01-01)"
    assert await summary_of(graph, "Acme") == "Alice works at Acme (as of 2020-01-01)"
    await graph.add_episode("Alice works_at Beta.", reference_time="2021-01-01")
    assert await summary_of(graph, "Alice") == (
        "works at Beta (as of 2021-01-01); works at Acme (until 2021-01-01)"
    )
    # Not named in that episode, but its fact was closed by it.
    assert await summary_of(graph, "Acme") == "Alice works at Acme (until 2021-01-01)"


async def test_a_corrected_fact_leaves_both_summaries(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
    await graph.add_episode("Alice works_at Beta in fact.", reference_time="2020-02-01")
    assert "Acme" not in await summary_of(graph, "Alice")
    assert await summary_of(graph, "Acme") == ""


async def test_a_completed_name_is_the_one_in_the_summary(graph):
    await graph.add_episode("Bob reports_to Alice.", reference_time="2020-01-01")
    await graph.add_episode("Alice Stone likes Tea.", reference_time="2020-02-01")
    assert "Bob reports to Alice Stone (as of 2020-01-01)" in await summary_of(graph, "Alice")


async def test_the_sentence_is_not_in_the_summary():
    # It may say a second thing that is retracted or erased later.
    async with open_graph() as graph:
        added = await graph.add_episode("Alice works_at Acme. Alice likes Tea.")
        summary = await summary_of(graph, "Alice")
        assert not [fact for fact in added.facts if fact.text in summary]


async def test_known_at_shows_the_summary_known_then(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
    before = utc_now()
    await graph.add_episode("Alice works_at Beta.", reference_time="2021-01-01")
    then = await graph.at(known_at=before).entity("Alice")
    assert then.summary == "works at Acme (as of 2020-01-01)"


async def test_a_summary_that_stays_the_same_is_not_written_again(graph):
    await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
    await graph.add_episode("Alice works_at Acme. ", reference_time="2020-02-01")
    [*_, last] = await graph.log.events()
    assert not [change for change in last.changes if change.record.startswith("entity:")]


async def test_a_retracted_fact_leaves_both_summaries(graph):
    added = await graph.add_episode("Alice works_at Acme. Alice likes Tea.")
    wrong = next(fact for fact in added.facts if fact.relation == "works_at")
    ingestion = graph.handle.session

    async def build(index):
        changes = ChangeSet("default", kind="retract")
        after = replace(wrong, retracted_at=utc_now())
        changes.updates.append(
            Update(
                "relates_to", wrong.id, {"retracted_at": None}, {"retracted_at": after.retracted_at}
            )
        )
        changes.updates += updated(ends_of([wrong]), index, {wrong.id: after}, now=utc_now())
        return changes

    await ingestion.writer.commit("default", build)
    assert "Acme" not in await summary_of(graph, "Alice")
    assert await summary_of(graph, "Acme") == ""
    index = await ingestion.catalog.group("default")
    again = updated([wrong.subject_id, wrong.object_id], index, {}, now=utc_now())
    assert again == []


async def test_an_erased_fact_leaves_both_summaries_empty(graph):
    added = await graph.add_episode("Alice works_at Acme.")
    [gone] = added.facts
    index = await graph.handle.session.catalog.group("default")
    updates = updated(ends_of([gone]), index, {gone.id: None}, now=utc_now())
    assert {update.id: update.after for update in updates} == {
        gone.subject_id: {"summary": ""}, gone.object_id: {"summary": ""},
    }  # fmt: skip


async def test_merged_entities_have_one_summary(graph):
    await graph.add_episode("Alice works_at Acme. Alice knows Ally.", reference_time="2020-01-01")
    await graph.add_episode("Ally likes Tea.", reference_time="2021-01-01")
    index = await graph.handle.session.catalog.group("default")
    [alice], [ally] = index.entities_named("Alice"), index.entities_named("Ally")
    with index.heirs.supposing(ally, alice):
        updates = updated([alice, ally], index, {}, now=utc_now())
    assert {update.id: update.after["summary"] for update in updates} == {
        alice: "likes Tea (as of 2021-01-01); works at Acme (as of 2020-01-01)",
        ally: "",
    }


def test_an_old_summary_is_cleaned_of_an_erased_name():
    summary = "knows Bob (from 2020-01-01); BOB reports to Alice; likes tea"
    assert without(summary, ["Bob"]) == "likes tea"
    assert without(summary, ["", "Zoe"]) == summary
    assert without("knows Semi; Colon; likes tea", ["Semi; Colon"]) == ""


PEOPLE, PLACES = ["Ann", "Bob", "Cid"], ["Acme", "Beta", "Paris"]
TELLING = st.tuples(
    st.sampled_from(PEOPLE),
    st.sampled_from(["works_at", "likes", "knows", "ends:works_at"]),
    st.sampled_from(PLACES),
    st.sampled_from(["", " in fact"]),
    st.integers(0, 40),
)


@pytest.mark.anyio
@settings(max_examples=6)
@given(st.lists(TELLING, min_size=1, max_size=25))
async def test_kept_up_to_date_is_the_same_as_made_anew(tellings):
    async with open_graph() as graph:
        for number, (who, relation, what, mark, months) in enumerate(tellings):
            at = day("2015-01-01") + timedelta(days=30 * months, minutes=number)
            await graph.add_episode(f"{who} {relation} {what}{mark}.", reference_time=at)
        store = graph.handle.session.store
        [ids] = await store.query("SELECT VALUE record::id(id) FROM relates_to ORDER BY id;")
        facts = list((await store.get(Fact, ids)).values())
        for name in PEOPLE + PLACES:
            entity = await graph.entity(name)
            if entity is not None:
                assert entity.summary == summarize(entity, facts, utc_now())


async def test_looking_at_a_hub_costs_no_more_than_at_a_leaf(graph):
    for number in range(40):
        await graph.add_episode(f"Person{number} likes Tea.", reference_time="2020-01-01")
    index = await graph.handle.session.catalog.group("default")
    tea = index.entities_named("Tea")[0]
    assert len(index.facts_of(tea)) == 40
    assert sum(map(len, index.latest_facts(tea, relations=16, each=16).values())) == 16
    # The newest are the ones that a summary speaks of.
    assert (await summary_of(graph, "Tea")).startswith("Person39 likes Tea")


async def test_a_merge_leaves_no_summary_behind_and_unmerge_brings_it_back(graph):
    await graph.add_episode("Alice likes Tea.", reference_time="2020-01-01")
    await graph.add_episode("Ally likes Jazz.", reference_time="2021-01-01")
    ally = await graph.entity("Ally")
    await graph.identity.merge("Alice", "Ally")
    merged = [event for event in await graph.log.events() if event.kind == "merge"]
    store = graph.handle.session.store
    [given_up] = (await store.get(Entity, [ally.id])).values()
    assert given_up.summary == ""
    assert "Jazz" in await summary_of(graph, "Alice")
    await graph.identity.unmerge(merged[-1])
    assert await summary_of(graph, "Ally") == ally.summary
    assert "Jazz" not in await summary_of(graph, "Alice")
