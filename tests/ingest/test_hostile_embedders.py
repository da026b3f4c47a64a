"""An embedder that gives nonsense is found out before anything is written, on every road."""

import base64
import json
import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from graphrag import (
    EmbedderMismatchError,
    EmbeddingError,
    Extraction,
    InputError,
    Models,
    NewEpisode,
)
from graphrag.io.jsonl.lines import Sealing
from graphrag.model.checks import BadVectorError, unit_vectors
from graphrag.sync import GraphRAG as SyncGraphRAG
from graphrag.testing import HashEmbedder
from tests.conftest import open_graph
from tests.history.raw import tables

STORY = "Alice works_at Acme. Bob knows Alice."
LONG = "So it was, and nobody said more. " * 60
GOOD = "Dora works_at Globex."


def with_last_row(rows, number):
    rows[-1] = number
    return rows


HARMS = {
    "None": lambda rows: None,
    "text": lambda rows: "vectors",
    "zeros": lambda rows: 0 * rows,
    "one row of zeros": lambda rows: with_last_row(rows, 0),
    "not a number": lambda rows: with_last_row(rows, np.nan),
    "infinite": lambda rows: with_last_row(rows, -np.inf),
    "too few rows": lambda rows: rows[:-1],
    "too many rows": lambda rows: np.vstack((rows, rows[:1])),
    "too short": lambda rows: rows[:, :-1],
    "too long": lambda rows: np.hstack((rows, rows)),
    "flat": lambda rows: rows.ravel(),
    "three axes": lambda rows: rows[..., np.newaxis],
    "one number": lambda rows: 1.0,
    "nothing": lambda rows: [],
    "Nones": lambda rows: [None] * len(rows),
    "uneven": lambda rows: [*rows[:-1].tolist(), [1.0], [1.0, 2.0]],
    "texts": lambda rows: rows.astype(str).tolist(),
    "complex": lambda rows: rows + 1j,
    "flags": lambda rows: rows > 0,
    "a mapping": lambda rows: dict(enumerate(rows)),
}
STRANGE = {
    "float64": lambda rows: rows.astype(np.float64),
    "float16": lambda rows: rows.astype(np.float16),
    "big endian": lambda rows: rows.astype(">f8"),
    "integers": lambda rows: np.round(rows * 1000).astype(np.int16),
    "lists": lambda rows: rows.tolist(),
    "arrays": list,
    "long": lambda rows: rows.astype(np.float64) * 1e300,
    "short": lambda rows: rows.astype(np.float64) * 1e-300,
    "columns first": np.asfortranarray,
    "read only": lambda rows: np.broadcast_to(rows, rows.shape),
}


class Hostile(HashEmbedder):
    """Spoil what is embedded while ``harm`` is set."""

    harm = None

    async def embed(self, texts, *, purpose):
        rows = await super().embed(texts, purpose=purpose)
        return rows if self.harm is None else self.harm(rows)


async def episode(graph, _):
    await graph.add_episode("Carol knows Bob.", reference_time="2022")


async def long_episode(graph, _):
    await graph.add_episode(LONG)


async def queued(graph, _):
    await graph.add_episode("Carol knows Bob.", wait=False)


async def batch(graph, _):
    await graph.add_episodes([NewEpisode("Carol knows Bob."), NewEpisode("Carol likes tea.")])


async def fact(graph, _):
    await graph.add_fact("Carol", "knows", "Bob")


async def entity(graph, _):
    await graph.add_entity("Carol")


async def table(graph, _):
    await graph.load.facts([{"subject": "Carol", "relation": "knows", "object": "Bob"}])


async def seeded(graph, _):
    await graph.load.seed({"Carol": {"likes": ["tea", "chess"]}})


async def contacts(graph, path):
    (path / "a.vcf").write_text("BEGIN:VCARD\nFN:Carol Lee\nORG:Acme\nEND:VCARD\n")
    await graph.load.contacts(path / "a.vcf")


async def communities(graph, _):
    await graph.communities.build()


async def reworded(graph, _):
    await graph.edit.correct((await graph.facts("Bob"))[0], text="Bob has met Alice.")


async def another_object(graph, _):
    await graph.edit.correct((await graph.facts("Bob"))[0], object="Carol")


async def reverted(graph, _):
    [event] = [event for event in await graph.log.events() if event.kind == "correct"]
    await graph.log.revert(event)


async def forgotten(graph, _):
    await graph.erase.entity("Eve")


