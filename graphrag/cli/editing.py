"""What a person knows better: ``review``, edits of facts, ``revert`` and ``forget``."""

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from graphrag.cli.forms import fact_form, plain
from graphrag.cli.moments import moment
from graphrag.cli.render import Entries, fact_entry, line, table
from graphrag.cli.terminal import Session
from graphrag.errors import InputError
from graphrag.model.values import Event, Fact
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.edit.edits import Keep
    from graphrag.history.erasure import Forgotten, Texts

_NAMES = {
    "entity": "entities",
    "relates_to": "facts",
    "episode": "episodes",
    "event": "events of the log",
}
"""What people count, by table."""
_DECLINED = 1
_LINES = 2
_UNKNOWN = "unknown"

FactId = Annotated[
    str,
    typer.Argument(
        metavar="FACT", help="Its id, as review and facts --ids print it.", show_default=False
    ),
]
Reason = Annotated[str, typer.Option(help="Why, for the log.")]
Actor = Annotated[str | None, typer.Option(help="Who does this, for the log. Default: library.")]


async def review(
    session: Session, limit: Annotated[int, typer.Option(help="Facts at most.", min=1)] = 20
) -> None:
    """List the facts that wait for a person, oldest first: review --limit 5.

    No read shows them until `confirm FACT` accepts them; `reject FACT` takes them back.
    """
    async with session.graph("reading") as graph:
        pending = await graph.edit.pending(limit)
    episodes = {quote.episode.id: quote.episode for item in pending for quote in item.sources}
    entries = tuple(fact_entry(item.fact, episodes, lead=item.fact.id) for item in pending)
    session.answer(
        [fact_form(item.fact, episodes) for item in pending],
        Entries(Text("To review", style="bold"), entries, _LINES),
        line("confirm FACT accepts one, reject FACT takes it back"),
        empty="nothing waits for review",
    )


async def confirm(session: Session, fact: FactId, actor: Actor = None) -> None:
    """Accept a fact that waits for review: confirm FACT --actor ann."""
    async with session.graph("writing") as graph:
        after = await graph.edit.confirm(fact, actor=actor)
    _show_fact(session, "confirmed", after)


async def reject(session: Session, fact: FactId, reason: Reason = "", actor: Actor = None) -> None:
    """Take back a fact that waits for review: reject FACT --reason "she only joked"."""
    async with session.graph("writing") as graph:
        after = await graph.edit.reject(fact, reason, actor=actor)
    _show_fact(session, "rejected", after)


async def retract(session: Session, fact: FactId, reason: Reason = "", actor: Actor = None) -> None:
    """Declare that a fact was never true: retract FACT --reason "a namesake".

    What it had closed holds again. It stays in the history, with the reason.
    """
    async with session.graph("writing") as graph:
        after = await graph.edit.retract(fact, reason, actor=actor)
    _show_fact(session, "retracted", after)


