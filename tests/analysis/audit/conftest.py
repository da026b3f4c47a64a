"""One graph for all tests of a module, emptied after each: opening costs more than what they do."""

import pytest

from tests.conftest import open_graph


@pytest.fixture(scope="module")
async def opened():
    async with open_graph() as graph:
        yield graph


@pytest.fixture
async def graph(opened):
    yield opened
    for group in await opened.groups().list():
        await opened.group(group.name).erase.group(confirm=group.name)
