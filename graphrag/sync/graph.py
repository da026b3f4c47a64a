"""The graph and its views from moments, blocking: one line for each method."""

import weakref
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from types import TracebackType
from typing import Any

from graphrag.asof import AsOf as AsyncAsOf
from graphrag.batch import BatchReport, OnError, Progress
from graphrag.facade.opened import Moment
from graphrag.graph import GraphRAG as AsyncGraphRAG
from graphrag.ingest import Added
from graphrag.intake import NewEpisode
from graphrag.models import DEFAULT_GROUP, JSON, Community, Entity, Episode, Fact, Source
from graphrag.ontology.ontology import ANYTHING, Ontology
from graphrag.policy import Policy
from graphrag.protocols import LLM, Arbiter, Embedder, Extractor
from graphrag.relations import Relations
from graphrag.results import Results
from graphrag.review import REVIEW_BELOW
from graphrag.sagas import SagaView
from graphrag.search.recipe import SCOPES, Recipe, Scope
from graphrag.stats import Stats
from graphrag.store.changes import LIBRARY
from graphrag.sync.direct import Direct
from graphrag.sync.editing import Editing
from graphrag.sync.feed import feed
from graphrag.sync.health import Health
from graphrag.sync.history import History
from graphrag.sync.identity import Identity
from graphrag.sync.loop import BackgroundLoop, abandon
from graphrag.sync.queue import Queued
from graphrag.sync.records import Records
from graphrag.temporal.viewpoint import Viewpoint


