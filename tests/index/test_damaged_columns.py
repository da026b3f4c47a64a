"""A file of columns that is not what was written is not believed, whoever wrote it."""

import json
import os
import random
import tracemalloc

import numpy as np
import pytest

from graphrag import Field, NewEpisode
from graphrag.index import checkpoints
from graphrag.index.array_file import ArrayReader, ArrayWriter, footer_of, read_footer
from graphrag.index.checkpoints import ColumnFiles, read_group
from graphrag.index.columns import bytes_of
from graphrag.index.group import GroupIndex
from graphrag.store.private import MALFORMED
from tests.conftest import open_graph
from tests.index.conftest import file_of

LONG = "So it was, and nobody said more. " * 50
STORIES = [
    NewEpisode("Ann works_at Acme from 2020-01-01. Bob likes tea.", reference_time="2021-01-01"),
    NewEpisode("Ann works_at Beta from 2021-06-01.", reference_time="2021-07-01", saga="case"),
    NewEpisode(f"Eve knows Bob. {LONG}", reference_time="2022-01-01", name="On Eve", key="k1"),
]


@pytest.fixture(autouse=True)
def _every_group_is_large(monkeypatch):
    monkeypatch.setattr(checkpoints, "LARGE", 1)


async def asked(graph):
    """Ask for what the columns have."""
    found = []
    for query in ("Ann Acme", "tea nobody", "who knows Bob"):
        results = await graph.search(query, limit=20)
        found.append([[(hit.item.id, round(hit.score, 5)) for hit in kind] for kind in (
            results.facts, results.entities, results.episodes)])  # fmt: skip
    found.append([fact.id for name in ("Ann", "Eve") for fact in await graph.facts(name)])
    found.append((await graph.search("tea", where=Field.confidence > 0.1)).facts[0].item.id)
    return found


@pytest.fixture
async def store(url, tmp_path):
    """A store with a file of columns that has everything there can be in one; what it answers."""
    async with open_graph(url) as graph:
        await graph.add_episodes(STORIES)
        await graph.add_entity("Ann", attributes={"email": "ann@acme.com"})
        await graph.identity.merge("Eve", "Bob")
        await graph.communities.build()
        await graph.search("Eve", where=Field.fact_attributes["rank"].exists())
        answers = await asked(graph)
    return file_of(tmp_path), answers


@pytest.fixture
def files(tmp_path):
    return ColumnFiles(tmp_path / "store" / "columns", "graphrag", "graphrag")


def content(index: GroupIndex):
    """Everything that is written of a group."""
    index.share().exchange(file := ArrayWriter())
    arrays = file.arrays
    return {name: b"".join(part.tobytes() for part in some) for name, some in arrays.items()}


def loaded(files: ColumnFiles):
    try:
        arrays = files.open("default", 64)
        return None if arrays is None else read_group(arrays)
    except (OSError, MemoryError, *MALFORMED):
        return None


def used(index: GroupIndex):
    """Do with a group what searches and writers do."""
    vector = np.ones(64, np.float32)
    for scope in index.scopes.values():
        scope.postings.scores("Ann Acme tea nobody")
        scope.vectors.compare(vector).top(3)
        scope.postings.entries()
    index.ends()
    for row in range(len(index.facts)):
        index.ends_of(row)
    for id_ in index.entities.row_of:
        index.facts_of(id_), index.rows_at(id_, "works_at"), index.summary(id_)
        index.entity_name(id_), index.entity_type(id_)
        index.latest_facts(id_, relations=3, each=3)
    for name in ("Ann", "eve", "acme"):
        index.entities_named(name), index.people_called(name), index.names.like(name)
    index.timeline.latest_before(1 << 60, 5), index.timeline.around(0, "")
    episodes = index.episodes
    episodes.titles.catch_up(episodes.postings)
    for links in (episodes.mentions, episodes.sources, episodes.titles.links):
        if links is not None:
            links.of_left(np.arange(len(episodes))), links.of_right(np.arange(3))
    bytes_of(index), content(index)


def parted(file):
    """What a file says of itself, and its arrays."""
    with file.open("rb") as opened:
        head, size = read_footer(opened)
    return head, file.read_bytes()[:size]


