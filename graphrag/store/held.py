"""Values that were read lately: a hit is often one of the last question, too.

Only for a store that nobody else can write to while it is open. Whoever writes says which records
it touched when the transaction has ended; what was asked for before that is not held, because it
may be from before.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import fields
from operator import attrgetter
from typing import Any

from graphrag.models import Entity, Episode, Fact
from graphrag.store.rows import TABLES, Value

_MOST_BYTES = 16 << 20
_BYTES = 1_400
"""Of a value apart from its long text: a fact has as many, an entity or an episode half of it."""


_OPEN: Mapping[type, tuple[str, ...]] = {
    Fact: ("attributes", "attribute_times"),
    Entity: ("attributes", "attribute_times"),
    Episode: ("metadata",),
}
"""What is held, and the fields of it that are dictionaries."""
_TABLES = {TABLES[kind] for kind in _OPEN}
_NAMES = {kind: [field.name for field in fields(kind)] for kind in _OPEN}
_FIELDS = {kind: attrgetter(*names) for kind, names in _NAMES.items()}
_PLACES = {kind: [_NAMES[kind].index(name) for name in names] for kind, names in _OPEN.items()}


class Held:
    """The values that were read last, as many as fit."""

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._values: OrderedDict[tuple[str, str], tuple[Any, int]] = OrderedDict()
        self.writes = 0
        """How many transactions have ended."""

    def __len__(self) -> int:
        """Count the values."""
        return len(self._values)

    def find(self, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
        """Return the values that are held, by id."""
        table = TABLES[kind]
        found: dict[str, Value] = {}
        for id_ in ids:
            held = self._values.get((table, id_))
            if held is not None:
                self._values.move_to_end((table, id_))
                found[id_] = _own(held[0])
        return found

    def hold(self, values: Iterable[Value], *, writes: int) -> None:
        """Hold values that were asked for when so many transactions had ended."""
        if writes != self.writes or not self._most:
            return
        for value in values:
            if type(value) in _OPEN:
                key = TABLES[type(value)], value.id
                self._drop(key)
                size = _BYTES + len(_text(value))
                self._values[key] = _own(value), size
                self._bytes += size
        while self._bytes > self._most:
            _, (_, size) = self._values.popitem(last=False)
            self._bytes -= size

    def written(self, records: Iterable[tuple[str, str]] | None) -> None:
        """Let go of what a transaction may have changed: these records; None: any."""
        self.writes += 1
        if records is None:
            self._values.clear()
            self._bytes = 0
            return
        for table, id_ in records:
            if table in _TABLES:
                self._drop((table, id_))

    def _drop(self, key: tuple[str, str]) -> None:
        held = self._values.pop(key, None)
        if held is not None:
            self._bytes -= held[1]


def _text(value: object) -> str:
    match value:
        case Fact():
            return value.fact
        case Entity():
            return value.summary
        case Episode():
            return value.content
    return ""


def _own(value: Value) -> Value:
    """Return a value that shares nothing with this one that its reader could change.

    Field by field: ``dataclasses.replace`` takes four times as long.
    """
    kind = type(value)
    told: list[Any] = list(_FIELDS[kind](value))
    for place in _PLACES[kind]:
        told[place] = deepcopy(told[place]) if told[place] else {}
    return kind(*told)
