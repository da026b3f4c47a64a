"""Windows of a stream: what has arrived together, which never waits for more."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
Stream = Iterable[T] | AsyncIterable[T]
_PATIENCE = 0.05
"""Seconds that a window waits for the next item of a slow stream."""


class _End:
    """What comes after the last item."""


async def windows(
    items: Stream[T], *, many: int, size: Callable[[T], int], longest: int
) -> AsyncGenerator[list[T], None]:
    """Yield lists of up to ``many`` items, of about ``longest`` in size, in order.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    source = aiter(items) if isinstance(items, AsyncIterable) else _stream(items)
    coming: asyncio.Task[T | _End] | None = None
    window: list[T] = []
    room = longest
    try:
        while True:
            coming = coming or asyncio.create_task(_following(source))
            if window:
                await asyncio.wait([coming], timeout=_PATIENCE)
                if not coming.done():
                    yield window
                    window, room = [], longest
            try:
                item = await coming
            except Exception:  # raised again, after what came before it
                if window:
                    yield window
                raise
            coming = None
            ended = isinstance(item, _End)
            if not isinstance(item, _End):
                window.append(item)
                room -= size(item)
            if window and (ended or len(window) >= many or room <= 0):
                yield window
                window, room = [], longest
            if ended:
                return
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


async def _following(source: AsyncIterator[T]) -> T | _End:
    return await anext(source, _End())


async def _stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item
