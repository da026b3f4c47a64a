"""Results as a pandas data frame, and as a table of ``rich``."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from graphrag.display.cards import lifetime, triple
from graphrag.display.visible import visible
from graphrag.errors import MissingExtraError, QueryError
from graphrag.model.values import Community, Entity, Episode, Fact

if TYPE_CHECKING:
    from rich.table import Table

    from graphrag.search.results import Hit, Results

_KINDS = {"facts": Fact, "entities": Entity, "episodes": Episode, "communities": Community}


def frame(results: Results, scope: str) -> Any:
    """Return the hits of one scope as a pandas data frame.

    Raises:
        QueryError: for an unknown scope.
        MissingExtraError: if pandas is not installed.
    """
    if scope not in _KINDS:
        raise QueryError(f"scope {scope!r}: choose from {', '.join(_KINDS)}")
    hits: tuple[Hit[Any], ...] = getattr(results, scope)
    names = [field.name for field in fields(_KINDS[scope])]
    rows = [
        {
            "score": hit.score,
            "relevance": hit.relevance,
            **{name: getattr(hit.item, name) for name in names},
            **({"source": results.source_of(hit.item)} if scope == "facts" else {}),
        }
        for hit in hits
    ]
    source = ["source"] if scope == "facts" else []
    return table_of(rows, ["score", "relevance", *names, *source])


def table_of(rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> Any:
    """Return rows as a pandas data frame.

    Raises:
        MissingExtraError: if pandas is not installed.
    """
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
    rows: list[tuple[str, float, str, str, str]] = [
        *(
            (
                "text",
                hit.score,
                triple(hit.item),
                lifetime(hit.item),
                results.source_of(hit.item) or "",
            )
            for hit in results.facts
        ),
        *(
            ("entity", hit.score, f"{hit.item.name} ({hit.item.entity_type})", "", hit.item.summary)
            for hit in results.entities
        ),
        *(
            ("episode", hit.score, hit.item.name, f"{hit.item.valid_at:%Y-%m-%d}", hit.item.content)
            for hit in results.episodes
        ),
        *(
            ("community", hit.score, hit.item.name, "", hit.item.summary)
            for hit in results.communities
        ),
    ]
    for scope, score, found, when, words in rows:
        # Text, not strings: what comes from the graph is never markup.
        cells = map(visible, (scope, f"{score:.3f}", found, when, words))
        table.add_row(*(Text(cell, overflow="ellipsis") for cell in cells))
    return table
