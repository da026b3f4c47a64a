"""What the store asks of rows that are derived from others."""

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from graphrag.store.changes import ChangeSet

Query = Callable[..., Awaitable[list[Any]]]
"""``Store.query``."""


class Derived(Protocol):
    """Rows that follow from those of a change set and are written in its transaction."""

    async def following(self, changes: ChangeSet, query: Query) -> tuple[str, dict[str, Any]]:
        """Return the statements that keep them in step, and their parameters."""
