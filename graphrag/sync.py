"""The blocking twin of the graph: the same methods, without ``await``.

The graph itself runs on an event loop in a background thread, so this works in a script, in a
thread, and inside a running event loop (Jupyter)::

    from graphrag.sync import GraphRAG

    with GraphRAG.open("surrealkv://./memory") as graph:
        graph.add_episode("Alice joined Acme Corp in March 2021.", reference_time="2021-04-02")
        graph.search("where does Alice work?")

Threads may share one graph. Generated from the async classes by ``python -m tests.sync_twin``.
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from datetime import timedelta
from functools import partial
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from graphrag._portal import Portal, feed
from graphrag.analysis.contradictions import Contradictions, Outcome
from graphrag.analysis.difference import Absence, Axis
from graphrag.analysis.orphans import Orphans
from graphrag.analysis.stats import Growth, Period
from graphrag.community.map import CommunityMap, CommunityView
from graphrag.community.report import GlobalContext
from graphrag.display.lists import FactList, Groups, Log
from graphrag.edit import (
    KEEP,
    Keep,
)
from graphrag.edit.editor import (
    Waiting,
)
from graphrag.engine.indexes import Built, IndexReport
from graphrag.graph import OPENED
from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.health.snapshot import CheckReport, RepairReport
from graphrag.history.erase_plan import Texts
from graphrag.history.redact import Forgotten
from graphrag.ingest.batch import OnError
from graphrag.ingest.intake import NewEpisode
from graphrag.ingest.queue import QueueStatus
from graphrag.ingest.reports import Added, BatchReport, ImportReport, Progress, WriteResult
from graphrag.io.batches import Known
from graphrag.io.calendar import Calendar
from graphrag.io.contacts import Contacts
from graphrag.io.fact_rows import Columns
from graphrag.io.files import Exported, Format
from graphrag.io.loading import Paths
from graphrag.io.shown import Frames
from graphrag.io.tables import Rows
from graphrag.io.transfer import CopyProgress
from graphrag.model.arguments import named
from graphrag.model.assertion import Kind as TimeKind
from graphrag.model.values import (
    JSON,
    Community,
    Entity,
    Episode,
    Event,
    Fact,
    Saga,
    Source,
)
from graphrag.protocols import Tracer
from graphrag.resolve.duplicates import MergeCandidate
from graphrag.sagas.order import EpisodeWindow, Sagas
from graphrag.sagas.saga import SagaView
from graphrag.schema import Profile
from graphrag.search.recipe import Recipe
from graphrag.search.within import Reach
from graphrag.session import Handle, Models, Openable, Rules
from graphrag.store.changes import LIBRARY
from graphrag.temporal.interval import Viewpoint
from graphrag.temporal.moment import (
    Moment,
)
from graphrag.view.context import (
    Depth,
    Limit,
    Most,
    Offset,
)
from graphrag.view.sagas import Across, Few

if TYPE_CHECKING:
    from igraph import Graph
    from networkx import MultiDiGraph

    from graphrag.analysis.difference import Axis, Changes
    from graphrag.analysis.orphans import Cleanup, Kind
    from graphrag.analysis.paths import Neighbor, Path
    from graphrag.analysis.stats import Stats
    from graphrag.analysis.subgraph import Subgraph
    from graphrag.analysis.timeline import EntityProfile, Timeline
    from graphrag.ask.answer import Answer, CitedAnswer
    from graphrag.ask.query import Query
    from graphrag.community.evolution import Every
    from graphrag.community.flow import CommunityFlow
    from graphrag.edit.by_hand import ManualEdits as AsyncManualEdits
    from graphrag.edit.identity import Identity as AsyncIdentity
    from graphrag.explorer.atlas import Atlas
    from graphrag.extract.llm.induction import SuggestedOntology
    from graphrag.graph import GroupSet as AsyncGroupSet
    from graphrag.health.health import Health as AsyncHealth
    from graphrag.health.health import QueueControl as AsyncQueueControl
    from graphrag.health.repair import Reembedded
    from graphrag.history import EventLog as AsyncEventLog
    from graphrag.history.erase import Erase as AsyncErase
    from graphrag.history.replay import Replayed
    from graphrag.ingest.batch import OnError
    from graphrag.ingest.reports import BatchReport, Progress
    from graphrag.io.jsonl.group_file import ImportedGroup
    from graphrag.io.loading import Load as AsyncLoad
    from graphrag.io.memories import MemoryReport, Of
    from graphrag.io.transfer import CopyProgress
    from graphrag.model.values import Entity, Episode, Fact
    from graphrag.ontology.ontology import Ontology
    from graphrag.search.filters import Filter
    from graphrag.search.recipe import Recipe, Scope
    from graphrag.search.results import Hit, Quote, Results
    from graphrag.search.within import Reach, Within
    from graphrag.view.audit import Audit as AsyncAudit
    from graphrag.view.communities import CommunityReads as AsyncCommunityReads
    from graphrag.view.communities import CommunityWrites as AsyncCommunityWrites
    from graphrag.view.explaining import Placement
    from graphrag.view.exports import Exports as AsyncExports
    from graphrag.view.exports import GroupExports as AsyncGroupExports
    from graphrag.view.reads import Reads as AsyncReads
    from graphrag.view.sagas import SagaReads as AsyncSagaReads
    from graphrag.view.sagas import SagaWrites as AsyncSagaWrites
    from graphrag.view.surreal import SurrealQL as AsyncSurrealQL
    from graphrag.view.view import Streams as AsyncStreams
    from graphrag.view.view import View as AsyncView
    from graphrag.view.walks import Walks as AsyncWalks
    from graphrag.view.writes import Writes as AsyncWrites


@named("graph.communities")
class CommunityReads:
    """Communities (clusters of entities): ``view.communities``."""

    _twin: AsyncCommunityReads

    def __init__(self, twin: AsyncCommunityReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def list(self, *, level: int | None = None) -> Sequence[Community]:
        """Return the communities, coarsest level first, and on each level largest first.

        These are the communities of the last build; none before it. A view with ``valid_at``
        detects communities of the facts that held then, described without a model.

        Args:
            level: Only this level; 0 is the coarsest. Default: all.

        Raises:
            QueryError: if the level is negative.
        """
        return self._portal.wait(self._twin.list(level=level))

    def get(self, community: Community | str, *, limit: Limit = 50) -> CommunityView:
        """Return a community with its members, the facts between them, and its subcommunities.

        Args:
            community: The community, its id, its name, or a part of its name that is unique.
            limit: Maximum number of members and of facts, best connected first.

        Raises:
            QueryError: if the community does not exist or the limit is out of range.
        """
        return self._portal.wait(self._twin.get(community, limit=limit))

    def map(self, *, level: int = 0, limit: Limit = 200) -> CommunityMap:
        """Return a map of the communities of one level, which a notebook draws.

        Args:
            level: Level; 0 is the coarsest.
            limit: Maximum number of entities, the best connected of each community.

        Raises:
            QueryError: if the level is negative or the limit out of range.
        """
        return self._portal.wait(self._twin.map(level=level, limit=limit))

    def context(
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
        return self._portal.wait(self._twin.context(question, max_tokens=max_tokens, count=count))

    def over_time(
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
        return self._portal.wait(
            self._twin.over_time(
                every,
                start=start,
                end=end,
                resolution=resolution,
                coupling=coupling,
                share=share,
                change=change,
            )
        )


@named("graph.communities")
class CommunityWrites(CommunityReads):
    """Communities that can be built and updated: ``graph.communities``."""

    _twin: AsyncCommunityWrites

    def __init__(self, twin: AsyncCommunityWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def build(self) -> Sequence[Community]:
        """Detect, describe and store the communities of all current facts, on every level.

        A community keeps its id while at least half of it remains. An unchanged one keeps its name
        and summary. With a language model, each changed community takes one request.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return self._portal.wait(self._twin.build())

    def update(self) -> Sequence[Community]:
        """Update the communities that recent changes affect.

        This is fast for few changes. If more than a twentieth of the facts changed since the last
        build, or there was none, all communities are built anew.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return self._portal.wait(self._twin.update())


@named("graph.sagas")
class SagaReads:
    """Sagas (named sequences of episodes), and the order of episodes: ``view.sagas``."""

    _twin: AsyncSagaReads

    def __init__(self, twin: AsyncSagaReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def get(self, name: str) -> SagaView:
        """Return a saga with its episodes in order, their entities and facts, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        return self._portal.wait(self._twin.get(name))

    def list(self) -> Sagas:
        """Return the sagas of the group with their sizes and dates, in order of their starts."""
        return self._portal.wait(self._twin.list())

    def window(
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
        return self._portal.wait(
            self._twin.window(episode, before=before, after=after, across=across)
        )


@named("graph.sagas")
class SagaWrites(SagaReads):
    """Sagas with summaries that can be updated: ``graph.sagas``."""

    _twin: AsyncSagaWrites

    def __init__(self, twin: AsyncSagaWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def summarize(self, name: str) -> Saga:
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
        return self._portal.wait(self._twin.summarize(name))

    def summarize_all(self) -> Sequence[Saga]:
        """Update the summaries of all sagas of the group, and return the changed ones.

        Raises:
            ExtractionError: if the model was not reachable or gave no valid answer; summaries
                written before are kept.
            PolicyError: if the write policy refused.
        """
        return self._portal.wait(self._twin.summarize_all())


@named("graph.audit")
class Audit:
    """Reads about the whole group: ``graph.audit``."""

    _twin: AsyncAudit

    def __init__(self, twin: AsyncAudit, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def contradictions(
        self,
        since: Moment | None = None,
        until: Moment | None = None,
        *,
        axis: Axis = "system",
        outcomes: Sequence[Outcome] | None = None,
        limit: Limit = 100,
    ) -> Contradictions:
        """Return the pairs of facts that cannot both hold, with their outcome and the reason.

        Facts of all times are compared; in a view with ``valid_at``, those stated for that moment.

        Args:
            since: Start of the period; default: none.
            until: End of the period (exclusive); default: none.
            axis: Meaning of the period. ``system``: the settlement, or the addition of the later
                fact of an open pair. ``world``: the time for which both facts were stated.
            outcomes: Only these outcomes, such as ``open`` or ``replaced``; default: all.
            limit: Maximum number; open ones come first, then the latest.

        Raises:
            QueryError: if the period is reversed, the axis or an outcome is unknown, or the limit
                is out of range.
            TimeError: if a moment cannot be read.
        """
        return self._portal.wait(
            self._twin.contradictions(since, until, axis=axis, outcomes=outcomes, limit=limit)
        )

    def absence(self, entity: Entity | str, relation: str) -> Absence | None:
        """Return since when an entity has no fact of a relation, and what ended the last one.

        None if such a fact holds at the viewpoint. ``str()`` of the result is a sentence.

        Args:
            entity: An entity, its name or its id, as subject or object.
            relation: A relation, such as ``works_at``.

        Raises:
            QueryError: if the entity does not exist.
        """
        return self._portal.wait(self._twin.absence(entity, relation))

    def orphans(self, *, limit: Limit = 100) -> Orphans:
        """Return unconnected items: entities without facts or mentions, episodes without facts, ...

        Facts and episodes of all times count, whatever the ``valid_at`` of the view.
        ``health.cleanup()`` removes the orphans that are safe to remove.

        Args:
            limit: Maximum number of each kind.

        Raises:
            QueryError: if the limit is out of range.
        """
        return self._portal.wait(self._twin.orphans(limit=limit))

    def growth(self, by: Period = "month") -> Growth:
        """Return the numbers of episodes, entities and facts added to the graph in each period.

        Args:
            by: Period: ``day``, ``week`` (from Monday), ``month`` or ``year``, in UTC.

        Raises:
            QueryError: if the period is unknown.
        """
        return self._portal.wait(self._twin.growth(by))

    def hubs(self, limit: Limit = 10) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts and their number of facts, without concepts.

        Facts of all times count; in a view with ``valid_at``, only those that held then.

        Args:
            limit: Maximum number of entities.

        Raises:
            QueryError: if the limit is out of range.
        """
        return self._portal.wait(self._twin.hubs(limit))

    def suggest_ontology(
        self, texts: Sequence[str] | None = None, *, least: Limit = 2
    ) -> SuggestedOntology:
        """Propose an ontology; ``print`` shows it as Python source, ``Rules(ontology=)`` uses it.

        Args:
            texts: A sample of texts, for which the language model of the graph proposes types in
                one question; default: the types and relations in use, without a model.
            least: Number of facts from which on a type or relation in use is proposed.

        Raises:
            QueryError: if the graph has no language model, or no text is given.
            LLMError: if the language model failed.
        """
        return self._portal.wait(self._twin.suggest_ontology(texts, least=least))


@named("graph.surreal")
class SurrealQL:
    """SurrealQL queries on the database of a graph: ``graph.surreal``."""

    _twin: AsyncSurrealQL

    def __init__(self, twin: AsyncSurrealQL, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def query(self, sql: str, **params: Any) -> Any:
        """Run read-only statements, and return the result of the last one.

        ``$group`` is the group, and ``$at`` the moment of the view or now, unless you pass a
        parameter of that name. Records are returned as ``surrealdb.RecordID``, times as aware
        datetimes in UTC, durations as ``surrealdb.Duration``, decimals as ``Decimal``. A fact,
        entity, episode, community or saga as a parameter stands for its record.

        Args:
            sql: One or more SurrealQL statements.
            params: Parameters by name.

        Raises:
            QueryError: if a statement writes (a write that bypasses the log cannot be undone), or
                if the view has ``known_at``: past states are only in the log.
            StoreError: if the database rejects the query; the message is its own.
        """
        return self._portal.wait(self._twin.query(sql, **params))

    def vectors(self, kind: str = "relates_to") -> str:
        """Return the name of the table with the vectors of a kind, in a DISKANN or HNSW index.

        Its rows have ``vector`` and ``of``, the record of the vector. Kinds are ``relates_to``,
        ``entity``, ``episode``, ``passage`` and ``community``. The tables exist in a store of the
        engine profile, and after ``surreal-graphrag index native``.
        """
        return self._twin.vectors(kind)

    def words(self, kind: str = "relates_to") -> str:
        """Return the name of the table with the words of a kind, in a FULLTEXT index.

        Its rows have ``terms`` (stemmed words) and ``of``, the record of the words.
        """
        return self._twin.words(kind)


@named("graph.export")
class Exports:
    """Exports of the facts and entities that a view contains: ``view.export``."""

    _twin: AsyncExports

    def __init__(self, twin: AsyncExports, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def file(self, file: str | PathLike[str], *, format: Format | None = None) -> Exported:
        """Write the entities and facts of the view to a file.

        Args:
            file: Path of the file; the ending ``.gz`` compresses it.
            format: ``csv``, ``graphml``, ``turtle`` or ``html``; default: according to the ending.

        Raises:
            InputError: if the group or format does not exist, or the file cannot be written.
        """
        return self._portal.wait(self._twin.file(file, format=format))

    def networkx(self) -> MultiDiGraph:
        """Return the view as a networkx graph: nodes are keyed by entity id, edges by fact id.

        Attributes have the names of the fields: ``name``, ``entity_type``, ``relation``, ``fact``,
        ``valid_at`` (an aware datetime, or None), ... Needs the extra ``analysis``.

        Raises:
            QueryError: if the group does not exist.
            MissingExtraError: if networkx is not installed.
        """
        return self._portal.wait(self._twin.networkx())

    def igraph(self) -> Graph:
        """Return the view as a directed igraph graph, with the attributes of ``networkx``.

        Raises:
            QueryError: if the group does not exist.
        """
        return self._portal.wait(self._twin.igraph())

    def pandas(self) -> Frames:
        """Return the facts and the entities of the view as two data frames.

        ``load.facts`` accepts the frame of facts. Needs the extra ``analysis``.

        Raises:
            QueryError: if the group does not exist.
            MissingExtraError: if pandas is not installed.
        """
        return self._portal.wait(self._twin.pandas())

    def atlas(self, *, limit: Limit = 10000, history: bool = True, quotes: bool = False) -> Atlas:
        """Return the data of the explorer: facts of all times that the view knows, with a layout.

        Args:
            limit: Maximum number of entities, best connected first.
            history: False for only the facts that hold at the moment of the view.
            quotes: Whether to include the quotes of each fact, as a page without a server needs.

        Raises:
            QueryError: if the group does not exist or the limit is out of range.
        """
        return self._portal.wait(self._twin.atlas(limit=limit, history=history, quotes=quotes))


@named("graph.export")
class GroupExports(Exports):
    """Exports of a whole group, or of its facts and entities: ``graph.export``."""

    _twin: AsyncGroupExports

    def __init__(self, twin: AsyncGroupExports, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def file(
        self,
        file: str | PathLike[str],
        *,
        format: Format | None = None,
        vectors: bool = True,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> Exported:
        """Write the group to a file, which replaces an existing one only when it is complete.

        ``jsonl`` holds the whole group with vectors and log, for ``load.group``. The other formats
        hold its entities and the facts of all times with their lifetimes, without retracted and
        pending ones.

        Args:
            file: Path of the file; the ending ``.gz`` compresses it.
            format: ``jsonl``, ``csv``, ``graphml``, ``turtle``, or ``html`` for the explorer;
                default: according to the ending.
            vectors: False omits the vectors from ``jsonl``: the file has less than half the size,
                and its import computes them again.
            on_progress: Called after each page.

        Raises:
            InputError: if the group or format does not exist, or the file cannot be written.
            StoreError: if other processes keep writing to the group.
        """
        return self._portal.wait(
            self._twin.file(file, format=format, vectors=vectors, on_progress=on_progress)
        )

    def copy(
        self,
        name: str | None = None,
        *,
        into: Openable | None = None,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> dict[str, int]:
        """Copy the group with its vectors and its log; return the number of rows by table.

        The copy is an independent group with the same past. Every row is compared, and the copy
        cannot be read or written until it is complete. Do not write to the group meanwhile. If the
        target store already has these ids, as in a copy within one store, the copy gets new ones.

        Args:
            name: Name of the copy; default: unchanged, in another store.
            into: Another graph, as returned by ``GraphRAG.open``. If it is not open, it is opened
                for the copy and closed again. Its write policy is not applied. Default: this store.
            on_progress: Called after each page.

        Raises:
            InputError: if the group does not exist, or the target has a group of this name.
            EmbedderMismatchError: if the other graph has another embedder; use ``log.replay``.
        """
        return self._portal.wait(self._twin.copy(name, into=into, on_progress=on_progress))


@named("graph.edit")
class ManualEdits:
    """Manual edits of facts, and their review: ``graph.edit``."""

    _twin: AsyncManualEdits

    def __init__(self, twin: AsyncManualEdits, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def retract(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a fact that was never true, and return it as updated.

        Facts that it had ended hold again. The fact stays in the history, with time and reason.

        Raises:
            InputError: if the fact does not exist or is retracted already.
        """
        return self._portal.wait(self._twin.retract(fact, reason, actor=actor))

    def invalidate(
        self,
        fact: Fact | str,
        at: Moment | None = None,
        *,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """End a fact at a moment, by default now, and return it as updated.

        The fact stays true for the time before. Use ``retract`` if it was never true.

        Raises:
            InputError: if the fact does not exist, is retracted or pending, ended earlier, or
                starts at that moment or later.
        """
        return self._portal.wait(self._twin.invalidate(fact, at, reason=reason, actor=actor))

    def correct(
        self,
        fact: Fact | str,
        *,
        subject: Entity | str | None = None,
        relation: str | None = None,
        object: Entity | str | None = None,
        text: str | None = None,
        valid_at: Moment | Keep | None = KEEP,
        invalid_at: Moment | Keep | None = KEEP,
        reason: str = "",
        actor: str | None = None,
    ) -> Fact:
        """Correct a fact, and return the valid one.

        Dates and text are changed in place. Another subject, relation or object creates a new fact,
        confirmed and of origin ``manual``, and retracts the old one. In both cases earlier
        statements of the fact no longer count, and all affected lifetimes are settled again: the
        fact may close others, and a later fact may close it.

        Args:
            fact: The fact to correct.
            subject: New subject: an entity, its id, or a name; an unknown name creates an entity.
            relation: New relation, such as ``works_at``.
            object: New object, as ``subject``.
            text: New sentence; default: made of the names if one of them changes.
            valid_at: New start; None if unknown. The end of an event moves with its start.
            invalid_at: New end; None if it still holds.
            reason: The reason, stored in the log and with the old fact.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the fact does not exist or is retracted, nothing changes, a name is
                ambiguous, the end is not after the start, an event, plan or former fact would lack
                its date and so hold today, or the ontology refuses the fact.
        """
        return self._portal.wait(
            self._twin.correct(
                fact,
                subject=subject,
                relation=relation,
                object=object,
                text=text,
                valid_at=valid_at,
                invalid_at=invalid_at,
                reason=reason,
                actor=actor,
            )
        )

    def settle(self, *, reason: str = "", actor: str | None = None) -> tuple[Fact, ...]:
        """Settle all facts again by the rules with which the graph was opened.

        A write settles only the facts that it touches. Call this after you add relations or
        standing rules; it is one transaction. Returns the facts that are new or changed.

        Raises:
            InputError: if standing rules derive too many facts.
        """
        return self._portal.wait(self._twin.settle(reason=reason, actor=actor))

    def pending(self, limit: int = 100) -> list[Waiting]:
        """Return the facts that wait for review, oldest first, each with the quotes that state it.

        A fact waits if its confidence is below ``Rules.review_below``. Until it is confirmed, reads
        leave it out and it closes no other fact.
        """
        return self._portal.wait(self._twin.pending(limit))

    def confirm(self, fact: Fact | str, *, actor: str | None = None) -> Fact:
        """Accept a pending or contested fact, and return the valid fact.

        It then counts as a statement of the most trusted source: it may close other facts. If it
        only repeats or ends a fact, the two are combined.

        Raises:
            InputError: if the fact does not exist or is not pending or contested.
        """
        return self._portal.wait(self._twin.confirm(fact, actor=actor))

    def reject(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a pending or contested fact, and return it.

        Raises:
            InputError: if the fact does not exist or is not pending or contested.
        """
        return self._portal.wait(self._twin.reject(fact, reason, actor=actor))


@named("graph.identity")
class Identity:
    """Identity of entities: ``graph.identity``."""

    _twin: AsyncIdentity

    def __init__(self, twin: AsyncIdentity, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def candidates(self, limit: int = 50) -> list[MergeCandidate]:
        """Return pairs of entities that may be duplicates, most likely first; nothing changes.

        They share an identifier, or have similar names or names of similar meaning. Pairs with
        different identifiers, and pairs that ``keep_apart``, a split or an arbiter separated, are
        left out. The time grows with the group: about two minutes for 100,000 entities.

        Raises:
            InputError: if the limit is below 1.
        """
        return self._portal.wait(self._twin.candidates(limit))

    def rename(
        self, entity: Entity | str, name: str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Change the primary name of an entity, and return the event; ``log.revert`` undoes it.

        All current views show the new name, and the old one becomes an alias. Facts keep the names
        with which they were stated. If a thing was renamed in the world at some time, add that as a
        fact instead: ``add_fact(old, "renamed_to", new, valid_at=...)``.

        Raises:
            InputError: if the entity does not exist, the name is empty or already its primary name,
                or another entity of the group has it as a name or alias: see ``merge``.
        """
        return self._portal.wait(self._twin.rename(entity, name, reason=reason, actor=actor))

    def keep_apart(
        self, one: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Record that two entities are different, and return the event; ``log.revert`` undoes it.

        ``candidates`` no longer proposes them. ``merge`` is still possible.

        Raises:
            InputError: if an entity does not exist, a name is ambiguous, both are the same entity,
                or this is recorded already.
        """
        return self._portal.wait(self._twin.keep_apart(one, other, reason=reason, actor=actor))

    def merge(
        self, keep: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Merge two entities, and return the event, which ``unmerge`` accepts.

        ``keep`` takes over all statements about ``other``, and its names as aliases. The facts of
        both are settled again: equal ones are joined; a single-valued relation keeps the last
        value.

        Raises:
            InputError: if an entity does not exist, a name is ambiguous, or both are one already.
        """
        return self._portal.wait(self._twin.merge(keep, other, reason=reason, actor=actor))

    def unmerge(self, event: Event | int, *, reason: str = "", actor: str | None = None) -> Event:
        """Undo a merge, given by its event or the number of it, and return the new event.

        Both entities get back their names and facts. Data added or edited since then stays with the
        entity that was kept; facts of the other one that it had ended hold again. The facts of each
        are settled again.

        Raises:
            InputError: if the event is not a merge or was undone already, ``keep`` was merged
                since, or it was renamed to the other's name, which must be reverted first.
        """
        return self._portal.wait(self._twin.unmerge(event, reason=reason, actor=actor))

    def split(
        self,
        entity: Entity | str,
        *,
        name: str,
        facts: Iterable[Fact | str] = (),
        episodes: Iterable[Episode | str] = (),
        entity_type: str | None = None,
        reason: str = "",
        actor: str | None = None,
    ) -> Entity:
        """Move facts that were attributed to the wrong entity to a new one, and return it.

        The new entity gets copies of the facts with new ids; the old ones are retracted with a
        reference to them. A fact that rests on the given episodes and on others stays at both. Use
        ``unmerge`` to undo a merge.

        Args:
            entity: The old entity.
            name: Name of the new entity; if it is an alias of the old one, it moves.
            facts: Facts to move.
            episodes: Episodes whose statements about the entity all move.
            entity_type: Type of the new entity; default: that of the old one.
            reason: The reason, stored with the event.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the entity or a fact does not exist, nothing would move, or an entity has
                the name.
        """
        return self._portal.wait(
            self._twin.split(
                entity,
                name=name,
                facts=facts,
                episodes=episodes,
                entity_type=entity_type,
                reason=reason,
                actor=actor,
            )
        )


@named("graph.log")
class EventLog:
    """Event log of a group, with revert, removal and replay: ``graph.log``."""

    _twin: AsyncEventLog

    def __init__(self, twin: AsyncEventLog, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def events(
        self,
        *,
        after: int | None = None,
        limit: int | None = None,
        fact: Fact | str | None = None,
        entity: Entity | str | None = None,
    ) -> Log:
        """Return the events of the group, oldest first.

        With ``fact`` or ``entity``, only the events that changed it; for an entity also those that
        changed a fact about it or mention it.

        Args:
            after: Only events with a higher number.
            limit: Maximum number: the newest events, or with ``after`` the next ones. Default: all.
            fact: A fact, or its id.
            entity: An entity, or its id.

        Raises:
            InputError: if both are given, or the limit is out of range.
        """
        return self._portal.wait(
            self._twin.events(after=after, limit=limit, fact=fact, entity=entity)
        )

    def remove_episode(
        self, episode: Episode | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Remove an episode with the facts that only it states, and return the event.

        A fact that another episode or a person also states stays. Facts that the episode had closed
        hold again, and entities without other mentions disappear from reads. Nothing is deleted:
        earlier moments still show it, and the episode may be added again.

        Raises:
            InputError: if the episode does not exist or is removed already.
        """
        return self._portal.wait(self._twin.remove_episode(episode, reason=reason, actor=actor))

    def remove_source(self, source: str, *, reason: str = "", actor: str | None = None) -> Event:
        """Remove everything that one source stated, in one transaction; return the event.

        Its episodes are removed as by ``remove_episode``, and facts that tables or calls stated in
        its name are retracted. Exceptions stay: facts that a person confirmed, attributes that its
        tables set, and what others said of an entity by a name only it knew. ``revert`` undoes the
        removal. ``source`` is the ``source_description`` of episodes and the ``source`` of facts.

        Raises:
            InputError: if no valid data is from this source.
        """
        return self._portal.wait(self._twin.remove_source(source, reason=reason, actor=actor))

    def revert(
        self, event: Event | int, *, force: bool = False, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo an event with a new event, which is returned and can be reverted, too.

        Changed fields get their earlier values back. Facts and episodes that the event added are
        retracted or removed, with entities that nothing else mentions. With ``force``, fields that
        a later event changed are restored, too.

        Raises:
            InputError: if the event does not exist, cannot be undone or is undone already, or a
                later event changed the same fields and ``force`` is not set.
        """
        return self._portal.wait(self._twin.revert(event, force=force, reason=reason, actor=actor))

    def follow(self, *, after: int | None = None) -> Iterator[Event]:
        """Yield new events: ``async for event in graph.log.follow():``.

        Yields each event when it is committed, until the graph is closed. Searches in the loop
        already see its changes, and a slow reader misses no event. Events of other processes arrive
        from a server within half a second.

        Args:
            after: Start after the event with this number; 0 yields the whole log first. Default:
                only new events.

        Raises:
            QueryError: if there is no event with this number.
        """
        return self._portal.follow(lambda: self._twin.follow(after=after))

    def replay(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Rebuild the group from its log in another store, and return a report.

        The other graph has the same records, events and past. Vectors are copied, or computed again
        if it has another embedder: this is how to change the embedder. Changes of the tables that
        bypassed the log are not replayed.

        Args:
            into: A graph whose store does not have the group, as returned by ``GraphRAG.open``. If
                it is not open, it is opened for the replay and closed again. Its policy is not
                applied.
            until: System time: replay only the events until then.

        Raises:
            InputError: if the group does not exist, or the other store has it.
            StoreError: if the log is incomplete; ``health.check()`` gives the place.
        """
        return self._portal.wait(self._twin.replay(into, until=until))

    def replay_all(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Rebuild every group of the store from its log in another store: see ``replay``."""
        return self._portal.wait(self._twin.replay_all(into, until=until))


@named("graph.erase")
class Erase:
    """Permanent erasure, which cannot be undone: ``graph.erase``."""

    _twin: AsyncErase

    def __init__(self, twin: AsyncErase, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def entity(
        self,
        entity: Entity | str,
        *,
        episodes: Texts = "erase",
        actor: str | None = None,
        dry_run: bool = False,
    ) -> Forgotten:
        """Erase an entity with everything stated about it, in one transaction.

        This erases its facts, the episodes that mention it, state something about it or contain one
        of its names, facts and entities without other sources, and the communities until they are
        built again. Facts that an erased fact had closed hold again, as far as the rules allow. All
        other data and the log lose the names; events keep number, kind and time.

        Args:
            entity: The entity, its id or its name.
            episodes: ``keep`` preserves every text: it is still found by its words, but no longer
                linked to the entity.
            actor: Name for the log.
            dry_run: Only count the data to erase; the policy is not applied.

        Raises:
            InputError: if the entity does not exist or a name is ambiguous.
        """
        return self._portal.wait(
            self._twin.entity(entity, episodes=episodes, actor=actor, dry_run=dry_run)
        )

    def group(
        self, *, confirm: str | None = None, actor: str | None = None, dry_run: bool = False
    ) -> Forgotten:
        """Erase the whole group with its log and its name, whatever its size.

        This takes many small transactions. If it is interrupted the group is closed; call the
        method again to finish.

        Args:
            confirm: The name of the group, as a confirmation.
            actor: Name for the log.
            dry_run: Only count the data to erase; the policy is not applied.

        Raises:
            InputError: if ``confirm`` is not the name of the group.
            QueryError: if the group does not exist.
        """
        return self._portal.wait(self._twin.group(confirm=confirm, actor=actor, dry_run=dry_run))


@named("graph.load")
class Load:
    """Imports into a group: ``graph.load``. People are matched by e-mail address, then by name."""

    _twin: AsyncLoad

    def __init__(self, twin: AsyncLoad, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def facts(
        self,
        rows: Rows,
        *,
        columns: Columns | None = None,
        defaults: Mapping[str, Any] | None = None,
        judge: bool = True,
        batch: int = 1000,
        on_error: OnError = "stop",
        source: str | None = None,
        on_progress: Callable[[ImportReport], None] | None = None,
    ) -> ImportReport:
        """Add many facts from a table, one transaction per batch, thousands per second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or an iterable
        of rows with named columns, read as a stream. Columns are ``subject``, ``relation``,
        ``object``, and optionally ``valid_at``, ``invalid_at``, ``reference_time``, ``observed``
        (``valid_at`` is only the first observation), ``text``, ``confidence``, ``source``,
        ``provenance``; types as ``subject_type``, ``attributes`` (or ``attributes.NAME``) of the
        fact and ``subject_attributes`` of an end, vectors as ``embedding``, ``subject_embedding``.
        A network (``.graphml``, networkx) gives nodes as entities and edges as facts.

        Importing the same rows again adds nothing, and retracted facts stay retracted.

        Args:
            rows: The table.
            columns: Names in the table by column, such as ``{"subject": "Employee"}``; other
                unknown columns are then ignored.
            defaults: Values for missing cells, such as ``{"relation": "works_at"}``.
            judge: False for a table with exact lifetimes, which are stored unchanged. With True,
                single-valued relations hold one value at a time, as elsewhere.
            batch: Number of rows in a transaction.
            on_error: For an invalid row ``stop`` raises, and ``skip`` lists it in the report.
            source: Origin of the table, for rows without a source.
            on_progress: Called after each batch.

        Raises:
            InputError: if a row is invalid; the message names row and column. Its batch was not
                written; earlier batches stay.
            PolicyError, TransactionError: if the write policy or the database refused a batch.
        """
        return self._portal.wait(
            self._twin.facts(
                rows,
                columns=columns,
                defaults=defaults,
                judge=judge,
                batch=batch,
                on_error=on_error,
                source=source,
                on_progress=on_progress,
            )
        )

    def seed(
        self, known: Known, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add facts about some entities from a dictionary, in one transaction.

        Example: ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``. An object may be a
        mapping with the columns of ``facts``: ``{"object": "Acme", "valid_at": "2021-03"}``.
        Several values of a single-valued relation need a start each. Seeding the same facts again
        adds nothing.

        Args:
            known: Relations and their objects, by subject.
            reference_time: When the facts held; default: facts without a time have an unknown
                start.
            source: Origin of the data, for people.

        Raises:
            InputError: if an entry is invalid; the message names the subject and the relation.
            PolicyError: if the write policy refused; nothing was written in either case.
        """
        return self._portal.wait(
            self._twin.seed(known, reference_time=reference_time, source=source)
        )

    def documents(
        self,
        paths: Paths,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        author: str | None = None,
        saga: str | None = None,
        on_error: OnError = "skip",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BatchReport:
        """Add files and folders of text, Markdown, JSON or JSON Lines as episodes.

        Files are split and dated as by ``surreal-graphrag add``. Adding them again changes nothing.

        Args:
            paths: Files or folders of text files; a link is followed if it stays in its folder.
            reference_time: When they were written. Default: the date of each record, else the date
                in the front matter, mail header, name or first line, else the time of the last
                change.
            source: Origin of the files, for people; default: the name or path in its folder.
            author: Name of the author: the person that "I" means in a note.
            saga: Name of the sequence of episodes that they belong to.
            on_error: ``skip`` lists a failing file or episode in ``BatchReport.failed`` and goes
                on; ``stop`` raises.
            on_progress: Called after each episode.

        Raises:
            EpisodeError: if no file can be read, or with ``stop`` if one cannot.
            GraphRAGError: as for ``add_episodes``.
        """
        return self._portal.wait(
            self._twin.documents(
                paths,
                reference_time=reference_time,
                source=source,
                author=author,
                saga=saga,
                on_error=on_error,
                on_progress=on_progress,
            )
        )

    def contacts(
        self, contacts: Contacts, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add the people of an address book and where they work.

        ``contacts`` is a vCard file, a CSV file with a header, or dictionaries with ``name``,
        ``email``, ``phone``, ``company``, ``title``, ``aliases``. Nothing is written if a contact
        is invalid. Importing the same contacts again adds nothing.

        Args:
            contacts: The address book.
            reference_time: When the jobs were held; default: their starts are unknown.
            source: Origin of the data, for people.

        Raises:
            InputError: if a contact is invalid; the message names it.
            MissingExtraError: if a vCard file is given without the extra ``interchange``.
            PolicyError: if the write policy refused.
        """
        return self._portal.wait(
            self._twin.contacts(contacts, reference_time=reference_time, source=source)
        )

    def calendar(
        self,
        calendar: Calendar,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        time_zone: str | None = None,
        source: str | None = None,
    ) -> ImportReport:
        """Add the meetings of a calendar, with their attendees and places.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting becomes an entity named with its day, and its
        facts hold while it lasts. A repeated meeting is added once for each date, at most 1,000
        times. Cancelled meetings and people who declined are left out. Importing the same calendar
        again adds nothing. Nothing is written if a meeting is invalid.

        Args:
            calendar: The meetings.
            since: Earliest date of a repeated meeting. Default: its first one.
            until: End (exclusive) of the dates of a repeated meeting. Default: in a year.
            time_zone: Zone of times without one, such as ``Europe/Oslo``. Default: that of the
                file; without one, such times are an error.
            source: Origin of the data, for people.

        Raises:
            InputError: if a meeting is invalid; the message names it.
            MissingExtraError: if an iCalendar file is given without the extra ``interchange``.
            PolicyError: if the write policy refused.
        """
        return self._portal.wait(
            self._twin.calendar(
                calendar, since=since, until=until, time_zone=time_zone, source=source
            )
        )

    def memory(
        self, paths: Paths, *, of: Of | None = None, one_group: bool = False, judge: bool = False
    ) -> MemoryReport:
        """Import an export of Graphiti, Zep or Mem0: episodes, entities and facts with all dates.

        Importing the same export again changes nothing. The report lists the records that were left
        out, with reasons. Nothing is written unless every file can be read.

        Args:
            paths: JSON or JSON Lines files, or a folder of them (links as for ``documents``).
            of: ``graphiti``, ``zep`` or ``mem0``; default: detected from the records.
            one_group: Whether all groups of the export go into this group. Default: each goes into
                a group of the same name, and records without a group into this one.
            judge: Whether facts may end each other by the rules of this graph. Default: no.

        Raises:
            InputError: if a file cannot be read or recognised, or the name of a group is invalid.
            PolicyError: if the write policy refused; earlier writes stay.
        """
        return self._portal.wait(self._twin.memory(paths, of=of, one_group=one_group, judge=judge))

    def group(
        self,
        file: str | PathLike[str],
        name: str | None = None,
        *,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> ImportedGroup:
        """Restore a group from a ``jsonl`` export: same rows, vectors, log and past.

        The group cannot be read until it is complete, and an error removes it. Vectors of another
        embedder are computed again. If the store already has these ids, the group gets new ones.
        The policy is not applied.

        Args:
            file: A file written by ``export.file``.
            name: Name of the group; default: the one in the file.
            on_progress: Called after each page.

        Raises:
            InputError: if the file is invalid (the message gives the line), or the group exists.
            StoreError: if the database refused.
        """
        return self._portal.wait(self._twin.group(file, name, on_progress=on_progress))


@named("graph.queue")
class QueueControl:
    """Queue of episodes that wait for extraction: ``graph.queue``."""

    _twin: AsyncQueueControl

    def __init__(self, twin: AsyncQueueControl, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def status(self) -> QueueStatus:
        """Return the numbers of pending, done and failed episodes of the group."""
        return self._portal.wait(self._twin.status())

    def failed(self) -> list[Episode]:
        """Return the episodes whose extraction failed, each with its ``error``."""
        return self._portal.wait(self._twin.failed())

    def retry(self) -> int:
        """Mark the failed episodes of the group as pending, and return their number."""
        return self._portal.wait(self._twin.retry())

    def drain(self) -> None:
        """Wait until no episode of the group is pending.

        Failed episodes are not retried. With ``workers=0`` this call does the extraction.

        Raises:
            StoreError: if the store is not available; pending episodes stay pending.
        """
        return self._portal.wait(self._twin.drain())

    def drain_all(self) -> None:
        """Wait until no episode of any group is pending: see ``drain``."""
        return self._portal.wait(self._twin.drain_all())


@named("graph.health")
class Health:
    """Checks, repairs and cleanup: ``graph.health``."""

    _twin: AsyncHealth

    def __init__(self, twin: AsyncHealth, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def check(self) -> CheckReport:
        """Check the consistency of the group; nothing is written.

        Compares every record with the event log, the records that it refers to, and the index in
        the memory of this process. The report of a sound graph has no findings.

        Raises:
            QueryError: if the group does not exist and was opened with ``strict=True``.
            StoreError: if other processes keep writing to the group.
        """
        return self._portal.wait(self._twin.check())

    def check_all(self) -> CheckReport:
        """Check every group of the store: see ``check``."""
        return self._portal.wait(self._twin.check_all())

    def repair(self) -> RepairReport:
        """Repair defects that have one possible repair, and report the remaining ones.

        Missing embeddings are computed, the chain of episodes is linked again, links and passages
        without a target are removed, and the memory of this process is reloaded.

        Raises:
            QueryError: if the group does not exist and was opened with ``strict=True``.
            PolicyError: if the write policy refused a repair.
            StoreError: if other processes keep writing to the group.
        """
        return self._portal.wait(self._twin.repair())

    def repair_all(self) -> RepairReport:
        """Repair every group of the store: see ``repair``."""
        return self._portal.wait(self._twin.repair_all())

    def indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written.

        Raises:
            StoreProfileError: if the store has the process profile, which has no such indexes.
        """
        return self._portal.wait(self._twin.indexes())

    def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Rebuild the indexes while nobody writes; searches are refused meanwhile.

        After many writes this also makes searches faster: it joins pages of single transactions.

        Args:
            rows: Whether to derive the indexed rows from the records again, too.
            on_step: Called after each step.

        Raises:
            StoreProfileError: if the store has the process profile, which has no such indexes.
        """
        return self._portal.wait(self._twin.build_indexes(rows=rows, on_step=on_step))

    def build_native(self, *, on_step: Callable[[Built], None] | None = None) -> list[Built]:
        """Add tables that SurrealQL can search to a store of the process profile.

        Vectors get a DISKANN or HNSW index, words a FULLTEXT index; later transactions keep them up
        to date. Do not write meanwhile. After an interruption call the method again.

        Args:
            on_step: Called after each step.
        """
        return self._portal.wait(self._twin.build_native(on_step=on_step))

    def reembed(self, *, on_progress: Callable[[Reembedded], None] | None = None) -> Reembedded:
        """Change the embedder of the store to that of this graph, which must not be open.

        Nothing is extracted again. The old vectors stay in use until all new ones are computed.
        After an interruption call the method again to continue. Do not write meanwhile.

        Args:
            on_progress: Called after each 64 vectors.

        Raises:
            InputError: if this graph is open: it then has the embedder of the store.
            StoreProfileError: if the store has the engine profile; use ``log.replay_all``.
            EmbeddingError: if the new embedder fails; vectors computed so far are kept.
        """
        return self._portal.wait(self._twin.reembed(on_progress=on_progress))

    def cleanup(
        self,
        kinds: Sequence[Kind] = ("entities",),
        *,
        dry_run: bool = True,
        reason: str = "",
        actor: str | None = None,
    ) -> Cleanup:
        """Remove orphans from the reads, and give the reason why each is removed or kept.

        Nothing is deleted and no fact changes. A removed item returns when it is mentioned again,
        and ``log.revert`` restores all. Entities that a person entered directly, or that have
        attributes, are kept.

        Args:
            kinds: ``entities``, and optionally ``episodes`` (texts that state nothing, which
                searches otherwise find). Each kind is one transaction with one event.
            dry_run: Whether to only report the changes; the policy is not applied.
            reason: The reason, stored with the events.
            actor: Name for the log; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if a kind is unknown.
            QueryError: if the group does not exist and was opened with ``strict=True``.
            PolicyError: if the write policy refused; another kind may be done already.
        """
        return self._portal.wait(
            self._twin.cleanup(kinds, dry_run=dry_run, reason=reason, actor=actor)
        )


@named()
class Reads:
    """Lookups in a group from a viewpoint."""

    _twin: AsyncReads

    def __init__(self, twin: AsyncReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    @property
    def group_id(self) -> str:
        """Return the name of the group."""
        return self._twin.group_id

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the viewpoint of the reads."""
        return self._twin.viewpoint

    def entity(self, name: str) -> Entity | None:
        """Return the best connected entity with this name, alias or id, or None."""
        return self._portal.wait(self._twin.entity(name))

    def entities(
        self,
        name: str | None = None,
        *,
        entity_type: str | None = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> list[Entity]:
        """Return the entities with this name, alias or id, or all, best connected first.

        Args:
            name: A name, an alias or an id; default: any.
            entity_type: Only this type, such as ``person``; default: all, but values (amounts,
                dates, addresses, states) only if a name is given.
            limit: Maximum number of entities.
            offset: Number of results to skip, for paging.

        Raises:
            QueryError: if the limit or offset is out of range.
        """
        return self._portal.wait(
            self._twin.entities(name, entity_type=entity_type, limit=limit, offset=offset)
        )

    def facts(
        self,
        entity: Entity | str | None = None,
        *,
        relation: str | None = None,
        limit: Limit | None = None,
        offset: Offset = 0,
    ) -> FactList:
        """Return the facts that hold at the viewpoint by their start, unknown starts first.

        Inverse relations are included: ``relation="employs"`` returns facts of ``works_at`` if one
        is declared the inverse of the other. Facts are returned as stored.

        Args:
            entity: An entity, its name or its id: only facts about it; default: all.
            relation: Only facts of this relation, such as ``works_at``. An unused relation returns
                no facts, with a warning if it resembles a used one.
            limit: Maximum number; default: all about an entity, else 100.
            offset: Number of results to skip, for paging.

        Raises:
            QueryError: if the entity does not exist, or the limit or offset is out of range.
        """
        return self._portal.wait(
            self._twin.facts(entity, relation=relation, limit=limit, offset=offset)
        )

    def episodes(
        self,
        ids: Sequence[str] | None = None,
        *,
        before: Moment | None = None,
        saga: str | None = None,
        where: Filter | None = None,
        limit: Limit = 100,
        offset: Offset = 0,
    ) -> list[Episode]:
        """Return the episodes with these ids in the given order, or all by reference time.

        Unknown ids are left out, as are episodes added after ``known_at`` or dated after
        ``valid_at``.

        Args:
            ids: Ids or your own keys of episodes; default: all of the group, latest first.
            before: Without ids: only episodes with an earlier reference time, the last ``limit``.
            saga: Without ids: only episodes of this saga.
            where: Without ids: a filter such as ``Field.metadata["lang"] == "en"``.
            limit: Without ids: maximum number of episodes.
            offset: Number of episodes to skip, for paging.

        Raises:
            QueryError: if the limit or offset is out of range, or ids are given with others.
            TimeError: if ``before`` cannot be read.
        """
        return self._portal.wait(
            self._twin.episodes(
                ids, before=before, saga=saga, where=where, limit=limit, offset=offset
            )
        )

    def sources(self, fact: Fact | str) -> list[Quote]:
        """Return the quotes that state a fact: episodes with character ranges, oldest first.

        Empty for a fact that a person entered without an episode. Removed episodes are marked
        (``Quote.removed``); only facts retracted with them still refer to them.

        Raises:
            InputError: if the fact does not exist.
        """
        return self._portal.wait(self._twin.sources(fact))

    def timeline(self, entity: Entity | str) -> Timeline:
        """Return all facts about an entity in chronological order, with what ended an ended one.

        Raises:
            QueryError: if no entity has this name or id.
        """
        return self._portal.wait(self._twin.timeline(entity))

    def changes(
        self, since: Moment, until: Moment | None = None, *, axis: Axis = "system"
    ) -> Changes:
        """Return the differences between two moments.

        Args:
            since: The earlier moment.
            until: The later one; default: that of the view, or now.
            axis: ``system``: facts that were learned, closed, corrected, retracted or restored in
                the graph. ``world``: facts that began or ended, according to the view.

        Raises:
            QueryError: if the moments are in the wrong order or the axis is unknown.
            TimeError: if a moment cannot be read.
        """
        return self._portal.wait(self._twin.changes(since, until, axis=axis))

    def stats(self) -> Stats:
        """Return counts of the group; all zeros if it does not exist."""
        return self._portal.wait(self._twin.stats())


@named()
class Walks(Reads):
    """Reads that follow facts from entity to entity."""

    _twin: AsyncWalks

    def __init__(self, twin: AsyncWalks, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def neighbors(
        self,
        entity: Entity | str,
        *,
        depth: Depth = 1,
        types: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        limit: Limit = 50,
        facts: Most = 1,
    ) -> list[Neighbor]:
        """Return the entities within ``depth`` facts of one, nearest, then best connected, first.

        Args:
            entity: An entity, its name or its id.
            depth: Maximum distance in facts, 1 to 10.
            types: Return only entities of these types; others are walked through.
            relations: Follow only facts of these relations.
            limit: Maximum number of entities.
            facts: Number of facts to return for each neighbour, latest added first.

        Raises:
            QueryError: if the entity does not exist, or the depth or limit is out of range.
        """
        return self._portal.wait(
            self._twin.neighbors(
                entity, depth=depth, types=types, relations=relations, limit=limit, facts=facts
            )
        )

    def within(self, entity: Entity | str, *, through: Sequence[str], hops: int = 1) -> Reach:
        """Return the part of the graph that an entity can access through some relations.

        It has the entity and those that facts of these relations link to it in either direction;
        all facts about them that have begun; and all episodes that mention them. Pass it to
        ``search(..., within=...)``.

        Args:
            entity: An entity, its name or its id.
            through: Relations that give access, such as ``["works_at", "member_of"]``.
            hops: Maximum number of such facts, 0 to 10; 0 is only the entity itself.

        Raises:
            QueryError: if the entity does not exist or ``hops`` is out of range.
        """
        return self._portal.wait(self._twin.within(entity, through=through, hops=hops))

    def path(self, start: Entity | str, end: Entity | str, *, max_depth: Depth = 4) -> Path | None:
        """Return a shortest path of facts between two entities; None if it exceeds ``max_depth``.

        Raises:
            QueryError: if an entity does not exist or the depth is out of range.
        """
        return self._portal.wait(self._twin.path(start, end, max_depth=max_depth))

    def paths(
        self, start: Entity | str, end: Entity | str, *, k: Limit = 3, max_depth: Depth = 4
    ) -> list[Path]:
        """Return up to ``k`` paths of facts between two entities, cheapest first.

        A path has no entity twice. A fact costs ``2 - confidence``.

        Raises:
            QueryError: if an entity does not exist, or the depth or number is out of range.
        """
        return self._portal.wait(self._twin.paths(start, end, k=k, max_depth=max_depth))

    def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: Depth = 2,
        limit: Limit = 100,
        facts: Most = 100,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or the best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected entities, without
                concepts. A value is drawn only as the center.
            depth: Maximum distance from the center in facts, 1 to 10.
            limit: Maximum number of entities.
            facts: Maximum number of facts to return; all are counted.

        Raises:
            QueryError: if the entity does not exist, or the depth or limit is out of range.
        """
        return self._portal.wait(self._twin.subgraph(center, depth=depth, limit=limit, facts=facts))

    def profile(
        self, entity: Entity | str, *, facts: Most = 12, changes: Most = 3
    ) -> EntityProfile:
        """Return a profile of an entity: type, names, current facts, and facts that ended last.

        Args:
            entity: An entity, its name or its id.
            facts: Maximum number of current facts, latest added first.
            changes: Maximum number of ended facts, latest first.

        Raises:
            QueryError: if the entity does not exist or a number is out of range.
        """
        return self._portal.wait(self._twin.profile(entity, facts=facts, changes=changes))


@named("graph.stream")
class Streams:
    """Streamed answers: ``graph.stream``."""

    _twin: AsyncStreams

    def __init__(self, twin: AsyncStreams, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def answer(self, question: str, *, max_tokens: int = 2000) -> Iterator[CitedAnswer]:
        """Stream an answer: ``async for answer in graph.stream.answer(...):``.

        Yields the answer so far, each sentence checked; the last one is ``complete`` and equal to
        the result of ``View.answer``, which has the same arguments and errors. An answer that no
        model writes is yielded at once.
        """
        return self._portal.follow(lambda: self._twin.answer(question, max_tokens=max_tokens))


@named()
class View(Walks):
    """A read-only view of a group from one viewpoint, with every read as a method."""

    _twin: AsyncView

    def __init__(self, twin: AsyncView, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def __repr__(self) -> str:
        return repr(self._twin)

    @property
    def communities(self) -> CommunityReads:
        """Communities (clusters of entities): list, get, map, context and over_time."""
        return CommunityReads(self._twin.communities, self._portal)

    @property
    def sagas(self) -> SagaReads:
        """Sagas (named sequences of episodes): list, get and window."""
        return SagaReads(self._twin.sagas, self._portal)

    @property
    def audit(self) -> Audit:
        """Reads of the whole group: contradictions, absence, orphans, growth and hubs."""
        return Audit(self._twin.audit, self._portal)

    @property
    def export(self) -> Exports:
        """Exports: file, pandas, networkx, igraph and atlas."""
        return Exports(self._twin.export, self._portal)

    @property
    def surreal(self) -> SurrealQL:
        """Queries of the database in SurrealQL."""
        return SurrealQL(self._twin.surreal, self._portal)

    def search(
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
        """Search the facts, entities, episodes and communities at the viewpoint.

        Args:
            query: A question or a few words. A time in it ("in 2021") selects facts that held then.
            limit: Maximum number of hits in each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, without communities in a view of the past.
            recipe: Ranking: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities (values, names or ids) from which graph proximity is measured;
                default: those that the query names, else the best found ones.
            where: Filter, such as ``Field.relation == "works_at"``. It does not apply to scopes
                that have none of its fields.
            saga: Name of a saga: only its episodes, their facts and entities; equal to
                ``where=Field.saga == name``.
            within: Part of the graph to search: ``Within("Alice", hops=2)``, or the result of
                ``within()``.
            explain: Whether to record every step with its time in ``Results.explanation``.

        Raises:
            QueryError: if an argument is not valid; the message names it and the valid values.
        """
        return self._portal.wait(
            self._twin.search(
                query,
                limit=limit,
                scopes=scopes,
                recipe=recipe,
                centers=centers,
                where=where,
                saga=saga,
                within=within,
                explain=explain,
            )
        )

    def show(self, *, limit: int = 2000) -> Atlas:
        """Return the explorer for a notebook; ``save("graph.html")`` writes it to a file.

        It contains the facts of all times that the view knows, and opens at its moment.

        Args:
            limit: Maximum number of entities, best connected first.

        Raises:
            QueryError: if the limit is out of range.
        """
        return self._portal.wait(self._twin.show(limit=limit))

    @property
    def stream(self) -> Streams:
        """Streamed answers: answer."""
        return Streams(self._twin.stream, self._portal)

    def ask(self, question: str) -> Answer:
        """Answer a question exactly from the facts, or state why that fails.

        It handles who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". The language model of the graph translates the question, in any language, into a typed
        query with one call; it sees names and relations, no facts. Without a model, or a readable
        translation, a grammar of English parses it: ``Answer.by`` says which.

        Raises:
            QueryError: if the question is empty or too long.
            LLMError: if the model cannot be reached.
        """
        return self._portal.wait(self._twin.ask(question))

    def query(self, pattern: Query) -> Answer:
        """Answer a typed query: ``Query(subject="Ada", relation="lives_in", order=Order("last"))``.

        The answer is the end that is left open; an end may be another query. ``ask`` parses a
        question into a query, shown as ``answer.query``.

        Raises:
            QueryError: if the argument is not a query.
        """
        return self._portal.wait(self._twin.query(pattern))

    def answer(self, question: str, *, max_tokens: int = 2000) -> CitedAnswer:
        """Answer a question in sentences with numbered sources.

        An exact answer of ``ask`` comes first. Else the language model of the graph writes the
        answer from search results, and every sentence is checked against the sources that it cites.
        Without a model, the answer consists of sentences of the sources. The model is called at
        most once. An answer without ``sentences`` gives the reason in ``missing``.

        Args:
            question: The question, in any language that the model reads; without a model, in the
                language of the texts.
            max_tokens: Maximum number of tokens of search results for the model, by estimate.

        Raises:
            QueryError: if the question is empty or too long, or the budget is too small for a fact.
            LLMError: if the model was not reachable.
        """
        return self._portal.wait(self._twin.answer(question, max_tokens=max_tokens))

    def explain(
        self,
        query: str,
        item: Hit[Any] | Fact | Entity | Episode | str,
        *,
        limit: int | None = None,
        scopes: Sequence[Scope] | None = None,
        recipe: Recipe | str | None = None,
        centers: Sequence[Entity | str] = (),
        where: Filter | None = None,
        saga: str | None = None,
        within: Within | Reach | None = None,
        max_tokens: int | None = None,
    ) -> Placement:
        """Explain why a search returns an item, or which step lost it.

        Args:
            query: The query of the search.
            item: A hit, fact, episode or entity, its id, or the name of an entity.
            limit: Same as in ``search``, as are the following arguments.
            scopes: Searched scopes.
            recipe: Ranking.
            centers: Entities from which proximity is measured.
            where: Filter.
            saga: Searched saga.
            within: Searched part of the graph.
            max_tokens: Also explain whether it fits into ``Results.context(max_tokens)``.

        Raises:
            QueryError: if an argument is not valid; the message names it and the valid values.
        """
        return self._portal.wait(
            self._twin.explain(
                query,
                item,
                limit=limit,
                scopes=scopes,
                recipe=recipe,
                centers=centers,
                where=where,
                saga=saga,
                within=within,
                max_tokens=max_tokens,
            )
        )


@named("graph.groups(...)")
class GroupSet:
    """Several groups of a store, or all: ``graph.groups("alice", "bob")``, ``graph.groups()``."""

    _twin: AsyncGroupSet

    def __init__(self, twin: AsyncGroupSet, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def __repr__(self) -> str:
        return repr(self._twin)

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> GroupSet:
        """Return the same groups as of a moment; for the arguments see ``GraphRAG.at``."""
        return GroupSet(
            self._twin.at(valid_at=valid_at, known_at=known_at, history=history), self._portal
        )

    def list(self, *, known_at: Moment | None = None) -> Groups:
        """Return the groups with their sizes and times of last change, from stored counts.

        Args:
            known_at: Only groups that existed at this moment of system time; default: that of the
                view, or now. Sizes are the current ones.

        Raises:
            TimeError: if the moment cannot be read.
        """
        return self._portal.wait(self._twin.list(known_at=known_at))

    def search(
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
        """Search the groups with one common ranking; for the arguments see ``View.search``.

        Raises:
            QueryError: if an argument is not valid; the message names it and the valid values.
        """
        return self._portal.wait(
            self._twin.search(
                query,
                limit=limit,
                scopes=scopes,
                recipe=recipe,
                centers=centers,
                where=where,
                saga=saga,
                within=within,
                explain=explain,
            )
        )


@named()
class Writes(View):
    """Writes to a group, in addition to the reads of a view."""

    _twin: AsyncWrites

    def __init__(self, twin: AsyncWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    @property
    def handle(self) -> Handle:
        """Return the handle that this graph shares with its groups and views."""
        return self._twin.handle

    def add_episode(
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
        return self._portal.wait(
            self._twin.add_episode(
                content,
                reference_time=reference_time,
                name=name,
                source=source,
                source_description=source_description,
                metadata=metadata,
                saga=saga,
                key=key,
                author=author,
                ontology=ontology,
                wait=wait,
            )
        )

    def add_episodes(
        self,
        episodes: Iterable[NewEpisode],
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
        add = partial(self._twin.add_episodes, on_error=on_error)
        return feed(self._portal, add, episodes, on_progress)

    def add_fact(
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
        return self._portal.wait(
            self._twin.add_fact(
                subject,
                relation,
                object,
                valid_at=valid_at,
                invalid_at=invalid_at,
                reference_time=reference_time,
                text=text,
                subject_type=subject_type,
                object_type=object_type,
                kind=kind,
                confidence=confidence,
                attributes=attributes,
                source=source,
                actor=actor,
            )
        )

    def add_entity(
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
        return self._portal.wait(
            self._twin.add_entity(
                name, entity_type=entity_type, aliases=aliases, attributes=attributes
            )
        )

    @property
    def communities(self) -> CommunityWrites:
        """Communities (clusters of entities): list, get, map, context, build and update."""
        return CommunityWrites(self._twin.communities, self._portal)

    @property
    def sagas(self) -> SagaWrites:
        """Sagas (named sequences of episodes): list, get, window and summarize."""
        return SagaWrites(self._twin.sagas, self._portal)

    @property
    def export(self) -> GroupExports:
        """Exports: file, copy, pandas, networkx and igraph."""
        return GroupExports(self._twin.export, self._portal)

    @property
    def edit(self) -> ManualEdits:
        """Manual edits: retract, invalidate, correct, confirm, reject and pending."""
        return ManualEdits(self._twin.edit, self._portal)

    @property
    def identity(self) -> Identity:
        """Identity of entities: candidates, merge, unmerge, split, keep_apart and rename."""
        return Identity(self._twin.identity, self._portal)

    @property
    def log(self) -> EventLog:
        """Event log: events, follow, revert, remove_episode, remove_source and replay."""
        return EventLog(self._twin.log, self._portal)

    @property
    def load(self) -> Load:
        """Imports: facts, seed, documents, contacts, calendar, memory and group."""
        return Load(self._twin.load, self._portal)

    @property
    def queue(self) -> QueueControl:
        """Queue of episodes: status, drain, failed and retry."""
        return QueueControl(self._twin.queue, self._portal)

    @property
    def health(self) -> Health:
        """Maintenance: check, repair, cleanup and indexes."""
        return Health(self._twin.health, self._portal)

    @property
    def erase(self) -> Erase:
        """Permanent erasure: entity and group."""
        return Erase(self._twin.erase, self._portal)


@named()
class GraphRAG(Writes):
    """A temporal knowledge graph, stored in SurrealDB as one group of a store."""

    _twin: AsyncGraphRAG

    def __init__(self, twin: AsyncGraphRAG | None = None, portal: Portal | None = None) -> None:
        if twin is None or portal is None:
            raise TypeError(OPENED)
        super().__init__(twin, portal)
        self._twin = twin

    @classmethod
    def open(
        cls,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        token: str | None = None,
        namespace: str = "graphrag",
        database: str = "graphrag",
        models: Models | None = None,
        rules: Rules | None = None,
        tracer: Tracer | None = None,
        actor: str = LIBRARY,
        workers: int = 1,
        profile: Profile | None = None,
        native: bool = False,
        memory_budget: int | None = None,
    ) -> Self:
        """Return a graph, which ``async with`` or ``await`` then opens.

        Args:
            url: ``mem://``, ``surrealkv://PATH``, ``ws://``, ``wss://``, ``http://``, ``https://``.
            user: Server user, at root, namespace or database level; may also be part of the URL.
            password: Password of the user; never shown in errors or reprs.
            token: Access token, in place of user and password; never shown either.
            namespace: SurrealDB namespace; created if it does not exist.
            database: SurrealDB database; created if it does not exist.
            models: Embedder, extractor, language model, arbiter, reranker; default: local models.
            rules: Relations, ontology, review and policy; default: anything may be stored.
            tracer: Receives every step, such as an ``OpenTelemetryTracer``; default: none.
            actor: Name that the log records for writes; single edits may override it.
            workers: Number of background tasks that extract queued episodes, each from a different
                group; with 0, episodes wait for ``queue.drain``.
            profile: Where search runs: in this ``process``, or in SurrealDB's own indexes
                (``engine``). Default: the profile of the store; a new one gets ``process``.
            native: Whether a store of the ``process`` profile keeps tables that SurrealQL can
                search: vectors in DISKANN or HNSW, words in FULLTEXT indexes.
            memory_budget: Bytes of memory for groups that are loaded but idle, least recently used
                dropped first. Default: a quarter of the memory of the machine.

        Raises:
            StoreURLError: if the URL is not that of a store.
            InputError: if ``workers`` is negative, ``memory_budget`` is below 1 MiB, or the
                standing rules cannot be used together.
        """
        twin = AsyncGraphRAG.open(
            url,
            user=user,
            password=password,
            token=token,
            namespace=namespace,
            database=database,
            models=models,
            rules=rules,
            tracer=tracer,
            actor=actor,
            workers=workers,
            profile=profile,
            native=native,
            memory_budget=memory_budget,
        )
        return cls(twin, Portal(twin.handle))

    def group(self, name: str, *, strict: bool = False) -> GraphRAG:
        """Return the graph of another group of the same store.

        Args:
            name: Name of the group, 1 to 200 printable characters.
            strict: Whether reading a group that does not exist is an error; default: it is empty.

        Raises:
            InputError: if the name is not valid.
        """
        return GraphRAG(self._twin.group(name, strict=strict), self._portal)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups, or without names all groups, to search or list them.

        Raises:
            InputError: if a name is not valid.
        """
        return GroupSet(self._twin.groups(*names), self._portal)

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> View:
        """Return a read-only view of the graph as of a moment.

        Args:
            valid_at: World time: the view shows the facts that held then.
            known_at: System time: the view uses only what was stored by then.
            history: Whether to include facts of all times, each with its interval.

        Raises:
            TimeError: if a moment cannot be read. A date or month stands for its first instant.
        """
        return View(
            self._twin.at(valid_at=valid_at, known_at=known_at, history=history), self._portal
        )

    def __repr__(self) -> str:
        return repr(self._twin)

    def __enter__(self) -> Self:
        """Open the store, creating or migrating it if needed."""
        self._portal.open()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        self.close()

    def close(self) -> None:
        """Close the store; closing twice is fine."""
        self._portal.close()
