"""Parse the arguments, run the command, return the exit code."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import typer
from rich.console import Console
from rich.text import Text

from graphrag.cli import STOPPED
from graphrag.cli.app import create_app

# Typer 0.29 carries its own copy of click, earlier ones import it; this name works in both.
_ClickException: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


@runtime_checkable
class _Worded(Protocol):
    """An error that says in words what was wrong with the command line."""

    def format_message(self) -> str: ...


def run(arguments: Sequence[str] | None = None, *, app: typer.Typer | None = None) -> int:
    """Run a command line and return its exit code: 0, 1 (failed), 2 (misused), 130 (stopped).

    Args:
        arguments: Default: those of this process.
        app: Default: the app on the graph that the settings name.
    """
    command = typer.main.get_command(app or create_app())
    try:
        code = command.main(
            arguments if arguments is None else list(arguments),
            prog_name="surreal-graphrag",
            standalone_mode=False,
        )
    except typer.Abort:  # Ctrl-C before or after the command itself, which reports its own
        return STOPPED
    except _ClickException as error:
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "surreal-graphrag"
        message = error.format_message() if isinstance(error, _Worded) else str(error)
        line = f"error: {' '.join(message.split())} (see {path} --help)"
        Console(stderr=True, highlight=False).print(Text(line), soft_wrap=True)
        return 2
    return code if isinstance(code, int) else 0
