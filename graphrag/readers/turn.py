"""Recognise messages and times in JSON records by the names that such fields usually have."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from graphrag.errors import TimeError
from graphrag.models import JSON
from graphrag.temporal.moment import from_micros, parse_moment

_SPEAKER = ("speaker", "name", "from", "sender", "author", "role")
_TEXT = ("text", "content", "message", "body")
_TIME = ("time", "timestamp", "datetime", "date", "created_at", "sent_at", "reference_time", "ts")
_SESSION = ("session", "session_id", "conversation", "conversation_id", "thread", "channel")
# A number below is no count of seconds since 1970 that a message could carry (it is March 1973).
_EARLIEST_EPOCH = 100_000_000
_MILLISECONDS = 100_000_000_000


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of a conversation."""

    speaker: str
    text: str
    time: datetime | None
    session: JSON
    rest: Mapping[str, JSON]
    """The fields that are none of the above."""

    @property
    def line(self) -> str:
        """Return ``speaker: text``."""
        return f"{self.speaker}: {self.text}"


def read_turn(value: JSON, *, base: datetime | None) -> Turn | None:
    """Return the message that a record is, or None if it is something else.

    Args:
        value: The record.
        base: What relative times count from; None leaves the record's own time unread.

    Raises:
        TimeError: if it carries a time that is no moment.
    """
    if not isinstance(value, Mapping):
        return None
    speaker = _first(value, _SPEAKER)
    text = _first(value, _TEXT)
    if speaker is None or text is None:
        return None
    session = next((key for key in _SESSION if key in value), None)
    known = {speaker, text, session, _time_key(value)}
    return Turn(
        value[speaker].strip(),
        value[text],
        own_time(value, base=base),
        value.get(session) if session else None,
        {key: item for key, item in value.items() if key not in known},
    )


def own_time(value: JSON, *, base: datetime | None) -> datetime | None:
    """Return the time that a record carries under an obvious key, if it does.

    Numbers are seconds or milliseconds since 1970.

    Raises:
        TimeError: if what stands there is no moment.
    """
    key = _time_key(value) if isinstance(value, Mapping) and base is not None else None
    if key is None:
        return None
    stamp = value[key]
    if not isinstance(stamp, int | float):
        return parse_moment(stamp, what=key, reference=base)
    if isinstance(stamp, bool) or not _EARLIEST_EPOCH <= stamp < 1000 * _MILLISECONDS:
        raise TimeError(f"{key} {stamp!r} is not a time: write a date or seconds since 1970")
    return from_micros(round(stamp * (1000 if stamp >= _MILLISECONDS else 1_000_000)))


def _first(value: Mapping[str, JSON], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(value.get(key), str) and value[key]), None)


def _time_key(value: Mapping[str, JSON]) -> str | None:
    return next((key for key in _TIME if value.get(key) not in (None, "")), None)
