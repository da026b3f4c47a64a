"""Lines in memory, found by relation and ends: what rules are matched against."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from graphrag.ingest.lifetimes.support import Line

_Key = tuple[str, str | None, str | None]


@dataclass(slots=True)
class Shelf:
    """Lines by what may be known of them."""

    name: Callable[[str], Collection[str]]
    """Return who bears a name, given by its key."""
    _by_key: dict[_Key, dict[Line, None]] = field(default_factory=lambda: defaultdict(dict))
    _named: dict[str, frozenset[str]] = field(default_factory=dict)

    def add(self, lines: Iterable[Line]) -> None:
        """Take in lines."""
        for line in lines:
            relation, subject, object_ = line
            for key in (
                (relation, subject, object_),
                (relation, subject, None),
                (relation, None, object_),
                (relation, None, None),
            ):
                self._by_key[key][line] = None

    def lines(self, relation: str, subject: str | None, object_: str | None) -> list[Line]:
        """Return the lines of a relation with these ends, as far as they are given."""
        return list(self._by_key.get((relation, subject, object_), ()))

    def named(self, key: str) -> Collection[str]:
        """Return the ids of the entities that bear a name."""
        found = self._named.get(key)
        if found is None:
            found = self._named[key] = frozenset(self.name(key))
        return found
