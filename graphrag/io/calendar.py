"""Meetings with those who attend them, from iCalendar files or dictionaries."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from graphrag.errors import InputError
from graphrag.ingest.given import End, GivenFact, given_end, given_fact
from graphrag.io.contacts import Contact, contact_end, read_text
from graphrag.io.content_lines import Line, components
from graphrag.io.recurrence import Horizon, Zones, occurrences
from graphrag.model.checks import checked_text, shown
from graphrag.names.key import name_key
from graphrag.temporal.moment import parse_moment

Calendar = str | Path | Iterable[Mapping[str, Any]]
"""An ``.ics`` file, or dictionaries with the fields of ``Meeting``."""

_FIELDS = ("name", "start", "end", "location", "organizer", "attendees", "uid")
_DAY = timedelta(days=1)
_DURATION = re.compile(r"P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
_LONGEST_DURATION = 50


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


def read_meetings(calendar: Calendar, horizon: Horizon) -> Iterator[tuple[str, Meeting]]:
    """Yield meetings, each with what to call it in an error; cancelled ones are left out.

    Raises:
        InputError: naming the meeting that cannot be used.
    """
    if isinstance(calendar, str | Path):
        path = Path(calendar)
        text = read_text(path)
        zones = Zones(text, horizon.time_zone)
        events = [
            _Event(f"{path.name}, event {number}: ", lines, zones)
            for number, lines in enumerate(components(text, "VEVENT", what=str(path)), 1)
        ]
        # An event that says which of a series it is stands for that one, even if called off.
        moved = {(event.uid, event.instead_of) for event in events if event.instead_of is not None}
        for event in events:
            if event.cancelled:
                continue
            try:
                meetings = list(_meetings(event, moved, horizon))
            except OverflowError:
                raise InputError(f"{event.place}its times are outside years 1-9999") from None
            for meeting in meetings:
                yield event.place, meeting
    else:
        for number, row in enumerate(calendar, 1):
            place = f"event {number}: "
            if not isinstance(row, Mapping):
                raise InputError(f"{place}{shown(row)} is no dictionary")
            if unknown := [name for name in row if name not in _FIELDS]:
                raise InputError(
                    f"{place}there is no field {shown(unknown[0])}: use {', '.join(_FIELDS)}"
                )
            yield place, _of_row(row, place)


def meeting_facts(meeting: Meeting, place: str, *, source: str | None) -> Iterator[GivenFact]:
    """Yield who attended, who organized and where it was, each for as long as it lasted."""
    event = _event(meeting)
    ties: list[tuple[End, str, End]] = [
        (contact_end(attendee), "attends", event) for attendee in meeting.attendees
    ]
    if meeting.organizer is not None:
        ties.append((contact_end(meeting.organizer), "organizes", event))
    if name_key(meeting.location):
        ties.append((event, "takes_place_at", given_end(meeting.location, "place")))
    for subject, relation, object_ in ties:
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


@dataclass(frozen=True, slots=True)
class _Event:
    """One event of a file, as its lines say."""

    place: str
    lines: Sequence[Line]
    zones: Zones

    def all(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.name == name]

    def text(self, name: str) -> str:
        found = self.all(name)
        return found[0].text if found else ""

    @property
    def uid(self) -> str:
        return self.text("UID")

    @property
    def cancelled(self) -> bool:
        return self.text("STATUS").upper() == "CANCELLED"

    @property
    def instead_of(self) -> datetime | None:
        found = self.moments("RECURRENCE-ID")
        return found[0].astimezone(UTC) if found else None

    def moments(self, name: str) -> list[datetime]:
        """Return the moments of a property, in their own time zones."""
        return [
            _moment(line, text.strip(), self.zones, self.place)
            for line in self.all(name)
            for text in line.value.split(",")
            if text.strip()
        ]


def _meetings(
    event: _Event, moved: Container[tuple[str, datetime | None]], horizon: Horizon
) -> Iterator[Meeting]:
    """Yield the meeting of an event, or each of a series as far as it is wanted."""
    first = _of_event(event)
    rules = event.all("RRULE")
    if not rules and not event.all("RDATE"):
        yield first
        return
    [start, *_] = event.moments("DTSTART")
    starts = {first.start, *(moment.astimezone(UTC) for moment in event.moments("RDATE"))}
    without = [moment.astimezone(UTC) for moment in event.moments("EXDATE")]
    for rule in rules:
        try:
            starts |= set(occurrences(start, rule.value, since=horizon.since, until=horizon.until))
        except InputError as error:
            raise InputError(f"{event.place}{error}") from None
    for moment in sorted(starts.difference(without)):
        wanted = moment < horizon.until and (horizon.since is None or moment >= horizon.since)
        if wanted and (event.uid, moment) not in moved:
            yield replace(first, start=moment, end=moment + (first.end - first.start))


def _of_event(event: _Event) -> Meeting:
    place = event.place
    if not (starts := event.moments("DTSTART")):
        raise InputError(f"{place}it has no start (DTSTART)")
    start = starts[0].astimezone(UTC)
    whole_day = len(event.all("DTSTART")[0].value.strip()) == len("20240131")
    if ends := event.moments("DTEND"):
        end = ends[0].astimezone(UTC)
    elif durations := event.all("DURATION"):
        end = start + _duration(durations[0].value, place)
    else:
        end = start + (_DAY if whole_day else timedelta(hours=1))
    organizers = event.all("ORGANIZER")
    return _checked(
        Meeting(
            name=event.text("SUMMARY"),
            start=start,
            end=end,
            location=event.text("LOCATION"),
            organizer=_person(organizers[0]) if organizers else None,
            attendees=tuple(
                _person(line)
                for line in event.all("ATTENDEE")
                if line.parameters.get("CUTYPE", "INDIVIDUAL").upper() == "INDIVIDUAL"
                and line.parameters.get("PARTSTAT", "").upper() != "DECLINED"
            ),
            uid=event.uid,
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
        attendees = () if row.get("attendees") is None else row["attendees"]
        if not isinstance(attendees, list | tuple | set):
            raise InputError(f"attendees is {shown(attendees)}: give a list")
        return _checked(
            Meeting(
                name=_text(row, "name"),
                start=start,
                end=start + timedelta(hours=1) if end is None else parse_moment(end, what="end"),
                location=_text(row, "location"),
                organizer=None if organizer is None else _contact(organizer),
                attendees=tuple(map(_contact, attendees)),
                uid=_text(row, "uid"),
            ),
            place,
        )
    except OverflowError:
        raise InputError(f"{place}its times are outside years 1-9999") from None
    except InputError as error:
        if str(error).startswith(place):
            raise
        raise type(error)(f"{place}{error}") from None


def _text(row: Mapping[str, Any], name: str) -> str:
    value = row.get(name)
    return "" if value is None else checked_text(name, value)


def _contact(given: Any) -> Contact:
    """Return an attendee: a name, an e-mail address, or both in a dictionary."""
    if isinstance(given, str):
        return Contact(given, (given,)) if "@" in given else Contact(given)
    if not isinstance(given, Mapping):
        raise InputError(f"attendee {shown(given)} is neither text nor a dictionary")
    email = given.get("email")
    name = given.get("name") or email
    if not isinstance(name, str) or not isinstance(email, str | None):
        raise InputError(f"attendee {shown(given)} has neither a name nor an e-mail address")
    return Contact(name, () if email is None else (email,))


def _person(line: Line) -> Contact:
    email = line.value.strip()
    email = email[7:] if email.casefold().startswith("mailto:") else email
    name = line.parameters.get("CN", "").strip()
    return Contact(name or email, (email,) if "@" in email else ())


def _moment(line: Line, text: str, zones: Zones, place: str) -> datetime:
    """Return a moment in the zone that it is given in; a day begins in UTC."""
    try:
        if len(text) == len("20240131"):
            return datetime.strptime(text, "%Y%m%d").replace(tzinfo=UTC)
        if text.endswith("Z"):
            return datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        local = datetime.strptime(text, "%Y%m%dT%H%M%S")  # noqa: DTZ007
    except ValueError:
        raise InputError(f"{place}{line.name} {text!r} is not a time") from None
    try:
        zone = zones.of(line.parameters.get("TZID"))
    except InputError as error:
        raise InputError(f"{place}{line.name} has {error}") from None
    if zone is None:
        raise InputError(
            f"{place}{line.name} {text!r} has no time zone: name one for such times (time_zone)"
        )
    return local.replace(tzinfo=zone)


def _duration(text: str, place: str) -> timedelta:
    found = _DURATION.fullmatch(text.strip())
    if found is None or not any(found.groups()) or len(text) > _LONGEST_DURATION:
        raise InputError(f"{place}DURATION {shown(text)} is not a duration")
    weeks, days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return timedelta(weeks=weeks, days=days, hours=hours, minutes=minutes, seconds=seconds)


def _checked(meeting: Meeting, place: str) -> Meeting:
    if not isinstance(meeting.name, str) or not name_key(meeting.name):
        raise InputError(f"{place}it has no name")
    if meeting.end <= meeting.start:
        raise InputError(f"{place}{meeting.name!r} ends before it starts")
    return meeting
