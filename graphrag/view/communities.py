"""Communities of a view: the stored ones, or those of the facts that held at its moment."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from graphrag.community.build import Plan, Planned, Workshop, plan_communities, plan_update
from graphrag.community.map import CommunityMap, CommunityView, between, mapped
from graphrag.community.report import GlobalContext, Then, assembled, made_of
from graphrag.community.stored import CommunityTree, communities_then, known_tree
from graphrag.errors import QueryError
from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.retention import ViewCache
from graphrag.model.arguments import checked
from graphrag.model.values import Community, Entity, Fact
from graphrag.search import pipeline
from graphrag.search.rank import Made, rank_rows
from graphrag.search.recipe import Recipe
from graphrag.search.request import Request
from graphrag.search.rewind import Rewind
from graphrag.store.changes import ChangeSet
from graphrag.temporal.interval import NOW
from graphrag.temporal.moment import Moment, parse_moment, to_micros
from graphrag.text.split import count_tokens
from graphrag.view.context import MOST, Limit, Room, ViewContext, community_meant, steady

if TYPE_CHECKING:
    from graphrag.community.evolution import Every
    from graphrag.community.flow import CommunityFlow

_FACTS = 60  # facts that are looked at for a question
_MADE: Final = ViewCache[Sequence[Community]](most=4)
"""Communities of the moments that were asked for last: to detect them takes seconds in a large
group."""
_STORED: Final = ViewCache[CommunityTree](most=2)
"""Those that were stored at the moments of system time that were asked for last."""


@checked(QueryError, door="graph.communities", around=steady)
class CommunityReads(Room):
    """Communities (clusters of entities): ``view.communities``."""

    async def list(self, *, level: int | None = None) -> Sequence[Community]:
        """Return the communities, coarsest level first, and on each level largest first.

        These are the communities of the last build; none before it. A view with ``valid_at``
        detects communities of the facts that held then, described without a model.

        Args:
            level: Only this level; 0 is the coarsest. Default: all.

        Raises:
            QueryError: if the level is negative.
        """
        if level is not None and level < 0:
            raise QueryError(f"level {level}: 0 is the coarsest, higher ones are finer")
        found = await self._all()
        return [community for community in found if level is None or community.level == level]

    async def get(self, community: Community | str, *, limit: Limit = 50) -> CommunityView:
        """Return a community with its members, the facts between them, and its subcommunities.

        Args:
            community: The community, its id, its name, or a part of its name that is unique.
            limit: Maximum number of members and of facts, best connected first.

        Raises:
            QueryError: if the community does not exist or the limit is out of range.
        """
        asked = community.id if isinstance(community, Community) else community
        everyone = await self._all()
        meant = community_meant(asked, everyone, self._context.group)
        index, past, seen = await self._context.scene()
        best = between(meant, index, seen)
        entities = await self._context.store.get(Entity, meant.members[:limit])
        facts = await self._context.store.get(Fact, [index.facts.ids[row] for row in best[:limit]])
        parts = tuple(other for other in everyone if other.parent == meant.id)
        return CommunityView(
            meant,
            tuple(past.rewound(entities).values()),
            tuple(past.facts(facts, index).values()),
            len(best),
            parts,
            next((other for other in everyone if other.id == meant.parent), None),
            mapped(parts or (meant,), index, past, seen, limit=limit),
        )

    async def map(self, *, level: int = 0, limit: Limit = 200) -> CommunityMap:
        """Return a map of the communities of one level, which a notebook draws.

        Args:
            level: Level; 0 is the coarsest.
            limit: Maximum number of entities, the best connected of each community.

        Raises:
            QueryError: if the level is negative or the limit out of range.
        """
        found = await self.list(level=level)
        index, past, seen = await self._context.scene()
        return mapped(found, index, past, seen, limit=limit)

    async def context(
        self, question: str, *, max_tokens: int = 2000, count: Callable[[str], int] | None = None
    ) -> GlobalContext:
        """Return community summaries and facts as context for a question about the whole graph.

        Starting at the coarsest level, a community is replaced by its subcommunities if these
        answer the question better. Each community has its summary and its most relevant facts, with
        dates and sources. Build the communities first.

        Args:
            question: The question; use ``search`` for a question about a single fact.
            max_tokens: Maximum number of tokens of the text.
            count: Returns the number of tokens of a text; default: an estimate.

        Raises:
            QueryError: if the question is empty or the budget is below 1.
        """
        context, session = self._context, self._context.session
        found = await self._all()
        index, past = await context.index(), await context.past()
        request = Request.of(question, context.group, limit=_FACTS, scopes=["facts"])
        results = await pipeline.run(
            request, index, session.store, session.embedder, context.viewpoint, past=past
        )
        relevance = await self._relevance(question, found, index)
        return await assembled(
            results, found, relevance, max_tokens=max_tokens, count=count or count_tokens
        )

    async def over_time(
        self,
        every: Every | timedelta = "year",
        *,
        start: Moment | None = None,
        end: Moment | None = None,
        resolution: float | None = None,
        coupling: float = 1.0,
        share: float = 0.5,
        change: float = 0.25,
    ) -> CommunityFlow:
        """Return the communities in slices of world time, with their merges, splits and changes.

        All slices are clustered together, so that a community keeps its identity across slices: see
        docs/communities.md. Needs the extra ``temporal``.

        Args:
            every: Length of a slice: a calendar unit or a time span.
            start: Start of the first slice; default: that of the slice in which the first fact
                begins.
            end: End of the last slice; default: the moment of the view.
            resolution: Minimum average weight between two members, such as 0.2, to find small
                communities that modularity misses; default: modularity.
            coupling: Weight of staying in a community between slices, in facts.
            share: Share of members that must move between two communities for a merge or split.
            change: Relative change of size that counts as growing or shrinking.

        Raises:
            QueryError: if a slice or a number is not valid.
            TimeError: if a moment cannot be read.
            MissingExtraError: if ``leidenalg`` is not installed.
        """
        from graphrag.community.tracking import Tracking, tracked

        context = self._context
        since = None if start is None else parse_moment(start, what="start")
        until = context.now() if end is None else parse_moment(end, what="end")
        index, past, seen = await context.scene(history=False)
        how = Tracking(every, since, until, resolution, coupling, share, change)
        stored = (await self._stored(index, past)).communities
        ever = context.ever(index, past)
        return await tracked(index, context.store, past, ever, seen.entities, stored, how)

    async def _stored(self, index: GroupIndex, past: Rewind) -> CommunityTree:
        if not past:
            return (await known_tree(index, self._context.store)).through(index.heirs)
        then = (past.upto, len(past))
        if (known := _STORED.find(index, then, 0)) is None:
            heirs = past.heirs(index)
            known = await communities_then(index.group_id, self._context.store, past, heirs)
            _STORED.keep(index, then, 0, 1, known)
        return known

    async def _all(self) -> Sequence[Community]:
        index, past = await self._context.index(), await self._context.past()
        store, then = self._context.store, (past.upto, len(past))
        stored = await self._stored(index, past)
        at = self._context.viewpoint.valid_at
        if at is None or self._context.viewpoint.history:
            return stored.communities
        index, past, seen = await self._context.scene()
        moment = to_micros(at, FOREVER)
        if (kept := _MADE.find(index, then, moment)) is None:
            from graphrag.community.tracking import communities_of

            kept = await communities_of(index, store, seen, past, stored, at)
            _MADE.keep(index, then, moment, moment + 1, kept)
        return kept

    async def _then(self) -> Then:
        """Return the communities of the viewpoint, for a search to rank."""
        found = await self._all()
        index, past = await self._context.index(), await self._context.past()
        view = self._context.viewpoint
        return Then(index, past, found, view.valid_at is not None and not view.history)

    async def _relevance(
        self, question: str, communities: Sequence[Community], index: GroupIndex
    ) -> dict[str, float]:
        """Return how much each community answers a question, ranked as in a search."""
        if not communities:
            return {}
        embedder = self._context.session.embedder
        vector = (await embedder.embed([question], purpose="query"))[0]
        rows_of = index.communities
        stored = all(known.id in rows_of.row_of for known in communities)
        if self._context.viewpoint != NOW or not stored:
            rows_of = (await made_of([await self._then()], question, vector, embedder)).rows
        pool = min(MOST, max(1, len(rows_of)))
        ranked = rank_rows(rows_of, rows_of.alive.values, vector, question, Recipe(pool=pool))
        return {rows_of.ids[hit.id]: hit.relevance for hit in ranked}


@checked(QueryError, door="graph.communities", reads=CommunityReads, around=steady)
class CommunityWrites(CommunityReads):
    """Communities that can be built and updated: ``graph.communities``."""

    async def build(self) -> Sequence[Community]:
        """Detect, describe and store the communities of all current facts, on every level.

        A community keeps its id while at least half of it remains. An unchanged one keeps its name
        and summary. With a language model, each changed community takes one request.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return await self._make(plan_communities)

    async def update(self) -> Sequence[Community]:
        """Update the communities that recent changes affect.

        This is fast for few changes. If more than a twentieth of the facts changed since the last
        build, or there was none, all communities are built anew.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return await self._make(plan_update)

    async def _make(self, plan: Plan) -> Sequence[Community]:
        # Here: it brings the schemas of answers, which no search needs.
        from graphrag.community.llm_summaries import author_of

        session, group = self._context.session, self._context.group
        workshop = Workshop(session.store, session.embedder, author_of(session.llm))
        planned: Planned | None = None

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal planned
            planned = await plan(index, await known_tree(index, session.store), workshop)
            return planned.changes

        def enter(index: GroupIndex, seq: int) -> None:
            assert planned is not None
            planned.enter(index, seq)

        if session.llm is not None:
            # Asked before the lock: a model takes seconds. Under it, only about what changed since.
            await build(await session.catalog.group(group))
        await session.writer.commit(group, build, enter=enter)
        assert planned is not None
        return list(planned.tree.communities)


async def made_for(request: Request, contexts: Sequence[ViewContext]) -> Made:
    """Return the communities of another moment that a search is to rank."""
    embedder = contexts[0].session.embedder
    vector = (await embedder.embed([request.query], purpose="query"))[0]
    then = [await CommunityReads(context)._then() for context in contexts]
    return await made_of(then, request.query, vector, embedder)
