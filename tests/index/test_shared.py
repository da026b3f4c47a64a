"""Work that two threads share is done once, in order, and waits for nobody."""

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, current_thread, main_thread

import numpy as np
import pytest

from graphrag.index import parallel as shared
from graphrag.index.parallel import Shared

NUMBERS = np.arange(10_000, dtype=np.float32)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(shared, "_LEAST", 16)


@pytest.fixture(params=[1, 3, 7])
def others(request, monkeypatch):
    """As many other threads."""
    with ThreadPoolExecutor(request.param) as threads:
        monkeypatch.setattr(shared, "_others", request.param)
        monkeypatch.setattr(shared, "_other_cores", threads)
        yield request.param


@pytest.mark.parametrize("rows", [0, 9, 10, 16, 17, 1_000, 10_000])
def test_every_row_gets_its_own_number(rows, others):
    works = [Shared(lambda block: 2 * NUMBERS[:rows][block], rows, worth=10) for _ in range(20)]
    assert all(np.array_equal(work.result(), 2 * NUMBERS[:rows]) for work in works)


def test_nobody_waits_for_a_thread_that_does_not_run():
    stuck, go_on = Event(), Event()

    def product(block):
        if current_thread() is not main_thread():
            stuck.set()
            assert go_on.wait(60)
        return NUMBERS[block]

    work = Shared(product, len(NUMBERS))
    assert stuck.wait(60)
    behind = Shared(product, len(NUMBERS))  # its turn never comes
    assert np.array_equal(work.result(), NUMBERS)
    assert np.array_equal(behind.result(), NUMBERS)
    go_on.set()


def test_every_other_thread_takes_part(others):
    everybody, begun = Barrier(others + 1), set()

    def product(block):
        if current_thread() not in begun:
            begun.add(current_thread())
            everybody.wait(60)
        return NUMBERS[block]

    work = Shared(product, len(NUMBERS), worth=10)
    everybody.wait(60)
    begun.add(main_thread())
    assert np.array_equal(work.result(), NUMBERS)
    assert len(begun) == others + 1


@pytest.mark.parametrize(
    ("quota", "most"),
    [("max 100000", None), ("150000 100000", 1), ("50000 100000", 1), ("", None), (None, None)],
)
def test_no_more_cores_are_used_than_a_container_may(tmp_path, quota, most):
    file = tmp_path / "cpu.max"
    if quota is not None:
        file.write_text(quota)
    assert shared.cores(file) == (most or len(os.sched_getaffinity(0)))


def test_who_looks_meets_the_error_that_the_other_thread_met():
    def product(block):
        raise MemoryError

    with pytest.raises(MemoryError):
        Shared(product, len(NUMBERS)).result()
