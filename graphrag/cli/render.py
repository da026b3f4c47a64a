"""Tables for people. Everything that comes from the graph is shown as text, never as markup."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from graphrag.models import Entity, Episode, Fact

if TYPE_CHECKING:
    from graphrag.results import Results

_PASSAGE = 140


def line(text: str, style: str = "") -> Text:
    """Return one line of text."""
    return Text(text, style=style)


def table(title: str | Text, *columns: str, rows: Iterable[Sequence[str | Text]]) -> RenderableType:
    """Return a table under its title; columns named ``>...`` are aligned to the right."""
    made = Table(
        box=None,
        show_header=any(column.strip(">") for column in columns),
        pad_edge=False,
        header_style="dim",
        padding=(0, 2, 0, 0),
    )
    for column in columns:
        right = column.startswith(">")
        made.add_column(column.lstrip(">"), justify="right" if right else "left", no_wrap=right)
    for row in rows:
        made.add_row(*(cell if isinstance(cell, Text) else Text(cell) for cell in row))
    return Group(Text(title, style="bold") if isinstance(title, str) else title, made)


def fact_table(results: "Results") -> RenderableType:
    """Return the facts found: fact, validity, source and score."""
    from graphrag.results import lifetime, triple

    return table(
        "Facts",
        "fact",
        "valid",
        "source",
        ">score",
        rows=[
            (
                Text(triple(hit.item), style="bold"),
                lifetime(hit.item),
                short(results.source_of(hit.item) or hit.item.fact),
                f"{hit.score:.4f}",
            )
            for hit in results.facts
        ],
    )


def entity_table(results: "Results") -> RenderableType:
    """Return the entities found."""
    return table(
        "Entities",
        "name",
        "type",
        "also called",
        ">score",
        rows=[
            (
                Text(hit.item.name, style="bold"),
                hit.item.entity_type,
                short(", ".join(hit.item.aliases)),
                f"{hit.score:.4f}",
            )
            for hit in results.entities
        ],
    )


def episode_table(results: "Results") -> RenderableType:
    """Return the episodes found."""
    return table(
        "Episodes",
        "date",
        "name",
        "text",
        ">score",
        rows=[
            (
                day(hit.item.valid_at),
                short(hit.item.name, 40),
                short(hit.item.content),
                f"{hit.score:.4f}",
            )
            for hit in results.episodes
        ],
    )


def known_facts(
    title: str, facts: Iterable[Fact], episodes: Mapping[str, Episode]
) -> RenderableType:
    """Return facts of one entity with their intervals and sources."""
    from graphrag.results import lifetime, triple

    return table(
        title,
        "fact",
        "valid",
        "source",
        rows=[
            (
                Text(triple(fact), style="bold"),
                lifetime(fact),
                short(passage(fact, episodes)),
            )
            for fact in facts
        ],
    )


def connected_table(entities: Sequence[tuple[Entity, int]]) -> RenderableType:
    """Return entities with the number of their facts."""
    return table(
        "Most connected",
        "name",
        "type",
        ">facts",
        rows=[(entity.name, entity.entity_type, str(count)) for entity, count in entities],
    )


def passage(fact: Fact, episodes: Mapping[str, Episode]) -> str:
    """Return the words of the first source of a fact, with the episode they stand in."""
    for span in fact.sources:
        if episode := episodes.get(span.episode_id):
            where = ", ".join(filter(None, (episode.name, day(episode.valid_at))))
            return f"{short(episode.content[span.start : span.end], _PASSAGE - 40)} ({where})"
    return fact.fact


def short(text: str, longest: int = _PASSAGE) -> str:
    """Return text on one line, cut at a word."""
    flat = " ".join(text.split())
    if len(flat) <= longest:
        return flat
    return flat[: longest - 1].rsplit(" ", 1)[0] + "…"


def day(moment: datetime | None) -> str:
    """Return the date of a moment."""
    return "" if moment is None else moment.date().isoformat()
