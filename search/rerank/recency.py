"""Order by how new things are: every half-life halves a score."""

from dataclasses import dataclass
from datetime import timedelta
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from graphrag.errors import QueryError
from graphrag.index.group import BEGINNING
from graphrag.search.fuse import Fused
from graphrag.search.question import Question
from graphrag.search.rerank.reranking import reordered
from graphrag.temporal.moment import to_micros

_MICRO = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Recency:
    """Halve the score of a hit for every ``half_life`` that it is old.

    A fact is as old as its start, an episode as its reference time, an entity as the newest visible
    fact about it, all in world time, counted back from the moment that is looked from. What has not
    started yet is new; what has no known start counts as one half-life old. Communities keep their
    order.
    """

    half_life: timedelta = timedelta(days=365)

    name: ClassVar[str] = "recency"
    walks: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Refuse what is no length of time."""
        if self.half_life <= timedelta(0):
            raise QueryError(f"{self}: half_life is longer than nothing")

    def rerank(self, hits: list[Fused[int]], scope: str, question: Question) -> list[Fused[int]]:
        """Return the hits by their score, weighed by age."""
        if scope == "communities":
            return hits
        rows = [hit.id for hit in hits]
        if scope == "entities":
            starts = _newest(question, np.array(rows, dtype=np.intp))
        else:
            starts = question.rows(scope)["valid"][rows]
        now = to_micros(question.now, BEGINNING)
        halvings = np.maximum(now - starts.astype(np.float64), 0.0) / (self.half_life / _MICRO)
        halvings[starts == BEGINNING] = 1.0
        scores = [hit.score * 0.5**age for hit, age in zip(hits, halvings.tolist(), strict=True)]
        return reordered(hits, scores, self.name)


def _newest(question: Question, entities: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the start of the newest visible fact of some entities."""
    seen, starts = question.walked, question.index.facts["valid"]
    subject, object_ = seen.ends
    facts = seen.facts_at(entities)
    if facts is None:
        wanted = np.zeros(len(seen.entities), dtype=np.bool_)
        wanted[entities] = True
        facts = np.flatnonzero(wanted.take(subject) | wanted.take(object_))
    facts = facts[seen.facts[facts]]
    newest = np.full(len(seen.entities), BEGINNING, dtype=np.int64)
    for end in seen.ends:
        np.maximum.at(newest, end[facts], starts[facts])
    return newest[entities]
