"""What is forgotten is nowhere: no table and no event holds the name, the texts, what they told."""

import asyncio
import re
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graphrag import (
    AppendOnly,
    Claim,
    Extraction,
    Fact,
    GraphRAGError,
    InputError,
    Mention,
    PolicyError,
)
from graphrag.schema import FOLLOWING
from graphrag.store.store import Store
from graphrag.testing import ScriptedExtractor
from tests.conftest import open_graph, triples
from tests.edit.faint import believed, whole
from tests.history.acts import FIRST, STEPS, act, open_any, shown
from tests.history.raw import rows, tables, text
from tests.serving import served


async def tell(graph, *stories):
    for said, when in stories:
        await graph.add_episode(said, reference_time=when)


async def test_no_table_holds_the_name(graph):
    await tell(
        graph,
        ("Bob knows Carol.", "2019"),
        ("Alice knows Bob. Bob knows Carol.", "2020"),
        ("Bob works_at Acme.", "2021"),
    )
    await graph.edit.correct(
        (await graph.facts("Alice"))[0], text="Alice met Bob.", reason="Alice said"
    )
    await graph.communities.build()
    forgotten = await graph.erase.entity("Alice", actor="ann")
    event = forgotten.event
    assert (event.kind, event.actor) == ("forget", "ann")
    assert (forgotten.group, forgotten.records["entity"], forgotten.records["episode"]) == (
        "default",
        1,
        1,
    )
    assert "alice" not in await text(graph)
    assert await graph.entity("Alice") is None
    assert {fact.object for fact in await graph.facts("Bob")} == {"Carol", "Acme"}
    assert [event.seq for event in await graph.log.events()] == [1, 2, 3, 4, 5, 6]
    assert not (await graph.search("Alice")).episodes[2:]
    await whole(graph)
    with pytest.raises(InputError):
        await graph.erase.entity("Alice")
    with pytest.raises(InputError, match="erased"):
        await graph.log.revert(event)
    assert (await graph.add_episode("Alice knows Bob.", reference_time="2022")).new
    await whole(graph)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Alice", "It rained.\nAlice was there."),
        ("Alice", "Nobody met ALICE's dog."),
        ("José", "Bob met Jose\u0301 there."),
        ("Ann Lee", "Bob met Ann\n  Lee there."),
        ("张伟", "我昨天见了张伟先生"),
        ("O'Brien", "So said O\u2019Brien."),
    ],
)
async def test_a_text_that_nobody_could_read_is_erased_by_the_name_in_it(graph, name, said):
    await graph.add_fact(name, "knows", "Bob")
    await tell(graph, (said, "2020"), ("Bob likes tea.", "2021"))
    assert (await graph.erase.entity(name)).records["episode"] == 1
    [left] = [row for row in await rows(graph) if row["id"].table == "episode"]
    assert left["content"] == "Bob likes tea."
    await whole(graph)


async def test_what_a_forgotten_text_had_closed_holds_again_as_far_as_there_is_room(graph):
    await tell(
        graph,
        ("Bob works_at Acme from 2018-01-01.", "2018"),
        ("Bob works_at Beta from 2020-01-01. Alice knows Bob.", "2020"),
        ("Bob works_at Globex from 2023-01-01.", "2023"),
    )
    await graph.erase.entity("Alice")
    assert triples(await believed(graph, "Bob")) == {
        ("Bob", "works_at", "Acme", "2018-01-01", "2023-01-01"),
        ("Bob", "works_at", "Globex", "2023-01-01", None),
    }
    assert "beta" not in await text(graph)
    assert (await graph.entity("Bob")).summary.count("works at") == 2
    await whole(graph)


async def test_an_end_that_only_a_forgotten_text_told_is_no_end(graph):
    await tell(
        graph,
        ("Bob works_at Acme from 2018-01-01.", "2018"),
        ("Bob ends:works_at Acme. Alice knows Bob.", "2020-05-01"),
    )
    assert not [fact for fact in await graph.facts("Bob") if fact.relation == "works_at"]
    await graph.erase.entity("Alice")
    [job] = await graph.facts("Bob")
    assert (job.object, job.invalid_at, job.reason) == ("Acme", None, None)
    assert "ends:works" not in await text(graph)
    await whole(graph)


