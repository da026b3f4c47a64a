"""Attributes stated at different times: of two values the one with the later reference time stands.

Texts arrive in any order, so each value remembers the reference time of the text that gave it last.
The value that gave way is in the event log, with everything else that changed.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from graphrag.model.values import JSON

Attributes = Mapping[str, JSON]
Times = Mapping[str, JSON]
"""Reference time by name of the attribute, ISO 8601."""


def with_given(
    attributes: Attributes, times: Times, given: Attributes, at: datetime
) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return attributes and their times after a text of that reference time gave some."""
    stamp = at.astimezone(UTC).isoformat().replace("+00:00", "Z")
    return newer(attributes, times, given, dict.fromkeys(given, stamp))


def newer(
    attributes: Attributes, times: Times, others: Attributes, other_times: Times
) -> tuple[dict[str, JSON], dict[str, JSON]]:
    """Return the attributes of both, each as stated last; of equally old ones the others'."""
    values, since = dict(attributes), dict(times)
    for name, value in others.items():
        if name not in values or _moment(other_times, name) >= _moment(times, name):
            values[name] = value
            since.pop(name, None)
            if name in other_times:
                since[name] = other_times[name]
    return values, since


def _moment(times: Times, name: str) -> datetime:
    given = times.get(name)
    return datetime.fromisoformat(given) if given else datetime.min.replace(tzinfo=UTC)
