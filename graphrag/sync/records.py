"""Tell the graph what address books and calendars say, blocking."""

from graphrag.direct.told import ImportReport
from graphrag.facade.opened import Moment
from graphrag.models import DEFAULT_GROUP
from graphrag.readers.calendar import Calendar
from graphrag.readers.contacts import Contacts
from graphrag.sync.opened import Opened


class Records(Opened):
    """Contacts and meetings. People are found by e-mail first, then by name."""

    def import_contacts(
        self,
        contacts: Contacts,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell who the people of an address book are and where they work."""
        return self._running().wait(
            self._graph.import_contacts(
                contacts, reference_time=reference_time, source=source, group=group
            )
        )

    def import_calendar(
        self,
        calendar: Calendar,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        time_zone: str | None = None,
        source: str | None = None,
        group: str = DEFAULT_GROUP,
    ) -> ImportReport:
        """Tell which meetings there were, who attended them, and where."""
        return self._running().wait(
            self._graph.import_calendar(
                calendar, since=since, until=until, time_zone=time_zone, source=source, group=group
            )
        )
