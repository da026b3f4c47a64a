"""Question: a request with what its rankings share, and the kind of answer that it asks for."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from graphrag.errors import QueryError
from graphrag.index.cosines import BestOf, Cosines
from graphrag.index.edges import LevelWalk
from graphrag.index.group import GroupIndex
from graphrag.index.scope import ScopeIndex as Rows
from graphrag.protocols import Matrix, Reranker
from graphrag.search.fuse import Fused
from graphrag.search.masks import narrowed
from graphrag.search.near import anchored, named_entities, walk
from graphrag.search.recipe import TABLES, Recipe, Scope
from graphrag.search.request import Request
from graphrag.search.results import Trace
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows, visible
from graphrag.search.within import limited
from graphrag.temporal.interval import Viewpoint

if TYPE_CHECKING:
    from graphrag.search.query_time import When


_KINDS: tuple[tuple[re.Pattern[str], frozenset[str]], ...] = tuple(
    (re.compile(rf"\b(?:{words})\b", re.IGNORECASE), frozenset(kinds.split()))
    for words, kinds in (
        (r"who|whom|which (?:person|people|man|woman|friend)s?", "person"),
        (r"(?:which|what) (?:town|city|village|country|place|building|street|river)", "place"),
        (
            r"(?:which|what) (?:company|firm|employer|organi[sz]ation|hospital|clinic|school|"
            r"college|university|club|team|newspaper|bank)",
            "organization",
        ),
        (r"where", "place organization"),
    )
)

_LENGTH_PENALTY = 0.5


def asked_types(query: str) -> frozenset[str]:
    """Return the entity types that answer a question; empty if it does not say.

    The first question word decides: "Who lives where Alice lives?" asks for persons.
    """
    found = [(match.start(), kinds) for words, kinds in _KINDS if (match := words.search(query))]
    return min(found, default=(0, frozenset[str]()), key=lambda hit: hit[0])[1]


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which columns, and what may be seen; the argument of every ranking.

    A ranking of a scope is a function ``(question, ...) -> list[Fused]``: rows of that scope,
    best first, at least ``question.request.wanted`` of them (None: all candidates). The index may
    hold the whole group or only some candidates of it: statistics come from its postings.
    """

    request: Request
    index: GroupIndex
    vector: Matrix
    """The query, a unit vector."""
    seen: VisibleRows
    """What may be returned: what is visible and fits the filter."""
    walked: VisibleRows
    """What may be walked along and counted: all that is visible."""
    when: "When"
    now: datetime
    """The moment that is looked from, in world time."""
    named: list[int]
    """Rows of the entities that the query names, longest names first."""
    seeds: list[int]
    """Rows of the entities that closeness counts from: given, named, or the best found."""
    distance: npt.NDArray[np.int8]
    """Hops of each entity from the nearest seed along visible facts; -1: too far, or not asked."""
    walk: LevelWalk | None
    """From the seeds along visible facts, for who wants to know farther; None: no seeds."""
    asked: Mask
    """The entities of the type that the question asks for; none if it does not say."""
    entity_cosines: Cosines | None
    """Cosine of each entity; None if neither entities nor seeds are looked for."""
    reranker: Reranker | None = None
    trace: Trace = field(default_factory=Trace)

    @property
    def text(self) -> str:
        """Return the words of the query."""
        return self.request.query

    @property
    def recipe(self) -> Recipe:
        """Return how to rank."""
        return self.request.recipe

    def searches(self, scope: Scope) -> bool:
        """Tell whether a scope is asked for."""
        return scope in self.request.scopes

    def ids(self, scope: str, hits: Iterable[Fused]) -> list[str]:
        """Return the ids of some hits of a scope."""
        ids = self.rows(scope).ids
        return [ids[hit.id] for hit in hits]

    def rows(self, scope: str) -> Rows:
        """Return the columns of a scope."""
        return self.index.scopes[TABLES[scope]]


def episode_cosines(index: GroupIndex, query: Matrix) -> Cosines:
    """Return the cosine of each episode, or of its best passage.

    A long episode has more passages and so more tries; the expected gain of a maximum over n tries,
    ``0.5 sigma sqrt(2 ln n)``, is taken off again.
    """
    whole, passages = index.episodes.vectors.compare(query), index.passages
    if not passages.alive.values.any():
        return whole

    def gained(cosines: Matrix) -> Matrix:
        spread = passages.spread  # of the whole group, if these are a part of it
        if spread is None:  # rough cosines differ as much as exact ones, to four digits
            spread = float(cosines[passages.alive.values].std())
        return _LENGTH_PENALTY * np.float32(spread) * _tries(index)

    return BestOf(whole, passages.vectors.compare(query), passages["episode"], gained)


