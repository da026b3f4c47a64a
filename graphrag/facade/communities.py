"""Communities: make them, keep them up to date, look at them."""

from collections.abc import Callable

from graphrag.community.author import Author, Facts
from graphrag.community.build import Plan, Planned, Workshop, plan_communities, plan_update
from graphrag.community.stored import known_tree
from graphrag.facade.asking import Asking
from graphrag.index.group import GroupIndex
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Community
from graphrag.overview.globally import GlobalContext
from graphrag.overview.map import CommunityMap
from graphrag.overview.view import CommunityView
from graphrag.store.changes import ChangeSet


class Overseeing(Asking):
    """Communities."""

    async def build_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Detect, describe and store the communities of the facts that hold now, on every level.

        A community lasts, with its id, as long as at least half of it stays; one in which nothing
        changed keeps its words. With a language model each changed one costs a question.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return await self._make(plan_communities, group)

    async def update_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Bring the communities up to date around what changed since.

        Quick for few changes; when more than a twentieth of the facts changed since the communities
        were built, or there are none yet, they are built anew.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return await self._make(plan_update, group)

    async def _make(self, plan: Plan, group: str) -> list[Community]:
        ingestion, author = self._open(), self._author()
        workshop = Workshop(ingestion.store, ingestion.embedder, author)
        planned: Planned | None = None

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal planned
            planned = await plan(index, await known_tree(index, ingestion.store), workshop)
            return planned.changes

        def enter(index: GroupIndex, seq: int) -> None:
            assert planned is not None
            planned.enter(index, seq)

        if self._llm is not None:
            # Asked before the lock: a model takes seconds. Under it, only about what changed since.
            await build(await ingestion.catalog.group(checked_group(group)))
        await ingestion.writer.commit(checked_group(group), build, enter=enter)
        assert planned is not None
        return list(planned.tree.communities)

    def _author(self) -> Author:
        if self._llm is None:
            return Facts()
        from graphrag.community.asking import Model

        return Model(self._llm)

    async def communities(
        self, *, level: int | None = None, group: str = DEFAULT_GROUP
    ) -> list[Community]:
        """Return the communities as they were last built, the coarsest level first.

        Args:
            level: Only of this level; 0 is the coarsest. Default: of all.
            group: The graph inside the store.

        Raises:
            QueryError: for a level below 0.
        """
        return await self.at().communities(level=level, group=group)

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
        return await self.at().community(community, limit=limit, group=group)

    async def community_map(
        self, *, level: int = 0, limit: int = 200, group: str = DEFAULT_GROUP
    ) -> CommunityMap:
        """Return a map of the communities of one level, which a notebook draws.

        Args:
            level: 0 for the coarsest.
            limit: Entities at most, the best tied of each community.
            group: The graph inside the store.

        Raises:
            QueryError: for a level below 0 or an impossible limit.
        """
        return await self.at().community_map(level=level, limit=limit, group=group)

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
        return await self.at().global_context(
            question, max_tokens=max_tokens, count=count, group=group
        )
