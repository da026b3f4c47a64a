"""A small graph as inline SVG: force-directed places, no script."""

from collections import defaultdict
from collections.abc import Mapping
from math import sqrt

from graphrag.analysis.subgraph import Edge, Subgraph
from graphrag.display.visible import escape

_SIZE = 640
_MARGIN = 60
_TOLD = 12
"""Kinds of facts that a line names."""
_COLD, _HOT = (90, 130, 190), (200, 70, 60)


def drawn(subgraph: Subgraph) -> str:
    """Return the picture: what has more facts is larger, what is come by more often is warmer."""
    if not subgraph.entities:
        return "<p>nothing to draw</p>"
    import igraph

    number = {entity.id: place for place, entity in enumerate(subgraph.entities)}
    edges = [(number[edge.source], number[edge.target]) for edge in subgraph.edges]
    graph = igraph.Graph(n=len(number), edges=edges).simplify()
    # Seeded places: the same graph is drawn the same way.
    places = graph.layout_fruchterman_reingold(seed=graph.layout_circle().coords, niter=300)
    places.fit_into((_MARGIN, _MARGIN, _SIZE - _MARGIN, _SIZE - _MARGIN), keep_aspect_ratio=False)
    between: defaultdict[tuple[int, int], list[Edge]] = defaultdict(list)
    for edge, ends in zip(subgraph.edges, edges, strict=True):
        between[min(ends), max(ends)].append(edge)
    names = {entity.id: entity.name for entity in subgraph.entities}
    lines = []
    for (one, other), some in between.items():
        (x1, y1), (x2, y2) = places[one], places[other]
        width = min(5.0, sqrt(sum(edge.count for edge in some)))
        said = escape("\n".join(_said(edge, names) for edge in some[:_TOLD]))
        lines.append(
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#bbb" '
            f'stroke-width="{width:.1f}"><title>{said}</title></line>'
        )
    dots = []
    most = max(1, *subgraph.degrees.values())
    for entity in subgraph.entities:
        (x, y), heat = places[number[entity.id]], subgraph.heat[entity.id]
        radius = 4 + 8 * sqrt(subgraph.degrees[entity.id] / most)
        colour = ",".join(
            f"{cold + heat * (hot - cold):.0f}" for cold, hot in zip(_COLD, _HOT, strict=True)
        )
        said = escape(f"{entity.name} ({entity.entity_type}, {subgraph.degrees[entity.id]} facts)")
        dots.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.1f}" fill="rgb({colour})">'
            f"<title>{said}</title></circle>"
            f'<text x="{x:.0f}" y="{y - 4 - radius:.0f}" font-size="11" text-anchor="middle">'
            f"{escape(entity.name)}</text>"
        )
    return (
        f'<svg viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}" role="img">'
        + "".join((*lines, *dots))
        + "</svg>"
    )


def _said(edge: Edge, names: Mapping[str, str]) -> str:
    often = f" ({edge.count} facts)" if edge.count > 1 else ""
    return f"{names[edge.source]} {edge.relation.replace('_', ' ')} {names[edge.target]}{often}"
