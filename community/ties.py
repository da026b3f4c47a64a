"""What ties entities together at one moment: facts, by how sure they are.

A fact with a concept, what only a common noun names, ties less: that two people have a boat says
little about them, and a hub with thirty of them would push away the people around it.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.community.local import Nodes, Weights, strengths
from graphrag.index.group import GroupIndex
from graphrag.index.read_aside import read_aside
from graphrag.models import CONCEPT
from graphrag.search.visible import NOTHING_UNDONE, Past
from graphrag.store.store import Store

_LEAST = 0.05
"""Weight of a fact that nobody is sure of: it still ties its ends together."""
_COMMON = 0.3
"""Share of its confidence that a fact with a concept weighs."""


@dataclass(frozen=True, slots=True)
class Ties:
    """Facts between two entities, side by side."""

    rows: Nodes
    """Of the facts."""
    subjects: Nodes
    """Rows of entities."""
    objects: Nodes
    weights: Weights
    """Confidences, less for concepts."""

    @classmethod
    async def read(
        cls,
        index: GroupIndex,
        store: Store,
        held: npt.NDArray[np.bool_],
        ends: tuple[Nodes, Nodes],
        *,
        past: Past = NOTHING_UNDONE,
    ) -> "Ties":
        """Return the facts that are held to be true, given as a mask, with these ends."""
        await read_aside(store, index, {"relates_to": ["confidence"]})
        sure = index.facts.aside["confidence"].values(len(index.facts))
        if past.before:
            sure = _sure_then(sure.copy(), index, past)
        subject, object_ = ends
        rows = np.flatnonzero(held & (subject != object_))
        weights = np.maximum(np.nan_to_num(sure[rows], nan=1.0), _LEAST)
        if CONCEPT in index.types:
            common = index.entities["type"] == index.type_code(CONCEPT)
            weights[common[subject[rows]] | common[object_[rows]]] *= _COMMON
        return cls(rows, subject[rows], object_[rows], weights)

    def strengths(self, nodes: int) -> Weights:
        """Return the weight of all ties of every entity."""
        return strengths(self.subjects, self.objects, self.weights, nodes)

    def some(self, places: Nodes) -> "Ties":
        """Return the ties at some places."""
        return Ties(
            self.rows[places], self.subjects[places], self.objects[places], self.weights[places]
        )


def _sure_then(sure: Weights, index: GroupIndex, past: Past) -> Weights:
    for record, image in past.before.items():
        table, _, id_ = record.partition(":")
        if table == "relates_to" and image and "confidence" in image:
            sure[index.facts.row_of[id_]] = image["confidence"]
    return sure