class AsOf:
    """The graph as seen from one viewpoint."""

    def __init__(self, view: AsyncAsOf, loop: BackgroundLoop) -> None:
        self._view = view
        self._loop = loop

    def __repr__(self) -> str:
        """Show the viewpoint."""
        return repr(self._view)

    @property
    def viewpoint(self) -> Viewpoint:
        """Return the viewpoint."""
        return self._view.viewpoint

    def search(
        self,
        query: str,
        *,
        group: str = DEFAULT_GROUP,
        limit: int = 10,
        scopes: Sequence[Scope] = SCOPES,
        recipe: Recipe | None = None,
    ) -> Results:
        """Search facts, entities and episodes of a group; ``limit`` hits of each."""
        return self._loop.wait(
            self._view.search(query, group=group, limit=limit, scopes=scopes, recipe=recipe)
        )

    def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id; the best connected if several share it."""
        return self._loop.wait(self._view.entity(name, group=group))

    def entities(self, name: str, *, group: str = DEFAULT_GROUP) -> list[Entity]:
        """Return every entity with this name, alias or id, the best connected first."""
        return self._loop.wait(self._view.entities(name, group=group))

    def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold at the viewpoint, by their start."""
        return self._loop.wait(self._view.facts(entity, group=group))

    def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, and the entities and facts that they tell of."""
        return self._loop.wait(self._view.saga(name, group=group))

    def sagas(self, *, group: str = DEFAULT_GROUP) -> list[str]:
        """Return the names of the sagas of a group, in the order of their making."""
        return self._loop.wait(self._view.sagas(group=group))


class GraphRAG(Direct, Records, Editing, History, Identity, Health, Queued):
    """A temporal knowledge graph in SurrealDB, blocking.

    Every method does what the method of that name does in ``graphrag.GraphRAG``. Threads may share
    one graph.
    """

    def __init__(self, graph: AsyncGraphRAG) -> None:
        self._graph = graph
        self._loop: BackgroundLoop | None = None
        self._forgotten: weakref.finalize[Any, GraphRAG] | None = None

    @classmethod
    def open(
        cls,
        url: str,
        *,
        user: str | None = None,
        password: str | None = None,
        namespace: str = "graphrag",
        database: str = "graphrag",
        embedder: Embedder | None = None,
        extractor: Extractor | None = None,
        relations: Relations | None = None,
        review_below: float = REVIEW_BELOW,
        actor: str = LIBRARY,
        policy: Policy | None = None,
        llm: LLM | None = None,
        arbiter: Arbiter | None = None,
        ontology: Ontology = ANYTHING,
        workers: int = 1,
    ) -> "GraphRAG":
        """Return a graph to be entered with ``with``; arguments as of ``graphrag.GraphRAG``."""
        return cls(
            AsyncGraphRAG.open(
                url,
                user=user,
                password=password,
                namespace=namespace,
                database=database,
                embedder=embedder,
                extractor=extractor,
                relations=relations,
                review_below=review_below,
                actor=actor,
                policy=policy,
                llm=llm,
                arbiter=arbiter,
                ontology=ontology,
                workers=workers,
            )
        )

    def __enter__(self) -> "GraphRAG":
        """Open the store, creating or migrating it if needed."""
        loop = BackgroundLoop()
        try:
            loop.wait(self._graph.__aenter__())
        except BaseException:
            loop.stop()
            raise
        self._loop = loop
        self._forgotten = weakref.finalize(self, abandon, loop, self._graph.close, repr(self))
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
        loop, self._loop = self._loop, None
        if self._forgotten is not None:
            self._forgotten.detach()
        if loop is not None:
            try:
                loop.wait(loop.settled(self._graph.close))
            finally:
                loop.stop()

    def __repr__(self) -> str:
        """Show where the graph is and whether it is open."""
        return repr(self._graph)

    # -- write ---------------------------------------------------------------------------------

    def add_episode(
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
        """Add one episode: text, ``name: text`` lines, or a JSON value; one transaction."""
        return self._running().wait(
            self._graph.add_episode(
                content,
                reference_time=reference_time,
                name=name,
                source=source,
                source_description=source_description,
                group=group,
                metadata=metadata,
                saga=saga,
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

        The iterable is consumed, and ``on_progress`` called, in the calling thread: both may use
        this graph, and whatever else belongs to that thread.
        """
        add = partial(self._graph.add_episodes, on_error=on_error)
        return feed(self._running(), add, episodes, on_progress)

    # -- read ----------------------------------------------------------------------------------

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> AsOf:
        """Return the graph as of a moment."""
        loop = self._running()
        return AsOf(self._graph.at(valid_at=valid_at, known_at=known_at, history=history), loop)

    def search(
        self,
        query: str,
        *,
        group: str = DEFAULT_GROUP,
        limit: int = 10,
        scopes: Sequence[Scope] = SCOPES,
        recipe: Recipe | None = None,
    ) -> Results:
        """Search what is true now: facts, entities and episodes, ``limit`` hits of each."""
        return self._running().wait(
            self._graph.search(query, group=group, limit=limit, scopes=scopes, recipe=recipe)
        )

    def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        return self._running().wait(self._graph.entity(name, group=group))

    def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold now, by their start."""
        return self._running().wait(self._graph.facts(entity, group=group))

    def saga(self, name: str, *, group: str = DEFAULT_GROUP) -> SagaView:
        """Return a saga: its episodes in order, and the entities and facts that they tell of."""
        return self._running().wait(self._graph.saga(name, group=group))

    def sagas(self, *, group: str = DEFAULT_GROUP) -> list[str]:
        """Return the names of the sagas of a group, in the order of their making."""
        return self._running().wait(self._graph.sagas(group=group))

    def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out."""
        return self._running().wait(self._graph.episodes(list(ids)))

    def build_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Detect and store the communities of the facts that hold now, largest first."""
        return self._running().wait(self._graph.build_communities(group=group))

    def communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Return the communities as they were last built, largest first."""
        return self._running().wait(self._graph.communities(group=group))

    def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        return self._running().wait(self._graph.groups())

    def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds."""
        return self._running().wait(self._graph.stats(group=group))

    def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out."""
        return self._running().wait(self._graph.most_connected(limit, group=group))
