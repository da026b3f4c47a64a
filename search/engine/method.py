"""A way to candidates: asked for more until enough of what it finds may be seen."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from dataclasses import dataclass, field

from graphrag.search.engine.nearest import Nearest

_WIDER = 4
Best = Callable[[int], Awaitable[list[str]]]


@dataclass(slots=True)
class Method:
    """Candidates of one scope by one method, in its order."""

    scope: str
    best: Best
    ids: list[str] = field(default_factory=list)
    asked: int = 0
    full: bool = False
    """Enough of them are visible, or there are no more."""

    async def ask(self, least: int, most: int) -> None:
        """Ask for more than before; of more than ``most`` there is no second time."""
        self.asked = max(least, _WIDER * self.asked)
        found = await self.best(self.asked)
        self.full = self.asked > most or len(found) == len(self.ids)
        self.ids = found


def by_passage(passages: Nearest) -> Best:
    """Find episodes by their nearest passages."""

    async def best(count: int) -> list[str]:
        found = await passages.best(count)
        return list(dict.fromkeys(id_.rpartition(":")[0] for id_ in found))

    return best


async def together(waiting: Iterable[Coroutine[None, None, None]]) -> None:
    """Wait for all of these: one scores what it got while another waits for SurrealDB."""
    for failure in await asyncio.gather(*waiting, return_exceptions=True):
        if failure is not None:
            raise failure
