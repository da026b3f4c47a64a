"""A graph behind its doors, in this process: no socket, the real app."""

from contextlib import asynccontextmanager

import httpx2
import pytest

from graphrag.serve.grants import Grant, Tokens
from graphrag.serve.server import application
from graphrag.serve.service import Service

HERE = "http://localhost:8000"
ALICE, BOB, READER, ADMIN = (f"{name}-0123456789abcdef" for name in ("alice", "bob", "read", "all"))
TOKENS = Tokens(
    {
        ALICE: Grant("alice's laptop", ("alice",)),
        BOB: Grant("bob's laptop", ("bob",)),
        READER: Grant("a dashboard", ("alice",), writes=False),
        ADMIN: Grant("the owner"),
    }
)


def bearer(token):
    return {"authorization": f"Bearer {token}"}


@asynccontextmanager
async def door(service, token=None, **options):
    """Open the app of a service and give an HTTP client of it."""
    guard = application(service, **options)
    transport = httpx2.ASGITransport(app=guard, raise_app_exceptions=False)
    async with (
        guard.app.router.lifespan_context(guard.app),
        httpx2.AsyncClient(transport=transport, base_url=HERE) as client,
    ):
        if token is not None:
            client.headers.update(bearer(token))
        yield client


@pytest.fixture
async def known(graph):
    """Return a graph that knows where Alice worked, and what Bob likes."""
    await graph.add_episode(
        "Alice works_at Acme from 2020-01-01.", reference_time="2020-02-01", name="old letter"
    )
    await graph.add_episode(
        "Alice works_at Globex from 2023-06-01. Bob knows Alice.",
        reference_time="2023-07-01",
        name="new letter",
    )
    return graph


@pytest.fixture
async def rest(known):
    async with door(Service(known)) as client:
        yield client