async def test_what_a_person_put_aside_stays_aside(graph):
    await tell(graph, ("Bob works_at Acme.", "2020"))
    await graph.add_fact("Alice", "leads", "Beta")
    await graph.edit.correct((await graph.facts("Bob"))[0], object="Beta")
    await graph.erase.entity("Beta")
    assert await graph.facts("Bob") == []
    [aside] = await graph.at(history=True).facts("Bob")
    assert aside.retracted_at is not None
    assert aside.invalidated_by is None
    await whole(graph)


async def test_entities_that_only_forgotten_texts_knew_go_too(graph):
    await tell(graph, ("Alice knows Bob. Bob likes jazz.", "2020"), ("Carol knows Dora.", "2021"))
    await graph.add_entity("Eve")
    await graph.add_fact("Alice", "has_number", "555-1234")
    await graph.add_fact("Alice", "knows", "Eve")
    await graph.add_fact("Alice", "knows", "Dora")
    erased = (await graph.erase.entity("Alice")).records
    assert erased["entity"] == 4
    assert [await graph.entity(name) is None for name in ("Bob", "jazz", "555-1234")] == [True] * 3
    assert await graph.entity("Eve") and await graph.entity("Dora")
    assert "555-1234" not in await text(graph)
    await whole(graph)


async def test_a_fact_of_two_texts_is_stated_by_the_one_that_stays(graph):
    words = "As I told you in secret, Alice: Bob likes tea."
    claim = Claim(Mention("Bob", "person"), "likes", Mention("tea", "concept"), words, 0, 46)
    script = ScriptedExtractor(
        {
            words: Extraction(claims=(claim,)),
            "Tea is what Bob likes.": Extraction(
                claims=(
                    Claim(claim.subject, "likes", claim.object, "Tea is what Bob likes.", 0, 22),
                )
            ),
        }
    )
    async with open_graph(extractor=script) as graph:
        await graph.add_episode(words, reference_time="2020")
        await graph.add_episode("Tea is what Bob likes.", reference_time="2021")
        await graph.add_entity("Alice")
        await graph.erase.entity("Alice")
        [fact] = await graph.facts("Bob")
        assert fact.text == "Tea is what Bob likes."
        assert len(fact.sources) == 1
        assert "secret" not in await text(graph)
        assert (await graph.search("tea")).facts[0].item.id == fact.id
        await whole(graph)


async def test_attributes_and_aliases_that_a_forgotten_text_gave_go(graph):
    def spoken(words, **attributes):
        bob = Mention("Bob", "person", attributes=attributes)
        return Extraction(claims=(Claim(bob, "likes", Mention("tea"), words, 0, len(words)),))

    texts = {
        "Bob likes tea.": spoken("Bob likes tea.", city="Rome"),
        "Alice says: Bob, tea.": spoken("Alice says: Bob, tea.", phone="555-0199", city="Oslo"),
        "Bob likes tea a lot.": spoken("Bob likes tea a lot.", age=40),
    }
    async with open_graph(extractor=ScriptedExtractor(texts)) as graph:
        for number, said in enumerate(texts):
            await graph.add_episode(said, reference_time=f"202{number}")
        await graph.add_entity("Alice")
        assert (await graph.entity("Bob")).attributes == {
            "city": "Oslo",
            "phone": "555-0199",
            "age": 40,
        }
        await graph.erase.entity("Alice")
        assert (await graph.entity("Bob")).attributes == {"city": "Rome", "age": 40}
        found = await text(graph)
        assert not [word for word in ("555-0199", "oslo") if word in found]
        await whole(graph)


async def test_with_keep_the_texts_stay_and_no_longer_lead_there(graph):
    await tell(graph, ("Alice works_at Acme.", "2020"), ("Bob knows Carol. Alice is in.", "2021"))
    [span] = (await graph.facts("Alice"))[0].sources
    forgotten = await graph.erase.entity("Alice", episodes="keep")
    assert "episode" not in forgotten.records
    assert await graph.entity("Alice") is None
    found = await graph.search("Alice Acme")
    assert found.episodes[0].item.content == "Alice works_at Acme."
    assert not [hit for hit in found.facts if hit.item.object == "Acme"]
    others = [row for row in await rows(graph) if row["id"].table not in ("episode", "event")]
    assert "alice" not in repr(others).casefold()
    for event in await graph.log.events():
        kept = [change for change in event.changes if change.record.startswith("episode:")]
        assert "alice" not in repr([c for c in event.changes if c not in kept]).casefold()
    assert (await graph.episodes([span.episode_id]))[0].content == "Alice works_at Acme."
    await whole(graph)


