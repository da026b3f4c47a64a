"""The life of an entity, and what became different between two moments."""

import asyncio
import random

import pytest

from graphrag import QueryError, TimeError
from graphrag.temporal.moment import utc_now
from tests.conftest import day, open_graph


async def tell(graph):
    for text, when in (
        ("Alice works_at Acme from 2020-01-01.", "2020-02-01"),
        ("Alice likes tea.", "2020-03-01"),
        ("Alice works_at Beta from 2022-01-01 to 2030-01-01.", "2022-02-01"),
        ("Alice lives_in Rome from 2035-01-01.", "2023-01-01"),
    ):
        await graph.add_episode(text, reference_time=when)


def lines(timeline):
    return [(stage.fact.object, stage.status) for stage in timeline]


async def test_a_timeline_is_in_order_with_what_ended_each_fact(graph):
    await tell(graph)
    [likes] = [fact for fact in await graph.facts("Alice") if fact.relation == "likes"]
    await graph.edit.retract(likes, reason="a joke")
    timeline = await graph.timeline("Alice")
    assert lines(timeline) == [
        ("Acme", "ended"),
        ("tea", "never true"),
        ("Beta", "holds"),
        ("Rome", "to come"),
    ]
    acme, tea, beta, rome = timeline
    assert acme.closed_by == beta.fact
    assert acme.why.startswith("ended by: ")
    assert tea.why == "a joke"
    assert rome.why == ""


async def test_a_timeline_is_judged_at_the_moment_of_the_view(graph):
    await tell(graph)
    assert lines(await graph.at(valid_at="2021-01-01").timeline("Alice")) == [
        ("Acme", "holds"),
        ("tea", "holds"),
        ("Beta", "to come"),
        ("Rome", "to come"),
    ]
    before = utc_now()
    await graph.add_episode("Alice works_at Globex from 2024.", reference_time="2024-02-01")
    assert len(await graph.timeline("Alice")) == 5
    assert len(await graph.at(known_at=before).timeline("Alice")) == 4


async def test_a_timeline_shows_itself(graph):
    await tell(graph)
    await graph.edit.retract((await graph.facts("Alice"))[0], reason="<b>bold</b>")
    timeline = await graph.timeline("Alice")
    assert repr(timeline).startswith("Timeline('Alice', ")
    shown = str(timeline).splitlines()
    assert shown[0] == "Alice (person)"
    assert "2020-01-01 to 2022-01-01  Alice works at Acme" in shown[1]
    html = timeline._repr_html_()
    assert html.count("<svg") == len(timeline) + 1  # and the years above them
    assert "<b>bold" not in html.replace("<b>Alice</b>", "")


async def test_a_timeline_of_nobody_is_refused(graph):
    with pytest.raises(QueryError, match="'Nobody'"):
        await graph.timeline("Nobody")


async def test_changes_name_what_was_learned_closed_corrected_and_taken_back(graph):
    start = utc_now()
    await graph.add_episode("Alice works_at Acme from 2020. Alice likes tea.", name="one")
    first = utc_now()
    learned = await graph.changes(start)
    assert {fact.object for fact in learned.of("learned")} == {"Acme", "tea"}
    assert {entity.name for entity in learned.entities} == {"Alice", "Acme", "tea"}
    assert [episode.name for episode in learned.episodes] == ["one"]
    assert "learned   Alice works at Acme (since 2020-01-01)" in str(learned)

    await graph.add_episode("Alice works_at Beta from 2022.", name="two")
    [likes] = [fact for fact in await graph.facts("Alice") if fact.relation == "likes"]
    retraction = await graph.edit.retract(likes)
    [beta] = [fact for fact in await graph.facts("Alice") if fact.relation == "works_at"]
    await graph.edit.correct(beta, valid_at="2022-05-01")
    second = utc_now()
    changes = await graph.changes(first)
    assert {(one.kind, one.fact.object) for one in changes} == {
        ("closed", "Acme"),
        ("learned", "Beta"),
        ("retracted", "tea"),
    }
    [closed] = [one for one in changes if one.kind == "closed"]
    assert closed.before.invalid_at is None
    assert first < closed.at < second
    assert retraction is not None

    await graph.edit.correct(beta, text="Alice moved to Beta.")
    assert [(one.kind, one.fact.text) for one in await graph.changes(second)] == [
        ("corrected", "Alice moved to Beta.")
    ]
    assert not await graph.changes(utc_now())
    assert str(await graph.changes(utc_now())) == "nothing changed"
    # Between earlier moments: as it was known then, whatever came later.
    again = await graph.changes(start, first)
    assert {(one.kind, one.fact.object) for one in again} == {
        ("learned", "Acme"),
        ("learned", "tea"),
    }
    assert all(one.fact.invalid_at is None for one in again)


