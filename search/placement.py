"""Where something stands in what a question finds, or which step of the search lost it.

The search is run as it was asked, with two rerankers that order nothing: one sees every candidate
as it was fused, the other the ranking at its end. What is in neither was lost before, and the masks
and columns that the rankings looked at say where.
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np

from graphrag.display.cards import table
from graphrag.display.visible import flatten
from graphrag.model.values import Episode, Fact
from graphrag.search.episodes import basic
from graphrag.search.fuse import Fused, scores_at
from graphrag.search.question import Question, episode_cosines
from graphrag.search.request import Request
from graphrag.search.results import Why

Stage = Literal[
    "found", "never stored", "other group", "not known then", "merged", "waits for review",
    "retracted", "overruled", "not valid then", "not asked for", "filtered out", "no candidate",
    "too little relevance", "below the limit", "cut by the budget",
]  # fmt: skip
ItemScope = Literal["facts", "entities", "episodes"]


@dataclass(frozen=True, slots=True, repr=False)
class Placement:
    """Where an item stands in the results of a question, or the stage that lost it."""

    query: str
    item_id: str
    stage: Stage
    """``found``, or the first step after which it was not there any more."""
    reason: str
    """The same in a sentence."""
    rank: int | None = None
    """Its place among what was ranked, from 1; None if it was no candidate."""
    ranked: int | None = None
    """How many were ranked."""
    score: float | None = None
    relevance: float | None = None
    why: tuple[Why, ...] = ()
    """What each method says of it: of the ranking, or, for no candidate, of all that may be seen;
    rank 0 if the method does not find it at all."""

    def __bool__(self) -> bool:
        """Tell whether the question finds it."""
        return self.stage == "found"

    def __repr__(self) -> str:
        """Show the stage."""
        return f"Placement({self.stage!r}: {self.reason})"

    def __str__(self) -> str:
        """Write the stage, the reason and what each method says."""
        lines = [f"  {_said(why)}" for why in self.why]
        return "\n".join((f"{self.stage}: {flatten(self.reason)}", *lines))

    def _repr_html_(self) -> str:
        rows = [(why.method, str(why.rank or "-"), f"{why.score:.3f}") for why in self.why]
        head = table(("stage", "why"), [(self.stage, self.reason)])
        return head + (table(("method", "rank", "score"), rows) if rows else "")


def _said(why: Why) -> str:
    place = f"rank {why.rank}" if why.rank else "not found"
    return f"{why.method}: {place}, {why.score:.3f}"


@dataclass(slots=True)
class Watch:
    """What a search ranked, before and after its rerankers."""

    question: Question | None = None
    fused: dict[str, list[Fused[int]]] = field(default_factory=dict)
    final: dict[str, list[Fused[int]]] = field(default_factory=dict)

    def on(self, request: Request) -> Request:
        """Return a search that is watched; the least relevance is left to who watches."""
        recipe = request.recipe
        rerank = (_Seen(self, self.fused), *recipe.rerank, _Seen(self, self.final))
        return replace(request, recipe=replace(recipe, rerank=rerank, min_score=0.0))


@dataclass(frozen=True, slots=True)
class _Seen:
    """A reranker that leaves the order as it is."""

    watch: Watch
    rankings: dict[str, list[Fused[int]]]

    name: ClassVar[str] = "watch"
    walks: ClassVar[bool] = False

    def rerank(self, hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
        """Return the hits, and keep them."""
        self.watch.question = question
        self.rankings[scope] = hits
        return hits


def unproposed(row: int, scope: ItemScope, question: Question) -> tuple[Why, ...]:
    """Return what the methods that find candidates say of a row that none of them proposed."""
    index, seen = question.index, getattr(question.seen, scope)
    columns = question.rows(scope)
    if scope == "episodes":
        words = np.asarray(basic.words(index, question.text))
        cosines = episode_cosines(index, question.vector)
    else:
        words = columns.postings.scores(question.text)
        cosines = columns.vectors.compare(question.vector)
    rows = np.flatnonzero(seen)
    found = [
        ("vector", scores_at(cosines, rows), float(scores_at(cosines, np.array([row]))[0])),
        ("fulltext", words[rows], float(words[row])),
    ]
    said = [
        Why(name, 1 + int((others > own).sum()) if own > 0 else 0, own)
        for name, others, own in found
    ]
    if scope != "episodes":
        hops = _hops(row, scope, question)
        said.append(Why("graph", hops + 1, float(hops >= 0)))
    return tuple(said)


def _hops(row: int, scope: ItemScope, question: Question) -> int:
    """Return how many facts away from the seeds a row is; -1 if it was not reached."""
    ends = (row,) if scope == "entities" else [int(end[row]) for end in question.seen.ends]
    reached = [int(question.distance[end]) for end in ends if question.distance[end] >= 0]
    return min(reached, default=-1)


def unproposed_reason(why: tuple[Why, ...], pool: int) -> str:
    """Say in words why no method proposed something."""
    parts = []
    for one in why:
        match one.method:
            case "vector":
                parts.append(f"by meaning it is rank {one.rank}" if one.rank else "no likeness")
            case "fulltext":
                parts.append(
                    f"by words rank {one.rank}" if one.rank else "it has no word of the question"
                )
            case "graph" if one.rank:
                parts.append(f"{one.rank - 1} hops from what the question names")
            case "graph":
                parts.append("the walk through the graph did not reach it")
    return f"no method proposed it among its best {pool}: {', '.join(parts)}"


def hidden(item: Fact | Episode | None, moment: str) -> tuple[Stage, str]:
    """Return why a fact or an episode, as it was then, may not be seen."""
    if isinstance(item, Episode):
        if item.removed_at is not None:
            return "retracted", f"it was removed on {item.removed_at.date()}"
        return "not valid then", f"it is of {item.valid_at.date()}, and {moment} was looked at"
    if item is None:
        return "not known then", "it was stored later"
    if item.closed_as == "superseded" and item.retracted_at is not None:
        return "merged", f"{item.reason} ({item.invalidated_by})"
    if item.closed_as == "overruled" and item.retracted_at is not None:
        return "overruled", item.reason or "another fact leaves it no moment"
    if item.retracted_at is not None:
        return "retracted", item.reason or f"it was taken back ({item.closed_as})"
    if item.pending:
        return "waits for review", "it waits in edit.pending()"
    start = "" if item.valid_at is None else f" from {item.valid_at.date()}"
    end = "" if item.invalid_at is None else f" until {item.invalid_at.date()}"
    return "not valid then", f"it holds{start}{end}, and {moment} was looked at"
