"""One model behind the protocol: what is sent, what is put up with, what is given up on."""

import asyncio
import time

import pytest
from pydantic import BaseModel

from graphrag import (
    Budget,
    BudgetExceededError,
    InputError,
    LLMError,
    Message,
    MissingExtraError,
    OpenAILLM,
    Settings,
    Usage,
)
from tests.llm.conftest import KEY
from tests.llm.server import Reply


class Town(BaseModel):
    name: str
    people: int


QUESTION = [Message("system", "Answer."), Message("user", "Which town?")]
GOOD = Reply('{"name": "Ghent", "people": 270000}')
GHENT = Town(name="Ghent", people=270000)


async def asked(llm, question=QUESTION):
    return await llm.complete(question, answer=Town)


async def test_a_question_carries_a_strict_schema_and_the_key(server, connect):
    server.replies = [GOOD]
    llm = connect()
    assert await asked(llm) == GHENT
    (request,) = server.requests
    shape = request["response_format"]["json_schema"]
    assert request["model"] == "tiny"
    assert request["messages"][1] == {"role": "user", "content": "Which town?"}
    assert shape["strict"] is True and shape["name"] == "Town"
    assert shape["schema"]["additionalProperties"] is False
    assert shape["schema"]["required"] == ["name", "people"]
    assert server.keys == [f"Bearer {KEY}"]
    assert llm.usage == Usage(calls=1, prompt_tokens=100, completion_tokens=20)


@pytest.mark.parametrize(
    "wrong",
    [
        '{"name": "Ghent"}',
        '{"name": "Ghent", "people": "many"}',
        "I would say Ghent.",
        "",
        '{"type": "object", "properties": {"name": {"type": "string"}}}',
        "\x00\ufffd{{{{",
    ],
)
async def test_an_answer_of_the_wrong_shape_is_repaired(wrong, server, connect):
    server.replies = [Reply(wrong), GOOD]
    llm = connect()
    assert await asked(llm) == GHENT
    repair = server.requests[1]["messages"]
    assert [message["role"] for message in repair[2:]] == ["assistant", "user"]
    assert "not valid" in repair[3]["content"]
    assert llm.usage.calls == 2
    assert llm.usage.repairs == 1


async def test_the_model_is_told_which_field_is_wrong(server, connect):
    server.replies = [Reply('{"name": "Ghent", "people": "many"}'), GOOD]
    await asked(connect())
    assert "people: " in server.requests[1]["messages"][3]["content"]


@pytest.mark.parametrize("text", ["garbage", "", "{}"])
async def test_after_two_repairs_it_is_an_error(text, server, connect):
    server.replies = [Reply(text)] * 3
    with pytest.raises(LLMError, match=r"no valid answer \(Town\) in 3 attempts"):
        await asked(connect())
    assert len(server.requests) == 3


async def test_a_cut_off_answer_is_not_believed_even_if_it_parses(server, connect):
    server.replies = [Reply('{"name": "Gh", "people": 1}', finish_reason="length"), GOOD]
    assert await asked(connect()) == GHENT
    assert "cut off" in server.requests[1]["messages"][3]["content"]


@pytest.mark.parametrize("status", [500, 502, 503, 429, 408])
async def test_a_failing_server_is_asked_again(status, server, connect):
    server.replies = [Reply("busy", status=status), GOOD]
    llm = connect()
    assert await asked(llm) == GHENT
    assert llm.usage.calls == 1
    assert llm.usage.retries == 1


async def test_retry_after_is_honoured_by_every_question(server, connect):
    server.replies = [Reply("slow down", status=429, headers={"Retry-After": "0.4"}), GOOD, GOOD]
    llm = connect()
    first = asyncio.create_task(asked(llm))
    while not server.requests:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    await asyncio.gather(first, asked(llm, [Message("user", "And another?")]))
    busy, *others = server.at
    assert all(at - busy >= 0.39 for at in others)


async def test_a_server_that_wants_a_long_wait_is_an_error_at_once(server, connect):
    server.replies = [Reply("later", status=429, headers={"Retry-After": "3600"})]
    with pytest.raises(LLMError, match="3600 s"):
        await asked(connect())


async def test_silence_is_cut_short_and_asked_again(server, connect):
    server.replies = [Reply(GOOD.text, delay=4), GOOD]
    began = time.monotonic()
    llm = connect(timeout=0.8)
    assert await asked(llm) == GHENT
    assert time.monotonic() - began < 3.5
    assert llm.usage.retries == 1


