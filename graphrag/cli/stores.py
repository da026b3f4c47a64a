"""What is done to whole stores and groups: ``copy``, ``replay``, ``index`` and ``forget``.

To build and to check indexes needs no model, so the store is opened without a graph around it.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, Literal

import typer
from rich.console import RenderableType
from typer import Argument, Option

from graphrag.cli.command import EveryGroup
from graphrag.cli.progress import Bar, CopyBar
from graphrag.cli.render import line, plain, table, tally
from graphrag.cli.terminal import Session, Stopped
from graphrag.errors import InputError
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.engine.build import Built
    from graphrag.engine.verify import IndexReport
    from graphrag.health.repair import Reembedded
    from graphrag.history.erase_plan import Forgotten, Texts
    from graphrag.store.store import Store

_DECLINED = 1
_NAMES = {
    "entity": "entities",
    "relates_to": "facts",
    "episode": "episodes",
    "event": "events of the log",
}
"""What people count, by table."""


async def copy(
    session: Session,
    source: str = Argument(metavar="SRC", help="URL of the store to copy."),
    target: str = Argument(
        metavar="DST",
        help="URL of a new store, or of an unfinished copy; with --group of any store, SRC too.",
    ),
    profile: Literal["process", "engine"] | None = Option(
        None, help="Index profile of the copy: process (default) or engine."
    ),
    to_namespace: str | None = Option(
        None, help="Namespace of the copy, if it is another than --namespace."
    ),
    to_database: str | None = Option(
        None, help="Database of the copy, if it is another than --database."
    ),
    group: str | None = Option(None, help="Only this graph, beside what DST has. Default: all."),
    as_: str | None = Option(
        None, "--as", help="What that graph is called in DST, if not the same."
    ),
) -> None:
    """Copy all groups of a store, with their vectors and logs, and compare every row.

    A copy that was interrupted goes on where it stopped when it is started again. With --group one
    graph is copied into a store that may have others, or within one under another name.
    """
    from graphrag.io.copy import copy_store

    settings = session.settings
    with CopyBar(session.err, "copying", quiet=session.json) as bar:
        copying = partial(
            copy_store,
            source,
            target,
            profile=profile,
            user=settings.user,
            password=settings.password,
            token=settings.store_token,
            namespace=settings.namespace,
            database=settings.database,
            to_namespace=to_namespace,
            to_database=to_database,
            group=group,
            name=as_,
            on_progress=bar,
        )
        report = await session.unlocked(copying)
    counts = sorted((name, str(rows)) for name, rows in report.rows.items() if rows)
    outcome = (
        f"{report.target}, profile {report.profile}, checksum {report.checksum}, "
        f"{report.seconds:.1f} s"
    )
    shown = table("Copied and compared", "table", ">rows", rows=counts)
    session.answer(report, shown, line(outcome, "bold green"))


async def replay(
    session: Session,
    into: str = Argument(metavar="URL", help="The other store; it must not have the group."),
    until: datetime | None = Option(None, help="Only what the graph had been given by then."),
    all_groups: EveryGroup = False,
) -> None:
    """Make the graph anew from its log in another store: same records, same past."""
    async with session.graph("replaying") as graph:
        again = session.open_graph(replace(session.settings, store=into))
        replay = graph.log.replay_all if all_groups else graph.log.replay
        made = await session.unlocked(partial(replay, again, until=until))
    rows = {
        "groups": ", ".join(made.groups),
        "events": made.events,
        "records": made.records,
        "vectors embedded again": made.embedded,
    }
    session.answer(made, tally(f"Replayed into {into}", rows))


async def index_build(
    session: Session,
    keep_rows: bool = Option(
        False, help="Build the indexes over the rows there are; do not derive them again."
    ),
) -> None:
    """Make the tables that SurrealDB searches, and their indexes, anew, while nobody writes."""
    from graphrag.engine.build import build

    await _build(session, partial(build, rows=not keep_rows))


async def index_native(session: Session) -> None:
    """Add tables that SurrealQL can search to a store of the process profile, kept in step."""
    from graphrag.engine.build import build_native

    await _build(session, build_native)


async def _build(session: Session, build: "Callable[..., Awaitable[list[Built]]]") -> None:
    def report(step: "Built") -> None:
        if not session.json:
            session.note(f"{step.name}: {step.rows} rows in {step.seconds:.1f} s")

    with session.busy("building"):
        async with _store(session) as store:
            steps = await build(store, on_step=report)
    seconds = sum(step.seconds for step in steps)
    session.answer(steps, line(f"{len(steps)} steps in {seconds:.1f} s", "bold green"))


async def index_check(session: Session) -> None:
    """Check that every index exists and agrees with its table; change nothing.

    The exit code is 0 for sound indexes and 1 for those with findings.
    """
    from graphrag.engine.verify import check

    with session.busy("checking"):
        async with _store(session) as store:
            report = await check(store)
    session.answer(
        plain(report) | {"sound": report.sound},
        _indexes_table(report),
        *(line(finding, "bold red") for finding in report.findings),
        line("sound", "bold green")
        if report.sound
        else line("surreal-graphrag index build makes them anew"),
        failed=not report.sound,
    )


def _indexes_table(report: "IndexReport") -> RenderableType:
    rows = (
        (
            index.name,
            index.table,
            str(index.rows),
            f"{index.found} of {index.sampled}" if index.there else "missing",
        )
        for index in report.indexes
    )
    return table("Indexes", "index", "of", ">rows", ">found", rows=rows)


async def index_embed(
    session: Session,
    model: str | None = Option(
        None,
        metavar="NAME",
        help="Name or path of a sentence-transformers model. Default: that of the settings, "
        "$SURREAL_GRAPHRAG_EMBEDDER; without either nothing is changed.",
    ),
) -> None:
    """Change the embedder of a store. Nothing is extracted again.

    The old vectors serve until all new ones are there; stopped or killed, the same command goes on.
    """
    from graphrag.store.migrate import embedder_of

    if model is not None:
        session = session.changed("--model", embedder=model)
    graph = session.open_graph(session.settings)
    if session.settings.embedder is None:
        target, new = session.target(), graph.handle.embedder.name
        old, _ = await session.unlocked(lambda: embedder_of(target))
        if old != new:
            raise InputError(
                f"this would change the embedder of the store from {old!r} to {new!r}: say so with "
                f"index embed --model {new}, or name another model"
            )
    with Bar(session.err, "embedding") as bar:

        def advance(progress: "Reembedded") -> None:
            bar.update(done=progress.done, total=progress.total, eta=progress.eta)

        try:
            done = await session.unlocked(lambda: graph.health.reembed(on_progress=advance))
        except asyncio.CancelledError:
            raise Stopped("what was made is kept; the same command goes on") from None
    following = f"for the commands that follow: export SURREAL_GRAPHRAG_EMBEDDER={model}"
    session.answer(
        done,
        line(f"{done.made} vectors of {done.embedder} in {done.seconds:.1f} s", "bold green"),
        None if model is None else line(following),
    )


@asynccontextmanager
async def _store(session: Session) -> AsyncIterator["Store"]:
    """Open the store of a session as the model that it was built with would."""
    from graphrag.engine.rows import SearchRows
    from graphrag.store.migrate import embedder_of
    from graphrag.store.store import Store

    target = session.target()
    name, dimension = await session.unlocked(lambda: embedder_of(target))
    opening = partial(Store.open, target, embedder=name, dimension=dimension, derived=SearchRows())
    async with await session.unlocked(opening) as store:
        yield store


async def forget(
    session: Session,
    entity: str | None = Argument(None, help="Name or id of an entity."),
    whole_group: bool = Option(False, help="Erase all of --group and its log instead."),
    keep_episodes: bool = Option(
        False, help="Let the texts that name the entity stay as they are."
    ),
    yes: bool = Option(False, "--yes", "-y", help="Do not ask."),
) -> None:
    """Erase an entity with every text that names it, for good. It cannot be undone."""
    if (entity is None) != whole_group:
        raise InputError("name an entity to forget, or give --whole-group, not both")
    if whole_group and keep_episodes:
        raise InputError("--keep-episodes is for an entity: --whole-group erases every text")
    texts: Texts = "keep" if keep_episodes else "erase"
    async with session.graph() as graph:

        async def run(*, dry_run: bool) -> "Forgotten":
            if entity is None:
                return await graph.erase.group(confirm=session.group, dry_run=dry_run)
            return await graph.erase.entity(entity, episodes=texts, dry_run=dry_run)

        if not yes:
            with session.busy("counting"):
                planned = await run(dry_run=True)
            _ask(session, entity, planned.records)
        with session.busy("forgetting"):
            forgotten = await run(dry_run=False)
    session.answer(
        forgotten,
        tally("Erased", _counted(forgotten.records)),
        line("backups and cached answers of a language model are yours to delete"),
    )


def _ask(session: Session, entity: str | None, records: Mapping[str, int]) -> None:
    what = (
        f"group {session.group!r}" if entity is None else f"{entity!r} of group {session.group!r}"
    )
    counts = ", ".join(f"{number} {name}" for name, number in _counted(records).items())
    session.note(f"this erases {what} from {shown_url(session.settings.store)} for good: {counts}")
    if not sys.stdin.isatty():
        raise InputError("nobody can be asked here: give --yes to forget without asking")
    if not typer.confirm("forget it?", err=True):
        session.note("nothing was erased")
        raise typer.Exit(_DECLINED)


def _counted(records: Mapping[str, int]) -> dict[str, int]:
    return {name: records[table] for table, name in _NAMES.items() if records.get(table)}
