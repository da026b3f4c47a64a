"""Candidate part of a group, selected by SurrealDB instead of reading the group.

Vector pages, the FULLTEXT index and a walk from the entities propose rows; the best and their
surroundings form a small index for ``rank``, with whole-group counts for BM25. Visibility is
checked on rows: if too few are visible, more are read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from graphrag.engine.counts import read_counts
from graphrag.index.group import GroupIndex
from graphrag.index.load import load_group, read_sagas
from graphrag.protocols import Embedder, Matrix
from graphrag.search.candidates.around import (
    Around,
    around,
    bound,
    called,
    read_saga_rows,
    surround,
)
from graphrag.search.candidates.limits import LIMITS, Limits
from graphrag.search.candidates.part import Part, Walk, merged, reworded
from graphrag.search.candidates.proposed import TABLES, propose
from graphrag.search.filters.masks import narrowed, prepare
from graphrag.search.fuse import Mask
from graphrag.search.limits import known_here, limited
from graphrag.search.question import Question, ask
from graphrag.search.request import MOST, Request
from graphrag.search.rerank.rerankers import NodeDistance
from graphrag.search.rewind import Past, index_then
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint
from graphrag.text.tokens import tokenize

if TYPE_CHECKING:
    from graphrag.search.query_time import When

_FAR = 8
"""Levels of a walk for true distances; few things in a graph are farther."""
_WIDER = 4


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
        for table, ids in reworded(self.past).items():
            part.want(table, ids)
        part.want(
            "entity", await called(self.store, part.group, request.centers, self.limits.words)
        )
        saga_rows = await self._saga_rows()
        if await surround(part, request, self.limits):
            question = await self._question()
        else:
            question = await self._proposed()
        needed = await around(self.store, question, self._rank, self.limits, part.asked["episode"])
        for table, more in needed.wanted.items():
            part.want(table, more)
        part.mentions += [*needed.mentions, *saga_rows.mentions]
        await part.read()
        return part.index()

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

    def _scopes(self) -> list[str]:
        """Return what candidates are needed of: entities also to walk from."""
        scopes = {*self.request.scopes}
        if self.request.within is not None:
            scopes.discard("communities")
        if self.request.ranks_facts:
            scopes.add("facts")
        if scopes != {"communities"}:
            scopes.add("entities")
        return sorted(scopes)

    async def _proposed(self) -> Question:
        """Read the best of what is proposed; facts last, since it tells where to look for them."""
        request, part, limits = self.request, self.part, self.limits
        found = await propose(part, request, self.vector, self._scopes(), limits)
        facts = found.pop("facts", None)
        question = await self._chosen(
            {scope: proposed.ranked(limits) for scope, proposed in found.items()}
        )
        if facts is None:
            return question
        recipe, walk = request.recipe, Walk(part, limits, facts.best, self._shown)
        if recipe.walks and question.seeds:
            true_distance = any(isinstance(one, NodeDistance) for one in recipe.rerank)
            ids = question.index.entities.ids
            seeds = {ids[row] for row in question.seeds}
            await walk.go(seeds, _FAR if true_distance else recipe.depth)
        order = facts.ranked(limits, walk.hops, recipe.graph * recipe.facts.graph)
        most = limits.near_of(len(facts.cosines)) // 2
        question = await self._chosen({"facts": order}, most)
        if walk.hops:
            near = facts.best(
                question.index.facts.ids, walk.hops, recipe.graph * recipe.facts.graph
            )
            await walk.link(near[:most])
        return question

    def _shown(self, index: GroupIndex) -> Mask:
        """Return which facts may be seen, and so walked along; of a past moment all may be."""
        if self.past:
            return np.ones(len(index.facts.ids), dtype=np.bool_)
        when = self._when()[0]
        return visible(index, self.viewpoint, self.past, now=self.now, when=when).facts

    def _when(self) -> "tuple[When, datetime]":
        """Return what the query says of time, and from when it is asked."""
        from graphrag.search.query_time import read_when

        at = self.viewpoint.valid_at or min(self.viewpoint.known_at or self.now, self.now)
        return read_when(self.request.query, at), at

    async def _chosen(self, orders: Mapping[str, list[str]], facts: int = 0) -> Question:
        """Read the first of each order, and more of those of which too few are visible."""
        pool, within = self.request.recipe.pool, bound(self.request.where)
        counts = dict.fromkeys(orders, max(60, 2 * pool))
        counts |= {"episodes": max(60, pool), "facts": max(facts, pool, 2 * self.request.limit)}
        enough = dict.fromkeys(orders, max(self.request.limit, pool // 2))
        if "entities" not in self.request.scopes:  # they are only walked from
            enough["entities"] = self.request.recipe.seeds
            counts["entities"] = max(self.limits.walked, self.request.recipe.seeds)
        # All that a saga tells of is there; others may be walked from.
        lacking = [scope for scope in orders if not within or scope in ("entities", "communities")]
        while True:
            for scope in lacking:
                self.part.want(TABLES[scope], orders[scope][: counts[scope]])
            question = await self._question()
            lacking = [
                scope
                for scope in lacking
                if counts[scope] < min(len(orders[scope]), self.limits.widest)
                and self._seen(question, scope, orders[scope][: counts[scope]]) < enough[scope]
            ]
            if not lacking:
                return question
            for scope in lacking:
                counts[scope] *= _WIDER

    def _seen(self, question: Question, scope: str, ids: list[str]) -> int:
        """Count which of some rows may be seen, or walked from where a saga bounds the search."""
        rows, within = question.rows(scope), bound(self.request.where)
        mask = getattr(question.walked if within else question.seen, scope)
        return int(mask[[rows.row_of[id_] for id_ in ids if id_ in rows.row_of]].sum())

    async def _question(self) -> Question:
        """Return what the rankings would ask of the rows chosen so far."""
        await self.part.read()
        request, index = self.request, self.part.index()
        if self.past:
            mentions = bool(request.sagas or self.part.mentions)
            index = await index_then(index, self.past, self.store, self.embedder, mentions=mentions)
        when, at = self._when()
        walked = seen = visible(index, self.viewpoint, self.past, now=self.now, when=when)
        if request.within is not None:
            within = known_here(request.within, index, walked)
            request = replace(request, within=within)
            walked = seen = limited(within, index, walked)
        if request.where is not None:
            await self._prepare(index)
            seen = narrowed(request.where, index, walked, self.past)
        return ask(request, index, self.vector, walked, when, seen=seen, now=at)

    async def _prepare(self, index: GroupIndex) -> None:
        """Read what the filter needs of the rows."""
        assert self.request.where is not None
        if self.request.sagas and not self.past:
            index.episodes.mentions = None  # so far only those around the candidates
        await prepare(self.request.where, index, self.store)

    async def _rank(self, question: Question) -> dict[str, list[str]]:
        """Return the ids of every candidate, best first, before anything reranks them."""
        from graphrag.search.pipeline import rank

        index = question.index
        if self.request.where is not None:
            await self._prepare(index)
        recipe = replace(question.recipe, rerank=(), min_score=0)
        plain = replace(question.request, limit=MOST, recipe=recipe)
        ranked = rank(plain, index, self.vector, self.viewpoint, self.past, now=self.now)
        return {scope: ranked.ids(scope) for scope in plain.scopes}


async def gather(
    store: Store,
    embedder: Embedder,
    request: Request,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Past,
    *,
    now: datetime,
    limits: Limits = LIMITS,
) -> GroupIndex:
    """Return an index of what a search must look at: the whole of a small group.

    Raises:
        StoreIndexError: if an index is missing.
        QueryError: if a center is nobody's name or id.
    """
    seq = await store.last_seq(request.group)
    counts = await read_counts(store, request.group, tokenize(request.query))
    if sum(counts.rows.values()) <= limits.whole:
        return await load_group(store, request.group, len(vector))
    part = Part(
        store,
        request.group,
        len(vector),
        counts,
        seq,
        await read_sagas(store, request.group),
        await merged(store, request.group, past),
        bool(past),
    )
    gathering = Gathering(store, embedder, request, vector, viewpoint, past, now, limits, part)
    return await gathering.index()
