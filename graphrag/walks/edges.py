"""The visible facts as a graph: which ends they join, and which of them lie in reach."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.group import GroupIndex
from graphrag.index.hops import hops
from graphrag.search.visible import Mask, Visible

Rows = npt.NDArray[np.intp]
Distances = npt.NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class Edges:
    """Facts that may be walked along, in either direction."""

    subject: npt.NDArray[np.int32]
    object: npt.NDArray[np.int32]
    usable: Mask
    nodes: int

    @classmethod
    def of(
        cls, index: GroupIndex, seen: Visible, *, relations: Sequence[str] | None = None
    ) -> "Edges":
        """Return the visible facts, of some relations only if any are given."""
        subject, object_ = seen.ends
        usable = seen.facts & (subject != object_)
        usable &= seen.entities[subject] & seen.entities[object_]
        if relations is not None:
            wanted = [number for number, name in enumerate(index.relations) if name in relations]
            usable &= np.isin(index.facts["relation"], wanted)
        return cls(subject, object_, usable, len(index.entities))

    def distances(self, start: int, depth: int) -> Distances:
        """Return the hops of every entity from one, -1 beyond ``depth``; O(depth * facts)."""
        return hops(self.subject, self.object, self.nodes, [start], depth=depth, alive=self.usable)

    def at(self, row: int) -> Rows:
        """Return the facts at an entity."""
        return np.flatnonzero(self.usable & ((self.subject == row) | (self.object == row)))

    def within(self, nodes: Mask) -> Rows:
        """Return the facts of which both ends are among these."""
        return np.flatnonzero(self.usable & nodes[self.subject] & nodes[self.object])

    def other_end(self, facts: Rows, row: int) -> Rows:
        """Return the other end of facts at an entity."""
        return np.where(self.subject[facts] == row, self.object[facts], self.subject[facts])

    def degrees(self) -> npt.NDArray[np.int64]:
        """Count the facts at every entity."""
        ends = (self.subject[self.usable], self.object[self.usable])
        return np.bincount(np.concatenate(ends), minlength=self.nodes)
