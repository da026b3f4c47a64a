"""Names of a group's entities: exact look-up, and buckets of similar names.

Look-ups return an entity's own row; following merges is the caller's task. Buckets are keyed by
beginning, end, words and family name, which survive a typo, reordering or an initial. A bucket
closes when full, so the cost of a look-up does not grow with the group.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain
from typing import Any, Self

import numpy as np

from graphrag.index.arrays import ArrayFile
from graphrag.index.columns import Shared
from graphrag.index.ids import Ids
from graphrag.index.text_map import TextMap
from graphrag.names.identifiers import identifiers
from graphrag.names.key import is_name, model_drawers, name_key, skeleton
from graphrag.names.likeness import core, initials, readings, without_courtesy, without_legal_form
from graphrag.names.words import NICKNAMES
from graphrag.store.private import DamagedFileError

_EDGE = 5  # letters of the beginning and of the end of a name
_REMEMBERED = 50_000
_FULL = 48  # names in one drawer; more make it useless


class Blocks:
    """Ids by the drawers of their names."""

    def __init__(self) -> None:
        self._drawers: dict[str, list[str] | None] = {}

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
        """Return the ids that share a drawer with this key; a full one counts little."""
        scores: dict[str, float] = {}
        for drawer in drawers(key):
            for id_ in (ids := self._drawers.get(drawer) or ()):
                scores[id_] = scores.get(id_, 0.0) + 1.0 / len(ids)
        return sorted(scores, key=lambda id_: -scores[id_])


@lru_cache(_REMEMBERED)
def drawers(key: str) -> frozenset[str]:
    """Return the names of the drawers of a key."""
    return frozenset(drawer for plain in readings(key) for drawer in _drawers(core(plain)))


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
    if short := initials(words) or (squeezed if len(words) < 3 else ""):
        yield "a" + short
    yield from model_drawers(plain)
    if len(words) > 2:  # a maker and its line, where each alone has many
        yield "2" + " ".join(sorted(words[:2]))
    if len(words) > 1:
        yield from _given_and_family(words)


def _given_and_family(words: Sequence[str]) -> Iterator[str]:
    first, last = words[0], words[-1]
    for given, family in ((first, last), (last, first)):
        if len(family) > 1:
            # Bob is filed under R too, where Robert is.
            for full in sorted(NICKNAMES.get(given, {given})):
                yield f"i{full[0]} {family}"


_SHORTENED = frozenset({"organization", "work"})
_KEY, _PLAIN, _PERSON, _SHORT, _IDENTIFIER = "=~@<#"
"""What a text is by which ids are looked up, as its first character."""


class NameBook(Shared):
    """Ids by key, by the first and last word of a name, by identifier and by likeness."""

    def __init__(self) -> None:
        self.names = TextMap()
        """The names of each entity, the proper one first."""
        self._about = TextMap()
        """The type of each entity, and name and value, in turns, of what could identify it."""
        self._ids = TextMap()
        """Ids by a text and what it is: a key, a word, an identifier."""
        self._blocks: Blocks | None = None

    def share(self) -> Self:
        """Return the same names, to be changed apart: the next write fills the drawers."""
        twin = super().share()
        twin._blocks = None
        return twin

    def exchange(self, file: ArrayFile, name: str, ids: Ids, rows: Mapping[str, int]) -> None:
        """Write the names of entities, by their ``rows``, or read them."""
        self._ids.exchange_ids(file, f"{name}.ids", ids, rows)
        names = np.diff(self.names.exchange_by_row(file, f"{name}.names", ids, rows))
        about = np.diff(self._about.exchange_by_row(file, f"{name}.about", ids, rows))
        if file.reads and not ((names > 0) & (about > 0))[ids.alive.values].all():
            raise DamagedFileError(f"{name} has an entity without a name or a type")
        if (about[about > 0] % 2 == 0).any():
            raise DamagedFileError(f"{name} has an identifier without a value")

    def entries(self) -> dict[tuple[str, ...], object]:
        """Return everything that is known of names, to be compared."""
        known: dict[tuple[str, ...], object] = {(key,): {*ids} for key, ids in self._ids.items()}
        named = self.names.items()
        return known | {("name", id_): (self.type_of(id_), names) for id_, names in named}

    def type_of(self, id_: str) -> str:
        """Return the type of an entity."""
        return self._about[id_][0]

    def keyed(self, key: str) -> Sequence[str]:
        """Return the ids of the entities that have a name with this key, oldest first."""
        return self._ids.find(_KEY + key)

    def plain(self, key: str) -> Sequence[str]:
        """Return the entities whose name has this key without its title or its legal form."""
        return self._ids.find(_PLAIN + key)

    def people(self, word: str) -> Sequence[str]:
        """Return the persons whose first or family name is this word."""
        return self._ids.find(_PERSON + word)

    def shortened(self, word: str) -> Sequence[str]:
        """Return the organisations and works whose name begins or ends with this word."""
        return self._ids.find(_SHORT + word)

    def identified(self, name: str, value: str) -> Sequence[str]:
        """Return the ids of the entities with this value of an attribute, oldest first."""
        return self._ids.find(f"{_IDENTIFIER}{name}\n{value}")

    def identifiers_of(self, id_: str) -> frozenset[tuple[str, str]]:
        """Return every attribute of an entity that could be an identifier, with its value."""
        _, *texts = self._about.find(id_) or ("",)
        return frozenset(zip(texts[::2], texts[1::2], strict=True))

    def like(self, key: str) -> list[str]:
        """Return the ids of entities whose names may be like this key, a bounded number."""
        if self._blocks is None:  # built by the first write, never needed by readers
            self._blocks = Blocks()
            for id_, names in self.names.items():
                self._blocks.file(id_, map(name_key, names))
        return self._blocks.near(key)

    def enter(
        self, id_: str, kind: str, names: Sequence[str], attributes: Mapping[str, Any]
    ) -> None:
        """Take over the names, the type and the identifiers of a new or changed entity."""
        if id_ in self.names:
            self._leave(id_, names)
        pairs = sorted(identifiers(attributes)) if attributes else []
        self._about[id_] = (kind, *chain.from_iterable(pairs))
        self.names[id_] = tuple(names)
        for name in names:
            for text in _texts_of(name, kind):
                self._ids.add(text, id_)
        for field, value in pairs:
            self._ids.add(f"{_IDENTIFIER}{field}\n{value}", id_)
        if self._blocks is not None:
            self._blocks.file(id_, map(name_key, names))

    def _leave(self, id_: str, names: Sequence[str]) -> None:
        """Take back what an entity is no longer known by."""
        kept = {_KEY + name_key(name) for name in names}
        for name in self.names[id_]:
            for text in _texts_of(name, self.type_of(id_)):
                if text not in kept:
                    self._ids.discard(text, id_)
        for field, value in self.identifiers_of(id_):
            self._ids.discard(f"{_IDENTIFIER}{field}\n{value}", id_)


def _texts_of(name: str, kind: str) -> Iterator[str]:
    """Yield what an entity of this type is looked up by, if this is one of its names."""
    key = name_key(name)
    yield _KEY + key
    if (bare := plain_key(key, kind)) != key:
        yield _PLAIN + bare
    words = key.split()
    if words and kind == "person" and is_name(name):
        yield from (_PERSON + words[0], _PERSON + words[-1])
    elif len(words) > 1 and kind in _SHORTENED:
        yield from (_SHORT + words[0], _SHORT + words[-1])


def plain_key(key: str, kind: str) -> str:
    """Return the key of a name of this type without what may be left out of it."""
    if kind == "person":
        return without_courtesy(key)
    return without_legal_form(key) if kind in ("organization", "thing") else key