def flipped(data, chance):
    """One bit is another."""
    place = chance.randrange(8 * len(data))
    changed = bytearray(data)
    changed[place // 8] ^= 1 << place % 8
    return bytes(changed)


def scribbled(data, chance):
    """400 bytes are others."""
    place = chance.randrange(len(data) - 400)
    return data[:place] + chance.randbytes(400) + data[place + 400 :]


@pytest.mark.parametrize("harm", [flipped, scribbled])
async def test_no_damage_gives_another_group(store, files, harm):
    file, _ = store
    data, expected = file.read_bytes(), content(loaded(files))
    dropped = 0
    for seed in range(100):
        file.write_bytes(harm(data, random.Random(seed)))
        index = loaded(files)
        dropped += index is None
        assert index is None or content(index) == expected, seed
    assert dropped > 60  # the rest was between two arrays


@pytest.mark.parametrize("harm", [flipped, scribbled])
async def test_a_damaged_file_is_dropped_with_one_warning_and_made_anew(
    store, url, files, caplog, harm
):
    file, answers = store
    data = file.read_bytes()
    for seed in range(6):
        file.write_bytes(harm(data, random.Random(seed)))
        damaged = loaded(files) is None
        caplog.clear()
        async with open_graph(url) as graph:
            assert await asked(graph) == answers
            assert (await graph.health.check_all()).sound
        assert caplog.text.count("are of no use") == damaged
        assert loaded(files) is not None


async def test_whatever_the_footer_says_it_is_what_was_written_or_nothing(store, files):
    file, _ = store
    head, body = parted(file)
    values = [None, -1, 0, 1 << 62, 10**30, 1.5, "", "<f8", [], [[]], {}, {"a": 1}, True, "x" * 99]
    for seed in range(250):
        chance = random.Random(seed)
        changed = json.loads(json.dumps(head))
        place = changed if chance.random() < 0.1 else changed["stamp"]
        if chance.random() < 0.7:
            place = changed["arrays"]
        while True:
            key = chance.choice([*place] if isinstance(place, dict) else range(len(place)))
            if not isinstance(place[key], list | dict) or not place[key] or chance.random() < 0.2:
                break
            place = place[key]
        place[key] = chance.choice(values)
        file.write_bytes(body + footer_of(changed))
        assert changed == head or loaded(files) is None, changed
    swapped = json.loads(json.dumps(head))
    names = [array[0] for array in swapped["arrays"]]
    one, other = names.index("facts.valid"), names.index("facts.invalid")
    swapped["arrays"][one][0], swapped["arrays"][other][0] = names[other], names[one]
    file.write_bytes(body + footer_of(swapped))
    assert loaded(files) is None


async def test_a_file_allocates_no_more_than_it_is_long(store, files):
    file, _ = store
    head, body = parted(file)
    for size in (1 << 33, 1 << 62, 10**40):
        for array in head["arrays"][::9]:
            crafted = [
                other if other != array else [*array[:2], [size], 0] for other in head["arrays"]
            ]
            file.write_bytes(body + footer_of({**head, "arrays": crafted}))
            tracemalloc.start()
            assert loaded(files) is None
            assert tracemalloc.get_traced_memory()[1] < 4 << 20
            tracemalloc.stop()


async def test_a_file_of_holes_is_not_read(store, files):
    file, _ = store
    os.truncate(file, 64 << 30)
    assert loaded(files) is None


class Rewritten(ArrayWriter):
    """The arrays of a file, of which one is another: with checksums that fit."""

    def __init__(self, arrays, **others):
        super().__init__()
        self.arrays = {name: (array,) for name, array in {**arrays, **others}.items()}


async def test_no_crafted_array_makes_a_reader_fail(store, files):
    file, _ = store
    reader = ArrayReader(file)
    arrays = {
        name: reader.numbers(name, np.empty((0, *shape[1:]), kind)).copy()
        for name, (kind, shape, _) in reader._places.items()
    }
    chance, believed = np.random.default_rng(3), 0
    for name, array in arrays.items():
        if not array.size:
            continue
        others = [np.zeros_like(array), np.roll(array, 1, axis=0)]
        if array.dtype != np.float32:
            raw = chance.integers(0, 256, array.nbytes, np.uint8).tobytes()
            others.append(np.frombuffer(raw, array.dtype).reshape(array.shape))
        for other in others:
            Rewritten(arrays, **{name: other}).write(file, reader.stamp, lambda: True)
            index = loaded(files)
            if index is not None:
                believed += 1
                used(index)
    assert believed > 20


async def test_a_loaded_group_takes_as_many_bytes_as_one_from_the_tables(store, files, url):
    index = loaded(files)
    async with open_graph(url) as graph:
        fresh = await graph.handle.session.catalog.reload("default")
        filed, named = (
            bytes_of([one.names, one.summaries, one.timeline, one.entities.ids])
            for one in (index, fresh)
        )
        assert filed < named  # they stay in the file
        rest = bytes_of(fresh) - named
        assert 0.8 * rest < bytes_of(index) - filed <= rest  # without spare room
