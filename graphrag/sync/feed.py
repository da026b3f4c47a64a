"""Feed a batch on a background loop from the thread that called.

The episodes are pulled, and progress is reported, in the calling thread. A generator may hold a
database cursor that belongs to its thread, or ask the graph while it runs; on the loop's own thread
the first would fail and the second would wait for itself.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Sized
from dataclasses import dataclass, replace
from queue import SimpleQueue
from typing import Any, Protocol

from graphrag.batch import BatchReport, Progress
from graphrag.intake import NewEpisode
from graphrag.sync.loop import BackgroundLoop


class _AddEpisodes(Protocol):
    def __call__(
        self,
        episodes: AsyncIterator[NewEpisode],
        *,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Coroutine[Any, Any, BatchReport]: ...


@dataclass(frozen=True, slots=True, eq=False)
class _Wanted:
    """The batch asks for its next episode; None says that there is none."""

    answer: asyncio.Future[NewEpisode | None]

    def give(self, episode: NewEpisode | None) -> None:
        self.answer.get_loop().call_soon_threadsafe(self._set, episode)

    def _set(self, episode: NewEpisode | None) -> None:
        if not self.answer.done():
            self.answer.set_result(episode)


class _Done:
    """The batch has ended."""


def feed(
    loop: BackgroundLoop,
    add: _AddEpisodes,
    episodes: Iterable[NewEpisode],
    on_progress: Callable[[Progress], None] | None,
) -> BatchReport:
    """Run ``add`` on the loop with episodes that are pulled here, and return its report.

    Whatever goes wrong here (in the iterable, in ``on_progress``, or Ctrl-C) cancels the batch.
    """
    inbox: SimpleQueue[_Wanted | Progress | _Done] = SimpleQueue()
    total = len(episodes) if isinstance(episodes, Sized) else None
    source = iter(episodes)
    future = loop.start(add(_pulled(inbox), on_progress=inbox.put))
    future.add_done_callback(lambda _: inbox.put(_Done()))
    try:
        while not isinstance(message := inbox.get(), _Done):
            if isinstance(message, _Wanted):
                message.give(next(source, None))
            elif on_progress is not None:
                on_progress(replace(message, total=total))
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def _pulled(
    inbox: "SimpleQueue[_Wanted | Progress | _Done]",
) -> AsyncIterator[NewEpisode]:
    while True:
        wanted = _Wanted(asyncio.get_running_loop().create_future())
        inbox.put(wanted)
        episode = await wanted.answer
        if episode is None:
            return
        yield episode
