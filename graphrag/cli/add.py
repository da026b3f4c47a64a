"""``add`` and tables of ``import``: files become episodes, or the facts that they state."""

import asyncio
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import datetime
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer
from typer import Argument, Option

from graphrag.cli.command import Source
from graphrag.cli.render import attributes, line, tally
from graphrag.cli.terminal import Bar, CommandRun, Stopped
from graphrag.errors import GraphRAGError, InputError

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.ingest.intake import NewEpisode
    from graphrag.ingest.reports import BatchReport, Failed, ImportReport

Kind = Literal["facts", "contacts", "calendar", "graphiti", "zep", "mem0"]
OnError = Literal["stop", "skip"]
FileOptions = Mapping[Kind, Mapping[str, Any]]
"""Arguments of ``load.facts``, ``load.contacts`` and ``load.calendar``."""
_SHOWN = 20  # rows that are named one by one


@contextmanager
def _counted(bar: Bar, what: str, *, failed: str = "") -> Iterator[None]:
    """Report how much of the input is in the graph if the command is stopped or fails."""
    again = "run the same command again to continue"
    try:
        yield
    except asyncio.CancelledError:
        raise Stopped(f"{bar.done} {what} are in the graph; {again}") from None
    except GraphRAGError as error:
        if failed and bar.before:
            error.add_note(f"{failed}, {bar.before} {what} are in the graph")
        elif not failed and bar.done:
            error.add_note(f"{bar.done} {what} are in the graph; {again}")
        raise


async def add(
    session: CommandRun,
    files: list[str] = Argument(
        metavar="FILE|FOLDER...|-",
        help="Text, Markdown, JSON or JSON Lines files, or folders of them; - reads standard "
        "input.",
    ),
    reference_time: datetime | None = Option(
        None,
        help="When it was written; relative dates count from it. "
        "Default: the time of each record, else the date in the file's front matter, mail "
        "header, name or first line, else the time of its last change.",
    ),
    source: Source = None,
    name: str | None = Option(None, help="Title; default: the name of the file."),
    saga: str | None = Option(None, help="Name of the sequence of episodes (saga) they belong to."),
    author: str | None = Option(None, help='Name of the author, whom "I" means in a note.'),
    key: str | None = Option(
        None,
        help="Your own id of the document: the same key is the same document, another key "
        "another one. The ids of its parts end in #1, #2, ...",
    ),
    dry_run: bool = Option(
        False,
        "--dry-run",
        help="Ask no model and write nothing: estimate what the language model would be asked, of "
        "all documents as if none was in the graph.",
    ),
    price: tuple[float, float] | None = Option(
        None,
        metavar="ASKED ANSWERED",
        help="Prices of a million tokens, for the cost in --dry-run.",
    ),
) -> None:
    """Add documents to the graph; adding the same ones again changes nothing."""
    from graphrag.ingest.intake import checked_saga
    from graphrag.ingest.reports import BatchReport
    from graphrag.io.documents import STDIN, read_document
    from graphrag.io.folders import read_files

    if saga is not None:
        checked_saga(saga)
    if price and not dry_run:
        raise InputError("--price is for the cost in --dry-run")
    if files.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    _check_alone(len(files), name, key, "add the others on their own")
    read = partial(
        read_document,
        reference_time=reference_time,
        source_description=source,
        name=name,
        author=author,
    )
    documents, unread = read_files(files, read)
    _check_alone(len(documents), name, key, "add the files of the folder without it")
    total = sum(map(len, documents))
    episodes = (
        replace(episode, saga=saga, key=f"{key}#{number}" if key and total > 1 else key)
        for number, episode in enumerate(chain(*documents), start=1)
    )
    if dry_run:
        _show_estimate(session, episodes, price)
        _report_skipped(session, unread, BatchReport(), total)
        return
    model = session.settings.llm_model
    waits = f"waiting for {model}" if model else "loading models"
    with Bar(session.err, waits, total) as bar, _counted(bar, f"of {total} episodes"):
        async with session.graph(create=True) as graph:
            report = await graph.add_episodes(episodes, on_progress=bar.episode, on_error="skip")
    _show_added(session, report, bar, len(unread))
    _report_skipped(session, unread, report, total)


def _show_estimate(
    session: CommandRun, episodes: "Iterable[NewEpisode]", price: tuple[float, float] | None
) -> None:
    from graphrag.extract.llm.extractor import LLMExtractor
    from graphrag.llm.client import OpenAILLM
    from graphrag.model.extraction import Price

    expected = LLMExtractor(OpenAILLM.from_settings(session.settings)).estimate(episodes)
    cost = expected.cost(Price(*price)) if price else None
    shown = {
        "episodes": expected.episodes,
        "calls of the model": f"{expected.calls:,} to {expected.calls_at_most:,}",
        "tokens of the model": f"{expected.tokens:,} to {expected.tokens_at_most:,}",
        "cost": cost and "{:,.2f} to {:,.2f}".format(*cost),
    }
    session.answer(asdict(expected) | {"cost": cost}, tally("Estimate (--dry-run)", shown))


