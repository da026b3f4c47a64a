"""Large groups are saved while they grow: a process that is killed leaves a quick start.

This file is both the tests and the process that is killed.
"""

import asyncio
import re
import subprocess
import sys
import threading
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from graphrag.index import catalog, checkpoints
from graphrag.index.array_file import ArrayWriter
from graphrag.index.checkpoints import Checkpoints, ColumnFiles, read_group
from graphrag.index.group import GroupIndex
from graphrag.index.vectors import Vectors
from tests.conftest import open_graph
from tests.index.conftest import file_of

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _small_is_large(monkeypatch):
    monkeypatch.setattr(checkpoints, "LARGE", 30)
    monkeypatch.setattr(checkpoints, "MANY", 8)


def facts(first, last):
    for number in range(first + 1, last + 1):
        yield {"subject": f"Person{number}", "relation": "knows", "object": f"Person{number // 3}"}


def files_of(graph):
    return graph.handle.session.catalog._checkpoints


async def rows_in_order(graph):
    index = await graph.handle.session.catalog.group("default")
    return [index.facts.ids[row] for row in np.flatnonzero(index.facts.alive.values)]


async def import_without_end(url):
    checkpoints.LARGE, checkpoints.MANY = 30, 8
    write = ColumnFiles.write

    def say(word):
        sys.stdout.write(f"{word}\n")
        sys.stdout.flush()

    def announced(*given):
        write(*given)
        say("saved")

    ColumnFiles.write = announced
    async with open_graph(url) as graph:
        await graph.load.facts(
            facts(0, 100_000), batch=5, on_progress=lambda report: say(report.facts)
        )


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_a_killed_import_is_opened_from_a_file_and_a_bounded_part_of_the_log(
    url, tmp_path, monkeypatch
):
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.index.test_checkpoints", url],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    told, files = 0, 0
    with process:
        for line in process.stdout:
            if line == "saved\n":
                files += 1
            else:
                told = int(line)
            if files >= 4 and told >= 150:
                process.kill()
                break
    assert process.returncode == -9
    caught_up = []
    refresh = catalog.refresh_group

    async def counted(store, index):
        before = checkpoints.rows_of(index)
        done = await refresh(store, index)
        caught_up.append((before, checkpoints.rows_of(index)))
        return done

    async def never(*_):
        raise AssertionError("the tables were read")

    monkeypatch.setattr(catalog, "refresh_group", counted)
    monkeypatch.setattr(catalog, "load_group", never)
    async with open_graph(url) as graph:
        assert (await graph.stats()).facts >= told
        [(before, now)] = caught_up
        # A sixth, and what came while the last file was being written.
        assert now - before <= before
        monkeypatch.undo()
        assert (await graph.health.check_all()).findings == ()


