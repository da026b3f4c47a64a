"""What changed and what does not fit: ``changes``, ``log``, ``contradictions``, ``orphans``."""

import json
from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from rich.text import Text
from typer import Option

from graphrag.cli.command import Axis, Known, Limit, Moments, Reason
from graphrag.cli.render import Entries, Entry, attributes, fact_form, line, plain, table, titled
from graphrag.cli.terminal import Session
from graphrag.display.visible import flatten, visible
from graphrag.errors import GraphRAGError, QueryError
from graphrag.model.values import Event

if TYPE_CHECKING:
    from graphrag.analysis.cleanup import Cleaned
    from graphrag.analysis.contradictions import Contradiction
    from graphrag.analysis.contradictions import Outcome as Settled
    from graphrag.analysis.difference import Changes
    from graphrag.analysis.orphans import Kind
    from graphrag.graph import GraphRAG
    from graphrag.model.values import Fact
    from graphrag.search.sources import Quote


class Outcome(StrEnum):
    """What may have become of a contradiction."""

    ended = "ended"
    replaced = "replaced"
    overruled = "overruled"
    corrected = "corrected"
    open = "open"
    both = "both"
    waiting = "waiting"
    impossible = "impossible"


async def changes(
    session: Session,
    since: datetime = Option(help="The earlier moment."),
    until: datetime | None = Option(None, help="The later one. Default: now."),
    axis: Axis = Option(
        "system", help="system: what the graph learned; world: what began and ended."
    ),
) -> None:
    """Show what the graph learned, closed, corrected or took back between two moments."""
    async with session.graph("reading") as graph:
        changes = await graph.changes(since, until, axis=axis)
    session.answer(changes, _changes(changes), empty="nothing changed")


def _changes(changes: "Changes") -> Entries:
    from graphrag.display.cards import episode_title, lifetime, triple

    entries = [
        Entry(
            triple(change.fact),
            lifetime(change.fact),
            (change.kind != "learned" and change.fact.reason) or "",
            lead=change.kind,
        )
        for change in changes.facts
    ]
    for lead, entities in (("entity", changes.entities), ("merged", changes.merged)):
        entries += [Entry(entity.name, entity.entity_type, lead=lead) for entity in entities]
    for lead, episodes in (("episode", changes.episodes), ("removed", changes.removed)):
        entries += [
            Entry(episode_title(episode), f"{episode.valid_at:%Y-%m-%d}", episode.content, "", lead)
            for episode in episodes
        ]
    return titled(f"{changes.since:%Y-%m-%d %H:%M} to {changes.until:%Y-%m-%d %H:%M}", entries)


async def log(
    session: Session,
    entity: str | None = Option(None, help="Only what changed this entity: a name or an id."),
    limit: Limit = 20,
    follow: bool = Option(
        False,
        "--follow/--no-follow",
        help="Go on with what others commit to the server, until Ctrl-C.",
    ),
) -> None:
    """List the newest changes of a group, oldest first: when, who, what, and why."""
    from graphrag.display.lists import done, moment

    if follow:
        _check_followed(session, entity)
    async with session.graph() as graph:
        with session.busy("reading"):
            known = None if entity is None else await graph.at(history=True).entity(entity)
            if entity is not None and known is None:
                raise GraphRAGError(f"no entity is called {entity!r} in group {session.group!r}")
            events = await graph.log.events(entity=known, limit=limit)
        if follow:
            await _follow(session, graph, events)
            return
    rows = (
        (str(event.seq), moment(event), event.actor, event.kind, done(event), event.note or "")
        for event in events
    )
    title = f"Log of group {session.group}"
    session.answer(
        [plain(event) | {"did": done(event)} for event in events],
        table(title, ">no.", "when", "who", "what", "to", "note", rows=rows),
    )


def _check_followed(session: Session, entity: str | None) -> None:
    if entity is not None:
        raise QueryError("--follow shows everything that is committed: leave out --entity")
    if session.target().embedded:
        raise QueryError(
            f"nobody else can write to {session.settings.store} while this command has it open: "
            "--follow is for servers (ws://, wss://, http://, https://)"
        )


async def _follow(session: Session, graph: "GraphRAG", events: Sequence[Event]) -> None:
    """Print one line an event: the given ones, then whatever is committed."""
    from graphrag.display.lists import done, moment

    def show(event: Event) -> None:
        if session.json:
            form = plain(event) | {"did": done(event)}
            session.out.file.write(visible(json.dumps(form, ensure_ascii=False)) + "\n")
        else:
            parts = (event.seq, moment(event), event.actor, event.kind, done(event), event.note)
            words = "  ".join(str(part) for part in parts if part)
            session.out.print(Text(flatten(words)), soft_wrap=True)
        session.out.file.flush()

    for event in events:
        show(event)
    async for event in graph.log.follow(after=events[-1].seq if events else 0):
        show(event)


