"""Operation of a store: ``doctor``, ``init``, ``queue``, ``check``, ``repair`` and ``serve``."""

import json
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from rich.console import RenderableType
from typer import Argument, Option

from graphrag.cli.command import EveryGroup
from graphrag.cli.config import PROJECT_FILE, address_of, noted, read_tokens, user_file
from graphrag.cli.render import attributes, day, line, plain, table, tally
from graphrag.cli.terminal import CommandRun
from graphrag.errors import GraphRAGError, InputError, MissingExtraError, StoreLockedError
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.health.snapshot import Finding

_NAME, _SHOWN = 40, 50
_SECONDS = 2.0  # for a server to accept a connection
_SERVE_PARTS = {"mcp", "uvicorn", "starlette", "mcp_types"}
_EXTRAS = (
    ("local", ("onnxruntime", "spacy"), "embedder and rules of this machine"),
    ("serve", ("mcp", "uvicorn"), "tools for agents, REST"),
    ("openai", ("openai",), "a language model"),
    ("analysis", ("networkx", "pandas"), "exports as networks and tables"),
)
"""Extras with the packages that show that one is installed, and what it brings."""


class Look(NamedTuple):
    """One check: ``state`` is ``ok``, ``missing`` (nothing requested needs it) or ``wrong``."""

    what: str
    state: str
    says: str
    do: str = ""


async def doctor(session: CommandRun) -> None:
    """Show settings and their origin, installed extras, connections, and what to fix.

    It changes nothing. The exit code is 1 if a part that the settings require does not work.
    """
    looks = [*_settings(session), *_extras(), _language_model(session), await _store(session)]
    session.answer(
        [look._asdict() for look in looks],
        table("Doctor", "", "", "", "what to do", rows=looks),
        failed=any(look.state == "wrong" for look in looks),
    )


def _settings(session: CommandRun) -> Iterator[Look]:
    """Yield each setting with where it is from; secrets are not shown."""
    settings, origins = session.settings, session.configured.origins
    yield Look("version", "ok", f"{version('surreal-graphrag')}, Python {sys.version.split()[0]}")
    values = {
        item.name: value if item.repr else "(set)"
        for item in fields(settings)
        if item.name != "workers" and (value := getattr(settings, item.name)) not in (None, "")
    }
    values |= {"group": session.group, "wait": f"{session.configured.wait:g} s"}
    for name, value in values.items():
        text = shown_url(value) if name in ("store", "llm_base_url") else value
        yield Look(f"setting {name}", "ok", f"{text} ({origins.get(name, 'default')})")
    for file in session.configured.files:
        yield Look("file", "ok", str(file))


def _extras() -> Iterator[Look]:
    for extra, packages, what in _EXTRAS:
        try:
            versions = ", ".join(f"{package} {version(package)}" for package in packages)
            yield Look(f"extra {extra}", "ok", f"{what}: {versions}")
        except PackageNotFoundError as error:
            do = f"pip install 'surreal-graphrag[{extra}]'"
            yield Look(f"extra {extra}", "missing", f"{what}: no {error.name}", do)


def _language_model(session: CommandRun) -> Look:
    settings = session.settings
    if settings.llm_model is None:
        return Look("language model", "missing", "rules read texts", "export SURREAL_GRAPHRAG_LLM=")
    url = settings.llm_base_url or "https://api.openai.com/v1"
    if settings.llm_api_key is None and settings.llm_base_url is None:
        return Look("language model", "wrong", "no key", "export OPENAI_API_KEY=")
    return _answers("language model", url, f"{settings.llm_model} at {shown_url(url)}")


