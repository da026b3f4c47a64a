"""``check`` finds each kind of damage, ``repair`` undoes what needs no guessing."""

import asyncio
from dataclasses import replace
from itertools import count

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from graphrag import Claim, Extraction, Field, Mention, Models, QueryError
from graphrag.errors import StoreError
from graphrag.index import checkpoints
from graphrag.store import row_file
from graphrag.store.changes import image_of
from graphrag.store.record import Record
from graphrag.sync import GraphRAG as BlockingGraphRAG
from graphrag.testing import HashEmbedder, ScriptedExtractor
from tests.conftest import PlainExtractor, open_graph

LONG = "So it was, and nobody said more. " * 50


@pytest.fixture
async def told(graph):
    """A graph of two jobs, of which the first has ended, and a long episode."""
    await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01")
    await graph.add_episode("Alice works_at Beta. Bob likes tea.", reference_time="2021-01-01")
    await graph.add_episode(f"Bob knows Alice. {LONG}", reference_time="2022-01-01")
    await graph.communities.build()
    assert (await graph.health.check_all()).sound
    return graph


async def damage(graph, sql, **params):
    """Change the tables behind the library's back."""
    return await graph.handle.session.store.query(sql, **params)


async def found(graph, record):
    """Return what the check says of records that begin so."""
    report = await graph.health.check_all()
    assert not report.sound
    return [finding.what for finding in report.findings if finding.record.startswith(record)]


async def test_a_sound_graph_has_no_findings_and_counts_what_it_checked(told):
    report = await told.health.check_all()
    assert (report.groups, report.findings, report.events) == (("default",), (), 4)
    assert report.records > 15
    assert (await told.health.repair_all()).events == 0
    assert len(await told.log.events()) == 4


async def test_an_empty_store_is_sound_and_an_unknown_group_is_an_error(graph):
    assert (await graph.health.check_all()).sound
    assert (await graph.health.check()).groups == ("default",)
    others = graph.group("others", strict=True)
    with pytest.raises(QueryError, match="no group 'others': groups"):
        await others.health.check()
    with pytest.raises(QueryError, match="no group 'others'"):
        await others.health.repair()
    report = await graph.group("others").health.check()
    assert report.sound and report.records == 0


async def test_groups_are_checked_apart(told):
    await told.group("others").add_episode("Cid likes tea.")
    await damage(told, "UPDATE entity SET embedding = NONE WHERE group_id = 'others';")
    assert (await told.health.check()).sound
    assert {finding.group for finding in (await told.health.check_all()).findings} == {"others"}
    assert (await told.health.repair()).sound
    assert not (await told.group("others").health.check()).sound
    assert (await told.health.repair_all()).sound


