"""JSON and JSON Lines as drafts of episodes: one each, or runs that belong together."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from typing import TypeVar

from graphrag.errors import EpisodeError, TimeError
from graphrag.models import JSON, Source
from graphrag.readers.draft import Draft
from graphrag.readers.turn import Turn, own_time, read_turn

_TURNS = 16
_RECORDS = 50
_PAUSE = timedelta(hours=1)

Item = TypeVar("Item")


def json_drafts(text: str, *, base: datetime | None) -> list[Draft]:
    """Return the drafts of one JSON value.

    A list of messages is cut into stretches of conversation, by session, by pause, and after 16
    turns. A list of records is cut after 50, and wherever their own times differ.

    Args:
        text: The JSON.
        base: What relative times count from; None leaves the own times of records unread.

    Raises:
        EpisodeError: if it is no JSON, or holds a time that is no moment.
    """
    value = _parsed(text)
    if not isinstance(value, list) or not value:
        return [Draft(value, time=_timed(value, base, "the value"), source=_source(value))]
    turns = [_turn(item, base, f"record {number}") for number, item in enumerate(value, start=1)]
    if all(turns):
        return _conversation([turn for turn in turns if turn is not None])
    times = [_timed(item, base, f"record {number}") for number, item in enumerate(value, start=1)]
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


def jsonl_drafts(text: str, *, base: datetime | None) -> Iterator[Draft]:
    """Yield one draft per line that is not blank; a message becomes ``name: text``.

    Raises:
        EpisodeError: at the first line that is no JSON, or holds a time that is no moment.
    """
    # Not splitlines(): JSON strings may hold U+2028 and its like unescaped.
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        place = f"line {number}"
        value = _parsed(line, place)
        label, metadata = f":{number}", {"line": number}
        if turn := _turn(value, base, place):
            session = {} if turn.session is None else {"session": turn.session}
            yield Draft(
                turn.line, label, turn.time, "message", {**turn.rest, **session, **metadata}
            )
        else:
            time = _timed(value, base, place)
            yield Draft(value, label, time, _source(value), metadata)


def _conversation(turns: list[Turn]) -> list[Draft]:
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


def _apart(before: Turn, after: Turn) -> bool:
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


def _turn(value: JSON, base: datetime | None, place: str) -> Turn | None:
    try:
        return read_turn(value, base=base)
    except TimeError as error:
        raise EpisodeError(f"{place}: {error}") from None


def _timed(value: JSON, base: datetime | None, place: str) -> datetime | None:
    try:
        return own_time(value, base=base)
    except TimeError as error:
        raise EpisodeError(f"{place}: {error}") from None
