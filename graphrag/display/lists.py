"""Lists for display: facts, groups of a store, events of a log; numbers and names in words."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Self, SupportsIndex, TypeVar, overload

from graphrag.display.cards import entity_title, fact_table, heading, lifetime, table, triple
from graphrag.display.visible import cut, escape, flatten
from graphrag.model.values import Entity, Event, Fact
from graphrag.temporal.moment import utc_now

Item = TypeVar("Item")


class Listed(list[Item]):
    """A list whose slices are of its own kind."""

    @overload
    def __getitem__(self, at: SupportsIndex) -> Item: ...
    @overload
    def __getitem__(self, at: slice) -> Self: ...
    def __getitem__(self, at: SupportsIndex | slice) -> Item | Self:
        if isinstance(at, slice):
            return type(self)(super().__getitem__(at))
        return super().__getitem__(at)


def some(count: int, single: str, several: str = "") -> str:
    """Return a number of things in words: ``1 fact``, ``2,000 facts``."""
    return f"{count:,} {single if count == 1 else several or f'{single}s'}"


def listed(items: Iterable[str]) -> str:
    """Return items as a list in words: ``a, b and c``."""
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


@dataclass(frozen=True, slots=True)
class Group:
    """One group of a store, with its size and the times of its first and last event."""

    name: str
    episodes: int
    """Episodes that were not removed, as in ``stats()``."""
    entities: int
    """Entities that were neither removed nor merged into others."""
    facts: int
    """Facts of all times, without those that wait in ``edit.pending()``."""
    created_at: datetime
    """System time of its first event."""
    changed_at: datetime
    """System time of its newest event."""


class Groups(Listed[Group]):
    """The groups of a store in order of their names; a notebook shows them as a table."""

    def __repr__(self) -> str:
        groups = (f"{group.name!r}: {some(group.facts, 'fact')}" for group in self)
        return f"Groups({', '.join(groups)})"

    def _repr_html_(self) -> str:
        return table(HEADER, map(cells, self))


HEADER = ("group", "episodes", "entities", "facts", "last change (UTC)")


def cells(group: Group) -> tuple[str, ...]:
    """Return a group as cells under ``HEADER``."""
    counts = (f"{number:,}" for number in (group.episodes, group.entities, group.facts))
    return group.name, *counts, f"{group.changed_at:%Y-%m-%d %H:%M:%S}"


_NOUNS = {
    "entity": ("entity", "entities"),
    "relates_to": ("fact", "facts"),
    "episode": ("episode", "episodes"),
    "community": ("community", "communities"),
    "saga": ("saga", "sagas"),
}
RECORD_NAMES = {
    **{table: _NOUNS[table][1] for table in ("entity", "relates_to", "episode")},
    "event": "events of the log",
}
"""Nouns of what an erasure counts, by table."""
_SHOWN = 100  # rows of a table: the newest


class Log(Listed[Event]):
    """Events of one group, oldest first; a notebook shows them as a table."""

    def __repr__(self) -> str:
        if not self:
            return "Log(no events)"
        counts = Counter(event.kind for event in self)
        kinds = ", ".join(f"{count} {kind}" for kind, count in counts.most_common())
        days = dict.fromkeys(f"{event.at:%Y-%m-%d}" for event in (self[0], self[-1]))
        return f"Log({some(len(self), 'event')}, {' to '.join(days)}: {kinds})"

    def _repr_html_(self) -> str:
        left = len(self) - _SHOWN
        more = f"<p>… and {left} before these</p>" if left > 0 else ""
        rows = (
            (str(event.seq), moment(event), event.actor, event.kind, done(event), event.note or "")
            for event in self[-_SHOWN:]
        )
        return more + table(("no.", "when (UTC)", "who", "what", "to", "note"), rows)


def done(event: Event) -> str:
    """Return what an event did to which records, in words: ``+2 entities, 1 fact changed``."""
    tables = Counter(
        (
            change.record.partition(":")[0],
            "+" if change.before is None else "-" if change.after is None else "",
        )
        for change in event.changes
        if (change.after or change.before or {}).keys() != {"summary"}
    )
    return ", ".join(
        f"{how}{some(count, *_NOUNS[table])}" if how else f"{some(count, *_NOUNS[table])} changed"
        for (table, how), count in tables.items()
        if table in _NOUNS
    )


def event_line(event: Event) -> str:
    """Return what an event did, by whom and when."""
    details = "; ".join(filter(None, (done(event), event.note)))
    about = f": {details}" if details else ""
    return flatten(f"{event.seq} {event.kind} by {event.actor}, {moment(event)}{about}")


def event_page(event: Event) -> str:
    """Return an event as HTML: each field that it changed, before and after."""
    note = f": {event.note}" if event.note else ""
    head = f"{event.seq} {event.kind} by {event.actor}, {moment(event)} UTC{note}"
    rows = [
        (change.record, column, _shown(change.before, column), _shown(change.after, column))
        for change in event.changes
        for column in dict.fromkeys((*(change.before or ()), *(change.after or ())))
    ]
    left = len(rows) - _SHOWN
    more = f"<p>… and {left} more</p>" if left > 0 else ""
    changed = table(("record", "field", "before", "after"), rows[:_SHOWN])
    return f"<b>{escape(head)}</b>{changed}{more}"


def moment(event: Event) -> str:
    """Return when an event was committed, to the second."""
    return f"{event.at:%Y-%m-%d %H:%M:%S}"


def _shown(image: object, column: str) -> str:
    value = image.get(column) if isinstance(image, dict) else None
    return "" if value is None else cut(str(value), _SHOWN)


class FactList(Listed[Fact]):
    """Facts in order of their starts; a notebook shows them with their lifetimes.

    For one entity, the list has the facts in which it is the subject or the object. ``timeline``
    adds ended facts and what ended them; ``profile`` selects the few facts that a prompt needs.
    """

    def __init__(self, facts: Iterable[Fact] = (), *, entity: Entity | None = None) -> None:
        super().__init__(facts)
        self.entity = entity
        """Whose facts they are; None if they are of several."""

    @property
    def outgoing(self) -> tuple[Fact, ...]:
        """Return the facts whose subject is the entity; all facts of a list about several."""
        whose = self.entity
        return tuple(fact for fact in self if whose is None or fact.subject_id == whose.id)

    @property
    def incoming(self) -> tuple[Fact, ...]:
        """Return the facts whose object is the entity."""
        whose = self.entity
        return tuple(fact for fact in self if whose is not None and fact.subject_id != whose.id)

    def __repr__(self) -> str:
        if self.entity is None:
            return super().__repr__()
        ways = f"{len(self.outgoing)} out, {len(self.incoming)} in"
        return f"FactList({self.entity.name!r}: {ways})"

    def __str__(self) -> str:
        rows = [(triple(fact), lifetime(fact)) for fact in self]
        width = max((len(words) for words, _ in rows), default=0)
        lines = [f"{words:<{width}}  {time}" for words, time in rows]
        head = () if self.entity is None else (entity_title(self.entity),)
        return "\n".join((*head, *lines))

    def _repr_html_(self) -> str:
        if self.entity is None:
            return fact_table((), ((fact, "", ()) for fact in self), now=utc_now())
        ways = {"out": self.outgoing, "in": self.incoming}
        rows = [(fact, "", (way,)) for way, facts in ways.items() for fact in facts]
        summary = f"<p>{escape(self.entity.summary)}</p>" if self.entity.summary else ""
        return f"{heading(self.entity)}{summary}{fact_table(('direction',), rows, now=utc_now())}"
