"""Manual edits: review, facts, merges, splits, names, and ``revert``."""

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from graphrag.cli.command import Actor, Limit, Reason, moment
from graphrag.cli.render import event_form, fact_form, facts_entries, line, table
from graphrag.cli.terminal import CommandRun
from graphrag.display.cards import fact_line
from graphrag.display.lists import done
from graphrag.model.values import Event, Fact

if TYPE_CHECKING:
    from graphrag.edit import Keep

_UNKNOWN = "unknown"

FactId = Annotated[
    str,
    typer.Argument(
        metavar="FACT", help="Id of the fact; see facts --ids and review.", show_default=False
    ),
]
EventNumber = Annotated[int, typer.Argument(help="Number of the event; see log.", min=1)]
Bearer = Annotated[str, typer.Argument(help="Id or unique name of an entity.", show_default=False)]


async def review(session: CommandRun, limit: Limit = 20) -> None:
    """List the facts that wait for review, oldest first.

    Reads leave them out until `confirm FACT` accepts them; `reject FACT` retracts them.
    """
    async with session.graph("reading") as graph:
        pending = await graph.edit.pending(limit)
    episodes = {quote.episode.id: quote.episode for item in pending for quote in item.sources}
    session.answer(
        [fact_form(item.fact, episodes) for item in pending],
        facts_entries("To review", (item.fact for item in pending), episodes, ids=True),
        line("confirm FACT accepts one, reject FACT takes it back"),
        empty="nothing waits for review",
    )


async def confirm(session: CommandRun, fact: FactId, actor: Actor = None) -> None:
    """Accept a fact that waits for review."""
    async with session.graph("writing") as graph:
        after = await graph.edit.confirm(fact, actor=actor)
    _show_fact(session, "confirmed", after)


async def reject(
    session: CommandRun, fact: FactId, reason: Reason = "", actor: Actor = None
) -> None:
    """Retract a fact that waits for review."""
    async with session.graph("writing") as graph:
        after = await graph.edit.reject(fact, reason, actor=actor)
    _show_fact(session, "rejected", after)


async def retract(
    session: CommandRun, fact: FactId, reason: Reason = "", actor: Actor = None
) -> None:
    """Retract a fact that was never true.

    Facts that it had closed hold again. It stays in the history, with the reason.
    """
    async with session.graph("writing") as graph:
        after = await graph.edit.retract(fact, reason, actor=actor)
    _show_fact(session, "retracted", after)


