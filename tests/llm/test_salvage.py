"""One wrong fact costs one fact, and a cut answer keeps the whole ones."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graphrag import LLMError, NewEpisode
from graphrag.extract.llm.wire import Reading
from graphrag.llm.schema import BadAnswerError, read_answer
from graphrag.llm.spending import Budget
from tests.conftest import open_graph
from tests.llm.server import Reply

TOWNS = [f"Town{number}" for number in range(30)]
TEXT = " ".join(f"Ann visited {town}." for town in TOWNS)


def visit(town, **more):
    quote = f"Ann visited {town}."
    said = {"subject": "Ann", "relation": "visited", "object": town, "quote": quote, "fact": quote}
    return {**said, "kind": "event", "since": "2024-01-02", "replaces": "", **more}


def answer(facts):
    return json.dumps({"entities": [{"name": "Ann", "type": "person"}], "facts": facts})


WHOLE = answer([visit(town) for town in TOWNS])


@given(st.integers(min_value=0, max_value=len(WHOLE) - 1))
def test_any_beginning_of_an_answer_gives_its_whole_facts_and_nothing_else(length):
    text = WHOLE[:length]
    try:
        reading = read_answer(text, Reading, cut_off=True)
    except BadAnswerError:
        assert text.count("}") == 0
        return
    ends = [text.find(json.dumps(visit(town))) for town in TOWNS]
    whole = [
        town
        for town, at in zip(TOWNS, ends, strict=True)
        if at >= 0 and at + len(json.dumps(visit(town))) <= length
    ]
    assert [fact.object for fact in reading.facts] == whole
    assert [one.cut for one in reading.lost] == [True]


@given(st.lists(st.booleans(), min_size=1, max_size=12))
def test_only_what_is_wrong_is_lost(valid):
    facts = [visit("Rome") if one else {"subject": "Ann"} for one in valid]
    reading = read_answer(json.dumps({"facts": facts}), Reading)
    assert (len(reading.facts), len(reading.lost)) == (valid.count(True), valid.count(False))


@pytest.fixture
def opened(connect):
    def open_(**options):
        return open_graph(extractor=None, llm=connect(**options))

    return open_


async def test_one_invalid_fact_of_thirty_is_asked_for_again_alone(server, opened):
    wrong = visit("Town7", kind="nonsense")
    facts = [wrong if town == "Town7" else visit(town) for town in TOWNS]
    server.replies = [Reply(answer(facts)), Reply(answer([visit("Town7")]))]
    async with opened() as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
    assert len(added.facts) == 30
    assert added.dropped == ()
    shown, wanted = (one["content"] for one in server.requests[1]["messages"][-2:])
    assert "Town7" in shown and "Town8" not in shown
    assert "without what was valid already" in wanted


async def test_an_invalid_fact_that_stays_so_costs_itself_and_is_reported(server, opened):
    wrong = visit("Town7", kind="nonsense")
    server.answer = lambda request: Reply(
        answer([wrong if town == "Town7" else visit(town) for town in TOWNS])
    )
    async with opened() as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
        *_, event = await graph.log.events()
    assert "Town7" in event.note
    assert len(added.facts) == 29
    [lost] = added.dropped
    assert lost.startswith("the fact 'Ann visited Town7', of the wrong shape")
    assert len(server.requests) == 3


async def test_a_cut_answer_goes_on_where_it_stopped(server, opened):
    server.replies = [
        Reply(WHOLE[: WHOLE.index("Town20") + 3], finish_reason="length"),
        Reply(answer([visit(town) for town in TOWNS[20:]])),
    ]
    async with opened() as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
    assert len(added.facts) == 30
    assert added.dropped == ()
    assert "go on with what comes after" in server.requests[1]["messages"][-1]["content"]


async def test_a_cut_answer_keeps_its_whole_facts_if_nothing_more_comes(server, opened):
    server.answer = lambda request: (
        Reply(WHOLE[: WHOLE.index("Town20") + 3], finish_reason="length")
        if len(server.requests) == 1
        else Reply("oops", status=400)
    )
    async with opened() as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
    assert len(added.facts) == 20
    assert added.dropped == ("the answer was cut off before its end",)


async def test_a_part_of_an_answer_is_not_kept_for_the_next_time(server, connect, tmp_path):
    server.answer = lambda request: Reply(answer([visit("Town1"), {"subject": "Ann"}]))
    for _ in range(2):
        llm = connect(cache=tmp_path)
        async with open_graph(extractor=None, llm=llm) as graph:
            await graph.add_episode(TEXT, reference_time="2024-03-01")
        assert llm.usage.cached == 0


async def test_a_refusal_leaves_the_text_searchable_and_failed(server, opened):
    server.answer = lambda request: Reply(refusal="I cannot help with that.")
    async with opened() as graph:
        with pytest.raises(LLMError, match="refused"):
            await graph.add_episode("Ann visited Rome.", reference_time="2024-03-01")
        [failed] = await graph.queue.failed()
        assert "I cannot help" in failed.error
        [hit] = (await graph.search("Ann Rome", scopes=["episodes"])).episodes
        assert hit.item.status == "failed"
        server.answer = lambda request: Reply(answer([visit("Town1")]))
        assert await graph.queue.retry() == 1
        await graph.queue.drain()
        assert (await graph.queue.status()).done == 1


async def test_a_batch_keeps_the_texts_that_a_model_could_not_read(server, opened):
    good = "Ann visited Town1."

    def respond(request):
        asked = request["messages"][-1]["content"]
        is_good = f"\n{good}\n<<end text" in asked
        return Reply(answer([visit("Town1")])) if is_good else Reply("no", status=400)

    server.answer = respond
    episodes = [NewEpisode(good, "2024-01-01"), NewEpisode("Something else.", "2024-01-02")]
    async with opened() as graph:
        report = await graph.add_episodes(episodes, on_error="skip")
        assert (report.added, len(report.failed)) == (1, 1)
        assert [one.content for one in await graph.queue.failed()] == ["Something else."]
        server.answer = lambda request: Reply(answer([]))
        again = await graph.add_episodes(episodes)
        assert (again.added, again.unchanged) == (1, 1)
        assert (await graph.queue.status()).failed == 0


async def test_a_spent_budget_is_no_failure_of_the_text(server, opened):
    server.answer = lambda request: Reply(answer([]))
    async with opened(budget=Budget(calls=1)) as graph:
        await graph.add_episode("One.")
        with pytest.raises(LLMError):
            await graph.add_episode("Two.")
        assert await graph.queue.failed() == []


async def test_a_model_that_repeats_itself_is_not_asked_to_go_on(server, opened):
    told = [*TOWNS[:2], *[TOWNS[1]] * 8]
    text = answer([visit(town) for town in told])
    server.replies = [Reply(text[:-20], finish_reason="length")]
    async with opened() as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
    assert len(added.facts) == 2
    assert added.dropped == ("the model repeated itself until it was cut off",)
    assert len(server.requests) == 1
