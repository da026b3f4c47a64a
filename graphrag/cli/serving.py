"""``serve``: a graph for other programs, as tools for agents and as REST."""

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from typer import Option

from graphrag.cli.config import check_private, read_toml
from graphrag.cli.render import line
from graphrag.cli.terminal import Session, noted
from graphrag.errors import InputError, MissingExtraError
from graphrag.settings import Settings

if TYPE_CHECKING:
    from graphrag.serve.grants import Grant, Tokens

_PARTS = {"mcp", "uvicorn", "starlette", "mcp_types"}
_KEYS = {"token", "groups", "writes"}


async def serve(
    session: Session,
    mcp: bool = Option(
        False, help="Tools on standard input and output, for the client that starts this."
    ),
    host: str = Option("127.0.0.1", help="Where to listen; beyond this machine only with tokens."),
    port: int = Option(8000, help="0 for any that is free.", min=0, max=65535),
    tokens: Path | None = Option(
        None,
        metavar="FILE",
        help="TOML file of tokens and their groups, readable by you alone. One token for "
        "--group alone may also be in $SURREAL_GRAPHRAG_TOKEN.",
    ),
    workers: int = Option(1, help="Groups whose queued episodes are read at a time.", min=0),
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
    session = session.changed("--workers", workers=workers)
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

    grants = []
    if file is not None:
        rows = read_toml(file, "docs/serve.md")
        check_private(file)
        grants += [_granted(name, row) for name, row in rows.items()]
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
