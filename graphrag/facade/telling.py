"""Tell the graph episodes."""

from collections.abc import Callable, Mapping

from graphrag.batch import BatchReport, Episodes, OnError, Progress, add_all
from graphrag.facade.opened import Moment, Opened
from graphrag.ingest import Added
from graphrag.intake import NewEpisode, prepare
from graphrag.models import DEFAULT_GROUP, JSON, Source


class Telling(Opened):
    """Adding episodes."""

    async def add_episode(
        self,
        content: JSON,
        *,
        reference_time: Moment | None = None,
        name: str = "",
        source: Source | None = None,
        source_description: str = "",
        group: str = DEFAULT_GROUP,
        metadata: Mapping[str, JSON] | None = None,
        saga: str | None = None,
        wait: bool = True,
    ) -> Added:
        """Add one episode: text, ``name: text`` lines, or a JSON value; one transaction.

        Adding the same content with the same reference time to the same group again changes
        nothing and returns ``new=False``.

        Args:
            content: What was said or written, kept word for word.
            reference_time: When; relative dates in the text count from it. Default: now.
            name: Its title: it is found by that too, and by other episodes that name it.
            source: ``text``, ``message`` or ``json``; default: guessed from the content.
            source_description: Where it comes from, for people.
            group: The graph inside the store that it belongs to.
            metadata: Anything else to keep with it.
            saga: Name of the run of episodes that it belongs to, such as one conversation; its
                place there is that of its reference time.
            wait: False stores and indexes the text and returns, with the episode ``pending``; a
                worker adds its facts later, in the order of reference times, see ``drain``.

        Raises:
            InputError: if the content, the group, the saga or a time cannot be used, or if the
                graph has the episode in another saga.
            ExtractionError: if the extractor failed.
            TransactionError: if the database refused; in every case nothing was written.
        """
        ingestion = self._open()
        episode = prepare(
            NewEpisode(
                content,
                reference_time,
                name,
                source,
                source_description,
                group,
                metadata or {},
                saga,
            )
        )
        if known := await ingestion.known(episode):
            return Added(await ingestion.join(known, episode.saga), new=False)
        if not wait:
            return await self._queue_of().put(episode)
        return await ingestion.add(episode, await ingestion.read(episode))

    async def add_episodes(
        self,
        episodes: Episodes,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_error: OnError = "stop",
    ) -> BatchReport:
        """Add many episodes in order, each in its own transaction.

        ``episodes`` may be a list, a generator or an async generator: it is consumed as a stream.
        After a crash, add the same episodes again: those already in the graph are skipped.
        With the rules the graph is the same as if they were added one by one. A language model
        reads several at a time, see ``LLMExtractor(side_by_side=...)``; they are written in order.

        Args:
            episodes: What to add, in this order.
            on_progress: Called after each episode.
            on_error: ``stop`` raises at the first episode that cannot be added; ``skip`` notes it
                in ``BatchReport.failed`` and goes on. A store that is gone, a spent budget or a
                missing extra ends the batch in any case: every other episode would fail too.

        Raises:
            GraphRAGError: as ``add_episode``; the episodes before the one that failed stay.
        """
        return await add_all(self._open(), episodes, on_progress=on_progress, on_error=on_error)
