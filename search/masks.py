"""Filters as exact masks over a group's columns, as of any moment of system time.

Rare fields (attributes, labels) and whatever differed at ``known_at`` are evaluated per row.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import reduce
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from graphrag.index.group import FOREVER, GroupIndex
from graphrag.index.scope import MISSING
from graphrag.index.tables import read_aside, read_mentions, read_sources
from graphrag.model.values import Origin, Source
from graphrag.search.filters import Compare, Every, Filter, Not, Op, Some, spec_of
from graphrag.search.recipe import TABLES
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import Mask, VisibleRows
from graphrag.store.rows import unplain
from graphrag.store.store import Store
from graphrag.temporal.moment import to_micros


def holds(compare: Compare, value: Any) -> bool:
    """Tell whether a value, None for a missing one, fits.

    A missing value equals nothing and is neither less nor more than anything, so it differs from
    every value. Values of different types are never equal and have no order; True is not 1.
    """
    for key in compare.path:
        value = value.get(key) if isinstance(value, dict) else None
    wanted = compare.value
    match compare.op:
        case "exists":
            return value is not None and value not in ({}, [], ())
        case "contains":
            return isinstance(value, list | tuple) and any(_fits("==", v, wanted) for v in value)
        case "in":
            return any(_fits("==", value, each) for each in wanted)
        case "!=":
            return not _fits("==", value, wanted)
    return _fits(compare.op, value, wanted)


def _fits(op: Op, left: Any, right: Any) -> bool:
    if isinstance(left, bool) or isinstance(right, bool):
        comparable = isinstance(left, bool) and isinstance(right, bool)
    else:
        numbers = isinstance(left, int | float) and isinstance(right, int | float)
        comparable = numbers or (type(left) is type(right) and left is not None)
    return comparable and bool(_ORDERS[op](left, right))


_LOADED: Final = {
    ("facts", "name"): "relation",
    ("facts", "valid_at"): "valid",
    ("facts", "invalid_at"): "invalid",
    ("entities", "entity_type"): "type",
    ("episodes", "valid_at"): "valid",
    ("episodes", "saga"): "saga",
}
"""Columns that are always in memory, by scope and column of the store."""
_CHOICES: Final = {"origin": get_args(Origin), "source": get_args(Source)}
_TYPE: Final = "entity_type"
_ORDERS: Final[Mapping[str, Callable[[Any, Any], Any]]] = {
    "==": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


async def prepare(where: Filter, index: GroupIndex, store: Store) -> None:
    """Read the columns that the filter needs and that are not in memory, or not up to date."""
    wanted: dict[str, set[str]] = {}
    for compare in where.comparisons():
        for scope, column in spec_of(compare.field).columns.items():
            if column and (scope, column) not in _LOADED:
                wanted.setdefault(TABLES[scope], set()).add(column)
    await read_aside(store, index, wanted)
    if where.names("saga"):
        await read_sources(store, index)
        if index.episodes.mentions is None or not index.is_part:
            await read_mentions(store, index)


def narrowed(where: Filter, index: GroupIndex, seen: VisibleRows, past: Rewind) -> VisibleRows:
    """Return what may be seen and fits the filter; ``prepare`` first.

    Scopes that the filter says nothing of stay as they are.
    """
    columns = _Columns(index, seen, past)
    masks = {scope: columns.mask(where, scope) for scope in TABLES}
    kept = {scope: getattr(seen, scope) & mask for scope, mask in masks.items() if mask is not None}
    return replace(seen, **kept)


class _Columns:
    def __init__(self, index: GroupIndex, seen: VisibleRows, past: Rewind) -> None:
        self._index = index
        self._seen = seen
        self._past = past
        self._scopes = {scope: index.scopes[table] for scope, table in TABLES.items()}

    def mask(self, where: Filter, scope: str) -> Mask | None:
        """Return the rows of a scope that fit; None if the filter says nothing of it."""
        match where:
            case Compare():
                return self._compare(where, scope)
            case Not(part):
                mask = self.mask(part, scope)
                return None if mask is None else ~mask
            case Every(parts) | Some(parts):
                masks = [mask for part in parts if (mask := self.mask(part, scope)) is not None]
                join = np.logical_and if isinstance(where, Every) else np.logical_or
                return reduce(join, masks) if masks else None
        raise TypeError(f"{where!r} is not a filter")

    def _compare(self, compare: Compare, scope: str) -> Mask | None:
        spec = spec_of(compare.field)
        if scope not in spec.columns:
            return None
        if compare.field == "group":
            rows = self._scopes[scope]
            if (groups := rows.aside.get("group_id")) is None:  # of one group, most often
                return np.full(len(rows), holds(compare, self._index.group_id))
            marks = [holds(compare, groups.sparse.get(row)) for row in range(len(rows))]
            return np.array(marks, dtype=np.bool_)
        if compare.field in ("subject", "object"):
            return self._entities(compare)[self._seen.ends[compare.field == "object"]]
        if compare.field in ("subject_type", "object_type"):
            types = self._compare(replace(compare, field=_TYPE), "entities")
            assert types is not None
            return types[self._seen.ends[compare.field == "object_type"]]
        if compare.field == "saga" and scope != "episodes":
            return self._of_sagas(compare, scope)
        column = spec.columns[scope]
        mask = self._now(compare, spec.kind, scope, column)
        for row, value in self._then(scope, column):
            mask[row] = holds(compare, value)
        return mask

    def _entities(self, compare: Compare) -> Mask:
        """Return the entities that have one of the names, aliases or ids; for !=, the others."""
        row_of = self._index.entities.row_of
        mask = np.zeros(len(self._index.entities), dtype=np.bool_)
        for name in compare.value if compare.op == "in" else (compare.value,):
            ids = [name] if name in row_of else self._seen.named(name, self._index)
            mask[[row_of[self._seen.heirs.of(id_)] for id_ in ids]] = True
        return ~mask if compare.op == "!=" else mask

    def _of_sagas(self, compare: Compare, scope: str) -> Mask:
        """Return what an episode of one of the sagas tells of; for !=, what none of it does.

        A fact of last year may have been added today: when an episode was added says nothing of
        what it tells, so only removed ones do not count.
        """
        wanted = replace(compare, op="==") if compare.op == "!=" else compare
        episodes = self._compare(wanted, "episodes")
        assert episodes is not None
        removed = self._index.episodes["removed"] != FOREVER
        for row, value in self._then("episodes", "removed_at"):
            removed[row] = value is not None
        episodes &= ~removed | self._seen.episodes
        rows = np.flatnonzero(episodes)
        links = self._index.episodes
        linked = links.sources if scope == "facts" else links.mentions
        assert linked is not None
        mask = np.zeros(len(self._scopes[scope]), dtype=np.bool_)
        mask[linked.of_left(rows)[1]] = True
        if scope == "facts":
            for row, spans in self._then("facts", "sources"):
                known = (links.row_of.get(span["episode"], -1) for span in spans or ())
                mask[row] = any(at >= 0 and episodes[at] for at in known)
        elif self._seen.heirs:
            heirs = self._seen.heirs.rows(self._index.entities.row_of, len(mask))
            mask[heirs[mask]] = True
        return ~mask if compare.op == "!=" else mask

    def _now(self, compare: Compare, kind: str, scope: str, column: str) -> Mask:
        rows = self._scopes[scope]
        loaded = _LOADED.get((scope, column))
        aside = rows.aside.get(column) if loaded is None else None
        if aside is not None and aside.is_sparse:
            mask = np.full(len(rows), holds(compare, None))
            for row, value in aside.sparse.items():
                if row < len(rows):
                    mask[row] = holds(compare, value)
            return mask
        values = rows[loaded] if loaded else rows.aside[column].values(len(rows))
        if loaded == "valid" and scope == "facts":  # what merely was has no start
            values = np.where(values == rows["invalid"], MISSING, values)
        match kind:
            case "text" | "choice":
                return _codes(compare, values, self._vocabulary(column))
            case "flag":
                return _mask(values == (compare.value == (compare.op == "==")))
            case "number":
                return _ordered(compare, values, np.isnan(values))
        missing = FOREVER if loaded == "invalid" else MISSING
        return _ordered(compare, values, values == missing)

    def _vocabulary(self, column: str) -> Sequence[str]:
        """Return what the codes of a column stand for, in their order."""
        if column in _CHOICES:
            return _CHOICES[column]
        if column == "saga":
            return list(self._index.saga_codes)
        return self._index.types if column == _TYPE else self._index.relations

    def _then(self, scope: str, column: str) -> Iterator[tuple[int, Any]]:
        """Yield the rows that had another value at ``known_at``, and that value."""
        row_of = self._scopes[scope].row_of
        for id_, image in self._past.images(TABLES[scope]):
            if column in image and id_ in row_of:
                yield row_of[id_], unplain(column, image[column])


def _codes(compare: Compare, values: npt.NDArray[Any], vocabulary: Sequence[str]) -> Mask:
    wanted = compare.value if compare.op == "in" else (compare.value,)
    fits = [*(word in wanted for word in vocabulary), False]  # the last for -1, which is no code
    mask = np.array(fits, dtype=np.bool_).take(values)
    return ~mask if compare.op == "!=" else mask


def _ordered(compare: Compare, values: npt.NDArray[Any], missing: Mask) -> Mask:
    if compare.op == "exists":
        return ~missing
    if compare.op == "in":
        return _mask(np.isin(values, [_number(each) for each in compare.value]) & ~missing)
    if compare.op == "!=":
        return _mask(missing | (values != _number(compare.value)))
    return _mask(_ORDERS[compare.op](values, _number(compare.value)) & ~missing)


def _number(value: datetime | float) -> float:
    return to_micros(value, MISSING) if isinstance(value, datetime) else value


def _mask(values: npt.NDArray[Any]) -> Mask:
    return values.astype(np.bool_, copy=False)
