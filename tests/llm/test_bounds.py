"""An answer is read within bounds, in any shape, and what is left out of it is counted."""

import json
import time

import pytest

from graphrag import LLMError
from graphrag.extract.llm.extractor import LLMExtractor
from graphrag.extract.llm.wire import Reading
from graphrag.llm.chat import BusyError, reply_of
from graphrag.llm.salvage import LONGEST_ANSWER, MOST_THINGS
from graphrag.llm.schema import BadAnswerError, read_answer
from tests.conftest import open_graph
from tests.llm.server import Reply

TEXT = "Ann visited Rome. Ann visited Oslo."
SECONDS = 5.0
"""Far more than any of these takes on a quiet machine, far less than what was quadratic took."""


def visit(town, **more):
    quote = f"Ann visited {town}."
    said = {"subject": "Ann", "relation": "visited", "object": town, "quote": quote, "fact": quote}
    return {**said, "kind": "event", "since": "2024-01-02", "replaces": "", **more}


def answer(*facts):
    return json.dumps({"entities": [{"name": "Ann", "type": "person"}], "facts": facts})


MANY = answer(*[visit(f"Town{number}") for number in range(MOST_THINGS + 50)])
FLOODS = {
    "closed brackets": '{"facts":' + "[" * 200_000 + "]" * 200_000 + "}",
    "open brackets": '{"facts":[' + '{"a":[' * 70_000,
    "open objects": '{"a":' * 90_000,
    "closed objects": '{"a":' * 60_000 + "1" + "}" * 60_000,
    "just below the limit of Python": ('{"a":' * 900 + " ") * 90,
    "commas": '{"facts":[' + "," * 1_000_000 + "]}",
    "braces": "{ " * 200_000,
    "quotes": '"{' * 200_000,
    "backslashes": '{"a":"' + "\\" * 400_000,
    "thoughts": "<think>" * 60_000,
    "digits": "1" * 400_000,
    "blanks": '{"facts":' + " \n" * 1_000_000,
    "nothing but a key": '{"facts":[],' * 40_000,
}


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.parametrize("cut_off", [False, True])
def test_a_flood_is_no_answer_and_is_refused_in_time(flood, cut_off):
    began = time.process_time()
    with pytest.raises(BadAnswerError):
        read_answer(FLOODS[flood], Reading, cut_off=cut_off)
    assert time.process_time() - began < SECONDS


@pytest.mark.parametrize(
    ("text", "facts", "words"),
    [
        (MANY, MOST_THINGS, "50 facts beyond the first 2,000 were left out"),
        (answer(visit("Rome"), visit("Oslo", fact="a" * 400_000)), 1, "at most 20,000"),
        (answer(visit("Rome"), visit("Oslo", quote="ab " * 100_000)), 1, "at most 20,000"),
        (answer(visit("Rome"), visit("Oslo", aliases=["a"] * 50_000)), 1, "at most 20,000"),
        (
            answer(visit("Rome"), visit("Oslo", attributes={f"a{n}": n for n in range(20_000)})),
            1,
            "at most 20,000",
        ),
        (answer(visit("Rome"), visit("Oslo", since=7)).replace(" 7,", "7" * 9000 + ","), 2, ""),
        (answer(visit("Rome"), visit("Oslo", since=7)).replace(" 7,", "7" * 30_000 + ","), 1, "at"),
        (answer(visit("Rome")).replace("]}", ", " + "{}, " * 200_000 + "]}"), 1, "were not read"),
        (answer(visit("Rome"))[:-2] + " " * LONGEST_ANSWER + "]}", 1, "were not read"),
        (answer(visit("Rome")) + "\n" * 300_000, 1, ""),
        (
            "{" + ", ".join(f'"facts": [{json.dumps(visit(t))}]' for t in ("Rome", "Oslo")) + "}",
            2,
            "",
        ),
        (answer(visit("Rome")).replace("}]}", "}, {" + '"a": [' * 40), 1, "cut off"),
        (answer(visit("Rome", fact="Rome \ud83d.")), 1, ""),
    ],
    ids=map(str, range(13)),
)
def test_what_is_within_bounds_is_kept_and_what_is_not_is_counted(text, facts, words):
    began = time.process_time()
    reading = read_answer(text, Reading)
    assert time.process_time() - began < SECONDS
    assert len(reading.facts) == facts
    assert words in " ".join(map(str, reading.lost))
    assert words or not reading.lost
    reading.model_dump_json().encode()


