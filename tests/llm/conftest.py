import ssl
from functools import cache

import pytest

from graphrag import OpenAILLM
from tests.llm.server import ModelServer

KEY = "sk-very-secret-key"


@pytest.fixture(scope="module", autouse=True)
def authorities():
    """Read the authorities once: every client of a model does."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssl, "create_default_context", cache(ssl.create_default_context))
        yield


@pytest.fixture
def server():
    server = ModelServer()
    yield server
    server.close()


@pytest.fixture
async def connect(server):
    """Make models that ask the server; they are closed afterwards."""
    made = []

    def make(**options):
        llm = OpenAILLM("tiny", base_url=server.url, api_key=KEY, **options)
        llm._backoff = 0.01
        made.append(llm)
        return llm

    yield make
    for llm in made:
        await llm.close()
