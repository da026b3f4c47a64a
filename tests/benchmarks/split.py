"""Where the time of a search goes: the steps of the real pipeline, each timed from outside.

A step's time is its own, without that of the steps it calls. Only names are known here, so that the
pipeline stays free of clocks; a name that is gone is an error, not a zero.
"""

import inspect
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from graphrag.index.postings import Postings
from graphrag.index.vectors import Cosines, Vectors
from graphrag.search import entities, facts, pipeline, question
from graphrag.search.episodes import rank as episodes
from graphrag.search.near import Nearness
from graphrag.store.connection import Connection

ROUND_TRIP = "database"
_STEPS: tuple[tuple[str, Any, str], ...] = (
    *(("vector product", Vectors, name) for name in ("scores", "compare")),
    *(("vector product", Cosines, name) for name in ("top", "at")),
    ("BM25", Postings, "scores"),
    ("masks", pipeline, "visible"),
    ("names in the query", question, "named_entities"),
    ("graph", question, "distances"),
    *(("graph", module, "_closeness") for module in (facts, entities)),
    *(("graph", Nearness, name) for name in ("top", "at")),
    *(("best rows", module, "candidates") for module in (facts, entities, episodes)),
    *(("fusion", module, "fuse") for module in (facts, entities, episodes)),
    ("rows to values", pipeline, "read_found"),
    (ROUND_TRIP, Connection, "query"),
)


class Split:
    """Seconds and calls by step."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self.calls: dict[str, int] = defaultdict(int)
        self._inner: list[float] = []

    @contextmanager
    def watch(self) -> Iterator["Split"]:
        """Time the steps inside this block."""
        originals = [(owner, name, getattr(owner, name)) for _, owner, name in _STEPS]
        try:
            for (step, owner, name), (_, _, original) in zip(_STEPS, originals, strict=True):
                setattr(owner, name, self._timed(step, original))
            yield self
        finally:
            for owner, name, original in originals:
                setattr(owner, name, original)

    def _timed(self, step: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*given: Any, **named: Any) -> Any:
            with self._clock(step):
                return call(*given, **named)

        async def awaited(*given: Any, **named: Any) -> Any:
            with self._clock(step):
                return await call(*given, **named)

        return awaited if inspect.iscoroutinefunction(call) else timed

    @contextmanager
    def _clock(self, step: str) -> Iterator[None]:
        self._inner.append(0.0)
        started = time.perf_counter()
        try:
            yield
        finally:
            whole = time.perf_counter() - started
            self.seconds[step] += whole - self._inner.pop()
            self.calls[step] += 1
            if self._inner:
                self._inner[-1] += whole
