"""``export``: a graph as a file: whole, or what is seen of it at a moment."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.moments import At, KnownAt, seen
from graphrag.cli.progress import Copied
from graphrag.cli.render import line, table
from graphrag.cli.session import Session
from graphrag.errors import InputError
from graphrag.exchange.formats import format_of


class FormatName(StrEnum):
    """What a file is written in."""

    jsonl = "jsonl"
    csv = "csv"
    graphml = "graphml"
    turtle = "turtle"


async def export(
    session: Session,
    file: Annotated[
        Path,
        typer.Argument(
            help="Where to: .jsonl (the whole graph), .csv (facts), .graphml or .ttl; .gz after it "
            "compresses.",
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
    with Copied(session.err, quiet=session.json or not session.err.is_terminal) as told:
        async with session.graph() as graph:
            if at is None and known_at is None:
                done = await graph.export(
                    file, format=given, vectors=vectors, on_progress=told, group=session.group
                )
            elif not vectors:
                raise InputError("--no-vectors is for a whole graph, without --at or --known-at")
            else:
                done = await view.of(graph).export(file, format=given, group=session.group)
    if session.json:
        session.show_json(plain(done) | {"file": str(done.file)})
        return
    rows = [(kind, str(count)) for kind, count in done.records.items()]
    size = f"{done.file}: {done.bytes / 1e6:.1f} MB, {done.seconds:.1f} s"
    session.show(table(f"Exported group {done.group}", "", ">", rows=rows), line(size))