async def test_a_growing_group_is_saved_when_a_sixth_of_it_has_changed(url, monkeypatch):
    changed, saved = [0], []
    note = Checkpoints.changed

    def counted(files, index, records=0):
        changed[0] += records
        note(files, index, records)

    def copied(index):
        saved.append((checkpoints.rows_of(index), changed[0]))
        return share(index)

    share = GroupIndex.share
    monkeypatch.setattr(Checkpoints, "changed", counted)
    monkeypatch.setattr(GroupIndex, "share", copied)
    async with open_graph(url) as graph:
        for first in range(0, 120, 3):
            await graph.load.facts(facts(first, first + 3))
            await files_of(graph)._written("default")
        assert 30 <= saved[0][0] <= 40
        assert len(saved) > 4
        for (_, before), (rows, now) in pairwise(saved):
            assert now - before >= max(8, rows // 6)


async def test_what_was_read_from_the_tables_is_saved_at_once(url, tmp_path):
    async with open_graph(url) as graph:
        await graph.load.facts(facts(0, 40))
    file_of(tmp_path).unlink()
    async with open_graph(url) as graph:
        await graph.search("Person7")
        await files_of(graph)._written("default")
        assert file_of(tmp_path) is not None


class Slow:
    """Writing that begins when it may."""

    def __init__(self, monkeypatch):
        self.may = threading.Event()
        write = ColumnFiles.write

        def waiting(files, copy, *given):
            self.seq = copy.seq
            assert self.may.wait(10)
            write(files, copy, *given)

        monkeypatch.setattr(ColumnFiles, "write", waiting)


async def test_a_file_is_of_one_event_whatever_is_told_while_it_is_written(
    url, tmp_path, monkeypatch
):
    slow = Slow(monkeypatch)
    async with open_graph(url) as graph:
        await graph.load.facts(facts(0, 40), batch=100)
        assert "default" in files_of(graph)._writing
        index = await graph.handle.session.catalog.group("default")
        count = len(index.facts)
        old = index.facts.vectors.values.copy()
        scores = index.facts.postings.scores("Person7")
        retracted = index.facts["retracted"].copy()
        [fact] = [one for one in await graph.facts("Person7") if one.subject == "Person7"]
        await graph.edit.retract(fact)
        await graph.identity.merge("Person20", "Person21")
        await graph.load.facts(facts(40, 45))
        slow.may.set()
        await files_of(graph)._written("default")
        saved = ColumnFiles(tmp_path / "store" / "columns", "graphrag", "graphrag")
        written = read_group(saved.open("default", 64))
        assert (written.seq, len(written.facts)) == (slow.seq, count)
        assert np.array_equal(written.facts.vectors.values, old)
        assert np.array_equal(written.facts.postings.scores("Person7"), scores)
        assert np.array_equal(written.facts["retracted"], retracted)
        now = await rows_in_order(graph)
    async with open_graph(url) as graph:
        assert await rows_in_order(graph) == now
        assert (await graph.health.check_all()).findings == ()


async def test_what_is_forgotten_while_it_is_written_is_in_no_file(url, tmp_path, monkeypatch):
    slow = Slow(monkeypatch)
    async with open_graph(url) as graph:
        await graph.load.facts(facts(0, 40), batch=100)
        dropped, _ = files_of(graph)._writing["default"]
        forgetting = asyncio.create_task(graph.erase.entity("Person7"))
        while not dropped.is_set():
            await asyncio.sleep(0.001)
        slow.may.set()
        await forgetting
        await files_of(graph)._written("default")
        left = b"".join(path.read_bytes() for path in (tmp_path / "store" / "columns").iterdir())
        assert re.search(rb"[Pp]erson8\b", left)
        assert not re.search(rb"[Pp]erson7\b", left)
        assert (await graph.health.check_all()).findings == ()


async def test_a_full_disk_is_not_said_at_every_commit(url, monkeypatch, caplog):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(ColumnFiles, "write", full)
    monkeypatch.setattr(checkpoints, "MANY", 1_000)
    async with open_graph(url) as graph:
        await graph.load.facts(facts(0, 40), batch=100)
        for first in range(40, 44):
            await files_of(graph)._written("default")
            await graph.add_fact(f"Person{first}", "likes", "tea")
        assert caplog.text.count("nothing is lost") == 1


class Lent(ArrayWriter):
    """What was lent, by name."""

    def __init__(self) -> None:
        super().__init__()
        self.lent = {}

    def lend(self, name, *values):
        super().lend(name, *values)
        self.lent.update({f"{name} {at}": array for at, array in enumerate(values)})


def test_lent_vectors_stay_as_they_are():
    random = np.random.default_rng(5)
    vectors = Vectors(8, worth_codes=4)
    vectors.extend(4 + random.standard_normal((6, 8)))  # near a line
    out = Lent()
    vectors.share().exchange(out, "some", 6)
    assert {"some 0", "some.codes 0"} <= out.lent.keys()
    before = {name: array.copy() for name, array in out.lent.items()}
    vectors.replace(2, random.standard_normal(8))
    vectors.blank(3)
    vectors.extend(random.standard_normal((40, 8)))
    vectors.replace(4, random.standard_normal(8))
    for name, array in out.lent.items():
        assert np.array_equal(array, before[name])
    changed = (vectors.values[:6] != before["some 0"]).any(axis=1)
    assert changed.tolist() == [False, False, True, True, True, False]


if __name__ == "__main__":
    asyncio.run(import_without_end(sys.argv[1]))
