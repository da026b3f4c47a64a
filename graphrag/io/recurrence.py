"""Recurring meetings and the time zones that calendars name (tz, Windows, or in the file).

A series is computed in its own zone, so local times survive clock changes.
"""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphrag.errors import InputError
from graphrag.temporal.moment import Moment, parse_moment, utc_now

MOST = 1_000
"""Meetings of one series."""
_YEAR = timedelta(days=365)
_TOO_OFTEN = re.compile(r"FREQ=(?:SECONDLY|MINUTELY)", re.IGNORECASE)
_UNTIL = re.compile(r"UNTIL=([^;]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Horizon:
    """Which of the repeated meetings are wanted, and when times are that name no zone."""

    until: datetime
    since: datetime | None = None
    time_zone: str | None = None

    @classmethod
    def of(cls, since: Moment | None, until: Moment | None, time_zone: str | None) -> "Horizon":
        """Return these bounds; by default no meeting that repeats more than a year from now.

        Raises:
            InputError: if a moment is none.
        """
        return cls(
            utc_now() + _YEAR if until is None else parse_moment(until, what="until"),
            None if since is None else parse_moment(since, what="since"),
            time_zone,
        )


def occurrences(
    start: datetime, rule: str, *, since: datetime | None = None, until: datetime
) -> Iterator[datetime]:
    """Yield the starts of a series, in UTC, from ``since`` to just before ``until``.

    Args:
        start: The first, in the time zone of the series.
        rule: The value of its RRULE.
        since: The earliest that is wanted; None for all.
        until: The first moment that is too late.

    Raises:
        InputError: if the rule is none, or there are more than 1,000.
    """
    from dateutil.rrule import rrulestr

    if _TOO_OFTEN.search(rule):
        raise InputError(f"RRULE {rule!r} repeats every minute or second: no meeting does")
    try:
        # In the time of the clock on the wall: a zone has gaps and repeated hours.
        wall = rrulestr(_on_the_wall(rule, start), dtstart=start.replace(tzinfo=None))
    except (ValueError, TypeError) as error:
        raise InputError(f"RRULE {rule!r} cannot be read: {error}") from None
    earliest = start if since is None else max(start, since.astimezone(start.tzinfo))
    # A day more on either side, because of clocks that are put back.
    after = earliest.replace(tzinfo=None) - timedelta(days=1)
    found = 0
    for local in wall.xafter(after, inc=True):
        moment = local.replace(tzinfo=start.tzinfo).astimezone(UTC)
        if moment >= until:
            return
        if moment < start or (since is not None and moment < since):
            continue
        found += 1
        if found > MOST:
            raise InputError(
                f"RRULE {rule!r} gives more than {MOST:,} meetings: pass a later since, or an "
                "earlier until"
            )
        yield moment


def _on_the_wall(rule: str, start: datetime) -> str:
    """Return the rule with its end as the wall clock of the series shows it."""

    def local(found: re.Match[str]) -> str:
        text = found[1].strip()
        if text.endswith("Z"):
            moment = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            text = moment.astimezone(start.tzinfo).strftime("%Y%m%dT%H%M%S")
        elif len(text) == 8:
            text += "T235959"  # a day means all of it
        return f"UNTIL={text}"

    return _UNTIL.sub(local, rule)


_DEFINED = re.compile(r"^BEGIN:VTIMEZONE\r?$.*?^END:VTIMEZONE\r?$", re.MULTILINE | re.DOTALL)
_FOLD = re.compile(r"\r?\n[ \t]")
_DEFAULT = re.compile(r"^X-WR-TIMEZONE:(.+?)\r?$", re.MULTILINE)


class Zones:
    """The time zones of one calendar file."""

    def __init__(self, text: str = "", default: str | None = None) -> None:
        """Take the file's text and the zone of times that name none; default: the file's own."""
        self._text = _FOLD.sub("", text)
        own = _DEFAULT.search(self._text)
        self._default = default or (own[1].strip() if own else None)

    def of(self, name: str | None) -> tzinfo | None:
        """Return the zone of a name, that of times without one for None; None if there is none.

        Raises:
            InputError: if nobody knows the name.
        """
        name = self._default if name is None else name
        if name is None:
            return None
        for look in (_of_database, _of_windows, self._of_file):
            if (zone := look(name)) is not None:
                return zone
        raise InputError(f"the unknown time zone {name!r}")

    def _of_file(self, name: str) -> tzinfo | None:
        return None if self._defined is None else self._defined(name)

    @cached_property
    def _defined(self) -> Callable[[str], tzinfo | None] | None:
        from dateutil.tz import tzical

        found = "\n".join(match.group() for match in _DEFINED.finditer(self._text))
        if not found:
            return None
        try:
            zones = tzical(io.StringIO(found))
        except ValueError as error:
            raise InputError(f"time zones (VTIMEZONE) that cannot be read: {error}") from None
        known = frozenset(zones.keys())
        return lambda name: zones.get(name) if name in known else None


def _of_database(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name.removeprefix("/freeassociation.sourceforge.net/"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _of_windows(name: str) -> tzinfo | None:
    from tzlocal.windows_tz import win_tz

    found = win_tz.get(name)
    return None if found is None else ZoneInfo(found)
