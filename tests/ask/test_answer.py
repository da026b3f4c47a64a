"""Answers without a model: what the facts say, else sentences of the sources, else nothing."""

import pytest

from graphrag import QueryError
from graphrag.sync import GraphRAG
from tests.conftest import open_graph

ACME, BETA = "Alice works_at Acme from 2020.", "Alice works_at Beta from 2021."


@pytest.fixture
async def known(graph):
    await graph.add_episode(ACME, reference_time="2020-01-01", name="a letter")
    await graph.add_episode(BETA, reference_time="2021-01-01")
    await graph.add_episode("The harbour of Beta was dredged in May.", reference_time="2022-01-01")
    return graph


async def test_what_facts_answer_has_their_sources(known):
    answer = await known.answer("Where did Alice work in 2020?")
    assert (answer.text, answer.by) == ("Acme", "facts")
    assert answer.sentences[0].citations == (1,) and answer.citations[0].name == "a letter"
    assert answer.exact.how


async def test_a_view_answers_by_its_two_times(known):
    then = known.at(valid_at="2020-06-01")
    assert (await then.answer("Where does Alice work?")).text == "Acme"
    assert not await known.at(known_at="2019-01-01").answer("Where does Alice work?")


async def test_sentences_of_the_sources_answer_what_holds_before_what_is_over(known):
    answer = await known.answer("Alice works lazily?")
    assert [one.quote for one in answer.sentences] == [BETA, ACME]
    assert [one.standing for one in answer.sentences] == ["holds", "ended"]
    assert answer.by == "texts"


async def test_a_text_without_facts_answers_too(known):
    answer = await known.answer("Why was the harbour dredged?")
    [sentence] = answer.sentences
    assert (sentence.text, sentence.standing) == ("The harbour of Beta was dredged in May.", "said")
    assert answer.citations[0].valid_at.year == 2022


@pytest.mark.parametrize(
    "question",
    ["What colour does Alice prefer?", "Who is the president of Beta?", "Where is Zanzibar?"],
)
async def test_what_is_not_there_is_said_to_be_not_there(question, known):
    answer = await known.answer(question)
    assert not answer and answer.missing.startswith("not in the graph")
    assert answer.text == answer.missing


async def test_an_empty_graph_has_no_answer(graph):
    assert "nothing was found" in (await graph.answer("Why is Alice here?")).missing


@pytest.mark.parametrize("question", ["", " ", "word " * 1000])
async def test_what_is_no_question_is_refused(question, known):
    with pytest.raises(QueryError):
        await known.answer(question)
    with pytest.raises(QueryError, match="room for a fact"):
        await known.answer("Where does Alice work?", max_tokens=10)


async def test_nothing_in_a_notebook_is_markup_of_the_graph(known):
    await known.add_episode("<b>Dora</b> mends <i>sails</i>.", reference_time="2022-01-01")
    page = (await known.answer("Who mends sails?"))._repr_html_()
    assert "&lt;i&gt;sails" in page and "<i>" not in page


async def test_a_record_is_answered_by_its_facts(graph):
    record = '{"note": "Dora works_at Initech.", "hobby": "rowing boats"}'
    await graph.add_episode(record, source="json", reference_time="2022-01-01")
    answer = await graph.answer("Dora works lazily?")
    [sentence] = answer.sentences
    assert (answer.by, sentence.text, sentence.quote) == ("texts", "Dora works at Initech.", record)
    assert not await graph.answer("Dora rowing boats?")


def test_the_blocking_twin_streams():
    with open_graph(kind=GraphRAG) as graph:
        graph.add_episode(BETA, reference_time="2021-01-01")
        assert [one.text for one in graph.stream.answer("Where does Alice work?")] == ["Beta"]
        assert graph.answer("Where does Alice work?").text == "Beta"


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where does Carla live?", "Carla"),
        ("Where does Bob Peters live?", "Bob Peters"),
        ("WHERE DOES CARLA LIVE?", "CARLA"),
        ("Where does Dr. Carla live in May?", "Carla"),
        ("Did Bob Stone move with Carla?", "Carla"),
    ],
)
async def test_an_answer_is_not_about_somebody_else(question, name, graph):
    texts = ("Ann lives_in Orchard.", "Bob Stone moved to Rome. Bob Stone lives_in Rome.")
    for text in texts:
        await graph.add_episode(text, reference_time="2020-01-01")
    answer = await graph.answer(question)
    assert not answer and answer.missing.startswith("not in the graph")
    assert answer.missing.endswith(f"do not mention {name}")


async def test_somebody_whom_no_fact_knows_is_answered_about(graph):
    await graph.add_episode("Bob Stone moved to Rome.", reference_time="2020-01-01")
    assert (await graph.answer("Where does Bob Stone live?")).text == "Bob Stone moved to Rome. [1]"
    missing = (await graph.answer("Which Bob Stone sings operas lazily today?")).missing
    assert missing.endswith("do not answer the question")


@pytest.mark.parametrize("question", ["🎉", "?!", "Who?"])
async def test_a_question_without_words_has_no_answer(question, known):
    assert not await known.answer(question)


@pytest.mark.parametrize(
    "question", ["Where does Alice not work?", "Why can't Alice work at Beta?"]
)
async def test_a_question_that_denies_is_said_not_to_be_understood(question, known):
    answer = await known.answer(question)
    assert not answer and "denies" in answer.missing
