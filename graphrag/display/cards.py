"""One value for people: a line in a terminal, a card in a notebook."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from graphrag.display.chart import AXIS, Axis, bar
from graphrag.display.visible import Html, cut, escape, flatten
from graphrag.model.assertion import held_from
from graphrag.model.attributes import also_called
from graphrag.model.values import Community, Entity, Episode, Fact, Saga
from graphrag.temporal.moment import utc_now

_HOLDS, _OVER, _NEVER = "#2a7f62", "#9aa5b1", "#c0504d"
_NOWHERE = {"cancelled": "planned and cancelled", "overruled": "overruled"}
"""Why a fact holds at no moment, where it is not that it is wrong."""
_MONTH = 31
_SHORT = 60
_LONG = 600
_TITLE = 40


def lifetime(fact: Fact) -> str:
    """Return a fact's interval for people: ``2021-03-01 to 2023-06-01``, ``since 2023-06-01``.

    What was only seen to hold at a moment holds "as of" it, and what happened on a day "on" it.
    """
    start = "" if fact.valid_at is None else _day(fact.valid_at)
    if fact.retracted_at is not None:
        return _NOWHERE.get(fact.closed_as or "", "never true")
    if fact.closed_as == "past":
        return f"at some time before {_day(fact.invalid_at)}" if fact.invalid_at else "once"
    if fact.kind == "event" and fact.valid_at is not None and fact.invalid_at is not None:
        days = (fact.invalid_at - fact.valid_at).days
        if days <= 1:
            return f"on {start}"
        return f"in {fact.valid_at:%Y-%m}" if days <= _MONTH else f"in {fact.valid_at:%Y}"
    if fact.kind == "timeless":
        return "at all times"
    if fact.invalid_at is None:
        if not start:
            return "start unknown"
        planned = fact.valid_at is not None and fact.valid_at > utc_now()
        return f"{'as of' if fact.observed else 'from' if planned else 'since'} {start}"
    if fact.observed:
        return f"seen {start}, until {_day(fact.invalid_at)}"
    return f"{start or 'unknown'} to {_day(fact.invalid_at)}"


def triple(fact: Fact) -> str:
    """Return ``subject relation object`` in words."""
    return flatten(f"{fact.subject} {fact.relation.replace('_', ' ')} {fact.object}")


def lifetime_bar(fact: Fact, axis: Axis, *, now: datetime, colour: str = "") -> Html:
    """Draw a fact's interval on an axis, by default in the colour of how it stands now."""
    over = fact.invalid_at is not None and fact.invalid_at <= now
    usual = _NEVER if fact.retracted_at is not None else _OVER if over else _HOLDS
    title = f"{triple(fact)}: {lifetime(fact)}"
    return bar(axis, held_from(fact), fact.invalid_at, colour=colour or usual, title=title)


def lifetime_axis(facts: Iterable[Fact], *, now: datetime, width: float = AXIS) -> Axis:
    """Return an axis for the lifetimes of facts."""
    moments = [end for fact in facts for end in (fact.valid_at, fact.invalid_at)]
    return Axis.around(moments, now=now, width=width)


def fact_table(
    header: Sequence[str], rows: Iterable[tuple[Fact, str, Sequence[str]]], *, now: datetime
) -> Html:
    """Return facts as a table of HTML, each with its lifetime as a bar and in words.

    ``rows`` have each fact with the colour of its bar, empty for the usual one, and further cells.
    """
    rows = list(rows)
    axis = lifetime_axis((fact for fact, _, _ in rows), now=now)
    lines = (
        (
            lifetime_bar(fact, axis, now=now, colour=colour),
            Html(f'<span style="white-space:nowrap">{escape(lifetime(fact))}</span>'),
            Html(f'<span title="{escape(fact.text)}">{escape(triple(fact))}</span>'),
            *cells,
        )
        for fact, colour, cells in rows
    )
    return table((axis.ruler(), "valid", "fact", *header), lines, words=True)


def fact_line(fact: Fact) -> str:
    """Return what a fact says and when it holds."""
    return f"{triple(fact)}, {lifetime(fact)}{', pending' if fact.pending else ''}"


def entity_line(entity: Entity) -> str:
    """Return what an entity is called and what it is."""
    what = flatten(f"{entity.name}, {entity.entity_type}")
    return f"{what}{', merged' if entity.merged_into else ''}"


def entity_title(entity: Entity) -> str:
    """Return ``name (type)``."""
    return flatten(f"{entity.name} ({entity.entity_type})")


def episode_title(episode: Episode) -> str:
    """Return what an episode is called, or in quotes how it begins."""
    if name := flatten(episode.name):
        return name
    words = flatten(episode.content[: 2 * _TITLE])
    if len(words) <= _TITLE:
        return f"“{words}”"
    first = words[:_TITLE]
    return f"“{first.rpartition(' ')[0] or first}…”"


