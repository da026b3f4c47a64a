"""Turn an async function of a session into a command with the options that all commands share.

Here is also the only place that catches every error: one line on standard error and an exit code,
or, under ``--debug``, the error itself.
"""

import asyncio
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Awaitable, Callable
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec

import typer
from rich.text import Text

from graphrag.cli.config import configured
from graphrag.cli.terminal import PANEL, STOPPED, OpenGraph, Session, Stopped, consoles
from graphrag.display.visible import visible
from graphrag.errors import EpisodeError, GraphRAGError, InputError, StoreURLError
from graphrag.model.values import DEFAULT_GROUP

P = ParamSpec("P")

_FAILED, _MISUSED = 1, 2
# The first kind that fits: an episode is a file's content, the other inputs are arguments.
_CODES: tuple[tuple[type[GraphRAGError], int], ...] = (
    (EpisodeError, _FAILED),
    (InputError, _MISUSED),
    (StoreURLError, _MISUSED),
    (GraphRAGError, _FAILED),
)

_VARIABLES = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_VERBOSITY": "error",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""They keep the noise of model libraries off the terminal."""


def as_command(
    command: Callable[Concatenate[Session, P], Awaitable[None]], open_graph: OpenGraph
) -> Callable[..., None]:
    """Return a blocking command that takes the function's arguments and the shared options.

    An option of its own takes the place of a shared one of that name.
    """
    own = list(inspect.signature(command).parameters.values())[1:]
    names = {item.name for item in own}
    every = list(inspect.signature(_session).parameters.values())[1:]
    shared = [item for item in every if item.name not in names]

    @wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        options: dict[str, Any] = {item.name: kwargs.pop(item.name) for item in shared}
        session = _started(open_graph, options)
        with _Boundary(session):
            asyncio.run(_awaited(command(session, *args, **kwargs)))
            sys.stdout.flush()

    parameters = [*own, *shared]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


def _session(
    open_graph: OpenGraph,
    *,
    store: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Where the graph is: surrealkv://FOLDER, ws://HOST:PORT, ... Default: "
            "$SURREAL_GRAPHRAG_STORE, else surrealkv://./graph-store.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    user: Annotated[
        str | None,
        typer.Option(help="User on a server; default: $SURREAL_USER.", rich_help_panel=PANEL),
    ] = None,
    password: Annotated[
        str | None,
        typer.Option(help="Password; default: $SURREAL_PASSWORD.", rich_help_panel=PANEL),
    ] = None,
    store_token: Annotated[
        str | None,
        typer.Option(help="Token instead of both; default: $SURREAL_TOKEN.", rich_help_panel=PANEL),
    ] = None,
    namespace: Annotated[
        str | None, typer.Option(help="Default: graphrag.", rich_help_panel=PANEL)
    ] = None,
    database: Annotated[
        str | None, typer.Option(help="Default: graphrag.", rich_help_panel=PANEL)
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            help=f"Graph inside the store; default: $SURREAL_GRAPHRAG_GROUP, else {DEFAULT_GROUP}.",
            rich_help_panel=PANEL,
        ),
    ] = None,
    wait: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="How long to wait for a store that another process has open.",
            rich_help_panel=PANEL,
            min=0,
        ),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print JSON.", rich_help_panel=PANEL)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show tracebacks and logs.", rich_help_panel=PANEL)
    ] = False,
) -> Session:
    given: dict[str, Any] = {
        "store": store,
        "user": user,
        "password": password,
        "store_token": store_token,
        "namespace": namespace,
        "database": database,
        "group": group,
        "wait": wait,
    }
    if not debug:
        quiet()
    out, err = consoles()
    found = configured(given)
    return Session(
        found.settings,
        store is not None,
        DEFAULT_GROUP if found.settings.group is None else found.settings.group,
        found.wait,
        json,
        debug,
        open_graph,
        out,
        err,
        found,
    )


def _started(open_graph: OpenGraph, options: dict[str, Any]) -> Session:
    """Return the session of a command; a file of settings that cannot be used ends it."""
    try:
        return _session(open_graph, **options)
    except GraphRAGError as error:
        consoles()[1].print(Text(visible(f"error: {error}")), soft_wrap=True)
        raise typer.Exit(_MISUSED) from None


async def _awaited(work: Awaitable[None]) -> None:
    await work


class _Boundary:
    """Turn an error into one line and an exit code."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        """Report the error, if there is one."""
        if error is None or isinstance(error, SystemExit | typer.Exit):
            return
        if isinstance(error, BrokenPipeError):
            # What reads our output has gone; python must not try to flush it again at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(_FAILED) from None
        if isinstance(error, KeyboardInterrupt | Stopped | typer.Abort):
            self._session.note(f"stopped: {error}" if str(error) else "stopped")
            raise typer.Exit(STOPPED) from None
        if self._session.debug:
            return
        code = next((code for kind, code in _CODES if isinstance(error, kind)), _FAILED)
        text = str(error) if isinstance(error, GraphRAGError) else _unexpected(error)
        line = "; ".join((text, *getattr(error, "__notes__", ())))
        self._session.note(f"error: {' '.join(line.split())}")
        raise typer.Exit(code) from None


def _unexpected(error: BaseException) -> str:
    return f"unexpected {type(error).__name__}: {error}; --debug shows where"


def quiet() -> None:
    """Silence progress bars, warnings and logs of libraries; to be called before they load."""
    for name, value in _VARIABLES.items():
        os.environ.setdefault(name, value)
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())
    logging.lastResort = None
