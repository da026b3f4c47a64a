"""``index``: SurrealDB's own indexes of the engine profile, and the vectors of either.

To build and to check needs no model, so the store is opened without a graph around it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.progress import Embedded
from graphrag.cli.render import line, table
from graphrag.cli.terminal import Session, Stopped
from graphrag.errors import InputError

if TYPE_CHECKING:
    from graphrag.engine.build import Built
    from graphrag.engine.verify import IndexReport
    from graphrag.store.store import Store

_FOUND = 1

KeepRows = Annotated[
    bool,
    typer.Option(
        "--keep-rows", help="Build the indexes over the rows there are; do not derive them again."
    ),
]


async def build(session: Session, keep_rows: KeepRows = False) -> None:
    """Make the tables that SurrealDB searches, and their indexes, anew, while nobody writes."""
    from graphrag.engine.build import build as build_indexes

    await _build(session, partial(build_indexes, rows=not keep_rows))


async def native(session: Session) -> None:
    """Add tables that SurrealQL can search to a store of the process profile, kept in step."""
    from graphrag.engine.build import build_native

    await _build(session, build_native)


async def _build(session: Session, build: "Callable[..., Awaitable[list[Built]]]") -> None:
    def report(step: "Built") -> None:
        if not session.json:
            session.note(f"{step.name}: {step.rows} rows in {step.seconds:.1f} s")

    with session.busy("building"):
        async with _opened(session) as store:
            steps = await build(store, on_step=report)
    seconds = sum(step.seconds for step in steps)
    session.answer(steps, line(f"{len(steps)} steps in {seconds:.1f} s", "bold green"))


async def check(session: Session) -> None:
    """Check that every index exists and agrees with its table; change nothing.

    The exit code is 0 for sound indexes and 1 for those with findings.
    """
    from graphrag.engine.verify import check as check_indexes

    with session.busy("checking"):
        async with _opened(session) as store:
            report = await check_indexes(store)
    if session.json:
        session.show_json(plain(report) | {"sound": report.sound})
    else:
        _show(session, report)
    if not report.sound:
        raise typer.Exit(_FOUND)


async def embed(
    session: Session,
    model: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Name or path of a sentence-transformers model. Default: that of the settings, "
            "$SURREAL_GRAPHRAG_EMBEDDER; without either nothing is changed.",
        ),
    ] = None,
) -> None:
    """Change the embedder of a store: index embed --model NAME. Nothing is extracted again.

    The old vectors serve until all new ones are there; stopped or killed, the same command goes on.
    """
    from graphrag.store.migrate import embedder_of

    if model is not None:
        origins = {**session.configured.origins, "embedder": "--model"}
        configured = replace(session.configured, origins=origins)
        settings = replace(session.settings, embedder=model)
        session = replace(session, settings=settings, configured=configured)
    graph = session.open_graph(session.settings)
    if session.settings.embedder is None:
        target, new = session.target(), graph.handle.embedder.name
        old, _ = await session.unlocked(lambda: embedder_of(target))
        if old != new:
            raise InputError(
                f"this would change the embedder of the store from {old!r} to {new!r}: say so with "
                f"index embed --model {new}, or name another model"
            )
    with Embedded(session.err) as progress:
        try:
            done = await session.unlocked(lambda: graph.health.reembed(on_progress=progress))
        except asyncio.CancelledError:
            raise Stopped("what was made is kept; the same command goes on") from None
    following = f"for the commands that follow: export SURREAL_GRAPHRAG_EMBEDDER={model}"
    session.answer(
        done,
        line(f"{done.made} vectors of {done.embedder} in {done.seconds:.1f} s", "bold green"),
        *([] if model is None else [line(following)]),
    )


@asynccontextmanager
async def _opened(session: Session) -> AsyncIterator["Store"]:
    """Open the store of a session as the model that it was built with would."""
    from graphrag.engine.rows import SearchRows
    from graphrag.store.migrate import embedder_of
    from graphrag.store.store import Store

    target = session.target()
    name, dimension = await session.unlocked(lambda: embedder_of(target))
    opening = partial(Store.open, target, embedder=name, dimension=dimension, derived=SearchRows())
    async with await session.unlocked(opening) as store:
        yield store


def _show(session: Session, report: "IndexReport") -> None:
    session.show(
        table(
            "Indexes",
            "index",
            "of",
            ">rows",
            ">found",
            rows=[
                (
                    one.name,
                    one.table,
                    str(one.rows),
                    f"{one.found} of {one.sampled}" if one.there else "missing",
                )
                for one in report.indexes
            ],
        ),
        *(line(finding, "bold red") for finding in report.findings),
        line("sound", "bold green")
        if report.sound
        else line("surreal-graphrag index build makes them anew"),
    )
