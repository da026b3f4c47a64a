"""``doctor`` and ``init``: what is set, what is installed, what answers, and what to do."""

import json
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from graphrag.cli.config import PROJECT_FILE, user_file
from graphrag.cli.render import line, table
from graphrag.cli.serving_mark import address_of
from graphrag.cli.terminal import Session
from graphrag.errors import GraphRAGError, InputError, StoreLockedError
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG

_ILL = 1
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
    """Tell what is set and by whom, what is installed, what answers, and what to do: doctor.

    Changes nothing. The exit code is 1 if anything that is asked for does not work.
    """
    looks = [*_settings(session), *_extras(), _language_model(session), await _store(session)]
    rows = [(one.what, one.state, one.says, one.do) for one in looks]
    session.answer(looks, table("Doctor", "", "", "", "what to do", rows=rows))
    if any(one.state == "wrong" for one in looks):
        raise typer.Exit(_ILL)


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
        found, missing = [], []
        for package in packages:
            try:
                found.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                missing.append(package)
        if missing:
            do = f"pip install 'surreal-graphrag[{extra}]'"
            yield Look(f"extra {extra}", "missing", f"{what}: no {', '.join(missing)}", do)
        else:
            yield Look(f"extra {extra}", "ok", f"{what}: {', '.join(found)}")


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
            return await _opened(graph)
    except StoreLockedError as error:
        return Look("store", "wrong", str(error), "--wait 30, or end the other process")
    except GraphRAGError as error:
        return Look("store", "wrong", str(error), "see docs/operations.md")


async def _opened(graph: "GraphRAG") -> Look:
    counts = await graph.stats()
    said = f"{counts.episodes} episodes, {counts.entities} entities, {counts.facts} facts"
    return Look("store", "ok", f"opens; group {counts.group}: {said}")


async def init(
    session: Session,
    folder: Annotated[
        Path, typer.Argument(help="Of the project; default: this one.", show_default=False)
    ] = Path(),
) -> None:
    """Make a file that names the store of this folder to every command in it: init.

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
        *([line(f"settings of yours for all projects: {known}")] if known else []),
    )
