"""Import of known facts, documents, exports of other memories, and whole groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.ingest.batch import OnError
from graphrag.ingest.intake import checked_group
from graphrag.ingest.reports import BatchReport, ImportReport, Progress
from graphrag.io.batches import Known, Record, load_rows, seed, tell_records
from graphrag.io.calendar import Calendar, meeting_facts, read_meetings
from graphrag.io.contacts import Contacts, contact_end, contact_facts, read_contacts
from graphrag.io.fact_rows import Columns, checked_columns
from graphrag.io.ics import Horizon
from graphrag.io.tables import Rows
from graphrag.model.arguments import checked
from graphrag.session import Handle
from graphrag.temporal.moment import Moment

if TYPE_CHECKING:
    from graphrag.io.jsonl.group_file import ImportedGroup
    from graphrag.io.memories import MemoryReport, Of
    from graphrag.io.transfer import CopyProgress

Paths = str | PathLike[str] | Sequence[str | PathLike[str]]


@checked(door="graph.load")
class Load:
    """Imports into a group: ``graph.load``. People are matched by e-mail, then by name."""

    def __init__(self, handle: Handle, group: str) -> None:
        self._handle = handle
        self._group = group

    async def facts(
        self,
        rows: Rows,
        *,
        columns: Columns | None = None,
        defaults: Mapping[str, Any] | None = None,
        judge: bool = True,
        batch: int = 1000,
        on_error: OnError = "stop",
        source: str | None = None,
        on_progress: Callable[[ImportReport], None] | None = None,
    ) -> ImportReport:
        """Add many facts, one transaction per batch, thousands a second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or any rows
        with named columns, taken as a stream: ``subject``, ``relation``, ``object``, and if wanted
        ``valid_at``, ``invalid_at``, ``reference_time``, ``observed`` (``valid_at`` is only when it
        was first seen to hold), ``text``, ``confidence``, ``source``, ``provenance``; types as
        ``subject_type``, ``attributes`` (or ``attributes.NAME``) of the fact and
        ``subject_attributes`` of an end, vectors as ``embedding``, ``subject_embedding``. A network
        (``.graphml``, networkx) gives nodes as entities and edges as facts.

        The same rows again add nothing; a fact that was retracted meanwhile stays so. Summaries of
        entities follow.

        Args:
            rows: The table.
            columns: What the table calls a column, such as ``{"subject": "Employee"}``; others that
                are not known are then left out.
            defaults: What stands where a row has nothing, such as ``{"relation": "works_at"}``.
            judge: False for a table that is right about every lifetime: they all stand as they are
                given. With True single-valued relations hold one value at a time here too.
            batch: Rows of one transaction.
            on_error: At a row that cannot be used ``stop`` raises; ``skip`` names it in the report.
            source: Where the table comes from, for rows that do not say it themselves.
            on_progress: Called after each batch.

        Raises:
            InputError: naming the row and the column that cannot be used; nothing of its batch was
                written, the batches before it stay.
            PolicyError, TransactionError: if the write policy or the database refused a batch.
        """
        checked_columns(defaults or {})
        return await load_rows(
            rows,
            self._handle.session,
            self._group,
            columns=columns,
            defaults=defaults,
            judge=judge,
            batch=batch,
            skip=on_error == "skip",
            source=source,
            on_progress=on_progress,
        )

    async def seed(
        self, known: Known, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add facts about some entities from a dictionary; all of them, or none.

        ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``; an object may be a mapping
        with the columns of ``facts``: ``{"object": "Acme", "valid_at": "2021-03"}``. Where the
        relation has one value at a time, each of several needs its own start. Seeding the same
        again adds nothing.

        Args:
            known: Relations and objects by subject.
            reference_time: When this was so; default: the start of what has no time is unknown.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the subject and the relation that cannot be used.
            PolicyError: if the write policy refused; nothing was written in either case.
        """
        into = self._handle.session, self._group
        return await seed(known, *into, reference_time=reference_time, source=source)

    async def documents(
        self,
        paths: Paths,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        author: str | None = None,
        saga: str | None = None,
        on_error: OnError = "skip",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BatchReport:
        """Add files of text, Markdown, JSON or JSON Lines, and those of folders, as episodes.

        They are cut and dated as ``surreal-graphrag add`` does. Adding them again changes nothing.

        Args:
            paths: Files, or folders of text files; a link in one is followed if it stays there.
            reference_time: When they were written. Default: the date of each record, of a file's
                front matter, mail header, name or first line, else when it was changed last.
            source: Where they come from, for people; default: the name or path in its folder.
            author: Who wrote them: whom "I" means in a note.
            saga: Name of the run of episodes that they belong to.
            on_error: ``skip`` leaves out a file or an episode that fails, named in
                ``BatchReport.failed``; ``stop`` raises at the first.
            on_progress: Called after each episode.

        Raises:
            EpisodeError: if none of the files can be read, or with ``stop`` one cannot.
            GraphRAGError: as ``add_episodes``.
        """
        from graphrag.io.documents import add_documents

        return await add_documents(
            _paths(paths),
            self._handle.session,
            self._group,
            reference_time=reference_time,
            source=source,
            author=author,
            saga=saga,
            on_error=on_error,
            on_progress=on_progress,
        )

    async def contacts(
        self, contacts: Contacts, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add the people of an address book and where they work.

        ``contacts`` is a vCard file, a CSV file with a header, or dictionaries with ``name``,
        ``email``, ``phone``, ``company``, ``title``, ``aliases``. Nothing is written unless every
        contact can be read; importing the same again adds nothing.

        Args:
            contacts: The address book.
            reference_time: When this was so; default: the start of each job is unknown.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the contact that cannot be used.
            MissingExtraError: for a vCard file without the extra ``interchange``.
            PolicyError: if the write policy refused.
        """
        stated = partial(contact_facts, reference_time=reference_time, source=source)
        read = read_contacts(contacts)
        records = [
            (list(stated(contact, place)), [contact_end(contact)]) for place, contact in read
        ]
        return await tell_records(records, self._handle.session, self._group, "import_contacts")

    async def calendar(
        self,
        calendar: Calendar,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        time_zone: str | None = None,
        source: str | None = None,
    ) -> ImportReport:
        """Add meetings, who attended them, and where they took place.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting is an entity named with its day, and its
        facts hold while it lasts. Of a repeated one each meeting is added, at most 1,000; cancelled
        ones and those who declined are left out. Importing the same again adds nothing, and nothing
        is written unless every meeting can be read.

        Args:
            calendar: The meetings.
            since: The earliest repeated meeting to add. Default: the first one.
            until: The first moment that is too late for a repeated meeting. Default: in a year.
            time_zone: Of times that name none, such as ``Europe/Oslo``. Default: the file's; if it
                says nothing such times are an error.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the meeting that cannot be used.
            MissingExtraError: for an iCalendar file without the extra ``interchange``.
            PolicyError: if the write policy refused.
        """
        horizon = Horizon.of(since, until, time_zone)
        read = read_meetings(calendar, horizon)
        records: list[Record] = [
            (list(meeting_facts(meeting, place, source=source)), []) for place, meeting in read
        ]
        return await tell_records(records, self._handle.session, self._group, "import_calendar")

    async def memory(
        self, paths: Paths, *, of: Of | None = None, one_group: bool = False, judge: bool = False
    ) -> MemoryReport:
        """Import an export of Graphiti, Zep or Mem0: episodes, entities, facts, all dates.

        Importing the same again changes nothing. What does not come in is in the report, with the
        reason; nothing is written unless every file can be read.

        Args:
            paths: Files of JSON or JSON Lines, or a folder of them (links as in ``documents``).
            of: ``graphiti``, ``zep`` or ``mem0``; default: what the records look like.
            one_group: All into this group. Default: each of theirs into one of its name, what has
                none into this.
            judge: True lets facts end each other by the rules here. Default: they stand as given.

        Raises:
            InputError: if a file cannot be read or recognised, or a group's name is none here.
            PolicyError: if the write policy refused; what was written before stays.
        """
        from graphrag.io.memories.importer import bring
        from graphrag.io.memories.recognise import read_memory

        found, into = read_memory(_paths(paths), of), self._handle.session
        return await bring(found, into, self._group, one_group=one_group, judge=judge)

    async def group(
        self,
        file: str | PathLike[str],
        name: str | None = None,
        *,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> ImportedGroup:
        """Recreate a group from a ``jsonl`` export: same rows, vectors, log and past.

        All or nothing; until the last row the group is closed to everybody. Vectors of another
        embedder are made anew. Where the store has these ids already, the group gets its own. The
        policy is not asked.

        Args:
            file: What ``export.file`` wrote.
            name: Of the group; default: its own.
            on_progress: Called after each page.

        Raises:
            InputError: if the file cannot be used, naming the line, or there is such a group.
            StoreError: if the database refused.
        """
        from graphrag.io.jsonl.group_file import import_group

        if name is not None:
            checked_group(name)
        found = await import_group(
            Path(file), self._handle.session, name=name, on_progress=on_progress
        )
        await self._handle.queue.resume()  # its queued episodes may wait to be read
        return found


def _paths(given: Paths) -> list[Path]:
    return [Path(path) for path in ([given] if isinstance(given, str | PathLike) else given)]
