"""Tables of facts, networks, address books and calendars: imported, or only surveyed."""

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import typer

from graphrag.cli.progress import RowBar
from graphrag.cli.render import line, table, tally
from graphrag.cli.terminal import Session, Stopped
from graphrag.errors import GraphRAGError

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.ingest.reports import ImportReport
    from graphrag.io.tables import Survey

Kind = Literal["facts", "contacts", "calendar", "graphiti", "zep", "mem0"]
OnError = Literal["stop", "skip"]
NOT_WRITTEN = "nothing was written (--dry-run)"
_SHOWN = 20
"""Rows that are named one by one."""


@dataclass(frozen=True, slots=True)
class FileOptions:
    """How the files are to be read."""

    columns: Mapping[str, str]
    defaults: Mapping[str, str]
    judge: bool
    batch: int
    on_error: OnError
    source: str | None
    reference_time: datetime | None
    since: datetime | None
    until: datetime | None
    time_zone: str | None


async def import_tables(session: Session, kinds: Mapping[Path, Kind], options: FileOptions) -> None:
    """Import files one after another; the exit code is 1 if a row was left out."""
    began = time.perf_counter()
    reports: list[ImportReport] = []
    with RowBar(session.err, "loading models", bounded=False) as bar:
        try:
            async with session.graph(create=True) as graph:
                for file, kind in kinds.items():
                    bar.begin(file.name)
                    reports.append(await _load(graph, file, kind, options, bar))
        except asyncio.CancelledError:
            kept = f"{bar.rows} rows are in the graph"
            raise Stopped(f"{kept}; run the same command again to continue") from None
        except GraphRAGError as error:
            if reports:
                error.add_note(f"of the files before, {bar.rows} rows are in the graph")
            raise
    _show(session, reports, time.perf_counter() - began)
    if skipped := [row for report in reports for row in report.skipped]:
        if session.debug:
            raise skipped[0].error
        for row in skipped[:_SHOWN]:
            session.note(f"skipped: {row.error}")
        if len(skipped) > _SHOWN:
            session.note(f"and {len(skipped) - _SHOWN} more")
        raise typer.Exit(1)


async def _load(
    graph: "GraphRAG", file: Path, kind: Kind, options: FileOptions, bar: RowBar
) -> "ImportReport":
    source = options.source or file.name
    if kind == "contacts":
        report = await graph.load.contacts(
            file, reference_time=options.reference_time, source=source
        )
    elif kind == "calendar":
        report = await graph.load.calendar(
            file,
            since=options.since,
            until=options.until,
            time_zone=options.time_zone,
            source=source,
        )
    else:
        return await graph.load.facts(
            file,
            columns=options.columns,
            defaults=options.defaults,
            judge=options.judge,
            batch=options.batch,
            on_error=options.on_error,
            source=source,
            on_progress=bar,
        )
    bar(report)
    return report


def _show(session: Session, reports: "list[ImportReport]", seconds: float) -> None:
    totals = {
        name: sum(getattr(report, name) for report in reports)
        for name in ("rows", "facts", "repeated", "entities", "changed", "contested")
    }
    skipped = sum(len(report.skipped) for report in reports)
    shown = tally(
        "Imported",
        {
            "rows read": totals["rows"],
            "new facts": totals["facts"],
            "facts known before": totals["repeated"],
            "new entities": totals["entities"],
            "older facts changed": totals["changed"],
            "contested at once": totals["contested"] or None,
            "rows skipped": skipped or None,
            "seconds": f"{seconds:.1f}",
        },
    )
    if not skipped and not (totals["facts"] or totals["entities"] or totals["changed"]):
        shown = line(f"nothing new: all of {totals['rows']} rows was in the graph")
    counts = {"group": session.group, **totals, "skipped": skipped, "seconds": round(seconds, 3)}
    session.answer(counts, shown)


def _survey(file: Path, kind: Kind, options: FileOptions) -> "Survey":
    """Read a file to its end, and count what would be added.

    Raises:
        InputError: naming what cannot be used.
    """
    from graphrag.io.calendar import meeting_facts, read_meetings
    from graphrag.io.contacts import contact_facts, read_contacts
    from graphrag.io.fact_rows import checked_columns
    from graphrag.io.ics import Horizon
    from graphrag.io.network import NetworkRows, is_network
    from graphrag.io.tables import read_rows, survey, without_vectors

    if kind == "facts":
        network = NetworkRows.of(file, options.columns) if is_network(file) else None
        rows = read_rows(file, options.columns) if network is None else network.rows()
        checked_columns(options.defaults)
        return survey(without_vectors(rows, options.defaults))
    if kind == "contacts":
        when = options.reference_time
        return survey(
            fact
            for place, contact in read_contacts(file)
            for fact in contact_facts(contact, place, reference_time=when, source=None)
        )
    horizon = Horizon.of(options.since, options.until, options.time_zone)
    return survey(
        fact
        for place, meeting in read_meetings(file, horizon)
        for fact in meeting_facts(meeting, place, source=None)
    )


def show_surveys(session: Session, kinds: Mapping[Path, Kind], options: FileOptions) -> None:
    """Read files to their ends and show what would be added; nothing is written."""
    surveys = {file: _survey(file, kind, options) for file, kind in kinds.items()}
    rows = (
        (
            file.name,
            str(survey.rows),
            str(len(survey.names)),
            ", ".join(f"{name} {count}" for name, count in survey.relations.most_common(5)),
        )
        for file, survey in surveys.items()
    )
    session.answer(
        [
            {
                "file": str(file),
                "facts": survey.rows,
                "names": len(survey.names),
                "relations": dict(survey.relations.most_common()),
                "examples": survey.examples,
            }
            for file, survey in surveys.items()
        ],
        table("Would be added", "", ">facts", ">names", "relations", rows=rows),
        *(line(f"  {text}") for survey in surveys.values() for text in survey.examples),
        line(NOT_WRITTEN),
    )
