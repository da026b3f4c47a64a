"""``forget``: erase an entity or a whole group for good, after asking."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from graphrag.cli.forms import plain
from graphrag.cli.render import line, table
from graphrag.cli.session import Session
from graphrag.errors import InputError

if TYPE_CHECKING:
    from graphrag.history.forgotten import Forgotten, Texts

_NAMES = {
    "entity": "entities",
    "relates_to": "facts",
    "episode": "episodes",
    "event": "events of the log",
}
"""What people count, by table."""
_DECLINED = 1


async def forget(
    session: Session,
    entity: Annotated[
        str | None, typer.Argument(help="Name or id of an entity.", show_default=False)
    ] = None,
    whole_group: Annotated[
        bool, typer.Option("--whole-group", help="Erase all of --group and its log instead.")
    ] = False,
    keep_episodes: Annotated[
        bool,
        typer.Option(
            "--keep-episodes", help="Let the texts that name the entity stay as they are."
        ),
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Erase an entity with every text that names it, for good. It cannot be undone."""
    if (entity is None) != whole_group:
        raise InputError("name an entity to forget, or give --whole-group, not both")
    texts: Texts = "keep" if keep_episodes else "erase"
    async with session.graph() as graph:

        async def run(*, dry_run: bool) -> "Forgotten":
            if entity is None:
                return await graph.forget(group=session.group, episodes=texts, dry_run=dry_run)
            return await graph.forget(entity, group=session.group, episodes=texts, dry_run=dry_run)

        if not yes:
            with session.busy("counting"):
                planned = await run(dry_run=True)
            _ask(session, entity, planned.records)
        with session.busy("forgetting"):
            forgotten = await run(dry_run=False)
    if session.json:
        session.show_json(plain(forgotten))
        return
    session.show(table("Erased", "", ">", rows=_counted(forgotten.records)))
    session.show(line("backups and cached answers of a language model are yours to delete"))


def _ask(session: Session, entity: str | None, records: Mapping[str, int]) -> None:
    what = (
        f"group {session.group!r}" if entity is None else f"{entity!r} of group {session.group!r}"
    )
    counts = ", ".join(f"{number} {name}" for name, number in _counted(records))
    session.note(f"this erases {what} from {session.settings.store} for good: {counts}")
    if not sys.stdin.isatty():
        raise InputError("nobody can be asked here: give --yes to forget without asking")
    if not typer.confirm("forget it?", err=True):
        session.note("nothing was erased")
        raise typer.Exit(_DECLINED)


def _counted(records: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(name, str(records[table])) for table, name in _NAMES.items() if records.get(table)]
