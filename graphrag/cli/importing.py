"""``import``: tables of facts, networks, address books, calendars, and whole graphs."""

import asyncio
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.memories import import_memory, memory_of
from graphrag.cli.moments import moment
from graphrag.cli.moving import import_whole
from graphrag.cli.preview import KINDS, Kind, OnError, Wanted, show_survey, survey_of
from graphrag.cli.progress import Imported
from graphrag.cli.render import line, table
from graphrag.cli.terminal import PANEL, Session, Stopped
from graphrag.errors import GraphRAGError, InputError

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.ingest.results import ImportReport

_SHOWN = 20
"""Rows that are named one by one."""


async def import_files(
    session: Session,
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE...",
            help="Facts as .csv, .tsv, .json, .jsonl or .graphml; contacts as .vcf; meetings as "
            ".ics; a whole graph as `export` writes it to .jsonl; what Graphiti, Zep or Mem0 "
            "exported as JSON, or a folder of that.",
            show_default=False,
        ),
    ],
    kind: Annotated[
        Kind | None,
        typer.Option(
            "--as", "--from", help="What the files hold, or whose they are. Default: as they look."
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=THEIRS",
            help="What the table calls a column, such as subject=Employee; may be repeated. Other "
            "columns are then left out.",
        ),
    ] = None,
    relation: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Relation of every row that names none, such as works_at."
        ),
    ] = None,
    default: Annotated[
        list[str] | None,
        typer.Option(
            metavar="OURS=VALUE",
            help="What stands where a row has nothing, such as object_type=organization; may be "
            "repeated.",
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Where it comes from, for people.")] = None,
    judge: Annotated[
        bool | None,
        typer.Option(
            "--judge/--as-given",
            help="Let new facts end older ones (default for tables), or take every lifetime as "
            "right (default for exports of other memories).",
            show_default=False,
        ),
    ] = None,
    batch: Annotated[int, typer.Option(metavar="N", help="Rows of one transaction.")] = 1000,
    on_error: Annotated[
        OnError, typer.Option(help="Stop at a row that cannot be used, or leave it out.")
    ] = OnError.STOP,
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
            help="Graph inside the store. Default: default, and of a whole graph or another memory "
            "as it is called there.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Read everything, and write nothing.")
    ] = False,
) -> None:
    """Tell facts, contacts or meetings from files, or bring in what another memory exported.

    The same files again change nothing. A record that cannot come in is named, with the reason.
    """
    wanted = Wanted(
        _pairs(column or [], "--column", "OURS=THEIRS, such as subject=Employee"),
        _pairs(default or [], "--default", "OURS=VALUE, such as object_type=organization")
        | ({} if relation is None else {"relation": relation}),
        judge is not False,
        batch,
        on_error,
        source,
        moment(reference_time, "--reference-time"),
        moment(since, "--since"),
        moment(until, "--until"),
        time_zone,
    )
    kinds = {file: kind or KINDS.get(file.suffix.casefold(), Kind.FACTS) for file in files}
    for option, given in (("--column", column), ("--relation", relation), ("--default", default)):
        if given and set(kinds.values()) != {Kind.FACTS}:
            raise InputError(
                f"{option} is for tables of facts: import the other files on their own"
            )
    for file in files:
        if not file.exists():
            raise InputError(f"there is no file {file}")
    if kind is None and (whole := [file for file in files if _is_whole(file)]):
        if len(files) > 1:
            raise InputError(f"{whole[0]} is a whole graph: import it on its own")
        await import_whole(session, whole[0], group, dry_run=dry_run)
        return
    if of := memory_of(files, kind):
        await import_memory(session, files, of, group, judge=judge is True, dry_run=dry_run)
        return
    session = replace(session, group=group or session.group)
    if dry_run:
        show_survey(session, {file: survey_of(file, kinds[file], wanted) for file in files})
        return
    began = time.perf_counter()
    done: dict[Path, ImportReport] = {}
    with Imported(session.err) as progress:
        try:
            async with session.graph(create=True) as graph:
                for file in files:
                    progress.begin(file.name)
                    done[file] = await _import(graph, file, kinds[file], wanted, session, progress)
        except asyncio.CancelledError:
            raise Stopped(f"{_kept(progress)}; run the same command again to continue") from None
        except GraphRAGError as error:
            if done:
                error.add_note(f"of the files before, {_kept(progress)}")
            raise
    _show(session, done, time.perf_counter() - began)
    if skipped := [row for report in done.values() for row in report.skipped]:
        if session.debug:
            raise skipped[0].error
        for row in skipped[:_SHOWN]:
            session.note(f"skipped: {row.error}")
        if len(skipped) > _SHOWN:
            session.note(f"and {len(skipped) - _SHOWN} more")
        raise typer.Exit(1)


def _is_whole(file: Path) -> bool:
    from graphrag.io.jsonl.lines import is_whole_group

    return is_whole_group(file)


def _kept(progress: Imported) -> str:
    return f"{progress.rows} rows are in the graph"


def _pairs(given: Iterable[str], option: str, form: str) -> dict[str, str]:
    pairs = {}
    for one in given:
        ours, mark, theirs = one.partition("=")
        if not mark or not ours.strip() or not theirs.strip():
            raise InputError(f"{option} {one!r} is no {form}")
        pairs[ours.strip()] = theirs.strip()
    return pairs


async def _import(
    graph: "GraphRAG", file: Path, kind: Kind, wanted: Wanted, session: Session, progress: Imported
) -> "ImportReport":
    source = wanted.source or file.name
    if kind is Kind.CONTACTS:
        report = await graph.load.contacts(
            file, reference_time=wanted.reference_time, source=source
        )
    elif kind is Kind.CALENDAR:
        report = await graph.load.calendar(
            file,
            since=wanted.since,
            until=wanted.until,
            time_zone=wanted.time_zone,
            source=source,
        )
    else:
        return await graph.load.facts(
            file,
            columns=wanted.columns,
            defaults=wanted.defaults,
            judge=wanted.judge,
            batch=wanted.batch,
            on_error=wanted.on_error.value,
            source=source,
            on_progress=progress,
        )
    progress(report)
    return report


def _show(session: Session, done: "dict[Path, ImportReport]", seconds: float) -> None:
    totals = {
        name: sum(getattr(report, name) for report in done.values())
        for name in ("rows", "facts", "repeated", "entities", "changed", "contested")
    }
    skipped = sum(len(report.skipped) for report in done.values())
    if session.json:
        totals["skipped"] = skipped
        session.show_json({"group": session.group, **totals, "seconds": round(seconds, 3)})
        return
    if not skipped and not (totals["facts"] or totals["entities"] or totals["changed"]):
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
    if totals["contested"]:
        rows.append(("contested at once", str(totals["contested"])))
    if skipped:
        rows.append(("rows skipped", str(skipped)))
    session.show(table("Imported", "", ">", rows=[*rows, ("seconds", f"{seconds:.1f}")]))
