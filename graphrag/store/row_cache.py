"""Values that were read lately: a hit is often one of the last question, too.

Only for a store that nobody else can write to while it is open. Whoever writes says what it wrote
when the transaction has ended: that is held, and what was asked for before is not, because it may
be from before. What does not fit in memory is in a file beside the store, if that is on disk.
"""

import json
import logging
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import Any

from graphrag.errors import TransactionError
from graphrag.model.values import Entity, Episode, Fact
from graphrag.store.cache_file import MALFORMED
from graphrag.store.changes import ChangeSet, Update, image_of
from graphrag.store.engine import Row
from graphrag.store.offsets import Key
from graphrag.store.row_file import RowFile, Stamp
from graphrag.store.rows import TABLES, Value, changed_value, from_image, from_row

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
_KINDS = {TABLES[kind]: kind for kind in _OPEN}
_NAMES = {kind: [field.name for field in fields(kind)] for kind in _OPEN}
_FIELDS = {kind: attrgetter(*names) for kind, names in _NAMES.items()}
_PLACES = {kind: [_NAMES[kind].index(name) for name in names] for kind, names in _OPEN.items()}


class Held:
    """The values that were read last, as many as fit."""

    def __init__(self, *, most_bytes: int = _MOST_BYTES) -> None:
        self._most = most_bytes
        self._bytes = 0
        self._values: OrderedDict[Key, tuple[Any, int]] = OrderedDict()
        """Values, or images as JSON, with their sizes."""
        self.writes = 0
        """How many transactions have ended."""
        self.rows: RowFile | None = None
        self.stamps: dict[str, Stamp] = {}
        """The newest event of each group whose rows in the file are right."""

    def __len__(self) -> int:
        """Count the values."""
        return len(self._values)

    def find(self, kind: type[Value], ids: Iterable[str]) -> dict[str, Value]:
        """Return the values that are held, by id."""
        table = TABLES[kind]
        found: dict[str, Value] = {}
        elsewhere: list[Key] = []
        for id_ in ids:
            held = self._held(kind, (table, id_))
            if held is not None:
                self._values.move_to_end((table, id_))
                found[id_] = _own(held)
            else:
                elsewhere.append((table, id_))
        if elsewhere and self.rows is not None and kind in _OPEN:
            for (_, id_), image in self.rows.find(elsewhere).items():
                try:
                    value = from_image(kind, id_, json.loads(image))
                except MALFORMED:  # made by somebody else: as if it were not here
                    continue
                if value.group_id in self.stamps:
                    found[id_] = value
            self._keep(found[id_] for _, id_ in elsewhere if id_ in found)
        return found

    def hold(self, values: Iterable[Value], *, writes: int) -> None:
        """Hold values that were asked for when so many transactions had ended."""
        if writes != self.writes or not self._most:
            return
        read = [value for value in values if type(value) in _OPEN]
        self._keep(read)
        if self.rows is not None:
            self.rows.put(
                ((TABLES[type(value)], value.id), image_of(value))
                for value in read
                if value.group_id in self.stamps
            )

    def know(self, group: str, stamp: Stamp) -> None:
        """Take the rows of a group in the file as right: its newest event is this one."""
        if self.rows is not None:
            self.stamps[group] = stamp

    def wrote(self, changes: ChangeSet, stamp: Stamp) -> None:
        """Take in what a transaction wrote: it is asked for again at the next fact of its subject.

        Args:
            changes: What it wrote.
            stamp: Number and moment of its event.
        """
        touched, group = changes.touched(), changes.group_id
        images = {} if touched is None else changes.images
        values = {} if touched is None or not self._most else self._changed(changes.updates)
        self.written(None if touched is None else [key for key in touched if key not in images])
        for key, value in values.items():
            self._put(key, value, _text(value))
        for key, image in images.items() if self._most else ():
            if key[0] in _KINDS:
                self._put(key, image, image)
        self._fit()
        if self.rows is None:
            return
        if group in self.stamps or stamp[0] == 1:
            self.stamps[group] = max(stamp, self.stamps.get(group, stamp))
            self.rows.put((key, image) for key, image in images.items() if key[0] in _KINDS)
        else:
            self.rows.drop([key for key in images if key[0] in _KINDS])

    def _changed(self, updates: Iterable[Update]) -> dict[Key, Any]:
        """Return the values that are held of those that a transaction changed, as they are now."""
        found: dict[Key, Any] = {}
        for update in updates:
            key = update.table, update.id
            if key not in found:
                held = self._values.get(key, (None, 0))[0]
                found[key] = None if isinstance(held, str) else held  # that nobody asked for
            if found[key] is not None:
                found[key] = changed_value(found[key], update.after)
        return {key: value for key, value in found.items() if value is not None}

    def damage(self, rows: Mapping[str, Mapping[str, Row]]) -> list[str]:
        """Return what is wrong with what is here of some rows, by table and id, of a group."""
        if self.rows is not None and (fault := self.rows.fault()):
            return [f"the rows beside the store are of no use: {fault}"]
        other = sum(
            value != from_row(kind, rows[TABLES[kind]][id_])
            for kind in _OPEN
            for id_, value in self.find(kind, rows[TABLES[kind]]).items()
        )
        return [f"{other} rows beside the store are not what the tables have"] if other else []

    def written(self, records: Iterable[Key] | None) -> None:
        """Let go of what a transaction may have changed: these records; None: any."""
        if records is None:
            try:
                self._clear()
            except OSError as error:
                _LOG.warning("rows beside the store could not be deleted: %s", error)
            return
        self.writes += 1
        changed = [key for key in records if key[0] in _KINDS]
        for key in changed:
            self._drop(key)
        if self.rows is not None:
            self.rows.drop(changed)

    def erase(self) -> None:
        """Let go of everything before something is forgotten: afterwards may be too late.

        Raises:
            TransactionError: if something of it is left beside the store.
        """
        try:
            self._clear()
        except OSError as error:
            raise TransactionError(
                "nothing was written: what is to be erased is in a file beside the store, too, "
                f"which cannot be deleted ({error}): delete it, and try again"
            ) from None

    def _clear(self) -> None:
        self.writes += 1
        self.release()
        if self.rows is not None:
            self.rows.clear()

    def release(self) -> None:
        """Let go of what is in memory; what is in the file stays."""
        self._values.clear()
        self._bytes = 0

    def gone(self, group: str) -> None:
        """Let go of everything: a group is being erased."""
        self.written(None)
        self.stamps.pop(group, None)

    def checkpoint(self) -> Callable[[], None]:
        """Return what writes, in a thread, where the rows in the file are now."""
        if self.rows is None:
            return lambda: None
        return self.rows.checkpoint(self._newest(self.rows))

    def close(self) -> None:
        """Let go of everything; the rows in the file stay for the next opening."""
        self.release()
        rows, self.rows = self.rows, None
        if rows is not None:
            try:
                rows.save(self._newest(rows))
                rows.close()
            except OSError as error:
                _LOG.warning("the rows beside the store could not be closed: %s", error)

    def _newest(self, rows: RowFile) -> dict[str, Stamp]:
        # A group without any event has no rows, and nothing to recognise it by.
        return {**rows.stamps, **{name: at for name, at in self.stamps.items() if at[0]}}

    def _keep(self, values: Iterable[Value]) -> None:
        for value in values:
            self._put((TABLES[type(value)], value.id), _own(value), _text(value))
        self._fit()

    def _held(self, kind: type[Value], key: Key) -> Value | None:
        held = self._values.get(key)
        if held is None:
            return None
        value = held[0]
        if isinstance(value, str):
            value = from_image(kind, key[1], json.loads(value))
            self._put(key, value, _text(value))
        found: Value = value
        return found

    def _put(self, key: Key, value: object, text: str) -> None:
        self._drop(key)
        size = _BYTES + len(text)
        self._values[key] = value, size
        self._bytes += size

    def _fit(self) -> None:
        while self._bytes > self._most:
            _, (_, size) = self._values.popitem(last=False)
            self._bytes -= size

    def _drop(self, key: Key) -> None:
        held = self._values.pop(key, None)
        if held is not None:
            self._bytes -= held[1]


def _text(value: object) -> str:
    match value:
        case Fact():
            return value.text
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
    values: list[Any] = list(_FIELDS[kind](value))
    for place in _PLACES[kind]:
        values[place] = _copied(values[place] or {})
    return kind(*values)


def _copied(value: Any) -> Any:
    """Return a copy, its keys in the order in which the engine gives them."""
    if isinstance(value, dict):
        return {key: _copied(value[key]) for key in sorted(value)}
    return list(map(_copied, value)) if isinstance(value, list) else value
