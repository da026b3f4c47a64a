"""What every blocking method starts from: the graph is open and its loop runs."""

import threading
import weakref
from typing import Any

from graphrag.errors import StoreClosedError
from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.sync.loop import BackgroundLoop, abandon


class Opened:
    """A blocking graph that is opened by ``with``, or by the first call."""

    def __init__(self, graph: AsyncGraphRAG) -> None:
        self._graph = graph
        self._loop: BackgroundLoop | None = None
        self._closed = False
        self._opening = threading.Lock()
        self._forgotten: weakref.finalize[Any, Opened] | None = None

    def _running(self) -> BackgroundLoop:
        """Return the loop; the first call of all opens the graph, as a notebook wants it."""
        loop = self._loop
        if loop is not None:
            return loop
        if self._closed:
            raise StoreClosedError(f"{self!r} was closed: use 'with GraphRAG.open(...)'")
        return self._begin()

    def _begin(self) -> BackgroundLoop:
        with self._opening:
            if self._loop is not None:
                return self._loop
            loop = BackgroundLoop()
            try:
                loop.wait(self._graph.__aenter__())
            except BaseException:
                loop.stop()
                raise
            self._loop, self._closed = loop, False
            self._forgotten = weakref.finalize(self, abandon, loop, self._graph.close, repr(self))
            return loop

    def _end(self) -> None:
        with self._opening:
            loop, self._loop = self._loop, None
            self._closed = True
            if self._forgotten is not None:
                self._forgotten.detach()
        if loop is not None:
            try:
                loop.wait(loop.settled(self._graph.close))
            finally:
                loop.stop()
