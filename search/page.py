"""Results as HTML for notebooks: what was found, with the lifetime of each fact as a bar."""

from collections.abc import Iterable, Sequence

from graphrag.display.bars import Axis
from graphrag.display.cards import lifetime_bar, lifetime_cell, triple
from graphrag.display.visible import escape
from graphrag.model.values import Community, Entity, Episode, Fact
from graphrag.search.results import Hit, Results
from graphrag.temporal.moment import utc_now

_EXCERPT = 240


def results_page(results: Results) -> str:
    """Return a table for each scope that found something."""
    parts = [f"<b>{escape(results.query)}</b>"]
    if results.facts:
        parts.append(_facts(results, results.facts))
    if results.entities:
        rows = (
            (_score(hit), hit.item.name, hit.item.entity_type, _cut(hit.item.summary))
            for hit in results.entities
        )
        parts.append(_table("Entities", ("score", "name", "type", "summary"), map(_cells, rows)))
    if results.episodes:
        rows = (
            (_score(hit), f"{hit.item.valid_at:%Y-%m-%d}", hit.item.name, _cut(hit.item.content))
            for hit in results.episodes
        )
        parts.append(_table("Episodes", ("score", "date", "name", "text"), map(_cells, rows)))
    if results.communities:
        found = (
            (_score(hit), hit.item.name, _cut(hit.item.summary)) for hit in results.communities
        )
        parts.append(_table("Communities", ("score", "name", "summary"), map(_cells, found)))
    if not results:
        parts.append("<p>nothing found</p>")
    if results.explanation is not None:
        parts.append(results.explanation._repr_html_())
    return "".join(parts)


def _facts(results: Results, hits: Sequence[Hit[Fact]]) -> str:
    now = utc_now()
    moments = [moment for hit in hits for moment in (hit.item.valid_at, hit.item.invalid_at)]
    axis = Axis.around(moments, now=now)

    def row(hit: Hit[Fact]) -> list[str]:
        fact = hit.item
        words = _cut(results.source_of(fact) or fact.fact)
        score, *said = _cells((_score(hit), triple(fact), words))
        return [score, lifetime_bar(fact, axis, now=now), lifetime_cell(fact), *said]

    head = ("score", f"{axis.start:%Y-%m} to {axis.end:%Y-%m}", "valid", "fact", "source")
    return _table("Facts", head, map(row, hits))


def _table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table; the cells of the rows are HTML."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join(
        "<tr>" + "".join(f'<td style="text-align:left">{cell}</td>' for cell in row) + "</tr>"
        for row in rows
    )
    return (
        f"<table><caption>{escape(title)}</caption>"
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )


def _cells(cells: Sequence[str]) -> list[str]:
    return [escape(cell) for cell in cells]


def _score(hit: Hit[Fact] | Hit[Entity] | Hit[Episode] | Hit[Community]) -> str:
    return f"{hit.score:.3f}"


def _cut(text: str) -> str:
    return text if len(text) <= _EXCERPT else text[:_EXCERPT].rstrip() + " …"
