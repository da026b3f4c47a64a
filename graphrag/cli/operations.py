"""How a group is kept in order: ``queue``, ``check``, ``repair`` and ``log``."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.forms import plain
from graphrag.cli.render import day, line, table
from graphrag.cli.terminal import Session
from graphrag.display.visible import flatten, visible
from graphrag.errors import GraphRAGError, QueryError
from graphrag.health.findings import Finding
from graphrag.model.values import Event

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

_UNSOUND = 1
"""Exit code if something failed, or was found."""
_NAME, _SHOWN = 40, 50

EveryGroup = Annotated[
    bool, typer.Option("--all-groups", help="Every group of the store, not only --group.")
]


async def queue(
    session: Session,
    retry: Annotated[
        bool, typer.Option("--retry", help="Put the failed episodes back into the queue.")
    ] = False,
    drain: Annotated[
        bool, typer.Option("--drain", help="Read what is waiting, in this process, now.")
    ] = False,
) -> None:
    """Show which episodes wait to be read and which failed, with the reason.

    The exit code is 1 if any failed.
    """
    async with session.graph() as graph:
        retried = await graph.queue.retry() if retry else 0
        if drain:
            with session.busy("reading"):
                await graph.queue.drain()
        status = await graph.queue.status()
        failed = await graph.queue.failed()
    if session.json:
        failures = [
            {"id": one.id, "name": one.name, "valid_at": one.valid_at, "error": one.error}
            for one in failed
        ]
        session.show_json(plain(status) | {"retried": retried, "failures": plain(failures)})
    else:
        since = status.oldest_pending
        rows = [
            ("done", str(status.done)),
            ("waiting", str(status.pending)),
            *((("  since", since.isoformat(timespec="seconds")),) if since else ()),
            ("failed", str(status.failed)),
            *((("put back", str(retried)),) if retry else ()),
            *((("read and not believed", str(status.dropped)),) if status.dropped else ()),
            *((("believed otherwise", str(status.adjusted)),) if status.adjusted else ()),
        ]
        session.show(table(f"Queue of group {session.group}", "", ">", rows=rows))
        if failed:
            lines = [
                (one.name[:_NAME] or one.id, day(one.valid_at), one.error or "")
                for one in failed[:_SHOWN]
            ]
            session.show(table("Failed", "episode", "date", "why", rows=lines))
        if len(failed) > _SHOWN:
            session.show(line(f"and {len(failed) - _SHOWN} more: --json lists them all"))
        if failed:
            session.show(line("queue --retry --drain tries them again"))
    if failed:
        raise typer.Exit(_UNSOUND)


async def check(session: Session, all_groups: EveryGroup = False) -> None:
    """Check every record against the log, its neighbours and the memory; change nothing.

    The exit code is 0 for a sound graph and 1 for one with findings.
    """
    async with session.graph("checking") as graph:
        report = await (graph.health.check_all() if all_groups else graph.health.check())
    if session.json:
        session.show_json(plain(report) | {"sound": report.sound})
    else:
        groups = ", ".join(report.groups) or "none"
        seen = f"{report.records} records and {report.events} events of {groups} checked"
        session.show(line(seen), *_tables("Findings", report.findings))
        if report.sound:
            session.show(line("sound", "bold green"))
        elif any(finding.repairable for finding in report.findings):
            session.show(line("surreal-graphrag repair mends what needs no guessing"))
    if not report.sound:
        raise typer.Exit(_UNSOUND)


async def repair(session: Session, all_groups: EveryGroup = False) -> None:
    """Mend what needs no guessing, in a logged event, and say what is left.

    The exit code is 0 if nothing is left and 1 otherwise.
    """
    async with session.graph("repairing") as graph:
        report = await (graph.health.repair_all() if all_groups else graph.health.repair())
    session.answer(
        plain(report) | {"sound": report.sound},
        *_tables("Repaired", report.repaired),
        *_tables("Left", report.left),
        line("sound", "bold green") if report.sound else line("not sound", "bold red"),
    )
    if not report.sound:
        raise typer.Exit(_UNSOUND)


def _tables(title: str, findings: Sequence[Finding]) -> list[RenderableType]:
    if not findings:
        return []
    shown = findings[:_SHOWN]
    parts = [
        table(
            f"{title} ({len(findings)})",
            "group",
            "record",
            "what",
            "how to repair",
            rows=[(one.group, one.record, one.what, one.how) for one in shown],
        )
    ]
    if len(findings) > len(shown):
        parts.append(line(f"and {len(findings) - len(shown)} more: --json lists them all"))
    return parts


async def log(
    session: Session,
    entity: Annotated[
        str | None, typer.Option(help="Only what changed this entity: a name or an id.")
    ] = None,
    limit: Annotated[int, typer.Option(help="How many of the newest events.", min=1)] = 20,
    follow: Annotated[
        bool, typer.Option(help="Go on with what others commit to the server, until Ctrl-C.")
    ] = False,
) -> None:
    """List the changes of a group, oldest first: when, who, what, and why."""
    from graphrag.display.lists import done, moment

    if follow:
        _check_followed(session, entity)
    async with session.graph() as graph:
        with session.busy("reading"):
            past = graph.at(history=True)
            known = None if entity is None else await past.entity(entity)
            if entity is not None and known is None:
                raise GraphRAGError(f"no entity is called {entity!r} in group {session.group!r}")
            events = await graph.log.events(entity=known, limit=limit)
        if follow:
            await _followed(session, graph, events)
            return
    if session.json:
        session.show_json([plain(event) | {"did": done(event)} for event in events])
        return
    rows = (
        (str(event.seq), moment(event), event.actor, event.kind, done(event), event.note or "")
        for event in events
    )
    title = f"Log of group {session.group}"
    session.show(table(title, ">no.", "when", "who", "what", "to", "note", rows=rows))


def _check_followed(session: Session, entity: str | None) -> None:
    if entity is not None:
        raise QueryError("--follow shows everything that is committed: leave out --entity")
    if session.target().embedded:
        raise QueryError(
            f"nobody else can write to {session.settings.store} while this command has it open: "
            "--follow is for servers (ws://, wss://, http://, https://)"
        )


async def _followed(session: Session, graph: "GraphRAG", events: list[Event]) -> None:
    """Print one line an event: the given ones, then whatever is committed."""
    from graphrag.display.lists import done, moment

    def show(event: Event) -> None:
        if session.json:
            form = plain(event) | {"did": done(event)}
            session.out.file.write(visible(json.dumps(form, ensure_ascii=False)) + "\n")
        else:
            parts = (event.seq, moment(event), event.actor, event.kind, done(event), event.note)
            line = "  ".join(str(part) for part in parts if part)
            session.out.print(Text(flatten(line)), soft_wrap=True)
        session.out.file.flush()

    for event in events:
        show(event)
    after = events[-1].seq if events else 0
    async for event in graph.log.follow(after=after):
        show(event)