async def test_attempts_end(server, connect):
    server.replies = [Reply("down", status=503)] * 3
    with pytest.raises(LLMError, match=r"did not answer in 3 attempts.*HTTP 503"):
        await asked(connect(retries=2))
    assert len(server.requests) == 3


@pytest.mark.parametrize("body", ["<html>oops</html>", "{}", '{"choices": []}', "[1]"])
async def test_a_reply_that_is_no_completion_is_asked_again(body, server, connect):
    server.replies = [Reply(body=body), GOOD]
    assert await asked(connect()) == GHENT


async def test_a_refused_key_is_named_and_never_shown(server, connect):
    server.replies = [Reply(f"Incorrect API key provided: {KEY}", status=401)]
    llm = connect()
    with pytest.raises(LLMError, match="check the API key") as raised:
        await asked(llm)
    assert KEY not in str(raised.value)
    assert raised.value.__cause__ is None
    assert KEY not in repr(llm)
    assert len(server.requests) == 1


async def test_the_key_is_in_no_log(server, connect, caplog):
    caplog.set_level("DEBUG", logger="graphrag")
    server.replies = [Reply(f"bad {KEY}", status=500), Reply("nonsense"), GOOD]
    await asked(connect())
    assert KEY not in caplog.text


async def test_a_server_that_takes_no_schema_gets_it_in_words(server, connect):
    server.replies = [Reply("response_format is not supported", status=400), GOOD, GOOD]
    llm = connect()
    assert await asked(llm) == GHENT
    assert await asked(llm) == GHENT
    first, second, third = server.requests
    assert "response_format" in first
    for request in (second, third):
        assert "response_format" not in request
        assert '"people"' in request["messages"][0]["content"]


async def test_a_server_that_takes_no_temperature_is_asked_without(server, connect):
    server.replies = [Reply("Unsupported value: 'temperature' must be 1", status=400), GOOD]
    assert await asked(connect()) == GHENT
    assert ["temperature" in request for request in server.requests] == [True, False]


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("temperature", "Unsupported value: 'temperature' must be 1"),
        ("response_format", "response_format is not supported"),
    ],
)
async def test_eight_questions_under_way_all_do_without_what_is_refused(
    field, said, server, connect
):
    # A slow server: all eight are sent before the first of them is refused.
    server.answer = lambda request: Reply(said, status=400, delay=1) if field in request else GOOD
    llm = connect()
    questions = [[Message("user", f"Town {number}?")] for number in range(8)]
    assert await asyncio.gather(*(asked(llm, one) for one in questions)) == [GHENT] * 8
    assert sum(field in request for request in server.requests) == 8


async def test_eight_questions_do_without_both_that_are_refused(server, connect):
    def answer(request):
        for field in ("temperature", "response_format"):
            if field in request:
                return Reply(f"unknown parameter {field}", status=422, delay=0.5)
        return GOOD

    server.answer, llm = answer, connect()
    questions = [[Message("user", f"Town {number}?")] for number in range(8)]
    assert await asyncio.gather(*(asked(llm, one) for one in questions)) == [GHENT] * 8
    assert await asked(llm) == GHENT
    assert server.requests[-1].keys().isdisjoint({"temperature", "response_format"})


async def test_a_refusal_is_an_error(server, connect):
    server.replies = [Reply(refusal="I can't help with that")]
    with pytest.raises(LLMError, match="refused"):
        await asked(connect())


async def test_a_server_that_does_not_count_is_counted_for(server, connect):
    server.replies = [Reply(GOOD.text, usage=False)]
    llm = connect()
    await asked(llm)
    assert 0 < llm.usage.prompt_tokens < 50
    assert 0 < llm.usage.completion_tokens < 50


async def test_no_more_than_so_many_questions_are_under_way(server, connect):
    server.answer = lambda request: Reply(GOOD.text, delay=0.05)
    llm = connect(concurrency=3)
    await asyncio.gather(*(asked(llm, [Message("user", str(n))]) for n in range(9)))
    assert server.most_at_once == 3


async def test_closing_waits_for_the_questions_under_way(server, connect):
    server.answer = lambda request: Reply(GOOD.text, delay=0.5)
    llm = connect()
    first = asyncio.create_task(asked(llm))
    while not server.requests:
        await asyncio.sleep(0.01)
    await llm.close()
    await llm.close()
    assert await first == GHENT
    assert await asked(llm) == GHENT
    assert len(llm._asking) == 1


