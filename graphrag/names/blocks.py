"""Where look-alikes meet: the few drawers into which a name is filed, so that no scan is needed.

One slip leaves the beginning or the end of a name intact, another order of words leaves the words,
an initial leaves the family name. A drawer that many names share (a common word) tells little and
is closed when it is full, so that looking up costs the same in a group of any size.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from graphrag.names.fold import folded, skeleton, spelled_out
from graphrag.names.likeness import core, initials
from graphrag.names.titles import NICKNAMES

_EDGE = 5
"""Letters of the beginning and of the end of a name."""
_REMEMBERED = 50_000
_FULL = 48
"""Names in one drawer; more make it useless."""

_DRAWER_BYTES = 170
"""Of the name of a drawer and a list of ids."""


class Blocks:
    """Ids by the drawers of their names."""

    def __init__(self) -> None:
        self._drawers: dict[str, list[str] | None] = {}

    @property
    def nbytes(self) -> int:
        """Return about how many bytes of memory these are."""
        return sys.getsizeof(self._drawers) + _DRAWER_BYTES * len(self._drawers)

    def file(self, id_: str, keys: Iterable[str]) -> None:
        """Put an id into the drawers of these keys."""
        for drawer in {drawer for key in keys for drawer in drawers(key)}:
            ids = self._drawers.setdefault(drawer, [])
            if ids is None or id_ in ids:
                continue
            ids.append(id_)
            if len(ids) > _FULL:
                self._drawers[drawer] = None

    def near(self, key: str) -> list[str]:
        """Return the ids that share a drawer with this key, those that share most first."""
        found: dict[str, int] = {}
        for drawer in drawers(key):
            for id_ in self._drawers.get(drawer) or ():
                found[id_] = found.get(id_, 0) + 1
        return sorted(found, key=lambda id_: -found[id_])


@lru_cache(_REMEMBERED)
def drawers(key: str) -> frozenset[str]:
    """Return the names of the drawers of a key."""
    ways = {folded(key), spelled_out(key)}
    return frozenset(drawer for plain in ways for drawer in _drawers(core(plain)))


def _drawers(plain: str) -> Iterator[str]:
    words = plain.split()
    squeezed = "".join(words)
    if len(squeezed) < 3:
        return
    yield "=" + " ".join(sorted(words))
    for word in words:
        if len(word) > 2:
            yield "w" + word
    if len(squeezed) > _EDGE:
        yield "<" + squeezed[:_EDGE]
        yield ">" + squeezed[-_EDGE:]
    if consonants := skeleton(plain):
        yield "k" + consonants
    if short := squeezed if len(words) == 1 else initials(words):
        yield "a" + short
    if len(words) > 1:
        yield from _given_and_family(words)


def _given_and_family(words: Sequence[str]) -> Iterator[str]:
    first, last = words[0], words[-1]
    for given, family in ((first, last), (last, first)):
        if len(family) > 1:
            # Bob is filed under R too, where Robert is.
            for full in sorted(NICKNAMES.get(given, {given})):
                yield f"i{full[0]} {family}"
