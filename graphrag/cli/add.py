"""``add``: files and standard input become episodes."""

import asyncio
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.moments import moment
from graphrag.cli.progress import Counted
from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session, Stopped
from graphrag.errors import GraphRAGError, InputError

if TYPE_CHECKING:
    from graphrag.ingest.results import BatchReport


async def add(
    session: Session,
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|FOLDER...|-",
            help="Text, Markdown, JSON or JSON Lines, or folders of such files; - reads standard "
            "input.",
            show_default=False,
        ),
    ],
    reference_time: Annotated[
        str | None,
        typer.Option(
            metavar="DATE",
            help="When it was written; relative dates count from it. "
            "Default: the time of each record, else the date in the file's front matter, mail "
            "header, name or first line, else when it was changed last.",
        ),
    ] = None,
    source: Annotated[str | None, typer.Option(help="Where it comes from, for people.")] = None,
    name: Annotated[str | None, typer.Option(help="A title instead of the file's name.")] = None,
    saga: Annotated[
        str | None, typer.Option(help="Name of the run of episodes that they belong to.")
    ] = None,
    author: Annotated[
        str | None, typer.Option(help='Who wrote them: whom "I" means in a note.')
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            help="Your own id of the document: with the same one it is known again, with another "
            "the same words are another. Its parts get #1, #2, ... behind it."
        ),
    ] = None,
) -> None:
    """Add documents to the graph; adding the same ones again changes nothing."""
    from graphrag.ingest.intake import checked_saga
    from graphrag.io.documents import STDIN, read_document
    from graphrag.io.folders import read_files

    if saga is not None:
        checked_saga(saga)

    when = moment(reference_time, "--reference-time")
    if files.count(STDIN) > 1:
        raise InputError("standard input (-) can be read only once")
    if name is not None and len(files) > 1:
        raise InputError("--name names one document: add the others on their own")
    if key is not None and len(files) > 1:
        raise InputError("--key is the id of one document: add the others on their own")
    pile = read_files(
        files,
        partial(
            read_document,
            reference_time=when,
            source_description=source,
            name=name,
            author=author,
        ),
    )
    if name is not None and len(pile.read) > 1:
        raise InputError("--name names one document: add the files of the folder without it")
    if key is not None and len(pile.read) > 1:
        raise InputError("--key is the id of one document: add the files of the folder without it")
    total = sum(map(len, pile.read))
    with Counted(session.err, total) as counted:
        try:
            async with session.graph(create=True) as graph:
                report = await graph.add_episodes(
                    (
                        replace(one, saga=saga, key=_part(key, number, total))
                        for number, one in enumerate(chain(*pile.read), start=1)
                    ),
                    on_progress=counted,
                    on_error="skip",
                )
        except asyncio.CancelledError:
            raise Stopped(_kept(counted)) from None
        except GraphRAGError as error:
            if counted.done:
                error.add_note(_kept(counted))
            raise
    _show(session, report, counted, len(pile.unread))
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
        kept = report.done - len(report.failed)
        session.note(
            f"{kept} of {counted.total} episodes are in the graph; "
            "run the same command again to try the rest"
        )
    raise typer.Exit(1)


def _part(key: str | None, number: int, total: int) -> str | None:
    return key if key is None or total == 1 else f"{key}#{number}"


def _kept(counted: Counted) -> str:
    return (
        f"{counted.done} of {counted.total} episodes are in the graph; "
        "run the same command again to continue"
    )


def _show(session: Session, report: "BatchReport", counted: Counted, skipped: int) -> None:
    if session.json:
        session.show_json(
            {
                "group": session.group,
                "added": report.added,
                "unchanged": report.unchanged,
                "failed": len(report.failed),
                "skipped_files": skipped,
                "entities": report.entities,
                "facts": report.facts,
                "closed": counted.closed,
                "waiting": report.waiting,
                "dropped": len(report.dropped),
                "adjusted": len(report.adjusted),
                "seconds": round(counted.seconds, 3),
                "seconds_until_first_episode": round(counted.waited, 3),
                "episodes_per_second": round(counted.rate, 1) or None,
            }
        )
    elif not report.added and not report.unchanged:
        session.show(line("nothing was added"))
    elif not report.added:
        session.show(
            line(
                "nothing new: "
                + (
                    "the episode was already in the graph"
                    if report.unchanged == 1
                    else f"all {report.unchanged} episodes were already in the graph"
                )
            )
        )
    else:
        rows = [
            ("episodes", str(report.added)),
            ("already there", str(report.unchanged)),
            ("new entities", str(report.entities)),
            ("new facts", str(report.facts)),
            ("older facts closed", str(counted.closed)),
            *(
                (name, str(count))
                for name, count in (
                    ("  that wait for review", report.waiting),
                    ("read and not believed", len(report.dropped)),
                    ("believed otherwise than read", len(report.adjusted)),
                    ("files skipped", skipped),
                )
                if count
            ),
            ("seconds", f"{counted.seconds:.1f}"),
            ("  models and first episode", f"{counted.waited:.1f}"),
        ]
        if counted.rate:
            rows.append(("episodes a second, after it", f"{counted.rate:.1f}"))
        session.show(table("Added", "", ">", rows=rows))
