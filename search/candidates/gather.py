"""Candidate part of a group, selected by SurrealDB instead of reading the group.

One request proposes rows by the indexes of vectors and words and a walk along facts; another reads
the best with what stands around them, and they form a small index for ``rank``. Visibility is
checked on rows: if too few are visible, more are asked for.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

from graphrag.engine.lookup import called
from graphrag.engine.proposals import Frequencies, Proposals, propose
from graphrag.index.group import GroupIndex
from graphrag.protocols import Embedder, Matrix
from graphrag.search.candidates.around import Around, bound, read_saga_rows, reranked, surround
from graphrag.search.candidates.limits import LIMITS
from graphrag.search.candidates.part import Part, kin_of, reworded
from graphrag.search.candidates.proposed import TABLES, Proposed, proposed_of, wanted
from graphrag.search.filters.masks import narrowed, prepare
from graphrag.search.limits import known_here, limited
from graphrag.search.question import Question, ask, asked_types
from graphrag.search.request import MOST, Request
from graphrag.search.rewind import Past, index_then
from graphrag.search.visibility import visible
from graphrag.store.store import Store
from graphrag.temporal.interval import Viewpoint

if TYPE_CHECKING:
    from graphrag.search.query_time import When

_WIDER = 4
_DRIFT = 8
"""A group that grew or shrank by more than such a part has its words counted anew."""


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
    frequencies: Frequencies
    part: Part
    proposals: Proposals
    width: int
    """How many times as many rows as usual were proposed."""

    async def index(self) -> GroupIndex:
        """Choose, read and assemble."""
        request, part = self.request, self.part
        for table, ids in reworded(self.past).items():
            part.want(table, ids)
        part.want("entity", self.proposals.named)
        part.want("entity", await called(self.store, part.group, request.centers, LIMITS.words))
        saga_rows = await self._saga_rows()
        part.mentions += saga_rows.mentions
        if await surround(part, request):
            question = await self._question()
        else:
            question = await self._chosen()
        for table, more in (await reranked(self.store, question, self._rank)).items():
            part.want(table, more)
        await part.read()
        return part.index()

    @property
    def _linked(self) -> int:
        """Return how many episodes may come along for those that are searched."""
        recipe = self.request.recipe
        used = "episodes" in self.request.scopes and recipe.fusion == "scores"
        return LIMITS.linked if used else 0

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

    def _when(self) -> "tuple[When, datetime]":
        """Return what the query says of time, and from when it is asked."""
        from graphrag.search.query_time import read_when

        at = self.viewpoint.valid_at or min(self.viewpoint.known_at or self.now, self.now)
        return read_when(self.request.query, at), at

    async def _chosen(self) -> Question:
        """Read the first of each order, and more of those of which too few are visible."""
        request, part = self.request, self.part
        pool, within = request.recipe.pool, bound(request.where)
        found, wider = self.proposals, self.width
        proposed, orders = self._proposed(found, wider)
        counts = dict.fromkeys(proposed, max(60, 2 * pool))
        facts = LIMITS.facts * (3 if found.rows["relates_to"] >= LIMITS.huge else 2) // 2
        counts |= {"episodes": max(60, pool), "facts": max(facts, 2 * request.limit)}
        enough = dict.fromkeys(proposed, max(request.limit, pool // 2))
        if "entities" not in request.scopes:  # they are only walked from
            enough["entities"] = request.recipe.seeds
        # All that a saga tells of is there; others may be walked from.
        lacking = [scope for scope in orders if not within or scope in ("entities", "communities")]
        while True:
            for scope in lacking:
                part.want(TABLES[scope], orders[scope][: counts[scope]])
            await part.read(self._linked, found.met[: LIMITS.met])
            question = await self._question()
            lacking = [
                scope
                for scope in lacking
                if counts[scope] < LIMITS.widest
                and (counts[scope] < len(orders[scope]) or proposed[scope].more)
                and self._seen(question, scope, orders[scope][: counts[scope]]) < enough[scope]
            ]
            if not lacking:
                return question
            if any(counts[scope] >= len(orders[scope]) for scope in lacking):
                wider *= _WIDER
                asked = wanted(request, self.vector, proposed, wider)
                found = await propose(self.store, asked, self.frequencies) or found
                proposed, orders = self._proposed(found, wider)
            for scope in lacking:
                counts[scope] *= _WIDER

    def _proposed(
        self, found: Proposals, wider: int
    ) -> tuple[dict[str, Proposed], dict[str, list[str]]]:
        """Return what is proposed of each scope, and its rows, those first that promise most."""
        request = self.request
        scopes = _scopes(request)
        proposed = {scope: proposed_of(scope, found, request, wider) for scope in scopes}
        graph = request.recipe.graph * request.recipe.facts.graph
        return proposed, {
            scope: rows.ranked(found.met, graph) if scope == "facts" else rows.ranked()
            for scope, rows in proposed.items()
        }

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
    frequencies: Frequencies,
) -> GroupIndex:
    """Return an index of what a search must look at.

    Raises:
        StoreIndexError: if an index is missing.
        QueryError: if a center is nobody's name or id.
    """
    known = frequencies.get((request.group, ""))
    width = 2 if (known or 0) >= LIMITS.huge else 1
    asked = wanted(request, vector, _scopes(request), width)
    proposals = await propose(store, asked, frequencies)
    if proposals is None:
        return GroupIndex(request.group, len(vector))
    facts = proposals.rows["relates_to"]
    is_huge = width == 1 and facts >= LIMITS.huge
    if is_huge or abs(facts - (known or facts)) * _DRIFT > facts:
        frequencies.clear()  # a word counted long ago, or up to a smaller bound, may be common now
    frequencies[request.group, ""] = facts
    if is_huge:
        width = 2
        asked = wanted(request, vector, _scopes(request), width)
        proposals = await propose(store, asked, frequencies) or proposals
    passages = [*proposals.near.get("passage", {}).values()]
    part = Part(
        store,
        request.group,
        len(vector),
        proposals.statistics,
        proposals.seq,
        proposals.sagas,
        kin_of(proposals.merged, past),
        viewpoint.valid_at or now,
        bool(past),
        None if past or _asks_of_ends(request) else (-vector).astype("<f4").tobytes(),
        float(np.std(passages)) if passages else None,
    )
    gathering = Gathering(
        store, embedder, request, vector, viewpoint, past, now, frequencies, part, proposals, width
    )
    return await gathering.index()


def _scopes(request: Request) -> list[str]:
    """Return what candidates are needed of: entities also to walk from."""
    scopes = {*request.scopes}
    if request.within is not None:
        scopes.discard("communities")
    if request.ranks_facts:
        scopes.add("facts")
    if scopes != {"communities"}:
        scopes.add("entities")
    return sorted(scopes, key=["entities", "facts", "episodes", "communities"].index)


def _asks_of_ends(request: Request) -> bool:
    """Tell whether a search looks at more of the ends of a fact than which they are."""
    asked = {"entities", "episodes"}.intersection(request.scopes) or asked_types(request.query)
    return bool(asked or request.recipe.rerank) or (request.within, request.where) != (None, None)
