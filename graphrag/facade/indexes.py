"""The indexes of the engine profile: are they sound, and made anew."""

from collections.abc import Callable

from graphrag.engine.report import Built, IndexReport
from graphrag.facade.opened import Opened


class Indexes(Opened):
    """Looking after SurrealDB's indexes."""

    async def check_indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        from graphrag.engine.check import check

        return await check(self._open().store)

    async def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Make the indexes anew while nobody writes; a search meanwhile is refused.

        After many writes this also makes searches quicker: a new row waits in a queue of the index,
        and every search compares what waits one by one.

        Args:
            rows: Derive from the records what the indexes cover, too.
            on_step: Told of each step when it is done.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        from graphrag.engine.build import build

        ingestion = self._open()
        return await build(
            ingestion.store, ingestion.embedder.dimension, rows=rows, on_step=on_step
        )
