"""Question: a request with what its rankings share, and the kind of answer that it asks for."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from graphrag.errors import QueryError
from graphrag.index.cosines import BestOf, Cosines
from graphrag.index.group import GroupIndex
from graphrag.index.hops import Walk
from graphrag.index.retention import Slot
from graphrag.index.scope import Scope as Rows
from graphrag.protocols import Matrix, Reranker
from graphrag.search.explain import Trace
from graphrag.search.near import named_entities, walk
from graphrag.search.request import Recipe, Request, Scope
from graphrag.search.visibility import Mask, Visible

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
_TRIES: Final = Slot[tuple[tuple[int, int], Matrix]]()
"""What the passages of each episode gain by being several, and the state that it is of."""

_SELF = re.compile(r"\b(?:i|me|my|mine|myself)\b", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:can|could|would|will|do) you\b", re.IGNORECASE)
_YOU = re.compile(r"\b(?:you|your|yours)\b", re.IGNORECASE)


def asked_types(query: str) -> frozenset[str]:
    """Return the entity types that answer a question; empty if it does not say.

    The first question word decides: "Who lives where Alice lives?" asks for persons.
    """
    found = [(match.start(), kinds) for words, kinds in _KINDS if (match := words.search(query))]
    return min(found, default=(0, frozenset[str]()), key=lambda hit: hit[0])[1]


def is_of_oneself(query: str) -> bool:
    """Tell whether a question is about the one who asks, not about what the one asked has said.

    "Can you tell me when I moved?" is; "What did you tell me about moving?" is not.
    """
    return bool(_SELF.search(query)) and not _YOU.search(_POLITE.sub("", query))


if TYPE_CHECKING:
    from graphrag.search.query_time import When


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, of which columns, and what may be seen; the argument of every ranking.

    A ranking of a scope is a function ``(question, ...) -> list[Fused[int]]``: rows of that scope,
    best first, at least ``question.request.wanted`` of them (None: all candidates). The index may
    hold the whole group or only some candidates of it: statistics come from its postings.
    """

    request: Request
    index: GroupIndex
    vector: Matrix
    """The query, a unit vector."""
    seen: Visible
    """What may be returned: what is visible and fits the filter."""
    walked: Visible
    """What may be walked along and counted: all that is visible."""
    when: "When"
    """What the question says of time."""
    now: datetime
    """The moment that is looked from, in world time."""
    named: list[int]
    """Rows of the entities that the query names, longest names first."""
    seeds: list[int]
    """Rows of the entities that closeness counts from: given, named, or the best found."""
    distance: npt.NDArray[np.int8]
    """Hops of each entity from the nearest seed along visible facts; -1: too far, or not asked."""
    walk: Walk | None
    """From the seeds along visible facts, for who wants to know farther; None: no seeds."""
    asked: Mask
    """The entities of the type that the question asks for; none if it does not say."""
    entity_cosines: Cosines | None
    """Cosine of each entity; None if nothing asks for it."""
    episode_cosines: Cosines | None
    """Cosine of each episode or its best passage; None if episodes are not ranked."""
    fact_cosines: Cosines | None
    """Cosine of each fact; None if facts are not ranked."""
    reranker: Reranker | None = None
    """The model that the graph was opened with."""
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

    def rows(self, scope: str) -> Rows:
        """Return the columns of a scope."""
        return {
            "facts": self.index.facts,
            "entities": self.index.entities,
            "episodes": self.index.episodes,
            "communities": self.index.communities,
        }[scope]


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
    passages, state = index.passages, (index.passages.version, len(index.episodes))
    kept = _TRIES.get(index)
    if kept is None or kept[0] != state:
        owner = passages["episode"][passages.alive.values]
        count = np.bincount(owner, minlength=len(index.episodes))
        kept = state, np.sqrt(2 * np.log(np.maximum(count, 1))).astype(np.float32)
        _TRIES.set(index, kept)
    return kept[1]


def ask(
    request: Request,
    index: GroupIndex,
    vector: Matrix,
    walked: Visible,
    when: "When",
    *,
    seen: Visible | None = None,
    now: datetime,
    reranker: Reranker | None = None,
    trace: Trace | None = None,
) -> Question:
    """Work out what all rankings share, as far as one of them needs it.

    Raises:
        QueryError: if a center is nobody's name or id.
    """
    recipe, trace, seen = request.recipe, trace or Trace(), walked if seen is None else seen
    entities = index.entities.vectors
    cosines = entities.compare(vector) if "entities" in request.scopes else None
    of_episodes = episode_cosines(index, vector) if "episodes" in request.scopes else None
    fact_cosines = index.facts.vectors.compare(vector) if request.ranks_facts else None
    by_name = not {"facts", "entities", "episodes"}.isdisjoint(request.scopes)
    named = named_entities(request.query, index, walked) if by_name else []
    centers = _centers(request, index, walked)
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
        asked = _of_types(asked_types(request.query), index)
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
        now=now,
        named=named,
        seeds=seeds,
        distance=distance,
        walk=far,
        asked=asked,
        entity_cosines=cosines,
        episode_cosines=of_episodes,
        fact_cosines=fact_cosines,
        reranker=reranker,
        trace=trace,
    )


def _of_types(types: Collection[str], index: GroupIndex) -> Mask:
    """Mark the entities of these types."""
    codes = [index.type_code(type_) for type_ in types]
    asked = np.zeros(len(index.entities), dtype=np.bool_)
    for code in codes:  # one or two
        asked |= index.entities["type"] == code
    return asked


def _centers(request: Request, index: GroupIndex, seen: Visible) -> list[int]:
    rows: dict[int, None] = {}
    for center in request.centers:
        known = [center] if center in index.entities.row_of else []
        ids = seen.shown(known, index) if known else seen.named(center, index)
        if not ids:
            raise QueryError(
                f"center {center!r}: no entity has this name or id in group {index.group_id!r}"
            )
        rows.update(dict.fromkeys(index.entities.row_of[id_] for id_ in ids))
    return list(rows)
