"""Episode drafts from JSON and JSON Lines: one a record, or runs that belong together.

Messages and times are recognised by the usual names of such fields.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeVar

from graphrag.errors import EpisodeError, TimeError
from graphrag.model.values import JSON, Source
from graphrag.temporal.moment import from_micros, parse_moment

_SPEAKER = ("speaker", "name", "from", "sender", "author", "role")
_TEXT = ("text", "content", "message", "body")
_TIME = ("time", "timestamp", "datetime", "date", "created_at", "sent_at", "reference_time", "ts")
_SESSION = ("session", "session_id", "conversation", "conversation_id", "thread", "channel")
# A number below is no count of seconds since 1970 that a message could carry (it is March 1973).
_EARLIEST_EPOCH = 100_000_000
_MILLISECONDS = 100_000_000_000


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """One message of a conversation."""

    speaker: str
    text: str
    time: datetime | None
    session: JSON
    rest: Mapping[str, JSON]  # the fields that are none of the above

    @property
    def line(self) -> str:
        """Return ``speaker: text``."""
        return f"{self.speaker}: {self.text}"


def read_turn(value: JSON, *, base: datetime | None) -> ChatMessage | None:
    """Return the message that a record is; without ``base`` its own time is left unread."""
    if not isinstance(value, Mapping):
        return None
    speaker = _first(value, _SPEAKER)
    text = _first(value, _TEXT)
    if speaker is None or text is None:
        return None
    session = next((key for key in _SESSION if key in value), None)
    known = {speaker, text, session, _time_key(value)}
    return ChatMessage(
        value[speaker].strip(),
        value[text],
        own_time(value, base=base),
        value.get(session) if session else None,
        {key: item for key, item in value.items() if key not in known},
    )


def own_time(value: JSON, *, base: datetime | None) -> datetime | None:
    """Return the time under an obvious key; numbers are seconds or milliseconds since 1970."""
    key = _time_key(value) if isinstance(value, Mapping) and base is not None else None
    if key is None:
        return None
    stamp = value[key]
    if not isinstance(stamp, int | float):
        return parse_moment(stamp, what=key, reference=base)
    return since_epoch(stamp, key)


def since_epoch(stamp: float, what: str) -> datetime:
    """Return the moment that is so many seconds or milliseconds after 1970 began."""
    if isinstance(stamp, bool) or not _EARLIEST_EPOCH <= stamp < 1000 * _MILLISECONDS:
        raise TimeError(f"{what} {stamp!r} is not a time: write a date or seconds since 1970")
    return from_micros(round(stamp * (1000 if stamp >= _MILLISECONDS else 1_000_000)))


def _first(value: Mapping[str, JSON], keys: tuple[str, ...]) -> str | None:
    return next((key for key in keys if isinstance(value.get(key), str) and value[key]), None)


def _time_key(value: Mapping[str, JSON]) -> str | None:
    return next((key for key in _TIME if value.get(key) not in (None, "")), None)


@dataclass(frozen=True, slots=True)
class Draft:
    """Content of one part of a document."""

    content: JSON
    label: str = ""
    """Suffix of the document's name: `` [3/120]``, ``:17``; empty for a whole document."""
    time: datetime | None = None  # its own time, if it carries one
    source: Source | None = None
    metadata: Mapping[str, JSON] = field(default_factory=dict)


_TURNS = 16
_RECORDS = 50
_PAUSE = timedelta(hours=1)

Item = TypeVar("Item")


def json_drafts(text: str, base: datetime | None) -> list[Draft]:
    """Return the drafts of one JSON value.

    A list of messages is cut into stretches of conversation, by session, by pause, and after 16
    turns. A list of records is cut after 50, and wherever their own times differ. Relative times
    count from ``base``; without one the own times of records are left unread.
    """
    value = _parsed(text)
    if not isinstance(value, list) or not value:
        return [Draft(value, time=_read(own_time, value, base, "the value"), source=_source(value))]
    turns = [
        _read(read_turn, item, base, f"record {number}")
        for number, item in enumerate(value, start=1)
    ]
    if all(turns):
        return _conversation([turn for turn in turns if turn is not None])
    times = [
        _read(own_time, item, base, f"record {number}")
        for number, item in enumerate(value, start=1)
    ]
    starts = [at for at in range(len(value)) if at == 0 or times[at] != times[at - 1]]
    if len(starts) == 1 and len(value) <= _RECORDS:
        return [Draft(value, time=times[0], source="json")]
    runs = _runs(value, starts, _RECORDS)
    return [
        Draft(
            run,
            f" [{number}/{len(runs)}]",
            times[start],
            "json",
            {"part": number, "parts": len(runs), "first": start + 1, "last": start + len(run)},
        )
        for number, (start, run) in enumerate(runs, start=1)
    ]


def jsonl_drafts(text: str, base: datetime | None) -> Iterator[Draft]:
    """Yield one draft per line that is not blank; a message becomes ``name: text``."""
    # Not splitlines(): JSON strings may hold U+2028 and its like unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        value = _parsed(line, place)
        label, metadata = f":{number}", {"line": number}
        if turn := _read(read_turn, value, base, place):
            session = {} if turn.session is None else {"session": turn.session}
            yield Draft(
                turn.line, label, turn.time, "message", {**turn.rest, **session, **metadata}
            )
        else:
            time = _read(own_time, value, base, place)
            yield Draft(value, label, time, _source(value), metadata)


def _conversation(turns: list[ChatMessage]) -> list[Draft]:
    starts = [at for at, turn in enumerate(turns) if at == 0 or _apart(turns[at - 1], turn)]
    runs = _runs(turns, starts, _TURNS)
    return [
        Draft(
            "\n".join(turn.line for turn in run),
            f" [{number}/{len(runs)}]" if len(runs) > 1 else "",
            run[0].time,
            "message",
            {"part": number, "parts": len(runs), "first": start + 1, "last": start + len(run)}
            | ({} if run[0].session is None else {"session": run[0].session}),
        )
        for number, (start, run) in enumerate(runs, start=1)
    ]


def _apart(before: ChatMessage, after: ChatMessage) -> bool:
    if before.session != after.session or (before.time is None) != (after.time is None):
        return True
    return bool(before.time and after.time and abs(after.time - before.time) > _PAUSE)


def _runs(items: Sequence[Item], starts: list[int], longest: int) -> list[tuple[int, list[Item]]]:
    """Return ``(first index, items)`` of runs that begin at ``starts`` or after ``longest``."""
    borders = [*starts, len(items)]
    return [
        (at, list(items[at : min(at + longest, end)]))
        for start, end in pairwise(borders)
        for at in range(start, end, longest)
    ]


def _source(value: JSON) -> Source:
    return "text" if isinstance(value, str) else "json"


def _parsed(text: str, place: str = "") -> JSON:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = place or f"line {error.lineno}"
        raise EpisodeError(f"{where}, column {error.colno}: no JSON: {error.msg}") from None
    except RecursionError:
        raise EpisodeError(f"{place or 'the value'} is nested too deeply to be read") from None


def _read(
    read: Callable[..., Item | None], value: JSON, base: datetime | None, place: str
) -> Item | None:
    try:
        return read(value, base=base)
    except TimeError as error:
        raise EpisodeError(f"{place}: {error}") from None
