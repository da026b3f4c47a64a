"""Work in a child process: it returns, it ends when nobody waits, and it has bounds."""

import asyncio
import os
import time

import numpy as np
import pytest

from graphrag.errors import QueryError
from graphrag.index import child
from graphrag.index.child import in_child


async def test_a_child_returns_what_the_function_returns_and_the_loop_goes_on():
    working = asyncio.ensure_future(in_child(np.arange, 3))
    turns = 0
    while not working.done():
        await asyncio.sleep(0.001)
        turns += 1
    assert (await working).tolist() == [0, 1, 2]
    assert turns > 5


async def test_a_child_that_takes_too_long_is_ended_with_a_sentence(monkeypatch):
    monkeypatch.setattr(child, "SECONDS", 0.2)
    began = time.monotonic()
    with pytest.raises(QueryError, match=r"sleep took more than 0\.2 s: ask for a smaller part"):
        await in_child(time.sleep, 600)
    assert time.monotonic() - began < 60


async def test_a_child_ends_when_nobody_waits(monkeypatch):
    started, start = [], asyncio.create_subprocess_exec

    async def noted(*command, **how):
        started.append(await start(*command, **how))
        return started[0]

    monkeypatch.setattr(asyncio, "create_subprocess_exec", noted)
    working = asyncio.ensure_future(in_child(time.sleep, 600))
    while not started:
        await asyncio.sleep(0.01)
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    assert started[0].returncode is not None


@pytest.mark.parametrize(
    ("work", "given", "cause"),
    [
        (bytearray, 8 << 30, "lack of memory"),  # more than a child may have
        (os._exit, 7, "exit code 7"),
        (os.abort, None, "SIGABRT"),
        (int, "no number", "exit code 1"),
    ],
)
async def test_a_child_that_does_not_end_well_is_a_refusal(work, given, cause):
    with pytest.raises(QueryError, match=cause):
        await (in_child(work) if given is None else in_child(work, given))
