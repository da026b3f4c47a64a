"""What ties entities together at one moment: facts, by how sure they are, and long texts.

A fact with a concept, what only a common noun names, ties less: that two people have a boat says
little about them, and a hub with thirty of them would push away the people around it. What long
texts name together is tied beside (``text_ties.py``).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphrag.community.detect import Nodes, Weights, strengths
from graphrag.community.text_ties import Quote, named_together
from graphrag.index.group import GroupIndex
from graphrag.model.values import CONCEPT
from graphrag.search.edges import confidences
from graphrag.search.rewind import NOTHING_UNDONE, Past
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store

_LEAST = 0.05
"""Weight of a fact that nobody is sure of: it still ties its ends together."""
_COMMON = 0.3
"""Share of its confidence that a fact with a concept weighs."""
NO_FACT = -1
"""Row of what is no fact."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Ties between two entities, side by side."""

    rows: Nodes
    """Of the facts; -1 for two that texts name together."""
    subjects: Nodes
    """Rows of entities."""
    objects: Nodes
    weights: Weights
    """Confidences, less for concepts."""
    quotes: Sequence[Quote] = ()
    """Sentences of long texts that name two or more."""

    @classmethod
    async def read(
        cls,
        index: GroupIndex,
        store: Store,
        held: Mask,
        seen: Visible,
        *,
        past: Past = NOTHING_UNDONE,
    ) -> "Ties":
        """Return what ties entities by the facts of a mask, and by the texts that are visible."""
        facts = await cls.stated(index, store, held, seen, past=past)
        if not len(index.passages):  # no text is long
            return facts
        strengths = facts.strengths(len(index.entities))
        named = await named_together(index, store, seen, past, strengths)
        if named is None:
            return facts
        return cls(
            np.concatenate((facts.rows, np.full(len(named.weights), NO_FACT))),
            np.concatenate((facts.subjects, named.subjects)),
            np.concatenate((facts.objects, named.objects)),
            np.concatenate((facts.weights, named.weights)),
            named.quotes,
        )

    @classmethod
    async def stated(
        cls,
        index: GroupIndex,
        store: Store,
        held: Mask,
        seen: Visible,
        *,
        past: Past = NOTHING_UNDONE,
    ) -> "Ties":
        """Return what ties entities by the facts of a mask alone."""
        sure = await confidences(index, store, past)
        subject, object_ = seen.ends
        rows = np.flatnonzero(held & (subject != object_))
        weights = np.maximum(sure[rows], _LEAST)
        if CONCEPT in index.types:
            common = past.types(index) == index.type_code(CONCEPT)
            weights[common[subject[rows]] | common[object_[rows]]] *= _COMMON
        return cls(rows, subject[rows], object_[rows], weights)

    def __len__(self) -> int:
        """Count them."""
        return len(self.rows)

    @property
    def facts(self) -> "Ties":
        """Return those that are facts."""
        return self.some(np.flatnonzero(self.rows != NO_FACT))

    def strengths(self, nodes: int) -> Weights:
        """Return the weight of all ties of every entity."""
        return strengths(self.subjects, self.objects, self.weights, nodes)

    def some(self, places: Nodes) -> "Ties":
        """Return the ties at some places."""
        return Ties(
            self.rows[places],
            self.subjects[places],
            self.objects[places],
            self.weights[places],
            self.quotes,
        )