def test_entities_alone_are_counted_too():
    entities = [{"name": f"Town{number}", "type": "place"} for number in range(5000)]
    reading = read_answer(json.dumps({"entities": entities, "facts": []}), Reading)
    assert len(reading.entities) == MOST_THINGS
    assert [str(lost) for lost in reading.lost] == [
        "3,000 entities beyond the first 2,000 were left out"
    ]


def test_json_after_many_braces_in_words_is_found():
    words = "I think of {this} and {that}. " * 2000
    assert len(read_answer(words + answer(visit("Rome")), Reading).facts) == 1


async def test_what_was_left_out_of_an_answer_is_among_the_dropped(server, connect):
    server.replies = [Reply(answer(visit("Rome"), *[visit(f"Town{n}") for n in range(2500)]))]
    async with open_graph(extractor=LLMExtractor(connect())) as graph:
        added = await graph.add_episode(TEXT, reference_time="2024-03-01")
        assert [fact.object for fact in added.facts] == ["Rome"]
        assert "501 facts beyond the first 2,000 were left out" in added.dropped
        assert added.dropped[-1].endswith("more that are not listed")
        assert len(server.requests) == 1


def completion(content, finish="stop", **message):
    return {
        "choices": [{"finish_reason": finish, "message": {"content": content, **message}}],
        "usage": {"prompt_tokens": 10, "completion_tokens": 20},
    }


CALL = {"type": "function", "function": {"name": "Reading", "arguments": "words"}}


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (completion("words"), "words"),
        (completion([{"type": "text", "text": "wo"}, {"type": "text", "text": "rds"}]), "words"),
        (completion([{"type": "thinking", "thinking": []}, {"type": "text", "text": "words"}]),
         "words"),
        (completion({"facts": []}), '{"facts": []}'),
        (completion([{"subject": "Ann"}]), '[{"subject": "Ann"}]'),
        (completion(7), "7"),
        (completion(None), ""),
        (completion(None, tool_calls=[CALL]), "words"),
        (completion("", tool_calls=["odd"], reasoning_content="words"), "words"),
        (completion(None, tool_calls={"odd": 1}), ""),
        ({"choices": completion("words")["choices"][0]}, "words"),
        ({"choices": {"0": completion("words")["choices"][0]}}, "words"),
        ({**completion("words"), "usage": "many"}, "words"),
        ({**completion("words"), "usage": None}, "words"),
    ],
    ids=map(str, range(14)),
)  # fmt: skip
def test_a_completion_is_read_in_the_shape_that_its_server_gives_it(body, text):
    assert reply_of("m", body).text == text


@pytest.mark.parametrize("count", ["10", -1, 1.5, True, None, [], {}, 10**30, float("nan")])
def test_a_count_that_is_none_is_not_counted(count):
    body = {**completion("words"), "usage": {"prompt_tokens": count, "completion_tokens": 3}}
    reply = reply_of("m", body)
    assert (reply.prompt_tokens, reply.completion_tokens) == (None, 3)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (None, BusyError, "no choices"),
        ("words", BusyError, "no choices"),
        ({"choices": []}, BusyError, "no choices"),
        ({"choices": ["words"]}, BusyError, "no choices"),
        ({"choices": 3}, BusyError, "no choices"),
        ({"choices": [{"message": "words"}]}, BusyError, "no message"),
        ({"choices": [{}]}, BusyError, "no message"),
        ({"error": {"message": "overloaded"}}, BusyError, "overloaded"),
        (completion("", refusal="I will not"), LLMError, "refused: I will not"),
        (completion(None, finish="content_filter"), LLMError, "content filter"),
    ],
)
def test_what_is_no_completion_is_an_error_that_says_what_is_missing(body, error, words):
    with pytest.raises(error, match=words):
        reply_of("m", body)


@pytest.mark.parametrize(
    "body",
    [
        "",
        "[]",
        "7",
        "{",
        "[" * 200_000,
        '{"choices": ' + "1" * 9000 + "}",
        '"\ud800"',
        "\0",
        "data: {}",
    ],
    ids=map(str, range(9)),
)
async def test_a_body_that_is_no_json_costs_the_facts_and_not_the_text(server, connect, body):
    server.answer = lambda request: Reply(body=body.encode("utf-8", "replace").decode())
    async with open_graph(extractor=LLMExtractor(connect(retries=0))) as graph:
        with pytest.raises(LLMError):
            await graph.add_episode(TEXT, reference_time="2024-03-01")
        [episode] = await graph.episodes()
        assert episode.status == "failed"
