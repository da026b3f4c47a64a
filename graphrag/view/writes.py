"""A group that can be written to: episodes, facts and entities, and all that changes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag.ingest.given import given_end, given_fact
from graphrag.ingest.intake import NewEpisode, known, prepare
from graphrag.ingest.reports import Added, WriteResult
from graphrag.model.assertion import Kind as TimeKind
from graphrag.model.values import JSON, Entity, Source
from graphrag.session import Handle
from graphrag.temporal.moment import Moment
from graphrag.view.view import View

if TYPE_CHECKING:
    from graphrag.edit.by_hand import ManualEdits
    from graphrag.edit.identity import Identity
    from graphrag.health.health import Health, QueueControl
    from graphrag.history import EventLog
    from graphrag.history.erase import Erase
    from graphrag.ingest.batch import Episodes, OnError
    from graphrag.ingest.reports import BatchReport, Progress
    from graphrag.io.loading import Load
    from graphrag.view.communities import CommunityWrites
    from graphrag.view.exports import GroupExports
    from graphrag.view.sagas import SagaWrites


class Writes(View):
    """What tells a group something, and what changes what it knows."""

    @property
    def handle(self) -> Handle:
        """Return what this graph shares with all that is bound to it."""
        return self._context.handle

    async def add_episode(
        self,
        content: JSON,
        *,
        reference_time: Moment | None = None,
        name: str = "",
        source: Source | None = None,
        source_description: str = "",
        metadata: Mapping[str, JSON] | None = None,
        saga: str | None = None,
        key: str | None = None,
        author: str | None = None,
        wait: bool = True,
    ) -> Added:
        """Add one episode: text, ``name: text`` lines, or a JSON value; one transaction.

        Adding the same content with the same reference time again changes nothing and returns
        ``new=False``, unless it is part of another saga or has another key.

        Args:
            content: What was said or written, kept word for word.
            reference_time: When; relative dates in the text count from it. Default: now.
            name: Its title: it is found by that too, and by other episodes that name it.
            source: ``text``, ``message`` or ``json``; default: guessed from the content.
            source_description: Where it comes from, for people and for the trust in it.
            metadata: Anything else to keep with it.
            saga: Name of the run of episodes that it belongs to.
            key: Your own id of it, such as that of a message: the same key is the same episode,
                whatever its reference time, and another key another.
            author: Name of who wrote it: whom "I" means in a text without speakers.
            wait: False stores the text, searchable, and returns, with the episode ``pending``; its
                facts come later, by reference time, see ``queue.drain``.

        Raises:
            InputError: if the content, the saga or a time cannot be used, if the key is that of an
                episode with other content, or of one in another saga.
            ExtractionError: if the extractor failed; after an ``LLMError`` the text stays, and is
                read when it is added again or by ``queue.retry``.
            EmbeddingError: if the embedder failed, or gave what is no vector.
            TransactionError: if the database refused; nothing was written then.
        """
        from graphrag.ingest.episode_intake import add_episode, add_known

        queue, ingestion = self._context.handle.queue, self._context.session
        new = NewEpisode(
            content,
            reference_time,
            name,
            source,
            source_description,
            metadata=metadata or {},
            saga=saga,
            key=key,
            author=author,
        )
        episode = prepare(new, self._context.group)
        if stored := await known(ingestion, episode):
            return await add_known(ingestion, stored, episode, wait=wait)
        return await (add_episode(ingestion, episode) if wait else queue.put(episode))

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
            episodes: What to add, in this order; those that name no group are of this one.
            on_progress: Called after each episode.
            on_error: ``stop`` raises at the first episode that cannot be added; ``skip`` notes it
                in ``BatchReport.failed`` and goes on. A store that is gone, a spent budget or a
                missing extra ends the batch in any case: every other episode would fail too.

        Raises:
            GraphRAGError: as ``add_episode``; the episodes before the one that failed stay.
        """
        from graphrag.ingest.batch import add_all

        return await add_all(
            self._context.session,
            episodes,
            self._context.group,
            on_progress=on_progress,
            on_error=on_error,
        )

    async def add_fact(
        self,
        subject: Entity | str,
        relation: str,
        object: Entity | str,
        *,
        valid_at: Moment | None = None,
        invalid_at: Moment | None = None,
        reference_time: Moment | None = None,
        text: str | None = None,
        subject_type: str | None = None,
        object_type: str | None = None,
        kind: TimeKind = "state",
        confidence: float = 1.0,
        attributes: Mapping[str, JSON] | None = None,
        source: str | None = None,
        actor: str | None = None,
    ) -> WriteResult:
        """Tell one fact, in one transaction, and return what that did.

        Args:
            subject: An entity, its id, or a name; a name that nothing bears makes an entity.
            relation: Such as ``works_at``.
            object: As ``subject``.
            valid_at: The first moment at which it holds; None if unknown.
            invalid_at: The first moment at which it no longer holds; None if it still does.
            reference_time: When it was said. Default: now, and then no start is taken from it.
            text: The sentence that states it; default: subject, relation and object.
            subject_type: Such as ``person``; default: whatever bears the name, or ``thing``.
            object_type: As ``subject_type``.
            kind: ``state``, or what ``was``, an ``event``, ``timeless`` or ``planned``.
            confidence: From 0 to 1; below ``review_below`` of the graph it waits for review.
            attributes: Anything else to keep with the fact.
            source: Where it comes from, for people; kept in ``Fact.provenance``.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if anything given cannot be used, or the ontology refuses it.
            PolicyError: if the write policy refused.
            TransactionError: if the database refused; in every case nothing was written.
        """
        from graphrag.ingest.fact_writer import write_fact

        given = given_fact(
            given_end(subject, subject_type, what="subject"),
            relation,
            given_end(object, object_type, what="object"),
            valid_at=valid_at,
            invalid_at=invalid_at,
            reference_time=reference_time,
            kind=kind,
            text=text,
            confidence=confidence,
            attributes=attributes,
            source=source,
        )
        return await write_fact(self._context.session, self._context.group, given, actor=actor)

    async def add_entity(
        self,
        name: str,
        *,
        entity_type: str | None = None,
        aliases: Sequence[str] = (),
        attributes: Mapping[str, JSON] | None = None,
    ) -> Entity:
        """Make an entity known, or add to the one that the name means, and return it.

        Its summary is composed from its facts, as that of any entity.

        Args:
            name: Its proper name.
            entity_type: Such as ``person``; default: ``thing``.
            aliases: Other names of it.
            attributes: What else is known of it, such as ``email``.

        Raises:
            InputError: if anything given cannot be used, or the ontology refuses it.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        from graphrag.ingest.fact_writer import FactWriter

        ingestion, also = self._context.session, tuple(aliases)
        end = given_end(name, entity_type, aliases=also, attributes=attributes, what="name")
        writer = FactWriter(ingestion, self._context.group, "add_entity")
        plan = await writer.write([], [end])
        writer.warn()
        [id_] = plan.extra
        if id_ in plan.entities:
            return plan.entities[id_]
        return (await ingestion.store.get(Entity, [id_]))[id_]

    @property
    def communities(self) -> CommunityWrites:
        """Return the clusters of entities: list, get, map, context, build and update."""
        from graphrag.view.communities import CommunityWrites

        return CommunityWrites(self._context)

    @property
    def sagas(self) -> SagaWrites:
        """Return the named runs of episodes: list, get, window and summarize."""
        from graphrag.view.sagas import SagaWrites

        return SagaWrites(self._context)

    @property
    def export(self) -> GroupExports:
        """Return what gives the group to others: file, copy, pandas, networkx and igraph."""
        from graphrag.view.exports import GroupExports

        return GroupExports(self._context)

    @property
    def edit(self) -> ManualEdits:
        """Return the edits by hand: retract, invalidate, correct, confirm, reject and pending."""
        from graphrag.edit.by_hand import ManualEdits

        return ManualEdits(self.handle, self._context.group)

    @property
    def identity(self) -> Identity:
        """Return who is one: candidates, merge, unmerge, split, keep_apart and rename."""
        from graphrag.edit.identity import Identity

        return Identity(self.handle, self._context.group)

    @property
    def log(self) -> EventLog:
        """Return the log: events, follow, revert, remove_episode and replay."""
        from graphrag.history import EventLog

        return EventLog(self.handle, self._context.group)

    @property
    def load(self) -> Load:
        """Return what brings in facts as they are known: facts, seed, contacts, calendar, group."""
        from graphrag.io.loading import Load

        return Load(self.handle, self._context.group)

    @property
    def queue(self) -> QueueControl:
        """Return the queue of episodes: status, drain, failed and retry."""
        from graphrag.health.health import QueueControl

        return QueueControl(self.handle, self._context.group)

    @property
    def health(self) -> Health:
        """Return what looks after the graph: check, repair, cleanup and indexes."""
        from graphrag.health.health import Health

        return Health(self.handle, self._context.group, strict=self._context.strict)

    @property
    def erase(self) -> Erase:
        """Return what deletes for good: entity and group."""
        from graphrag.history.erase import Erase

        return Erase(self.handle, self._context.group)