async def invalidate(
    session: CommandRun,
    fact: FactId,
    end: datetime | None = Option(None, help="When it ended. Default: now."),
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """End a fact at a moment; it stays true for the time before."""
    async with session.graph("writing") as graph:
        after = await graph.edit.invalidate(fact, end, reason=reason, actor=actor)
    _show_fact(session, "ended", after)


async def correct(
    session: CommandRun,
    fact: FactId,
    subject: str | None = Option(
        None, help="New subject, by name or id; an unknown name creates an entity."
    ),
    relation: str | None = Option(None, help="New relation, such as works_at."),
    object_: str | None = Option(None, "--object", help="New object, as for --subject."),
    text: str | None = Option(None, help="New sentence that states the fact."),
    valid_at: str | None = Option(None, metavar="DATE", help=f"New start, or {_UNKNOWN}."),
    invalid_at: str | None = Option(
        None, metavar="DATE", help=f"New end, or {_UNKNOWN} if it still holds."
    ),
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Correct a fact.

    A new subject, relation or object creates a new fact, and the old one is retracted.
    """
    start, end = _changed(valid_at, "--valid-at"), _changed(invalid_at, "--invalid-at")
    async with session.graph("writing") as graph:
        after = await graph.edit.correct(
            fact, subject=subject, relation=relation, object=object_, text=text, valid_at=start,
            invalid_at=end, reason=reason, actor=actor,
        )  # fmt: skip
        events = await graph.log.events(fact=after, limit=1)
    _show_fact(session, "now stands", after, (events[-1].note if events else None) or "")


def _changed(text: str | None, option: str) -> "str | Keep | None":
    from graphrag.edit import KEEP

    if text is None:
        return KEEP
    return None if text == _UNKNOWN or moment(text, option) is None else text


def _show_fact(session: CommandRun, verb: str, fact: Fact, note: str = "") -> None:
    session.answer(
        fact,
        line(f"{verb}: {fact_line(fact)}"),
        line(f"id {fact.id}", "dim"),
        line(note) if note else None,
    )


async def candidates(session: CommandRun, limit: Limit = 20) -> None:
    """List pairs of entities that may be duplicates, most likely first.

    `merge KEEP OTHER` merges a pair.
    """
    async with session.graph("comparing") as graph:
        pairs = await graph.identity.candidates(limit)
    rows = (
        (f"{pair.score:.2f}", pair.entity.name, pair.entity.id, pair.other.name, pair.other.id)
        for pair in pairs
    )
    session.answer(
        pairs,
        table("May be one", ">score", "keep", "id", "other", "id", rows=rows),
        line("merge KEEP OTHER makes them one"),
        empty="no two entities look like one",
    )


async def merge(
    session: CommandRun, keep: Bearer, other: Bearer, reason: Reason = "", actor: Actor = None
) -> None:
    """Merge two entities.

    The first one takes over all statements about the second, and its names as aliases.
    """
    async with session.graph("merging") as graph:
        event = await graph.identity.merge(keep, other, reason=reason, actor=actor)
    _show_event(session, event, "unmerge")


async def unmerge(
    session: CommandRun, event: EventNumber, reason: Reason = "", actor: Actor = None
) -> None:
    """Undo a merge; data added since then stays with the entity that was kept."""
    async with session.graph("parting") as graph:
        after = await graph.identity.unmerge(event, reason=reason, actor=actor)
    _show_event(session, after, "revert")


async def rename(
    session: CommandRun,
    entity: Bearer,
    name: str = Argument(help="New primary name."),
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Change the primary name of an entity; the old name becomes an alias."""
    async with session.graph("renaming") as graph:
        event = await graph.identity.rename(entity, name, reason=reason, actor=actor)
    _show_event(session, event, "revert")


async def split(
    session: CommandRun,
    entity: Bearer,
    name: str = Argument(help="Name of the new entity."),
    facts: list[str] | None = Option(None, "--fact", metavar="ID", help="A fact to move."),
    episodes: list[str] | None = Option(
        None,
        "--episode",
        metavar="ID",
        help="An episode whose statements about the entity all move.",
    ),
    entity_type: str | None = Option(
        None, "--type", help="Type of the new entity. Default: unchanged."
    ),
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Move facts that were attributed to the wrong entity to a new one.

    `facts Ann --ids` and `list episodes` print the ids. Use `unmerge` to undo a merge.
    """
    async with session.graph("parting") as graph:
        made = await graph.identity.split(
            entity, name=name, facts=facts or (), episodes=episodes or (), entity_type=entity_type,
            reason=reason, actor=actor,
        )  # fmt: skip
    session.answer(
        made,
        line(f"new: {made.name}, {made.entity_type}, id {made.id}"),
        line("log --limit 1 shows the event, which revert undoes"),
    )


async def revert(
    session: CommandRun,
    event: EventNumber,
    force: bool = Option(False, help="Restore fields that a later event changed, too."),
    reason: Reason = "",
    actor: Actor = None,
) -> None:
    """Undo an event with a new event, which can be reverted, too."""
    async with session.graph("reverting") as graph:
        after = await graph.log.revert(event, force=force, reason=reason, actor=actor)
    _show_event(session, after, "revert")


def _show_event(session: CommandRun, event: Event, undo: str) -> None:
    session.answer(
        event_form(event),
        line(f"event {event.seq}, {event.kind}: {done(event)}"),
        line(f"{undo} {event.seq} takes it back"),
    )
