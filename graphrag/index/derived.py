"""What is worked out from an index and kept beside it: it goes when the index goes.

Each kind is declared once, where it is used, as a ``Slot`` or as ``ViewCache``; these hold nothing.
"""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, is_dataclass
from itertools import islice
from typing import Generic, TypeVar

import numpy as np

from graphrag.index.group import GroupIndex

Value = TypeVar("Value")
State = tuple[int | bool, ...]
_SAMPLE = 8


class Slot(Generic[Value]):
    """One kind of value, at most one of each index."""

    def get(self, index: GroupIndex) -> Value | None:
        """Return the value of an index, None if it has none yet."""
        value: Value | None = index.derived.get(self)
        return value

    def set(self, index: GroupIndex, value: Value) -> None:
        """Keep the value of an index instead of the one before."""
        index.derived[self] = value


@dataclass(frozen=True, slots=True)
class _View(Generic[Value]):
    versions: State
    kind: State
    since: int
    until: int
    value: Value


class ViewCache(Generic[Value]):
    """The last few views of each index, as long as nothing that they show can have changed."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._slot = Slot[tuple[_View[Value], ...]]()

    def find(self, index: GroupIndex, kind: State, at: int) -> Value | None:
        """Return the view of this kind at a moment, if it is kept and no row changed since."""
        versions = _versions(index)
        for view in self._slot.get(index) or ():
            same = view.kind == kind and view.versions == versions
            if same and view.since <= at < view.until:
                return view.value
        return None

    def keep(self, index: GroupIndex, kind: State, since: int, until: int, value: Value) -> None:
        """Keep a view that is true from one moment up to another."""
        versions = _versions(index)
        others = (view for view in self._slot.get(index) or () if view.versions == versions)
        views = _View(versions, kind, since, until, value), *others
        self._slot.set(index, views[: self._most])


def _versions(index: GroupIndex) -> State:
    scopes = index.facts, index.entities, index.episodes, index.communities
    return (*(scope.version for scope in scopes), index.heirs.version)


def derived_bytes(index: GroupIndex) -> int:
    """Return about how many bytes of memory is taken by what was worked out from an index."""
    return sum(_bytes(value, index) for value in index.derived.values())


def _bytes(value: object, index: GroupIndex) -> int:
    """Judge a collection by the first few of it; what only views a column takes nothing."""
    if isinstance(value, GroupIndex):  # what is the index's own part takes nothing
        parts = ((part, vars(index)[name]) for name, part in vars(value).items())
        return sum(getattr(part, "nbytes", 0) for part, own in parts if part is not own)
    if isinstance(value, np.ndarray):
        return value.nbytes if value.base is None else 0
    if isinstance(value, Collection) and not isinstance(value, str):
        few = [*islice(value.values() if isinstance(value, Mapping) else value, _SAMPLE)]
        of_few = sum(_bytes(one, index) for one in few)
        return sys.getsizeof(value) + of_few * len(value) // max(1, len(few))
    if is_dataclass(value):
        return sum(_bytes(getattr(value, field.name), index) for field in fields(value))
    return sys.getsizeof(value)
