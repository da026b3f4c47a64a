"""The facade: open a graph, tell it episodes, ask it questions, now or as of any moment."""

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from types import TracebackType

from graphrag.asof import AsOf, Reading
from graphrag.batch import BatchReport, Episodes, Progress, add_all
from graphrag.community.build import build_communities, stored_communities
from graphrag.embed import CachedEmbedder, SentenceTransformerEmbedder
from graphrag.errors import StoreClosedError
from graphrag.index.catalog import Catalog
from graphrag.ingest import Added, Ingestion
from graphrag.intake import NewEpisode, checked_group, prepare
from graphrag.models import DEFAULT_GROUP, JSON, Community, Entity, Episode, Event, Fact, Source
from graphrag.protocols import Embedder, Extractor
from graphrag.relations import Relations
from graphrag.results import Results
from graphrag.rules.extractor import RulesExtractor
from graphrag.search.recipe import SCOPES, Recipe, Scope
from graphrag.stats import Stats, count, most_connected
from graphrag.store.store import Store
from graphrag.store.target import Target
from graphrag.temporal.moment import parse_moment, utc_now
from graphrag.temporal.viewpoint import Viewpoint

Moment = datetime | date | str


class GraphRAG:
    """A temporal knowledge graph in SurrealDB.

    Open it with ``async with GraphRAG.open("surrealkv://./memory") as graph:``. Without a server
    and without a key: the database runs in this process, a local model embeds, rules extract.
    """

    def __init__(
        self,
        target: Target,
        *,
        embedder: Embedder,
        extractor: Extractor,
        relations: Relations,
    ) -> None:
        self._target = target
        self._embedder = embedder
        self._extractor = extractor
        self._relations = relations
        self._store: Store | None = None
        self._ingestion: Ingestion | None = None

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
    ) -> "GraphRAG":
        """Return a graph to be entered with ``async with``; nothing is opened yet.

        Args:
            url: ``mem://``, ``surrealkv://PATH``, ``ws://``, ``wss://``, ``http://``, ``https://``.
            user: Root user of a server; also accepted inside the URL.
            password: Their password; never shown in errors or reprs.
            namespace: SurrealDB namespace, made if it is not there.
            database: SurrealDB database, made if it is not there.
            embedder: Default: ``all-MiniLM-L6-v2`` on this machine (extra ``local``).
            extractor: Default: rules on a spaCy parse (extra ``local``), no language model.
            relations: What excludes what; default: ``works_at``, ``lives_in``, ... hold one value.

        Raises:
            StoreURLError: if the URL names no store.
        """
        return cls(
            Target.parse(url, user=user, password=password, namespace=namespace, database=database),
            embedder=CachedEmbedder(embedder or SentenceTransformerEmbedder()),
            extractor=extractor or RulesExtractor(),
            relations=relations or Relations(),
        )

    async def __aenter__(self) -> "GraphRAG":
        """Open the store, creating or migrating it if needed.

        Raises:
            StoreError: one of its kinds, if it cannot be opened.
            MissingExtraError: if the embedder needs an extra that is not installed.
        """
        store = await Store.open(
            self._target, embedder=self._embedder.name, dimension=self._embedder.dimension
        )
        self._store = store
        self._ingestion = Ingestion(
            store,
            Catalog(store, self._embedder.dimension),
            self._embedder,
            self._extractor,
            self._relations,
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the store."""
        await self.close()

    async def close(self) -> None:
        """Close the store; closing twice is fine."""
        store, self._store, self._ingestion = self._store, None, None
        if store is not None:
            await store.close()

    def __del__(self) -> None:
        """Warn about a graph that was dropped open."""
        if getattr(self, "_store", None) is not None:
            warnings.warn(
                f"{self!r} was never closed: use 'async with'", ResourceWarning, stacklevel=2
            )

    def __repr__(self) -> str:
        """Show where the graph is and whether it is open."""
        return f"GraphRAG({self._target.url!r}, {'open' if self._store else 'closed'})"

    # -- write ---------------------------------------------------------------------------------

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
    ) -> Added:
        """Add one episode: text, ``name: text`` lines, or a JSON value; one transaction.

        Adding the same content with the same reference time to the same group again changes
        nothing and returns ``new=False``.

        Args:
            content: What was said or written, kept word for word.
            reference_time: When; relative dates in the text count from it. Default: now.
            name: A title for people.
            source: ``text``, ``message`` or ``json``; default: guessed from the content.
            source_description: Where it comes from, for people.
            group: The graph inside the store that it belongs to.
            metadata: Anything else to keep with it.

        Raises:
            InputError: if the content, the group or a time cannot be used.
            ExtractionError: if the extractor failed.
            TransactionError: if the database refused; in every case nothing was written.
        """
        ingestion = self._open()
        episode = prepare(
            NewEpisode(
                content, reference_time, name, source, source_description, group, metadata or {}
            )
        )
        if known := await ingestion.known(episode):
            return Added(known, new=False)
        return await ingestion.add(episode, await ingestion.read(episode))

    async def add_episodes(
        self, episodes: Episodes, *, on_progress: Callable[[Progress], None] | None = None
    ) -> BatchReport:
        """Add many episodes in order, each in its own transaction.

        ``episodes`` may be a list, a generator or an async generator: it is consumed as a stream.
        After a crash, add the same episodes again: those already in the graph are skipped.
        ``on_progress`` is called after each episode.

        Raises:
            GraphRAGError: as ``add_episode``; the episodes before the one that failed stay.
        """
        return await add_all(self._open(), episodes, on_progress=on_progress)

    # -- read ----------------------------------------------------------------------------------

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> AsOf:
        """Return the graph as of a moment.

        Args:
            valid_at: World time: what was true then.
            known_at: System time: what the graph had been told by then.
            history: Facts of every time, each with its interval.

        Raises:
            TimeError: if a moment cannot be read; a date or a month means its first instant.
        """
        ingestion = self._open()
        reading = Reading(ingestion.store, ingestion.catalog, self._embedder)
        return AsOf(
            reading,
            Viewpoint(
                None if valid_at is None else parse_moment(valid_at, what="valid_at"),
                None if known_at is None else parse_moment(known_at, what="known_at"),
                history,
            ),
        )

    async def search(
        self,
        query: str,
        *,
        group: str = DEFAULT_GROUP,
        limit: int = 10,
        scopes: Sequence[Scope] = SCOPES,
        recipe: Recipe | None = None,
    ) -> Results:
        """Search what is true now: facts, entities and episodes, ``limit`` hits of each.

        Args:
            query: A question, or a few words.
            group: The graph inside the store.
            limit: Hits of each scope, 1 to 1000.
            scopes: Some of ``facts``, ``entities`` and ``episodes``.
            recipe: Weights and depths of the ranking; default: ``Recipe()``.

        Raises:
            QueryError: for an empty query, an unknown group or an impossible limit.
        """
        return await self.at().search(query, group=group, limit=limit, scopes=scopes, recipe=recipe)

    async def entity(self, name: str, *, group: str = DEFAULT_GROUP) -> Entity | None:
        """Return the entity with this name, alias or id, the best connected of several, or None."""
        return await self.at().entity(name, group=group)

    async def facts(self, entity: Entity | str, *, group: str = DEFAULT_GROUP) -> list[Fact]:
        """Return the facts about an entity that hold now, by their start.

        Raises:
            QueryError: if no entity has this name or id.
        """
        return await self.at().facts(entity, group=group)

    async def episodes(self, ids: Iterable[str]) -> list[Episode]:
        """Return the episodes with these ids, in the order asked; unknown ids are left out."""
        return list((await self._open().store.get(Episode, ids)).values())

    async def build_communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Detect and store the communities of the facts that hold now, largest first."""
        ingestion = self._open()
        async with ingestion.locks[checked_group(group)]:
            index = await ingestion.catalog.group(group)
            return await build_communities(index, ingestion.store, self._embedder)

    async def communities(self, *, group: str = DEFAULT_GROUP) -> list[Community]:
        """Return the communities as they were last built, largest first; none before that."""
        return await stored_communities(checked_group(group), self._open().store)

    async def groups(self) -> list[str]:
        """Return the names of the groups in this store."""
        return await self._open().store.groups()

    async def stats(self, *, group: str = DEFAULT_GROUP) -> Stats:
        """Count what a group holds; all zeros for a group that is not there."""
        index = await self._open().catalog.group(checked_group(group))
        return count(index, now=utc_now())

    async def most_connected(
        self, limit: int = 10, *, group: str = DEFAULT_GROUP
    ) -> list[tuple[Entity, int]]:
        """Return the entities with the most facts, with their number; concepts are left out."""
        ingestion = self._open()
        index = await ingestion.catalog.group(checked_group(group))
        return await most_connected(index, ingestion.store, limit=limit)

    async def log(self, *, group: str = DEFAULT_GROUP, after: int = 0) -> list[Event]:
        """Return every committed change of a group with a number above ``after``, oldest first."""
        return await self._open().store.events(checked_group(group), after=after)

    def _open(self) -> Ingestion:
        if self._ingestion is None:
            raise StoreClosedError(f"{self!r} is not open: use 'async with GraphRAG.open(...)'")
        return self._ingestion
