"""Events of iCalendar files (RFC 5545) as rows, one for each time that a series takes place.

A series is computed on the wall clock of its own zone, so local times survive clock changes. The
library ``icalendar`` reads lines, times and zones (tz, Windows, or described in the file).
"""

import re
import warnings
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.errors import InputError, MissingExtraError
from graphrag.io.contacts import read_text
from graphrag.model.checks import shown
from graphrag.temporal.moment import Moment, parse_moment, utc_now

if TYPE_CHECKING:
    from icalendar import Component, vCalAddress

Row = dict[str, Any]
MOST = 1_000
"""Meetings of one series."""
_YEAR, _DAY, _HOUR = timedelta(days=365), timedelta(days=1), timedelta(hours=1)
_LAST = time(23, 59, 59)
_BEGUN = re.compile(r"^BEGIN:VEVENT\s*$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Horizon:
    """Range of repeated meetings to read, and the zone of times without one."""

    until: datetime
    since: datetime | None = None
    time_zone: str | None = None

    @classmethod
    def of(cls, since: Moment | None, until: Moment | None, time_zone: str | None) -> "Horizon":
        """Return these bounds; by default no meeting that repeats more than a year from now."""
        return cls(
            utc_now() + _YEAR if until is None else parse_moment(until, what="until"),
            None if since is None else parse_moment(since, what="since"),
            time_zone,
        )

    def holds(self, moment: datetime) -> bool:
        """Tell whether a repeated meeting of that moment is wanted."""
        return moment < self.until and (self.since is None or moment >= self.since)


def event_rows(path: Path, horizon: Horizon) -> Iterator[tuple[str, Row]]:
    """Yield the fields of each meeting, with what to call it in an error."""
    events = [
        _Event(f"{path.name}, event {number}: ", event, zone, horizon)
        for number, (event, zone) in enumerate(_events(path, horizon.time_zone), 1)
    ]
    # An event that says which of a series it is stands for that one, even if called off.
    moved = {(event.text("UID"), at) for event in events for at in event.moments("RECURRENCE-ID")}
    for event in events:
        if event.text("STATUS").upper() == "CANCELLED":
            continue
        try:
            rows = list(event.rows(moved))
        except OverflowError:
            raise InputError(f"{event.place}its times are outside years 1-9999") from None
        for row in rows:
            yield event.place, row


def _events(path: Path, time_zone: str | None) -> list[tuple["Component", tzinfo | None]]:
    """Return the events of a file, each with the zone of times that name none."""
    text = read_text(path)
    try:
        from icalendar import Component
        from icalendar.timezone import tzp
    except ImportError:
        raise MissingExtraError("reading an iCalendar file", "interchange") from None
    # icalendar keeps the zones that a file describes: those of another file are not this one's.
    tzp.use("pytz" if tzp.uses_pytz() else "zoneinfo")
    events: list[tuple[Component, tzinfo | None]] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells of zones that it knows by the end of their name
        try:
            calendars = Component.from_ical(text, multiple=True)
        except (ValueError, LookupError, TypeError, AttributeError, AssertionError) as error:
            raise InputError(f"{path} holds no VEVENT that can be read: {error}") from None
        for calendar in calendars:
            name = time_zone or str(calendar.get("X-WR-TIMEZONE", ""))
            zone = tzp.timezone(name) if name else None
            if name and zone is None:
                raise InputError(f"{path.name}: the time zone {name!r} is unknown")
            events += [(event, zone) for event in calendar.walk("VEVENT")]
    if len(_BEGUN.findall(text)) > len(events):
        raise InputError(f"{path}: a VEVENT or its VCALENDAR is not ended; the file is cut off")
    return events


@dataclass(frozen=True, slots=True)
class _Event:
    place: str
    event: "Component"
    zone: tzinfo | None  # of times that name none
    horizon: Horizon

    def text(self, name: str) -> str:
        return "".join(map(str, self._all(name)[:1])).strip()

    def rows(self, moved: Container[tuple[str, datetime]]) -> Iterator[Row]:
        """Yield the meeting, or each of a series as far as it is wanted and was not moved."""
        if not (starts := self._times("DTSTART")):
            raise InputError(f"{self.place}it has no start (DTSTART)")
        begin = starts[0].astimezone(UTC)
        length = self._end(begin) - begin
        row = {
            "name": self.text("SUMMARY"),
            "location": self.text("LOCATION"),
            "organizer": next(map(_person, self._all("ORGANIZER")), None),
            "attendees": [_person(person) for person in self._all("ATTENDEE") if _comes(person)],
            "uid": self.text("UID"),
        }
        rules = self._all("RRULE")
        if not rules and not self._all("RDATE"):
            yield {**row, "start": begin, "end": begin + length}
            return
        series = {begin, *self.moments("RDATE")}
        for rule in rules:
            series.update(self._occurrences(starts[0], rule))
        for moment in sorted(series.difference(self.moments("EXDATE"))):
            if self.horizon.holds(moment) and (row["uid"], moment) not in moved:
                yield {**row, "start": moment, "end": moment + length}

    def moments(self, name: str) -> list[datetime]:
        """Return the moments of a property in UTC."""
        return [moment.astimezone(UTC) for moment in self._times(name)]

    def _times(self, name: str) -> list[datetime]:
        """Return the moments of a property, in their own time zones; a day begins in UTC."""
        return [
            self._placed(value.dt, name, listed.params.get("TZID"))
            for listed in self._all(name)
            for value in getattr(listed, "dts", (listed,))
        ]

    def _placed(self, moment: Any, name: str, zone: str | None) -> datetime:
        if isinstance(moment, tuple):  # a period: from, to
            moment = moment[0]
        if type(moment) is date:
            return datetime.combine(moment, time.min, UTC)
        if not isinstance(moment, datetime):
            raise InputError(f"{self.place}{name} {shown(str(moment))} is not a time")
        if moment.tzinfo is not None:
            return moment
        if zone is not None:
            raise InputError(f"{self.place}{name} has the unknown time zone {zone!r}")
        if self.zone is None:
            raise InputError(
                f"{self.place}{name} {moment:%Y%m%dT%H%M%S} has no time zone: name one for such "
                "times (time_zone)"
            )
        return moment.replace(tzinfo=self.zone)

    def _end(self, begin: datetime) -> datetime:
        if ends := self.moments("DTEND"):
            return ends[0]
        if durations := self._all("DURATION"):
            if not isinstance(durations[0].dt, timedelta):
                raise InputError(f"{self.place}DURATION {shown(str(durations[0].dt))} is not one")
            return begin + durations[0].dt
        whole_day = type(self._all("DTSTART")[0].dt) is date
        return begin + (_DAY if whole_day else _HOUR)

    def _occurrences(self, start: datetime, rule: Any) -> Iterator[datetime]:
        from dateutil.rrule import rrulestr

        what = f"{self.place}RRULE {rule.to_ical().decode()!r}"
        if not {"SECONDLY", "MINUTELY"}.isdisjoint(rule.get("FREQ", ())):
            raise InputError(f"{what} repeats every minute or second: no meeting does")
        if "UNTIL" in rule:
            rule["UNTIL"] = [_on_the_wall(rule["UNTIL"][0], start.tzinfo)]
        try:
            # In the time of the clock on the wall: a zone has gaps and repeated hours.
            wall = rrulestr(rule.to_ical().decode(), dtstart=start.replace(tzinfo=None))
        except (ValueError, TypeError) as error:
            raise InputError(f"{what} cannot be read: {error}") from None
        since = self.horizon.since
        earliest = start if since is None else max(start, since.astimezone(start.tzinfo))
        # A day more on either side, because of clocks that are put back.
        wanted = 0
        for local in wall.xafter(earliest.replace(tzinfo=None) - _DAY, inc=True):
            moment = local.replace(tzinfo=start.tzinfo).astimezone(UTC)
            if moment >= self.horizon.until:
                return
            if moment < start or not self.horizon.holds(moment):
                continue
            wanted += 1
            if wanted > MOST:
                raise InputError(
                    f"{what} gives more than {MOST:,} meetings: pass a later since, or an earlier "
                    "until"
                )
            yield moment

    def _all(self, name: str) -> list[Any]:
        from icalendar.prop import vBroken

        value = self.event.get(name, [])
        values = value if isinstance(value, list) else [value]
        for broken in (each for each in values if isinstance(each, vBroken)):
            why = f"{name} {str(broken)!r} cannot be read: {broken.parse_error}"
            raise InputError(f"{self.place}{why}")
        return values


def _on_the_wall(until: date, zone: tzinfo | None) -> datetime:
    """Return the end of a series as its own clock shows it; a day means all of it."""
    if not isinstance(until, datetime):
        return datetime.combine(until, _LAST)
    return until.astimezone(zone).replace(tzinfo=None) if until.tzinfo else until


def _comes(attendee: "vCalAddress") -> bool:
    is_person = _parameter(attendee, "CUTYPE").upper() in ("", "INDIVIDUAL")
    return is_person and _parameter(attendee, "PARTSTAT").upper() != "DECLINED"


def _person(address: "vCalAddress") -> dict[str, str]:
    email = address.email.strip()
    name = _parameter(address, "CN").strip() or email
    return {"name": name, "email": email} if "@" in email else {"name": name}


def _parameter(address: "vCalAddress", name: str) -> str:
    """Return a parameter; one without quotes around its commas is a list to icalendar."""
    value = address.params.get(name, "")
    return value if isinstance(value, str) else ", ".join(map(str, value))
