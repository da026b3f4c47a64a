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
from graphrag.history.redact import (
    Forgotten,
)
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
from graphrag.view.sagas import Across

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
    """Clusters of entities: ``view.communities``."""

    _twin: AsyncCommunityReads

    def __init__(self, twin: AsyncCommunityReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def list(self, *, level: int | None = None) -> Sequence[Community]:
        """Return the communities, the coarsest level first, on each the largest first.

        They are as they were last built, none before that. With ``valid_at`` they are made of the
        facts that held then, whatever was built, and described without a model.

        Args:
            level: Only of this level; 0 is the coarsest. Default: of all.

        Raises:
            QueryError: for a level below 0.
        """
        return self._portal.wait(self._twin.list(level=level))

    def get(self, community: Community | str, *, limit: int = 50) -> CommunityView:
        """Return a community with its members, the facts between them, and its parts.

        Args:
            community: It, its id, its name, or a part of its name that no other one has.
            limit: Members and facts at most, those that tie it most first.

        Raises:
            QueryError: if there is no such community, or for an impossible limit.
        """
        return self._portal.wait(self._twin.get(community, limit=limit))

    def map(self, *, level: int = 0, limit: int = 200) -> CommunityMap:
        """Return a map of the communities of one level, to draw.

        Args:
            level: 0 for the coarsest.
            limit: Entities at most, the best connected of each community.

        Raises:
            QueryError: for a level below 0 or an impossible limit.
        """
        return self._portal.wait(self._twin.map(level=level, limit=limit))

    def context(
        self, question: str, *, max_tokens: int = 2000, count: Callable[[str], int] | None = None
    ) -> GlobalContext:
        """Return what the communities say of a question about the whole, as a text for a prompt.

        The hierarchy is walked from the coarsest level down: a community whose parts answer more
        than it does itself is shown by those parts. Each is shown by its summary and by the facts
        in it that answer best, with their dates and sources. Communities must have been built.

        Args:
            question: What is asked; a search for one fact is better answered by ``search``.
            max_tokens: What the whole text may take.
            count: Your model's tokeniser; default: an estimate from the characters.

        Raises:
            QueryError: for an empty question or a budget below 1.
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
        """Return the communities in slices of world time, and what became of them.

        All slices are looked at together, so that a community is the same in each; see
        docs/communities.md. Needs the extra ``temporal``.

        Args:
            every: A step of the calendar, or a length.
            start: Of the first slice; default: of the step in which the first fact begins.
            end: Of the last slice; default: the moment of the view.
            resolution: Weight that two members have between them on average, such as 0.2, for
                communities that modularity is too coarse to see; default: modularity.
            coupling: How much an entity holds on to its community, as so many facts more.
            share: Of its members that a community must have gone to, or come from, another one, to
                have merged with it or split from it.
            change: Share of its size by which one must grow or shrink for an event.

        Raises:
            QueryError: for slices or numbers that cannot be.
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
    """Communities, made and kept up to date: ``graph.communities``."""

    _twin: AsyncCommunityWrites

    def __init__(self, twin: AsyncCommunityWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def build(self) -> Sequence[Community]:
        """Detect, describe and store the communities of the facts that hold now, on every level.

        A community lasts, with its id, as long as at least half of it stays; one in which nothing
        changed keeps its words. With a language model each changed one costs a question.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return self._portal.wait(self._twin.build())

    def update(self) -> Sequence[Community]:
        """Bring the communities up to date around what changed since.

        Quick for few changes; when more than a twentieth of the facts changed since the communities
        were built, or there are none yet, they are built anew.

        Raises:
            ExtractionError: if the model gave no valid answer; nothing was written.
        """
        return self._portal.wait(self._twin.update())


@named("graph.sagas")
class SagaReads:
    """Named runs of episodes, and the order of episodes: ``view.sagas``."""

    _twin: AsyncSagaReads

    def __init__(self, twin: AsyncSagaReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def get(self, name: str) -> SagaView:
        """Return a saga: its episodes in order, what they tell of, and its summary.

        Raises:
            QueryError: if no episode of the group belongs to a saga of this name.
        """
        return self._portal.wait(self._twin.get(name))

    def list(self) -> Sagas:
        """Return the sagas of a group with their sizes and dates, in order of their beginnings."""
        return self._portal.wait(self._twin.list())

    def window(
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
        return self._portal.wait(
            self._twin.window(episode, before=before, after=after, across=across)
        )


@named("graph.sagas")
class SagaWrites(SagaReads):
    """Sagas, and their summaries kept up to date: ``graph.sagas``."""

    _twin: AsyncSagaWrites

    def __init__(self, twin: AsyncSagaWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def summarize(self, name: str) -> Saga:
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
        return self._portal.wait(self._twin.summarize(name))

    def summarize_all(self) -> Sequence[Saga]:
        """Bring the summaries of all sagas of a group up to date, and return those that changed.

        Raises:
            ExtractionError: if the model could not be asked or gave no valid answer; summaries that
                were written before stay.
            PolicyError: if the write policy refused.
        """
        return self._portal.wait(self._twin.summarize_all())


@named("graph.audit")
class Audit:
    """Reads of the whole group rather than of one entity or question: ``graph.audit``."""

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
        limit: int = 100,
    ) -> Contradictions:
        """Return where facts cannot both hold: what was settled and why, and what is still open.

        Facts of all times are compared; a view with ``valid_at`` gives those that were both
        stated for that moment.

        Args:
            since: The earliest moment; default: any.
            until: The first moment that is too late; default: none.
            axis: ``system``: when it was settled, or when the later of an open pair was added.
                ``world``: the time for which both facts were stated.
            outcomes: Only those of which this became, as ``open`` or ``replaced``; default: any.
            limit: How many at most; open ones come first, the latest first.

        Raises:
            QueryError: if the moments are not in order, for another axis or outcome, or an
                impossible limit.
            TimeError: if a moment cannot be read.
        """
        return self._portal.wait(
            self._twin.contradictions(since, until, axis=axis, outcomes=outcomes, limit=limit)
        )

    def absence(self, entity: Entity | str, relation: str) -> Absence | None:
        """Return since when nothing of a relation is known of an entity, and what ended it.

        None if something holds at the viewpoint. ``str`` of it says it in words.

        Args:
            entity: An entity, its name or its id, at either end of the facts.
            relation: As ``works_at``.

        Raises:
            QueryError: if there is no such entity.
        """
        return self._portal.wait(self._twin.absence(entity, relation))

    def orphans(self, *, limit: int = 100) -> Orphans:
        """Return what leads nowhere: entities that nothing speaks of, texts that state nothing, ...

        Facts and episodes of every time count, whatever moment of world time the view is of.
        ``health.cleanup()`` takes out what nobody can miss.

        Args:
            limit: How many of each kind at most.

        Raises:
            QueryError: for an impossible limit.
        """
        return self._portal.wait(self._twin.orphans(limit=limit))

    def growth(self, by: Period = "month") -> Growth:
        """Return how many episodes, entities and facts were added to the graph in each period.

        Args:
            by: ``day``, ``week`` (from Monday on), ``month`` or ``year``, in UTC.

        Raises:
            QueryError: for another period.
        """
        return self._portal.wait(self._twin.growth(by))

    def hubs(self, limit: int = 10) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out.

        Facts of all times count; with ``valid_at``, those that held then.

        Args:
            limit: How many at most.

        Raises:
            QueryError: for an impossible limit.
        """
        return self._portal.wait(self._twin.hubs(limit))


@named("graph.surreal")
class SurrealQL:
    """SurrealQL on the database of a graph: ``graph.surreal``."""

    _twin: AsyncSurrealQL

    def __init__(self, twin: AsyncSurrealQL, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def query(self, sql: str, **params: Any) -> Any:
        """Run statements that read, and return the result of the last one.

        ``$group`` is the group, and ``$at`` the moment of the view, or now, if no parameter has its
        name. Records come as ``surrealdb.RecordID``, moments as aware datetimes in UTC, lengths of
        time as ``surrealdb.Duration``, decimals as ``Decimal``. A fact, an entity, an episode, a
        community or a saga may be a parameter, for its record.

        Args:
            sql: SurrealQL, one statement or several.
            params: Its parameters by name.

        Raises:
            QueryError: for a statement that writes: what is written past the log cannot be undone;
                or if the view looks back at what was known, which is in the log alone.
            StoreError: if the database refuses the query, in its words.
        """
        return self._portal.wait(self._twin.query(sql, **params))

    def vectors(self, kind: str = "relates_to") -> str:
        """Return the name of the table of the vectors of a kind, under DISKANN or HNSW.

        Its rows have ``vector``, and ``of``: the record that it is of. There is one of
        ``relates_to``, ``entity``, ``episode``, ``passage`` and ``community`` in a store of the
        engine profile, and after ``surreal-graphrag index native``.
        """
        return self._twin.vectors(kind)

    def words(self, kind: str = "relates_to") -> str:
        """Return the name of the table of the words of a kind, under FULLTEXT.

        Its rows have ``terms``, stems of the words, and ``of``: the record that they are of.
        """
        return self._twin.words(kind)


@named("graph.export")
class Exports:
    """A group as others read it, with what the view sees of it: ``view.export``."""

    _twin: AsyncExports

    def __init__(self, twin: AsyncExports, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def file(self, file: str | PathLike[str], *, format: Format | None = None) -> Exported:
        """Write the entities and the facts that the view sees to a file.

        Args:
            file: Where to; a name that ends in ``.gz`` compresses it.
            format: ``csv``, ``graphml``, ``turtle`` or ``html``; default: by the ending.

        Raises:
            InputError: if there is no such group or format, or the file cannot be written.
        """
        return self._portal.wait(self._twin.file(file, format=format))

    def networkx(self) -> MultiDiGraph:
        """Return what the view sees as a network: nodes by entity id, edges by fact id.

        Attributes are those of the values: ``name``, ``entity_type``, ``relation``, ``fact``,
        ``valid_at`` (an aware datetime, or None), ... Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if networkx is not installed.
        """
        return self._portal.wait(self._twin.networkx())

    def igraph(self) -> Graph:
        """Return what the view sees as a directed graph, with attributes as ``networkx``.

        Raises:
            QueryError: if there is no such group.
        """
        return self._portal.wait(self._twin.igraph())

    def pandas(self) -> Frames:
        """Return the facts and the entities that the view sees as two data frames.

        ``load.facts`` takes the facts as they are. Needs the extra ``analysis``.

        Raises:
            QueryError: if there is no such group.
            MissingExtraError: if pandas is not installed.
        """
        return self._portal.wait(self._twin.pandas())

    def atlas(self, *, limit: int = 10000, history: bool = True, quotes: bool = False) -> Atlas:
        """Return the facts of all times that the view knows, laid out to be looked at.

        Args:
            limit: Entities at most, the best connected ones.
            history: False for those facts alone that hold at the moment of the view.
            quotes: Whether each fact comes with what states it, as a page without a server needs.

        Raises:
            QueryError: if there is no such group, or for an impossible limit.
        """
        return self._portal.wait(self._twin.atlas(limit=limit, history=history, quotes=quotes))


@named("graph.export")
class GroupExports(Exports):
    """A group given out whole, or as others read it: ``graph.export``."""

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
        """Write a graph of the store to a file, which takes its place when all is written.

        ``jsonl`` is the group whole, with vectors and log: ``load.group`` makes it again. The
        other formats hold its entities and its facts of all times with their lifetimes, as
        ``at(history=True)`` does, but none that was retracted or waits for review.

        Args:
            file: Where to; a name that ends in ``.gz`` compresses it.
            format: ``jsonl``, ``csv``, ``graphml``, ``turtle``, or ``html`` for the explorer;
                default: by the ending.
            vectors: False leaves the vectors out of ``jsonl``: less than half of the size, and
                importing it embeds again.
            on_progress: Called after each page.

        Raises:
            InputError: if there is no such group or format, or the file cannot be written.
            StoreError: if other processes write to the group all the while.
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
        """Copy a group with its vectors and its log, and return the number of rows by table.

        The copy is a graph of its own, with the same past; every row is compared. It is closed to
        reads and writes until it is whole. Nobody should write to the group meanwhile. Where the
        target has these ids already, as in a copy within one store, it gets its own.

        Args:
            name: Of the copy; default: the same, in another store.
            into: Another graph, as ``GraphRAG.open`` returned it: it is opened for the copy and
                closed again, unless it is open. Its policy is not asked. Default: this one.
            on_progress: Called after each page.

        Raises:
            InputError: if there is no such group, or the target has one of that name.
            EmbedderMismatchError: if the other graph has another embedder: ``log.replay`` embeds
                again.
        """
        return self._portal.wait(self._twin.copy(name, into=into, on_progress=on_progress))


@named("graph.edit")
class ManualEdits:
    """Edits by hand and review: ``graph.edit``."""

    _twin: AsyncManualEdits

    def __init__(self, twin: AsyncManualEdits, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def retract(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Declare that a fact was never true, and return it as updated.

        Facts that it had ended hold again. The fact stays in the history, with the time and the
        reason of the retraction.

        Raises:
            InputError: if there is no such fact, or it was retracted before.
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
        """Declare that a fact ended at a moment, by default now; until then it was true.

        Returns it as it is now.

        Raises:
            InputError: if there is no such fact, it was retracted, waits for review, ended before
                that moment or starts at it or later.
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
        """Set a fact right, and return the fact that stands.

        Dates and text are changed in place. Another subject, relation or object makes another fact,
        confirmed and of origin ``manual``, and retracts the old one in its favour. Either way what
        was said before no longer counts, and all lifetimes that this concerns are settled anew: it
        may close some, and be cut short by one that starts later.

        Args:
            fact: The fact to be set right.
            subject: An entity, its id, or a name; a name that nothing bears makes a new entity.
            relation: As ``works_at``.
            object: As ``subject``.
            text: The sentence that states it; default: made of the names if one of them changes.
            valid_at: Its start; None for an unknown one. An event moves whole.
            invalid_at: Its end; None if it still holds.
            reason: Why, for the log and for the old fact.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if there is no such fact, it was retracted, nothing is to change, a name is
                borne by several entities, the end is not after the start, an event, a plan or a
                former fact would hold today for want of a date, or the ontology refuses it.
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
        """Settle all facts anew by the rules that the graph was opened with.

        Every write does so with what it touches. After new relations or standing rules this does
        it for the rest, in one transaction. Returns the facts that are new or different.

        Raises:
            InputError: if standing rules infer too much.
        """
        return self._portal.wait(self._twin.settle(reason=reason, actor=actor))

    def pending(self, limit: int = 100) -> list[Waiting]:
        """Return the facts that wait for a person, oldest first, each with what states it.

        Facts wait whose confidence is below ``review_below`` of ``GraphRAG.open``. Until they are
        confirmed no read shows them and they close nothing.
        """
        return self._portal.wait(self._twin.pending(limit))

    def confirm(self, fact: Fact | str, *, actor: str | None = None) -> Fact:
        """Accept a fact that waits for review or is contested, and return the fact that stands.

        From then on it counts like what the most trusted say: it may close other facts, and if it
        only repeats or ends one, they are one fact.

        Raises:
            InputError: if there is no such fact, or it does not wait.
        """
        return self._portal.wait(self._twin.confirm(fact, actor=actor))

    def reject(self, fact: Fact | str, reason: str = "", *, actor: str | None = None) -> Fact:
        """Retract a fact that waits for review or is contested, and return it.

        Raises:
            InputError: if there is no such fact, or it does not wait.
        """
        return self._portal.wait(self._twin.reject(fact, reason, actor=actor))


@named("graph.identity")
class Identity:
    """Which entities are one: ``graph.identity``."""

    _twin: AsyncIdentity

    def __init__(self, twin: AsyncIdentity, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def candidates(self, limit: int = 50) -> list[MergeCandidate]:
        """Return pairs of entities that may be one, likeliest first; nothing is changed.

        They share an identifier, their names are alike, or their names mean much the same. Pairs
        with different identifiers, and those that ``keep_apart``, a split or an arbiter found to
        be two, are left out. The work grows with the group: about two minutes for 100,000 entities.

        Raises:
            InputError: if the limit is below 1.
        """
        return self._portal.wait(self._twin.candidates(limit))

    def rename(
        self, entity: Entity | str, name: str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Give an entity another primary name, and return the event; ``log.revert`` undoes it.

        Every view of the present knowledge shows the new name where it showed the old one, which
        becomes an alias; the new one may have been an alias. Facts keep the names they were stated
        with. If a thing really changed its name at some time, state that instead:
        ``add_fact(old, "renamed_to", new, valid_at=...)``.

        Raises:
            InputError: if the entity is not there, the name is empty or already its primary name,
                or another entity of the group has it as a name or an alias: see ``merge``.
        """
        return self._portal.wait(self._twin.rename(entity, name, reason=reason, actor=actor))

    def keep_apart(
        self, one: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Say that two entities are two, and return the event; ``log.revert`` takes it back.

        They are not proposed by ``candidates`` any more. ``merge`` still makes them one.

        Raises:
            InputError: if one is not there, a name means several, both are one, or it was said.
        """
        return self._portal.wait(self._twin.keep_apart(one, other, reason=reason, actor=actor))

    def merge(
        self, keep: Entity | str, other: Entity | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Make one entity of two, and return the event, which ``unmerge`` takes.

        All that was said of ``other`` is said of ``keep`` from now on; its names become aliases.
        The facts of both are judged anew: what says the same becomes one fact, and a relation that
        holds one value keeps the one stated last.

        Raises:
            InputError: if one is not there, a name means several, or both are one already.
        """
        return self._portal.wait(self._twin.merge(keep, other, reason=reason, actor=actor))

    def unmerge(self, event: Event | int, *, reason: str = "", actor: str | None = None) -> Event:
        """Undo a merge, given by its event or the event's number, and return the new event.

        Both entities, their names and their facts are as they were. What was added or edited since
        stays, at the entity that was kept; what it had ended of the other one holds again, and the
        facts of each are judged anew by the rules of contradiction.

        Raises:
            InputError: if it is no merge, was undone before, ``keep`` was merged since, or it was
                renamed to the other's name: that is to be reverted first.
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
        """Make another entity of what was wrongly said of this one, and return it.

        The facts get copies with new ids at the new entity; the old ones are retracted and say so.
        A fact that rests on the given episodes and on others stays at both. To take back a merge,
        use ``unmerge``.

        Args:
            entity: The old one.
            name: What to call the new one; an alias of the old one is taken from it.
            facts: Facts to move.
            episodes: Episodes of which everything moves that they say about the entity.
            entity_type: Type of the new one; default: that of the old one.
            reason: Why, kept with the event.
            actor: Who says so; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: if the entity or a fact is not there, nothing is to move, or an entity has
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
    """The log of a group, and what follows from it: ``graph.log``."""

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
        """Return the committed changes of a group, oldest first.

        With ``fact`` or ``entity`` only the events that changed it; those of an entity are also
        the events that changed a fact about it or mention it.

        Args:
            after: Only events with a number above this one.
            limit: How many at most: the newest, or with ``after`` the next ones. Default: all.
            fact: A fact, or its id.
            entity: An entity, or its id.

        Raises:
            InputError: if both are given, or for an impossible limit.
        """
        return self._portal.wait(
            self._twin.events(after=after, limit=limit, fact=fact, entity=entity)
        )

    def remove_episode(
        self, episode: Episode | str, *, reason: str = "", actor: str | None = None
    ) -> Event:
        """Take an episode out, with all that rests on it alone, and return the event.

        Its facts are retracted unless another episode or a person states them, too; what it had
        closed holds again; entities that nothing else speaks of leave the reads. Nothing is
        deleted: earlier moments show it, and the same episode may be added again.

        Raises:
            InputError: if there is no such episode, or it was removed before.
        """
        return self._portal.wait(self._twin.remove_episode(episode, reason=reason, actor=actor))

    def remove_source(self, source: str, *, reason: str = "", actor: str | None = None) -> Event:
        """Take back everything that one source said, in one transaction; return the event.

        Its episodes are removed as ``remove_episode`` does it, and what tables or calls stated in
        its name is retracted: the graph is then as if it had never been heard, but for what a
        person confirmed, for attributes that its tables gave, and for what others said of a name
        by which only it knew an entity: that stays with the entity. ``revert`` brings it back.
        ``source`` is what its episodes have as ``source_description``, its facts as ``source``.

        Raises:
            InputError: if nothing that stands is from this source.
        """
        return self._portal.wait(self._twin.remove_source(source, reason=reason, actor=actor))

    def revert(
        self, event: Event | int, *, force: bool = False, reason: str = "", actor: str | None = None
    ) -> Event:
        """Undo an event by writing a new one, which is returned and can itself be reverted.

        Changed fields get their earlier values back, facts that the event added are retracted, and
        its episodes are removed, with the entities that nothing else mentions. With ``force``,
        fields that a later event has changed are restored, too.

        Raises:
            InputError: if there is no such event, it cannot be undone or already has been, or a
                later event changed the same fields and ``force`` is not set.
        """
        return self._portal.wait(self._twin.revert(event, force=force, reason=reason, actor=actor))

    def follow(self, *, after: int | None = None) -> Iterator[Event]:
        """Follow what is committed: ``async for event in graph.log.follow():``.

        Gives every event from now on, as it is committed, until the graph is closed. A search in
        the body of the loop sees what the event brought. A slow reader misses nothing. Other
        processes' events come from a server within half a second.

        Args:
            after: From this event on, by its number; 0 gives the whole log first. Default: from
                the next one on.

        Raises:
            QueryError: if there is no event of this number.
        """
        return self._portal.follow(lambda: self._twin.follow(after=after))

    def replay(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Make the group anew from its log in another store, and return what was made.

        The other graph has the same records, events and past as this one. Vectors are copied, or
        embedded again where the embedder is another: a replay is how to change the embedder. What
        somebody changed in the tables behind the log's back is left behind.

        Args:
            into: A graph whose store has no such group, as ``GraphRAG.open`` returned it; it is
                opened for the replay and closed again, unless it is open. Its policy is not asked.
            until: System time: only what was added until then.

        Raises:
            InputError: if there is no such group, or the other store has it.
            StoreError: if the log is not whole; ``health.check()`` says where.
        """
        return self._portal.wait(self._twin.replay(into, until=until))

    def replay_all(self, into: Openable, *, until: Moment | None = None) -> Replayed:
        """Make every group of the store anew from its log in another store; as ``replay``."""
        return self._portal.wait(self._twin.replay_all(into, until=until))


@named("graph.erase")
class Erase:
    """What deletes: ``graph.erase``. Nothing of it can be taken back."""

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
        """Erase an entity, with all that was said of it, in one transaction.

        Its facts go, the episodes that mention it, state something of it or have one of its names
        in their text, every fact and entity that nothing else speaks of, and the communities until
        they are built again. What an erased fact had closed holds again, as far as the rules leave
        room. What stays loses the names, in the log as well: events keep number, kind and time.

        Args:
            entity: The entity, its id or its name.
            episodes: ``keep`` lets every text stay as it was said: it is still found by its
                words, and no longer leads to the entity.
            actor: Who says so.
            dry_run: Erase nothing and only count what would go; the policy is not asked.

        Raises:
            InputError: if there is no such entity, or a name means several.
        """
        return self._portal.wait(
            self._twin.entity(entity, episodes=episodes, actor=actor, dry_run=dry_run)
        )

    def group(
        self, *, confirm: str | None = None, actor: str | None = None, dry_run: bool = False
    ) -> Forgotten:
        """Erase the whole group with its log and its name, however large it is.

        It takes many small transactions. If that is cut short the group is closed: calling it again
        finishes it.

        Args:
            confirm: The name of the group once more: nothing is erased by leaving something out.
            actor: Who says so.
            dry_run: Erase nothing and only count what would go; the policy is not asked.

        Raises:
            InputError: if ``confirm`` is not the name of the group.
            QueryError: if there is no such group.
        """
        return self._portal.wait(self._twin.group(confirm=confirm, actor=actor, dry_run=dry_run))


@named("graph.load")
class Load:
    """Imports into a group: ``graph.load``. People are matched by e-mail, then by name."""

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
        """Add many facts, one transaction per batch, thousands a second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or any rows
        with named columns, taken as a stream: ``subject``, ``relation``, ``object``, and if wanted
        ``valid_at``, ``invalid_at``, ``reference_time``, ``observed`` (``valid_at`` is only when it
        was first seen to hold), ``text``, ``confidence``, ``source``, ``provenance``; types as
        ``subject_type``, ``attributes`` (or ``attributes.NAME``) of the fact and
        ``subject_attributes`` of an end, vectors as ``embedding``, ``subject_embedding``. A network
        (``.graphml``, networkx) gives nodes as entities and edges as facts.

        The same rows again add nothing; a fact that was retracted meanwhile stays so. Summaries of
        entities follow.

        Args:
            rows: The table.
            columns: What the table calls a column, such as ``{"subject": "Employee"}``; others that
                are not known are then left out.
            defaults: What stands where a row has nothing, such as ``{"relation": "works_at"}``.
            judge: False for a table that is right about every lifetime: they all stand as they are
                given. With True single-valued relations hold one value at a time here too.
            batch: Rows of one transaction.
            on_error: At a row that cannot be used ``stop`` raises; ``skip`` names it in the report.
            source: Where the table comes from, for rows that do not say it themselves.
            on_progress: Called after each batch.

        Raises:
            InputError: naming the row and the column that cannot be used; nothing of its batch was
                written, the batches before it stay.
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
        """Add facts about some entities from a dictionary; all of them, or none.

        ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``; an object may be a mapping
        with the columns of ``facts``: ``{"object": "Acme", "valid_at": "2021-03"}``. Where the
        relation has one value at a time, each of several needs its own start. Seeding the same
        again adds nothing.

        Args:
            known: Relations and objects by subject.
            reference_time: When this was so; default: the start of what has no time is unknown.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the subject and the relation that cannot be used.
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
        """Add files of text, Markdown, JSON or JSON Lines, and those of folders, as episodes.

        They are cut and dated as ``surreal-graphrag add`` does. Adding them again changes nothing.

        Args:
            paths: Files, or folders of text files; a link in one is followed if it stays there.
            reference_time: When they were written. Default: the date of each record, of a file's
                front matter, mail header, name or first line, else when it was changed last.
            source: Where they come from, for people; default: the name or path in its folder.
            author: Who wrote them: whom "I" means in a note.
            saga: Name of the run of episodes that they belong to.
            on_error: ``skip`` leaves out a file or an episode that fails, named in
                ``BatchReport.failed``; ``stop`` raises at the first.
            on_progress: Called after each episode.

        Raises:
            EpisodeError: if none of the files can be read, or with ``stop`` one cannot.
            GraphRAGError: as ``add_episodes``.
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
        ``email``, ``phone``, ``company``, ``title``, ``aliases``. Nothing is written unless every
        contact can be read; importing the same again adds nothing.

        Args:
            contacts: The address book.
            reference_time: When this was so; default: the start of each job is unknown.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the contact that cannot be used.
            MissingExtraError: for a vCard file without the extra ``interchange``.
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
        """Add meetings, who attended them, and where they took place.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting is an entity named with its day, and its
        facts hold while it lasts. Of a repeated one each meeting is added, at most 1,000; cancelled
        ones and those who declined are left out. Importing the same again adds nothing, and nothing
        is written unless every meeting can be read.

        Args:
            calendar: The meetings.
            since: The earliest repeated meeting to add. Default: the first one.
            until: The first moment that is too late for a repeated meeting. Default: in a year.
            time_zone: Of times that name none, such as ``Europe/Oslo``. Default: the file's; if it
                says nothing such times are an error.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the meeting that cannot be used.
            MissingExtraError: for an iCalendar file without the extra ``interchange``.
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
        """Import an export of Graphiti, Zep or Mem0: episodes, entities, facts, all dates.

        Importing the same again changes nothing. What does not come in is in the report, with the
        reason; nothing is written unless every file can be read.

        Args:
            paths: Files of JSON or JSON Lines, or a folder of them (links as in ``documents``).
            of: ``graphiti``, ``zep`` or ``mem0``; default: what the records look like.
            one_group: All into this group. Default: each of theirs into one of its name, what has
                none into this.
            judge: True lets facts end each other by the rules here. Default: they stand as given.

        Raises:
            InputError: if a file cannot be read or recognised, or a group's name is none here.
            PolicyError: if the write policy refused; what was written before stays.
        """
        return self._portal.wait(self._twin.memory(paths, of=of, one_group=one_group, judge=judge))

    def group(
        self,
        file: str | PathLike[str],
        name: str | None = None,
        *,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> ImportedGroup:
        """Recreate a group from a ``jsonl`` export: same rows, vectors, log and past.

        All or nothing; until the last row the group is closed to everybody. Vectors of another
        embedder are made anew. Where the store has these ids already, the group gets its own. The
        policy is not asked.

        Args:
            file: What ``export.file`` wrote.
            name: Of the group; default: its own.
            on_progress: Called after each page.

        Raises:
            InputError: if the file cannot be used, naming the line, or there is such a group.
            StoreError: if the database refused.
        """
        return self._portal.wait(self._twin.group(file, name, on_progress=on_progress))


@named("graph.queue")
class QueueControl:
    """The queued episodes of a group: ``graph.queue``."""

    _twin: AsyncQueueControl

    def __init__(self, twin: AsyncQueueControl, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def status(self) -> QueueStatus:
        """Count the episodes of the group that are pending, done and failed."""
        return self._portal.wait(self._twin.status())

    def failed(self) -> list[Episode]:
        """Return the episodes whose facts could not be read, with their ``error``."""
        return self._portal.wait(self._twin.failed())

    def retry(self) -> int:
        """Make the failed episodes of the group pending again and return their number."""
        return self._portal.wait(self._twin.retry())

    def drain(self) -> None:
        """Return when no queued episode of the group is pending any more.

        Failed ones are not waited for. With ``workers=0`` this is what does the work.

        Raises:
            StoreError: if the store is gone; what is pending stays so.
        """
        return self._portal.wait(self._twin.drain())

    def drain_all(self) -> None:
        """Return when no queued episode of any group is pending any more; as ``drain``."""
        return self._portal.wait(self._twin.drain_all())


@named("graph.health")
class Health:
    """Checking, repairing and tidying: ``graph.health``."""

    _twin: AsyncHealth

    def __init__(self, twin: AsyncHealth, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def check(self) -> CheckReport:
        """Check that the group is whole; nothing is written.

        Every record is compared with the event log, with what it points to and with what this
        process holds in memory: a sound graph has no findings.

        Raises:
            QueryError: if nobody wrote to the group, where that is an error.
            StoreError: if other processes write to the group all the while.
        """
        return self._portal.wait(self._twin.check())

    def check_all(self) -> CheckReport:
        """Check every group of the store; as ``check``."""
        return self._portal.wait(self._twin.check_all())

    def repair(self) -> RepairReport:
        """Repair what needs no guessing, in a logged event, and report what is left.

        Missing embeddings are computed again, the chain of episodes is linked anew, links and
        passages that lead nowhere are removed, and the memory of this process is read again.

        Raises:
            QueryError: if nobody wrote to the group, where that is an error.
            PolicyError: if the write policy refused a repair.
            StoreError: if other processes write to the group all the while.
        """
        return self._portal.wait(self._twin.repair())

    def repair_all(self) -> RepairReport:
        """Repair every group of the store; as ``repair``."""
        return self._portal.wait(self._twin.repair_all())

    def indexes(self) -> IndexReport:
        """Check that every index exists and agrees with its table; nothing is written.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        return self._portal.wait(self._twin.indexes())

    def build_indexes(
        self, *, rows: bool = True, on_step: Callable[[Built], None] | None = None
    ) -> list[Built]:
        """Make the indexes anew while nobody writes; a search meanwhile is refused.

        After many writes this also makes searches quicker: what each transaction added lies in a
        page of its own, and all such pages are read.

        Args:
            rows: Derive from the records what the indexes cover, too.
            on_step: Notified of each step when it is done.

        Raises:
            StoreProfileError: for a store of the process profile, which has no such indexes.
        """
        return self._portal.wait(self._twin.build_indexes(rows=rows, on_step=on_step))

    def build_native(self, *, on_step: Callable[[Built], None] | None = None) -> list[Built]:
        """Add tables that SurrealQL can search to a store of the process profile.

        Vectors come under DISKANN or HNSW, words under FULLTEXT, and each transaction keeps them in
        step from now on. Nobody should write meanwhile; a call that was cut short is made again.

        Args:
            on_step: Notified of each step when it is done.
        """
        return self._portal.wait(self._twin.build_native(on_step=on_step))

    def reembed(self, *, on_progress: Callable[[Reembedded], None] | None = None) -> Reembedded:
        """Change the embedder of the store to that of this graph, which is not open yet.

        Nothing is extracted again. The old vectors serve until all new ones are there; a call that
        was cut short goes on when it is made again. Nobody should write meanwhile.

        Args:
            on_progress: Called after each 64 vectors.

        Raises:
            InputError: if this graph is open: it has the embedder that the store has already.
            StoreProfileError: for a store of the engine profile: ``log.replay_all`` embeds again.
            EmbeddingError: if the new embedder fails; what it made stays.
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
        """Take the orphans out of the reads, and say why each goes or stays.

        Nothing is deleted and no fact is touched. What was taken out comes back once mentioned
        again, and ``log.revert`` of the event brings all of it back. Entities that somebody entered
        for their own sake, or that have attributes, stay.

        Args:
            kinds: ``entities``, and ``episodes`` if texts that state nothing should go as well,
                which are searched otherwise. Each is one transaction with one event.
            dry_run: Write nothing and only say what would be done; the policy is not asked.
            reason: Why, kept with the events.
            actor: Who does this; default: the one given to ``GraphRAG.open``.

        Raises:
            InputError: for an unknown kind.
            QueryError: if nobody wrote to the group, where that is an error.
            PolicyError: if the write policy refused; what was done of another kind stays.
        """
        return self._portal.wait(
            self._twin.cleanup(kinds, dry_run=dry_run, reason=reason, actor=actor)
        )


@named()
class Reads:
    """What can be looked up in a group from a viewpoint."""

    _twin: AsyncReads

    def __init__(self, twin: AsyncReads, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    @property
    def group_id(self) -> str:
        """Return the name of the group that is read."""
        return self._twin.group_id

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the moments that it is read from."""
        return self._twin.viewpoint

    def entity(self, name: str) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        return self._portal.wait(self._twin.entity(name))

    def entities(
        self,
        name: str | None = None,
        *,
        entity_type: str | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> list[Entity]:
        """Return every entity with this name, alias or id, or of the group, best connected first.

        Args:
            name: A name, an alias or an id; default: any.
            entity_type: Only of this type, such as ``person``; default: any, but values
                (amounts, dates, addresses, states) only if a name is given.
            limit: How many at most.
            offset: How many to leave out before: the length of the pages that were read.

        Raises:
            QueryError: for an impossible limit or offset.
        """
        return self._portal.wait(
            self._twin.entities(name, entity_type=entity_type, limit=limit, offset=offset)
        )

    def facts(
        self,
        entity: Entity | str | None = None,
        *,
        relation: str | None = None,
        limit: int | None = None,
        offset: int = 0,
    ) -> FactList:
        """Return the facts that hold at the viewpoint, by their start, unknown starts first.

        Facts stated from the other end count: ``relation="employs"`` gives those of ``works_at``
        where one is declared the inverse of the other. They come as they are stored.

        Args:
            entity: An entity, its name or its id: only facts about it; default: of all.
            relation: Only facts of this relation, as ``works_at``; one that nobody used has none,
                and a warning if it is nearly one that somebody did.
            limit: How many at most; default: all about an entity, else 100.
            offset: How many to leave out before: the length of the pages that were read.

        Raises:
            QueryError: if there is no such entity, or for an impossible limit or offset.
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
        limit: int = 100,
        offset: int = 0,
    ) -> list[Episode]:
        """Return the episodes with these ids, in the order asked, or all by their time.

        Unknown ids are left out; so is what was added after ``known_at``, or is dated after
        ``valid_at``.

        Args:
            ids: Ids of episodes, or your own keys of them; default: those of the group, the latest
                first.
            before: Only those whose reference time is earlier, if no ids are given: the last
                ``limit`` before a moment.
            saga: Only those of this saga, if no ids are given.
            where: Only those like this, if no ids are given: ``Field.metadata["lang"] == "en"``.
            limit: How many at most, if no ids are given.
            offset: How many to leave out before.

        Raises:
            QueryError: for an impossible limit or offset, or where ids and others are given.
            TimeError: if ``before`` cannot be read.
        """
        return self._portal.wait(
            self._twin.episodes(
                ids, before=before, saga=saga, where=where, limit=limit, offset=offset
            )
        )

    def sources(self, fact: Fact | str) -> list[Quote]:
        """Return where a fact is stated: episodes with the characters that say so, oldest first.

        Empty for a fact that a person entered without any. Episodes that were removed are marked
        (``Quote.removed``); only facts that were retracted with them still name them.

        Raises:
            InputError: if there is no such fact.
        """
        return self._portal.wait(self._twin.sources(fact))

    def timeline(self, entity: Entity | str) -> Timeline:
        """Return the facts about an entity of all times, in order, and what ended each.

        Raises:
            QueryError: if no entity has this name or id.
        """
        return self._portal.wait(self._twin.timeline(entity))

    def changes(
        self, since: Moment, until: Moment | None = None, *, axis: Axis = "system"
    ) -> Changes:
        """Return what became different between two moments.

        Args:
            since: The earlier moment.
            until: The later one; default: that of the view, or now.
            axis: ``system``: what the graph learned, closed, corrected, retracted or restored.
                ``world``: what began and ended, by what is known at the view.

        Raises:
            QueryError: if the moments are not in order, or for another axis.
            TimeError: if a moment cannot be read.
        """
        return self._portal.wait(self._twin.changes(since, until, axis=axis))

    def stats(self) -> Stats:
        """Count what the group holds; all zeros for a group that is not there."""
        return self._portal.wait(self._twin.stats())


@named()
class Walks(Reads):
    """The reads that follow facts from entity to entity."""

    _twin: AsyncWalks

    def __init__(self, twin: AsyncWalks, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def neighbors(
        self,
        entity: Entity | str,
        *,
        depth: int = 1,
        types: Sequence[str] | None = None,
        relations: Sequence[str] | None = None,
        limit: int = 50,
        facts: int = 1,
    ) -> list[Neighbor]:
        """Return the entities within some facts of one, nearest first, then best connected.

        Args:
            entity: An entity, its name or its id.
            depth: How many facts away, 1 to 10.
            types: Only entities of these types; others are walked through.
            relations: Only along facts of these relations.
            limit: How many at most.
            facts: How many of the facts that lead to each are read, added last first.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        return self._portal.wait(
            self._twin.neighbors(
                entity, depth=depth, types=types, relations=relations, limit=limit, facts=facts
            )
        )

    def within(self, entity: Entity | str, *, through: Sequence[str], hops: int = 1) -> Reach:
        """Return what an entity can know: all about itself and what it is linked to in some ways.

        Entities: itself, and what facts of these relations lead to, in either direction. Facts:
        about any of them, whatever they say, that have begun by now. Episodes: that speak of any of
        them. ``search(..., within=...)`` takes it as it is.

        Args:
            entity: An entity, its name or its id.
            through: Relations that let one know: ``["works_at", "member_of"]``.
            hops: How many of those away, 0 to 10; 0: only the entity itself.

        Raises:
            QueryError: if there is no such entity, or for an impossible distance.
        """
        return self._portal.wait(self._twin.within(entity, through=through, hops=hops))

    def path(self, start: Entity | str, end: Entity | str, *, max_depth: int = 4) -> Path | None:
        """Return a shortest chain of facts between two entities, None if it takes more than these.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth.
        """
        return self._portal.wait(self._twin.path(start, end, max_depth=max_depth))

    def paths(
        self, start: Entity | str, end: Entity | str, *, k: int = 3, max_depth: int = 4
    ) -> list[Path]:
        """Return up to ``k`` chains of facts between two entities, short and sure ones first.

        No entity comes twice in one of them; a fact costs 2 minus its confidence.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or number.
        """
        return self._portal.wait(self._twin.paths(start, end, k=k, max_depth=max_depth))

    def subgraph(
        self,
        center: Entity | str | None = None,
        *,
        depth: int = 2,
        limit: int = 100,
        facts: int = 100,
    ) -> Subgraph:
        """Return a part of the graph to draw: around an entity, or its best connected entities.

        Args:
            center: An entity, its name or its id; None for the best connected, no concepts among
                them. A value is drawn only as the center.
            depth: How many facts away from it, 1 to 10.
            limit: Entities at most.
            facts: How many of the facts between them are read; all of them are counted.

        Raises:
            QueryError: if there is no such entity, or for an impossible depth or limit.
        """
        return self._portal.wait(self._twin.subgraph(center, depth=depth, limit=limit, facts=facts))

    def profile(self, entity: Entity | str, *, facts: int = 12, changes: int = 3) -> EntityProfile:
        """Return who or what an entity is: type, names, what holds of it, and what ended last.

        Args:
            entity: An entity, its name or its id.
            facts: How many of those that hold, added last first.
            changes: How many of those that ended, latest first.

        Raises:
            QueryError: if there is no such entity, or for an impossible number.
        """
        return self._portal.wait(self._twin.profile(entity, facts=facts, changes=changes))


@named("graph.stream")
class Streams:
    """Answers while they are written: ``graph.stream``."""

    _twin: AsyncStreams

    def __init__(self, twin: AsyncStreams, portal: Portal) -> None:
        self._portal = portal
        self._twin = twin

    def answer(self, question: str, *, max_tokens: int = 2000) -> Iterator[CitedAnswer]:
        """Give the answer while it is written: ``async for answer in graph.stream.answer(...):``.

        Each is the answer so far, with all of its sentences checked; the last is ``complete``, and
        what ``answer`` returns; arguments and errors are its own. What is not written by a model
        comes at once.
        """
        return self._portal.follow(lambda: self._twin.answer(question, max_tokens=max_tokens))


@named()
class View(Walks):
    """A group as seen from one viewpoint; every read of it is a method here."""

    _twin: AsyncView

    def __init__(self, twin: AsyncView, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    def __repr__(self) -> str:
        return repr(self._twin)

    @property
    def communities(self) -> CommunityReads:
        """Return the clusters of entities: list, get, map and context."""
        return CommunityReads(self._twin.communities, self._portal)

    @property
    def sagas(self) -> SagaReads:
        """Return the named runs of episodes: list, get and window."""
        return SagaReads(self._twin.sagas, self._portal)

    @property
    def audit(self) -> Audit:
        """Return the reads of the whole: contradictions, orphans, growth and hubs."""
        return Audit(self._twin.audit, self._portal)

    @property
    def export(self) -> Exports:
        """Return what gives the group to others: file, pandas, networkx and igraph."""
        return Exports(self._twin.export, self._portal)

    @property
    def surreal(self) -> SurrealQL:
        """Return what asks the database in SurrealQL, where no method does."""
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
        """Search what is true at the viewpoint, or at the time that the question speaks of.

        Args:
            query: A question, or a few words.
            limit: Hits of each scope, 1 to 1000; default: the recipe's, else 10.
            scopes: Some of ``facts``, ``entities``, ``episodes`` and ``communities``; default: the
                recipe's, else all, in a view of the past without communities.
            recipe: How to rank: a ``Recipe``, or the name of one in ``RECIPES``.
            centers: Entities, by themselves, name or id, that closeness in the graph counts from;
                default: those that the query names, else the best found.
            where: What hits must be like: ``Field.relation == "works_at"``. A scope that has none
                of the fields named is not filtered.
            saga: Name of a saga: only what its episodes tell of, and no communities; short for
                ``where=Field.saga == name``.
            within: The part of the graph that is searched: ``Within("Alice", hops=2)``, what lies
                near something, or what ``within()`` found.
            explain: Note every step with its time in ``Results.explanation``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
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
        """Return the explorer: a notebook shows it, ``save("graph.html")`` keeps it as a page.

        It has the facts of all times that the view knows, and opens at the view's moment.

        Args:
            limit: Entities at most, the best connected ones.

        Raises:
            QueryError: for an impossible limit.
        """
        return self._portal.wait(self._twin.show(limit=limit))

    @property
    def stream(self) -> Streams:
        """Return the answers that come while they are written."""
        return Streams(self._twin.stream, self._portal)

    def ask(self, question: str) -> Answer:
        """Answer a question from the facts, without a model, or say why there is no answer.

        It knows who and what, when, since and until when, how long, how many, whether, and which
        came first; before, after, during, first, last, nth; times in the question, and "as known
        at". Entities are found by what people call them, relations by words and by meaning.

        Raises:
            QueryError: if there is no question, or it is a text.
        """
        return self._portal.wait(self._twin.ask(question))

    def query(self, pattern: Query) -> Answer:
        """Answer a typed query: ``Query(subject="Ada", relation="lives_in", order=Order("last"))``.

        The end that is left open answers; a query at an end stands for its answers. ``ask`` reads a
        question into one, which its answer shows as ``answer.query``.

        Raises:
            QueryError: if what is given is no query.
        """
        return self._portal.wait(self._twin.query(pattern))

    def answer(self, question: str, *, max_tokens: int = 2000) -> CitedAnswer:
        """Answer a question with numbered sources, or say that the graph does not.

        What ``ask`` can work out is the answer. Else the graph's language model writes it from what
        a search finds, and every sentence is checked against the sources that it cites; without a
        model it is the sentences of the sources themselves. At most one question to the model.

        Args:
            question: In any language that the model reads; without one, in the words of the texts.
            max_tokens: What the model may be shown of the graph, by estimate.

        Raises:
            QueryError: if there is no question, it is a text, or the budget has no room for a fact.
            LLMError: if the model could not be asked.
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
        """Say why a question finds something, or which step of the search lost it.

        Args:
            query: The question, as it was searched.
            item: A hit, a fact, an episode, an entity, the id of one, or the name of an entity.
            limit: As of ``search``, like all that follows but the last.
            scopes: What is searched.
            recipe: How it is ranked.
            centers: What closeness counts from.
            where: What hits must be like.
            saga: The saga that is searched.
            within: The part that is searched.
            max_tokens: Also whether it has room in ``Results.context(max_tokens)``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
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
    """Some groups of a store, or all: ``graph.groups("alice", "bob")``, ``graph.groups()``."""

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
        """Return the same groups as of a moment; arguments as of ``GraphRAG.at``."""
        return GroupSet(
            self._twin.at(valid_at=valid_at, known_at=known_at, history=history), self._portal
        )

    def list(self, *, known_at: Moment | None = None) -> Groups:
        """Return the groups with their sizes and last changes; nothing is counted.

        Args:
            known_at: Only those that were there at this moment of system time; default: that of
                the view, or now. Sizes are those of now.

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
        """Search the groups, ranked as one, with nothing between them; as ``View.search``.

        Raises:
            QueryError: naming the argument that cannot be used, and what would be right.
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
    """What tells a group something, and what changes what it knows."""

    _twin: AsyncWrites

    def __init__(self, twin: AsyncWrites, portal: Portal) -> None:
        super().__init__(twin, portal)
        self._twin = twin

    @property
    def handle(self) -> Handle:
        """Return what this graph shares with all that is bound to it."""
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
                wait=wait,
            )
        )

    def add_episodes(
        self,
        episodes: Iterable[NewEpisode],
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
        return self._portal.wait(
            self._twin.add_entity(
                name, entity_type=entity_type, aliases=aliases, attributes=attributes
            )
        )

    @property
    def communities(self) -> CommunityWrites:
        """Return the clusters of entities: list, get, map, context, build and update."""
        return CommunityWrites(self._twin.communities, self._portal)

    @property
    def sagas(self) -> SagaWrites:
        """Return the named runs of episodes: list, get, window and summarize."""
        return SagaWrites(self._twin.sagas, self._portal)

    @property
    def export(self) -> GroupExports:
        """Return what gives the group to others: file, copy, pandas, networkx and igraph."""
        return GroupExports(self._twin.export, self._portal)

    @property
    def edit(self) -> ManualEdits:
        """Return the edits by hand: retract, invalidate, correct, confirm, reject and pending."""
        return ManualEdits(self._twin.edit, self._portal)

    @property
    def identity(self) -> Identity:
        """Return who is one: candidates, merge, unmerge, split, keep_apart and rename."""
        return Identity(self._twin.identity, self._portal)

    @property
    def log(self) -> EventLog:
        """Return the log: events, follow, revert, remove_episode and replay."""
        return EventLog(self._twin.log, self._portal)

    @property
    def load(self) -> Load:
        """Return what brings in facts as they are known: facts, seed, contacts, calendar, group."""
        return Load(self._twin.load, self._portal)

    @property
    def queue(self) -> QueueControl:
        """Return the queue of episodes: status, drain, failed and retry."""
        return QueueControl(self._twin.queue, self._portal)

    @property
    def health(self) -> Health:
        """Return what looks after the graph: check, repair, cleanup and indexes."""
        return Health(self._twin.health, self._portal)

    @property
    def erase(self) -> Erase:
        """Return what deletes for good: entity and group."""
        return Erase(self._twin.erase, self._portal)


@named()
class GraphRAG(Writes):
    """A temporal knowledge graph in SurrealDB: one group of a store."""

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
        """Return a graph to be entered with ``async with``, or awaited; nothing is opened yet.

        Args:
            url: ``mem://``, ``surrealkv://PATH``, ``ws://``, ``wss://``, ``http://``, ``https://``.
            user: User of a server: of root, else of the namespace, else of the database; also
                accepted inside the URL.
            password: Their password; never shown in errors or reprs.
            token: Of somebody who signed in elsewhere, instead of both; never shown either.
            namespace: SurrealDB namespace, made if it is not there.
            database: SurrealDB database, made if it is not there.
            models: Embedder, extractor, language model, arbiter, reranker; default: those of this
                machine.
            rules: Relations, ontology, review and policy; default: anything may be stored.
            tracer: Told of every step, such as an ``OpenTelemetryTracer``; default: nobody.
            actor: Who writes, as the log is to name them; methods for edits may name another.
            workers: Tasks that read queued episodes, each those of another group; with 0 they wait
                for ``queue.drain``.
            profile: Where search runs: in this ``process``, or in SurrealDB's own indexes
                (``engine``). Default: as the store remembers; a new one gets ``process``.
            native: Keep tables that SurrealQL can search (vectors under DISKANN or HNSW, words
                under FULLTEXT) in a store of the ``process`` profile, as ``engine`` has them.
            memory_budget: Bytes of memory for groups that nobody is using; those used last stay.
                Default: a quarter of the machine's.

        Raises:
            StoreURLError: if the URL names no store.
            InputError: if ``workers`` is negative, ``memory_budget`` is below 1 MiB, or a standing
                rule cannot stand beside others.
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
            name: 1 to 200 printable characters.
            strict: Whether a group that nobody wrote to is an error when it is read; default: it
                is empty.

        Raises:
            InputError: if that is no name of a group.
        """
        return GraphRAG(self._twin.group(name, strict=strict), self._portal)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups of the store, to search them as one, or all, to list them.

        Raises:
            InputError: if one is no name of a group.
        """
        return GroupSet(self._twin.groups(*names), self._portal)

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> View:
        """Return the graph as of a moment.

        Args:
            valid_at: World time: what was true then.
            known_at: System time: what the graph knew by then.
            history: Facts of every time, each with its interval.

        Raises:
            TimeError: if a moment cannot be read; a date or a month means its first instant.
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
