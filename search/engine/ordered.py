"""A part of a group in the order of its ids, as a group that was loaded is.

Of equals the row that comes first ranks first, and what was read search by search lies in whatever
order it came. So what is ranked is a copy of the rows in order: arrays only, nothing is read anew.
Of the facts, which are the most by far, only those are copied that this search asked for.
"""

import copy
from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from graphrag.index.columns import Column
from graphrag.index.group import GroupIndex
from graphrag.index.reordered import Reordered
from graphrag.index.scope import Scope
from graphrag.index.touching import Touching
from graphrag.index.vectors import Vectors

Order = npt.NDArray[np.intp]


def in_order(index: GroupIndex, facts: Collection[str]) -> GroupIndex:
    """Return an index of the same rows, but of these facts only; it is for reading only."""
    ordered = copy.copy(index)
    ordered.entities, entities = _sorted(index.entities, index.entities.ids)
    ordered.facts, _ = _sorted(index.facts, index.facts.row_of.keys() & facts)
    ordered.communities, _ = _sorted(index.communities, index.communities.ids)
    place = np.empty_like(entities)
    place[entities] = np.arange(len(entities))
    for side in ("subject", "object"):
        ends = ordered.facts.columns[side]
        ends[:] = place[ends.values]
    ordered.heirs = index.heirs.moved()
    ordered.touching = Touching(ordered.facts)
    return ordered


def _sorted(rows: Scope, ids: Iterable[str]) -> tuple[Scope, Order]:
    found = copy.copy(rows)
    found.ids = sorted(ids)
    order: Order = np.array([rows.row_of[id_] for id_ in found.ids], dtype=np.intp)
    found.row_of = {id_: row for row, id_ in enumerate(found.ids)}
    found.alive = Column(np.bool_, rows.alive.values[order])
    found.vectors = Vectors.of(rows.vectors.rows(order))
    found.postings = Reordered(rows.postings, order)
    found.columns = {
        name: Column(column.dtype.type, column.values[order])
        for name, column in rows.columns.items()
    }
    found.aside = {}
    return found, order
