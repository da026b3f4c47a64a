"""What every blocking method starts from: the graph is open and its loop runs."""

from graphrag.errors import StoreClosedError
from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.sync.loop import BackgroundLoop


class Opened:
    """A blocking graph that may be open."""

    _graph: AsyncGraphRAG
    _loop: BackgroundLoop | None = None

    def _running(self) -> BackgroundLoop:
        if self._loop is None:
            raise StoreClosedError(f"{self!r} is not open: use 'with GraphRAG.open(...)'")
        return self._loop
