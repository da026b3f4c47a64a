"""Findings and tables for people. What comes from the graph is shown as text, never as markup."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from graphrag.cli.entries import Entries, Entry, short
from graphrag.models import Entity, Episode, Fact
from graphrag.stated import stated_in

if TYPE_CHECKING:
    from graphrag.results import Hit, Results

_LINES = 2
_NAME = 30
_SHORT_RECORD = 70
_FIELD = re.compile(r',\s(?="|\{)')
_ALIASES = 60


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


def fact_entry(fact: Fact, episodes: Mapping[str, Episode], *, lead: str = "") -> Entry:
    """Return a fact with its interval and the words that state it."""
    from graphrag.cards import lifetime, triple

    for span in fact.sources:
        if episode := episodes.get(span.episode_id):
            words, is_json = stated_in(episode, span), episode.source == "json"
            return Entry(
                triple(fact),
                lifetime(fact),
                _essence(words, (fact.subject, fact.object)) if is_json else f"“{words}”",
                ", ".join(filter(None, (short(episode.name, _NAME), day(episode.valid_at)))),
                lead,
            )
    return Entry(triple(fact), lifetime(fact), fact.fact, lead=lead)


def found_facts(results: "Results", *, several: bool = False) -> RenderableType:
    """Return the facts found: score, fact, validity, source; ``several``: name their groups."""
    episodes = {episode.id: episode for episode in results.passages}
    entries = (fact_entry(hit.item, episodes, lead=_lead(hit, several)) for hit in results.facts)
    return Entries(Text("Facts", style="bold"), tuple(entries), _LINES)


def found_episodes(results: "Results", *, several: bool = False) -> RenderableType:
    """Return the episodes found; ``several``: name their groups."""
    entries = (
        Entry(
            hit.item.name or "(no name)",
            day(hit.item.valid_at),
            hit.item.content,
            lead=_lead(hit, several),
        )
        for hit in results.episodes
    )
    return Entries(Text("Episodes", style="bold"), tuple(entries), _LINES)


def found_entities(results: "Results", *, several: bool = False) -> RenderableType:
    """Return the entities found; ``several``: name their groups."""
    entries = (
        Entry(hit.item.name, _kind(hit.item), lead=_lead(hit, several)) for hit in results.entities
    )
    return Entries(Text("Entities", style="bold"), tuple(entries), _LINES)


def found_communities(results: "Results", *, several: bool = False) -> RenderableType:
    """Return the communities found; ``several``: name their groups."""
    entries = (
        Entry(
            hit.item.name,
            f"{len(hit.item.members)} members",
            hit.item.summary,
            lead=_lead(hit, several),
        )
        for hit in results.communities
    )
    return Entries(Text("Communities", style="bold"), tuple(entries), _LINES)


def known_facts(
    title: str, facts: Iterable[Fact], episodes: Mapping[str, Episode]
) -> RenderableType:
    """Return facts of one entity with their intervals and sources."""
    entries = tuple(fact_entry(fact, episodes) for fact in facts)
    return Entries(Text(title, style="bold"), entries, _LINES)


def connected_table(entities: Sequence[tuple[Entity, int]]) -> RenderableType:
    """Return entities with the number of their facts."""
    return table(
        "Most connected",
        "name",
        "type",
        ">facts",
        rows=[(entity.name, entity.entity_type, str(count)) for entity, count in entities],
    )


def score(value: float) -> str:
    """Return a score with the digits that tell hits apart."""
    return f"{value:.4f}"


def _lead(hit: "Hit[Any]", several: bool) -> str:
    return f"{hit.item.group_id}  {score(hit.score)}" if several else score(hit.score)


def on_disk(size: int | None) -> str:
    """Return the size of a store."""
    return "none here" if size is None else f"{size / 1e6:.1f} MB"


def day(moment: datetime | None) -> str:
    """Return the date of a moment."""
    return "" if moment is None else moment.date().isoformat()


def _essence(record: str, names: tuple[str, str]) -> str:
    """Return a JSON record without the fields that do not name an end of the fact."""
    fields = _FIELD.split(record)
    kept = [any(name in field for name in names) for field in fields]
    if len(record) <= _SHORT_RECORD or not any(kept):
        return record
    runs = groupby(zip(kept, fields, strict=True), key=itemgetter(0))
    return ", ".join(", ".join(field for _, field in run) if shown else "…" for shown, run in runs)


def _kind(entity: Entity) -> str:
    names = short(", ".join(entity.aliases), _ALIASES)
    return f"{entity.entity_type}, also called {names}" if names else entity.entity_type
