"""``copy``: a whole store to another place or into the other index profile."""

from enum import StrEnum
from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.progress import Copied
from graphrag.cli.render import line, table
from graphrag.cli.session import Session


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
    ProfileName | None,
    typer.Option(help="Index profile of the copy: process (default) or engine."),
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
    from graphrag.moving.copy import copy_store

    settings = session.settings
    with Copied(session.err, quiet=session.json) as told:
        report = await copy_store(
            source,
            target,
            profile=None if profile is None else profile.value,
            user=settings.user,
            password=settings.password,
            namespace=settings.namespace,
            database=settings.database,
            to_namespace=to_namespace,
            to_database=to_database,
            group=group,
            name=as_,
            on_progress=told,
        )
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
