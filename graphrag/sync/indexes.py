"""The indexes of the engine profile, blocking."""

from collections.abc import Callable

from graphrag.engine.report import Built, IndexReport
from graphrag.sync.opened import Opened


class Indexes(Opened):
    """Looking after SurrealDB's indexes."""

    def check_indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written."""
        return self._running().wait(self._graph.check_indexes())

    def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Make the indexes anew while nobody writes; a search meanwhile is refused."""
        return self._running().wait(self._graph.build_indexes(rows=rows, on_step=on_step))
