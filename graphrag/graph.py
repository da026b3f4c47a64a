"""A graph: open it, tell it episodes and facts, ask it questions, now or as of any moment."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace
from typing import Any, Self

from graphrag.ingest.ingestion import checked_threshold
from graphrag.ingest.intake import checked_group
from graphrag.ingest.queue import checked_workers
from graphrag.local.embedder import CachedEmbedder, embedder_named
from graphrag.model.arguments import checked
from graphrag.model.values import DEFAULT_GROUP
from graphrag.protocols import Tracer
from graphrag.schema import Profile
from graphrag.session import Handle, Models, Rules
from graphrag.store.changes import LIBRARY
from graphrag.store.target import Target
from graphrag.temporal.moment import Moment
from graphrag.view.groups import GroupSet
from graphrag.view.lens import steady, viewpoint_of
from graphrag.view.view import View
from graphrag.view.writes import Writes

OPENED = "a graph is opened, not made: use GraphRAG.open(URL), such as GraphRAG.open('mem://')"


@checked(reads=View, around=steady, but=("answer",))
class GraphRAG(Writes):
    """A temporal knowledge graph in SurrealDB: one group of a store.

    Open it with ``async with GraphRAG.open("surrealkv://./memory") as graph:``. Without a server
    and without a key: the database runs in this process, a local model embeds, rules extract.
    """

    def __init__(
        self, handle: Handle | None = None, group: str = DEFAULT_GROUP, *, strict: bool = False
    ) -> None:
        if not isinstance(handle, Handle):
            raise TypeError(OPENED)
        super().__init__(handle, group, strict=strict)

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
            native: Keep tables that SurrealQL can search, vectors under DISKANN or HNSW and words
                under FULLTEXT, beside a store of the ``process`` profile; made where they are not
                there. The ``engine`` profile has them in any case.
            memory_budget: Bytes of memory for groups that nobody is using; those used last stay.
                Default: a quarter of the machine's.

        Raises:
            StoreURLError: if the URL names no store.
            InputError: if ``review_below`` is not between 0 and 1, ``workers`` is negative,
                ``memory_budget`` is less than 1 MiB, or a standing rule cannot stand beside the
                others.
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
        from graphrag.index.retention import checked_budget

        memory = checked_budget(memory_budget)
        models, rules = models or Models(), rules or Rules()
        relations = rules.ontology.relations(rules.relations)
        if rules.standing:
            from graphrag.ingest.standing.program import program_of

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
        checked_threshold(rules.review_below)
        handle = Handle(
            target,
            CachedEmbedder(embedder_named() if models.embedder is None else models.embedder),
            extractor,
            relations,
            arbiter,
            llm,
            models.reranker,
            rules,
            tracer,
            actor,
            checked_workers(workers),
            memory,
        )
        return cls(handle)

    def group(self, name: str, *, strict: bool = False) -> GraphRAG:
        """Return the graph of another group of the same store.

        Args:
            name: 1 to 200 printable characters.
            strict: Whether a group that nobody wrote to is an error when it is read; default: it
                is empty.

        Raises:
            InputError: if that is no name of a group.
        """
        return GraphRAG(self.handle, checked_group(name), strict=strict)

    def groups(self, *names: str) -> GroupSet:
        """Return several groups of the store, to search them as one, or all, to list them.

        Raises:
            InputError: if one is no name of a group.
        """
        return GroupSet(self.handle, tuple(dict.fromkeys(map(checked_group, names))))

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
        return View(replace(self._lens, viewpoint=viewpoint_of(valid_at, known_at, history)))

    def __await__(self) -> Generator[Any, None, Self]:
        """Open the store: ``graph = await GraphRAG.open(...)``, closed by ``close()``."""
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Self:
        """Open the store, creating or migrating it if needed.

        Raises:
            StoreError: one of its kinds, if it cannot be opened.
            MissingExtraError: if the embedder needs an extra that is not installed.
        """
        await self.handle.open()
        return self

    async def __aexit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Close the store."""
        await self.close()

    async def close(self) -> None:
        """Close the store and the connections of its model; closing twice is fine."""
        await self.handle.close()

    def __repr__(self) -> str:
        """Show where the graph is, whether it is open, and its group."""
        bound = "" if self.group_id == DEFAULT_GROUP else f".group({self.group_id!r})"
        return f"{self.handle!r}{bound}"
