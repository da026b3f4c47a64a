"""``copy``: a whole store to another place or into the other index profile."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.render import line, table
from graphrag.cli.session import Session

if TYPE_CHECKING:
    from graphrag.moving.copy import CopyProgress


class ProfileName(StrEnum):
    """Where search runs."""

    process = "process"
    engine = "engine"


Source = Annotated[str, typer.Argument(metavar="SRC", help="URL of the store to copy.")]
Goal = Annotated[
    str, typer.Argument(metavar="DST", help="URL of a new store, or of an unfinished copy.")
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


async def copy(
    session: Session,
    source: Source,
    target: Goal,
    profile: Profile = None,
    to_namespace: ToNamespace = None,
    to_database: ToDatabase = None,
) -> None:
    """Copy all groups of a store, with their vectors and logs, and compare every row.

    A copy that was interrupted goes on where it stopped when it is started again.
    """
    from graphrag.moving.copy import copy_store

    settings = session.settings
    shown: set[str] = set()

    def told(progress: "CopyProgress") -> None:
        if progress.table not in shown and not session.json:
            shown.add(progress.table)
            session.note(
                "building indexes"
                if progress.table == "indexes"
                else f"{progress.table}: {progress.total} rows"
            )

    with session.busy("copying"):
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
