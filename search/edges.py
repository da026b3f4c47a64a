"""The visible facts as a graph: which ends they join, and which of them lie in reach."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.group import GroupIndex
from graphrag.index.hops import EdgesAt, hops
from graphrag.search.rewind import Past
from graphrag.search.visibility import Mask, Visible
from graphrag.store.store import Store

Rows = npt.NDArray[np.intp]
Distances = npt.NDArray[np.int8]
Counts = npt.NDArray[np.int64]
_FEW = 2_000
"""Facts from which on a pass over all is quicker than putting them in order."""


@dataclass(frozen=True, slots=True)
class Edges:
    """Facts that may be walked along, in either direction."""

    subject: npt.NDArray[np.int32]
    object: npt.NDArray[np.int32]
    usable: Mask
    nodes: int
    facts_at: EdgesAt | None = None
    """The facts at a few entities, usable or not, some twice; None if they are many."""

    @classmethod
    def of(
        cls, index: GroupIndex, seen: Visible, *, relations: Sequence[str] | None = None
    ) -> "Edges":
        """Return the visible facts between visible entities, of some relations if any are given."""
        subject, object_ = seen.ends
        usable = seen.facts & seen.entities.take(subject) & seen.entities.take(object_)
        if relations is not None:
            wanted = np.array([name in relations for name in index.relations], dtype=np.bool_)
            usable &= wanted.take(index.facts["relation"])
        return cls(subject, object_, usable, len(index.entities), seen.facts_at)

    def distances(self, start: int | Sequence[int], depth: int) -> Distances:
        """Return the hops of every entity from the nearest start, -1 beyond ``depth``."""
        starts = [start] if isinstance(start, int) else start
        return hops(
            self.subject,
            self.object,
            self.nodes,
            starts,
            depth=depth,
            alive=self.usable,
            edges_at=self.facts_at,
        )

    def about(self, nodes: Mask) -> Rows:
        """Return the facts of which an end is among these, in the order of telling."""
        few = None if self.facts_at is None else self.facts_at(np.flatnonzero(nodes))
        if few is not None and len(few) < _FEW:
            few = np.unique(few)
            return few[self.usable[few]]
        return np.flatnonzero(self.usable & (nodes.take(self.subject) | nodes.take(self.object)))

    def within(self, nodes: Mask) -> Rows:
        """Return the facts of which both ends are among these, in the order of telling."""
        return np.flatnonzero(self.usable & nodes.take(self.subject) & nodes.take(self.object))

    def degrees(self) -> Counts:
        """Count the facts at every entity."""
        facts = np.flatnonzero(self.usable)
        subject, object_ = self.subject[facts], self.object[facts]
        others = object_[object_ != subject]  # a fact about one entity alone counts once
        return np.bincount(subject, minlength=self.nodes) + np.bincount(
            others, minlength=self.nodes
        )


async def confidences(index: GroupIndex, store: Store, past: Past) -> npt.NDArray[np.float64]:
    """Return how sure each fact was then; 1 if nothing is said of it."""
    # Here, not above: opening a graph does not need it.
    from graphrag.index.read_lazy import read_aside

    await read_aside(store, index, {"relates_to": ["confidence"]})
    stored = index.facts.aside["confidence"].values(len(index.facts))
    sure = np.nan_to_num(stored, nan=1.0)
    for id_, image in past.images("relates_to"):
        if "confidence" in image and id_ in index.facts.row_of:
            sure[index.facts.row_of[id_]] = image["confidence"]
    return np.asarray(sure)
