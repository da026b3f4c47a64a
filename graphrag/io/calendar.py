"""Meetings with those who attend them, from iCalendar files or dictionaries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from graphrag.errors import InputError
from graphrag.ingest.given import End, GivenFact, given_end, given_fact
from graphrag.io.contacts import Contact, checked_rows, contact_end
from graphrag.io.ics import Horizon, event_rows
from graphrag.model.checks import checked_text, shown
from graphrag.names.key import name_key
from graphrag.temporal.moment import parse_moment

Calendar = str | Path | Iterable[Mapping[str, Any]]
"""An ``.ics`` file, or dictionaries with the fields of ``Meeting``."""

_FIELDS = ("name", "start", "end", "location", "organizer", "attendees", "uid")


@dataclass(frozen=True, slots=True)
class Meeting:
    """An event of a calendar."""

    name: str
    start: datetime
    end: datetime  # the first moment after it
    location: str = ""
    organizer: Contact | None = None
    attendees: Sequence[Contact] = field(default=())
    uid: str = ""


def read_meetings(calendar: Calendar, horizon: Horizon) -> Iterator[tuple[str, Meeting]]:
    """Yield meetings, each with what to call it in an error; cancelled ones are left out."""
    placed: Iterator[tuple[str, Mapping[str, Any]]]
    if isinstance(calendar, str | Path):
        placed = event_rows(Path(calendar), horizon)
    else:
        placed = checked_rows(calendar, "event", _FIELDS)
    for place, row in placed:
        yield place, _meeting(row, place)


def meeting_facts(meeting: Meeting, place: str, *, source: str | None) -> Iterator[GivenFact]:
    """Yield who attended, who organized and where it was, each for as long as it lasted."""
    # Weekly meetings share their name: the day tells them apart, and the uid says it exactly.
    name = f"{meeting.name} ({meeting.start:%Y-%m-%d})"
    key = f"{meeting.uid}@{meeting.start:%Y%m%dT%H%M%SZ}" if meeting.uid else ""
    event = given_end(name, "event", attributes={"event_uid": key} if key else None)
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


def _meeting(row: Mapping[str, Any], place: str) -> Meeting:
    try:
        if "start" not in row:
            raise InputError("it has no start")
        attendees = () if row.get("attendees") is None else row["attendees"]
        if not isinstance(attendees, list | tuple | set):
            raise InputError(f"attendees is {shown(attendees)}: give a list")
        organizer, end = row.get("organizer"), row.get("end")
        start = parse_moment(row["start"], what="start")
        meeting = Meeting(
            name=_text(row, "name"),
            start=start,
            end=start + timedelta(hours=1) if end is None else parse_moment(end, what="end"),
            location=_text(row, "location"),
            organizer=None if organizer is None else _contact(organizer),
            attendees=tuple(map(_contact, attendees)),
            uid=_text(row, "uid"),
        )
        if not name_key(meeting.name):
            raise InputError("it has no name")
        if meeting.end <= meeting.start:
            raise InputError(f"{meeting.name!r} ends before it starts")
        return meeting
    except OverflowError:
        raise InputError(f"{place}its times are outside years 1-9999") from None
    except InputError as error:
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
