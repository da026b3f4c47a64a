"""Whole graphs in and out: ``export``, ``import`` of a whole graph, ``copy`` and ``replay``."""

from dataclasses import replace
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, moment, seen
from graphrag.cli.progress import Copied
from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session
from graphrag.errors import InputError
from graphrag.io.formats import format_of


class FormatName(StrEnum):
    """What a file is written in."""

    jsonl = "jsonl"
    csv = "csv"
    graphml = "graphml"
    turtle = "turtle"
    html = "html"


async def export(
    session: Session,
    file: Annotated[
        Path,
        typer.Argument(
            help="Where to: .jsonl (the whole graph), .csv (facts), .graphml, .ttl, or .html (a "
            "page to explore it); .gz after it compresses.",
            show_default=False,
        ),
    ],
    format: Annotated[
        FormatName | None, typer.Option(help="Default: by the ending of the file.")
    ] = None,
    at: At = None,
    known_at: KnownAt = None,
    vectors: Annotated[
        bool,
        typer.Option(
            "--vectors/--no-vectors",
            help="Whether .jsonl has the vectors, or importing it makes them anew.",
        ),
    ] = True,
) -> None:
    """Write a graph to a file: .jsonl for `import` to make it again, others for other programs.

    Facts of all times are written, each with its lifetime; with --at those that held then. A file
    that is there already is replaced when all is written.
    """
    view = seen(at, known_at, history=at is None)
    given = format_of(file, None if format is None else format.value)
    with Copied(session.err, quiet=session.json or not session.err.is_terminal) as progress:
        async with session.graph() as graph:
            if at is None and known_at is None:
                done = await graph.export.file(
                    file, format=given, vectors=vectors, on_progress=progress
                )
            elif not vectors:
                raise InputError("--no-vectors is for a whole graph, without --at or --known-at")
            else:
                done = await view.of(graph).export.file(file, format=given)
    if session.json:
        session.show_json(plain(done) | {"file": str(done.file)})
        return
    rows = [(kind, str(count)) for kind, count in done.records.items()]
    size = f"{done.file}: {done.bytes / 1e6:.1f} MB, {done.seconds:.1f} s"
    session.show(table(f"Exported group {done.group}", "", ">", rows=rows), line(size))


async def import_whole(session: Session, file: Path, name: str | None, *, dry_run: bool) -> None:
    """Make a group of the name that is given, or of the one that it had."""
    if dry_run:
        from graphrag.io.copy_group import Pace
        from graphrag.io.jsonl.survey import survey

        header = (await survey(file, Pace(None))).header
        group, records = name or header.group, dict(header.counts)
    else:
        with Copied(session.err, quiet=session.json or not session.err.is_terminal) as progress:
            async with session.graph(create=True) as graph:
                done = await graph.load.group(file, name, on_progress=progress)
        if session.json:
            session.show_json(plain(done))
            return
        group, records = done.group, done.records
    if session.json:
        session.show_json({"group": group, "records": records})
        return
    rows = [(kind, str(count)) for kind, count in records.items()]
    if dry_run:
        session.show(table(f"Would be group {group}", "", ">", rows=rows))
        session.show(line("nothing was written (--dry-run)"))
        return
    session.show(table(f"Imported group {group}", "", ">", rows=rows))
    if done.embedded:
        session.show(line(f"{done.embedded} vectors were made anew"))
    if done.renewed:
        session.show(line("it has ids of its own: the store holds those of the file already"))


class ProfileName(StrEnum):
    """Where search runs."""

    process = "process"
    engine = "engine"


Source = Annotated[str, typer.Argument(metavar="SRC", help="URL of the store to copy.")]
Goal = Annotated[
    str,
    typer.Argument(
        metavar="DST",
        help="URL of a new store, or of an unfinished copy; with --group of any store, SRC too.",
    ),
]
Profile = Annotated[
    ProfileName | None, typer.Option(help="Index profile of the copy: process (default) or engine.")
]
ToNamespace = Annotated[
    str | None, typer.Option(help="Namespace of the copy, if it is another than --namespace.")
]
ToDatabase = Annotated[
    str | None, typer.Option(help="Database of the copy, if it is another than --database.")
]
OneGroup = Annotated[
    str | None, typer.Option("--group", help="Only this graph, beside what DST has. Default: all.")
]
As = Annotated[
    str | None, typer.Option("--as", help="What that graph is called in DST, if not the same.")
]


async def copy(
    session: Session,
    source: Source,
    target: Goal,
    profile: Profile = None,
    to_namespace: ToNamespace = None,
    to_database: ToDatabase = None,
    group: OneGroup = None,
    as_: As = None,
) -> None:
    """Copy all groups of a store, with their vectors and logs, and compare every row.

    A copy that was interrupted goes on where it stopped when it is started again. With --group one
    graph is copied into a store that may have others, or within one under another name.
    """
    from graphrag.io.copy import copy_store

    settings = session.settings
    with Copied(session.err, quiet=session.json) as progress:
        copying = partial(
            copy_store,
            source,
            target,
            profile=None if profile is None else profile.value,
            user=settings.user,
            password=settings.password,
            token=settings.store_token,
            namespace=settings.namespace,
            database=settings.database,
            to_namespace=to_namespace,
            to_database=to_database,
            group=group,
            name=as_,
            on_progress=progress,
        )
        report = await session.unlocked(copying)
    if session.json:
        session.show_json(plain(report))
        return
    counts = sorted((name, str(rows)) for name, rows in report.rows.items() if rows)
    session.show(
        table("Copied and compared", "table", ">rows", rows=counts),
        line(
            f"{report.target}, profile {report.profile}, checksum {report.checksum}, "
            f"{report.seconds:.1f} s",
            "bold green",
        ),
    )


async def replay(
    session: Session,
    into: Annotated[
        str, typer.Argument(metavar="URL", help="The other store; it must not have the group.")
    ],
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="Only what the graph had been given by then.")
    ] = None,
    all_groups: Annotated[
        bool, typer.Option("--all-groups", help="Every group of the store, not only --group.")
    ] = False,
) -> None:
    """Make the graph anew from its log in another store: same records, same past."""
    then = moment(until, "--until")
    async with session.graph("replaying") as graph:
        again = session.open_graph(replace(session.settings, store=into))
        replay = graph.log.replay_all if all_groups else graph.log.replay
        made = await session.unlocked(partial(replay, again, until=then))
    if session.json:
        session.show_json(plain(made))
        return
    rows = [
        ("groups", ", ".join(made.groups)),
        ("events", str(made.events)),
        ("records", str(made.records)),
        ("vectors embedded again", str(made.embedded)),
    ]
    session.show(table(f"Replayed into {into}", "", ">", rows=rows))
