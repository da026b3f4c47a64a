"""What every method of a graph starts from: the graph is open."""

from datetime import date, datetime

from graphrag.errors import StoreClosedError
from graphrag.ingest import Ingestion
from graphrag.protocols import LLM, Reranker
from graphrag.queue import Queue

Moment = datetime | date | str


class Opened:
    """A graph that may be open."""

    _ingestion: Ingestion | None = None
    _queue: Queue | None = None
    _reranker: Reranker | None = None
    _llm: LLM | None = None

    def _open(self) -> Ingestion:
        if self._ingestion is None:
            raise StoreClosedError(f"{self!r} is not open: use 'async with GraphRAG.open(...)'")
        return self._ingestion

    def _queue_of(self) -> Queue:
        self._open()
        assert self._queue is not None
        return self._queue
