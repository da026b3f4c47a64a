"""Long work lets other tasks of the event loop run between its pieces."""

import asyncio
from itertools import count

import pytest

from graphrag import protocols
from graphrag.history.redact import Eraser, Names
from graphrag.protocols import in_turns
from graphrag.store import store
from graphrag.text.split import count_tokens

FACTS = 30
TEXTS = [f"Ann{n} knows Bob{n}." for n in range(FACTS)]
WORK = {
    "a view of the past": (lambda graph, then: graph.at(known_at=then).facts(), FACTS - 1),
    "a list of events": (lambda graph, then: graph.log.events(), FACTS),
    "what forgetting would erase": (
        lambda graph, then: graph.erase.entity("Ann1", dry_run=True),
        3 * FACTS,
    ),
    "forgetting": (lambda graph, then: graph.erase.entity("Ann1"), 6 * FACTS),
    "communities of a moment": (
        lambda graph, then: graph.at(valid_at="2021").communities.list(),
        2 * FACTS,
    ),
    "a long text": (
        lambda graph, then: graph.add_episode("Cleo likes tea. " * FACTS, reference_time="2022"),
        FACTS,
    ),
}


@pytest.mark.parametrize("what", WORK)
async def test_the_clock_is_looked_at_after_each_piece(what, graph, monkeypatch):
    work, pieces = WORK[what]
    first = await graph.add_episode(TEXTS[0], reference_time="2020")
    for text in TEXTS[1:]:
        await graph.add_episode(text, reference_time="2020")
    looks = count()
    monkeypatch.setattr(protocols, "perf_counter", lambda: next(looks) * 0)
    await work(graph, first.episode.created_at)
    assert next(looks) >= pieces


@pytest.mark.parametrize(("seconds", "turns"), [(0.0001, 1), (1, 10)])
async def test_others_run_when_a_turn_is_over(seconds, turns, monkeypatch):
    ran = 0

    async def other():
        nonlocal ran
        while True:
            ran += 1
            await asyncio.sleep(0)

    beside = asyncio.create_task(other())
    await asyncio.sleep(0)
    clock = count()
    monkeypatch.setattr(protocols, "perf_counter", lambda: next(clock) * seconds)
    async for _ in in_turns(range(10)):
        pass
    beside.cancel()
    assert ran >= turns
    assert (ran == 1) == (turns == 1)


async def test_a_revert_reads_its_event_and_no_later_one(graph, monkeypatch):
    for text in TEXTS:
        await graph.add_episode(text, reference_time="2020")
    read, event_of = [], store.event_of
    monkeypatch.setattr(store, "event_of", lambda row: read.append(row["seq"]) or event_of(row))
    await graph.log.revert(3)
    assert set(read) <= {3, FACTS + 1}


def test_of_two_sentences_the_longer_one_is_erased_first():
    said = {"Ann knows Bob.", "Ann knows Bob. He left.", "unsaid words here"}
    eraser = Eraser(Names(()), sentences=said)
    assert eraser.text("So: Ann knows Bob. He left.") == "So: [erased]"
    assert eraser.text("") == ""


def test_tokens_are_four_letters_or_one_and_a_half_of_others():
    assert [count_tokens(text) for text in ("", "abcd", "abcde", "äöü", "abcdäöü")] == [
        0,
        1,
        2,
        2,
        3,
    ]
