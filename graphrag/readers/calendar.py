"""Meetings with those who attend them, from iCalendar files or dictionaries."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphrag.direct.given import End, GivenFact, given_end, given_fact
from graphrag.errors import InputError
from graphrag.names import name_key
from graphrag.readers.contacts import Contact, contact_end, read_text
from graphrag.readers.lines import Line, components
from graphrag.temporal.moment import parse_moment

Calendar = str | Path | Iterable[Mapping[str, Any]]
"""An ``.ics`` file, or dictionaries with the fields of ``Meeting``."""

_FIELDS = ("name", "start", "end", "location", "organizer", "attendees", "uid")
_DAY = timedelta(days=1)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")


@dataclass(frozen=True, slots=True)
class Meeting:
    """An event of a calendar."""

    name: str
    start: datetime
    end: datetime
    """The first moment after it."""
    location: str = ""
    organizer: Contact | None = None
    attendees: Sequence[Contact] = field(default=())
    uid: str = ""


def read_meetings(calendar: Calendar) -> Iterator[tuple[str, Meeting]]:
    """Yield meetings, each with what to call it in an error; cancelled ones are left out.

    Raises:
        InputError: naming the meeting that cannot be used.
    """
    if isinstance(calendar, str | Path):
        path = Path(calendar)
        for number, lines in enumerate(components(read_text(path), "VEVENT", what=str(path)), 1):
            place = f"{path.name}, event {number}: "
            if not any(line.name == "STATUS" and line.text == "CANCELLED" for line in lines):
                yield place, _of_event(lines, place)
    else:
        for number, row in enumerate(calendar, 1):
            place = f"event {number}: "
            if not isinstance(row, Mapping):
                raise InputError(f"{place}{row!r} is no dictionary")
            if unknown := sorted(set(row) - set(_FIELDS)):
                raise InputError(
                    f"{place}there is no field {unknown[0]!r}: use {', '.join(_FIELDS)}"
                )
            yield place, _of_row(row, place)


def meeting_facts(meeting: Meeting, place: str, *, source: str | None) -> Iterator[GivenFact]:
    """Yield who attended, who organized and where it was, each for as long as it lasted."""
    event = _event(meeting)
    told: list[tuple[End, str, End]] = [
        (contact_end(attendee), "attends", event) for attendee in meeting.attendees
    ]
    if meeting.organizer is not None:
        told.append((contact_end(meeting.organizer), "organizes", event))
    if name_key(meeting.location):
        told.append((event, "takes_place_at", given_end(meeting.location, "place")))
    for subject, relation, object_ in told:
        yield given_fact(
            subject,
            relation,
            object_,
            valid_at=meeting.start,
            invalid_at=meeting.end,
            source=source,
            origin="structural",
            place=place,
        )


def _event(meeting: Meeting) -> End:
    # Weekly meetings share their name: the day tells them apart, and the uid says it exactly.
    name = f"{meeting.name} ({meeting.start:%Y-%m-%d})"
    key = f"{meeting.uid}@{meeting.start:%Y%m%dT%H%M%SZ}" if meeting.uid else ""
    return given_end(name, "event", attributes={"event_uid": key} if key else None)


def _of_event(lines: Sequence[Line], place: str) -> Meeting:
    first = {line.name: line for line in reversed(lines)}
    if "DTSTART" not in first:
        raise InputError(f"{place}it has no start (DTSTART)")
    start, whole_day = _moment(first["DTSTART"], place)
    if "DTEND" in first:
        end = _moment(first["DTEND"], place)[0]
    elif "DURATION" in first:
        end = start + _duration(first["DURATION"].value, place)
    else:
        end = start + (_DAY if whole_day else timedelta(hours=1))
    organizer = first.get("ORGANIZER")
    return _checked(
        Meeting(
            name=first["SUMMARY"].text if "SUMMARY" in first else "",
            start=start,
            end=end,
            location=first["LOCATION"].text if "LOCATION" in first else "",
            organizer=None if organizer is None else _person(organizer),
            attendees=tuple(
                _person(line)
                for line in lines
                if line.name == "ATTENDEE"
                and line.parameters.get("CUTYPE", "INDIVIDUAL").upper() == "INDIVIDUAL"
                and line.parameters.get("PARTSTAT", "").upper() != "DECLINED"
            ),
            uid=first["UID"].text if "UID" in first else "",
        ),
        place,
    )


def _of_row(row: Mapping[str, Any], place: str) -> Meeting:
    if "start" not in row:
        raise InputError(f"{place}it has no start")
    try:
        start = parse_moment(row["start"], what="start")
        end = row.get("end")
        organizer = row.get("organizer")
        return _checked(
            Meeting(
                name=row.get("name", ""),
                start=start,
                end=start + timedelta(hours=1) if end is None else parse_moment(end, what="end"),
                location=row.get("location") or "",
                organizer=None if organizer is None else _contact(organizer),
                attendees=tuple(_contact(attendee) for attendee in row.get("attendees") or ()),
                uid=row.get("uid") or "",
            ),
            place,
        )
    except InputError as error:
        if str(error).startswith(place):
            raise
        raise type(error)(f"{place}{error}") from None


def _contact(given: Any) -> Contact:
    """Return an attendee: a name, an e-mail address, or both in a dictionary."""
    if isinstance(given, str):
        return Contact(given, (given,)) if "@" in given else Contact(given)
    if not isinstance(given, Mapping):
        raise InputError(f"attendee {given!r} is neither text nor a dictionary")
    email = given.get("email")
    name = given.get("name") or email
    if not isinstance(name, str) or not isinstance(email, str | None):
        raise InputError(f"attendee {given!r} has neither a name nor an e-mail address")
    return Contact(name, () if email is None else (email,))


def _person(line: Line) -> Contact:
    email = line.value.strip()
    email = email[7:] if email.casefold().startswith("mailto:") else email
    name = line.parameters.get("CN", "").strip()
    return Contact(name or email, (email,) if "@" in email else ())


def _moment(line: Line, place: str) -> tuple[datetime, bool]:
    """Return a moment in UTC and whether it is a whole day."""
    text, zone = line.value.strip(), line.parameters.get("TZID")
    try:
        if len(text) == 8:
            day = datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
            return day, True
        if text.endswith("Z"):
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC), False
        local = datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007
    except ValueError:
        raise InputError(f"{place}{line.name} {text!r} is not a time") from None
    if zone is None:
        raise InputError(
            f"{place}{line.name} {text!r} has no time zone: export the calendar with time zones"
        )
    try:
        return local.replace(tzinfo=ZoneInfo(zone)).astimezone(UTC), False
    except (ZoneInfoNotFoundError, ValueError):
        raise InputError(f"{place}{line.name} has the unknown time zone {zone!r}") from None


def _duration(text: str, place: str) -> timedelta:
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()):
        raise InputError(f"{place}DURATION {text!r} is not a duration")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def _checked(meeting: Meeting, place: str) -> Meeting:
    if not isinstance(meeting.name, str) or not name_key(meeting.name):
        raise InputError(f"{place}it has no name")
    if meeting.end <= meeting.start:
        raise InputError(f"{place}{meeting.name!r} ends before it starts")
    return meeting
