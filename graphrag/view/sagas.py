"""Sagas as seen from a view, and what was said around an episode."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

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
from graphrag.search.within import checked_number
from graphrag.store.changes import ChangeSet
from graphrag.view.context import Room, steady

Across = Literal["saga", "group"]

_WIDEST = 1000


@checked(QueryError, door="graph.sagas", around=steady)
class SagaReads(Room):
    """Named runs of episodes, and the order of episodes: ``view.sagas``."""

    async def get(self, name: str) -> SagaView:
        """Return a saga: its episodes in order, what they tell of, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        context, store = self._context, self._context.store
        await read_sources(store, await context.index())
        index, past, seen = await context.scene()  # last: the group may grow while one waits
        ever = context.ever(index, past)
        return await read_saga(name, index, store, seen, ever, past, context.now())

    async def list(self) -> Sagas:
        """Return the sagas of a group with their sizes and dates, in order of their beginnings."""
        index, past, seen = await self._context.scene()
        return saga_list(index, seen, past)

    async def window(
        self, episode: Episode | str, *, before: int = 3, after: int = 3, across: Across = "saga"
    ) -> EpisodeWindow:
        """Return an episode with those just before and after it, by reference time.

        Args:
            episode: An episode or its id.
            before: How many before it, at most 1,000.
            after: How many after it, at most 1,000.
            across: ``saga``: of its saga, of the whole group if it is in none. ``group``: of all.

        Raises:
            QueryError: if the episode is not there, or for an impossible number or range.
        """
        checked_number("before", before, least=0, most=_WIDEST)
        checked_number("after", after, least=0, most=_WIDEST)
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
    """Sagas, and their summaries kept up to date: ``graph.sagas``."""

    async def summarize(self, name: str) -> Saga:
        """Bring the summary of a saga up to date and return its row.

        With a language model, the summary so far and the episodes added since make the next one,
        some at a time, each step one transaction: after an error or a crash, call it again and it
        goes on. When an episode that it tells of was removed, it is written anew. Without a model
        it is made of the saga's own sentences. If nothing is new, nothing is asked or written.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
            ExtractionError: if the model could not be asked or gave no valid answer.
            PolicyError: if the write policy refused.
        """
        await self.get(name)
        while await self._step(name):
            pass
        return await stored_saga(name, await self._context.index(), self._context.store, NO_REWIND)

    async def summarize_all(self) -> Sequence[Saga]:
        """Bring the summaries of all sagas of a group up to date, and return those that changed.

        Raises:
            ExtractionError: if the model could not be asked or gave no valid answer; summaries that
                were written before stay.
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
