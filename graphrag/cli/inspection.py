"""What changed, and what does not fit: ``timeline``, ``contradictions``, ``orphans``, ..."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.forms import fact_form, plain
from graphrag.cli.moments import At, KnownAt, moment, seen
from graphrag.cli.render import Entries, Entry, line
from graphrag.cli.terminal import Session

if TYPE_CHECKING:
    from graphrag.analysis.cleanup import Cleaned
    from graphrag.analysis.contradictions import Contradiction
    from graphrag.analysis.difference import Changes
    from graphrag.analysis.orphans import Kind
    from graphrag.model.values import Fact
    from graphrag.search.sources import Quote

_LINES = 2


class AxisName(StrEnum):
    """Which time ``changes`` goes by."""

    system = "system"
    world = "world"


async def timeline(
    session: Session,
    entity: Annotated[str, typer.Argument(help="Name, alias or id.", show_default=False)],
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Show every fact about an entity in the order of time, and what ended it."""
    from graphrag.display.cards import lifetime, triple

    view = seen(at, known_at, history=False)
    async with session.graph("reading") as graph:
        found = await graph.at(valid_at=view.valid_at, known_at=view.known_at).timeline(entity)
    if session.json:
        stages = [plain(stage) | {"why": stage.why} for stage in found]
        session.show_json({"entity": plain(found.entity), "at": plain(found.at), "facts": stages})
        return
    entries = tuple(
        Entry(triple(one.fact), f"{lifetime(one.fact)}, {one.status}", one.why) for one in found
    )
    session.show(Entries(Text(found.entity.name, style="bold"), entries, _LINES))


async def changes(
    session: Session,
    since: Annotated[
        str, typer.Option(metavar="DATE", help="The earlier moment.", show_default=False)
    ],
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="The later one. Default: now.")
    ] = None,
    axis: Annotated[
        AxisName, typer.Option(help="system: what the graph learned; world: what began and ended.")
    ] = AxisName.system,
) -> None:
    """Show what the graph learned, closed, corrected or took back between two moments."""
    from graphrag.temporal.moment import parse_moment

    first, last = parse_moment(since, what="--since"), moment(until, "--until")
    async with session.graph("reading") as graph:
        found = await graph.changes(
            first, last, axis="world" if axis is AxisName.world else "system"
        )
    session.answer(found, _shown(found), empty="nothing changed")


def _shown(found: "Changes") -> Entries:
    from graphrag.display.cards import episode_title, lifetime, triple

    facts = (
        Entry(
            triple(one.fact),
            lifetime(one.fact),
            (one.kind != "learned" and one.fact.reason) or "",
            lead=one.kind,
        )
        for one in found.facts
    )
    entities = (Entry(one.name, one.entity_type, lead="entity") for one in found.entities)
    episodes = (
        Entry(episode_title(one), f"{one.valid_at:%Y-%m-%d}", one.content, lead="episode")
        for one in found.episodes
    )
    merged = (Entry(one.name, one.entity_type, lead="merged") for one in found.merged)
    removed = (
        Entry(episode_title(one), f"{one.valid_at:%Y-%m-%d}", one.content, lead="removed")
        for one in found.removed
    )
    title = f"{found.since:%Y-%m-%d %H:%M} to {found.until:%Y-%m-%d %H:%M}"
    return Entries(
        Text(title, style="bold"), (*facts, *entities, *merged, *episodes, *removed), _LINES
    )


class OutcomeName(StrEnum):
    """What may have become of a contradiction."""

    ended = "ended"
    replaced = "replaced"
    corrected = "corrected"
    open = "open"
    both = "both"
    waiting = "waiting"
    impossible = "impossible"


Limit = Annotated[int, typer.Option(help="How many at most.", min=1)]


