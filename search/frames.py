"""Results for display: HTML for a notebook, a table of ``rich``, a pandas data frame."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from graphrag.display.cards import fact_table, lifetime, table, triple
from graphrag.display.visible import cut, escape, visible
from graphrag.errors import MissingExtraError, QueryError
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.temporal.moment import utc_now

if TYPE_CHECKING:
    from rich.table import Table

    from graphrag.search.results import Hit, Results

_KINDS = {"facts": Fact, "entities": Entity, "episodes": Episode, "communities": Community}
_EXCERPT = 240


def frame(results: Results, scope: str) -> Any:
    """Return the hits of one scope as a pandas data frame."""
    if scope not in _KINDS:
        raise QueryError(f"scope {scope!r}: choose from {', '.join(_KINDS)}")
    hits: tuple[Hit[Any], ...] = getattr(results, scope)
    names = [field.name for field in fields(_KINDS[scope])]
    columns = ["score", "relevance", *names, *(["source"] if scope == "facts" else [])]
    rows = [
        {"score": hit.score, "relevance": hit.relevance}
        | {name: getattr(hit.item, name) for name in names}
        | ({"source": results.source_of(hit.item)} if scope == "facts" else {})
        for hit in hits
    ]
    return table_of(rows, columns)


def table_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Return rows as a pandas data frame."""
    if importlib.util.find_spec("pandas") is None:
        raise MissingExtraError("to_dataframe()", "notebook")
    import pandas

    return pandas.DataFrame(rows, columns=list(columns))


def rich_table(results: Results) -> Table:
    """Return a table of what was found, the scopes one after another."""
    from rich.table import Table
    from rich.text import Text

    table = Table(title=Text(visible(results.query)), box=None, pad_edge=False, header_style="dim")
    for column in ("scope", "score", "found", "when", "words"):
        table.add_column(column)
    hits: list[Hit[Any]] = [*results.facts, *results.entities, *results.episodes]
    for hit in (*hits, *results.communities):
        scope, found, when, words = _line(hit.item, results)
        # Text, not strings: what comes from the graph is never markup.
        cells = map(visible, (scope, f"{hit.score:.3f}", found, when, words))
        table.add_row(*(Text(cell, overflow="ellipsis") for cell in cells))
    return table


def _line(item: Fact | Entity | Episode | Community, results: Results) -> tuple[str, str, str, str]:
    match item:
        case Fact():
            return "text", triple(item), lifetime(item), results.source_of(item) or ""
        case Entity():
            return "entity", f"{item.name} ({item.entity_type})", "", item.summary
        case Episode():
            return "episode", item.name, f"{item.valid_at:%Y-%m-%d}", item.content
        case Community():
            return "community", item.name, "", item.summary


def results_page(results: Results) -> str:
    """Return a table of HTML for each scope that found something."""
    parts = [f"<b>{escape(results.query)}</b>"]
    if results.facts:
        sources = (results.source_of(hit.item) or hit.item.text for hit in results.facts)
        facts = (
            (hit.item, "", (cut(source, _EXCERPT), f"{hit.score:.3f}"))
            for hit, source in zip(results.facts, sources, strict=True)
        )
        parts.append(f"<p>Facts</p>{fact_table(('source', 'score'), facts, now=utc_now())}")
    for scope in ("entities", "episodes", "communities"):
        hits: tuple[Hit[Any], ...] = getattr(results, scope)
        if hits:
            lines = ((f"{hit.score:.3f}", *_line(hit.item, results)[1:]) for hit in hits)
            rows = [[cut(cell, _EXCERPT) for cell in line] for line in lines]
            names = ["score", "found", "when", "words"]
            if not any(row[2] for row in rows):  # only episodes have a time
                rows, names = [row[:2] + row[3:] for row in rows], names[:2] + names[3:]
            parts.append(f"<p>{scope.capitalize()}</p>{table(names, rows, words=True)}")
    if not results:
        parts.append("<p>nothing found</p>")
    if results.explanation is not None:
        parts.append(results.explanation._repr_html_())
    return "".join(parts)
