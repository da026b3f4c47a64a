"""Copy one graph of the store: under another name, or into another store."""

from collections.abc import Callable
from contextlib import AsyncExitStack
from operator import itemgetter

from graphrag.errors import EmbedderMismatchError, InputError
from graphrag.facade.history import Openable
from graphrag.facade.opened import Opened
from graphrag.ingest import Ingestion
from graphrag.intake import checked_group
from graphrag.moving.pace import CopyProgress, Pace


class Copying(Opened):
    """Copying groups."""

    async def copy_group(
        self,
        group: str,
        name: str | None = None,
        *,
        into: Openable | None = None,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> dict[str, int]:
        """Copy a group with its vectors and its log, and return the number of rows by table.

        The copy is a graph of its own, with the same past; every row is compared. It is closed to
        reads and writes until it is whole. Nobody should write to the group meanwhile. Where the
        target has these ids already, as in a copy within one store, it gets its own.

        Args:
            group: The graph to copy.
            name: Of the copy; default: the same, in another store.
            into: Another graph, as ``GraphRAG.open`` returned it: it is opened for the copy and
                closed again, unless it is open. Its policy is not asked. Default: this one.
            on_progress: Told after each page.

        Raises:
            InputError: if there is no such group, or the target has one of that name.
            EmbedderMismatchError: if the other graph has another embedder; ``replay`` embeds again.
        """
        source = self._open()
        group, name = checked_group(group), checked_group(group if name is None else name)
        if into is not None and into._ingestion is None:
            async with into:
                return await _copied(source, into._open(), group, name, on_progress)
        target = source if into is None else into._open()
        return await _copied(source, target, group, name, on_progress)


async def _copied(
    source: Ingestion,
    target: Ingestion,
    group: str,
    name: str,
    on_progress: Callable[[CopyProgress], None] | None,
) -> dict[str, int]:
    from graphrag.moving.group import copy_group

    ours, theirs = source.embedder, target.embedder
    if (ours.name, ours.dimension) != (theirs.name, theirs.dimension):
        raise EmbedderMismatchError(
            f"{target.store.target.url} has embedder {theirs.name!r}, and the vectors of group "
            f"{group!r} are of {ours.name!r}: replay() embeds again"
        )
    if source is target and group == name:
        raise InputError(f"group {group!r} cannot be copied onto itself: give another name")
    async with AsyncExitStack() as held:
        for ingestion, locked in sorted(((source, group), (target, name)), key=itemgetter(1)):
            await held.enter_async_context(ingestion.writer.locks[locked])
        try:
            rows, _ = await copy_group(source.store, target.store, group, name, Pace(on_progress))
        finally:
            await target.catalog.drop(name)
    return rows
