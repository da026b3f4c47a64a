"""One call of a verb: the graph of its group, who calls, and whether the server is to stop."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from graphrag.graph import GraphRAG
from graphrag.serve.grants import LOCAL, Grant

SCOPE_KEY = "graphrag.call"
"""Where an HTTP request carries its call."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a verb works with."""

    graph: GraphRAG
    """Bound to the group that the caller may see."""
    grant: Grant = LOCAL
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the server is told to stop."""
    last_seconds: float = 5
    """How long an episode may still be read then."""
    gone: Callable[[], Awaitable[object]] | None = None
    """Waits until the client has gone; None where nobody can tell."""
