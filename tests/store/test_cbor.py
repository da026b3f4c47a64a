"""Answers are decoded alike whole and row by row, and a large one lets others run."""

import asyncio
from datetime import UTC, datetime

import pytest

from graphrag.store import record as cbor
from graphrag.store.record import Record


def answer(rows):
    """Return an answer of one statement, encoded."""
    statement = {"status": "OK", "result": rows, "time": "1ms"}
    return cbor.encode({"id": "1", "result": [statement, {"status": "OK", "result": {"n": 1}}]})


@pytest.mark.parametrize("count", [0, 1, 23, 24, 300, 70_000])
async def test_a_large_answer_is_decoded_as_a_small_one(monkeypatch, count):
    moment = datetime(2024, 3, 1, tzinfo=UTC)
    rows = [{"id": Record("entity", f"e{n}"), "at": moment, "of": [n, None]} for n in range(count)]
    message = answer(rows)
    monkeypatch.setattr(cbor, "_LARGE", 10**9)
    whole = await cbor.decode(message)
    monkeypatch.setattr(cbor, "_LARGE", 0)
    assert await cbor.decode(message) == whole
    assert whole["result"][0]["result"] == rows


async def test_others_have_their_turn_within_a_large_answer():
    message = answer([{"id": f"e{n}", "text": "word " * 20} for n in range(20_000)])
    turns = 0

    async def beat():
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    beating = asyncio.create_task(beat())
    await cbor.decode(message)
    beating.cancel()
    assert turns > 50


async def test_a_list_of_unknown_length_is_read(monkeypatch):
    monkeypatch.setattr(cbor, "_LARGE", 0)
    assert await cbor.decode(b"\xa1\x66result\x9f\x01\x02\xff") == {"result": [1, 2]}