async def invalidate(
    session: Session,
    fact: FactId,
    end: Annotated[
        str | None, typer.Option(metavar="DATE", help="When it ended. Default: now.")
    ] = None,
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Declare that a fact ended; until then it was true: invalidate FACT --end 2024-03-01."""
    then = moment(end, "--end")
    async with session.graph("writing") as graph:
        after = await graph.edit.invalidate(fact, then, reason=reason, actor=actor)
    _show_fact(session, "ended", after)


async def correct(
    session: Session,
    fact: FactId,
    subject: Annotated[
        str | None, typer.Option(help="Another subject, by name or id; a new name is a new entity.")
    ] = None,
    relation: Annotated[str | None, typer.Option(help="Another relation, as works_at.")] = None,
    object_: Annotated[
        str | None, typer.Option("--object", help="Another object, as --subject.")
    ] = None,
    text: Annotated[str | None, typer.Option(help="The sentence that states it.")] = None,
    valid_at: Annotated[
        str | None, typer.Option(metavar="DATE", help=f"Another start, or {_UNKNOWN}.")
    ] = None,
    invalid_at: Annotated[
        str | None,
        typer.Option(metavar="DATE", help=f"Another end, or {_UNKNOWN}: it still holds."),
    ] = None,
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Set a fact right: correct FACT --object Initech --valid-at 2024-03-01.

    With another subject, relation or object it becomes another fact, and the old one is retracted.
    """
    start, end = _changed(valid_at, "--valid-at"), _changed(invalid_at, "--invalid-at")
    async with session.graph("writing") as graph:
        after = await graph.edit.correct(
            fact,
            subject=subject,
            relation=relation,
            object=object_,
            text=text,
            valid_at=start,
            invalid_at=end,
            reason=reason,
            actor=actor,
        )
        events = await graph.log.events(fact=after, limit=1)
    _show_fact(session, "now stands", after, note=(events[-1].note if events else None) or "")


async def revert(
    session: Session,
    event: Annotated[int, typer.Argument(help="Its number, as log prints it.", min=1)],
    force: Annotated[
        bool, typer.Option("--force", help="Restore even what a later event has changed.")
    ] = False,
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Undo an event by a new one, which can be reverted itself: revert 12."""
    async with session.graph("reverting") as graph:
        after = await graph.log.revert(event, force=force, reason=reason, actor=actor)
    show_event(session, after, "revert")


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
    if whole_group and keep_episodes:
        raise InputError("--keep-episodes is for an entity: --whole-group erases every text")
    texts: Texts = "keep" if keep_episodes else "erase"
    async with session.graph() as graph:

        async def run(*, dry_run: bool) -> "Forgotten":
            if entity is None:
                return await graph.erase.group(confirm=session.group, dry_run=dry_run)
            return await graph.erase.entity(entity, episodes=texts, dry_run=dry_run)

        if not yes:
            with session.busy("counting"):
                planned = await run(dry_run=True)
            _ask(session, entity, planned.records)
        with session.busy("forgetting"):
            forgotten = await run(dry_run=False)
    session.answer(
        forgotten,
        table("Erased", "", ">", rows=_counted(forgotten.records)),
        line("backups and cached answers of a language model are yours to delete"),
    )


def _ask(session: Session, entity: str | None, records: Mapping[str, int]) -> None:
    what = (
        f"group {session.group!r}" if entity is None else f"{entity!r} of group {session.group!r}"
    )
    counts = ", ".join(f"{number} {name}" for name, number in _counted(records))
    session.note(f"this erases {what} from {shown_url(session.settings.store)} for good: {counts}")
    if not sys.stdin.isatty():
        raise InputError("nobody can be asked here: give --yes to forget without asking")
    if not typer.confirm("forget it?", err=True):
        session.note("nothing was erased")
        raise typer.Exit(_DECLINED)


def _counted(records: Mapping[str, int]) -> list[tuple[str, str]]:
    return [(name, str(records[table])) for table, name in _NAMES.items() if records.get(table)]


def _changed(text: str | None, option: str) -> "str | Keep | None":
    from graphrag.edit.edits import KEEP

    if text is None:
        return KEEP
    return None if text == _UNKNOWN or moment(text, option) is None else text


def _show_fact(session: Session, verb: str, fact: Fact, *, note: str = "") -> None:
    """Print the fact that an edit returned, and what the note of its event tells."""
    from graphrag.display.cards import fact_line

    lines = [line(f"{verb}: {fact_line(fact)}"), line(f"id {fact.id}", "dim")]
    session.answer(fact, *lines, *([line(note)] if note else ()))


def show_event(session: Session, event: Event, undo: str) -> None:
    """Print the event that an edit made, and the command that takes it back."""
    from graphrag.display.lists import done

    session.answer(
        plain(event) | {"did": done(event)},
        line(f"event {event.seq}, {event.kind}: {done(event)}"),
        line(f"{undo} {event.seq} takes it back"),
    )
