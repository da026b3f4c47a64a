"""A graph of two jobs, awaited and blocking: Alice left Acme for Beta in 2023."""

import pytest

from graphrag.sync import GraphRAG as BlockingGraphRAG
from tests.conftest import open_graph

JOBS = (
    ("Alice works_at Acme from 2020.", "2020-02-01"),
    ("Alice works_at Beta from 2023.", "2023-02-01"),
)


@pytest.fixture
async def jobs(graph):
    for text, day in JOBS:
        await graph.add_episode(text, reference_time=day)
    return graph


@pytest.fixture
def blocking():
    with open_graph(kind=BlockingGraphRAG) as graph:
        for text, day in JOBS:
            graph.add_episode(text, reference_time=day)
        yield graph
