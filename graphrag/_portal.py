"""Bridge from blocking calls to the graph's event loop in a daemon thread.

``anyio``'s blocking portal is no substitute: it joins its thread at exit without a limit, so a
script that forgets to close its graph could hang, and hands every call over twice. Batches are
pulled and progress is reported in the calling thread: a generator may hold a thread-bound cursor,
or call the graph, which would deadlock on the loop's thread.
"""

import asyncio
import threading
import warnings
import weakref
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Sized
from concurrent.futures import CancelledError, Future
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, TypeVar

from graphrag.errors import StoreClosedError, StoreError
from graphrag.ingest.intake import NewEpisode
from graphrag.ingest.queue import WORKER
from graphrag.ingest.reports import BatchReport, Progress
from graphrag.session import Handle
from graphrag.store.log import FOLLOWER
from graphrag.store.process import Owner

T = TypeVar("T")

_PATIENCE = 5.0  # seconds that a forgotten graph gets to close at exit


class BackgroundLoop:
    """A running event loop; stopping it twice is fine."""

    def __init__(self, graph: str) -> None:
        self.owner = Owner(graph)
        """The process whose thread it is: a fork has none."""
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="graphrag-loop", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine and return its future; refused in a fork of the process."""
        try:
            self.owner.check()
        except StoreError:
            work.close()
            raise
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; an interrupt of the caller cancels it."""
        if threading.current_thread() is self._thread:
            work.close()
            raise RuntimeError("a blocking call from inside the graph's own loop: use 'await'")
        future = self.start(work)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    async def settled(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Close something once the other work on this loop has ended."""
        # Closing ends these: waiting for them would empty the queue first, or never end.
        others = {
            task
            for task in asyncio.all_tasks() - {asyncio.current_task()}
            if task.get_name() not in (WORKER, FOLLOWER)
        }
        await asyncio.gather(*others, return_exceptions=True)
        await close()

    def stop(self) -> None:
        """Cancel what still runs, wait for it, and end the thread."""
        if self._loop.is_closed() or not self.owner.here:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def abandon(self, close: Callable[[], Coroutine[Any, Any, None]], label: str) -> None:
        """Warn about a graph that was dropped open, close it and stop; never raise."""
        if not self.owner.here:
            return  # its parent's
        warnings.warn(f"{label} was never closed: use 'with'", ResourceWarning, stacklevel=2)

        def begin() -> None:
            self._loop.create_task(close()).add_done_callback(lambda _: self._loop.stop())

        self._loop.call_soon_threadsafe(begin)
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.get_loop().run_forever()
            # The runner would log what they raise, of which their callers know.
            if rest := [task for task in asyncio.all_tasks(self._loop) if task.cancel()]:
                self._loop.run_until_complete(asyncio.wait(rest))
            for task in rest:
                _ = task.cancelled() or task.exception()


class Portal:
    """What all blocking objects of one graph share: it is opened by ``with``, or the first call."""

    def __init__(self, handle: Handle) -> None:
        self._handle = handle
        self._loop: BackgroundLoop | None = None
        self._closed = False
        self._opening = threading.Lock()
        self._finalizer: weakref.finalize[Any, Portal] | None = None

    @property
    def loop(self) -> BackgroundLoop:
        """Return the loop; the first call of all opens the graph, as a notebook wants it."""
        if (loop := self._loop) is not None:
            return loop
        if self._closed:
            raise StoreClosedError(f"{self._handle!r} was closed: use 'with GraphRAG.open(...)'")
        return self.open()

    def open(self) -> BackgroundLoop:
        """Open the graph; opening twice is fine."""
        with self._opening:
            if self._loop is not None:
                return self._loop
            loop = BackgroundLoop("this graph")
            try:
                loop.wait(self._handle.open())
            except BaseException:
                loop.stop()
                raise
            self._loop, self._closed = loop, False
            close = self._handle.close
            self._finalizer = weakref.finalize(self, loop.abandon, close, repr(self._handle))
            return loop

    def close(self) -> None:
        """Close the graph; closing twice is fine."""
        with self._opening:
            loop, self._loop = self._loop, None
            self._closed = True
            if self._finalizer is not None:
                self._finalizer.detach()
        if loop is not None and loop.owner.here:
            try:
                loop.wait(loop.settled(self._handle.close))
            finally:
                loop.stop()

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine of the graph to its end."""
        try:
            loop = self.loop
        except BaseException:
            work.close()
            raise
        return loop.wait(work)

    def follow(self, stream: Callable[[], AsyncIterator[T]]) -> Iterator[T]:
        """Give what a stream gives, which ends when the graph is closed."""
        self.loop  # noqa: B018 - opens the graph, or says that it is closed, now
        return self._following(stream())

    def _following(self, stream: AsyncIterator[T]) -> Iterator[T]:
        async def news() -> T | None:
            if (task := asyncio.current_task()) is not None:
                task.set_name(FOLLOWER)
            return await anext(stream, None)

        while (loop := self._loop) is not None:
            try:
                item = loop.wait(news())
            except CancelledError:
                if self._loop is None:
                    return  # closing was quicker than the end of the stream
                raise
            if item is None:
                return
            yield item


_Wanted = Future[NewEpisode | None]  # the next episode of a batch; None says that there is none


def feed(
    portal: Portal,
    add: Callable[..., Coroutine[Any, Any, BatchReport]],
    episodes: Iterable[NewEpisode],
    on_progress: Callable[[Progress], None] | None,
) -> BatchReport:
    """Run ``add`` on the loop with episodes that are pulled here, and return its report.

    Whatever goes wrong here (in the iterable, in ``on_progress``, or Ctrl-C) cancels the batch.
    """
    inbox: SimpleQueue[_Wanted | Progress | None] = SimpleQueue()
    total = len(episodes) if isinstance(episodes, Sized) else None
    source = iter(episodes)
    future = portal.loop.start(add(_pulled(inbox), on_progress=inbox.put))
    future.add_done_callback(lambda _: inbox.put(None))
    try:
        while (message := inbox.get()) is not None:
            if isinstance(message, Progress):
                if on_progress is not None:
                    on_progress(replace(message, total=total))
            elif message.set_running_or_notify_cancel():
                message.set_result(next(source, None))
        return future.result()
    except BaseException:
        future.cancel()
        raise


async def _pulled(inbox: SimpleQueue[_Wanted | Progress | None]) -> AsyncIterator[NewEpisode]:
    while True:
        wanted = _Wanted()
        inbox.put(wanted)
        episode = await asyncio.wrap_future(wanted)
        if episode is None:
            return
        yield episode
