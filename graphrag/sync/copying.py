"""Copy one graph of the store, blocking."""

from collections.abc import Callable

from graphrag.errors import InputError
from graphrag.moving.pace import CopyProgress
from graphrag.sync.opened import Opened


class Copying(Opened):
    """Copying groups."""

    def copy_group(
        self,
        group: str,
        name: str | None = None,
        *,
        into: Opened | None = None,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> dict[str, int]:
        """Copy a group with its vectors and its log, and return the number of rows by table.

        ``into`` is a graph as ``GraphRAG.open`` returned it, not entered.
        """
        if into is not None and into._loop is not None:
            raise InputError(f"{into!r} is open: give it as GraphRAG.open(...) returned it")
        other = None if into is None else into._graph
        return self._running().wait(
            self._graph.copy_group(group, name, into=other, on_progress=on_progress)
        )
