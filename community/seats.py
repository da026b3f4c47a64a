"""Which rows of an index the members of communities are: worked out once for each community.

To look up 30,000 members by their ids takes 30 ms, for an update that changes ten of them.
"""

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from graphrag.community.local import NOWHERE, Labels, Nodes
from graphrag.index.group import GroupIndex
from graphrag.models import Community


class Seats:
    """Rows by community, as long as nobody is found to be somebody else."""

    def __init__(self, index: GroupIndex) -> None:
        self._row_of, self._heirs = index.entities.row_of, index.heirs
        self._version = index.heirs.version
        self._known: dict[str, tuple[Sequence[str], Nodes]] = {}

    def of(self, community: Community) -> Nodes:
        """Return the rows of its members, one for those that are one by now."""
        if self._version != self._heirs.version:
            self._known.clear()
            self._version = self._heirs.version
        members, rows = self._known.get(community.id, (None, _NONE))
        if members is not community.members:
            row_of = self._row_of
            ids = self._heirs.each(community.members)
            rows = np.array([row_of[id_] for id_ in ids if id_ in row_of], dtype=np.int64)
            self._known[community.id] = community.members, rows
        return rows

    def forget(self, ids: Iterable[str]) -> None:
        """Let go of what is no community any more."""
        for id_ in ids:
            self._known.pop(id_, None)

    def labels(self, communities: Sequence[Community], nodes: int) -> Labels:
        """Return for each row the number of the community that it is in."""
        labels = np.full(nodes, NOWHERE, dtype=np.int64)
        if communities:
            rows = [self.of(one) for one in communities]
            numbers = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
            labels[np.concatenate(rows)] = numbers
        return labels


_NONE: Nodes = np.empty(0, dtype=np.int64)
_seats: WeakKeyDictionary[GroupIndex, Seats] = WeakKeyDictionary()


def seats_of(index: GroupIndex) -> Seats:
    """Return the rows that are known of a group's index."""
    found = _seats.get(index)
    if found is None:
        found = _seats[index] = Seats(index)
    return found
