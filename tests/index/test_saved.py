"""Columns in a file beside the store: a quick start that never changes an answer."""

import pytest

from graphrag import Field, NewEpisode
from graphrag.index import catalog, checkpoints
from graphrag.index.array_file import footer_of
from graphrag.index.checkpoints import ColumnFiles
from tests.conftest import open_graph
from tests.index.conftest import file_of

STORIES = [
    NewEpisode("Ann works_at Acme from 2020-01-01. Bob likes tea.", reference_time="2021-01-01"),
    NewEpisode("Ann works_at Beta from 2021-06-01.", reference_time="2021-07-01", saga="case"),
    NewEpisode("Eve knows Bob. Eve lives_in Paris.", reference_time="2022-01-01", name="On Eve"),
]


@pytest.fixture(autouse=True)
def _every_group_is_large(monkeypatch):
    monkeypatch.setattr(checkpoints, "LARGE", 1)


async def told(graph):
    """Everything that a reader of the columns could see of a graph."""
    found = {}
    for query in ("Ann Acme", "tea", "who knows Bob in Paris", "case"):
        results = await graph.search(query, limit=50)
        found[query] = [
            [(hit.item.id, round(hit.score, 6), hit.why) for hit in scope]
            for scope in (results.facts, results.entities, results.episodes)
        ]
    for name in ("Ann", "Bob", "Eve", "Acme", "Beta", "tea", "Paris"):
        for entity in await graph.at(history=True).entities(name):
            found[name] = entity, await graph.at(history=True).facts(entity)
    return found, await graph.stats(), await graph.sagas.list()


async def write(url, *episodes):
    async with open_graph(url) as graph:
        await graph.add_episodes(episodes)
        return await told(graph)


async def reopened(url, monkeypatch):
    """What a graph says that may not read the tables."""

    async def never(*_):
        raise AssertionError("the tables were read")

    with monkeypatch.context() as patch:
        patch.setattr(catalog, "load_group", never)
        async with open_graph(url) as graph:
            return await told(graph)


async def test_a_saved_group_answers_as_the_one_that_was_closed(url, monkeypatch):
    before = await write(url, *STORIES)
    assert await reopened(url, monkeypatch) == before
    assert await reopened(url, monkeypatch) == before


async def test_a_saved_group_can_be_written_on(url, monkeypatch, tmp_path):
    await write(url, *STORIES[:2])
    after = await write(url, STORIES[2])
    async with open_graph(url) as graph:
        assert (await graph.health.check_all()).findings == ()
        [fact] = [one for one in await graph.facts("Eve") if one.relation == "knows"]
        await graph.edit.retract(fact)
        await graph.identity.merge("Eve", "Ann")
        assert (await graph.health.check_all()).findings == ()
        changed = await told(graph)
    assert changed != after
    assert await reopened(url, monkeypatch) == changed
    file_of(tmp_path).unlink()
    async with open_graph(url) as graph:
        assert await told(graph) == changed


async def test_whatever_was_asked_of_a_group_it_is_saved_all_the_same(url, monkeypatch):
    async with open_graph(url) as graph:
        await graph.add_episodes(STORIES)
        index = await graph.handle.session.catalog.group("default")
        assert index.names.like("ane") is not None
        for where in (
            (Field.origin == "stated") & (Field.created_at > "2020-01-01"),
            (Field.confidence < 0.5) | Field.fact_attributes["rank"].exists(),
            (Field.source == "text") | (Field.metadata["page"] == 3),
            Field.saga == "case",
        ):
            await graph.search("Ann", where=where)
        await graph.communities.build()
        assert {"origin", "created_at"} <= index.facts.aside.keys()
        assert index.episodes.sources is not None
        before = await told(graph)
    assert await reopened(url, monkeypatch) == before


async def test_what_was_told_since_is_read_from_the_log(url, monkeypatch, tmp_path):
    await write(url, *STORIES[:1])
    old = file_of(tmp_path).read_bytes()
    after = await write(url, *STORIES[1:])
    file_of(tmp_path).write_bytes(old)
    assert await reopened(url, monkeypatch) == after


async def test_a_file_of_another_history_is_not_used(url, tmp_path):
    await write(url, *STORIES[:1])
    file = file_of(tmp_path).read_bytes()
    other = f"surrealkv://{tmp_path}/other/store"
    expected = await write(other, STORIES[2])
    file_of(tmp_path / "other").write_bytes(file)
    async with open_graph(other) as graph:
        assert await told(graph) == expected


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: b"\0" * len(data),
        lambda data: data + b"more",
        lambda data: data.split(b"\n", 1)[0] + b"\n" + b"\xff" * 9000,
        lambda data: b'{"stamp": 3}\n' + data,
    ],
    ids=["empty", "cut", "zeros", "longer", "garbage", "head"],
)
async def test_a_damaged_file_costs_nothing_but_the_start(url, tmp_path, damage):
    before = await write(url, *STORIES)
    file_of(tmp_path).write_bytes(damage(file_of(tmp_path).read_bytes()))
    async with open_graph(url) as graph:
        assert await told(graph) == before
    async with open_graph(url) as graph:
        assert await told(graph) == before


async def test_a_file_of_other_code_is_not_used(url, tmp_path, monkeypatch):
    before = await write(url, *STORIES)
    monkeypatch.setattr(checkpoints, "code_version", lambda: "another")
    async with open_graph(url) as graph:
        assert await told(graph) == before


async def test_what_is_forgotten_is_in_no_file(url, tmp_path):
    await write(url, *STORIES)
    assert b"Eve" in file_of(tmp_path).read_bytes() or b"eve" in file_of(tmp_path).read_bytes()
    async with open_graph(url) as graph:
        await graph.erase.entity("Eve")
        left = file_of(tmp_path)  # a new one may have been begun
        assert left is None or b"Eve" not in left.read_bytes()
    data = file_of(tmp_path).read_bytes()
    assert b"Eve" not in data and b"eve" not in data
    async with open_graph(url) as graph:
        await graph.erase.group(confirm="default")
        assert file_of(tmp_path) is None


async def test_a_full_disk_is_a_warning(url, tmp_path, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ColumnFiles, "write", full)
    before = await write(url, *STORIES)
    assert "nothing is lost" in caplog.text
    async with open_graph(url) as graph:
        assert await told(graph) == before


async def test_small_groups_are_not_saved(url, tmp_path, monkeypatch):
    monkeypatch.setattr(checkpoints, "LARGE", 10_000)
    await write(url, *STORIES)
    assert file_of(tmp_path) is None


@pytest.mark.parametrize(
    "content",
    [
        b'0a1b2c3d {"said": {}, "arrays": []}\n' + bytes(4_000),
        bytes(4_096) + footer_of({"said": {}, "arrays": [["ids", "<q9", [7], 0]]}),
    ],
)
async def test_a_file_of_another_version_is_replaced_without_a_word(url, tmp_path, caplog, content):
    before = await write(url, *STORIES)
    file_of(tmp_path).write_bytes(content)
    caplog.clear()
    async with open_graph(url) as graph:
        assert await told(graph) == before
    assert not caplog.text
    assert b'"stamp"' in file_of(tmp_path).read_bytes()[-16_000:]
    assert not file_of(tmp_path).read_bytes().startswith(b"0a1b2c3d")
