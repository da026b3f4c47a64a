"""Names of a group's entities: exact look-up, and buckets of similar names.

Look-ups return an entity's own row; following merges is the caller's task. Buckets are keyed by
beginning, end, words and family name, which survive a typo, reordering or an initial. A bucket
closes when full, so the cost of a look-up does not grow with the group.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphrag.index.arrays import ArrayReader, ArrayWriter
from graphrag.index.filed import ById, IdsByText, Texts, named_rows
from graphrag.index.row_ids import Ids
from graphrag.names.fold import skeleton
from graphrag.names.identifiers import identifiers
from graphrag.names.key import is_name, name_key
from graphrag.names.likeness import core, initials, readings, without_courtesy, without_legal_form
from graphrag.names.models import model_drawers
from graphrag.names.words import NICKNAMES
from graphrag.store.cache_file import DamagedFileError

_EDGE = 5
"""Letters of the beginning and of the end of a name."""
_REMEMBERED = 50_000
_FULL = 48
"""Names in one drawer; more make it useless."""


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
        found: dict[str, float] = {}
        for drawer in drawers(key):
            ids = self._drawers.get(drawer) or ()
            for id_ in ids:
                found[id_] = found.get(id_, 0.0) + 1.0 / len(ids)
        return sorted(found, key=lambda id_: -found[id_])


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


class NameBook:
    """Ids by key, by the first and last word of a name, by identifier and by likeness."""

    def __init__(self) -> None:
        self.types: ById[str] = ById()
        self.names: ById[tuple[str, ...]] = ById()
        """The names of each entity, the proper one first."""
        self._by_key, self._plain = IdsByText(), IdsByText()
        self._people, self._shortened = IdsByText(), IdsByText()
        self._by_identifier: dict[tuple[str, str], list[str]] = defaultdict(list)
        self._identifiers: dict[str, frozenset[tuple[str, str]]] = {}
        self._blocks: Blocks | None = None

    def copy(self) -> "NameBook":
        """Return the same names, to be changed apart: the next write fills the drawers."""
        other = NameBook()
        other.types, other.names = self.types.copy(), self.names.copy()
        other._by_key, other._plain = self._by_key.copy(), self._plain.copy()
        other._people, other._shortened = self._people.copy(), self._shortened.copy()
        other._by_identifier.update((pair, [*ids]) for pair, ids in self._by_identifier.items())
        other._identifiers = dict(self._identifiers)
        return other

    def save(self, out: ArrayWriter, name: str) -> None:
        """Let the names be written, by ids that ``out`` knows."""
        types, names, rows = self.types.copy(), self.names.copy(), out.rows
        out.later(lambda: named_rows(name, types, names, rows))
        for part, of_key in self._parts().items():
            of_key.save(out, f"{name}.{part}")
        out.texts(f"{name}.fields", [field for field, _ in self._by_identifier])
        out.texts(f"{name}.values", [value for _, value in self._by_identifier])
        out.lists(f"{name}.identified", self._by_identifier.values())

    def load(self, arrays: ArrayReader, name: str, ids: Ids, alive: NDArray[np.bool_]) -> None:
        """Take over the names of entities, of which those that live must have one."""
        texts, kinds = Texts(arrays, name), Texts(arrays, f"{name}.kinds")
        bounds = arrays.rising(f"{name}.bounds", len(ids) + 1, to=len(texts))
        kind = arrays.numbers(f"{name}.kind", np.int32, len(ids), within=range(-1, len(kinds)))
        named = np.diff(bounds) > 0
        if (named != (kind >= 0)).any() or not named[alive].all():
            raise DamagedFileError(f"{name} has an entity without a name or a type")
        of_kind = [kinds[number] for number in range(len(kinds))]
        self.types.take(ids, named, lambda row: of_kind[kind[row]])
        self.names.take(
            ids, named, lambda row: tuple(map(texts.__getitem__, range(*bounds[row : row + 2])))
        )
        for part, of_key in self._parts().items():
            of_key.load(arrays, f"{name}.{part}", ids)
        fields = arrays.texts(f"{name}.fields")
        pairs = [*zip(fields, arrays.texts(f"{name}.values", len(fields)), strict=True)]
        identified = arrays.lists(f"{name}.identified", len(pairs))
        self._by_identifier.update(zip(pairs, map(list, identified), strict=True))
        of_id: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for pair, known in zip(pairs, identified, strict=True):
            for id_ in known:
                of_id[id_].append(pair)
        self._identifiers = {id_: frozenset(known) for id_, known in of_id.items()}

    def _parts(self) -> Mapping[str, IdsByText]:
        """Return what is looked up by a text."""
        return {
            "keys": self._by_key,
            "plain": self._plain,
            "people": self._people,
            "shortened": self._shortened,
        }

    def entries(self) -> dict[tuple[str, str], object]:
        """Return everything that is known of names, to be compared."""
        found: dict[tuple[str, str], object] = {
            (part, key): set(ids)
            for part, of_key in self._parts().items()
            for key, ids in of_key.items()
            if ids
        }
        found |= {pair: set(ids) for pair, ids in self._by_identifier.items() if ids}
        found |= {("name", id_): (self.types[id_], names) for id_, names in self.names.items()}
        return found

    def keyed(self, key: str) -> list[str]:
        """Return the ids of the entities that have a name with this key, oldest first."""
        return self._by_key.get(key)

    def plain(self, key: str) -> list[str]:
        """Return the entities whose name has this key without its title or its legal form."""
        return self._plain.get(key)

    def people(self, word: str) -> list[str]:
        """Return the persons whose first or family name is this word."""
        return self._people.get(word)

    def shortened(self, word: str) -> list[str]:
        """Return the organisations and works whose name begins or ends with this word."""
        return self._shortened.get(word)

    def identified(self, name: str, value: str) -> list[str]:
        """Return the ids of the entities with this value of an attribute, oldest first."""
        return self._by_identifier.get((name, value), [])

    def identifiers_of(self, id_: str) -> frozenset[tuple[str, str]]:
        """Return every attribute of an entity that could be an identifier, with its value."""
        return self._identifiers.get(id_, frozenset())

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
        self.types[id_] = kind
        self.names[id_] = tuple(names)
        for name in names:
            key = name_key(name)
            self._by_key.add(key, id_)
            if (bare := plain_key(key, kind)) != key:
                self._plain.add(bare, id_)
            for words, word in self._ends(kind, name, key):
                words.add(word, id_)
        if attributes:
            self._identifiers[id_] = found = frozenset(identifiers(attributes))
            for pair in found:
                if id_ not in (ids := self._by_identifier[pair]):
                    ids.append(id_)
        if self._blocks is not None:
            self._blocks.file(id_, map(name_key, names))

    def _leave(self, id_: str, names: Sequence[str]) -> None:
        """Take back what an entity is no longer known by."""
        kept = {name_key(name) for name in names}
        for name in self.names[id_]:
            key = name_key(name)
            for words, word in self._ends(self.types[id_], name, key):
                words.discard(word, id_)
            if key not in kept:
                self._by_key.discard(key, id_)
            if (bare := plain_key(key, self.types[id_])) != key:
                self._plain.discard(bare, id_)
        for pair in self._identifiers.pop(id_, ()):
            self._by_identifier[pair].remove(id_)

    def _ends(self, kind: str, name: str, key: str) -> Sequence[tuple[IdsByText, str]]:
        words = key.split()
        if words and kind == "person" and is_name(name):
            return (self._people, words[0]), (self._people, words[-1])
        if len(words) > 1 and kind in _SHORTENED:
            return (self._shortened, words[0]), (self._shortened, words[-1])
        return ()


def plain_key(key: str, kind: str) -> str:
    """Return the key of a name of this type without what may be left out of it."""
    if kind == "person":
        return without_courtesy(key)
    return without_legal_form(key) if kind in ("organization", "thing") else key
