"""Work that two threads share is done once, in order, and waits for nobody."""

from threading import Event, current_thread, main_thread

import numpy as np
import pytest

from graphrag.index import parallel as shared
from graphrag.index.parallel import Shared

NUMBERS = np.arange(10_000, dtype=np.float32)


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch):
    monkeypatch.setattr(shared, "_LEAST", 16)


@pytest.mark.parametrize("rows", [0, 9, 10, 16, 17, 1_000, 10_000])
def test_every_row_gets_its_own_number(rows):
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


def test_who_looks_meets_the_error_that_the_other_thread_met():
    def product(block):
        raise MemoryError

    with pytest.raises(MemoryError):
        Shared(product, len(NUMBERS)).result()