async def test_changes_name_what_was_merged_and_what_was_removed(graph):
    added = await graph.add_episode("Alice works_at Acme.", name="one")
    await graph.add_episode("Alicia knows Bob.", name="two")
    before = utc_now()
    merging = await graph.identity.merge("Alice", "Alicia")
    await graph.log.remove_episode(added.episode)
    changes = await graph.changes(before)
    assert [one.name for one in changes.merged] == ["Alicia"]
    assert [one.name for one in changes.removed] == ["one"]
    assert [one.kind for one in changes] == ["retracted"]
    assert "merged    Alicia (person)" in str(changes) and "removed   one" in str(changes)
    assert merging is not None
    assert not (await graph.changes("2020-01-01", before)).merged


async def test_changes_of_the_world_are_what_began_and_ended(graph):
    await tell(graph)
    changes = await graph.changes("2021", "2031", axis="world")
    assert [(one.kind, one.fact.object, one.at) for one in changes] == [
        ("ended", "Acme", day("2022-01-01")),
        ("began", "Beta", day("2022-01-01")),
        ("ended", "Beta", day("2030-01-01")),
    ]
    assert not await graph.changes("2022-01-02", "2022-02-01", axis="world")


async def test_changes_end_at_the_view(graph):
    start = utc_now()
    await graph.add_episode("Alice works_at Acme from 2020.")
    between = utc_now()
    await graph.add_episode("Alice works_at Beta from 2022.")
    changes = await graph.at(known_at=between).changes(start)
    assert [(one.kind, one.fact.object) for one in changes] == [("learned", "Acme")]
    world = await graph.at(known_at=between).changes("2019", "2030", axis="world")
    assert [(one.kind, one.fact.object) for one in world] == [("began", "Acme")]


async def test_timelines_and_changes_are_data_frames(graph):
    await tell(graph)
    life = (await graph.timeline("Alice")).to_dataframe()
    assert life["status"].tolist() == ["ended", "holds", "holds", "to come"]
    assert life["object"].tolist() == ["Acme", "tea", "Beta", "Rome"]
    assert life["why"][0].startswith("ended by: ")
    changes = (await graph.changes("2019", "2023", axis="world")).to_dataframe()
    assert changes[["kind", "object"]].values.tolist() == [
        ["began", "Acme"],
        ["began", "tea"],
        ["ended", "Acme"],
        ["began", "Beta"],
    ]
    assert (await graph.changes(utc_now())).to_dataframe().empty


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("2022", "2021"), QueryError),
        (("yesteryear",), TimeError),
        (("2021", "2022-13"), TimeError),
    ],
)
async def test_moments_that_make_no_stretch_are_refused(graph, arguments, error):
    with pytest.raises(error):
        await graph.changes(*arguments)
    with pytest.raises(QueryError, match="axis 'time': choose from system, world"):
        await graph.changes("2020", axis="time")


@pytest.mark.parametrize("seed", range(6))
def test_changes_are_the_difference_of_two_snapshots(seed):
    asyncio.run(compare_snapshots(random.Random(seed)))


async def compare_snapshots(draw):
    async with open_graph() as graph:
        snapshots = [(utc_now(), {})]
        for _ in range(10):
            await one_write(graph, draw)
            now = utc_now()
            snapshots.append((now, await held(graph, now)))
        for _ in range(12):
            (since, early), (until, late) = sorted(
                draw.sample(snapshots, 2), key=lambda one: one[0]
            )
            changes = await graph.changes(since, until)
            kinds = {one.fact.id: one.kind for one in changes}
            learned = {id_ for id_, kind in kinds.items() if kind in ("learned", "restored")}
            assert learned == late.keys() - early.keys()
            gone = {id_ for id_, kind in kinds.items() if kind == "retracted"}
            assert gone == early.keys() - late.keys()
            both = early.keys() & late.keys()
            ends = {id_ for id_ in both if early[id_].invalid_at != late[id_].invalid_at}
            assert {id_ for id_, kind in kinds.items() if kind in ("closed", "reopened")} == ends
            assert all(late[one.fact.id] == one.fact for one in changes if one.fact.id in late)
            assert all(early[one.fact.id] == one.before for one in changes if one.fact.id in early)


async def held(graph, moment):
    """Return every fact believed at a moment of system time, by id."""
    view = graph.at(known_at=moment, history=True)
    found = {}
    for name in ("Ann", "Bob", "Cid"):
        for entity in await view.entities(name):
            found.update((fact.id, fact) for fact in await view.facts(entity))
    return {id_: fact for id_, fact in found.items() if fact.retracted_at is None}


async def one_write(graph, draw):
    facts = [fact for name in ("Ann", "Bob", "Cid")
             for entity in await graph.at().entities(name)
             for fact in await graph.facts(entity)]  # fmt: skip
    if facts and draw.random() < 0.4:
        fact = draw.choice(facts)
        if draw.random() < 0.5:
            await graph.edit.retract(fact)
        else:
            await graph.edit.correct(fact, text=f"{fact.text} {draw.random()}")
        return
    year = draw.randint(2010, 2024)
    who, where = draw.choice(["Ann", "Bob", "Cid"]), draw.choice(["Acme", "Beta"])
    text = f"{who} works_at {where} from {year}."
    await graph.add_episode(text, reference_time=f"{year}-02-{draw.randint(1, 28):02}")
