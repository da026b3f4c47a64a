"""What every method of a graph starts from: the graph is open."""

from datetime import date, datetime

from graphrag.errors import StoreClosedError
from graphrag.ingest import Ingestion

Moment = datetime | date | str


class Opened:
    """A graph that may be open."""

    _ingestion: Ingestion | None = None

    def _open(self) -> Ingestion:
        if self._ingestion is None:
            raise StoreClosedError(f"{self!r} is not open: use 'async with GraphRAG.open(...)'")
        return self._ingestion
