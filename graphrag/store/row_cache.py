"""Values that were read lately: a hit is often one of the last question, too.

Only for a store that nobody else can write to while it is open. Whoever writes says what it wrote
when the transaction has ended: that is held, and what was asked for before is not, because it may
be from before. What does not fit in memory is in a file beside the store, if that is on disk.
"""

import json
import logging
from collections import OrderedDict
from collections.abc import Iterable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from graphrag.errors import TransactionError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store.changes import ChangeSet, Update, columns_of, image_of
from graphrag.store.engine import Row
from graphrag.store.private import MALFORMED
from graphrag.store.row_file import Key, RowFile, Stamp
from graphrag.store.rows import TABLES, Value, from_image, from_row, with_columns

_LOG = logging.getLogger("graphrag")
_MOST_BYTES = 16 << 20
_BYTES = 1_400
"""Of a value apart from its long text: a fact has as many, an entity or an episode half of it."""
_OPEN: Mapping[type, tuple[str, ...]] = {
    Fact: ("attributes", "attribute_times"),
    Entity: ("attributes", "attribute_times"),
    Episode: ("metadata",),
}
"""What is held, and the fields of it that are dictionaries."""
_TEXTS = {Fact: "text", Entity: "summary", Episode: "content"}
_KINDS = {TABLES[kind]: kind for kind in _OPEN}
_NAMES = {kind: [field.name for field in fields(kind)] for kind in _OPEN}
_FIELDS = {kind: attrgetter(*names) for kind, names in _NAMES.items()}
_PLACES = {kind: [_NAMES[kind].index(name) for name in names] for kind, names in _OPEN.items()}


