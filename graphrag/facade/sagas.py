"""Named runs of episodes: read them, and keep their summaries up to date."""

from graphrag.facade.asking import Asking
from graphrag.index.group import GroupIndex
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP, Episode, Saga
from graphrag.sagas.listing import Sagas
from graphrag.sagas.reads import Across
from graphrag.sagas.summarize import SUMMARIZE, Step, next_step, own_words, still
from graphrag.sagas.view import SagaView, stored_saga
from graphrag.sagas.window import EpisodeWindow
from graphrag.search.visible import NOTHING_UNDONE
from graphrag.store.changes import ChangeSet


class Narrating(Asking):
    """Sagas, and the order of episodes."""

    async def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, what they tell of, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        return await self.at().saga(name, group=group)

    async def sagas(self, *, group: str = DEFAULT_GROUP) -> Sagas:
        """Return the sagas of a group with their sizes and dates, in order of their beginnings."""
        return await self.at().sagas(group=group)

    async def episode_window(
        self,
        episode: Episode | str,
        *,
        before: int = 3,
        after: int = 3,
        across: Across = "saga",
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
        return await self.at().episode_window(episode, before=before, after=after, across=across)

    async def summarize_saga(self, name: str, *, group: str = DEFAULT_GROUP) -> Saga:
        """Bring the summary of a saga up to date and return its row.

        With a language model, the summary so far and the episodes told since make the next one,
        some at a time, each step one transaction: after an error or a crash, call it again and it
        goes on. When an episode that it tells of was removed, it is written anew. Without a model
        it is made of the saga's own sentences. If nothing is new, nothing is asked or written.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
            ExtractionError: if the model could not be asked or gave no valid answer.
            PolicyError: if the write policy refused.
        """
        await self.saga(name, group=checked_group(group))
        while await self._step(name, group):
            pass
        ingestion = self._open()
        index = await ingestion.catalog.group(group)
        return await stored_saga(name, index, ingestion.store, NOTHING_UNDONE)

    async def summarize_sagas(self, *, group: str = DEFAULT_GROUP) -> list[Saga]:
        """Bring the summaries of all sagas of a group up to date, and return those that changed.

        Raises:
            ExtractionError: if the model could not be asked or gave no valid answer; summaries that
                were written before stay.
            PolicyError: if the write policy refused.
        """
        store, changed = self._open().store, []
        for name in (await self.sagas(group=checked_group(group))).names:
            index = await self._open().catalog.group(group)
            before = await stored_saga(name, index, store, NOTHING_UNDONE)
            after = await self.summarize_saga(name, group=group)
            if after != before:
                changed.append(after)
        return changed

    async def _step(self, name: str, group: str) -> bool:
        """Write the next part of a summary; False if it tells of every episode."""
        ingestion, llm = self._open(), self._llm
        store, written = ingestion.store, False
        step: Step | None = None
        if llm is not None:
            index = await ingestion.catalog.group(group)
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

        await ingestion.writer.commit(group, build)
        return llm is not None or written
