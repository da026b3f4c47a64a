"""Which rows a read may see: world time and system time as masks over the columns."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from graphrag.index.group import BEGINNING, FOREVER, GroupIndex
from graphrag.models import Entity, Episode, Event, Fact
from graphrag.store.rows import TABLES, unplain
from graphrag.temporal.moment import to_micros
from graphrag.temporal.viewpoint import Viewpoint

Mask = npt.NDArray[np.bool_]
Value = TypeVar("Value", Fact, Entity, Episode)

_NAME_OF = {"name": "relation", "in": "subject_id", "out": "object_id"}


@dataclass(frozen=True, slots=True)
class Past:
    """What has changed since a moment of system time: each record as it was then."""

    before: Mapping[str, Mapping[str, Any] | None]
    """Changed fields by ``table:id``; None for a record that did not exist yet."""

    @classmethod
    def undoing(cls, events: Iterable[Event]) -> "Past":
        """Collect the images that lead back to before these events, given oldest first."""
        before: dict[str, dict[str, Any] | None] = {}
        for event in events:
            for change in event.changes:
                if change.before is None:
                    before.setdefault(change.record, None)
                elif (image := before.setdefault(change.record, {})) is not None:
                    # The oldest change of a field holds its value back then.
                    for column, value in change.before.items():
                        image.setdefault(column, value)
        return cls(before)

    def rewind(self, value: Value) -> Value:
        """Return a value as it was then."""
        image = self.before.get(f"{TABLES[type(value)]}:{value.id}")
        if not image:
            return value
        names: Mapping[str, str] = _NAME_OF if isinstance(value, Fact) else {}
        changed = {
            names.get(column, column): _value(column, item)
            for column, item in image.items()
            if names.get(column, column) in type(value).__slots__
        }
        return replace(value, **changed)


NOTHING_UNDONE = Past({})


@dataclass(frozen=True, slots=True)
class Visible:
    """The rows of each scope that a read may return."""

    facts: Mask
    entities: Mask
    episodes: Mask


def visible(index: GroupIndex, viewpoint: Viewpoint, past: Past, *, now: datetime) -> Visible:
    """Return the rows that exist, were known, and hold at the viewpoint."""
    valid, invalid, retracted, pending = (
        index.facts[name] for name in ("valid", "invalid", "retracted", "pending")
    )
    facts, entities, episodes = (
        scope.alive.values.copy() for scope in (index.facts, index.entities, index.episodes)
    )
    if past.before:
        valid, invalid, retracted = valid.copy(), invalid.copy(), retracted.copy()
        pending = pending.copy()
        for scope, mask, table in (
            (index.facts, facts, "relates_to"),
            (index.entities, entities, "entity"),
            (index.episodes, episodes, "episode"),
        ):
            for record, image in past.before.items():
                kind, _, id_ = record.partition(":")
                if kind != table or id_ not in scope.row_of:
                    continue
                row = scope.row_of[id_]
                if image is None:
                    mask[row] = False
                elif table == "relates_to":
                    for column, name, default in (
                        (valid, "valid_at", BEGINNING),
                        (invalid, "invalid_at", FOREVER),
                        (retracted, "retracted_at", FOREVER),
                    ):
                        if name in image:
                            column[row] = to_micros(unplain(name, image[name]), default)
                    if "pending" in image:
                        pending[row] = bool(image["pending"])
    facts &= ~pending
    if not viewpoint.history:
        at = to_micros(viewpoint.valid_at or now, FOREVER)
        facts &= (valid <= at) & (at < invalid) & (retracted == FOREVER)
        if viewpoint.valid_at is not None:
            episodes &= index.episodes["valid"] <= at
    return Visible(facts, entities, episodes)


def _value(column: str, item: Any) -> Any:
    read = unplain(column, item)
    if column in ("in", "out"):
        return read.id
    return tuple(read) if isinstance(read, list) else read
