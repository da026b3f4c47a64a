"""Pairs of facts that overlap in time where a relation has room for one, from the columns alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from graphrag.index.group import GroupIndex
from graphrag.relations import AS_GIVEN, FREE, Relations
from graphrag.search.visible import Mask, Visible

Pair = tuple[int, int]
_Keys = npt.NDArray[np.int64]
_Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Rivals:
    """The facts to compare."""

    index: GroupIndex
    seen: Visible
    """Their lifetimes and ends, as they are known at the view."""
    told: Mask
    given: Mask
    """Facts of tables that nobody was to judge: two of them exclude nothing."""

    @classmethod
    def among(
        cls, index: GroupIndex, seen: Visible, told: Mask, attributes: Mapping[int, object]
    ) -> "Rivals":
        """Return the facts of a mask, without those that exclude nothing; attributes by row."""
        told, given = told & (seen.valid < seen.invalid), np.zeros(len(told), dtype=np.bool_)
        for row, item in attributes.items():
            if isinstance(item, Mapping) and row < len(told):
                told[row] &= not item.get(FREE)
                given[row] = bool(item.get(AS_GIVEN))
        return cls(index, seen, told, given)

    def pairs(self, relations: Relations) -> Iterator[Pair]:
        """Yield the rows of two facts of different values that overlap, some pairs twice."""
        subject, object_ = (end.astype(np.int64) for end in self.seen.ends)
        names = self.index.relations
        for code, name in enumerate(names):
            relation, rows = relations[name], self._rows_of(code)
            if not rows.size:
                continue
            if relation.single_valued and relation.symmetric:
                ends = np.concatenate((subject[rows], object_[rows]))
                others = np.concatenate((object_[rows], subject[rows]))
                yield from self._overlapping(np.concatenate((rows, rows)), ends, others)
            elif relation.single_valued:
                yield from self._overlapping(rows, subject[rows], object_[rows])
            if relation.single_holder:
                yield from self._overlapping(rows, object_[rows], subject[rows])
            for other in relation.exclusive_with:
                # It is declared both ways: a pair of relations is looked at from the first one.
                if other in names[code + 1 :]:
                    both = np.concatenate((rows, against := self._rows_of(names.index(other))))
                    keys = subject[both] << 32 | object_[both]
                    side = np.repeat(np.array([0, 1]), (len(rows), len(against)))
                    yield from self._overlapping(both, keys, side)

    def _rows_of(self, relation: int) -> _Rows:
        return np.flatnonzero(self.told & (self.index.facts["relation"] == relation))

    def _overlapping(self, rows: _Rows, keys: _Keys, values: _Keys) -> Iterator[Pair]:
        """Yield the rows of one key and two values whose lifetimes overlap."""
        order = np.lexsort((rows, self.seen.valid[rows], keys))
        rows, keys, values = rows[order], keys[order], values[order]
        bounds = np.flatnonzero(np.diff(keys, prepend=keys[0] - 1, append=keys[-1] + 1))
        for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            if last - first > 1:
                yield from self._swept(rows[first:last], values[first:last].tolist())

    def _swept(self, rows: _Rows, values: Sequence[int]) -> Iterator[Pair]:
        """Yield the overlapping ones of some facts that are in the order of their starts."""
        starts, stops, given = (
            column[rows].tolist() for column in (self.seen.valid, self.seen.invalid, self.given)
        )
        running: list[int] = []
        for at, start in enumerate(starts):
            running = [one for one in running if stops[one] > start]
            for one in running:
                if values[one] != values[at] and not (given[one] and given[at]):
                    yield int(rows[one]), int(rows[at])
            running.append(at)
