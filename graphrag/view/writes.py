"""Writable group: episodes, facts and entities, and the accessors of all other writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from graphrag.errors import InputError
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
    from graphrag.ontology.ontology import Ontology
    from graphrag.view.communities import CommunityWrites
    from graphrag.view.exports import GroupExports
    from graphrag.view.sagas import SagaWrites


class Writes(View):
    """Writes to a group, in addition to the reads of a view."""

    @property
    def handle(self) -> Handle:
        """Return the handle that this graph shares with its groups and views."""
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
        ontology: Ontology | None = None,
        wait: bool = True,
    ) -> Added:
        """Add one episode (text, ``name: text`` lines or a JSON value) in one transaction.

        Adding the same content with the same reference time again changes nothing and returns
        ``new=False``, unless saga or key differ.

        Args:
            content: The content, stored unchanged.
            reference_time: When it was said or written; relative dates count from it. Default: now.
            name: Title. Searches use it, and episodes that mention it are linked.
            source: ``text``, ``message`` or ``json``; default: detected from the content.
            source_description: Origin, for people and for ``Rules.trust``.
            metadata: Further values to store with it.
            saga: Name of the sequence of episodes it belongs to, such as a conversation.
            key: Your own id, such as that of a message. An episode with the same key is the same
                one, whatever its reference time; another key makes another episode.
            author: Name of the author: the person that "I" means in a text without speakers.
            ontology: Types for this episode instead of those of ``Rules``; relations that mean the
                same and the rules stay those of the graph.
            wait: False stores the text, searchable, as a ``pending`` episode and returns; facts are
                extracted later by a worker or ``queue.drain``.

        Raises:
            InputError: if content, saga or time is not valid, or the key belongs to an episode with
                other content or in another saga.
            ExtractionError: if the extractor failed. After an ``LLMError`` the text is stored, and
                extracted when it is added again or by ``queue.retry``.
            EmbeddingError: if the embedder failed or returned an invalid vector.
            TransactionError: if the database refused; nothing was written.
        """
        from graphrag.ingest.episode_intake import add_episode, add_known

        if ontology is not None and not wait:
            raise InputError(
                "ontology: an episode that waits is read with that of Rules: wait=True"
            )
        ingestion = self._context.session.with_ontology(ontology)
        new = NewEpisode(
            content, reference_time=reference_time, name=name, source=source,
            source_description=source_description, group=self._context.group,
            metadata=metadata or {}, saga=saga, key=key, author=author,
        )  # fmt: skip
        episode = prepare(new)
        if stored := await known(ingestion, episode):
            return await add_known(ingestion, stored, episode, wait=wait)
        return await (add_episode(ingestion, episode) if wait else self.handle.queue.put(episode))

    async def add_episodes(
        self,
        episodes: Episodes,
        *,
        on_progress: Callable[[Progress], None] | None = None,
        on_error: OnError = "stop",
        ontology: Ontology | None = None,
    ) -> BatchReport:
        """Add many episodes in order, each in its own transaction.

        ``episodes`` may be a list, a generator or an async generator, and is read as a stream.
        After a crash, add the same episodes again: stored ones are skipped. With the rules, the
        result is the same as adding them one by one. A language model reads several at a time
        (``LLMExtractor(side_by_side=...)``); they are written in order.

        Args:
            episodes: Episodes in order; those without a group are added to this one.
            on_progress: Called after each episode.
            on_error: ``stop`` raises at the first failing episode; ``skip`` lists it in
                ``BatchReport.failed`` and goes on. An unavailable store, an exhausted budget or a
                missing extra always raises: every other episode would fail, too.
            ontology: Types for these episodes, as in ``add_episode``.

        Raises:
            GraphRAGError: as for ``add_episode``; episodes before the failing one stay.
        """
        from graphrag.ingest.batch import add_all

        session = self._context.session.with_ontology(ontology)
        group = self._context.group
        return await add_all(session, episodes, group, on_progress=on_progress, on_error=on_error)

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
        """Add one fact in one transaction, and return the result.

        Args:
            subject: An entity, its id, or a name; an unknown name creates an entity.
            relation: Relation, such as ``works_at``.
            object: An entity, as ``subject``.
            valid_at: The first moment at which it holds; None if unknown.
            invalid_at: The first moment at which it no longer holds; None if it still does.
            reference_time: When it was stated; without ``valid_at`` also its start. Default: now,
                and the start is unknown.
            text: The sentence that states it; default: subject, relation and object.
            subject_type: Type, such as ``person``; default: that of the named entity, or ``thing``.
            object_type: Type, as ``subject_type``.
            kind: ``state``, ``was`` (held before), ``event``, ``timeless`` or ``planned``.
            confidence: From 0 to 1; below ``Rules.review_below`` the fact waits for review.
            attributes: Further values to store with the fact.
            source: Origin, for people; stored in ``Fact.provenance``.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if an argument is not valid, or the ontology refuses it.
            PolicyError: if the write policy refused.
            TransactionError: if the database refused; in every case nothing was written.
        """
        from graphrag.ingest.fact_writer import write_fact

        given = given_fact(
            given_end(subject, subject_type, what="subject"), relation,
            given_end(object, object_type, what="object"), valid_at=valid_at, invalid_at=invalid_at,
            reference_time=reference_time, kind=kind, text=text, confidence=confidence,
            attributes=attributes, source=source,
        )  # fmt: skip
        return await write_fact(self._context.session, self._context.group, given, actor=actor)

    async def add_entity(
        self,
        name: str,
        *,
        entity_type: str | None = None,
        aliases: Sequence[str] = (),
        attributes: Mapping[str, JSON] | None = None,
    ) -> Entity:
        """Add an entity, or extend the one with this name, and return it.

        Its summary is composed of its facts, as for every entity.

        Args:
            name: Its proper name.
            entity_type: Type, such as ``person``; default: ``thing``.
            aliases: Other names of the entity.
            attributes: Further values, such as ``email``.

        Raises:
            InputError: if an argument is not valid, or the ontology refuses it.
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
        """Communities (clusters of entities): list, get, map, context, build and update."""
        from graphrag.view.communities import CommunityWrites

        return CommunityWrites(self._context)

    @property
    def sagas(self) -> SagaWrites:
        """Sagas (named sequences of episodes): list, get, window and summarize."""
        from graphrag.view.sagas import SagaWrites

        return SagaWrites(self._context)

    @property
    def export(self) -> GroupExports:
        """Exports: file, copy, pandas, networkx and igraph."""
        from graphrag.view.exports import GroupExports

        return GroupExports(self._context)

    @property
    def edit(self) -> ManualEdits:
        """Manual edits: retract, invalidate, correct, confirm, reject and pending."""
        from graphrag.edit.by_hand import ManualEdits

        return ManualEdits(self.handle, self._context.group)

    @property
    def identity(self) -> Identity:
        """Identity of entities: candidates, merge, unmerge, split, keep_apart and rename."""
        from graphrag.edit.identity import Identity

        return Identity(self.handle, self._context.group)

    @property
    def log(self) -> EventLog:
        """Event log: events, follow, revert, remove_episode, remove_source and replay."""
        from graphrag.history import EventLog

        return EventLog(self.handle, self._context.group)

    @property
    def load(self) -> Load:
        """Imports: facts, seed, documents, contacts, calendar, memory and group."""
        from graphrag.io.loading import Load

        return Load(self.handle, self._context.group)

    @property
    def queue(self) -> QueueControl:
        """Queue of episodes: status, drain, failed and retry."""
        from graphrag.health.health import QueueControl

        return QueueControl(self.handle, self._context.group)

    @property
    def health(self) -> Health:
        """Maintenance: check, repair, cleanup and indexes."""
        from graphrag.health.health import Health

        return Health(self.handle, self._context.group, strict=self._context.strict)

    @property
    def erase(self) -> Erase:
        """Permanent erasure: entity and group."""
        from graphrag.history.erase import Erase

        return Erase(self.handle, self._context.group)
