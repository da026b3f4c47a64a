"""Events for people: what one did in a few words, and the log as a table in a notebook."""

from collections import Counter
from collections.abc import Iterable

from graphrag.display.cards import table
from graphrag.display.lists import Listed, some
from graphrag.display.visible import escape, flatten
from graphrag.model.values import Event

_NOUNS = {
    "episode": ("episode",),
    "entity": ("entity", "entities"),
    "relates_to": ("fact",),
    "community": ("community", "communities"),
    "saga": ("saga",),
}
_SHOWN = 100
"""Rows of a table: the newest."""


class Log(Listed[Event]):
    """Events of one group, oldest first: a list that a notebook shows as a table."""

    def __repr__(self) -> str:
        """Count the events by kind, and say from when to when."""
        if not self:
            return "Log(no events)"
        kinds = ", ".join(f"{count} {kind}" for kind, count in _kinds(self).most_common())
        days = dict.fromkeys(f"{one.at:%Y-%m-%d}" for one in (self[0], self[-1]))
        return f"Log({some(len(self), 'event')}, {' to '.join(days)}: {kinds})"

    def _repr_html_(self) -> str:
        left = len(self) - _SHOWN
        more = f"<p>… and {left} before these</p>" if left > 0 else ""
        return more + table(
            ("no.", "when (UTC)", "who", "what", "to", "note"),
            ((str(one.seq), moment(one), one.actor, *_deed(one)) for one in self[-_SHOWN:]),
        )


def done(event: Event) -> str:
    """Return what an event did to which records, in words: ``+2 entities, 1 fact changed``."""
    tables = Counter(
        (change.record.partition(":")[0], _how(change.before, change.after))
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
    return (
        f"<b>{escape(head)}</b>"
        + table(("record", "field", "before", "after"), rows[:_SHOWN])
        + more
    )


def moment(event: Event) -> str:
    """Return when an event was committed, to the second."""
    return f"{event.at:%Y-%m-%d %H:%M:%S}"


def _deed(event: Event) -> tuple[str, str, str]:
    return event.kind, done(event), event.note or ""


def _kinds(events: Iterable[Event]) -> Counter[str]:
    return Counter(event.kind for event in events)


def _how(before: object, after: object) -> str:
    return "+" if before is None else "-" if after is None else ""


def _shown(image: object, column: str) -> str:
    value = image.get(column) if isinstance(image, dict) else None
    text = "" if value is None else str(value)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
