"""How a store is doing: ``doctor``, ``init``, ``queue``, ``check`` and ``repair``."""

import json
import socket
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from rich.console import RenderableType
from typer import Argument, Option

from graphrag.cli.command import EveryGroup
from graphrag.cli.config import PROJECT_FILE, user_file
from graphrag.cli.render import day, line, plain, table, tally
from graphrag.cli.terminal import Session, address_of
from graphrag.errors import GraphRAGError, InputError, StoreLockedError
from graphrag.model.values import Episode
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.health.snapshot import Finding

_NAME, _SHOWN = 40, 50
_SECONDS = 2.0
"""How long a server has to take a connection."""
_EXTRAS = (
    ("local", ("onnxruntime", "spacy"), "embedder and rules of this machine"),
    ("serve", ("mcp", "uvicorn"), "tools for agents, REST"),
    ("openai", ("openai",), "a language model"),
    ("analysis", ("networkx", "pandas"), "exports as networks and tables"),
)
"""What an extra brings, by the packages that tell of it."""


@dataclass(frozen=True, slots=True)
class Look:
    """One thing that was looked at."""

    what: str
    state: str
    """``ok``, ``missing`` (nothing that is asked for needs it) or ``wrong``."""
    says: str
    do: str = ""


async def doctor(session: Session) -> None:
    """Tell what is set and by whom, what is installed, what answers, and what to do.

    Changes nothing. The exit code is 1 if anything that is asked for does not work.
    """
    looks = [*_settings(session), *_extras(), _language_model(session), await _store(session)]
    rows = [(look.what, look.state, look.says, look.do) for look in looks]
    ill = any(look.state == "wrong" for look in looks)
    session.answer(looks, table("Doctor", "", "", "", "what to do", rows=rows), failed=ill)


def _settings(session: Session) -> Iterator[Look]:
    """Yield each setting with where it is from; secrets are not shown."""
    settings, origins = session.settings, session.configured.origins
    yield Look("version", "ok", f"{version('surreal-graphrag')}, Python {sys.version.split()[0]}")
    values = {
        "store": shown_url(settings.store),
        "group": session.group,
        "wait": f"{session.wait:g} s",
        "user": settings.user,
        "password": "(set)" if settings.password else None,
        "store_token": "(set)" if settings.store_token else None,
        "embedder": settings.embedder,
        "llm_model": settings.llm_model,
        "llm_base_url": settings.llm_base_url and shown_url(settings.llm_base_url),
        "llm_api_key": "(set)" if settings.llm_api_key else None,
        "token": "(set)" if settings.token else None,
    }
    for name, value in values.items():
        if value is not None:
            yield Look(f"setting {name}", "ok", f"{value} ({origins.get(name, 'default')})")
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


def _language_model(session: Session) -> Look:
    settings = session.settings
    if settings.llm_model is None:
        return Look("language model", "missing", "rules read texts", "export SURREAL_GRAPHRAG_LLM=")
    url = settings.llm_base_url or "https://api.openai.com/v1"
    if settings.llm_api_key is None and settings.llm_base_url is None:
        return Look("language model", "wrong", "no key", "export OPENAI_API_KEY=")
    return _answers("language model", url, f"{settings.llm_model} at {shown_url(url)}")


def _answers(what: str, url: str, says: str) -> Look:
    """Look whether somebody listens there; nothing is asked of them."""
    parts = urlsplit(url)
    try:
        port = parts.port or (443 if parts.scheme in ("https", "wss") else 80)
        with socket.create_connection((parts.hostname or "", port), _SECONDS):
            return Look(what, "ok", f"{says}: answers")
    except (OSError, ValueError) as error:
        return Look(what, "wrong", f"{says}: {error}", "start it, or name another")


async def _store(session: Session) -> Look:
    """Open the store, as every command does, and count what is in it."""
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
    session: Session,
    folder: Path = Argument(Path(), help="Of the project; default: this one."),
) -> None:
    """Make a file that names the store of this folder to every command in it.

    The file has the store and the group; commands in the folder and below it then need neither.
    The store itself is made by the first that adds something: add FILE.
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
    # What JSON writes as a text, TOML reads as one.
    lines = (f"{name} = {json.dumps(value)}\n" for name, value in stated.items())
    file.write_text("".join(lines), encoding="utf-8")
    known = user_file()
    session.answer(
        {"file": str(file), "store": store, "group": session.group},
        line(f"{file}: {store}, group {session.group}", "bold green"),
        line("surreal-graphrag add NOTES/ fills it, and makes it with the first file"),
        line(f"settings of yours for all projects: {known}") if known else None,
    )


async def queue(
    session: Session,
    retry: bool = Option(False, help="Put the failed episodes back into the queue."),
    drain: bool = Option(False, help="Read what is waiting, in this process, now."),
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
    failures = [
        {"id": item.id, "name": item.name, "valid_at": item.valid_at, "error": item.error}
        for item in failed
    ]
    session.answer(
        plain(status) | {"retried": retried, "failures": failures},
        tally(f"Queue of group {session.group}", rows),
        *_failures(failed),
        failed=bool(failed),
    )


def _failures(failed: Sequence[Episode]) -> list[RenderableType | None]:
    if not failed:
        return []
    lines = [
        (episode.name[:_NAME] or episode.id, day(episode.valid_at), episode.error or "")
        for episode in failed[:_SHOWN]
    ]
    return [
        table("Failed", "episode", "date", "why", rows=lines),
        _more(failed),
        line("queue --retry --drain tries them again"),
    ]


def _more(listed: Sequence[object]) -> RenderableType | None:
    """Return what to say about those of a list that are not shown."""
    rest = len(listed) - _SHOWN
    return line(f"and {rest} more: --json lists them all") if rest > 0 else None


async def check(session: Session, all_groups: EveryGroup = False) -> None:
    """Check every record against the log, its neighbours and the memory; change nothing.

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


async def repair(session: Session, all_groups: EveryGroup = False) -> None:
    """Mend what needs no guessing, in a logged event, and say what is left.

    The exit code is 0 if nothing is left and 1 otherwise.
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


def _findings(title: str, findings: Sequence["Finding"]) -> list[RenderableType | None]:
    if not findings:
        return []
    rows = (
        (finding.group, finding.record, finding.what, finding.how) for finding in findings[:_SHOWN]
    )
    columns = ("group", "record", "what", "how to repair")
    return [table(f"{title} ({len(findings)})", *columns, rows=rows), _more(findings)]