async def test_another_person_of_that_name_is_not_forgotten(graph):
    await graph.add_entity("Ann Lee", entity_type="person", attributes={"email": "a@acme.com"})
    await tell(graph, ("Ann Lee likes tea.", "2020"), ("Ann knows Ann Lee Miller.", "2021"))
    place = await graph.add_entity("Ann Lee", entity_type="place")
    await graph.erase.entity(place)
    assert [one.entity_type for one in await graph.at().entities("Ann Lee")] == ["person"]
    assert len(await graph.facts("Ann Lee")) == 1
    await graph.erase.entity("Ann Lee")
    assert (await graph.entity("Ann Lee Miller")).name == "Ann Lee Miller"
    assert [fact.subject for fact in await graph.facts("Ann Lee Miller")] == ["Ann"]
    await whole(graph)


async def test_neighbours_say_nothing_of_it_now_or_in_the_log(graph):
    await tell(
        graph,
        ("Carol likes tea.", "2019"),
        ("Carol knows Dora. Alice knows Carol.", "2020"),
        ("Dora likes jazz.", "2021"),
    )
    await graph.erase.entity("Alice")
    assert (await graph.entity("Carol")).summary == "likes tea (as of 2019-01-01)"
    for event in await graph.log.events():
        assert "knows" not in repr(event)
    await whole(graph)


async def test_the_past_of_others_is_read_as_before(graph):
    await tell(graph, ("Bob works_at Acme.", "2020"), ("Carol knows Dora.", "2020"))
    moment = (await graph.log.events())[-1].at
    await tell(graph, ("Bob works_at Beta.", "2021"), ("Alice knows Carol.", "2021"))
    before = [await graph.at(known_at=moment).facts(name) for name in ("Bob", "Carol")]
    await graph.erase.entity("Alice")
    assert [await graph.at(known_at=moment).facts(name) for name in ("Bob", "Carol")] == before
    assert await graph.at(known_at=moment).entity("Alice") is None


async def test_merged_entities_are_forgotten_together(graph):
    await tell(graph, ("Alice likes tea.", "2020"), ("Lissy likes jazz.", "2021"))
    await graph.identity.merge("Alice", "Lissy")
    await tell(graph, ("Bob knows Carol.", "2022"), ("Bob wrote to Lissy.", "2023"))
    await graph.erase.entity("Alice")
    found = await text(graph)
    assert not [word for word in ("alice", "lissy", "jazz") if word in found]
    await whole(graph)


async def test_nobody_is_kept_apart_from_what_is_forgotten(graph):
    for name in ("John Smith", "Jon Smith", "Johan Smith"):
        await graph.add_entity(name, entity_type="person")
    gone = await graph.entity("Jon Smith")
    await graph.identity.keep_apart("John Smith", gone)
    await graph.identity.keep_apart("John Smith", "Johan Smith")
    await graph.erase.entity(gone)
    left = await graph.entity("Johan Smith")
    assert (await graph.entity("John Smith")).distinct_from == (left.id,)
    assert all("Jon" not in repr(event.changes) for event in await graph.log.events())
    entities = [row for row in await rows(graph) if row["id"].table == "entity"]
    assert gone.id not in repr(entities)
    images = [change for event in await graph.log.events() for change in event.changes]
    assert not any(gone.id in repr(one.after) for one in images if "distinct" in repr(one.after))
    await whole(graph)


async def test_a_saga_is_forgotten_with_its_last_episode(graph):
    for said, saga in (
        ("Alice likes tea.", "letters"),
        ("Bob likes tea.", "calls"),
        ("Alice knows Bob.", "calls"),
    ):
        await graph.add_episode(said, saga=saga)
    await graph.erase.entity("Alice")
    assert (await graph.sagas.list()).names == ["calls"]
    assert "letters" not in await text(graph)
    await whole(graph)