async def split_up(graph, _):
    await graph.identity.split("Alice", name="Alice Lee", facts=await graph.facts("Bob"))


async def imported_group(graph, path):
    async with open_graph() as source:
        await source.add_episode("Zoe likes jazz.")
        await source.export.file(path / "all.jsonl", vectors=False)
    await graph.load.group(path / "all.jsonl", name="again")


async def search(graph, _):
    await graph.search("Where is Alice?")


async def search_of_the_past(graph, _):
    await graph.at(valid_at="2021").search("Where is Alice?")


ROADS = [
    *(episode, long_episode, queued, batch, fact, entity, table, seeded, contacts, communities),
    *(reworded, another_object, split_up, imported_group, search, search_of_the_past),
    *(reverted, forgotten),
]


async def begin(graph):
    """Tell a story of which each road has something to embed."""
    await graph.add_episode(STORY, reference_time="2020")
    known = await graph.add_fact("Finn", "knows", "Greta", text="Finn met Greta.")
    await graph.edit.correct(known.fact, text="Finn has known Greta for years.")
    await graph.add_entity("Eve")
    await graph.add_fact("Mara", "knows", "Finn", text="Mara knows Finn, a friend of Eve.")


async def sound(graph):
    for group in await graph.groups().list():
        report = await graph.group(group.name).health.check()
        assert not report.findings, report.findings


