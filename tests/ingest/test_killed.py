"""A process that queues episodes dies at any moment: what it acknowledged is there and is read."""

import sys

import pytest

from tests.benchmarks import faults


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
async def test_what_was_acknowledged_is_there_and_drains_to_the_same_graph(tmp_path):
    found = await faults.rounds(tmp_path, 4, seed=11, longest=2.0, kind="queueing")
    assert found.lost == found.half == []
    assert (found.kills, found.drained) == (4, 1)
    assert found.acknowledged > 0
    assert found.pending > 0