def episode_line(episode: Episode) -> str:
    """Return when an episode was said, its name and how it begins."""
    words = cut(" ".join(episode.content.split()), _SHORT)
    name = f"{flatten(episode.name)}: " if episode.name else ""
    return f"{_day(episode.valid_at)}, {name}{words!r}"


def saga_line(saga: Saga) -> str:
    """Return its name, and how its summary begins and when it was written."""
    if not saga.summary or saga.summarized_until is None:
        return f"{saga.name!r}, no summary"
    written = f"as of {saga.summarized_until:%Y-%m-%d} by {saga.summarized_by}"
    return f"{saga.name!r}, {written}: {cut(saga.summary, _SHORT)!r}"


def community_line(community: Community) -> str:
    """Return what a community is called and how large it is."""
    return f"{flatten(community.name)}, {len(community.members)} members"


def fact_card(fact: Fact) -> str:
    """Return a fact as HTML: its lifetime as a bar, the sentence, why it ended."""
    now = utc_now()
    drawn = lifetime_bar(fact, lifetime_axis([fact], now=now), now=now)
    return _card(
        f'<b title="{escape(fact.id)}">{escape(triple(fact))}</b> {drawn} {escape(lifetime(fact))}',
        {
            "states": fact.text,
            "why": fact.reason or "",
            "confidence": "" if fact.confidence == 1.0 else f"{fact.confidence:.2f}",
            "waits": (fact.waits_as or "to be confirmed") if fact.pending else "",
            "stated in": ", ".join(fact.provenance),
            **_values(fact.attributes),
        },
    )


def heading(entity: Entity) -> Html:
    """Return the name and the type of an entity as HTML."""
    return Html(f"<b>{escape(entity.name)}</b> ({escape(entity.entity_type)})")


def entity_card(entity: Entity) -> str:
    """Return an entity as HTML: its names, summary and attributes."""
    return _card(
        f'<b title="{escape(entity.id)}">{escape(entity.name)}</b> ({escape(entity.entity_type)})',
        {
            "also": ", ".join(also_called(entity)),
            "labels": ", ".join(entity.labels),
            "summary": entity.summary,
            "merged into": entity.merged_into or "",
            **_values(entity.attributes),
        },
    )


def episode_card(episode: Episode) -> str:
    """Return an episode as HTML: when it was said, by whom, and its words."""
    words, name = escape(cut(episode.content, _LONG)), escape(episode.name or "episode")
    head = f'<b title="{escape(episode.id)}">{name}</b> {_day(episode.valid_at)}'
    rows = {
        "from": episode.source_description,
        "saga": episode.saga or "",
        "status": "" if episode.status == "done" else episode.error or episode.status,
        **_values(episode.metadata),
    }
    return f'{_card(head, rows)}<blockquote style="white-space:pre-wrap">{words}</blockquote>'


def community_card(community: Community) -> str:
    """Return a community as HTML: its name, size and summary."""
    name = f'<b title="{escape(community.id)}">{escape(community.name)}</b>'
    return _card(f"{name} ({len(community.members)} members)", {"summary": community.summary})


_LINES: Mapping[type, Callable[[Any], str]] = {
    **{Fact: fact_line, Entity: entity_line, Episode: episode_line},
    **{Saga: saga_line, Community: community_line},
}
_CARDS: Mapping[type, Callable[[Any], str]] = {
    **{Fact: fact_card, Entity: entity_card, Episode: episode_card, Community: community_card}
}


def line_of(value: object) -> str:
    """Return a value of the graph in a line."""
    return _LINES[type(value)](value)


def card_of(value: object) -> str:
    """Return a value of the graph as HTML."""
    return _CARDS[type(value)](value)


def table(header: Iterable[str], rows: Iterable[Iterable[str]], *, words: bool = False) -> Html:
    """Return texts, or cells that are HTML, as a table of HTML; ``words`` stand at the left."""
    style = ' style="text-align:left"' if words else ""

    def line(cells: Iterable[str], tag: str) -> str:
        shown = (f"<{tag}{style}>{escape(cell)}</{tag}>" for cell in cells)
        return f"<tr>{''.join(shown)}</tr>"

    body = "".join(line(row, "td") for row in rows)
    return Html(f"<table><thead>{line(header, 'th')}</thead><tbody>{body}</tbody></table>")


def bullets(title: str, lines: Iterable[str]) -> Html:
    """Return lines as a list of HTML under a title."""
    items = "".join(f"<li>{escape(line)}</li>" for line in lines)
    return Html(f"<b>{escape(title)}</b><ul>{items}</ul>")


def _card(head: str, rows: Mapping[str, str]) -> str:
    shown = [(name, value) for name, value in rows.items() if value]
    return f"<div>{head}</div>{table((), shown, words=True) if shown else ''}"


def _values(attributes: Mapping[str, object]) -> dict[str, str]:
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        for name, value in attributes.items()
    }


def _day(moment: datetime) -> str:
    return moment.date().isoformat()
