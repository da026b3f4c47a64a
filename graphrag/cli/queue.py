"""``queue``: what waits to be read, what failed and why, and trying again."""

from typing import Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.render import day, line, table
from graphrag.cli.session import Session

_FAILED = 1
_NAME, _SHOWN = 40, 50


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
        retried = await graph.retry_failed(group=session.group) if retry else 0
        if drain:
            with session.busy("reading"):
                await graph.drain(group=session.group)
        status = await graph.status(group=session.group)
        failed = await graph.failed_episodes(group=session.group)
    if session.json:
        told = [
            {"id": one.id, "name": one.name, "valid_at": one.valid_at, "error": one.error}
            for one in failed
        ]
        session.show_json(plain(status) | {"retried": retried, "failures": plain(told)})
    else:
        since = status.oldest_pending
        rows = [
            ("done", str(status.done)),
            ("waiting", str(status.pending)),
            *((("  since", since.isoformat(timespec="seconds")),) if since else ()),
            ("failed", str(status.failed)),
            *((("put back", str(retried)),) if retry else ()),
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
        raise typer.Exit(_FAILED)
