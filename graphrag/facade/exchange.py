"""Take the graph out as files and objects that others know, and bring whole graphs in."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from graphrag.errors import InputError
from graphrag.exchange.formats import LINES, Exported, Format, format_of
from graphrag.facade.asking import Asking
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP

if TYPE_CHECKING:
    import igraph
    import networkx

    from graphrag.exchange.frames import Frames
    from graphrag.jsonl.restore import ImportedGroup
    from graphrag.moving.pace import CopyProgress


class Exchange(Asking):
    """Export and import; ``at(...)`` exports what was so at a moment."""

    async def export(
        self,
        file: str | Path,
        *,
        format: Format | None = None,
        vectors: bool = True,
        on_progress: Callable[["CopyProgress"], None] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> Exported:
        """Write a graph of the store to a file, which takes its place when all is written.

        ``jsonl`` is the group whole, with vectors and log: ``import_group`` makes it again. The
        other formats hold its entities and its facts of all times with their lifetimes, as
        ``at(history=True)`` does, but none that was retracted or waits for review.

        Args:
            file: Where to; a name that ends in ``.gz`` compresses it.
            format: ``jsonl``, ``csv``, ``graphml`` or ``turtle``; default: by the ending.
            vectors: False leaves the vectors out of ``jsonl``: less than half of the size, and
                importing it embeds again.
            on_progress: Told after each page.
            group: The graph inside the store.

        Raises:
            InputError: if there is no such group or format, or the file cannot be written.
            StoreError: if other processes write to the group all the while.
        """
        path, kind = Path(file), format_of(file, format)
        if kind != LINES:
            return await self.at(history=True).export(path, format=kind, group=group)
        from graphrag.jsonl.export import export_group

        ingestion = self._open()
        if checked_group(group) not in (known := await ingestion.store.groups()):
            there = ", ".join(map(repr, known)) or "none yet"
            raise InputError(f"there is no group {group!r}; groups in this store: {there}")
        async with ingestion.writer.locks[group]:
            return await export_group(
                ingestion.store,
                ingestion.embedder,
                group,
                path,
                vectors=vectors,
                on_progress=on_progress,
            )

    async def import_group(
        self,
        file: str | Path,
        name: str | None = None,
        *,
        on_progress: Callable[["CopyProgress"], None] | None = None,
    ) -> "ImportedGroup":
        """Make a graph of the store from a ``jsonl`` export: same rows, vectors, log and past.

        Nothing is written before the file was read to its end. Until the last row the group is
        closed to everybody; whatever goes wrong, nothing is left of it. Vectors of another embedder
        are made anew. Where the store has these ids already, the group gets its own. The policy is
        not asked.

        Args:
            file: What ``export`` wrote.
            name: Of the group; default: the one that it had.
            on_progress: Told after each page.

        Raises:
            InputError: if the file cannot be used, naming the line, or there is such a group.
            StoreError: if the database refused.
        """
        from graphrag.jsonl.restore import import_group

        if name is not None:
            checked_group(name)
        found = await import_group(Path(file), self._open(), name=name, on_progress=on_progress)
        await self._queue_of().resume()  # its queued episodes may wait to be read
        return found

    async def to_networkx(self, *, group: str = DEFAULT_GROUP) -> "networkx.MultiDiGraph":
        """Return what holds now as a network: nodes by entity id, edges by fact id.

        Attributes are those of the values: ``name``, ``entity_type``, ``relation``, ``fact``,
        ``valid_at`` (an aware datetime, or None), ... Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if networkx is not installed.
        """
        return await self.at().to_networkx(group=group)

    async def to_igraph(self, *, group: str = DEFAULT_GROUP) -> "igraph.Graph":
        """Return what holds now as a directed graph, with attributes as ``to_networkx``.

        Raises:
            QueryError: if there is no such group.
        """
        return await self.at().to_igraph(group=group)

    async def to_pandas(self, *, group: str = DEFAULT_GROUP) -> "Frames":
        """Return the facts that hold now, and the entities, as two data frames.

        ``import_facts`` takes the facts as they are. Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if pandas is not installed.
        """
        return await self.at().to_pandas(group=group)
