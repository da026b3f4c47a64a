"""Questions about the one who asks, and what is only known to have been so already."""

import pytest

from graphrag.extract.neural.extractor import NeuralExtractor
from tests.conftest import open_graph

TOLD = (
    ("user: I live in Bergen. My wife is Mia Dahl.", "2024-01-01"),
    ("user: I have worked at Acme since 2019.", "2024-06-02"),
)


@pytest.fixture
async def graph():
    async with open_graph(extractor=NeuralExtractor()) as graph:
        for text, when in TOLD:
            await graph.add_episode(text, reference_time=when)
        await graph.add_fact("user", "lives_with", "Mia Dahl", valid_at="2024-01-01")
        for rent, when in (("1200 euros", "2024-02-01"), ("1300 euros", "2024-07-01")):
            await graph.add_fact("user's rent", "costs", rent, valid_at=when)
        yield graph


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Where do I live?", ("Bergen",)),
        ("Can you tell me where I live?", ("Bergen",)),
        ("Have I lived in Bergen?", ("yes",)),
        ("Who is my wife?", ("Mia Dahl",)),
        ("Who do I live with?", ("Mia Dahl",)),
        ("What is my rent?", ("1300 euros",)),
        ("How much is my rent?", ("1300 euros",)),
        ("What was my rent in March 2024?", ("1200 euros",)),
        ("Since when have I worked at Acme?", ("2019",)),
    ],
)
async def test_i_is_the_user_of_an_assistant(graph, question, values):
    assert (await graph.ask(question)).values == values


async def test_a_search_for_what_is_mine_finds_it_first(graph):
    found = await graph.search("What is my rent?")
    assert found.facts[0].item.object == "1300 euros"


async def test_i_is_nobody_where_no_user_is_known():
    async with open_graph() as graph:
        await graph.add_fact("Ann Lee", "lives_in", "Bergen", valid_at="2019")
        assert "names nothing" in (await graph.ask("Where do I live?")).missing


@pytest.mark.parametrize(
    "question",
    [
        "When did I move to Bergen?",
        "Since when have I lived in Bergen?",
        "How long have I lived in Bergen?",
    ],
)
async def test_a_day_on_which_it_was_so_is_no_beginning(graph, question):
    answer = await graph.ask(question)
    assert not answer and answer.missing.endswith("it was so on 2024-01-01")
    first = (await graph.search(question)).facts[0].item
    assert (first.relation, first.object) == ("lives_in", "Bergen")
