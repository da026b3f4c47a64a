"""Whole stores and groups: ``copy``, ``export``, ``replay`` and ``index``.

To build and to check indexes needs no model, so the store is opened without a graph around it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from typer import Argument, Option

from graphrag.cli.command import EveryGroup, Moments
from graphrag.cli.render import line, plain, table, tally
from graphrag.cli.terminal import Bar, CommandRun, Stopped
from graphrag.errors import InputError
from graphrag.io.files import Format, format_of

if TYPE_CHECKING:
    from graphrag.engine.indexes import Built
    from graphrag.health.repair import Reembedded
    from graphrag.store.store import Store


async def copy(
    session: CommandRun,
    source: str = Argument(metavar="SRC", help="URL of the store to copy."),
    target: str = Argument(
        metavar="DST",
        help="URL of a new store or an unfinished copy; with --group any store, also SRC.",
    ),
    profile: Literal["process", "engine"] | None = Option(
        None, help="Index profile of the copy: process (default) or engine."
    ),
    to_namespace: str | None = Option(
        None, help="Namespace of the copy, if it differs from --namespace."
    ),
    to_database: str | None = Option(
        None, help="Database of the copy, if it differs from --database."
    ),
    group: str | None = Option(None, help="Only this group; DST may have others. Default: all."),
    as_: str | None = Option(None, "--as", help="Name of the group in DST. Default: unchanged."),
) -> None:
    """Copy a store with all vectors and logs, and compare every row.

    If it is interrupted, run it again to continue. With --group, one group is copied into a store
    that may have others, or under another name within one store.
    """
    from graphrag.io.copy import copy_store

    with Bar(session.err, "copying", quiet=session.json) as bar:
        copying = partial(
            copy_store, source, target, profile=profile, **session.settings.access,
            to_namespace=to_namespace, to_database=to_database, group=group, name=as_,
            on_progress=bar.page,
        )  # fmt: skip
        report = await session.unlocked(copying)
    counts = sorted((name, str(rows)) for name, rows in report.rows.items() if rows)
    outcome = (
        f"{report.target}, profile {report.profile}, checksum {report.checksum}, "
        f"{report.seconds:.1f} s"
    )
    shown = table("Copied and compared", "table", ">rows", rows=counts)
    session.answer(report, shown, line(outcome, "bold green"))


async def export(
    session: CommandRun,
    view: Moments,
    file: Path = Argument(
        help="Path: .jsonl (the whole graph), .csv (facts), .graphml, .ttl, or .html (the "
        "explorer); a further .gz compresses it."
    ),
    format: Format | None = Option(None, help="Default: according to the ending of the file."),
    vectors: bool = Option(
        True,
        "--vectors/--no-vectors",
        help="Whether .jsonl includes the vectors; otherwise its import computes them.",
    ),
) -> None:
    """Export a graph to a file: .jsonl for `import`, other formats for other programs.

    It contains the facts of all times with their lifetimes; with --at only those that held then. An
    existing file is replaced when the new one is complete.
    """
    given = format_of(file, format)
    quiet = session.json or not session.err.is_terminal
    with Bar(session.err, "copying", quiet=quiet) as bar:
        async with session.graph() as graph:
            if view.valid_at is None and view.known_at is None:
                done = await graph.export.file(
                    file, format=given, vectors=vectors, on_progress=bar.page
                )
            elif not vectors:
                raise InputError("--no-vectors is for a whole graph, without --at or --known-at")
            else:
                ever = replace(view, history=view.valid_at is None)
                done = await ever.of(graph).export.file(file, format=given)
    session.answer(
        plain(done) | {"file": str(done.file)},
        tally(f"Exported group {done.group}", done.records),
        line(f"{done.file}: {done.bytes / 1e6:.1f} MB, {done.seconds:.1f} s"),
    )


async def replay(
    session: CommandRun,
    into: str = Argument(metavar="URL", help="Other store, which must not have the group."),
    until: datetime | None = Option(None, help="Only what the graph had been given by then."),
    all_groups: EveryGroup = False,
) -> None:
    """Rebuild the graph from its log in another store: same records, same past."""
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
    session: CommandRun,
    keep_rows: bool = Option(
        False, help="Keep the indexed rows; do not derive them from the records again."
    ),
) -> None:
    """Rebuild the search tables of SurrealDB and their indexes; nobody may write meanwhile."""
    from graphrag.engine.indexes import build

    await _build(session, partial(build, rows=not keep_rows))


async def index_native(session: CommandRun) -> None:
    """Add tables that SurrealQL can search to a store of the process profile."""
    from graphrag.engine.indexes import build_native

    await _build(session, build_native)


async def _build(session: CommandRun, build: "Callable[..., Awaitable[list[Built]]]") -> None:
    def report(step: "Built") -> None:
        if not session.json:
            session.note(f"{step.name}: {step.rows} rows in {step.seconds:.1f} s")

    with session.busy("building"):
        async with _store(session) as store:
            steps = await build(store, on_step=report)
    seconds = sum(step.seconds for step in steps)
    session.answer(steps, line(f"{len(steps)} steps in {seconds:.1f} s", "bold green"))


async def index_check(session: CommandRun) -> None:
    """Check that every index exists and agrees with its table; change nothing.

    The exit code is 0 for sound indexes and 1 for those with findings.
    """
    from graphrag.engine.indexes import check_indexes

    with session.busy("checking"):
        async with _store(session) as store:
            report = await check_indexes(store)
    rows = (
        (
            *(index.name, index.table, str(index.rows)),
            f"{index.found} of {index.sampled}" if index.there else "missing",
        )
        for index in report.indexes
    )
    session.answer(
        plain(report) | {"sound": report.sound},
        table("Indexes", "index", "of", ">rows", ">found", rows=rows),
        *(line(finding, "bold red") for finding in report.findings),
        line("sound", "bold green")
        if report.sound
        else line("surreal-graphrag index build makes them anew"),
        failed=not report.sound,
    )


async def index_embed(
    session: CommandRun,
    model: str | None = Option(
        None,
        metavar="NAME",
        help="Name or path of a sentence-transformers model. Default: that of the settings, "
        "$SURREAL_GRAPHRAG_EMBEDDER; without either nothing is changed.",
    ),
) -> None:
    """Change the embedder of a store. Nothing is extracted again.

    The old vectors stay in use until all new ones are computed. If it is interrupted, run it again
    to continue.
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
            bar.update(progress.done, progress.total, eta=progress.eta)

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
async def _store(session: CommandRun) -> AsyncIterator["Store"]:
    from graphrag.engine.rows import SearchRows
    from graphrag.store.migrate import embedder_of
    from graphrag.store.store import Store

    target = session.target()
    name, dimension = await session.unlocked(lambda: embedder_of(target))
    opening = partial(Store.open, target, embedder=name, dimension=dimension, derived=SearchRows())
    async with await session.unlocked(opening) as store:
        yield store
