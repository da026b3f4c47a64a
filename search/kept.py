"""Views of a group that are kept until something that they show can have changed."""

from dataclasses import dataclass
from typing import Generic, TypeVar
from weakref import WeakKeyDictionary

from graphrag.index.group import GroupIndex

View = TypeVar("View")
State = tuple[int | bool, ...]


@dataclass(frozen=True)
class _Kept(Generic[View]):
    versions: State
    kind: State
    since: int
    until: int
    view: View


class KeptViews(Generic[View]):
    """The last few views of each group that is in memory."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._of: WeakKeyDictionary[GroupIndex, list[_Kept[View]]] = WeakKeyDictionary()

    def find(self, index: GroupIndex, kind: State, at: int) -> View | None:
        """Return the view of this kind at a moment, if it is kept and no row changed since."""
        versions = _versions(index)
        for kept in self._of.get(index, ()):
            same = kept.kind == kind and kept.versions == versions
            if same and kept.since <= at < kept.until:
                return kept.view
        return None

    def keep(self, index: GroupIndex, kind: State, since: int, until: int, view: View) -> None:
        """Keep a view that is true from one moment up to another."""
        versions = _versions(index)
        fresh = (kept for kept in self._of.get(index, ()) if kept.versions == versions)
        self._of[index] = [_Kept(versions, kind, since, until, view), *fresh][: self._most]


def _versions(index: GroupIndex) -> State:
    scopes = index.facts, index.entities, index.episodes, index.communities
    return (*(scope.version for scope in scopes), index.heirs.version)
