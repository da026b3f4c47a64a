"""Import of known facts, documents, exports of other memories, and whole groups."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.ingest.batch import OnError, add_all
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
    """Imports into a group: ``graph.load``. People are matched by e-mail address, then by name."""

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
        """Add many facts from a table, one transaction per batch, thousands per second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or an iterable
        of rows with named columns, read as a stream. Columns are ``subject``, ``relation``,
        ``object``, and optionally ``valid_at``, ``invalid_at``, ``reference_time``, ``observed``
        (``valid_at`` is only the first observation), ``text``, ``confidence``, ``source``,
        ``provenance``; types as ``subject_type``, ``attributes`` (or ``attributes.NAME``) of the
        fact and ``subject_attributes`` of an end, vectors as ``embedding``, ``subject_embedding``.
        A network (``.graphml``, networkx) gives nodes as entities and edges as facts.

        Importing the same rows again adds nothing, and retracted facts stay retracted.

        Args:
            rows: The table.
            columns: Names in the table by column, such as ``{"subject": "Employee"}``; other
                unknown columns are then ignored.
            defaults: Values for missing cells, such as ``{"relation": "works_at"}``.
            judge: False for a table with exact lifetimes, which are stored unchanged. With True,
                single-valued relations hold one value at a time, as elsewhere.
            batch: Number of rows in a transaction.
            on_error: For an invalid row ``stop`` raises, and ``skip`` lists it in the report.
            source: Origin of the table, for rows without a source.
            on_progress: Called after each batch.

        Raises:
            InputError: if a row is invalid; the message names row and column. Its batch was not
                written; earlier batches stay.
            PolicyError, TransactionError: if the write policy or the database refused a batch.
        """
        checked_columns(defaults or {})
        into, skip = (self._handle.session, self._group), on_error == "skip"
        return await load_rows(
            rows, *into, columns, defaults, judge, batch, skip, source, on_progress
        )

    async def seed(
        self, known: Known, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add facts about some entities from a dictionary, in one transaction.

        Example: ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``. An object may be a
        mapping with the columns of ``facts``: ``{"object": "Acme", "valid_at": "2021-03"}``.
        Several values of a single-valued relation need a start each. Seeding the same facts again
        adds nothing.

        Args:
            known: Relations and their objects, by subject.
            reference_time: When the facts held; default: facts without a time have an unknown
                start.
            source: Origin of the data, for people.

        Raises:
            InputError: if an entry is invalid; the message names the subject and the relation.
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
        """Add files and folders of text, Markdown, JSON or JSON Lines as episodes.

        Files are split and dated as by ``surreal-graphrag add``. Adding them again changes nothing.

        Args:
            paths: Files or folders of text files; a link is followed if it stays in its folder.
            reference_time: When they were written. Default: the date of each record, else the date
                in the front matter, mail header, name or first line, else the time of the last
                change.
            source: Origin of the files, for people; default: the name or path in its folder.
            author: Name of the author: the person that "I" means in a note.
            saga: Name of the sequence of episodes that they belong to.
            on_error: ``skip`` lists a failing file or episode in ``BatchReport.failed`` and goes
                on; ``stop`` raises.
            on_progress: Called after each episode.

        Raises:
            EpisodeError: if no file can be read, or with ``stop`` if one cannot.
            GraphRAGError: as for ``add_episodes``.
        """
        from graphrag.io.documents import Document, read_document
        from graphrag.io.folders import read_files

        read = partial(
            read_document,
            reference_time=reference_time,
            source_description=source,
            author=author,
        )
        documents, unread = await asyncio.to_thread(read_files, _paths(paths), read)
        if unread and on_error == "stop":
            raise unread[0].error
        every = Document(
            "documents",
            sum(map(len, documents)),
            lambda: (replace(episode, saga=saga) for document in documents for episode in document),
        )
        into = self._handle.session, every, self._group
        report = await add_all(*into, on_progress=on_progress, on_error=on_error)
        report.failed[:0] = unread
        return report

    async def contacts(
        self, contacts: Contacts, *, reference_time: Moment | None = None, source: str | None = None
    ) -> ImportReport:
        """Add the people of an address book and where they work.

        ``contacts`` is a vCard file, a CSV file with a header, or dictionaries with ``name``,
        ``email``, ``phone``, ``company``, ``title``, ``aliases``. Nothing is written if a contact
        is invalid. Importing the same contacts again adds nothing.

        Args:
            contacts: The address book.
            reference_time: When the jobs were held; default: their starts are unknown.
            source: Origin of the data, for people.

        Raises:
            InputError: if a contact is invalid; the message names it.
            MissingExtraError: if a vCard file is given without the extra ``interchange``.
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
        """Add the meetings of a calendar, with their attendees and places.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting becomes an entity named with its day, and its
        facts hold while it lasts. A repeated meeting is added once for each date, at most 1,000
        times. Cancelled meetings and people who declined are left out. Importing the same calendar
        again adds nothing. Nothing is written if a meeting is invalid.

        Args:
            calendar: The meetings.
            since: Earliest date of a repeated meeting. Default: its first one.
            until: End (exclusive) of the dates of a repeated meeting. Default: in a year.
            time_zone: Zone of times without one, such as ``Europe/Oslo``. Default: that of the
                file; without one, such times are an error.
            source: Origin of the data, for people.

        Raises:
            InputError: if a meeting is invalid; the message names it.
            MissingExtraError: if an iCalendar file is given without the extra ``interchange``.
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
        """Import an export of Graphiti, Zep or Mem0: episodes, entities and facts with all dates.

        Importing the same export again changes nothing. The report lists the records that were left
        out, with reasons. Nothing is written unless every file can be read.

        Args:
            paths: JSON or JSON Lines files, or a folder of them (links as for ``documents``).
            of: ``graphiti``, ``zep`` or ``mem0``; default: detected from the records.
            one_group: Whether all groups of the export go into this group. Default: each goes into
                a group of the same name, and records without a group into this one.
            judge: Whether facts may end each other by the rules of this graph. Default: no.

        Raises:
            InputError: if a file cannot be read or recognised, or the name of a group is invalid.
            PolicyError: if the write policy refused; earlier writes stay.
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
        """Restore a group from a ``jsonl`` export: same rows, vectors, log and past.

        The group cannot be read until it is complete, and an error removes it. Vectors of another
        embedder are computed again. If the store already has these ids, the group gets new ones.
        The policy is not applied.

        Args:
            file: A file written by ``export.file``.
            name: Name of the group; default: the one in the file.
            on_progress: Called after each page.

        Raises:
            InputError: if the file is invalid (the message gives the line), or the group exists.
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
