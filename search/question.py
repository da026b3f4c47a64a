"""A request with what every ranking asks of the group: worked out once, shared by all scopes."""

from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
import numpy.typing as npt

from graphrag.explanation import Trace
from graphrag.index.group import GroupIndex
from graphrag.protocols import Matrix
from graphrag.search.fuse import Scores
from graphrag.search.recipe import Recipe, Request, Scope
from graphrag.search.visible import Mask, Visible


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
    """What may be returned."""
    now: datetime
    named: list[int]
    """Rows of the entities that the query names, longest names first."""
    seeds: list[int]
    """Rows of the entities that closeness counts from: given, named, or the best found."""
    distance: npt.NDArray[np.int8]
    """Hops of each entity from the nearest seed along visible facts; -1: too far, or not asked."""
    asked: Mask
    """The entities of the type that the question asks for; none if it does not say."""
    entity_cosines: Scores
    """Cosine of each entity; empty if no scope asked for it."""
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