async def test_no_file_of_a_replayed_store_holds_the_name(tmp_path):
    """The database keeps erased bytes in its files until it compacts them: a new store has none."""

    def times(folder, word):
        files = [file for file in folder.rglob("*") if file.is_file()]
        return sum(file.read_bytes().count(word) for file in files)

    async with open_graph(f"surrealkv://{tmp_path}/old") as graph:
        await tell(graph, ("Xantippe knows Bob.", "2020"), ("Bob likes tea.", "2021"))
        await graph.erase.entity("Xantippe")
        await graph.log.replay_all(open_graph(f"surrealkv://{tmp_path}/new"))
    assert times(tmp_path / "old", b"Bob")
    assert times(tmp_path / "new", b"Bob")
    assert not times(tmp_path / "new", b"Xantippe")


async def test_what_would_go_is_counted_and_stays(graph):
    await tell(graph, ("Alice knows Bob.", "2020"), ("Bob likes tea.", "2021"))
    planned = await graph.erase.entity("Alice", dry_run=True)
    assert planned.event is None
    everything = await graph.erase.group(dry_run=True)
    assert everything.records["event"] == 2
    assert len(await graph.log.events()) == 2
    assert (await graph.erase.entity("Alice")).records == planned.records
    everything = await graph.erase.group(dry_run=True)
    assert (await graph.erase.group(confirm="default")).records == everything.records


async def gone_and_counted(steps, texts, profile):
    """Compare what a dry run counts with what goes, for each entity in turn."""
    async with open_any(profile=profile) as graph:
        await graph.add_episode(FIRST, reference_time="2021-06-01", saga="first")
        for number, step in enumerate(steps):
            with suppress(GraphRAGError):
                await act(graph, step, number)
        await graph.communities.build()
        for entity in await graph.at(history=True).entities():
            before = await tables(graph)
            if f"entity:{entity.id}" not in before:
                continue  # it went with another
            planned = await graph.erase.entity(entity, episodes=texts, dry_run=True)
            assert await tables(graph) == before
            done = await graph.erase.entity(entity, episodes=texts)
            gone = before.keys() - (await tables(graph)).keys()
            counted = Counter(table for table in map(table_of, gone) if table not in FOLLOWING)
            assert planned.records == done.records == counted, entity.name


def table_of(record):
    return record.partition(":")[0]


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(["erase", "keep"]), st.sampled_from(["process", "engine"]))
def test_a_dry_run_counts_exactly_what_goes(steps, texts, profile):
    asyncio.run(gone_and_counted(steps, texts, profile))


@pytest.mark.parametrize("texts", ["erase", "keep"])
async def test_the_rows_that_surrealdb_searches_forget_too(texts):
    async with open_graph(profile="engine") as graph:
        await tell(graph, ("Alice knows Bob. Bob likes tea.", "2020"), ("Bob likes tea.", "2021"))
        await graph.erase.entity("Alice", episodes=texts)
        kept = [
            row
            for row in await rows(graph)
            if texts == "erase" or not re.search("episode|event", str(row["id"]))
        ]
        assert "alic" not in repr(kept).casefold()
        assert [hit.item.object for hit in (await graph.search("who likes tea")).facts] == ["tea"]
        assert (await graph.health.indexes()).sound
        await graph.erase.group(confirm="default")
        assert not [row for row in await rows(graph) if row["id"].table != "meta"]


async def test_what_a_fact_that_stays_had_closed_no_longer_quotes_the_forgotten_text(graph):
    await tell(
        graph,
        ("Alice works_at Acme from 2020. Bob likes tea.", "2021"),
        ("Alice works_at Acme.", "2022"),
        ("Alice works_at Globex from 2018.", "2022-06"),
    )
    assert "ended by: alice works_at acme from 2020." in await text(graph)
    await graph.erase.entity("Bob")
    assert "acme from 2020" not in await text(graph)
    await whole(graph)


async def test_facts_that_it_does_not_touch_are_not_read(graph, monkeypatch):
    await tell(graph, *((f"Ann{n} knows Ben{n}.", "2019") for n in range(20)))
    await tell(graph, ("Alice knows Bob. Bob likes tea.", "2020"), ("Bob likes tea.", "2021"))
    index = await graph.handle.session.catalog.group("default")
    others = {id_ for n in range(20) for id_ in index.facts_of(*index.entities_named(f"Ann{n}"))}
    read = set()

    async def asked(store, kind, ids):
        read.update(ids := list(ids))
        return await get(store, kind, ids)

    get = Store.get
    monkeypatch.setattr(Store, "get", asked)
    assert (await graph.erase.entity("Alice")).records["relates_to"] == 1
    assert len(others) == 20 and others.isdisjoint(read)
    assert await graph.at(history=True).facts("Bob")
    await whole(graph)


