"""Values for people and as JSON. What comes from the graph is shown as text, never as markup.

Findings are entries of two or three lines, which fit 80 columns where a table would not.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from graphrag.display.cards import episode_title, lifetime, triple
from graphrag.display.lists import done
from graphrag.display.visible import flatten, visible
from graphrag.model.values import Community, Entity, Episode, Event, Fact
from graphrag.text.split import stated_in

if TYPE_CHECKING:
    from graphrag.search.results import Hit, Results

_LINES = 2
_NAME = 30
_SHORT_RECORD = 70
_FIELD = re.compile(r',\s(?="|\{)')
_ALIASES = 60
_NOUNS = (
    *(("facts", "fact"), ("entities", "entity")),
    *(("episodes", "episode"), ("communities", "community")),
)
"""Scopes of a search, and what one hit is called."""
_GAP = "  "
_NARROWEST = 20  # a column of heads narrower than this is unreadable, whatever the terminal is


@dataclass(frozen=True, slots=True)
class Entry:
    """One finding; control characters in its texts are shown."""

    head: str  # the finding; wrapped, never cut
    note: str = ""  # when it holds, in a column of its own
    body: str = ""  # the evidence; cut to the lines there are
    where: str = ""
    lead: str = ""  # a score or a mark before it

    def __post_init__(self) -> None:
        for name in ("head", "note", "body", "where", "lead"):
            object.__setattr__(self, name, visible(getattr(self, name)))


@dataclass(frozen=True, slots=True)
class Entries:
    """Findings under a title."""

    title: Text
    entries: tuple[Entry, ...]
    lines: int  # of a body, at most

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lead = max((cell_len(entry.lead) for entry in self.entries), default=0)
        note = max((cell_len(entry.note) for entry in self.entries), default=0)
        indent = lead + len(_GAP)
        room = options.max_width - indent - note - len(_GAP)
        widest = max((cell_len(entry.head) for entry in self.entries), default=0)
        column = min(widest, max(room, _NARROWEST))
        yield self.title
        for entry in self.entries:
            first, *rest = Text(entry.head, style="bold").wrap(console, column) or [Text()]
            if entry.note:
                first.pad_right(column - first.cell_len)
                first.append(_GAP + entry.note, style="not bold")
            if lead:
                yield Text.assemble((entry.lead.rjust(lead) + _GAP, "dim"), first)
            else:
                yield first
            for line in (*rest, *self._body(entry, console, options.max_width - indent)):
                line.rstrip()
                yield Text.assemble(" " * indent, line)

    def _body(self, entry: Entry, console: Console, width: int) -> Iterable[Text]:
        if not entry.body:
            return []
        where = f" ({entry.where})" if entry.where else ""
        # Words do not fill a line to its end: half a word is lost on each but the last.
        room = self.lines * width - cell_len(where) - 6 * (self.lines - 1)
        return Text.assemble(short(entry.body, room), (where, "dim")).wrap(console, width)


def short(text: str, longest: int) -> str:
    """Return text on one line, cut at a word; a closing quote stays."""
    flat = " ".join(text.split())
    if cell_len(flat) <= longest:
        return flat
    closing = "”" if flat.endswith("”") else ""
    kept = flat[: max(longest - 1 - len(closing), 1)]
    while cell_len(kept) > longest - 1 - len(closing) and len(kept) > 1:
        kept = kept[:-1]
    if not flat[len(kept)].isspace():
        kept = kept.rsplit(" ", 1)[0]
    return kept.rstrip(" ,;:—-…") + "…" + closing


def line(text: str, style: str = "") -> Text:
    """Return text as it stands: what is longer than the terminal is wide goes on below."""
    return Text(visible(text), style=style)


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
        made.add_row(*map(_cell, row))
    return Group(line(title, "bold") if isinstance(title, str) else title, made)


def tally(title: str, rows: Mapping[str, object]) -> RenderableType:
    """Return a table of what is counted; what is None is left out."""
    shown = [(name, str(value)) for name, value in rows.items() if value is not None]
    return table(title, "", ">", rows=shown)


def _cell(text: str | Text) -> Text:
    """Return a cell; what a label is indented by says what it is part of."""
    if isinstance(text, Text):
        return text
    return Text(" " * (len(text) - len(text.lstrip(" "))) + flatten(text))


def fact_entry(fact: Fact, episodes: Mapping[str, Episode], *, lead: str = "") -> Entry:
    """Return a fact with its interval and the words that state it."""
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
    return Entry(triple(fact), lifetime(fact), fact.text, lead=lead)


def hits_entries(title: str, results: "Results", *, several: bool = False) -> RenderableType:
    """Return the hits of one scope; with ``several`` groups each hit names its own."""
    episodes = {episode.id: episode for episode in results.passages}
    hits: Sequence[Hit[Any]] = getattr(results, title.lower())
    # A score is comparable within one search only, relevance is across searches.
    lead = "{0.item.group_id}  {0.relevance:.2f}" if several else "{0.relevance:.2f}"
    entries = tuple(_entry(hit.item, episodes, lead.format(hit)) for hit in hits)
    return Entries(Text.assemble((title, "bold"), (" by relevance", "dim")), entries, _LINES)


def _entry(
    item: Fact | Entity | Episode | Community, episodes: Mapping[str, Episode], lead: str
) -> Entry:
    if isinstance(item, Fact):
        return fact_entry(item, episodes, lead=lead)
    if isinstance(item, Episode):
        return Entry(episode_title(item), day(item.valid_at), item.content, lead=lead)
    if isinstance(item, Community):
        return Entry(item.name, f"{len(item.members)} members", item.summary, lead=lead)
    names = short(", ".join(item.aliases), _ALIASES)
    kind = f"{item.entity_type}, also called {names}" if names else item.entity_type
    return Entry(item.name, kind, lead=lead)


def titled(title: str, entries: Iterable[Entry], lines: int = _LINES) -> Entries:
    """Return findings under a title in bold."""
    return Entries(Text(title, style="bold"), tuple(entries), lines)


def facts_entries(
    title: str, facts: Iterable[Fact], episodes: Mapping[str, Episode], *, ids: bool = False
) -> Entries:
    """Return facts with their intervals and sources, and with their ids if asked."""
    entries = (fact_entry(fact, episodes, lead=fact.id if ids else "") for fact in facts)
    return titled(title, entries)


def connected_table(entities: Sequence[tuple[Entity, int]]) -> RenderableType | None:
    """Return entities with the number of their facts."""
    rows = [(entity.name, entity.entity_type, str(count)) for entity, count in entities]
    return table("Most connected", "name", "type", ">facts", rows=rows) if rows else None


def next_page(page: Sequence[object], limit: int, offset: int) -> Text | None:
    """Return how to see the next page of a list, None if this is the last."""
    return line(f"--offset {offset + limit} goes on") if len(page) == limit else None


def on_disk(size: int | None) -> str:
    """Format a size in megabytes; ``none here`` without one."""
    return "none here" if size is None else f"{size / 1e6:.1f} MB"


def day(moment: datetime | None) -> str:
    """Return the date of a moment."""
    return "" if moment is None else moment.date().isoformat()


def _essence(record: str, names: tuple[str, str]) -> str:
    fields = _FIELD.split(record)
    kept = [any(name in field for name in names) for field in fields]
    if len(record) <= _SHORT_RECORD or not any(kept):
        return record
    runs = groupby(zip(kept, fields, strict=True), key=itemgetter(0))
    return ", ".join(", ".join(field for _, field in run) if shown else "…" for shown, run in runs)


def plain(value: Any) -> Any:
    """Return a value as JSON can carry it: dataclasses as objects, times in ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list | tuple) else value


