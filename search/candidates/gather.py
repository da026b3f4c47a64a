"""The part of a group that a search ranks, chosen by SurrealDB instead of read whole.

Rankings look at candidates, the best rows of each method, and at what stands around them. So the
same ``rank`` gives the same ranking on a small index that holds the best visible rows by meaning
and by words, what a walk from the entities in question meets, and the counts of the whole group for
BM25. What may be seen is decided here as it is there: if too few of the rows chosen are visible,
more are asked for.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from graphrag.engine.counts import read_counts
from graphrag.index.catalog import Catalog
from graphrag.index.group import GroupIndex
from graphrag.index.hops import edge_distance
from graphrag.index.load import load_group, read_sagas
from graphrag.index.tables import scopes_of
from graphrag.protocols import Embedder, Matrix
from graphrag.search.candidates.around import (
    SCOPES,
    Around,
    around,
    bound,
    read_saga_rows,
    surround,
)
from graphrag.search.candidates.limits import LIMITS, Limits
from graphrag.search.candidates.matches import Matches
from graphrag.search.candidates.method import Method, Nearest, by_passage, spread, together
from graphrag.search.candidates.name_lookup import keys_in, known_as, merged, reworded
from graphrag.search.candidates.part import Part
from graphrag.search.candidates.step import Walk
from graphrag.search.filters.masks import narrowed, prepare
from graphrag.search.limits import known_here, limited
from graphrag.search.question import Question, ask
from graphrag.search.request import MOST, Request
from graphrag.search.rerank.rerankers import NodeDistance
from graphrag.search.rewind import index_then
from graphrag.search.visibility import Mask, Past, visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint
from graphrag.text.tokens import tokenize

_FAR = 8
"""Levels of a walk for true distances; few things in a graph are farther."""
_TABLES = {
    "facts": "relates_to",
    "entities": "entity",
    "episodes": "episode",
    "communities": "community",
}


@dataclass(frozen=True, slots=True)
class Gathering:
    """One search under way."""

    store: Store
    embedder: Embedder
    request: Request
    vector: Matrix
    viewpoint: Viewpoint
    past: Past
    now: datetime
    limits: Limits
    part: Part

    async def index(self) -> GroupIndex:
        """Choose, read and assemble."""
        request, part = self.request, self.part
        keys = keys_in(request.query)
        part.want(
            "entity",
            await known_as(self.store, request.group, keys, request.centers, self.past),
        )
        for table, ids in reworded(self.past).items():
            part.want(table, ids)
        saga_rows = await self._saga_rows()
        near = await surround(part, request, self.past, self.limits)
        question = await (self._question() if near else self._chosen([*await self._methods()]))
        if not near and question.seeds and request.recipe.walks:
            ids_of = question.index.entities.ids
            seeds = {ids_of[row] for row in question.seeds}
            question = await self._walked(Walk(part, self.limits.walk, seeds))
        episodes = part.asked["episode"]
        needed = await around(self.store, question, self._rank, self.limits, episodes)
        for table, more in needed.wanted.items():
            part.want(table, more)
        await part.read()
        return part.assembled((*needed.mentions, *saga_rows.mentions))

    async def _saga_rows(self) -> Around:
        """Ask for what the sagas tell of that the filter names."""
        request, part = self.request, self.part
        if not request.sagas:
            return Around()
        saga_rows = await read_saga_rows(self.store, request.group, request.sagas, self.past)
        part.want("episode", saga_rows.wanted["episode"])
        if bound(request.where):
            part.want("relates_to", saga_rows.wanted["relates_to"])
            part.want("entity", (entity for _, entity in saga_rows.mentions))
        return saga_rows

    async def _methods(self) -> list[Method]:
        """Return the methods of the recipe, and what finds entities to walk from, if none is named.

        Also who is named is looked up only once: an entity that is, is nobody's candidate.
        """
        seeds = True
        if "entities" not in self.request.scopes and not self.past.before:
            # Not its seeds: without a name they are the nearest of whatever was read before.
            seeds = not (self.request.centers or (await self._question()).named)
        return [*self._of_scopes(seeds=seeds)]

    def _of_scopes(self, *, seeds: bool) -> Iterable[Method]:
        recipe, scopes = self.request.recipe, set(self.request.scopes)
        if self.request.within is not None:
            scopes.discard("communities")
        if self.request.ranks_facts:
            scopes.add("facts")
        if recipe.walks and seeds and not scopes.isdisjoint({"facts", "episodes"}):
            scopes.add("entities")
        for scope in sorted(scopes):
            table = _TABLES[scope]
            if recipe.vector or scope == "entities":
                yield Method(scope, self._nearest(table).best)
                if scope == "episodes":
                    yield Method(scope, by_passage(self._nearest("passage")))
            if recipe.fulltext and (scope != "entities" or scope in self.request.scopes):
                yield Method(scope, self._matches(table).best)

    def _nearest(self, table: str) -> Nearest:
        group, rows = self.request.group, self.part.counts.rows[table]
        kept = scopes_of(self.part.growing)[table]
        return Nearest(self.store, group, table, self.vector, rows, self.limits, kept)

    def _matches(self, table: str) -> Matches:
        terms = tokenize(self.request.query)
        statistics = self.part.counts.texts[table]
        return Matches(self.store, self.request.group, table, terms, statistics, self.limits)

    async def _chosen(self, methods: list[Method]) -> Question:
        """Ask each method for candidates until enough are visible, or there are no more."""
        pool = self.request.recipe.pool
        within = bound(self.request.where)
        for method in methods:  # all that a saga tells of is there; others may be walked from
            method.full = within and method.scope in SCOPES and method.scope != "entities"
        while True:
            asked = [method for method in methods if not method.full]
            least, most = self.limits.spare * pool, self.limits.nearest
            await together(method.ask(least, most) for method in asked)
            for method in asked:
                self.part.want(_TABLES[method.scope], method.ids)
            question = await self._question()
            for method in methods:
                rows = question.rows(method.scope)
                given = question.walked if within else question.seen
                seen: Mask = getattr(given, method.scope)
                known = [rows.row_of[id_] for id_ in method.ids if id_ in rows.row_of]
                method.full = method.full or int(seen[known].sum()) >= pool
            if all(method.full for method in methods):
                return question

    async def _walked(self, walk: Walk) -> Question:
        """Walk from the seeds; one level more if too few facts of the others are visible.

        The ends of the last level are one hop farther, so it is needed only for its own facts.
        """
        recipe = self.request.recipe
        true_distance = any(isinstance(one, NodeDistance) for one in recipe.rerank)
        for _ in range(_FAR if true_distance else recipe.depth):
            await walk.read()
        question = await self._question()
        if not true_distance and _near(question) < recipe.pool and await walk.read():
            question = await self._question()
        return question

    async def _question(self) -> Question:
        """Return what the rankings would ask of the rows chosen so far."""
        from graphrag.search.query_time import read_when

        await self.part.read()
        index = self.part.growing
        if self.past.before:
            index = await index_then(
                self.part.assembled(),
                self.past,
                self.store,
                self.embedder,
                mentions=bool(self.request.sagas or self.part.spoken),
            )
        at = self.viewpoint.valid_at or min(self.viewpoint.known_at or self.now, self.now)
        when = read_when(self.request.query, at)
        walked = seen = visible(index, self.viewpoint, self.past, now=self.now, when=when)
        request = self.request
        if request.within is not None:
            within = known_here(request.within, index, walked)
            request = replace(request, within=within)
            walked = seen = limited(within, index, walked)
        if self.request.where is not None:
            for rows in (index.facts, index.entities, index.episodes):
                rows.aside.clear()  # columns that were read before the index grew
            if index is self.part.growing:
                index.episodes.sources = index.episodes.mentions = None
            await prepare(self.request.where, index, self.store)
            seen = narrowed(self.request.where, index, walked, self.past)
        return ask(request, index, self.vector, walked, when, seen=seen, now=at)

    async def _rank(self, question: Question) -> dict[str, list[str]]:
        """Return the ids of every candidate, best first, before anything reranks them."""
        from graphrag.search.pipeline import rank

        index = question.index if self.past.before else self.part.assembled()
        if self.request.where is not None:
            if self.request.sagas and not self.past.before:
                index.episodes.mentions = None  # so far only those around the candidates
            await prepare(self.request.where, index, self.store)
        recipe = replace(question.recipe, rerank=(), min_score=0)
        plain = replace(question.request, limit=MOST, recipe=recipe)
        ranked = rank(plain, index, self.vector, self.viewpoint, self.past, now=self.now)
        return {scope: ranked.ids(scope) for scope in plain.scopes}


def _near(question: Question) -> int:
    """Count the visible facts that are nearer than the last level of the walk."""
    far = edge_distance(question.distance, *question.walked.ends)
    near = (far >= 0) & (far < question.recipe.depth)
    return int((near & question.seen.facts).sum())


async def gather(
    store: Store,
    embedder: Embedder,
    request: Request,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Past,
    *,
    now: datetime,
    catalog: Catalog,
    limits: Limits = LIMITS,
) -> GroupIndex:
    """Return an index of what a search must look at: the whole of a small group.

    It belongs to the caller until it is given back to the catalog (``Catalog.keep``).

    Raises:
        StoreIndexError: if an index is missing.
        QueryError: if a center is nobody's name or id.
    """
    stamp = await store.newest(request.group)
    terms = tokenize(request.query)
    counts = await read_counts(store, request.group, terms, past.before)
    whole = sum(counts.rows.values()) <= limits.whole
    lends = limits.kept and (whole or not past.before)
    kept = catalog.lend(request.group, stamp) if lends else None
    if whole:
        if kept is None or kept.is_part:
            kept = await load_group(store, request.group, len(vector))
            catalog.lent(kept, stamp, kept)
        return kept
    if kept is None or not kept.is_part:
        kept = GroupIndex(request.group, len(vector))
    part = Part(
        store,
        request.group,
        len(vector),
        counts,
        stamp[0],
        await read_sagas(store, request.group),
        await merged(store, request.group, past),
        await spread(store, request.group, vector, counts.rows["passage"], limits, kept.passages)
        if "episodes" in request.scopes
        else None,
        bool(past.before),
        kept,
    )
    gathering = Gathering(store, embedder, request, vector, viewpoint, past, now, limits, part)
    index = await gathering.index()
    if not past.before:
        catalog.lent(index, stamp, part.growing)
    return index
