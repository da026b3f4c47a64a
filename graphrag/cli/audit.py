"""``contradictions``, ``orphans`` and ``cleanup``: where the graph disagrees or leads nowhere."""

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from graphrag.cli.entries import Entries, Entry
from graphrag.cli.forms import fact_form, plain
from graphrag.cli.moments import At, KnownAt, moment, seen
from graphrag.cli.render import line
from graphrag.cli.session import Session
from graphrag.cli.times import AxisName

if TYPE_CHECKING:
    from graphrag.analysis.cleanup import Cleaned, Kind
    from graphrag.analysis.contradictions import Contradiction
    from graphrag.analysis.sources import Quote
    from graphrag.model.values import Fact

_LINES = 2


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
        typer.Option(help="system: when it was settled or told; world: the time in dispute."),
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
    with session.busy("comparing"):
        async with session.graph() as graph:
            found = await view.of(graph).contradictions(
                first,
                last,
                axis="world" if axis is AxisName.world else "system",
                outcomes=[one.value for one in outcomes] if outcomes else None,
                limit=limit,
                group=session.group,
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
    """List what leads nowhere: entities that nothing speaks of, texts that told nothing, ..."""
    view = seen(None, known_at, history=False)
    with session.busy("looking"):
        async with session.graph() as graph:
            found = await view.of(graph).orphans(limit=limit, group=session.group)
    if session.json:
        session.show_json(plain(found))
        return
    session.show(line(str(found)))
    if found.entities:
        session.show(line("surreal-graphrag cleanup shows what could be taken out, and why"))


async def cleanup(
    session: Session,
    apply: Annotated[
        bool, typer.Option("--apply", help="Do it; otherwise it is only shown.")
    ] = False,
    episodes: Annotated[
        bool, typer.Option("--episodes", help="Take out texts that told nothing, too.")
    ] = False,
    reason: Annotated[str, typer.Option(help="Why, for the log.")] = "",
) -> None:
    """Take out of the reads what nothing speaks of; an event each, which can be reverted."""
    kinds: tuple[Kind, ...] = ("entities", "episodes") if episodes else ("entities",)
    with session.busy("cleaning" if apply else "looking"):
        async with session.graph() as graph:
            done = await graph.cleanup(kinds, group=session.group, dry_run=not apply, reason=reason)
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
