"""Which groups stay in memory when nobody uses them: those used last, up to a number of bytes.

A group in use is never let go, because that would free nothing and the next one to ask would read
it a second time. Who uses one need not say so: an index that is still there when the last reference
of this module is gone is in use, and is taken back.
"""

from collections import OrderedDict
from collections.abc import Callable
from weakref import ref

from graphrag.errors import InputError
from graphrag.index.derived import derived_bytes
from graphrag.index.group import GroupIndex
from graphrag.store.renewal import machine_memory

_LEAST = 1 << 20
_SHARE = 4
_UNKNOWN = 4 << 30
"""Bytes of memory of a machine that does not tell."""


def checked_budget(given: int | None) -> int:
    """Return the bytes that groups may take in memory; by default a quarter of the machine's.

    Raises:
        InputError: if it is no number of bytes.
    """
    if given is None:
        return max(_LEAST, (machine_memory() or _UNKNOWN) // _SHARE)
    if isinstance(given, bool) or not isinstance(given, int) or given < _LEAST:
        raise InputError(
            f"memory_budget {given!r}: give a whole number of bytes, at least {_LEAST:,} (1 MiB), "
            "such as 2 * 1024**3"
        )
    return given


class GroupCache:
    """The groups that are kept, the one used last at the end."""

    def __init__(self, most_bytes: int, leaving: Callable[[GroupIndex], None]) -> None:
        """Start empty; ``leaving`` is called with each index before it is let go."""
        self._most = most_bytes
        self._leaving = leaving
        self._kept: OrderedDict[str, GroupIndex] = OrderedDict()
        self._sizes: dict[str, int] = {}
        self.nbytes = 0
        """Of all that is kept, each as it was measured last."""

    def __len__(self) -> int:
        """Count what is kept."""
        return len(self._kept)

    def __contains__(self, key: str) -> bool:
        """Tell whether this is kept."""
        return key in self._kept

    def groups(self) -> list[GroupIndex]:
        """Return the groups that are kept, the one used last at the end."""
        return [*self._kept.values()]

    def use(self, key: str, index: GroupIndex) -> None:
        """Keep an index as the one used last, and let go of what is too much then.

        The last one stays whatever its size: asked for again, it would be read again.
        """
        last = next(reversed(self._kept), None)
        if self._kept.get(key) is not index:
            self._kept[key] = index
            self._measure(key)
        if last is not None and last != key:  # searching it may have made columns of it
            self._measure(last)
            self._kept.move_to_end(key)
            self._trim()

    def grown(self, key: str) -> None:
        """Take note that an index may be larger now."""
        if key in self._kept:
            self._measure(key)
            self._trim()

    def take(self, key: str) -> GroupIndex | None:
        """Return what is kept, and keep it no longer."""
        self.nbytes -= self._sizes.pop(key, 0)
        return self._kept.pop(key, None)

    def clear(self) -> None:
        """Let go of everything."""
        self._kept.clear()
        self._sizes.clear()
        self.nbytes = 0

    def _measure(self, key: str) -> None:
        size = self._kept[key].nbytes + derived_bytes(self._kept[key])
        self.nbytes += size - self._sizes.get(key, 0)
        self._sizes[key] = size

    def _trim(self) -> None:
        used: list[tuple[str, GroupIndex]] = []
        while self.nbytes > self._most and len(self._kept) > 1:
            key, index = self._kept.popitem(last=False)
            self._leaving(index)
            user = ref(index)
            del index
            if (still := user()) is None:
                self.nbytes -= self._sizes.pop(key)
            else:
                used.append((key, still))
                del still
        for key, index in reversed(used):
            self._kept[key] = index
            self._kept.move_to_end(key, last=False)