async def contradictions(
    session: Session,
    since: Annotated[
        str | None, typer.Option(metavar="DATE", help="The earliest moment. Default: any.")
    ] = None,
    until: Annotated[
        str | None, typer.Option(metavar="DATE", help="The first moment too late. Default: none.")
    ] = None,
    axis: Annotated[
        AxisName,
        typer.Option(help="system: when it was settled or stated; world: the time in dispute."),
    ] = AxisName.system,
    outcomes: Annotated[
        list[OutcomeName] | None,
        typer.Option("--outcome", help="Only those of which this became; may be repeated."),
    ] = None,
    limit: Limit = 20,
    at: At = None,
    known_at: KnownAt = None,
) -> None:
    """Show facts that cannot both hold: what is open, what was settled, and why."""
    view = seen(at, known_at, history=False)
    first, last = moment(since, "--since"), moment(until, "--until")
    async with session.graph("comparing") as graph:
        found = await view.of(graph).audit.contradictions(
            first,
            last,
            axis="world" if axis is AxisName.world else "system",
            outcomes=[one.value for one in outcomes] if outcomes else None,
            limit=limit,
        )
    if session.json:
        session.show_json(
            {"contradictions": [_form(one) for one in found], "left_out": found.left_out}
        )
        return
    for title, some in (("Open", found.open), ("Settled", found.settled)):
        if some:
            entries = tuple(entry for one in some for entry in _pair(one))
            session.show(Entries(Text(title, style="bold"), entries, _LINES))
    if found.left_out:
        session.show(line(f"and {found.left_out} more: --limit shows more of them"))
    if not found.found:
        session.show(line("no contradictions"))


async def orphans(session: Session, limit: Limit = 20, known_at: KnownAt = None) -> None:
    """List what leads nowhere: entities that nothing speaks of, texts that state nothing, ..."""
    view = seen(None, known_at, history=False)
    async with session.graph("looking") as graph:
        found = await view.of(graph).audit.orphans(limit=limit)
    advice = "surreal-graphrag cleanup shows what could be taken out, and why"
    session.answer(found, line(str(found)), *([line(advice)] if found.entities else []))


async def cleanup(
    session: Session,
    apply: Annotated[
        bool, typer.Option("--apply", help="Do it; otherwise it is only shown.")
    ] = False,
    episodes: Annotated[
        bool, typer.Option("--episodes", help="Take out texts that state nothing, too.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why, for the log.")] = "",
) -> None:
    """Take out of the reads what nothing speaks of; an event each, which can be reverted."""
    kinds: tuple[Kind, ...] = ("entities", "episodes") if episodes else ("entities",)
    async with session.graph("cleaning" if apply else "looking") as graph:
        done = await graph.health.cleanup(kinds, dry_run=not apply, reason=reason)
    if session.json:
        session.show_json(plain(done))
        return
    title = "Would be removed" if done.dry_run else "Removed"
    for head, some in ((title, done.removed), ("Kept", done.kept)):
        if some:
            session.show(_listed(head, some))
    if not done.removed:
        session.show(line("nothing to clean up"))
    elif done.dry_run:
        session.show(line("nothing is written without --apply"))
    else:
        numbers = ", ".join(str(event.seq) for event in done.events)
        session.show(line(f"event {numbers}; it can be reverted, and nothing was deleted"))


def _form(one: "Contradiction") -> dict[str, Any]:
    episodes = {quote.episode.id: quote.episode for quote in (*one.quotes, *one.other_quotes)}
    return {
        "outcome": one.outcome,
        "open": one.open,
        "rule": one.rule,
        "why": one.why,
        "at": one.at,
        "disputed": one.disputed,
        "fact": fact_form(one.fact, episodes),
        "other": None if one.other is None else fact_form(one.other, episodes),
    }


def _pair(one: "Contradiction") -> list[Entry]:
    pair = [_side(one.fact, one.quotes, one.outcome, one.why)]
    if one.other is not None:
        pair.append(_side(one.other, one.other_quotes, "beside" if one.open else "by", ""))
    return pair


def _side(fact: "Fact", quotes: "tuple[Quote, ...]", lead: str, why: str) -> Entry:
    from graphrag.analysis.contradictions import shown_quotes
    from graphrag.display.cards import lifetime, triple

    note = f"{lifetime(fact)}, confidence {fact.confidence:.2f}"
    body = "; ".join(filter(None, (why, *shown_quotes(quotes))))
    return Entry(triple(fact), note, body, lead=lead)


def _listed(title: str, some: "tuple[Cleaned, ...]") -> RenderableType:
    from graphrag.analysis.orphans import line_of

    entries = tuple(Entry(line_of(one.item), "", one.why) for one in some)
    return Entries(Text(f"{title} ({len(some)})", style="bold"), entries, _LINES)
