"""What a view knows of communities: as they were stored, or of the facts that held."""

from collections.abc import Callable, Sequence
from typing import Final

from graphrag.community.past import communities_of, communities_then
from graphrag.community.stored import Tree, known_tree
from graphrag.errors import QueryError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Community, Entity, Fact
from graphrag.names import name_key
from graphrag.overview.globally import GlobalContext, assembled
from graphrag.overview.map import CommunityMap, mapped
from graphrag.overview.then import Then, made_of
from graphrag.overview.view import CommunityView, between
from graphrag.search import pipeline
from graphrag.search.communities import Made, rank_rows
from graphrag.search.kept import KeptViews
from graphrag.search.recipe import Recipe, Request
from graphrag.temporal.moment import to_micros
from graphrag.temporal.viewpoint import NOW, Viewpoint
from graphrag.token_count import count_tokens
from graphrag.views import Views

_MOST = 10_000
_FACTS = 60
"""Facts that are looked at for a question."""
_kept: Final = KeptViews[Sequence[Community]](most=4)
"""Communities of the moments that were asked for last: to detect them takes seconds in a large
group."""
_stored: Final = KeptViews[Tree](most=2)
"""Those that were stored at the moments of system time that were asked for last."""


class Overviews(Views):
    """Communities."""

    __slots__ = ()

    async def communities(
        self, *, level: int | None = None, group: str = DEFAULT_GROUP
    ) -> list[Community]:
        """Return the communities, the coarsest level first, on each the largest first.

        They are as they were last built, none before that. With ``valid_at`` they are made of the
        facts that held then, whatever was built, and described without a model.

        Args:
            level: Only of this level; 0 is the coarsest. Default: of all.
            group: The graph inside the store.

        Raises:
            QueryError: for a level below 0.
        """
        if level is not None and (isinstance(level, bool) or level < 0):
            raise QueryError(f"level {level!r}: 0 is the coarsest, higher ones are finer")
        found = await self._communities(checked_group(group))
        return [one for one in found if level is None or one.level == level]

    async def community(
        self, community: Community | str, *, limit: int = 50, group: str = DEFAULT_GROUP
    ) -> CommunityView:
        """Return a community with its members, the facts between them, and its parts.

        Args:
            community: It, its id, its name, or a part of its name that no other one has.
            limit: Members and facts at most, those that tie it most first.
            group: The graph inside the store.

        Raises:
            QueryError: if there is no such community, or for an impossible limit.
        """
        _checked(limit)
        group = community.group_id if isinstance(community, Community) else checked_group(group)
        asked = community.id if isinstance(community, Community) else community
        everyone = await self._communities(group)
        one = _found(asked, everyone, group)
        index, past, seen = await self._view(group)
        best = between(one, index, seen)
        entities = await self._reading.store.get(Entity, one.members[:limit])
        facts = await self._reading.store.get(Fact, [index.facts.ids[row] for row in best[:limit]])
        parts = tuple(other for other in everyone if other.parent == one.id)
        return CommunityView(
            one,
            tuple(past.rewound(entities).values()),
            tuple(past.facts(facts, index).values()),
            len(best),
            parts,
            next((other for other in everyone if other.id == one.parent), None),
            mapped(parts or (one,), index, past, seen, limit=limit),
        )

    async def community_map(
        self, *, level: int = 0, limit: int = 200, group: str = DEFAULT_GROUP
    ) -> CommunityMap:
        """Return a map of the communities of one level, to draw.

        Args:
            level: 0 for the coarsest.
            limit: Entities at most, the best connected of each community.
            group: The graph inside the store.

        Raises:
            QueryError: for a level below 0 or an impossible limit.
        """
        _checked(limit)
        found = await self.communities(level=level, group=group)
        index, past, seen = await self._view(checked_group(group))
        return mapped(found, index, past, seen, limit=limit)

    async def global_context(
        self,
        question: str,
        *,
        max_tokens: int = 2000,
        count: Callable[[str], int] | None = None,
        group: str = DEFAULT_GROUP,
    ) -> GlobalContext:
        """Return what the communities say of a question about the whole, as a text for a prompt.

        The hierarchy is walked from the coarsest level down: a community whose parts answer more
        than it does itself is told by those parts. Each is told by its summary and by the facts in
        it that answer best, with their dates and sources. Communities must have been built.

        Args:
            question: What is asked; a search for one fact is better answered by ``search``.
            max_tokens: What the whole text may take.
            count: Your model's tokeniser; default: an estimate from the characters.
            group: The graph inside the store.

        Raises:
            QueryError: for an empty question or a budget below 1.
        """
        group = checked_group(group)
        found = await self._communities(group)
        index = await self._reading.catalog.group(group)
        past = await self._past(group)
        request = Request.of(question, group, limit=_FACTS, scopes=["facts"], recipe=Recipe())
        reading = self._reading
        results = await pipeline.run(
            request, index, reading.store, reading.embedder, self.viewpoint, past=past
        )
        relevance = await self._relevance(question, found, index)
        return assembled(
            results, found, relevance, max_tokens=max_tokens, count=count or count_tokens
        )

    async def _communities(self, group: str) -> list[Community]:
        index = await self._reading.catalog.group(group)
        past = await self._past(group)
        store, then = self._reading.store, (past.upto, len(past.before))
        if not past.before:
            stored = (await known_tree(index, store)).through(index.heirs)
        elif (known := _stored.find(index, then, 0)) is not None:
            stored = known
        else:
            heirs = index.heirs.before(past.before)
            stored = await communities_then(group, store, past, heirs)
            _stored.keep(index, then, 0, 1, stored)
        if self.viewpoint.valid_at is None or self.viewpoint.history:
            return list(stored.communities)
        index, past, seen = await self._view(group)
        at = self.viewpoint.valid_at
        moment = to_micros(at, FOREVER)
        if (kept := _kept.find(index, then, moment)) is None:
            kept = await communities_of(index, store, seen, past, stored, at)
            _kept.keep(index, then, moment, moment + 1, kept)
        return list(kept)

    async def _made(self, request: Request, groups: Sequence[str]) -> Made | None:
        """Return the communities of another moment that a search is to rank, if it looks at one."""
        view = self.viewpoint
        if "communities" not in request.scopes or view == NOW or view == Viewpoint(history=True):
            return None
        vector = (await self._reading.embedder.embed([request.query], purpose="query"))[0]
        then = [await self._then(group) for group in groups]
        return await made_of(then, request.query, vector, self._reading.embedder)

    async def _then(self, group: str) -> Then:
        found = await self._communities(group)
        index, past = await self._reading.catalog.group(group), await self._past(group)
        anew = self.viewpoint.valid_at is not None and not self.viewpoint.history
        return Then(index, past, found, anew)

    async def _relevance(
        self, question: str, communities: Sequence[Community], index: GroupIndex
    ) -> dict[str, float]:
        """Return how much each community answers a question, ranked as in a search."""
        if not communities:
            return {}
        embedder = self._reading.embedder
        vector = (await embedder.embed([question], purpose="query"))[0]
        rows_of = index.communities
        if self.viewpoint != NOW or not all(one.id in rows_of.row_of for one in communities):
            then = await self._then(index.group_id)
            rows_of = (await made_of([then], question, vector, embedder)).rows
        pool = min(_MOST, max(1, len(rows_of)))
        ranked = rank_rows(rows_of, rows_of.alive.values, vector, question, Recipe(pool=pool))
        return {rows_of.ids[one.id]: one.relevance for one in ranked}


def _checked(limit: int) -> None:
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= _MOST:
        raise QueryError(f"limit {limit!r}: give 1 to {_MOST}")


def _found(asked: str, communities: Sequence[Community], group: str) -> Community:
    """Return the community that is meant."""
    if not communities:
        raise QueryError(f"group {group!r} has no communities: build_communities() makes them")
    key = name_key(asked)
    ways: tuple[Callable[[Community], bool], ...] = (
        lambda one: one.id == asked,
        lambda one: name_key(one.name) == key,
        lambda one: bool(key) and key in name_key(one.name),
    )
    for fits in ways:
        # A part may be named like what it is a part of: the coarser one is meant, it is told first.
        found = [one for one in communities if fits(one)]
        same = [one for one in found if one.level == found[0].level]
        if len(same) == 1:
            return same[0]
        if same:
            names = "; ".join(repr(one.name) for one in same[:5])
            raise QueryError(f"{asked!r} may mean {len(same)} communities: {names}")
    names = "; ".join(repr(one.name) for one in communities[:5])
    raise QueryError(f"there is no community {asked!r} in group {group!r}; there are {names}")