async def test_a_budget_of_calls_stops_before_the_next_one(server, connect):
    server.answer = lambda request: GOOD
    llm = connect(budget=Budget(calls=2))
    results = await asyncio.gather(
        *(asked(llm, [Message("user", str(n))]) for n in range(4)), return_exceptions=True
    )
    stopped = [one for one in results if isinstance(one, BudgetExceededError)]
    assert len(stopped) == 2
    assert "budget of 2 calls" in str(stopped[0])
    assert len(server.requests) == 2


async def test_a_budget_of_tokens_stops_before_the_next_one(server, connect):
    server.answer = lambda request: GOOD
    llm = connect(budget=Budget(tokens=121))
    await asked(llm)
    with pytest.raises(BudgetExceededError, match="120 are"):
        await asked(llm)
    assert len(server.requests) == 1


def test_an_impossible_budget_or_limit_is_refused():
    with pytest.raises(InputError):
        Budget(calls=-1)
    with pytest.raises(InputError):
        OpenAILLM("tiny", concurrency=0)
    with pytest.raises(InputError, match="http"):
        OpenAILLM("tiny", base_url="localhost:11434")


async def test_answers_are_kept_across_objects(server, connect, tmp_path):
    server.replies = [Reply("nonsense"), GOOD]
    assert await asked(connect(cache=tmp_path / "answers")) == GHENT
    llm = connect(cache=tmp_path / "answers")
    assert await asked(llm) == GHENT
    assert llm.usage == Usage(cached=1)
    assert len(server.requests) == 2


async def test_another_question_or_model_is_another_answer(server, connect, tmp_path):
    server.answer = lambda request: GOOD
    await asked(connect(cache=tmp_path))
    await asked(connect(cache=tmp_path), [Message("user", "Which other town?")])
    other = OpenAILLM("huge", base_url=server.url, cache=tmp_path)
    await asked(other)
    await other.close()
    assert len(server.requests) == 3


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b'{"name": "Gh', b'{"name": 1}'])
async def test_a_damaged_kept_answer_is_asked_again_and_replaced(damage, server, connect, tmp_path):
    server.answer = lambda request: GOOD
    await asked(connect(cache=tmp_path))
    (file,) = tmp_path.rglob("*.json")
    file.write_bytes(damage)
    assert await asked(connect(cache=tmp_path)) == GHENT
    assert await asked(connect(cache=tmp_path)) == GHENT
    assert len(server.requests) == 2


async def test_many_at_once_may_share_a_cache(server, connect, tmp_path):
    server.answer = lambda request: GOOD
    models = [connect(cache=tmp_path) for _ in range(4)]
    answers = await asyncio.gather(*(asked(llm) for llm in models for _ in range(8)))
    assert answers == [GHENT] * 32
    assert [path.suffix for path in tmp_path.rglob("*") if path.is_file()] == [".json"]


async def test_a_cache_that_cannot_be_written_says_so(server, connect, tmp_path):
    (tmp_path / "file").write_text("")
    server.replies = [GOOD]
    with pytest.raises(LLMError, match="Name a folder"):
        await asked(connect(cache=tmp_path / "file" / "answers"))


async def test_nobody_there_is_an_error_that_names_the_server():
    async with OpenAILLM("tiny", base_url="http://127.0.0.1:9/v1", retries=0) as llm:
        with pytest.raises(LLMError, match=r"127\.0\.0\.1:9"):
            await asked(llm)


def test_settings_name_the_model_and_hide_the_key():
    settings = Settings.from_env(
        {
            "SURREAL_GRAPHRAG_LLM": "llama3.1",
            "OPENAI_BASE_URL": "http://ann:pass@localhost:11434/v1",
            "OPENAI_API_KEY": KEY,
        }
    )
    llm = OpenAILLM.from_settings(settings)
    assert repr(llm) == "OpenAILLM('llama3.1', base_url='http://localhost:11434/v1')"
    assert KEY not in repr(settings)
    with pytest.raises(InputError, match="SURREAL_GRAPHRAG_LLM"):
        OpenAILLM.from_settings(Settings())


def test_without_the_extra_the_error_names_the_command(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "openai", None)
    with pytest.raises(MissingExtraError, match=r"surreal-graphrag\[openai\]"):
        OpenAILLM("tiny")
