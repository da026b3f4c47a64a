"""``serve``: a graph for other programs, as tools for agents and as REST."""

import sys
import tomllib
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphrag.cli.render import line
from graphrag.cli.serving_mark import noted
from graphrag.cli.terminal import Session
from graphrag.errors import InputError, MissingExtraError
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.serve.grants import Grant, Tokens

_PARTS = {"mcp", "uvicorn", "starlette", "mcp_types"}
_KEYS = {"token", "groups", "writes"}


async def serve(
    session: Session,
    mcp: Annotated[
        bool,
        typer.Option(
            "--mcp", help="Tools on standard input and output, for the client that starts this."
        ),
    ] = False,
    host: Annotated[
        str, typer.Option(help="Where to listen; beyond this machine only with tokens.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="0 for any that is free.", min=0, max=65535)] = 8000,
    tokens: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="TOML file of tokens and their groups, readable by you alone. One token for "
            "--group alone may also be in $SURREAL_GRAPHRAG_TOKEN.",
            show_default=False,
        ),
    ] = None,
    workers: Annotated[
        int, typer.Option(help="Groups whose queued episodes are read at a time.", min=0)
    ] = 1,
) -> None:
    """Serve the graph until Ctrl-C or SIGTERM: a page at /, tools at /mcp, REST at /v1.

    With --mcp the tools alone, to the program that starts this, such as Claude or Cursor.
    """
    try:
        from graphrag.serve.server import serve as serve_http
        from graphrag.serve.server import serve_stdio
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PARTS:
            raise
        raise MissingExtraError("serve", "serve") from error
    known = None if mcp else read_tokens(tokens, session.settings, session.group)
    session = replace(session, settings=replace(session.settings, workers=workers))
    async with session.graph(create=True) as graph:
        if mcp:
            await serve_stdio(graph)
            return

        noting = ExitStack()

        def listening(url: str) -> None:
            noting.enter_context(noted(session.folder(), url))
            session.show(
                line(f"{url}/: explorer; {url}/mcp: tools; {url}/v1: REST; {url}/openapi.json")
            )
            sys.stdout.flush()

        with noting:
            await serve_http(graph, host=host, port=port, tokens=known, on_start=listening)


def read_tokens(file: Path | None, settings: Settings, group: str) -> "Tokens":
    """Return the tokens of a file and of the environment; no error says one of them.

    Raises:
        InputError: if the file cannot be used, or others may read it.
    """
    from graphrag.serve.grants import Grant, Tokens

    grants = [] if file is None else [_granted(name, row) for name, row in _rows(file).items()]
    if settings.token is not None:
        grants.append((settings.token, Grant("environment", (group,))))
    return Tokens(grants)


def _granted(name: str, row: object) -> tuple[str, "Grant"]:
    """Return a token and what it grants, of one table of the file."""
    from graphrag.serve.grants import Grant

    if not isinstance(row, dict) or not row.keys() <= _KEYS:
        raise InputError(f"[{name}] takes token, groups and writes")
    token, groups, writes = row.get("token"), row.get("groups"), row.get("writes", True)
    if not isinstance(token, str) or not isinstance(writes, bool):
        raise InputError(f"[{name}] needs a token in quotes; writes is true or false")
    if not isinstance(groups, list) or not groups or not all(isinstance(g, str) for g in groups):
        raise InputError(f'[{name}] needs its groups: groups = ["work"], or ["*"] for every group')
    return token, Grant(name, () if "*" in groups else tuple(groups), writes)


def _rows(file: Path) -> dict[str, Any]:
    try:
        mode = file.stat().st_mode
        rows = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {file}: {error.strerror}") from None
    except ValueError:  # its words would show the line, with the token
        raise InputError(f"{file} is no TOML: see docs/serve.md") from None
    if sys.platform != "win32" and mode & 0o077:
        raise InputError(f"others may read {file}: chmod 600 {file}")
    return rows
