"""The groups of a store: several searched as if they were one, or all of them listed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from graphrag.display.lists import Groups
from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.session import Handle
from graphrag.temporal.interval import NOW, Viewpoint
from graphrag.temporal.moment import Moment, parse_moment
from graphrag.view.lens import Lens, viewpoint_of

if TYPE_CHECKING:
    from graphrag.model.values import Entity
    from graphrag.search.filters.tree import Filter
    from graphrag.search.request import Recipe, Scope
    from graphrag.search.results import Results
    from graphrag.search.within import Reach, Within


@checked(QueryError, door="graph.groups(...)")
class GroupSet:
    """Some groups of a store, or all: ``graph.groups("alice", "bob")``, ``graph.groups()``."""

    def __init__(
        self, handle: Handle, names: tuple[str, ...] = (), viewpoint: Viewpoint = NOW
    ) -> None:
        self._handle = handle
        self._names = names
        self._viewpoint = viewpoint

    def __repr__(self) -> str:
        """Show the names and the viewpoint."""
        return f"GroupSet({', '.join(map(repr, self._names)) or 'all'}, {self._viewpoint!r})"

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> GroupSet:
        """Return the same groups as of a moment; arguments as of ``GraphRAG.at``."""
        return GroupSet(self._handle, self._names, viewpoint_of(valid_at, known_at, history))

    async def list(self, *, known_at: Moment | None = None) -> Groups:
        """Return the groups with their sizes and last changes; nothing is counted.

        Args:
            known_at: Only those that were there at this moment of system time; default: that of
                the view, or now. Sizes are those of now.

        Raises:
            TimeError: if the moment cannot be read.
        """
        moment = self._viewpoint.known_at
        moment = moment if known_at is None else parse_moment(known_at, what="known_at")
        there = await self._handle.session.store.group_sizes()
        return Groups(
            group
            for group in there
            if (not self._names or group.name in self._names)
            and (moment is None or group.created_at <= moment)
        )

    async def search(
        self,
        query: str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        explain: bool = False,
    ) -> Results:
        """Search the groups, ranked as one, with nothing between them; as ``View.search``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        if not self._names:
            raise QueryError("name the groups that are searched: graph.groups('alice', 'bob')")
        from graphrag.view.searches import request_of, run

        request = request_of(
            query,
            ", ".join(self._names),
            self._viewpoint,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
        )
        lens = Lens(self._handle, viewpoint=self._viewpoint)
        lenses = [replace(lens, group=name) for name in self._names]
        catalog = self._handle.session.catalog
        return await catalog.steady(self._names, lambda: run(request, lenses, saga=saga))
