"""Commands about a whole group: statistics, changes, contradictions, cleanup, erasure."""

import json
import sys
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, cast

import typer
from rich.text import Text
from typer import Argument, Option

from graphrag.cli.command import Axis, Known, Limit, Moments, Outcome, Reason
from graphrag.cli.render import (
    attributes,
    connected_table,
    day,
    event_form,
    fact_form,
    line,
    on_disk,
    plain,
    table,
    tally,
)
from graphrag.cli.terminal import CommandRun
from graphrag.display.lists import RECORD_NAMES, done, moment
from graphrag.display.visible import flatten, visible
from graphrag.errors import GraphRAGError, InputError, QueryError
from graphrag.model.values import Event
from graphrag.settings import shown_url

if TYPE_CHECKING:
    from graphrag.analysis.contradictions import Contradiction
    from graphrag.analysis.contradictions import Outcome as Settled
    from graphrag.analysis.orphans import Kind
    from graphrag.graph import GraphRAG
    from graphrag.history.erase_plan import Texts
    from graphrag.history.redact import Forgotten


async def stats(
    session: CommandRun,
    top: int = Option(10, help="Number of entities, relations and types to list.", min=0),
    growth: Literal["day", "week", "month", "year"] | None = Option(
        None, help="Also show the numbers of added items in each period."
    ),
) -> None:
    """Show counts of episodes, entities and facts by relation, type and time, and the hubs."""
    async with session.graph("reading") as graph:
        groups = [group.name for group in await graph.groups().list()]
        counts = await graph.stats()
        queue = await graph.queue.status()
        connected = await graph.audit.hubs(top)
        grown = await graph.audit.growth(growth) if growth else None
    size = session.size()
    session.answer(
        plain(counts)
        | {
            "bytes": size,
            **({"episodes_waiting": queue.pending} if queue.pending else {}),
            **({"episodes_failed": queue.failed} if queue.failed else {}),
            **({"growth": plain(grown.periods)} if grown is not None else {}),
            "groups": groups,
            "most_connected": [
                {"id": entity.id, "name": entity.name, "facts": facts}
                for entity, facts in connected
            ],
        },
        tally(
            f"Group {counts.group}",
            {
                "episodes": counts.episodes,
                "from": day(counts.first) or None,
                "to": day(counts.last) or None,
                "  waiting": queue.pending or None,
                "  failed": queue.failed or None,
                "entities": counts.entities,
                "facts": counts.facts,
                "  true now": counts.facts_now,
                "  ended": counts.facts_ended,
                "  never true": counts.facts_retracted,
                "  to review": counts.facts_pending or None,
                "events": counts.events,
                "size on disk": on_disk(size),
            },
        ),
        *(
            tally(title, dict([*counted.items()][:top]))
            for title, counted in (("Relations", counts.relations), ("Types", counts.types))
            if counted and top
        ),
        None if grown is None else line(f"Added, by {grown.by}\n{grown}"),
        connected_table(connected),
        line(f"groups in this store: {', '.join(groups)}") if len(groups) > 1 else None,
    )


async def changes(
    session: CommandRun,
    since: datetime = Option(help="Start of the period."),
    until: datetime | None = Option(None, help="End of the period. Default: now."),
    axis: Axis = Option(
        "system", help="system: changes of the graph; world: starts and ends of facts."
    ),
) -> None:
    """Show the facts that were learned, closed, corrected or retracted in a period."""
    async with session.graph("reading") as graph:
        changes = await graph.changes(since, until, axis=axis)
    session.answer(changes, line(str(changes)), empty="nothing changed")


async def log(
    session: CommandRun,
    entity: str | None = Option(None, help="Only events that changed this entity (name or id)."),
    limit: Limit = 20,
    follow: bool = Option(
        False,
        "--follow/--no-follow",
        help="Continue with new events of the server, until Ctrl-C.",
    ),
) -> None:
    """List the newest events of a group, oldest first: time, actor, changes and reason."""
    if follow and entity is not None:
        raise QueryError("--follow shows everything that is committed: leave out --entity")
    if follow and session.target().embedded:
        raise QueryError(
            f"nobody else can write to {session.settings.store} while this command has it open: "
            "--follow is for servers (ws://, wss://, http://, https://)"
        )
    async with session.graph() as graph:
        with session.busy("reading"):
            known = None if entity is None else await graph.at(history=True).entity(entity)
            if entity is not None and known is None:
                raise GraphRAGError(f"no entity is called {entity!r} in group {session.group!r}")
            events = await graph.log.events(entity=known, limit=limit)
        if follow:
            await _follow(session, graph, events)
            return
    columns = (">no.", "when", "who", "what", "to", "note")
    session.answer(
        [*map(event_form, events)],
        table(f"Log of group {session.group}", *columns, rows=map(_event_cells, events)),
    )


