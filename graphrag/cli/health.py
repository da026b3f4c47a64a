"""``check`` and ``repair``: is the graph sound, and what can be done where it is not."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.console import RenderableType

from graphrag.cli.forms import plain
from graphrag.cli.render import line, table
from graphrag.cli.session import Session
from graphrag.health.findings import Finding

_FOUND = 1
_SHOWN = 50

EveryGroup = Annotated[
    bool, typer.Option("--all-groups", help="Every group of the store, not only --group.")
]


async def check(session: Session, all_groups: EveryGroup = False) -> None:
    """Check every record against the log, its neighbours and the memory; change nothing.

    The exit code is 0 for a sound graph and 1 for one with findings.
    """
    with session.busy("checking"):
        async with session.graph() as graph:
            report = await graph.check(None if all_groups else session.group)
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
        raise typer.Exit(_FOUND)


async def repair(session: Session, all_groups: EveryGroup = False) -> None:
    """Mend what needs no guessing, in a logged event, and say what is left.

    The exit code is 0 if nothing is left and 1 otherwise.
    """
    with session.busy("repairing"):
        async with session.graph() as graph:
            report = await graph.repair(None if all_groups else session.group)
    if session.json:
        session.show_json(plain(report) | {"sound": report.sound})
    else:
        session.show(
            *_tables("Repaired", report.repaired),
            *_tables("Left", report.left),
            line("sound", "bold green") if report.sound else line("not sound", "bold red"),
        )
    if not report.sound:
        raise typer.Exit(_FOUND)


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
