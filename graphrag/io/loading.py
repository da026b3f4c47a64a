"""Bring in what is known: tables, contacts, calendars, whole graphs; no model reads them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphrag.ingest.batch import BatchReport, OnError, Progress, checked_on_error
from graphrag.ingest.direct_plan import ImportReport
from graphrag.ingest.intake import checked_group
from graphrag.io.batches import Known, Record, seeded, tell_records
from graphrag.io.calendar import Calendar, meeting_facts, read_meetings
from graphrag.io.contacts import Contacts, contact_end, contact_facts, read_contacts
from graphrag.io.fact_rows import checked_columns
from graphrag.io.recurrence import Horizon
from graphrag.io.tables import Columns, Rows
from graphrag.model.arguments import checked
from graphrag.session import Handle
from graphrag.temporal.moment import Moment

if TYPE_CHECKING:
    from graphrag.io.copy_group import CopyProgress
    from graphrag.io.jsonl.restore import ImportedGroup


@checked(door="graph.load")
class Load:
    """What brings in facts as they are known: ``graph.load``; people go by e-mail, then by name."""

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
        """Tell many facts, one transaction for each batch, thousands a second.

        ``rows`` is a path (``.csv``, ``.tsv``, ``.json``, ``.jsonl``), a data frame, or any rows
        with named columns, taken as a stream: ``subject``, ``relation``, ``object``, and if wanted
        ``valid_at``, ``invalid_at``, ``reference_time``, ``observed`` (whether ``valid_at`` is only
        when it was first seen to hold), ``text``, ``confidence``, ``source``, ``provenance``,
        ``subject_type``, ``object_type``, ``attributes``, ``subject_attributes``,
        ``object_attributes``, ``attributes.NAME`` of the fact or, as ``subject_attributes.NAME``,
        of an end, and precomputed vectors as ``embedding``,
        ``subject_embedding`` and ``object_embedding``. Empty cells are as good as none. A network
        (``.graphml``, networkx) gives nodes as entities and edges as facts.

        Facts are added in the order of the rows. Importing the same rows again adds nothing; a fact
        that was retracted meanwhile stays retracted. Summaries of entities follow at the end.

        Args:
            rows: The table.
            columns: What the table calls a column, such as ``{"subject": "Employee"}``. Columns
                that are not named and not known are then left out, and an error otherwise.
            defaults: What stands where a row has nothing, such as ``{"relation": "works_at"}`` for
                a table without such a column.
            judge: False for a table that is right about every lifetime: they all stand as they are
                given, and nothing closes anything. With True single-valued relations hold one value
                at a time here too; other relations keep all their lifetimes either way.
            batch: Rows of one transaction.
            on_error: ``stop`` raises at the first row that cannot be used, with a note of how many
                are in the graph. ``skip`` leaves it out, named in ``ImportReport.skipped``.
            source: Where the table comes from, for rows that do not say it themselves.
            on_progress: Called after each batch with what was done so far.

        Raises:
            InputError: naming the row and the column that cannot be used; nothing of its batch was
                written, the batches before it stay.
            PolicyError: if the write policy refused a batch.
            TransactionError: if the database refused a batch.
        """
        from graphrag.io.batches import load_rows

        checked_columns(defaults or {})
        checked_on_error(on_error)
        return await load_rows(
            rows,
            self._handle.session.ingestion,
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
        self,
        known: Known,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
    ) -> ImportReport:
        """Tell what is known of some entities, as a dictionary; all of it, or nothing.

        ``{"Alice": {"works_at": "Acme", "likes": ["tea", "chess"]}}``; in the place of an object
        there may be a mapping with the columns of ``facts``, such as
        ``{"object": "Acme", "valid_at": "2021-03"}``. A list gives several objects; where the
        relation has one value at a time, each needs its own start. Seeding the same again adds
        nothing.

        Args:
            known: Relations and objects by subject.
            reference_time: When this was so; default: facts without a time of their own have an
                unknown start.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the subject and the relation that cannot be used.
            PolicyError: if the write policy refused; in every case nothing was written.
        """
        from graphrag.ingest.write import DirectWriter
        from graphrag.io.batches import load

        ingestion = self._handle.session.ingestion
        facts = list(
            seeded(
                known,
                ingestion.relations,
                reference_time=reference_time,
                source=source,
                dimension=ingestion.embedder.dimension,
            )
        )
        writer = DirectWriter.to(ingestion, self._group, "seed", once=True)
        return await load(facts, writer, batch=max(1, len(facts)), total=len(facts))

    async def documents(
        self,
        paths: str | PathLike[str] | Sequence[str | PathLike[str]],
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
        author: str | None = None,
        saga: str | None = None,
        on_error: OnError = "skip",
        on_progress: Callable[[Progress], None] | None = None,
    ) -> BatchReport:
        """Add files of text, Markdown, JSON or JSON Lines, and those of folders, as episodes.

        They are cut into parts and dated as ``surreal-graphrag add`` does it. Adding them again
        changes nothing.

        Args:
            paths: A file or a folder, or several; of a folder the files that hold text by their
                names, by name, none that is hidden.
            reference_time: When they were written. Default: the date of each record, else that in
                a file's front matter, name or first line, else when it was changed last.
            source: Where they come from, for people; default: the name of each file.
            author: Who wrote them: whom "I" means in a note.
            saga: Name of the run of episodes that they belong to.
            on_error: ``skip`` leaves out a file that is empty or cannot be read and an episode that
                fails, named in ``BatchReport.failed``; ``stop`` raises at the first.
            on_progress: Called after each episode.

        Raises:
            EpisodeError: if none of the files can be read, or with ``stop`` one cannot; nothing
                was written.
            GraphRAGError: as ``add_episodes``.
        """
        from graphrag.io.documents import add_documents

        checked_on_error(on_error)
        given = [paths] if isinstance(paths, str | PathLike) else paths
        return await add_documents(
            [Path(path) for path in given],
            self._handle.session.ingestion,
            self._group,
            reference_time=reference_time,
            source=source,
            author=author,
            saga=saga,
            on_error=on_error,
            on_progress=on_progress,
        )

    async def contacts(
        self,
        contacts: Contacts,
        *,
        reference_time: Moment | None = None,
        source: str | None = None,
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
        return await tell_records(
            records, self._handle.session.ingestion, self._group, "import_contacts"
        )

    async def calendar(
        self,
        calendar: Calendar,
        *,
        since: Moment | None = None,
        until: Moment | None = None,
        time_zone: str | None = None,
        source: str | None = None,
    ) -> ImportReport:
        """Tell which meetings there were, who attended them, and where.

        ``calendar`` is an iCalendar file, or dictionaries with ``name``, ``start``, ``end``,
        ``location``, ``organizer``, ``attendees`` (names, e-mail addresses, or dictionaries with
        ``name`` and ``email``) and ``uid``. A meeting is an entity named with its day, and its
        facts hold for as long as it lasts. Of a repeated one each meeting is added, at most 1,000;
        cancelled ones and those who declined are left out. Importing the same again adds nothing.
        Nothing is written unless every meeting can be read.

        Args:
            calendar: The meetings.
            since: The earliest repeated meeting to tell. Default: the first one.
            until: The first moment that is too late for a repeated meeting. Default: in a year.
            time_zone: Where the times are that name no zone, such as ``Europe/Oslo``. Default: what
                the file says; if it says nothing such times are an error.
            source: Where it comes from, for people.

        Raises:
            InputError: naming the meeting that cannot be used.
            PolicyError: if the write policy refused.
        """
        horizon = Horizon.of(since, until, time_zone)
        records: list[Record] = [
            (list(meeting_facts(one, place, source=source)), [])
            for place, one in read_meetings(calendar, horizon)
        ]
        return await tell_records(
            records, self._handle.session.ingestion, self._group, "import_calendar"
        )

    async def group(
        self,
        file: str | PathLike[str],
        name: str | None = None,
        *,
        on_progress: Callable[[CopyProgress], None] | None = None,
    ) -> ImportedGroup:
        """Make a graph of the store from a ``jsonl`` export: same rows, vectors, log and past.

        Nothing is written before the file was read to its end. Until the last row the group is
        closed to everybody; whatever goes wrong, nothing is left of it. Vectors of another embedder
        are made anew. Where the store has these ids already, the group gets its own. The policy is
        not asked.

        Args:
            file: What ``export.file`` wrote.
            name: Of the group; default: the one that it had.
            on_progress: Called after each page.

        Raises:
            InputError: if the file cannot be used, naming the line, or there is such a group.
            StoreError: if the database refused.
        """
        from graphrag.io.jsonl.restore import import_group

        if name is not None:
            checked_group(name)
        found = await import_group(
            Path(file), self._handle.session.ingestion, name=name, on_progress=on_progress
        )
        await self._handle.session.queue.resume()  # its queued episodes may wait to be read
        return found
