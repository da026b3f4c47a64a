"""Exports of a view: files, networks and data frames."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from operator import itemgetter
from os import PathLike
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from graphrag.errors import EmbedderMismatchError, InputError, UnknownGroupError
from graphrag.ingest.intake import checked_group
from graphrag.io.files import LINES, Exported, Format, format_of, written
from graphrag.io.shown import Frames, Shown, frames_of, igraph_of, networkx_of
from graphrag.io.transfer import CopyProgress, Pace
from graphrag.model.arguments import checked
from graphrag.model.values import Entity, Fact
from graphrag.search.rewind import read_values
from graphrag.session import Openable, opened
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import utc_now
from graphrag.view.context import Limit, Room, steady

if TYPE_CHECKING:
    from igraph import Graph
    from networkx import MultiDiGraph

    from graphrag.explorer.atlas import Atlas

_PAGE = 2000  # facts that are read at a time


@checked(door="graph.export", around=steady)
class Exports(Room):
    """Exports of the facts and entities that a view contains: ``view.export``."""

    async def file(self, file: str | PathLike[str], *, format: Format | None = None) -> Exported:
        """Write the entities and facts of the view to a file.

        Args:
            file: Path of the file; the ending ``.gz`` compresses it.
            format: ``csv``, ``graphml``, ``turtle`` or ``html``; default: according to the ending.

        Raises:
            InputError: if the group or format does not exist, or the file cannot be written.
        """
        # Here, not above: other exports write no file.
        from graphrag.io import interchange

        path = Path(file)
        kind = format_of(path, format)
        if kind == LINES:
            raise InputError(
                f"{path}: JSON Lines hold a group whole, with its log, and no view of it: export "
                "from the graph itself, or use csv, graphml, turtle or html"
            )
        begun = perf_counter()
        shown = await self._shown()
        with written(path) as put:
            if kind == "html":
                atlas = await self.atlas(quotes=True)
                put(atlas.to_html().encode())
                records = {"entity": len(atlas.nodes["id"]), "fact": len(atlas.facts["id"])}
            elif kind == "csv":
                records = await interchange.write_csv(shown, put)
            elif kind == "graphml":
                records = await interchange.write_graphml(shown, put)
            else:
                records = await interchange.write_turtle(shown, put, utc_now())
        size = path.stat().st_size
        return Exported(path, kind, self._context.group, records, size, perf_counter() - begun)

    async def networkx(self) -> MultiDiGraph:
        """Return the view as a networkx graph: nodes are keyed by entity id, edges by fact id.

        Attributes have the names of the fields: ``name``, ``entity_type``, ``relation``, ``fact``,
        ``valid_at`` (an aware datetime, or None), ... Needs the extra ``analysis``.

        Raises:
            QueryError: if the group does not exist.
            MissingExtraError: if networkx is not installed.
        """
        return await networkx_of(await self._shown())

    async def igraph(self) -> Graph:
        """Return the view as a directed igraph graph, with the attributes of ``networkx``.

        Raises:
            QueryError: if the group does not exist.
        """
        return await igraph_of(await self._shown())

    async def pandas(self) -> Frames:
        """Return the facts and the entities of the view as two data frames.

        ``load.facts`` accepts the frame of facts. Needs the extra ``analysis``.

        Raises:
            QueryError: if the group does not exist.
            MissingExtraError: if pandas is not installed.
        """
        return await frames_of(await self._shown())

    async def atlas(
        self, *, limit: Limit = 10_000, history: bool = True, quotes: bool = False
    ) -> Atlas:
        """Return the data of the explorer: facts of all times that the view knows, with a layout.

        Args:
            limit: Maximum number of entities, best connected first.
            history: False for only the facts that hold at the moment of the view.
            quotes: Whether to include the quotes of each fact, as a page without a server needs.

        Raises:
            QueryError: if the group does not exist or the limit is out of range.
        """
        # Here, not above: other exports look at no communities.
        from graphrag.explorer.atlas import atlas_of, sourced
        from graphrag.search.results import quotes_of
        from graphrag.view.communities import CommunityReads

        index, past, seen = await self._context.scene(history=history)
        view = self._context.viewpoint
        stored = replace(self._context, viewpoint=replace(view, valid_at=None, history=False))
        communities = await CommunityReads(stored).list(level=0)
        at, known_at = view.valid_at, view.known_at
        found = await atlas_of(
            index, past, seen, communities, limit=limit, at=at, known_at=known_at, now=utc_now()
        )
        if not quotes:
            return found
        said = []
        for first in range(0, len(found.facts["id"]), _PAGE):
            ids = found.facts["id"][first : first + _PAGE]
            facts = past.facts(await self._context.store.get(Fact, ids), index)
            page = [facts[id_] for id_ in ids]
            pairs = zip(page, await quotes_of(page, self._context.store, past), strict=True)
            said += [sourced(fact, quoted) for fact, quoted in pairs]
        ids = found.nodes["id"]
        entities = past.rewound(await read_values(self._context.store, Entity, ids))
        about = [[list(entities[id_].aliases), entities[id_].summary] for id_ in ids]
        return replace(found, quotes=said, about=about)

    async def _shown(self) -> Shown:
        context = self._context
        index, past = await context.index(), await context.past()
        return Shown.of(index, past, context.store, context.viewpoint, now=utc_now())


@checked(door="graph.export", reads=Exports, around=steady, but=("file",))
class GroupExports(Exports):
    """Exports of a whole group, or of its facts and entities: ``graph.export``."""

    async def file(
        self,
        file: str | PathLike[str],
        *,
        format: Format | None = None,
        vectors: bool = True,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> Exported:
        """Write the group to a file, which replaces an existing one only when it is complete.

        ``jsonl`` holds the whole group with vectors and log, for ``load.group``. The other formats
        hold its entities and the facts of all times with their lifetimes, without retracted and
        pending ones.

        Args:
            file: Path of the file; the ending ``.gz`` compresses it.
            format: ``jsonl``, ``csv``, ``graphml``, ``turtle``, or ``html`` for the explorer;
                default: according to the ending.
            vectors: False omits the vectors from ``jsonl``: the file has less than half the size,
                and its import computes them again.
            on_progress: Called after each page.

        Raises:
            InputError: if the group or format does not exist, or the file cannot be written.
            StoreError: if other processes keep writing to the group.
        """
        path = Path(file)
        kind = format_of(path, format)
        if kind != LINES:
            ever = Exports(replace(self._context, viewpoint=Viewpoint(history=True)))
            return await ever.file(path, format=kind)
        from graphrag.io.jsonl.group_file import export_group

        session, group = self._context.session, self._context.group
        if group not in await session.store.groups():
            raise UnknownGroupError(group)
        async with session.writer.locks[group]:
            store, pace = session.store, Pace(on_progress)
            return await export_group(store, session.embedder, group, path, pace, vectors=vectors)

    async def copy(
        self,
        name: str | None = None,
        *,
        into: Openable | None = None,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> dict[str, int]:
        """Copy the group with its vectors and its log; return the number of rows by table.

        The copy is an independent group with the same past. Every row is compared, and the copy
        cannot be read or written until it is complete. Do not write to the group meanwhile. If the
        target store already has these ids, as in a copy within one store, the copy gets new ones.

        Args:
            name: Name of the copy; default: unchanged, in another store.
            into: Another graph, as returned by ``GraphRAG.open``. If it is not open, it is opened
                for the copy and closed again. Its write policy is not applied. Default: this store.
            on_progress: Called after each page.

        Raises:
            InputError: if the group does not exist, or the target has a group of this name.
            EmbedderMismatchError: if the other graph has another embedder; use ``log.replay``.
        """
        from graphrag.io.copy import copy_group

        source, group = self._context.session, self._context.group
        name = group if name is None else checked_group(name)
        async with AsyncExitStack() as held:
            target = source if into is None else await held.enter_async_context(opened(into))
            ours, theirs = source.embedder, target.embedder
            if (ours.name, ours.dimension) != (theirs.name, theirs.dimension):
                raise EmbedderMismatchError(
                    f"{target.store.target.url} has embedder {theirs.name!r}, and the vectors of "
                    f"group {group!r} are of {ours.name!r}: log.replay() embeds again"
                )
            if source is target and group == name:
                raise InputError(f"group {group!r} cannot be copied onto itself: give another name")
            for session, locked in sorted(((source, group), (target, name)), key=itemgetter(1)):
                await held.enter_async_context(session.writer.locks[locked])
            try:
                copied = copy_group(source.store, target.store, group, name, Pace(on_progress))
                rows, _ = await copied
            finally:
                await target.catalog.drop(name)
        return rows
