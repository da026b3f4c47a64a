"""``import``: tables of facts, networks, address books, calendars, and whole graphs."""

import asyncio
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.moments import moment
from graphrag.cli.progress import Told
from graphrag.cli.render import line, table
from graphrag.cli.session import PANEL, Session, Stopped
from graphrag.cli.whole import import_whole
from graphrag.errors import GraphRAGError, InputError

if TYPE_CHECKING:
    from datetime import datetime

    from graphrag.direct.survey import Survey
    from graphrag.direct.told import ImportReport
    from graphrag.graph import GraphRAG


class Kind(StrEnum):
    """What a file holds."""

    FACTS = "facts"
    CONTACTS = "contacts"
    CALENDAR = "calendar"


_KINDS = {".vcf": Kind.CONTACTS, ".ics": Kind.CALENDAR}


@dataclass(frozen=True, slots=True)
class _Wanted:
    """How the files are to be read."""

    columns: dict[str, str]
    judge: bool
    batch: int
    source: str | None
    reference_time: "datetime | None"
    since: "datetime | None"
    until: "datetime | None"
    time_zone: str | None


async def import_files(
    session: Session,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Facts as .csv, .tsv, .json, .jsonl or .graphml; contacts as .vcf; meetings as "
            ".ics; a whole graph as `export` writes it to .jsonl.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        Kind | None,
        typer.Option("--as", help="What the files hold. Default: by their endings."),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS",
            help="What the table calls a column, such as subject=Employee; may be repeated. Other "
            "columns are then left out.",
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Where it comes from, for people.")] = None,
    judge: Annotated[
        bool,
        typer.Option(
            "--judge/--as-given",
            help="Let new facts end older ones, or take every lifetime of the table as right.",
        ),
    ] = True,
    batch: Annotated[int, typer.Option(metavar="N", help="Rows of one transaction.")] = 1000,
    reference_time: Annotated[
        str | None, typer.Option(metavar="DATE", help="When the contacts were so.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="The earliest repeated meeting.")
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="DATE", help="No repeated meeting from here on; default: in a year."),
    ] = None,
    time_zone: Annotated[
        str | None, typer.Option(metavar="ZONE", help="Of meetings that name none.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help="Graph inside the store. Default: default, and of a whole graph its own name.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, and write nothing.")
    ] = False,
) -> None:
    """Tell facts, contacts or meetings from files; the same ones again change nothing."""
    wanted = _Wanted(
        _columns(column or []),
        judge,
        batch,
        source,
        moment(reference_time, "--reference-time"),
        moment(since, "--since"),
        moment(until, "--until"),
        time_zone,
    )
    kinds = {file: kind or _KINDS.get(file.suffix.casefold(), Kind.FACTS) for file in files}
    if wanted.columns and set(kinds.values()) != {Kind.FACTS}:
        raise InputError("--column is for tables of facts: import the other files on their own")
    for file in files:
        if not file.is_file():
            raise InputError(f"there is no file {file}")
    if kind is None and (whole := [file for file in files if _is_whole(file)]):
        if len(files) > 1:
            raise InputError(f"{whole[0]} is a whole graph: import it on its own")
        await import_whole(session, whole[0], group, dry_run=dry_run)
        return
    session = replace(session, group=group or session.group)
    if dry_run:
        _show_survey(session, {file: _survey(file, kinds[file], wanted) for file in files})
        return
    began = time.perf_counter()
    done: dict[Path, ImportReport] = {}
    with Told(session.err) as told:
        try:
            async with session.graph(create=True) as graph:
                for file in files:
                    told.begin(file.name)
                    done[file] = await _import(graph, file, kinds[file], wanted, session, told)
        except asyncio.CancelledError:
            raise Stopped(f"{_kept(told)}; run the same command again to continue") from None
        except GraphRAGError as error:
            if done:
                error.add_note(f"of the files before, {_kept(told)}")
            raise
    _show(session, done, time.perf_counter() - began)


def _is_whole(file: Path) -> bool:
    from graphrag.jsonl.lines import is_whole_group

    return is_whole_group(file)


def _kept(told: Told) -> str:
    return f"{told.rows} rows are in the graph"


def _columns(given: Iterable[str]) -> dict[str, str]:
    columns = {}
    for one in given:
        ours, mark, theirs = one.partition("=")
        if not mark or not ours.strip() or not theirs.strip():
            raise InputError(f"--column {one!r} is no OURS=THEIRS, such as subject=Employee")
        columns[ours.strip()] = theirs.strip()
    return columns


async def _import(
    graph: "GraphRAG", file: Path, kind: Kind, wanted: _Wanted, session: Session, told: Told
) -> "ImportReport":
    source, group = wanted.source or file.name, session.group
    if kind is Kind.CONTACTS:
        report = await graph.import_contacts(
            file, reference_time=wanted.reference_time, source=source, group=group
        )
    elif kind is Kind.CALENDAR:
        report = await graph.import_calendar(
            file,
            since=wanted.since,
            until=wanted.until,
            time_zone=wanted.time_zone,
            source=source,
            group=group,
        )
    else:
        return await graph.import_facts(
            file,
            columns=wanted.columns,
            judge=wanted.judge,
            batch=wanted.batch,
            source=source,
            on_progress=told,
            group=group,
        )
    told(report)
    return report


def _survey(file: Path, kind: Kind, wanted: _Wanted) -> "Survey":
    from graphrag.direct.files import read_rows
    from graphrag.direct.network import NetworkRows, is_network
    from graphrag.direct.survey import survey, without_vectors
    from graphrag.facade.records import horizon_of
    from graphrag.readers.calendar import meeting_facts, read_meetings
    from graphrag.readers.contacts import contact_facts, read_contacts

    if kind is Kind.FACTS:
        network = NetworkRows.of(file, wanted.columns) if is_network(file) else None
        rows = read_rows(file, wanted.columns) if network is None else network.rows()
        return survey(without_vectors(rows))
    if kind is Kind.CONTACTS:
        return survey(
            fact
            for place, one in read_contacts(file)
            for fact in contact_facts(one, place, reference_time=wanted.reference_time, source=None)
        )
    horizon = horizon_of(wanted.since, wanted.until, wanted.time_zone)
    return survey(
        fact
        for place, one in read_meetings(file, horizon)
        for fact in meeting_facts(one, place, source=None)
    )


def _show_survey(session: Session, found: "dict[Path, Survey]") -> None:
    if session.json:
        session.show_json(
            [
                {
                    "file": str(file),
                    "facts": one.rows,
                    "names": len(one.names),
                    "relations": dict(one.relations.most_common()),
                    "examples": one.examples,
                }
                for file, one in found.items()
            ]
        )
        return
    rows: list[Sequence[str]] = [
        (
            file.name,
            str(one.rows),
            str(len(one.names)),
            ", ".join(f"{name} {count}" for name, count in one.relations.most_common(5)),
        )
        for file, one in found.items()
    ]
    session.show(table("Would be told", "", ">facts", ">names", "relations", rows=rows))
    for one in found.values():
        for example in one.examples:
            session.show(line(f"  {example}"))
    session.show(line("nothing was written (--dry-run)"))


def _show(session: Session, done: "dict[Path, ImportReport]", seconds: float) -> None:
    totals = {
        name: sum(getattr(report, name) for report in done.values())
        for name in ("rows", "facts", "repeated", "entities", "changed")
    }
    if session.json:
        session.show_json({"group": session.group, **totals, "seconds": round(seconds, 3)})
        return
    if not totals["facts"] and not totals["entities"] and not totals["changed"]:
        session.show(line(f"nothing new: all of {totals['rows']} rows was in the graph"))
        return
    named = {
        "rows": "rows read",
        "facts": "new facts",
        "repeated": "facts known before",
        "entities": "new entities",
        "changed": "older facts changed",
    }
    rows = [(words, str(totals[name])) for name, words in named.items()]
    session.show(table("Imported", "", ">", rows=[*rows, ("seconds", f"{seconds:.1f}")]))
