"""A group seen from a viewpoint: now, at another moment, or as it was known at one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.view.answers import Answers
from graphrag.view.lens import steady
from graphrag.view.walks import Walks

if TYPE_CHECKING:
    from graphrag.explorer.atlas import Atlas
    from graphrag.model.values import Entity
    from graphrag.search.filters.tree import Filter
    from graphrag.search.request import Recipe, Scope
    from graphrag.search.results import Results
    from graphrag.search.within import Reach, Within
    from graphrag.view.audit import Audit
    from graphrag.view.communities import CommunityReads
    from graphrag.view.exports import Exports
    from graphrag.view.sagas import SagaReads
    from graphrag.view.surreal import SurrealQL


@checked(QueryError, around=steady, but=("answer",))
class View(Answers, Walks):
    """A group as seen from one viewpoint; every read of it is a method here.

    ``graph.at(valid_at=...)`` is one; a graph itself is the view of now.
    """

    def __repr__(self) -> str:
        """Show the group and the viewpoint."""
        return f"View({self.group_id!r}, {self.viewpoint!r})"

    @property
    def communities(self) -> CommunityReads:
        """Return the clusters of entities: list, get, map and context."""
        from graphrag.view.communities import CommunityReads

        return CommunityReads(self._lens)

    @property
    def sagas(self) -> SagaReads:
        """Return the named runs of episodes: list, get and window."""
        from graphrag.view.sagas import SagaReads

        return SagaReads(self._lens)

    @property
    def audit(self) -> Audit:
        """Return the reads of the whole: contradictions, orphans, growth and hubs."""
        from graphrag.view.audit import Audit

        return Audit(self._lens)

    @property
    def export(self) -> Exports:
        """Return what gives the group to others: file, pandas, networkx and igraph."""
        from graphrag.view.exports import Exports

        return Exports(self._lens)

    @property
    def surreal(self) -> SurrealQL:
        """Return what asks the database in SurrealQL, where no method does."""
        from graphrag.view.surreal import SurrealQL

        return SurrealQL(self._lens)

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
        """Search what is true at the viewpoint, or at the time that the question speaks of.

        Args:
            query: A question, or a few words.
            limit: Hits of each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, in a view of the past without communities.
            recipe: How to rank: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities, by themselves, name or id, that closeness in the graph counts from;
                default: those that the query names, else the best found.
            where: What hits must be like: ``Field.relation == "works_at"``. A scope that has none
                of the fields named is not filtered.
            saga: Name of a saga: only what its episodes tell of, and no communities; short for
                ``where=Field.saga == name``.
            within: The part of the graph that is searched: ``Within("Alice", hops=2)``, what lies
                near something, or what ``within()`` found.
            explain: Note every step with its time in ``Results.explanation``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
        """
        # Ranking is imported by the first search: opening a graph does without it.
        from graphrag.view.searches import request_of, run

        request = request_of(
            query,
            self._lens.group,
            self._lens.viewpoint,
            limit=limit,
            scopes=scopes,
            recipe=recipe,
            centers=centers,
            where=where,
            saga=saga,
            within=within,
            explain=explain,
        )
        return await run(request, [self._lens], saga=saga)

    async def show(self, *, limit: int = 2000) -> Atlas:
        """Return the explorer: a notebook shows it, ``save("graph.html")`` keeps it as a page.

        It has the facts of all times that the view knows, and opens at the view's moment.

        Args:
            limit: Entities at most, the best connected ones.

        Raises:
            QueryError: for an impossible limit.
        """
        return await self.export.atlas(limit=limit, quotes=True)
