"""How a fact came to its end is a field: reasons are for people, and decide nothing."""

import ast

import pytest

from graphrag import Fact, Ruling
from tests.conftest import open_graph
from tests.edit.faint import open_unsure, tell, whole
from tests.test_layers import MODULES

AWKWARD = (
    "corrected: it says so",
    "corrected by hand: it says so",
    "confirmed, but another fact says it",
    "ended by: whatever (an arbiter decided)",
    "ended: ",
)
"""What no code may take for its own words."""


async def closings(graph):
    """Return how each stored fact is closed, by its object."""
    index = await graph.handle.session.catalog.group("default")
    stored = await graph.handle.session.store.get(Fact, sorted(index.facts.row_of))
    return {
        fact.object: (fact.closed_as, fact.closed_by_arbiter, fact.closed_by_hand)
        for fact in stored.values()
    }


TOLD = {
    "nothing closes it": (["Alice works_at Acme from 2020."], {"Acme": None}),
    "both ends were told": (["Alice works_at Acme from 2020 to 2022."], {"Acme": "bounded"}),
    "only its end was told": (["Alice ends:works_at Acme to 2022."], {"Acme": "ended"}),
    "a text says that it ended": (
        ["Alice works_at Acme from 2020.", "Alice ends:works_at Acme to 2022."],
        {"Acme": "ended"},
    ),
    "another one began": (
        ["Alice works_at Acme from 2020.", "Alice works_at Beta from 2022."],
        {"Acme": "superseded", "Beta": None},
    ),
    "it is told of the time before another one": (
        ["Alice works_at Beta from 2022.", "Alice works_at Acme from 2020."],
        {"Acme": "superseded", "Beta": None},
    ),
    "another one began at the same time": (
        ["Alice works_at Acme from 2020.", "Alice works_at Beta from 2020."],
        {"Acme": None, "Beta": None},
    ),
    "a text corrects it": (
        ["Alice works_at Acme from 2020.", "Alice works_at Beta from 2020 in fact."],
        {"Acme": "corrected", "Beta": None},
    ),
}


@pytest.mark.parametrize(("texts", "wanted"), TOLD.values(), ids=TOLD)
async def test_what_texts_close(graph, texts, wanted):
    for number, text in enumerate(texts, 1):
        await graph.add_episode(text, reference_time=f"2024-0{number}")
    assert await closings(graph) == {name: (how, False, False) for name, how in wanted.items()}


async def test_what_tables_close(graph):
    rows = [
        {"subject": "Alice", "relation": "works_at", "object": "Acme", "valid_at": "2020"},
        {"subject": "Alice", "relation": "works_at", "object": "Beta", "valid_at": "2021"},
        {"subject": "Alice", "relation": "likes", "object": "tea", "invalid_at": "2021"},
        {"subject": "Alice", "relation": "likes", "object": "chess", "valid_at": "2020"}
        | {"invalid_at": "2021"},
    ]
    await graph.load.facts(rows)
    assert await closings(graph) == {
        "Acme": ("superseded", False, False),
        "Beta": (None, False, False),
        "tea": ("ended", False, False),
        "chess": ("bounded", False, False),
    }


@pytest.mark.parametrize(
    ("act", "wanted"),
    [
        (lambda graph, job: graph.edit.retract(job), ("retracted", False, True)),
        (lambda graph, job: graph.edit.invalidate(job, "2023"), ("ended", False, True)),
        (lambda graph, job: graph.edit.correct(job, invalid_at="2023"), ("ended", False, True)),
        (lambda graph, job: graph.edit.correct(job, object="Beta"), ("corrected", False, True)),
    ],
    ids=["retract", "invalidate", "correct its end", "correct its object"],
)
async def test_what_a_person_closes(graph, act, wanted):
    job = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    before = (await graph.log.events())[-1].at
    await act(graph, job)
    assert (await closings(graph))["Acme"] == wanted
    [change] = [
        change
        for change in (await graph.log.events())[-1].changes
        if change.record == f"relates_to:{job.id}"
    ]
    assert (change.before["closed_as"], change.after["closed_as"]) == (None, wanted[0])
    [then] = await graph.at(known_at=before).facts("Alice")
    assert (then.closed_as, then.closed_by_hand) == (None, False)
    await graph.log.revert((await graph.log.events())[-1])
    assert (await closings(graph))["Acme"] == (None, False, False)
    await whole(graph)


async def test_an_end_that_is_taken_back_is_none(graph):
    job = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    job = await graph.edit.invalidate(job, "2023")
    job = await graph.edit.correct(job, invalid_at=None)
    assert (job.closed_as, job.closed_by_hand, job.reason) == (None, False, None)