class RowCache:
    """The values that were read last, as many as fit."""

    def __init__(self, rows: RowFile, *, most_bytes: int = _MOST_BYTES) -> None:
        self.rows = rows
        self.writes = 0
        """How many transactions have ended."""
        self._most = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Key, tuple[Any, int]] = OrderedDict()
        """Values, or images as JSON, with their sizes."""

    def __len__(self) -> int:
        return len(self._values)

    def find(self, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
        """Return the values that are held, by id."""
        table = TABLES[kind]
        values: dict[str, Value] = {}
        elsewhere: list[Key] = []
        for id_ in ids:
            if (held := self._held(kind, (table, id_))) is not None:
                self._values.move_to_end((table, id_))
                values[id_] = _own(held)
            else:
                elsewhere.append((table, id_))
        if elsewhere and kind in _OPEN and not self.rows.off:
            for (_, id_), image in self.rows.find(elsewhere).items():
                try:
                    value = from_image(kind, id_, json.loads(image))
                except MALFORMED:  # made by somebody else: as if it were not here
                    continue
                if value.group_id in self.rows.stamps:
                    values[id_] = value
            self._keep(values[id_] for _, id_ in elsewhere if id_ in values)
        return values

    def hold(self, values: Iterable[Value], *, writes: int) -> None:
        """Hold values that were asked for when so many transactions had ended."""
        if writes != self.writes or not self._most:
            return
        read = [value for value in values if type(value) in _OPEN]
        self._keep(read)
        if not self.rows.off:
            self.rows.put(
                ((TABLES[type(value)], value.id), image_of(value))
                for value in read
                if value.group_id in self.rows.stamps
            )

    def wrote(self, changes: ChangeSet, stamp: Stamp) -> None:
        """Take in what a transaction wrote: the next fact of its subject asks for it again."""
        touched, group, stamps = changes.touched(), changes.group_id, self.rows.stamps
        images = {key: image for key, image in changes.images.items() if key[0] in _KINDS}
        if touched is None or not self._most:
            images = {}
        values = self._changed(changes.updates) if touched else {}
        self.written(touched)
        for key, value in (values | images).items():
            self._put(key, value)
        self._fit()
        if not self.rows.off and (group in stamps or stamp[0] == 1):
            stamps[group] = max(stamp, stamps.get(group, stamp))
            self.rows.put(images.items())

    def _changed(self, updates: Iterable[Update]) -> dict[Key, Any]:
        """Return the values that are held of those that a transaction changed, as they are now."""
        values: dict[Key, Any] = {}
        for update in updates:
            key = update.table, update.id
            held = values[key] if key in values else self._values.get(key, (None, 0))[0]
            # An image that nobody asked for is read again, and so is what has a dictionary anew.
            anew = any(isinstance(item, Mapping) for item in update.after.values())
            stale = isinstance(held, str | None) or anew
            values[key] = None if stale else with_columns(held, columns_of(update.after))
        return {key: value for key, value in values.items() if value is not None}

    def damage(self, rows: Mapping[str, Mapping[str, Row]]) -> list[str]:
        """Return what is wrong with what is here of some rows, by table and id, of a group."""
        if fault := self.rows.fault():
            return [f"the rows beside the store are of no use: {fault}"]
        wrong = sum(
            value != from_row(kind, rows[table][id_])
            for table, kind in _KINDS.items()
            for id_, value in self.find(kind, rows[table]).items()
        )
        return [f"{wrong} rows beside the store are not what the tables have"] if wrong else []

    def written(self, records: Iterable[Key] | None) -> None:
        """Let go of what a transaction may have changed: these records; None: any."""
        self.writes += 1
        if records is None:
            self.release()
            try:
                self.rows.clear()
            except OSError as error:
                _LOG.warning("rows beside the store could not be deleted: %s", error)
            return
        changed = [key for key in records if key[0] in _KINDS]
        for key in changed:
            self._drop(key)
        if not self.rows.off:
            self.rows.drop(changed)

    def erase(self) -> None:
        """Let go of everything before something is forgotten: afterwards may be too late."""
        self.writes += 1
        self.release()
        try:
            self.rows.clear()
        except OSError as error:
            raise TransactionError(
                "nothing was written: what is to be erased is in a file beside the store, too, "
                f"which cannot be deleted ({error}): delete it, and try again"
            ) from None

    def release(self) -> None:
        """Let go of what is in memory; what is in the file stays."""
        self._values.clear()
        self._bytes = 0

    def close(self) -> None:
        """Let go of everything; the rows in the file stay for the next opening."""
        self.release()
        self.rows.save()
        self.rows.close()
        self.rows.off = True

    def _keep(self, values: Iterable[Value]) -> None:
        for value in values:
            self._put((TABLES[type(value)], value.id), _own(value))
        self._fit()

    def _held(self, kind: type[Value], key: Key) -> Value | None:
        if (held := self._values.get(key)) is None:
            return None
        value: Value | str = held[0]
        if isinstance(value, str):
            value = from_image(kind, key[1], json.loads(value))
            self._put(key, value)
        return value

    def _put(self, key: Key, value: Any) -> None:
        self._drop(key)
        text = value if isinstance(value, str) else getattr(value, _TEXTS[type(value)])
        size = _BYTES + len(text)
        self._values[key] = value, size
        self._bytes += size

    def _fit(self) -> None:
        while self._bytes > self._most:
            self._drop(next(iter(self._values)))

    def _drop(self, key: Key) -> None:
        self._bytes -= self._values.pop(key, (None, 0))[1]


def _own(value: Value) -> Value:
    """Return a copy that shares nothing changeable; ``replace`` takes four times as long."""
    kind = type(value)
    values: list[Any] = list(_FIELDS[kind](value))
    for place in _PLACES[kind]:
        values[place] = _copied(values[place] or {})
    return kind(*values)


def _copied(value: Any) -> Any:
    """Return a copy, its keys in the order in which the engine gives them."""
    if isinstance(value, dict):
        return {key: _copied(value[key]) for key in sorted(value)}
    return list(map(_copied, value)) if isinstance(value, list) else value