def _check_alone(documents: int, name: str | None, key: str | None, hint: str) -> None:
    for option, given in (("--name names", name), ("--key is the id of", key)):
        if documents > 1 and given is not None:
            raise InputError(f"{option} one document: {hint}")


def _report_skipped(
    session: CommandRun, unread: "list[Failed]", report: "BatchReport", total: int
) -> None:
    if report.dropped or report.adjusted:
        session.note("what was not believed as it was read is in the log: surreal-graphrag log")
    if not report.failed and not unread:
        return
    if session.debug:
        raise [*unread, *report.failed][0].error
    for file in unread:
        session.note(f"skipped: {file.error}")
    for failed in report.failed:
        session.note(f"error: {failed.name!r}: {failed.error}")
    if report.failed:
        session.note(
            f"{report.done - len(report.failed)} of {total} episodes are in the graph; "
            "run the same command again to try the rest"
        )
    raise typer.Exit(1)


def _show_added(session: CommandRun, report: "BatchReport", bar: Bar, skipped: int) -> None:
    shown = tally(
        "Added",
        {
            "episodes": report.added,
            "already there": report.unchanged,
            "new entities": report.entities,
            "new facts": report.facts,
            "older facts closed": bar.closed,
            "  that wait for review": report.waiting or None,
            "read and not believed": len(report.dropped) or None,
            "believed otherwise than read": len(report.adjusted) or None,
            "files skipped": skipped or None,
            "calls of the model": report.usage and report.usage.calls,
            "tokens of the model": report.usage and report.usage.tokens,
            **bar.times(),
        },
    )
    if not report.added:
        several = f"all {report.unchanged} episodes were already in the graph"
        known = "the episode was already in the graph" if report.unchanged == 1 else several
        shown = line(f"nothing new: {known}" if report.unchanged else "nothing was added")
    session.answer(
        attributes(report, "added", "unchanged", "entities", "facts", "waiting")
        | {
            "group": session.group,
            "failed": len(report.failed),
            "skipped_files": skipped,
            "closed": bar.closed,
            "dropped": len(report.dropped),
            "adjusted": len(report.adjusted),
            "calls": report.usage.calls if report.usage else 0,
            "tokens": report.usage.tokens if report.usage else 0,
            **bar.times_form(),
        },
        shown,
    )


async def import_tables(
    session: CommandRun, kinds: Mapping[Path, Kind], options: FileOptions, source: str | None
) -> None:
    """Import files one after another; the exit code is 1 if a row was left out."""
    began = time.perf_counter()
    reports: list[ImportReport] = []
    counted = partial(_counted, failed="of the files before")
    with Bar(session.err, "loading models") as bar, counted(bar, "rows"):
        async with session.graph(create=True) as graph:
            for file, kind in kinds.items():
                bar.file(file.name)
                of = {**options[kind], "source": source or file.name}
                reports.append(await _load(graph, file, kind, of, bar))
    totals = {
        name: sum(getattr(report, name) for report in reports)
        for name in ("rows", "facts", "repeated", "entities", "changed", "contested")
    }
    skipped = [row for report in reports for row in report.skipped]
    seconds = time.perf_counter() - began
    shown = tally(
        "Imported",
        {
            "rows read": totals["rows"],
            "new facts": totals["facts"],
            "facts known before": totals["repeated"],
            "new entities": totals["entities"],
            "older facts changed": totals["changed"],
            "contested at once": totals["contested"] or None,
            "rows skipped": len(skipped) or None,
            "seconds": f"{seconds:.1f}",
        },
    )
    if not skipped and not (totals["facts"] or totals["entities"] or totals["changed"]):
        shown = line(f"nothing new: all of {totals['rows']} rows was in the graph")
    counts = {"group": session.group, **totals, "skipped": len(skipped)}
    session.answer(counts | {"seconds": round(seconds, 3)}, shown)
    if skipped:
        if session.debug:
            raise skipped[0].error
        for words in shortened([f"skipped: {row.error}" for row in skipped], ""):
            session.note(words)
        raise typer.Exit(1)


def shortened(lines: list[str], hint: str = ": --json names them all") -> list[str]:
    """Return the first lines, and the number of the others."""
    rest = len(lines) - _SHOWN
    return [*lines[:_SHOWN], *([f"and {rest} more{hint}"] if rest > 0 else [])]


async def _load(
    graph: "GraphRAG", file: Path, kind: Kind, options: Mapping[str, Any], bar: Bar
) -> "ImportReport":
    if kind == "facts":
        return await graph.load.facts(file, **options, on_progress=bar.rows)
    load = graph.load.contacts if kind == "contacts" else graph.load.calendar
    report = await load(file, **options)
    bar.rows(report)
    return report
