"""A small model on a local server: less is asked of it, less is believed, nothing is lost."""

import json

import pytest

from graphrag import NewEpisode, SmallLLMExtractor
from graphrag.ingest.intake import prepare
from graphrag.protocols import ExtractionContext
from graphrag.text.split import count_tokens
from tests.conftest import open_graph, triples
from tests.llm.server import Reply


def said(subject, relation, object_, quote, time="now", date="", types=("person", "organization")):
    return {
        "subject": subject,
        "subject_type": types[0],
        "relation": relation,
        "object": object_,
        "object_type": types[1],
        "quote": quote,
        "time": time,
        "date": date,
    }


HOME = ("person", "place")
RECORDED = [
    (
        "Ann Lee left Initech in May 2023. She now works at Globex.",
        "2024-01-01",
        [
            said(
                "Ann Lee",
                "works_at",
                "Initech",
                "Ann Lee left Initech in May 2023.",
                "ended",
                "2023-05",
            ),
            said("Ann Lee", "works_at", "Globex", "She now works at Globex."),
        ],
        {
            ("Ann Lee", "works_at", "Initech", None, "2023-05-01"),
            ("Ann Lee", "works_at", "Globex", "2024-01-01", None),
        },
    ),
    (
        "Jonas: Ich wohne seit 2019 in Köln.",
        "2024-01-01",
        [
            said(
                "Jonas",
                "LivesIn",
                "Köln",
                "Ich wohne seit 2019 in Köln",
                "present",
                2019,
                ("person", "place"),
            )
        ],
        {("Jonas", "lives_in", "Köln", "2019-01-01", None)},
    ),
    (
        "Bo Ray runs the Harbour Cafe. Eva Dahl used to own it.",
        "2024-01-01",
        [
            said("Bo Ray", "leads", "Harbour Cafe", "Bo Ray runs the Harbour Cafe.", date="2017"),
            said("Eva Dahl", "owns", "Harbour Cafe", "Eva Dahl used to own it.", "past"),
            said("Mallory", "owns", "Harbour Cafe", "Mallory owns it."),
        ],
        {
            ("Bo Ray", "leads", "Harbour Cafe", "2024-01-01", None),
            ("Harbour Cafe", "owned_by", "Eva Dahl", None, "2024-01-01"),
        },
    ),
]


@pytest.mark.parametrize(("text", "at", "facts", "expected"), RECORDED, ids=["job", "home", "cafe"])
async def test_recorded_answers_become_dated_facts(text, at, facts, expected, server, connect):
    server.replies = [Reply(json.dumps({"facts": facts}, ensure_ascii=False))]
    async with open_graph(extractor=SmallLLMExtractor(connect())) as graph:
        added = await graph.add_episode(text, reference_time=at)
    assert triples(added.facts) == expected
    assert len(added.facts) + sum("the fact" in one[:8] for one in added.dropped) == len(facts)
    assert all(one.confidence <= 0.8 for one in added.facts)
    assert len(server.requests) == 1


async def test_a_date_that_the_text_does_not_name_is_dropped_and_reported(server, connect):
    server.replies = [Reply(json.dumps({"facts": RECORDED[2][2]}))]
    async with open_graph(extractor=SmallLLMExtractor(connect())) as graph:
        added = await graph.add_episode(RECORDED[2][0], reference_time="2024-01-01")
    assert any("2017-01-01 is no time that the text names" in words for words in added.dropped)


async def test_one_wrong_fact_costs_one_fact(server, connect):
    text, at, facts, _ = RECORDED[0]
    broken = {"facts": [*facts, {"subject": "Ann Lee"}]}
    server.answer = lambda request: Reply(json.dumps(broken))
    async with open_graph(extractor=SmallLLMExtractor(connect())) as graph:
        added = await graph.add_episode(text, reference_time=at)
    assert len(added.facts) == 2
    assert "of the wrong shape" in added.dropped[0]


def test_it_is_asked_in_a_few_hundred_tokens():
    episode = prepare(NewEpisode("Ann likes tea.", "2024-01-01"))
    asked = SmallLLMExtractor(None).question(ExtractionContext(episode), episode.content)
    assert sum(count_tokens(message.content) for message in asked) < 600


async def test_a_long_text_is_read_in_passages(server, connect):
    server.answer = lambda request: Reply('{"facts": []}')
    async with open_graph(extractor=SmallLLMExtractor(connect())) as graph:
        await graph.add_episode("Nothing happened on that day. " * 100)
    assert len(server.requests) == 3