@pytest.mark.parametrize(
    ("road", "profile"),
    [*((road, "process") for road in ROADS), (episode, "engine"), (table, "engine")],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
async def test_nonsense_leaves_the_store_untouched_on_every_road(road, profile, tmp_path):
    embedder = Hostile()
    async with open_graph(embedder=embedder, profile=profile) as graph:
        await begin(graph)
        before = (
            await tables(graph, "default"),
            [group.name for group in await graph.groups().list()],
        )
        for name, harm in HARMS.items():
            embedder.harm = harm
            graph.handle.embedder._cache.clear()
            with pytest.raises(EmbeddingError, match="'hash-64'"):
                await road(graph, tmp_path)
            assert (
                await tables(graph, "default"),
                [group.name for group in await graph.groups().list()],
            ) == before, name
            await sound(graph)
        embedder.harm = None
        await road(graph, tmp_path)
        await graph.add_episode(GOOD, reference_time="2023")
        assert (await graph.search("Dora")).facts[0].item.object == "Globex"
        await sound(graph)


@pytest.mark.parametrize("strange", STRANGE)
async def test_any_direction_is_taken_and_scaled_to_length_1(strange, tmp_path):
    embedder = Hostile()
    embedder.harm = STRANGE[strange]
    async with open_graph(embedder=embedder) as graph:
        await graph.add_episode(STORY, reference_time="2020")
        for road in (episode, fact, table, seeded, communities, reworded, imported_group, search):
            await road(graph, tmp_path)
        for row in (await tables(graph, None)).values():
            if row.get("embedding") is not None:
                assert np.linalg.norm(row["embedding"]) == pytest.approx(1, abs=1e-4)
        await sound(graph)


@pytest.mark.parametrize("profile", ["process", "engine"])
async def test_a_group_made_by_a_hostile_embedder_is_not_there(profile, tmp_path):
    hostile = Hostile(32)
    async with (
        open_graph() as graph,
        open_graph(embedder=hostile, profile=profile) as other,
    ):
        await graph.add_episode(f"{STORY} {LONG}", reference_time="2020")
        await graph.communities.build()
        for harm in HARMS.values():
            hostile.harm = harm
            with pytest.raises(EmbeddingError):
                await graph.log.replay_all(other)
            assert [group.name for group in await other.groups().list()] == []
            assert await tables(other, "default") == {}
        hostile.harm = None
        assert (await graph.log.replay_all(other)).groups == ("default",)
        await other.add_episode(GOOD, reference_time="2023")
        await sound(other)


async def test_a_repair_that_has_no_vector_leaves_the_damage_as_it_is():
    embedder = Hostile()
    async with open_graph(embedder=embedder) as graph:
        await graph.add_episode(STORY, reference_time="2020")
        await graph.handle.session.store.transact(
            "UPDATE entity SET embedding = $zero;", zero=b"\0" * 256
        )
        damaged = await tables(graph, "default")
        for harm in HARMS.values():
            embedder.harm = harm
            graph.handle.embedder._cache.clear()
            with pytest.raises(EmbeddingError):
                await graph.health.repair_all()
            assert await tables(graph, "default") == damaged
        embedder.harm = None
        await graph.health.repair_all()
        await sound(graph)


async def test_a_vector_that_is_damaged_in_the_source_is_embedded_again():
    async with open_graph() as graph, open_graph() as other:
        await graph.add_episode(STORY, reference_time="2020")
        await graph.handle.session.store.transact(
            "UPDATE entity SET embedding = $zero;", zero=b"\0" * 256
        )
        assert (await graph.log.replay_all(other)).embedded == 3
        await sound(other)


async def test_a_queued_episode_fails_and_the_next_is_read():
    embedder = Hostile()
    async with open_graph(embedder=embedder, workers=0) as graph:
        await graph.add_episode("Carol knows Bob.", wait=False)
        embedder.harm = HARMS["not a number"]
        await graph.queue.drain_all()
        [failed] = await graph.queue.failed()
        assert "is not finite" in failed.error
        embedder.harm = None
        await graph.queue.retry()
        await graph.queue.drain_all()
        assert (await graph.stats()).facts == 1
        await sound(graph)


async def test_in_a_batch_only_the_text_fails_that_has_no_vector():
    class Speechless(HashEmbedder):
        async def embed(self, texts, *, purpose):
            rows = await super().embed(texts, purpose=purpose)
            rows[["Bad" in text for text in texts]] = np.nan
            return rows

    class Textual:
        looks_at_graph = False

        async def extract(self, context):
            return Extraction()

    def told(*texts):
        return [NewEpisode(text, reference_time="2020") for text in texts]

    async with open_graph(embedder=Speechless(), extractor=Textual()) as graph:
        report = await graph.add_episodes(told("One.", "Two.", "Bad.", "Four."), on_error="skip")
        assert (report.added, [one.number for one in report.failed]) == (3, [3])
        assert isinstance(report.failed[0].error, EmbeddingError)
        await sound(graph)
        with pytest.raises(EmbeddingError, match=r"for 'Bad\.' is not finite"):
            await graph.add_episodes(told("One.", "Five.", "Bad.", "Six."))
        assert (await graph.stats()).episodes == 4
        await sound(graph)


async def test_the_error_names_the_embedder_the_text_and_what_is_right():
    embedder = Hostile()
    async with open_graph(embedder=embedder) as graph:
        embedder.harm = HARMS["one row of zeros"]
        with pytest.raises(EmbeddingError) as caught:
            await graph.add_entity("Carol")
        assert str(caught.value) == (
            "what embedder 'hash-64' gave for 'Carol' is all zeros: expected shape (1, 64), each "
            "row finite and not all zeros; nothing was written"
        )
        embedder.harm = HARMS["too few rows"]
        with pytest.raises(EmbeddingError, match=r"3 texts from 'A{59}…' on has shape \(2, 64\)"):
            await graph.add_fact("A" * 90, "knows", "Bob")
        embedder.harm = HARMS["None"]
        with pytest.raises(EmbeddingError, match="is no array of numbers but NoneType"):
            await graph.search("Alice")


async def test_what_an_embedder_raises_has_a_name_and_a_cause():
    class Broken(HashEmbedder):
        async def embed(self, texts, *, purpose):
            raise OSError("the card is full")

    async with open_graph(embedder=Broken()) as graph:
        with pytest.raises(EmbeddingError, match="'hash-64' failed on 'Alice': the card") as caught:
            await graph.add_entity("Alice")
        assert isinstance(caught.value.__cause__, OSError)


async def test_an_array_that_the_embedder_writes_over_is_not_kept():
    class Reusing(HashEmbedder):
        def __init__(self):
            super().__init__()
            self.buffer = np.empty((8, 64), dtype=np.float32)

        async def embed(self, texts, *, purpose):
            self.buffer[: len(texts)] = await super().embed(texts, purpose=purpose)
            return self.buffer[: len(texts)]

    async with open_graph(embedder=Reusing()) as graph:
        await graph.add_entity("Alice")
        await graph.add_entity("Bob")
        vectors = (await graph.handle.session.catalog.group("default")).entities.vectors.values
        expected = await HashEmbedder().embed(["Alice", "Bob"], purpose="document")
        assert np.allclose(vectors, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "dimension", "words"),
    [("", 4, "name"), (None, 4, "name"), ("x", 0, "dimension"), ("x", "4", "dimension")],
)
async def test_an_embedder_without_name_or_dimension_is_refused_at_once(name, dimension, words):
    embedder = HashEmbedder()
    embedder.name, embedder.dimension = name, dimension
    with pytest.raises(InputError, match=words):
        await open_graph(embedder=embedder)


