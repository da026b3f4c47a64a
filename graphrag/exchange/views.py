"""What a view is given out as: files, networks and data frames."""

from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.exchange.files import written
from graphrag.exchange.formats import LINES, Exported, Format, format_of
from graphrag.exchange.shown import Shown
from graphrag.models import DEFAULT_GROUP
from graphrag.temporal.moment import utc_now
from graphrag.views import Views

if TYPE_CHECKING:
    import igraph
    import networkx

    from graphrag.exchange.frames import Frames


class Exports(Views):
    """A group as others read it, with what the view sees of it."""

    __slots__ = ()

    async def export(
        self, file: str | Path, *, format: Format | None = None, group: str = DEFAULT_GROUP
    ) -> Exported:
        """Write the entities and the facts that the view sees to a file.

        Args:
            file: Where to; a name that ends in ``.gz`` compresses it.
            format: ``csv``, ``graphml`` or ``turtle``; default: by the ending.
            group: The graph inside the store.

        Raises:
            InputError: if there is no such group or format, or the file cannot be written.
        """
        path, kind = Path(file), format_of(file, format)
        if kind == LINES:
            raise InputError(
                f"{path}: JSON Lines hold a group whole, with its log, and no view of it: export "
                "from the graph itself, or use csv, graphml or turtle"
            )
        begun = perf_counter()
        shown = await self._shown(group)
        with written(path) as put:
            if kind == "csv":
                from graphrag.exchange.table import write_csv

                records = await write_csv(shown, put)
            elif kind == "graphml":
                from graphrag.exchange.graphml import write_graphml

                records = await write_graphml(shown, put)
            else:
                from graphrag.exchange.turtle import write_turtle

                records = await write_turtle(shown, put, utc_now())
        size = path.stat().st_size
        return Exported(path, kind, group, records, size, perf_counter() - begun)

    async def to_networkx(self, *, group: str = DEFAULT_GROUP) -> "networkx.MultiDiGraph":
        """Return what the view sees as a network: nodes by entity id, edges by fact id.

        Attributes are those of the values: ``name``, ``entity_type``, ``relation``, ``fact``,
        ``valid_at`` (an aware datetime, or None), ... Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if networkx is not installed.
        """
        from graphrag.exchange.networks import networkx_of

        return await networkx_of(await self._shown(group))

    async def to_igraph(self, *, group: str = DEFAULT_GROUP) -> "igraph.Graph":
        """Return what the view sees as a directed graph, with attributes as ``to_networkx``.

        Raises:
            QueryError: if there is no such group.
        """
        from graphrag.exchange.networks import igraph_of

        return await igraph_of(await self._shown(group))

    async def to_pandas(self, *, group: str = DEFAULT_GROUP) -> "Frames":
        """Return the facts and the entities that the view sees as two data frames.

        ``import_facts`` takes the facts as they are. Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if pandas is not installed.
        """
        from graphrag.exchange.frames import frames_of

        return await frames_of(await self._shown(group))

    async def _shown(self, group: str) -> Shown:
        index = await self._group(group)
        past = await self._past(group)
        return Shown.of(index, past, self._reading.store, self.viewpoint, now=utc_now())
