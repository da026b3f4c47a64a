"""Files and objects that others know, blocking; the graph and its views share the objects."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.asof import AsOf
from graphrag.exchange.formats import Exported, Format
from graphrag.facade.exchange import Exchange as Async
from graphrag.models import DEFAULT_GROUP
from graphrag.sync.loop import BackgroundLoop
from graphrag.sync.opened import Opened

if TYPE_CHECKING:
    import igraph
    import networkx

    from graphrag.exchange.frames import Frames
    from graphrag.jsonl.restore import ImportedGroup
    from graphrag.moving.pace import CopyProgress


class Objects(ABC):
    """A group as objects of other libraries."""

    @abstractmethod
    def _walked(self) -> tuple[BackgroundLoop, Async | AsOf]:
        """Return where to wait, and what is given out."""

    def to_networkx(self, *, group: str = DEFAULT_GROUP) -> "networkx.MultiDiGraph":
        """Return what holds as a network: nodes by entity id, edges by fact id."""
        loop, graph = self._walked()
        return loop.wait(graph.to_networkx(group=group))

    def to_igraph(self, *, group: str = DEFAULT_GROUP) -> "igraph.Graph":
        """Return what holds as a directed graph, with attributes as ``to_networkx``."""
        loop, graph = self._walked()
        return loop.wait(graph.to_igraph(group=group))

    def to_pandas(self, *, group: str = DEFAULT_GROUP) -> "Frames":
        """Return the facts that hold, and the entities, as two data frames."""
        loop, graph = self._walked()
        return loop.wait(graph.to_pandas(group=group))


class Exchange(Opened, Objects):
    """Export and import of a graph."""

    def export(
        self,
        file: str | Path,
        *,
        format: Format | None = None,
        vectors: bool = True,
        on_progress: Callable[["CopyProgress"], None] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Exported:
        """Write a graph of the store to a file, which takes its place when all is written."""
        return self._running().wait(
            self._graph.export(
                file, format=format, vectors=vectors, on_progress=on_progress, group=group
            )
        )

    def import_group(
        self,
        file: str | Path,
        name: str | None = None,
        *,
        on_progress: Callable[["CopyProgress"], None] | None = None,
    ) -> "ImportedGroup":
        """Make a graph of the store from a ``jsonl`` export: same rows, vectors, log and past."""
        return self._running().wait(self._graph.import_group(file, name, on_progress=on_progress))


class Exports(Objects):
    """Export of a view."""

    def export(
        self, file: str | Path, *, format: Format | None = None, group: str = DEFAULT_GROUP
    ) -> Exported:
        """Write the entities and the facts that the view sees to a file."""
        loop, view = self._walked()
        assert isinstance(view, AsOf), "a graph has an export of its own"
        return loop.wait(view.export(file, format=format, group=group))
