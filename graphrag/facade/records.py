"""Tell the graph what address books and calendars say; no model reads them."""

from collections.abc import Iterable
from datetime import timedelta
from itertools import islice

from graphrag.direct.given import End, GivenFact
from graphrag.direct.told import ImportReport
from graphrag.facade.opened import Moment, Opened
from graphrag.intake import checked_group
from graphrag.models import DEFAULT_GROUP
from graphrag.readers.calendar import Calendar, Horizon, meeting_facts, read_meetings
from graphrag.readers.contacts import Contacts, contact_end, contact_facts, read_contacts
from graphrag.temporal.moment import parse_moment, utc_now

_BATCH = 200
_YEAR = timedelta(days=365)

Record = tuple[list[GivenFact], list[End]]
"""The facts of one contact or meeting, and the people that it may say nothing else of."""


class Records(Opened):
    """Contacts and meetings. People are found by e-mail first, then by name."""

    async def import_contacts(
        self,
        contacts: Contacts,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell who the people of an address book are and where they work.

        ``contacts`` is a vCard file, a CSV file with a header, as address books export it, or
        dictionaries with ``name``, ``email``, ``phone``,
        ``company``, ``title`` and ``aliases``. Importing the same again adds nothing. Nothing is
        written unless every contact can be read.

        Args:
            contacts: The address book.
            reference_time: When this was so; a company with a later one ends an earlier one.
                Default: the start of each job is unknown.
            source: Where it comes from, for people.
            group: The graph inside the store that it belongs to.

        Raises:
            InputError: naming the contact that cannot be used.
            PolicyError: if the write policy refused.
        """
        records = [
            (
                list(contact_facts(one, place, reference_time=reference_time, source=source)),
                [contact_end(one)],
            )
            for place, one in read_contacts(contacts)
        ]
        return await self._tell(records, "import_contacts", group)

    async def import_calendar(
        self,
        calendar: Calendar,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        time_zone: str | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell which meetings there were, who attended them, and where.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting is an entity named with its day, and its
        facts hold for as long as it lasts. Of a repeated one each meeting is told, at most 1,000;
        cancelled ones and those who declined are left out. Importing the same again adds nothing.
        Nothing is written unless every meeting can be read.

        Args:
            calendar: The meetings.
            since: The earliest repeated meeting to tell. Default: the first one.
            until: The first moment that is too late for a repeated meeting. Default: in a year.
            time_zone: Where the times are that name no zone, such as ``Europe/Oslo``. Default: what
                the file says; if it says nothing such times are an error.
            source: Where it comes from, for people.
            group: The graph inside the store that it belongs to.

        Raises:
            InputError: naming the meeting that cannot be used.
            PolicyError: if the write policy refused.
        """
        horizon = horizon_of(since, until, time_zone)
        records: list[Record] = [
            (list(meeting_facts(one, place, source=source)), [])
            for place, one in read_meetings(calendar, horizon)
        ]
        return await self._tell(records, "import_calendar", group)

    async def _tell(self, records: Iterable[Record], kind: str, group: str) -> ImportReport:
        from graphrag.direct.write import DirectWriter

        writer = DirectWriter.to(self._open(), checked_group(group), kind, once=True)
        report, rest = ImportReport(), iter(records)
        while some := list(islice(rest, _BATCH)):
            facts = [fact for told, _ in some for fact in told]
            plan = await writer.tell(facts, [end for _, ends in some for end in ends])
            report = report.after(plan, rows=len(some), seconds=0.0)
        return report


def horizon_of(since: Moment | None, until: Moment | None, time_zone: str | None) -> Horizon:
    """Return which meetings are wanted; by default none that repeats more than a year from now.

    Raises:
        InputError: if a moment is none.
    """
    return Horizon(
        utc_now() + _YEAR if until is None else parse_moment(until, what="until"),
        None if since is None else parse_moment(since, what="since"),
        time_zone,
    )