def attributes(value: object, *names: str) -> dict[str, Any]:
    """Return some attributes of a value as JSON."""
    return {name: plain(getattr(value, name)) for name in names}


def fact_form(fact: Fact, episodes: Mapping[str, Episode]) -> dict[str, Any]:
    """Return a fact as JSON, with the words of its sources."""
    sources = [
        {
            "episode_id": span.episode_id,
            "start": span.start,
            "end": span.end,
            "name": episode.name,
            "reference_time": episode.valid_at,
            "text": stated_in(episode, span),
        }
        if (episode := episodes.get(span.episode_id))
        else plain(span)
        for span in fact.sources
    ]
    form: dict[str, Any] = plain({**plain(fact), "sources": sources})
    return form


def event_form(event: Event) -> dict[str, Any]:
    """Return an event of the log as JSON, with what it did in words."""
    return {**plain(event), "did": done(event)}


def results_form(results: "Results") -> dict[str, Any]:
    """Return everything that a search found as JSON."""
    episodes = {episode.id: episode for episode in results.passages}

    def form(hit: "Hit[Any]", noun: str) -> dict[str, Any]:
        item = fact_form(hit.item, episodes) if noun == "fact" else plain(hit.item)
        return attributes(hit, "score", "relevance", "why") | {noun: item}

    return {
        "query": results.query,
        **{scope: [form(hit, noun) for hit in getattr(results, scope)] for scope, noun in _NOUNS},
        **({"steps": plain(results.explanation.steps)} if results.explanation else {}),
    }
