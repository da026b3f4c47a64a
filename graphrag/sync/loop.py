"""An event loop in a thread of its own: what the blocking twin of the graph runs on.

Written out because the loop must be a daemon's: the thread of ``anyio``'s blocking portal belongs
to an executor, which Python joins at exit before anything could stop it, so a script that forgets
to close its graph would hang for ever.
"""

import asyncio
import threading
import warnings
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

from graphrag.live import FOLLOWER
from graphrag.queue import WORKER

T = TypeVar("T")

# Seconds that a forgotten graph gets to close at exit.
_PATIENCE = 5.0


class BackgroundLoop:
    """A running event loop; stopping it twice is fine."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="graphrag-loop", daemon=True)
        self._thread.start()

    def start(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Start a coroutine and return its future."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine to its end; an interrupt of the caller cancels it.

        Raises:
            RuntimeError: if called from the loop itself, which would wait for ever.
        """
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
        if self._loop.is_closed():
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def stop_after(self, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Close something and stop, for a graph that was forgotten."""

        def begin() -> None:
            task = self._loop.create_task(close())
            task.add_done_callback(lambda _: self._loop.stop())

        self._loop.call_soon_threadsafe(begin)
        if threading.current_thread() is not self._thread:
            self._thread.join(_PATIENCE)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            rest = asyncio.all_tasks(self._loop)
            for task in rest:
                task.cancel()
            self._loop.run_until_complete(asyncio.gather(*rest, return_exceptions=True))
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
        finally:
            self._loop.close()


def abandon(
    loop: BackgroundLoop, close: Callable[[], Coroutine[Any, Any, None]], label: str
) -> None:
    """Warn that something was dropped open, close it, and stop its loop; never raise."""
    warnings.warn(f"{label} was never closed: use 'with'", ResourceWarning, stacklevel=2)
    loop.stop_after(close)
