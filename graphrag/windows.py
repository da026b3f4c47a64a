"""Cut a stream into windows; what has come is not kept waiting for what has not."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
Stream = Iterable[T] | AsyncIterable[T]

_PATIENCE = 0.05
"""Seconds that a window waits for the next item of a slow stream."""


class END:
    """What comes after the last item."""


_END = END()


async def windows(
    items: Stream[T], *, many: int, size: Callable[[T], int], longest: int
) -> AsyncGenerator[list[T], None]:
    """Yield lists of up to ``many`` items, of about ``longest`` in size, in order.

    If the stream fails, what came before is yielded first and then the error is raised.
    """
    source = stream_of(items)
    coming: asyncio.Task[T | END] | None = None
    window: list[T] = []
    room = longest
    try:
        while True:
            coming = coming or asyncio.create_task(following(source))
            if window:
                await asyncio.wait([coming], timeout=_PATIENCE)
            if window and not coming.done():
                yield window
                window, room = [], longest
            try:
                item = await asyncio.shield(coming)
            except Exception:
                if window:
                    yield window
                raise
            coming = None
            if isinstance(item, END):
                break
            window.append(item)
            room -= size(item)
            if len(window) >= many or room <= 0:
                yield window
                window, room = [], longest
        if window:
            yield window
    finally:
        if coming is not None and not coming.done():
            coming.cancel()
            await asyncio.wait([coming])


def stream_of(items: Stream[T]) -> AsyncIterator[T]:
    """Return the items one after the other, whatever holds them."""
    return aiter(items) if isinstance(items, AsyncIterable) else _stream(items)


async def following(source: AsyncIterator[T]) -> T | END:
    """Return the next item, or that there is none."""
    return await anext(source, _END)


async def _stream(items: Iterable[T]) -> AsyncIterator[T]:
    for item in items:
        yield item