def _answers(what: str, url: str, says: str) -> Look:
    """Return whether a server accepts connections there; nothing is sent."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme in ("https", "wss") else 80)
        with socket.create_connection((parts.hostname or "", port), _SECONDS):
            return Look(what, "ok", f"{says}: answers")
    except (OSError, ValueError) as error:
        return Look(what, "wrong", f"{says}: {error}", "start it, or name another")


async def _store(session: CommandRun) -> Look:
    folder = session.folder()
    if folder is not None and not folder.exists():
        do = "surreal-graphrag add FILE makes it; init makes only a file that names it"
        return Look("store", "missing", f"nothing at {folder} yet", do)
    if served := address_of(folder):
        return Look("store", "ok", f"served at {served}", f"REST at {served}/v1")
    if folder is None:
        place = _answers("store", session.settings.store, shown_url(session.settings.store))
        if place.state == "wrong":
            return place
    try:
        async with session.graph(create=True) as graph:
            counts = await graph.stats()
        size = f"{counts.episodes} episodes, {counts.entities} entities, {counts.facts} facts"
        return Look("store", "ok", f"opens; group {counts.group}: {size}")
    except StoreLockedError as error:
        return Look("store", "wrong", str(error), "--wait 30, or end the other process")
    except GraphRAGError as error:
        return Look("store", "wrong", str(error), "see docs/operations.md")


async def init(
    session: CommandRun,
    folder: Path = Argument(Path(), help="Project folder; default: this one."),
) -> None:
    """Create a file that selects the store for every command in this folder.

    The file holds the store and the group; commands in the folder and below it need neither option.
    The store is created by the first command that writes: add FILE.
    """
    file = folder / PROJECT_FILE
    if file.exists():
        raise InputError(f"{file} is there already: edit it, or delete it first")
    if not folder.is_dir():
        raise InputError(f"there is no folder {folder}")
    store = session.settings.store if session.store_given else "surrealkv://./graph-store"
    if not store.startswith("surrealkv://"):
        raise InputError(
            f"a project has its store in a folder, not at {shown_url(store)}: export "
            "SURREAL_GRAPHRAG_STORE instead"
        )
    stated = {"store": store, "group": session.group}
    # TOML reads a JSON string as it stands.
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in stated.items())
    file.write_text("".join(lines), encoding="utf-8")
    known = user_file()
    session.answer(
        {"file": str(file), **stated},
        line(f"{file}: {store}, group {session.group}", "bold green"),
        line("surreal-graphrag add NOTES/ fills it, and makes it with the first file"),
        line(f"settings of yours for all projects: {known}") if known else None,
    )


async def queue(
    session: CommandRun,
    retry: bool = Option(False, help="Put the failed episodes back into the queue."),
    drain: bool = Option(False, help="Extract the pending episodes now, in this process."),
) -> None:
    """Show pending episodes, and failed ones with the reason.

    The exit code is 1 if any failed.
    """
    async with session.graph() as graph:
        retried = await graph.queue.retry() if retry else 0
        if drain:
            with session.busy("reading"):
                await graph.queue.drain()
        status = await graph.queue.status()
        failed = await graph.queue.failed()
    since = status.oldest_pending
    rows = {
        "done": status.done,
        "waiting": status.pending,
        "  since": since.isoformat(timespec="seconds") if since else None,
        "failed": status.failed,
        "put back": retried if retry else None,
        "read and not believed": status.dropped or None,
        "believed otherwise": status.adjusted or None,
    }
    failures = [attributes(item, "id", "name", "valid_at", "error") for item in failed]
    lines = [
        (episode.name[:_NAME] or episode.id, day(episode.valid_at), episode.error or "")
        for episode in failed
    ]
    session.answer(
        plain(status) | {"retried": retried, "failures": failures},
        tally(f"Queue of group {session.group}", rows),
        *_first("Failed", ("episode", "date", "why"), lines),
        line("queue --retry --drain tries them again") if failed else None,
        failed=bool(failed),
    )


def _first(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]
) -> list[RenderableType]:
    rest = len(rows) - _SHOWN
    more = [line(f"and {rest} more: --json lists them all")] if rest > 0 else []
    return [table(title, *columns, rows=rows[:_SHOWN]), *more] if rows else []


async def check(session: CommandRun, all_groups: EveryGroup = False) -> None:
    """Check every record against the log, related records and the index; change nothing.

    The exit code is 0 for a sound graph and 1 for one with findings.
    """
    async with session.graph("checking") as graph:
        report = await (graph.health.check_all() if all_groups else graph.health.check())
    groups = ", ".join(report.groups) or "none"
    last = "sound" if report.sound else ""
    if any(finding.repairable for finding in report.findings):
        last = "surreal-graphrag repair mends what needs no guessing"
    session.answer(
        plain(report) | {"sound": report.sound},
        line(f"{report.records} records and {report.events} events of {groups} checked"),
        *_findings("Findings", report.findings),
        line(last, "bold green" if report.sound else "") if last else None,
        failed=not report.sound,
    )


async def repair(session: CommandRun, all_groups: EveryGroup = False) -> None:
    """Repair defects that have one possible repair, as a logged event; list the others.

    The exit code is 0 if no finding remains and 1 otherwise.
    """
    async with session.graph("repairing") as graph:
        report = await (graph.health.repair_all() if all_groups else graph.health.repair())
    session.answer(
        plain(report) | {"sound": report.sound},
        *_findings("Repaired", report.repaired),
        *_findings("Left", report.left),
        line("sound", "bold green") if report.sound else line("not sound", "bold red"),
        failed=not report.sound,
    )


def _findings(title: str, findings: Sequence["Finding"]) -> list[RenderableType]:
    rows = [(finding.group, finding.record, finding.what, finding.how) for finding in findings]
    return _first(f"{title} ({len(rows)})", ("group", "record", "what", "how to repair"), rows)


async def serve(
    session: CommandRun,
    mcp: bool = Option(
        False, help="Serve only tools, on standard input and output, for the client program."
    ),
    host: str = Option("127.0.0.1", help="Address to listen on; other machines need tokens."),
    port: int = Option(8000, help="Port; 0 for any free one.", min=0, max=65535),
    tokens: Path | None = Option(
        None,
        metavar="FILE",
        help="TOML file of tokens and their groups, readable by you alone. One token for "
        "--group alone may also be in $SURREAL_GRAPHRAG_TOKEN.",
    ),
    workers: int = Option(1, help="Groups whose queue is processed at a time.", min=0),
) -> None:
    """Serve the graph until Ctrl-C or SIGTERM: explorer at /, MCP tools at /mcp, REST at /v1.

    With --mcp, serve only the tools, to the client that starts this command, such as Claude.
    """
    try:
        from graphrag.serve.server import serve as serve_http
        from graphrag.serve.server import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _SERVE_PARTS:
            raise
        raise MissingExtraError("serve", "serve") from error
    known = None if mcp else read_tokens(tokens, session.settings, session.group)
    session = session.changed("--workers", workers=workers)
    async with session.graph(create=True) as graph:
        if mcp:
            await serve_stdio(graph)
            return
        with ExitStack() as noting:

            def listening(url: str) -> None:
                noting.enter_context(noted(session.folder(), url))
                session.show(
                    line(f"{url}/: explorer; {url}/mcp: tools; {url}/v1: REST; {url}/openapi.json")
                )
                sys.stdout.flush()

            await serve_http(graph, host=host, port=port, tokens=known, on_start=listening)