@pytest.mark.parametrize("texts", ["erase", "keep"])
async def test_a_server_forgets_too(texts):
    async with served() as place, open_graph(f"ws://{place}") as graph:
        await tell(graph, ("Bob knows Carol.", "2019"), ("Alice knows Bob.", "2020"))
        await tell(graph, ("Bob works_at Acme.", "2021"))
        assert (await graph.erase.entity("Alice", episodes=texts)).records["relates_to"] == 1
        assert texts == "keep" or "alice" not in await text(graph)
        assert {fact.object for fact in await graph.facts("Bob")} == {"Carol", "Acme"}
        await whole(graph)


async def test_unclear_wishes_change_nothing(graph):
    await tell(graph, ("Alice knows Bob.", "2020"))
    others = graph.group("others")
    for wish in (
        graph.erase.entity(None),
        graph.erase.entity("Zed"),
        graph.erase.entity("Alice", episodes="some"),
        others.erase.entity("Alice"),
        graph.erase.group(),
        graph.erase.group(confirm=""),
        graph.erase.group(confirm="others"),
        graph.erase.group(confirm="others", dry_run=True),
        others.erase.group(confirm="default"),
        others.erase.group(confirm="others"),
        others.erase.group(dry_run=True),
    ):
        with pytest.raises(InputError):
            await wish
    with pytest.raises(InputError):
        graph.group("")
    assert len(await graph.log.events()) == 1
    await whole(graph)


async def test_a_policy_may_refuse(tmp_path):
    async with open_graph(policy=AppendOnly()) as graph:
        await tell(graph, ("Alice knows Bob.", "2020"))
        with pytest.raises(PolicyError, match="nothing is erased"):
            await graph.erase.entity("Alice")
        assert [event.kind for event in await graph.log.events()] == ["add_episode", "denied"]
        assert len(await graph.facts("Alice")) == 1
        await whole(graph)


async def play(steps, texts):
    async with open_any() as graph:
        await graph.add_episode(FIRST, reference_time="2021-06-01")
        for number, step in enumerate(steps):
            with suppress(GraphRAGError):
                await act(graph, step, number)
        for name in ("Bob", "Alice"):
            known = False
            # What was split off bears the name as its first word, found once nobody bears it whole.
            while entities := await graph.at(history=True).entities(name):
                known = True
                for entity in entities:
                    await graph.erase.entity(entity, episodes=texts)
                await whole(graph)
            if known and texts == "erase":
                found = await text(graph)
                assert not re.search(rf"\b{name.casefold()}\b", found)
        index = await graph.handle.session.catalog.group("default")
        for fact in (await graph.handle.session.store.get(Fact, index.facts.row_of)).values():
            assert fact.invalidated_by in (None, *index.facts.row_of)


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(["erase", "keep"]))
def test_whatever_was_done_before_forgetting_leaves_nothing_and_a_sound_graph(steps, texts):
    asyncio.run(play(steps, texts))


async def go_on(steps, name, texts, later):
    async with open_any() as graph, open_graph() as again:
        await graph.add_episode(FIRST, reference_time="2021-06-01")
        for number, step in enumerate(steps):
            with suppress(GraphRAGError):
                await act(graph, step, number)
        with suppress(GraphRAGError):
            await graph.erase.entity(name, episodes=texts)
        for number, step in enumerate(later):
            with suppress(GraphRAGError):
                await act(graph, step, number)
            await whole(graph)
        for event in await graph.log.events():
            await shown(graph.at(known_at=event.at))
            await shown(graph.at(known_at=event.at, history=True))
        await graph.log.replay_all(again)
        assert await tables(again) == await tables(graph)


@settings(max_examples=3, suppress_health_check=[HealthCheck.too_slow])
@given(STEPS, st.sampled_from(["Alice", "Acme", "tea"]), st.sampled_from(["erase", "keep"]), STEPS)
def test_whatever_is_done_after_forgetting_the_graph_is_sound_and_its_past_is_read(
    steps, name, texts, later
):
    asyncio.run(go_on(steps, name, texts, later))
