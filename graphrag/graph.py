"""The temporal knowledge graph: open it, add episodes and facts, and query it at any moment."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from graphrag.display.lists import Groups
from graphrag.errors import InputError, QueryError
from graphrag.index.retention import checked_budget
from graphrag.ingest.ingestion import Trust, Writer
from graphrag.ingest.intake import checked_group
from graphrag.local.embedder import CachedEmbedder, embedder_named
from graphrag.model.arguments import checked
from graphrag.model.values import DEFAULT_GROUP, Entity
from graphrag.protocols import Tracer
from graphrag.schema import Profile
from graphrag.session import Handle, Models, Rules, Session
from graphrag.store.changes import LIBRARY
from graphrag.store.groups import read_sizes
from graphrag.store.target import Target
from graphrag.temporal.moment import Moment, parse_moment
from graphrag.view.context import ViewContext, steady, viewpoint_of
from graphrag.view.view import View
from graphrag.view.writes import Writes

if TYPE_CHECKING:
    from graphrag.search.filters import Filter
    from graphrag.search.recipe import Recipe, Scope
    from graphrag.search.results import Results
    from graphrag.search.within import Reach, Within

OPENED = "a graph is opened, not made: use GraphRAG.open(URL), such as GraphRAG.open('mem://')"


@checked(QueryError, door="graph.groups(...)")
class GroupSet:
    """Several groups of a store, or all: ``graph.groups("alice", "bob")``, ``graph.groups()``."""

    def __init__(self, context: ViewContext, names: tuple[str, ...] = ()) -> None:
        self._context = context
        self._names = names

    def __repr__(self) -> str:
        names = ", ".join(map(repr, self._names)) or "all"
        return f"GroupSet({names}, {self._context.viewpoint!r})"

    def at(
        self,
        *,
        valid_at: Moment | None = None,
        known_at: Moment | None = None,
        history: bool = False,
    ) -> GroupSet:
        """Return the same groups as of a moment; for the arguments see ``GraphRAG.at``."""
        viewpoint = viewpoint_of(valid_at, known_at, history)
        return GroupSet(replace(self._context, viewpoint=viewpoint), self._names)

    async def list(self, *, known_at: Moment | None = None) -> Groups:
        """Return the groups with their sizes and times of last change, from stored counts.

        Args:
            known_at: Only groups that existed at this moment of system time; default: that of the
                view, or now. Sizes are the current ones.

        Raises:
            TimeError: if the moment cannot be read.
        """
        moment = self._context.viewpoint.known_at
        moment = moment if known_at is None else parse_moment(known_at, what="known_at")
        there = await read_sizes(self._context.store)
        return Groups(
            group
            for group in there
            if (not self._names or group.name in self._names)
            and (moment is None or group.created_at <= moment)
        )

    async def search(
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
        if not self._names:
            raise QueryError("name the groups that are searched: graph.groups('alice', 'bob')")
        from graphrag.search.request import Request
        from graphrag.view.searches import run

        names, at = ", ".join(self._names), self._context.viewpoint
        request = Request.of(
            query, names, at, limit, scopes, recipe, centers, where, saga, within, explain
        )
        contexts = [replace(self._context, group=name) for name in self._names]
        catalog = self._context.session.catalog
        return await catalog.steady(self._names, lambda: run(request, contexts, saga=saga))


@checked(reads=View, around=steady, but=("answer",))
class GraphRAG(Writes):
    """A temporal knowledge graph, stored in SurrealDB as one group of a store.

    Open it with ``async with GraphRAG.open("surrealkv://./memory") as graph:``. By default it needs
    no server and no key: the database runs in this process, and extraction and embeddings are
    local.
    """

    def __init__(
        self, handle: Handle | None = None, group: str = DEFAULT_GROUP, *, strict: bool = False
    ) -> None:
        if not isinstance(handle, Handle):
            raise TypeError(OPENED)
        super().__init__(ViewContext(handle, group, strict=strict))

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
        target = Target.parse(
            url,
            user=user,
            password=password,
            token=token,
            namespace=namespace,
            database=database,
            profile=profile,
            native=native,
        )
        memory = checked_budget(memory_budget)
        models, rules = models or Models(), rules or Rules()
        relations = rules.ontology.relations(rules.relations)
        if rules.standing:
            from graphrag.ingest.standing import program_of

            relations = relations.following(*rules.standing)
            program_of(relations)
        extractor, arbiter, llm = models.extractor, models.arbiter, models.llm
        # Imported here: nobody pays for both, and a reader of a graph for neither.
        if llm is not None:
            from graphrag.extract.llm.arbiter import LLMArbiter
            from graphrag.extract.llm.extractor import LLMExtractor

            extractor = extractor or LLMExtractor(llm, relations=relations, ontology=rules.ontology)
            arbiter = arbiter or LLMArbiter(llm)
        if extractor is None:
            from graphrag.extract.neural.extractor import NeuralExtractor

            extractor = NeuralExtractor()
        if workers < 0:
            raise InputError(f"workers is a number of tasks, not {workers}")
        embedder = CachedEmbedder(embedder_named() if models.embedder is None else models.embedder)
        services = partial(
            Session,
            embedder=embedder,
            extractor=extractor,
            relations=relations,
            review_below=rules.review_below,
            arbiter=arbiter,
            ontology=rules.ontology,
            trust=Trust(rules.trust),
            tracer=tracer,
            llm=llm,
            reranker=models.reranker,
        )
        writer = partial(Writer, actor=actor, policy=rules.policy)
        return cls(Handle(target, embedder, writer, services, workers, memory, llm))

    def group(self, name: str, *, strict: bool = False) -> GraphRAG:
        """Return the graph of another group of the same store.

        Args:
            name: Name of the group, 1 to 200 printable characters.
            strict: Whether reading a group that does not exist is an error; default: it is empty.

        Raises:
            InputError: if the name is not valid.
        """
        return GraphRAG(self.handle, checked_group(name), strict=strict)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups, or without names all groups, to search or list them.

        Raises:
            InputError: if a name is not valid.
        """
        context = replace(self._context, strict=False)
        return GroupSet(context, tuple(dict.fromkeys(map(checked_group, names))))

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
        return View(replace(self._context, viewpoint=viewpoint_of(valid_at, known_at, history)))

    def __await__(self) -> Generator[Any, None, Self]:
        """Open the store: ``graph = await GraphRAG.open(...)``, closed by ``close()``."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        """Open the store, creating or migrating it if needed."""
        await self.handle.open()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the store and the connections of the language model; may be called twice."""
        await self.handle.close()

    def __repr__(self) -> str:
        bound = "" if self.group_id == DEFAULT_GROUP else f".group({self.group_id!r})"
        return f"{self.handle!r}{bound}"
