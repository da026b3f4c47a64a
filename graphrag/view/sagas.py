"""Sagas of a view, and the episodes before and after an episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from graphrag.errors import QueryError
from graphrag.index.group import GroupIndex
from graphrag.index.tables import read_sources
from graphrag.model.arguments import checked
from graphrag.model.values import Episode, Saga
from graphrag.sagas.order import EpisodeWindow, Sagas, beside, saga_list, sagas_then
from graphrag.sagas.saga import SagaView, read_saga, stored_saga
from graphrag.sagas.summarize import SUMMARIZE, SummaryStep, next_step, own_words, still
from graphrag.search.rewind import NO_REWIND
from graphrag.search.visibility import Mask
from graphrag.store.changes import ChangeSet
from graphrag.view.context import Room, steady

Across = Literal["saga", "group"]

Few = Annotated[int, range(1_001)]  # episodes on one side of a window


@checked(QueryError, door="graph.sagas", around=steady)
class SagaReads(Room):
    """Sagas (named sequences of episodes), and the order of episodes: ``view.sagas``."""

    async def get(self, name: str) -> SagaView:
        """Return a saga with its episodes in order, their entities and facts, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        context, store = self._context, self._context.store
        await read_sources(store, await context.index())
        index, past, seen = await context.scene()  # last: the group may grow while one waits
        ever = context.ever(index, past)
        return await read_saga(name, index, store, seen, ever, past, context.now())

    async def list(self) -> Sagas:
        """Return the sagas of the group with their sizes and dates, in order of their starts."""
        index, past, seen = await self._context.scene()
        return saga_list(index, seen, past)

    async def window(
        self, episode: Episode | str, *, before: Few = 3, after: Few = 3, across: Across = "saga"
    ) -> EpisodeWindow:
        """Return an episode with its predecessors and successors by reference time.

        Args:
            episode: An episode or its id.
            before: Maximum number of episodes before it, up to 1,000.
            after: Maximum number of episodes after it, up to 1,000.
            across: ``saga``: only episodes of its saga, or of the whole group if it has none.
                ``group``: all episodes of the group.

        Raises:
            QueryError: if the episode does not exist or an argument is out of range.
        """
        store = self._context.store
        id_ = episode if isinstance(episode, str) else episode.id
        known = (await store.get(Episode, [id_])).get(id_)
        if known is None or known.group_id != self._context.group:
            raise QueryError(f"there is no episode {id_!r}: pass one from a search, or its id")
        index, past, seen = await self._context.scene()
        row = index.episodes.row_of.get(id_)
        if row is None or not seen.episodes[row]:
            view = self._context.viewpoint
            raise QueryError(f"episode {id_} ({known.name!r}) is not visible in {view!r}")
        mask: Mask = seen.episodes
        sagas = sagas_then(index, past)
        if across == "saga" and sagas[row] >= 0:
            mask = mask & (sagas == sagas[row])
        earlier, later = beside(row, mask, index, before=before, after=after)
        ids = [index.episodes.ids[number] for number in (*earlier, row, *later)]
        found = [past.rewind(episode) for episode in (await store.get(Episode, ids)).values()]
        place = len(earlier)
        return EpisodeWindow(tuple(found[:place]), found[place], tuple(found[place + 1 :]))


@checked(QueryError, door="graph.sagas", reads=SagaReads, around=steady)
class SagaWrites(SagaReads):
    """Sagas with summaries that can be updated: ``graph.sagas``."""

    async def summarize(self, name: str) -> Saga:
        """Update the summary of a saga, and return the saga.

        With a language model, the next summary is written from the last one and the episodes added
        since, in steps of one transaction each. After an error or crash, call the method again to
        continue. If an episode in the summary was removed, the summary is written anew. Without a
        model it consists of sentences of the episodes. If there are no new episodes, nothing is
        done.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
            ExtractionError: if the model was not reachable or gave no valid answer.
            PolicyError: if the write policy refused.
        """
        await self.get(name)
        while await self._step(name):
            pass
        return await stored_saga(name, await self._context.index(), self._context.store, NO_REWIND)

    async def summarize_all(self) -> Sequence[Saga]:
        """Update the summaries of all sagas of the group, and return the changed ones.

        Raises:
            ExtractionError: if the model was not reachable or gave no valid answer; summaries
                written before are kept.
            PolicyError: if the write policy refused.
        """
        changed = []
        for name in (await self.list()).names:
            index = await self._context.index()
            before = await stored_saga(name, index, self._context.store, NO_REWIND)
            after = await self.summarize(name)
            if after != before:
                changed.append(after)
        return changed

    async def _step(self, name: str) -> bool:
        """Write the next part of a summary; False if it tells of every episode."""
        session, group = self._context.session, self._context.group
        store, llm, written = session.store, session.llm, False
        step: SummaryStep | None = None
        if llm is not None:
            index = await session.catalog.group(group)
            step = await next_step(name, index, store, llm)
            if step is None:
                return False

        async def build(index: GroupIndex) -> ChangeSet:
            nonlocal step, written
            written = False
            if llm is None:
                step = await own_words(name, index, store)
            if step is None or not await still(step, index, store):
                return ChangeSet(group, SUMMARIZE)  # it changed meanwhile: the next step sees that
            changes = step.changes()
            written = bool(changes)
            return changes

        await session.writer.commit(group, build)
        return llm is not None or written