async def contradictions(
    session: Session,
    view: Moments,
    since: datetime | None = Option(None, help="The earliest moment. Default: any."),
    until: datetime | None = Option(None, help="The first moment too late. Default: none."),
    axis: Axis = Option(
        "system", help="system: when it was settled or stated; world: the time in dispute."
    ),
    outcomes: list[Outcome] | None = Option(
        None, "--outcome", help="Only those of which this became."
    ),
    limit: Limit = 20,
) -> None:
    """Show facts that cannot both hold: what is open, what was settled, and why."""
    async with session.graph("comparing") as graph:
        report = await view.of(graph).audit.contradictions(
            since,
            until,
            axis=axis,
            outcomes=cast("Sequence[Settled] | None", outcomes or None),
            limit=limit,
        )
    left = report.left_out
    session.answer(
        {"contradictions": [*map(_form, report.found)], "left_out": left},
        _sides("Open", report.open),
        _sides("Settled", report.settled),
        line(f"and {left} more: --limit shows more of them") if left else None,
        None if report.found else line("no contradictions"),
    )


def _form(contradiction: "Contradiction") -> dict[str, Any]:
    quotes = (*contradiction.quotes, *contradiction.other_quotes)
    episodes = {quote.episode.id: quote.episode for quote in quotes}
    other = contradiction.other
    return attributes(contradiction, "outcome", "open", "rule", "why", "at", "disputed") | {
        "fact": fact_form(contradiction.fact, episodes),
        "other": None if other is None else fact_form(other, episodes),
    }


def _sides(title: str, contradictions: "Sequence[Contradiction]") -> Entries | None:
    """Return contradictions with an entry for each of their sides."""
    entries = []
    for pair in contradictions:
        entries.append(_side(pair.fact, pair.quotes, pair.outcome, pair.why))
        if pair.other is not None:
            lead = "beside" if pair.open else "by"
            entries.append(_side(pair.other, pair.other_quotes, lead, ""))
    return titled(title, entries) if entries else None


def _side(fact: "Fact", quotes: "tuple[Quote, ...]", lead: str, why: str) -> Entry:
    from graphrag.analysis.contradictions import shown_quotes
    from graphrag.display.cards import lifetime, triple

    note = f"{lifetime(fact)}, confidence {fact.confidence:.2f}"
    body = "; ".join(filter(None, (why, *shown_quotes(quotes))))
    return Entry(triple(fact), note, body, lead=lead)


async def orphans(session: Session, view: Known, limit: Limit = 20) -> None:
    """List what leads nowhere: entities that nothing speaks of, texts that state nothing, ..."""
    async with session.graph("looking") as graph:
        report = await view.of(graph).audit.orphans(limit=limit)
    advice = "surreal-graphrag cleanup shows what could be taken out, and why"
    session.answer(report, line(str(report)), line(advice) if report.entities else None)


async def cleanup(
    session: Session,
    apply: bool = Option(False, help="Do it; otherwise it is only shown."),
    episodes: bool = Option(False, help="Take out texts that state nothing, too."),
    reason: Reason = "",
) -> None:
    """Take out of the reads what nothing speaks of; an event each, which can be reverted."""
    kinds: tuple[Kind, ...] = ("entities", "episodes") if episodes else ("entities",)
    async with session.graph("cleaning" if apply else "looking") as graph:
        cleaned = await graph.health.cleanup(kinds, dry_run=not apply, reason=reason)
    if not cleaned.removed:
        last = "nothing to clean up"
    elif cleaned.dry_run:
        last = "nothing is written without --apply"
    else:
        numbers = ", ".join(str(event.seq) for event in cleaned.events)
        last = f"event {numbers}; it can be reverted, and nothing was deleted"
    title = "Would be removed" if cleaned.dry_run else "Removed"
    session.answer(
        plain(cleaned), _cleaned(title, cleaned.removed), _cleaned("Kept", cleaned.kept), line(last)
    )


def _cleaned(title: str, cleaned: "Sequence[Cleaned]") -> Entries | None:
    from graphrag.analysis.orphans import line_of

    entries = [Entry(line_of(item.item), "", item.why) for item in cleaned]
    return titled(f"{title} ({len(entries)})", entries) if entries else None
