"""Options that commands share, and commands made of async functions of a session.

This is the only place that catches every error: one line on standard error and an exit code, or,
under ``--debug``, the error itself.
"""

import asyncio
import inspect
import logging
import os
import sys
import warnings
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text
from typer import Option
from typer.models import OptionInfo

from graphrag.cli.config import configured
from graphrag.cli.terminal import STOPPED, CommandRun, OpenGraph, Stopped
from graphrag.display.visible import visible
from graphrag.errors import EpisodeError, GraphRAGError, InputError, StoreURLError
from graphrag.model.values import DEFAULT_GROUP

if TYPE_CHECKING:
    from graphrag.graph import GraphRAG
    from graphrag.view.view import View

_FAILED, _MISUSED = 1, 2
_PIPE_WIDTH = 120  # a pipe has no width; rich would take 80 columns, which is too narrow for four
_MOMENTS: dict[object, object] = {datetime: str, datetime | None: str | None}
"""Annotations of the options that are moments, and what typer reads them as."""
_VARIABLES = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_VERBOSITY": "error",
    "TRANSFORMERS_VERBOSITY": "error",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""They keep the noise of model libraries off the terminal."""
PANEL = "Store and output"  # panel of --help for the options that all commands share

Axis = Literal["system", "world"]
EntityName = Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)]
Question = Annotated[str, typer.Argument(help="A question or a few words.", show_default=False)]
Limit = Annotated[int, typer.Option(help="Maximum number of results.", min=1)]
Page = Annotated[int, typer.Option("--limit", help="Maximum number.", min=1, max=1000)]
Offset = Annotated[int, typer.Option(help="Number of results to skip.", min=0)]
MaxTokens = Annotated[int, typer.Option(help="Maximum number of tokens for the model.", min=1)]
Reason = Annotated[str, typer.Option(help="The reason, for the log.")]
Actor = Annotated[str | None, typer.Option(help="Your name for the log. Default: library.")]
Source = Annotated[str | None, typer.Option(help="Origin of the data, for people.")]
Relation = Annotated[str | None, typer.Option(help="Only this relation, such as works_at.")]
EntityType = Annotated[str | None, typer.Option("--type", help="Only this type, such as person.")]
EveryGroup = Annotated[
    bool, typer.Option("--all-groups", help="All groups of the store, not only --group.")
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Validate the input, but write nothing.")]
# Typer takes lists of enumerations, not of literals; tests hold these to the library's own.
Outcome = StrEnum("Outcome", "ended replaced overruled corrected open both waiting impossible")
ScopeChoice = StrEnum("ScopeChoice", "facts entities episodes communities")


@dataclass(frozen=True, slots=True)
class AsOfOptions:
    """The moments that a command reads as of."""

    valid_at: datetime | None
    known_at: datetime | None
    history: bool

    def of(self, graph: "GraphRAG") -> "View":
        """Return a graph as seen from here."""
        return graph.at(valid_at=self.valid_at, known_at=self.known_at, history=self.history)


def _view_options(
    *,
    at: datetime | None = Option(
        None, help='State of the world then: "2022-01-01", "March 2022", "2022-01-01T10:00:00Z".'
    ),
    known_at: datetime | None = Option(None, help="Use only data stored by then."),
    history: bool = Option(False, help="Facts of all times, each with its interval."),
) -> None:
    """Declare the options of a viewpoint."""


AnyView: TypeAlias = Annotated[AsOfOptions, "at", "known_at", "history"]
"""Annotation of a parameter that stands for these options."""
Moments: TypeAlias = Annotated[AsOfOptions, "at", "known_at"]
Known: TypeAlias = Annotated[AsOfOptions, "known_at"]


def moment(text: str | None, option: str) -> datetime | None:
    """Parse the moment that an option names."""
    from graphrag.temporal.moment import parse_moment

    return None if text is None else parse_moment(text, what=option)


def as_command(
    command: Callable[..., Coroutine[Any, Any, None]], open_graph: OpenGraph
) -> Callable[..., None]:
    """Return a blocking command with the shared options; its own take precedence."""
    own, views = [], {}
    for item in list(inspect.signature(command).parameters.values())[1:]:
        if getattr(item.annotation, "__origin__", None) is AsOfOptions:
            views[item.name] = item.annotation.__metadata__
        else:
            own.append(item)
    every = inspect.signature(_view_options).parameters
    own += [every[name] for names in views.values() for name in names]
    names = {item.name for item in own}
    every_shared = inspect.signature(_shared).parameters
    shared = [item for name, item in every_shared.items() if name not in names]
    for item in shared:
        item.default.rich_help_panel = PANEL
    moments = [item.name for item in own if item.annotation in _MOMENTS]

    @wraps(command)
    def run(**given: Any) -> None:
        settings = {item.name: given.pop(item.name) for item in shared}
        session = _session(open_graph, settings, settings.pop("json"), settings.pop("debug"))
        with _reporting(session):
            for name in moments:
                given[name] = moment(given[name], _flag(name))
            for name, options in views.items():
                values = {option: given.pop(option) for option in options}
                given[name] = AsOfOptions(
                    values.get("at"), values.get("known_at"), values.get("history", False)
                )
            asyncio.run(command(session, **given))
            sys.stdout.flush()

    parameters = [_as_option(item) for item in (*own, *shared)]
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {item.name: item.annotation for item in parameters}
    return run


def _as_option(item: inspect.Parameter) -> inspect.Parameter:
    """Return a parameter as typer takes it: a moment is text to parse, a switch has no opposite."""
    annotation, option = item.annotation, copy(item.default)
    if annotation in _MOMENTS:
        annotation, option.metavar = _MOMENTS[annotation], "DATE"
    elif annotation is bool and option.default is False and not option.param_decls:
        option.param_decls = (_flag(item.name),)
    elif isinstance(option, OptionInfo) and "list[" in str(annotation):
        option.help = f"{option.help} May be repeated."
    return item.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=annotation, default=option)


def _flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def _shared(
    *,
    store: str | None = Option(
        None,
        metavar="URL",
        help="URL of the store: surrealkv://FOLDER, ws://HOST:PORT, ... Default: "
        "$SURREAL_GRAPHRAG_STORE, else surrealkv://./graph-store.",
    ),
    user: str | None = Option(None, help="User of the server; default: $SURREAL_USER."),
    password: str | None = Option(None, help="Password; default: $SURREAL_PASSWORD."),
    store_token: str | None = Option(None, help="Access token; default: $SURREAL_TOKEN."),
    namespace: str | None = Option(None, help="SurrealDB namespace; default: graphrag."),
    database: str | None = Option(None, help="SurrealDB database; default: graphrag."),
    group: str | None = Option(
        None,
        help=f"Group of the store; default: $SURREAL_GRAPHRAG_GROUP, else {DEFAULT_GROUP}.",
    ),
    wait: float | None = Option(
        None,
        metavar="SECONDS",
        help="Seconds to wait for a store that another process has open.",
        min=0,
    ),
    json: bool = Option(False, help="Print JSON."),
    debug: bool = Option(False, help="Show tracebacks and logs."),
) -> None:
    """Declare the options that all commands share."""


def _session(
    open_graph: OpenGraph, settings: dict[str, Any], json: bool, debug: bool
) -> CommandRun:
    if not debug:
        _quiet()
    out, err = consoles()
    try:
        known = configured(settings)
    except GraphRAGError as error:
        err.print(Text(visible(f"error: {error}")), soft_wrap=True)
        raise typer.Exit(_MISUSED) from None
    group = DEFAULT_GROUP if known.settings.group is None else known.settings.group
    given = settings.get("store") is not None
    return CommandRun(known, given, group, json, debug, open_graph, out, err)


@contextmanager
def _reporting(session: CommandRun) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # What reads our output has gone; python must not try to flush it again at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(_FAILED) from None
    except (KeyboardInterrupt, Stopped, typer.Abort) as error:
        session.note(f"stopped: {error}" if str(error) else "stopped")
        raise typer.Exit(STOPPED) from None
    except Exception as error:
        if session.debug or isinstance(error, typer.Exit):
            raise
        # An episode is a file's content, the other inputs are arguments.
        misused = isinstance(error, InputError | StoreURLError)
        code = _MISUSED if misused and not isinstance(error, EpisodeError) else _FAILED
        text = str(error)
        if not isinstance(error, GraphRAGError):
            text = f"unexpected {type(error).__name__}: {error}; --debug shows where"
        line = "; ".join((text, *getattr(error, "__notes__", ())))
        session.note(f"error: {' '.join(line.split())}")
        raise typer.Exit(code) from None


def _quiet() -> None:
    """Silence progress bars, warnings and logs of libraries; to be called before they load."""
    for name, value in _VARIABLES.items():
        os.environ.setdefault(name, value)
    warnings.simplefilter("ignore")
    logging.getLogger().addHandler(logging.NullHandler())
    logging.lastResort = None


class VisibleConsole(Console):
    """A console whose text never steers the terminal, wherever it comes from."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render as rich does, with control characters in texts shown."""
        for segment in super().render(renderable, options):
            text, style, control = segment
            yield segment if control else Segment(visible(text), style)


def consoles() -> tuple[Console, Console]:
    """Return the consoles of standard output and standard error."""
    out = VisibleConsole(highlight=False)
    if not out.is_terminal:
        out = VisibleConsole(highlight=False, width=max(out.width, _PIPE_WIDTH))
    return out, VisibleConsole(stderr=True, highlight=False)