async def test_what_others_say_surely_waits_no_longer_and_contradicts_nothing():
    async with open_unsure() as graph:
        await tell(graph, "?? Alice works_at Acme from 2020.")
        [waiting] = await graph.edit.pending()
        given = {"valid_at": "2020", "confidence": 0.9}
        known = (await graph.add_fact("Alice", "works_at", "Acme", **given)).fact
        assert await graph.edit.pending() == []
        assert await graph.facts("Alice") == [known]
        closed = await graph.handle.session.store.get(Fact, [waiting.fact.id])
        assert closed[waiting.fact.id].closed_as == "superseded"
        assert list(await graph.audit.contradictions()) == []
        await whole(graph)


async def test_what_an_arbiter_closes():
    class Decided:
        async def decide(self, case):
            return Ruling(exclusive=case.conflicts)

    async with open_graph(arbiter=Decided()) as graph:
        await tell(graph, "Alice edited_by Bob from 2020.", "2020")
        await tell(graph, "Alice edited_by Carol from 2022.", "2022")
        assert await closings(graph) == {
            "Bob": ("superseded", True, False),
            "Carol": (None, False, False),
        }
        [change] = [
            change
            for change in (await graph.log.events())[-1].changes
            if "closed_as" in change.after
        ][:1]
        assert change.after["closed_by_arbiter"] is True


@pytest.mark.parametrize("reason", AWKWARD)
async def test_a_reason_in_our_words_says_nothing_of_a_contradiction(graph, reason):
    old = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    await graph.add_fact("Alice", "works_at", "Beta", valid_at="2022")
    await graph.edit.retract(old, reason)
    assert not await graph.audit.contradictions()


@pytest.mark.parametrize("text", AWKWARD)
async def test_a_sentence_in_our_words_says_nothing_of_a_contradiction(graph, text):
    await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020", text=text)
    await graph.add_fact("Alice", "works_at", "Beta", valid_at="2022", text=text)
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.rule) == ("ended", "single_valued")


async def test_a_correction_that_mentions_an_arbiter_is_by_hand(graph):
    old = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    await graph.edit.correct(old, object="Beta", reason="misread (an arbiter decided)")
    [one] = await graph.audit.contradictions()
    assert (one.outcome, one.rule) == ("corrected", "by_hand")


@pytest.mark.parametrize("reason", AWKWARD)
async def test_what_a_person_took_back_returns_by_what_was_done_not_by_what_was_said(graph, reason):
    acme = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    beta = (await graph.add_fact("Alice", "works_at", "Beta", valid_at="2022")).fact
    taken = await graph.edit.retract(acme, reason)
    event = (await graph.log.events())[-1]
    await graph.edit.retract(beta)
    await graph.log.revert(event)
    [held] = await graph.facts("Alice")
    assert (held.id, held.invalid_at, taken.invalid_at) == (acme.id, None, None)
    await whole(graph)


async def test_what_was_split_off_does_not_return_to_whom_it_was_not_said_of(graph):
    job = (await graph.add_fact("Alice", "works_at", "Acme", valid_at="2020")).fact
    await graph.add_fact("Alice", "likes", "tea")
    await graph.identity.split("Alice", name="Alice B", facts=[job.id])
    [moved] = [fact for fact in await graph.facts("Alice B") if fact.relation == "works_at"]
    await graph.edit.retract(moved)
    assert [fact.object for fact in await graph.facts("Alice")] == ["tea"]
    await whole(graph)


async def test_a_copy_knows_how_each_fact_ended(graph, tmp_path):
    for year, job in enumerate(("Acme", "Beta", "Globex"), 2020):
        fact = (await graph.add_fact("Alice", "works_at", job, valid_at=str(year))).fact
    await graph.edit.invalidate(fact, "2024", reason="she told us")
    await graph.export.file(tmp_path / "graph.jsonl")
    await graph.load.group(tmp_path / "graph.jsonl", "copy")
    facts = await graph.group("copy").at(history=True).facts("Alice")
    assert {fact.object: (fact.closed_as, fact.closed_by_hand) for fact in facts} == {
        "Acme": ("superseded", False),
        "Beta": ("superseded", False),
        "Globex": ("ended", True),
    }
    frames = await graph.at(history=True).export.pandas()
    assert frames.facts["closed_as"].tolist() == ["superseded", "superseded", "ended"]


READS = {"startswith", "endswith", "partition", "rpartition", "split", "find", "removeprefix"}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_no_code_reads_prose(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            about = {one.attr for one in ast.walk(node.func) if isinstance(one, ast.Attribute)}
            assert not (node.func.attr in READS and about & {"reason", "note"}), node.lineno