async def test_the_error_of_another_embedder_names_the_way(tmp_path):
    url = f"surrealkv://{tmp_path / 'store'}"
    async with open_graph(url) as graph:
        await graph.add_entity("Alice")
    with pytest.raises(EmbedderMismatchError, match=r"log\.replay_all\(.*models="):
        await open_graph(url, embedder=HashEmbedder(32))


@pytest.mark.parametrize(
    "vector", [[0.0] * 64, [np.nan] * 64, [1.0], "x", [[1.0] * 64], ["1"] * 64, [1e400] * 64]
)
async def test_a_given_vector_goes_through_the_same_check(graph, vector):
    row = {"subject": "Ann", "relation": "knows", "object": "Bob"}
    for column in ("embedding", "subject_embedding", "object_embedding"):
        with pytest.raises(InputError, match=f"column '{column}'"):
            await graph.load.facts([{**row, column: vector}])
    assert [group.name for group in await graph.groups().list()] == []
    long = {**row, "subject_embedding": [3e200] * 64, "embedding": np.full(64, 7, np.int8)}
    await graph.load.facts([long])
    await sound(graph)


async def test_vectors_of_a_file_are_checked_before_it_is_written(graph, tmp_path):
    await graph.add_episode(STORY, reference_time="2020")
    await graph.export.file(tmp_path / "good.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "good.jsonl").read_text().splitlines()]
    [at] = [n for n, line in enumerate(lines) if line.get("name") == "Acme"]

    def file(vector):
        if vector is None:
            del lines[at]["embedding"]
        else:
            blob = np.asarray(vector, "<f4").tobytes()
            lines[at]["embedding"] = base64.b64encode(blob).decode()
        parts = []
        sealing = Sealing(parts.append)
        for line in lines[:-1]:
            sealing.add(line)
        sealing.seal()
        mode = "wb" if isinstance(parts[0], bytes) else "w"
        with open(tmp_path / "bad.jsonl", mode) as out:
            out.writelines(parts)
        return tmp_path / "bad.jsonl"

    for bad in (np.zeros(64), np.full(64, np.nan), np.full(64, np.inf), np.ones(63)):
        with pytest.raises(InputError, match=f"line {at + 1}: 'embedding'"):
            await graph.load.group(file(bad), name="again")
        assert [group.name for group in await graph.groups().list()] == ["default"]
    for number, good in enumerate((np.full(64, 1e30), np.full(64, 1e-30), None)):
        made = await graph.load.group(file(good), name=f"again {number}")
        assert made.embedded == (good is None)
    await sound(graph)


def test_the_blocking_twin_says_the_same():
    embedder = Hostile()
    embedder.harm = HARMS["zeros"]
    with (
        SyncGraphRAG.open("mem://", models=Models(embedder=embedder)) as graph,
        pytest.raises(EmbeddingError, match="is all zeros"),
    ):
        graph.add_entity("Carol")


NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, -0.0, 5e-324])
ARRAYS = hnp.arrays(
    st.sampled_from([np.float16, np.float32, np.float64, np.int8, np.uint64]),
    st.tuples(st.integers(1, 5), st.just(3)),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(ARRAYS | hnp.arrays(np.float64, (3, 3), elements=NUMBERS))
def test_a_vector_is_refused_or_keeps_its_direction(rows):
    usable = np.isfinite(rows.astype(np.float64)).all(axis=1) & (rows != 0).any(axis=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        if not usable.all():
            with pytest.raises(BadVectorError) as caught:
                unit_vectors(rows, rows.shape)
            assert caught.value.row == int(np.argmin(usable))
            return
        units = unit_vectors(rows, rows.shape)
    assert units.dtype == np.float32
    assert not np.shares_memory(units, rows)
    for unit, row in zip(units.astype(np.float64), rows.astype(np.longdouble), strict=True):
        row = row / np.abs(row).max()
        assert np.linalg.norm(unit) == pytest.approx(1, abs=2e-6)
        assert float(unit @ row / np.sqrt(row @ row)) == pytest.approx(1, abs=2e-6)
    assert unit_vectors(units, units.shape).tobytes() == units.tobytes()