def _event_cells(event: Event) -> tuple[str, ...]:
    what = event.kind, done(event), event.note or ""
    return str(event.seq), moment(event), event.actor, *what


async def _follow(session: CommandRun, graph: "GraphRAG", events: Sequence[Event]) -> None:
    def show(event: Event) -> None:
        if session.json:
            form = json.dumps(event_form(event), ensure_ascii=False)
            session.out.file.write(visible(form) + "\n")
        else:
            words = "  ".join(filter(None, _event_cells(event)))
            session.out.print(Text(flatten(words)), soft_wrap=True)
        session.out.file.flush()

    for event in events:
        show(event)
    async for event in graph.log.follow(after=events[-1].seq if events else 0):
        show(event)


async def contradictions(
    session: CommandRun,
    view: Moments,
    since: datetime | None = Option(None, help="Start of the period. Default: none."),
    until: datetime | None = Option(None, help="End of the period (exclusive). Default: none."),
    axis: Axis = Option(
        "system", help="system: when it was settled or added; world: the disputed time."
    ),
    outcomes: list[Outcome] | None = Option(None, "--outcome", help="Only this outcome."),
    limit: Limit = 20,
) -> None:
    """Show pairs of facts that cannot both hold: open ones, settled ones, and the reason."""
    wanted = cast("Sequence[Settled] | None", outcomes or None)
    async with session.graph("comparing") as graph:
        report = await view.of(graph).audit.contradictions(
            since, until, axis=axis, outcomes=wanted, limit=limit
        )
    left = report.left_out
    session.answer(
        {"contradictions": [*map(_form, report.found)], "left_out": left},
        line(str(report)),
        line(f"and {left} more: --limit shows more of them") if left else None,
    )


def _form(contradiction: "Contradiction") -> dict[str, Any]:
    quotes = (*contradiction.quotes, *contradiction.other_quotes)
    episodes = {quote.episode.id: quote.episode for quote in quotes}
    other = contradiction.other
    return attributes(contradiction, "outcome", "open", "rule", "why", "at", "disputed") | {
        "fact": fact_form(contradiction.fact, episodes),
        "other": None if other is None else fact_form(other, episodes),
    }


async def orphans(session: CommandRun, view: Known, limit: Limit = 20) -> None:
    """List unconnected items: entities without facts or mentions, texts without facts, ..."""
    async with session.graph("looking") as graph:
        report = await view.of(graph).audit.orphans(limit=limit)
    advice = "surreal-graphrag cleanup shows what could be taken out, and why"
    session.answer(report, line(str(report)), line(advice) if report.entities else None)


async def cleanup(
    session: CommandRun,
    apply: bool = Option(False, help="Remove the items; without it they are only listed."),
    episodes: bool = Option(False, help="Remove texts that state nothing, too."),
    reason: Reason = "",
) -> None:
    """Remove orphans from the reads, with an event for each kind, which can be reverted."""
    kinds: tuple[Kind, ...] = ("entities", "episodes") if episodes else ("entities",)
    async with session.graph("cleaning" if apply else "looking") as graph:
        cleaned = await graph.health.cleanup(kinds, dry_run=not apply, reason=reason)
    last = "nothing is written without --apply" if cleaned.removed else None
    if cleaned.events:
        numbers = ", ".join(str(event.seq) for event in cleaned.events)
        last = f"event {numbers}; it can be reverted, and nothing was deleted"
    session.answer(plain(cleaned), line(str(cleaned)), line(last) if last else None)


async def forget(
    session: CommandRun,
    entity: str | None = Argument(None, help="Name or id of an entity."),
    whole_group: bool = Option(False, help="Erase the whole --group and its log."),
    keep_episodes: bool = Option(False, help="Keep the texts that name the entity."),
    yes: bool = Option(False, "--yes", "-y", help="Do not ask for confirmation."),
) -> None:
    """Permanently erase an entity and every text that names it. This cannot be undone."""
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
        tally("Erased", _counted(forgotten.records)),
        line("backups and cached answers of a language model are yours to delete"),
    )


def _ask(session: CommandRun, entity: str | None, records: Mapping[str, int]) -> None:
    what = (
        f"group {session.group!r}" if entity is None else f"{entity!r} of group {session.group!r}"
    )
    counts = ", ".join(f"{number} {name}" for name, number in _counted(records).items())
    session.note(f"this erases {what} from {shown_url(session.settings.store)} for good: {counts}")
    if not sys.stdin.isatty():
        raise InputError("no terminal to ask on: give --yes to forget without asking")
    if not typer.confirm("forget it?", err=True):
        session.note("nothing was erased")
        raise typer.Exit(1)


def _counted(records: Mapping[str, int]) -> dict[str, int]:
    return {name: records[table] for table, name in RECORD_NAMES.items() if records.get(table)}