async def test_a_store_that_was_closed_is_checked_from_the_tables(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode("Alice works_at Acme.")
    async with open_graph(url) as graph:
        assert (await graph.health.check_all()).sound
        await damage(graph, "UPDATE relates_to SET text = 'Alice owns Acme.';")
    async with open_graph(url) as graph:
        [finding] = (await graph.health.check_all()).findings
        assert finding.what == "differs from the log in text"
        assert str(finding).startswith(f"{finding.record} in group 'default': differs")


@pytest.mark.parametrize(
    ("sql", "record", "what"),
    [
        ("UPDATE entity SET name = 'Eve' WHERE name = 'Bob';", "entity:", "log in name"),
        ("UPDATE episode SET content = 'no';", "episode:", "differs from the log in content"),
        ("UPDATE passage SET start = 7 WHERE start = 0;", "passage:", "the log in start"),
        ("UPDATE community SET summary = 'no';", "community:", "differs from the log in summary"),
        ("DELETE event:['default', 2];", "event:default:2", "is missing from the log"),
        ("UPDATE relates_to SET invalid_at = d'1999-01-01T00:00:00Z' WHERE name = 'works_at';",
         "relates_to:", "ends at 1999-01-01T00:00:00+00:00, before it starts"),
        ("UPDATE relates_to SET sources[0].episode = episode:gone;",
         "relates_to:", "rests on episode gone, which is not there"),
        ("UPDATE relates_to SET sources[0].end = 99999;",
         "relates_to:", "an episode that has fewer"),
        ("UPDATE passage SET end = start;", "passage:", "is no piece of its episode"),
        ("UPDATE entity SET key = 'x', entity_type = 'y';",
         "entity:", "another y with the key 'x'"),
        ("UPDATE relates_to SET invalid_at = NONE;",
         "relates_to:", "holds otherwise than its statements say: invalid_at"),
    ],
)  # fmt: skip
async def test_damage_is_found_and_not_guessed_away(told, sql, record, what):
    await damage(told, sql)
    assert any(what in text for text in await found(told, record))
    report = await told.health.repair_all()
    assert not report.sound
    assert any(what in finding.what and not finding.repairable for finding in report.left)


@pytest.mark.parametrize(
    ("sql", "what"),
    [
        ("UPDATE relates_to SET embedding = NONE;", "has no embedding"),
        ("UPDATE entity SET embedding = $short;", "has an embedding of 3 numbers instead of 64"),
        ("UPDATE episode SET embedding = $long;", "has an embedding of length 16 instead of 1"),
        ("UPDATE passage SET embedding = $nothing;", "has an embedding of length nan instead of 1"),
        ("UPDATE community SET embedding = NONE;", "has no embedding"),
    ],
)
async def test_embeddings_are_computed_again(told, sql, what):
    before = await told.search("where does Alice work?")
    vectors = {
        "short": np.ones(3, "<f4").tobytes(),
        "long": np.full(64, 2, "<f4").tobytes(),
        "nothing": np.full(64, np.nan, "<f4").tobytes(),
    }
    await damage(told, sql, **{name: vectors[name] for name in vectors if f"${name}" in sql})
    assert what in await found(told, "")
    report = await told.health.repair_all()
    assert report.sound and report.events == 1
    assert {finding.what for finding in report.repaired} >= {what}
    assert (await told.health.check_all()).sound
    assert (await told.log.events())[-1].kind == "repair"
    after = await told.search("where does Alice work?")
    assert [hit.item.id for hit in after] == [hit.item.id for hit in before]


async def test_a_store_that_cannot_be_loaded_any_more_is_repaired(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode("Alice works_at Acme.")
        await damage(graph, "UPDATE entity SET embedding = NONE;")
    async with open_graph(url) as graph:
        assert len((await graph.health.check_all()).findings) == 2
        assert (await graph.health.repair_all()).sound
        assert [hit.item.object for hit in await graph.search("Alice")] == ["Acme"]


async def test_the_chain_of_episodes_is_linked_anew(told):
    [links] = await damage(told, "SELECT VALUE record::id(id) FROM occurred_after ORDER BY id;")
    first, third = links[0].partition(">")[2], links[1].partition(">")[0]
    await damage(told, "DELETE occurred_after WHERE in = $last;", last=Record("episode", third))
    await damage(
        told,
        "INSERT RELATION INTO occurred_after"
        " {id: 'wrong', in: $one, out: $two, group_id: 'default'};",
        one=Record("episode", first),
        two=Record("episode", third),
    )
    texts = await found(told, "occurred_after:")
    assert "is missing from the chain of episodes" in texts
    assert "links episodes that do not follow each other in time" in texts
    report = await told.health.repair_all()
    assert report.sound, report.left
    [mended] = await damage(told, "SELECT VALUE record::id(id) FROM occurred_after ORDER BY id;")
    assert mended == links


async def test_links_that_lead_nowhere_are_removed_and_cross_group_facts_reported(told):
    other = await told.group("others").add_episode("Cid likes jazz.")
    [cid, jazz] = other.entities
    await damage(
        told,
        "INSERT RELATION INTO mentions"
        " {id: 'astray', in: $episode, out: $cid, group_id: 'default', start: 0, end: 1};"
        "INSERT RELATION INTO relates_to {id: 'leak', in: $alice, out: $jazz, subject: 'Alice',"
        " name: 'likes', object: 'jazz', text: '', group_id: 'default', created_at: time::now()};",
        episode=Record("episode", (await told.log.events())[0].changes[0].record.partition(":")[2]),
        cid=Record("entity", cid.id),
        alice=Record("entity", (await told.entity("Alice")).id),
        jazz=Record("entity", jazz.id),
    )
    leak = "which is in group 'others'"
    assert any(leak in text for text in await found(told, "mentions:astray"))
    assert any(leak in text for text in await found(told, "relates_to:leak"))
    report = await told.health.repair_all()
    assert {finding.record for finding in report.left} == {"relates_to:leak"}
    assert "mentions:astray" in {finding.record for finding in report.repaired}


async def test_memory_that_drifted_from_the_store_is_read_again(told):
    index = await told.handle.session.catalog.group("default")
    alice = await told.entity("Alice")
    index.facts["valid"][0] += 1
    index.entities.replace(alice.id, text="Mallory")
    index.facts.vectors.replace(1, np.eye(64)[0])
    index.facts.leave([index.facts.ids[2]])
    first, second, third = (f"relates_to:{id_}" for id_ in [*index.facts.ids][:3])
    assert "differ in valid" in " ".join(await found(told, first))
    assert "differ in embedding" in " ".join(await found(told, second))
    assert "is in the store, but not in the memory" in " ".join(await found(told, third))
    assert "differ in words" in " ".join(await found(told, f"entity:{alice.id}"))
    report = await told.health.repair_all()
    assert report.sound and report.events == 0
    assert (await told.health.check_all()).sound


async def test_what_one_text_says_of_one_moment_may_both_hold():
    alice, acme, beta = Mention("Alice", "person"), Mention("Acme"), Mention("Beta")
    claims = tuple(
        Claim(alice, "works_at", firm, "Alice works at both", 0, 19) for firm in (acme, beta)
    )
    script = ScriptedExtractor({"Alice works at both.": Extraction(claims=claims)})
    async with open_graph(extractor=script) as graph:
        await graph.add_episode("Alice works at both.")
        assert len(await graph.facts("Alice")) == 2
        assert (await graph.health.check_all()).sound


async def test_a_group_that_never_rests_is_an_error(told, monkeypatch):
    store = told.handle.session.store
    last, numbers = store.last_seq, iter(range(100, 200))

    async def moving(group):
        return await last(group) and next(numbers)

    monkeypatch.setattr(store, "last_seq", moving)
    with pytest.raises(StoreError, match="written to all the time"):
        await told.health.check_all()


@some.composite
def sentences(draw):
    relation = draw(some.sampled_from("works_at works_at likes dislikes married_to leads".split()))
    subject = draw(some.sampled_from("Ann Bob Cid".split()))
    values = "Acme Beta Globex" if relation in ("works_at", "leads") else "Dora Eve Finn"
    said = f"{subject} {relation} {draw(some.sampled_from(values.split()))}"
    start = draw(some.none() | some.integers(2010, 2020))
    if start is not None:
        said += f" from {start}-01-01"
        end = draw(some.none() | some.integers(start + 1, 2025))
        said += "" if end is None else f" to {end}-01-01"
    return said + draw(some.sampled_from([".", ".", ".", " in fact."]))


def test_whatever_is_told_in_whatever_order_the_graph_is_sound():
    episode = some.tuples(
        some.lists(sentences(), min_size=1, max_size=3), some.integers(2010, 2025)
    )
    groups = map(str, count())
    with asyncio.Runner() as runner:
        graph = open_graph()
        runner.run(graph.__aenter__())

        async def told_and_checked(episodes):
            group = next(groups)
            for said, year in episodes:
                await graph.group(group).add_episode(" ".join(said), reference_time=f"{year}-06-01")
            assert (await graph.group(group).health.check()).findings == ()

        @settings(max_examples=30)
        @given(some.lists(episode, min_size=1, max_size=7))
        def tell(episodes):
            runner.run(told_and_checked(episodes))

        tell()
        runner.run(graph.close())


async def test_what_people_do_by_hand_leaves_a_sound_graph(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        for said, when in (
            ("Ann works_at Acme.", "2020-01-01"),
            ("Ann works_at Beta. Ann likes tea.", "2021-01-01"),
            ("Ann works_at Globex. Bob leads Acme.", "2022-01-01"),
            ("Bob works_at Acme. Ann knows Bob.", "2023-01-01"),
        ):
            await graph.add_episode(said, reference_time=when)
        works, likes, knows = [
            next(fact for fact in await graph.facts("Ann") if fact.relation == relation)
            for relation in ("works_at", "likes", "knows")
        ]
        await graph.edit.retract(works, "a mistake")
        assert (await graph.health.check_all()).findings == ()
        await graph.edit.invalidate(likes, at="2024-01-01")
        await graph.edit.correct(knows, relation="married_to")
        await graph.edit.correct(likes, invalid_at=None)
        assert (await graph.health.check_all()).findings == ()
        await graph.communities.build()
        assert (await graph.health.check_all()).findings == ()
    async with open_graph(url) as graph:
        assert (await graph.health.check_all()).findings == ()
        assert len(await graph.log.events()) == 9


def test_the_blocking_twin_checks_and_repairs():
    with BlockingGraphRAG.open(
        "mem://", models=Models(embedder=HashEmbedder(), extractor=PlainExtractor())
    ) as graph:
        graph.add_episode("Ann works_at Acme.")
        assert graph.health.check_all().records == graph.health.check().records > 0
        assert graph.health.repair_all().sound


async def test_homonyms_with_addresses_of_their_own_are_no_duplicates():
    tea = Mention("tea", "concept")
    texts = {
        address: Extraction(
            claims=(
                Claim(
                    Mention("Ann Lee", "person", attributes={"email": address}),
                    "likes",
                    tea,
                    address,
                    0,
                    len(address),
                ),
            )
        )
        for address in ("ann@acme.com", "ann@beta.com")
    }
    async with open_graph(extractor=ScriptedExtractor(texts)) as graph:
        for address in texts:
            await graph.add_episode(address)
        assert len(await graph.at().entities("Ann Lee")) == 2
        assert (await graph.health.check_all()).findings == ()


async def test_what_is_merged_and_split_leaves_a_sound_graph(tmp_path):
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode("Ann works_at Acme. Bob likes tea.", reference_time="2020")
        await graph.add_episode("Annie works_at Beta. Annie likes tea.", reference_time="2021")
        merged = await graph.identity.merge(await graph.entity("Ann"), await graph.entity("Annie"))
        assert (await graph.health.check_all()).findings == ()
        await graph.identity.unmerge(merged)
        assert (await graph.health.check_all()).findings == ()
        likes = next(fact for fact in await graph.facts("Annie") if fact.relation == "likes")
        await graph.identity.split(await graph.entity("Annie"), name="Anna", facts=[likes])
        assert (await graph.health.check_all()).findings == ()
        await graph.identity.merge(await graph.entity("Ann"), await graph.entity("Annie"))
        await graph.add_episode("Annie works_at Globex.", reference_time="2022")
        assert [fact.object for fact in await graph.facts("Ann")] == ["Globex"]
        assert (await graph.health.check_all()).findings == ()
    async with open_graph(url) as graph:
        assert (await graph.health.check_all()).findings == ()


async def test_what_is_told_directly_leaves_a_sound_graph(graph):
    await graph.add_fact("Ann", "works_at", "Acme", valid_at="2020")
    await graph.add_entity("Ann", attributes={"email": "ann@acme.com", "desk": {"floor": 1}})
    await graph.add_entity("Ann", attributes={"desk": {"room": 2}})
    await graph.load.facts(
        {"subject": "Ann", "relation": "works_at", "object": firm, "valid_at": year}
        for firm, year in (("Beta", "2022"), ("Globex", "2018"))
    )
    assert [fact.object for fact in await graph.facts("Ann")] == ["Beta"]
    assert (await graph.health.check_all()).findings == ()


@pytest.fixture
async def saved(tmp_path, monkeypatch):
    """The address of a store with files of columns and of rows beside it."""
    monkeypatch.setattr(checkpoints, "LARGE", 1)
    monkeypatch.setattr(row_file, "_FEWEST", 1)
    url = f"surrealkv://{tmp_path}/store"
    async with open_graph(url) as graph:
        await graph.add_episode("Alice works_at Acme.", reference_time="2020-01-01", key="one")
        await graph.add_entity("Bob", attributes={"email": "bob@acme.com"})
        await graph.search("Alice", where=Field.confidence > 0.1)
    return url


@pytest.mark.parametrize(
    ("pattern", "place"),
    [("columns/*.columns", b"Alice"), ("columns/*.columns", -30), ("rows/*.sqlite3", -300)],
)
async def test_a_file_that_is_damaged_while_the_store_is_open_is_found_and_made_anew(
    saved, tmp_path, pattern, place
):
    [file] = (tmp_path / "store").glob(pattern)
    async with open_graph(saved) as graph:
        await graph.search("Alice")
        assert (await graph.health.check_all()).sound
        data = bytearray(file.read_bytes())
        data[data.index(place) if isinstance(place, bytes) else place] ^= 4
        if file.suffix == ".sqlite3":  # which is held open
            file.write_bytes(data)
        else:
            other = file.with_suffix(".other")
            other.write_bytes(data)
            other.replace(file)
        [finding] = (await graph.health.check_all()).findings
        assert finding.repairable and "beside the store are of no use" in finding.what
        assert (await graph.health.repair_all()).sound
    async with open_graph(saved) as graph:
        assert (await graph.health.check_all()).sound


async def test_rows_beside_the_store_that_are_not_those_of_the_tables_are_found(saved):
    async with open_graph(saved) as graph:
        [fact] = await graph.facts("Alice")
        store = graph.handle.session.store
        store.cache.release()
        store.cache.rows.put([(("relates_to", fact.id), image_of(replace(fact, confidence=0.25)))])
        [finding] = (await graph.health.check_all()).findings
        assert "1 rows beside the store are not what the tables have" in finding.what
        assert (await graph.health.repair_all()).sound


def _rename(index):
    index.names.names[index.entities.ids[0]] = ("Eve",)


def _forget_time(index):
    [key] = [key for key in index.timeline._ids if key.startswith("#")]
    index.timeline._ids[key] = ()


def _move_words(index):
    _word(index.facts.postings)


def _summarize(index):
    index.summarize(index.entities.ids[0], "No.")


def _redirect(index):
    index.heirs.redirect(*index.entities.ids[:2])


def _doubt(index):
    index.facts.aside["confidence"].fill([0], [0.5])


@pytest.mark.parametrize(
    ("harm", "what"),
    [
        (_rename, "differ in names"),
        (_forget_time, "differ in times of episodes"),
        (_move_words, "differ in words"),
        (_summarize, "differ in summaries"),
        (_redirect, "differ in merged entities"),
        (_doubt, "differ in confidence"),
    ],
)
async def test_columns_from_a_file_are_held_against_the_tables(saved, harm, what):
    async with open_graph(saved) as graph:
        index = await graph.handle.session.catalog.group("default")
        harm(index)
        assert any(what in one.what for one in (await graph.health.check_all()).findings)
        assert (await graph.health.repair_all()).sound


def _length(postings):
    postings._lengths[0] = int(postings._lengths.values[0]) - 1


def _total(postings):
    postings._total += 9


def _count(postings):
    postings._live += 3


def _word(postings):
    postings._segments._segments[0].counts[0] += 1


@pytest.mark.parametrize("craft", [_length, _total, _count, _word])
@pytest.mark.parametrize("table", ["facts", "entities", "pieces"])
async def test_word_statistics_that_somebody_made_up_are_found_and_read_anew(told, craft, table):
    index = await told.handle.session.catalog.group("default")
    await told.search("Alice Acme")
    craft(index.episodes.postings if table == "pieces" else getattr(index, table).postings)
    findings = (await told.health.check()).findings
    assert any("words" in finding.what for finding in findings)
    assert (await told.health.repair()).sound
    assert (await told.health.check()).sound