def _tries(index: GroupIndex) -> Matrix:
    """Return ``sqrt(2 ln n)`` of the number of passages of each episode, 0 of those with none."""
    owner = index.passages["episode"][index.passages.alive.values]
    count = np.bincount(owner, minlength=len(index.episodes))
    numbers = np.maximum(np.arange(count.max(initial=0) + 1), 1)
    tries: Matrix = np.sqrt(2 * np.log(numbers)).astype(np.float32)
    return tries[count]


def walked_rows(
    request: Request,
    index: GroupIndex,
    viewpoint: Viewpoint,
    past: Rewind,
    trace: Trace,
    *,
    now: datetime,
    partial: bool,
) -> tuple["When", datetime, VisibleRows]:
    """Return the times of a query, the moment that it is asked at, and the rows to walk along."""
    # Here, not above: it brings the grammar of dates, which opening a graph does not need.
    from graphrag.search.query_time import read_when

    at = viewpoint.valid_at or min(viewpoint.known_at or now, now)
    when = read_when(request.query, at)
    if when.anchors and viewpoint.valid_at is None:
        ever = visible(index, replace(viewpoint, history=True), past, now=now)
        if request.within is not None:
            ever = limited(request.within, index, ever, partial=partial)
        when = anchored(when, request.query, index, ever)
    if when:
        trace.step("time", len(when.said), str(when))
    walked = visible(index, viewpoint, past, now=now, when=when)
    trace.step("visible", int(walked.facts.sum()) if trace.on else None, "facts may be returned")
    if request.within is not None:  # nothing else is there: not to walk along, nor to name
        walked = limited(request.within, index, walked, partial=partial)
        trace.step("within", int(walked.facts.sum()) if trace.on else None, "facts in reach")
    return when, at, walked


def ask(
    request: Request,
    index: GroupIndex,
    vector: Matrix,
    viewpoint: Viewpoint,
    past: Rewind,
    *,
    now: datetime,
    partial: bool = False,
    reranker: Reranker | None = None,
    trace: Trace | None = None,
) -> Question:
    """Work out what all rankings share, as far as one of them needs it.

    The filter of the request needs ``prepare`` first. Of a ``partial`` index, one of candidates, a
    center need not be known.
    """
    recipe, trace = request.recipe, trace or Trace()
    when, at, walked = walked_rows(request, index, viewpoint, past, trace, now=now, partial=partial)
    seen = walked
    if request.where is not None:  # walks and names go by all that is visible, hits by the filter
        seen = narrowed(request.where, index, walked, past)
        trace.step("filter", int(seen.facts.sum()) if trace.on else None, "facts fit")
    entities = index.entities.vectors
    cosines = entities.compare(vector) if "entities" in request.scopes else None
    by_name = not {"facts", "entities", "episodes"}.isdisjoint(request.scopes)
    named = named_entities(request.query, index, walked) if by_name else []
    centers = _centers(request, index, walked, partial)
    seeds = centers or named
    near = not {"facts", "entities"}.isdisjoint(request.scopes) and recipe.walks
    if near and not seeds:
        if cosines is None:
            cosines = entities.compare(vector)
        seeds = cosines.top(recipe.seeds, walked.entities, 0.0)[0].tolist()
    if by_name:
        trace.step("seeds", len(seeds), "given" if centers else "named" if named else "found")
    asked: Mask = np.zeros(len(index.entities), dtype=np.bool_)
    distance = np.full(len(asked), -1, dtype=np.int8)
    far = walk(walked, seeds) if near and seeds else None
    if near and recipe.graph > 0:
        for type_ in asked_types(request.query):
            asked |= index.entities["type"] == index.type_code(type_)
        distance = distance if far is None else far.within(recipe.depth)
        reached = int((distance >= 0).sum()) if trace.on else None
        trace.step("walk", reached, f"entities within {recipe.depth} hops")
    return Question(
        request=request,
        index=index,
        vector=vector,
        seen=seen,
        walked=walked,
        when=when,
        now=at,
        named=named,
        seeds=seeds,
        distance=distance,
        walk=far,
        asked=asked,
        entity_cosines=cosines,
        reranker=reranker,
        trace=trace,
    )


def _centers(request: Request, index: GroupIndex, seen: VisibleRows, partial: bool) -> list[int]:
    rows: dict[int, None] = {}
    for center in request.centers:
        known = center in index.entities.row_of
        ids = seen.shown([center], index) if known else seen.named(center, index)
        if not ids and not partial:
            raise QueryError(
                f"center {center!r}: no entity has this name or id in group {index.group_id!r}"
            )
        rows.update(dict.fromkeys(index.entities.row_of[id_] for id_ in ids))
    return list(rows)
