"""Every version opens the stores of each released version before it, and answers the same."""

import json
import tarfile

import pytest

from tests.conftest import open_graph
from tests.stores.make import HERE, answers

MADE = sorted(HERE.glob("*.tar.xz"))


@pytest.mark.parametrize("archive", MADE, ids=lambda path: path.name.removesuffix(".tar.xz"))
async def test_a_store_of_a_released_version_is_sound_and_answers_the_same(archive, tmp_path):
    version, _, name = archive.name.removesuffix(".tar.xz").rpartition("-")
    with tarfile.open(archive) as packed:
        packed.extractall(tmp_path, filter="data")
    made = json.loads((HERE / f"{version}.json").read_text("utf-8"))[name]
    async with open_graph(f"surrealkv://{tmp_path / name}") as graph:
        assert (await graph.health.check_all()).findings == ()
        assert await answers(graph, made["between"]) == made["answers"]
        await graph.add_episode("Zoe works_at Acme from 2024.", reference_time="2024-02-01")
        assert [fact.object for fact in await graph.facts("Zoe")] == ["Acme"]
        assert (await graph.health.check_all()).findings == ()


def test_there_are_stores_of_each_kind():
    assert {path.name.removesuffix(".tar.xz").rpartition("-")[2] for path in MADE} >= {
        "folder", "engine", "edited",
    }  # fmt: skip
