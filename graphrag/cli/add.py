"""``add``: files and standard input become episodes."""

import asyncio
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING

import typer
from typer import Argument, Option

from graphrag.cli.command import Source
from graphrag.cli.progress import EpisodeBar
from graphrag.cli.render import attributes, line, tally
from graphrag.cli.terminal import Session, Stopped
from graphrag.errors import GraphRAGError, InputError

if TYPE_CHECKING:
    from graphrag.ingest.batch import BatchReport
    from graphrag.io.documents import Document
    from graphrag.io.folders import Pile


async def add(
    session: Session,
    files: list[str] = Argument(
        metavar="FILE|FOLDER...|-",
        help="Text, Markdown, JSON or JSON Lines, or folders of such files; - reads standard "
        "input.",
    ),
    reference_time: datetime | None = Option(
        None,
        help="When it was written; relative dates count from it. "
        "Default: the time of each record, else the date in the file's front matter, mail "
        "header, name or first line, else when it was changed last.",
    ),
    source: Source = None,
    name: str | None = Option(None, help="A title instead of the file's name."),
    saga: str | None = Option(None, help="Name of the run of episodes that they belong to."),
    author: str | None = Option(None, help='Who wrote them: whom "I" means in a note.'),
    key: str | None = Option(
        None,
        help="Your own id of the document: with the same one it is known again, with another "
        "the same words are another. Its parts get #1, #2, ... behind it.",
    ),
) -> None:
    """Add documents to the graph; adding the same ones again changes nothing."""
    from graphrag.ingest.intake import checked_saga
    from graphrag.io.documents import STDIN, read_document
    from graphrag.io.folders import read_files

    if saga is not None:
        checked_saga(saga)

    if files.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    _check_alone(len(files), name, key, "add the others on their own")
    pile = read_files(
        files,
        partial(
            read_document,
            reference_time=reference_time,
            source_description=source,
            name=name,
            author=author,
        ),
    )
    _check_alone(len(pile.read), name, key, "add the files of the folder without it")
    total = sum(map(len, pile.read))
    with EpisodeBar(session.err, "loading models", total) as bar:
        try:
            async with session.graph(create=True) as graph:
                report = await graph.add_episodes(
                    (
                        replace(
                            episode,
                            saga=saga,
                            key=key if key is None or total == 1 else f"{key}#{number}",
                        )
                        for number, episode in enumerate(chain(*pile.read), start=1)
                    ),
                    on_progress=bar,
                    on_error="skip",
                )
        except asyncio.CancelledError:
            raise Stopped(_kept(bar)) from None
        except GraphRAGError as error:
            if bar.done:
                error.add_note(_kept(bar))
            raise
    _show(session, report, bar, len(pile.unread))
    _report_skipped(session, pile, report, total)


def _check_alone(documents: int, name: str | None, key: str | None, hint: str) -> None:
    """Refuse a name or a key for several documents."""
    if documents > 1 and name is not None:
        raise InputError(f"--name names one document: {hint}")
    if documents > 1 and key is not None:
        raise InputError(f"--key is the id of one document: {hint}")


def _kept(bar: EpisodeBar) -> str:
    return (
        f"{bar.done} of {bar.total} episodes are in the graph; "
        "run the same command again to continue"
    )


def _report_skipped(
    session: Session, pile: "Pile[Document]", report: "BatchReport", total: int
) -> None:
    """Name what was not added; the exit code is 1 if there is anything."""
    if report.dropped or report.adjusted:
        session.note("what was not believed as it was read is in the log: surreal-graphrag log")
    if not report.failed and not pile.unread:
        return
    if session.debug:
        raise pile.unread[0].error if pile.unread else report.failed[0].error
    for unread in pile.unread:
        session.note(f"skipped: {unread.error}")
    for failed in report.failed:
        session.note(f"error: {failed.name!r}: {failed.error}")
    if report.failed:
        session.note(
            f"{report.done - len(report.failed)} of {total} episodes are in the graph; "
            "run the same command again to try the rest"
        )
    raise typer.Exit(1)


def _show(session: Session, report: "BatchReport", bar: EpisodeBar, skipped: int) -> None:
    rows = {
        "episodes": report.added,
        "already there": report.unchanged,
        "new entities": report.entities,
        "new facts": report.facts,
        "older facts closed": bar.closed,
        "  that wait for review": report.waiting or None,
        "read and not believed": len(report.dropped) or None,
        "believed otherwise than read": len(report.adjusted) or None,
        "files skipped": skipped or None,
        "seconds": f"{bar.seconds:.1f}",
        "  models and first episode": f"{bar.waited:.1f}",
        "episodes a second, after it": f"{bar.rate:.1f}" if bar.rate else None,
    }
    shown = tally("Added", rows)
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
            "seconds": round(bar.seconds, 3),
            "seconds_until_first_episode": round(bar.waited, 3),
            "episodes_per_second": round(bar.rate, 1) or None,
        },
        shown,
    )
