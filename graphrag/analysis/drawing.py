"""A small graph as inline SVG: force-directed places, arrows that say what they are, no script."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from math import hypot, sqrt
from typing import TYPE_CHECKING

from graphrag.display.picture import COLOURS, HALO, Labels
from graphrag.display.visible import escape
from graphrag.model.values import Entity

if TYPE_CHECKING:
    from graphrag.analysis.subgraph import Edge, Subgraph

_SIZE = 760
_MARGIN = 60
_KINDS = 12
"""Kinds of facts that a line names when it is pointed at."""
_NAME, _SAID = 11, 9
"""Sizes of letters."""
_LONGEST = 28
"""Characters of a label."""
_TYPES = 9
"""Types with a colour of their own, the commonest; the others share the last one."""
_HEAD = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>'
)

_Point = tuple[float, float]


def drawn(subgraph: Subgraph) -> str:
    """Return the picture: what has more facts is larger, what is come by more often has a ring."""
    if not subgraph.entities:
        return (
            '<svg xmlns="http://www.w3.org/2000/svg" width="420" height="30"><text x="4" y="20" '
            'font-size="12">nothing to draw</text></svg>'
        )
    spots = _places(subgraph)
    most = max(1, *subgraph.degrees.values())
    radii = {one.id: 4 + 8 * sqrt(subgraph.degrees[one.id] / most) for one in subgraph.entities}
    colours = _colours(subgraph.entities)
    labels = Labels()
    for id_, (x, y) in spots.items():
        labels.keep_free(x, y, radii[id_])
    dots = [_dot(one, spots[one.id], radii[one.id], colours, subgraph) for one in subgraph.entities]
    names = [_name(one, spots[one.id], radii[one.id], labels) for one in subgraph.entities]
    lines = list(_lines(subgraph, spots, radii, labels))
    legend = list(_legend(colours))
    height = _SIZE + 18 * (len(legend) // 4 + 1)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_SIZE} {height}" width="{_SIZE}" '
        'role="img" font-family="sans-serif" style="background:white;max-width:100%">'
        f"{_HEAD}{''.join((*lines, *dots, *names, *legend))}</svg>"
    )


def _places(subgraph: Subgraph) -> dict[str, _Point]:
    """Return where entities lie, by id."""
    import igraph

    number = {entity.id: place for place, entity in enumerate(subgraph.entities)}
    edges = [(number[edge.source], number[edge.target]) for edge in subgraph.edges]
    graph = igraph.Graph(n=len(number), edges=edges).simplify()
    # Seeded places: the same graph is drawn the same way.
    places = graph.layout_fruchterman_reingold(seed=graph.layout_circle().coords, niter=300)
    places.fit_into((_MARGIN, _MARGIN, _SIZE - _MARGIN, _SIZE - _MARGIN), keep_aspect_ratio=False)
    return {id_: (places[place][0], places[place][1]) for id_, place in number.items()}


def _colours(entities: Sequence[Entity]) -> dict[str, str]:
    """Return a colour for each type, the commonest first."""
    kinds = Counter(entity.entity_type for entity in entities).most_common()
    return {kind: COLOURS[min(place, _TYPES)] for place, (kind, _) in enumerate(kinds)}


def _lines(
    subgraph: Subgraph, spots: Mapping[str, _Point], radii: Mapping[str, float], labels: Labels
) -> Iterator[str]:
    """Yield a line between each two entities, with arrows from subjects to objects."""
    names = {entity.id: entity.name for entity in subgraph.entities}
    between: defaultdict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in subgraph.edges:
        between[min(edge.source, edge.target), max(edge.source, edge.target)].append(edge)
    for (one, other), some in between.items():
        if one == other:
            continue
        (x1, y1), (x2, y2) = spots[one], spots[other]
        length = max(hypot(x2 - x1, y2 - y1), 1e-6)
        right, down = (x2 - x1) / length, (y2 - y1) / length
        begin, end = min(radii[one] + 1, length / 2), min(radii[other] + 1, length / 2)
        arrows = "".join(
            f' marker-{side}="url(#arrow)"'
            for side, target in (("start", one), ("end", other))
            if any(edge.target == target for edge in some)
        )
        width = min(5.0, sqrt(sum(edge.count for edge in some)))
        said = escape("\n".join(_said(edge, names) for edge in some[:_KINDS]))
        yield (
            f'<line x1="{x1 + begin * right:.1f}" y1="{y1 + begin * down:.1f}" '
            f'x2="{x2 - end * right:.1f}" y2="{y2 - end * down:.1f}" stroke="#bbb" '
            f'stroke-width="{width:.1f}"{arrows}><title>{said}</title></line>'
        )
        more = len({edge.relation for edge in some}) - 1
        text = _cut(some[0].relation.replace("_", " ")) + (f" +{more}" if more else "")
        for share in (0.5, 0.38, 0.62):
            x, y = x1 + share * (x2 - x1), y1 + share * (y2 - y1) + _SAID / 3
            if labels.room(x, y, text, _SAID):
                yield _text(x, y, text, _SAID, "#777")
                break


def _dot(
    entity: Entity, spot: _Point, radius: float, colours: Mapping[str, str], subgraph: Subgraph
) -> str:
    facts, heat = subgraph.degrees[entity.id], subgraph.heat[entity.id]
    said = escape(f"{entity.name} ({entity.entity_type}, {facts} facts)")
    return (
        f'<circle cx="{spot[0]:.1f}" cy="{spot[1]:.1f}" r="{radius:.1f}" '
        f'fill="{colours[entity.entity_type]}" stroke="#c8463c" stroke-width="2.5" '
        f'stroke-opacity="{heat:.2f}"><title>{said}</title></circle>'
    )


def _name(entity: Entity, spot: _Point, radius: float, labels: Labels) -> str:
    text = _cut(entity.name)
    found = labels.beside(*spot, radius, text, _NAME)
    return "" if found is None else _text(*found, text, _NAME, "#222")


def _legend(colours: Mapping[str, str]) -> Iterator[str]:
    for place, (kind, colour) in enumerate(colours.items()):
        x, y = 12 + place % 4 * (_SIZE // 4), _SIZE + 4 + place // 4 * 18
        yield (
            f'<rect x="{x}" y="{y}" width="10" height="10" rx="5" fill="{colour}"/>'
            f'<text x="{x + 15}" y="{y + 9}" font-size="{_NAME}" fill="#222">'
            f"{escape(_cut(kind))}</text>"
        )


def _text(x: float, y: float, text: str, size: int, colour: str) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="middle" fill="{colour}" '
        f"{HALO}>{escape(text)}</text>"
    )


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _said(edge: Edge, names: Mapping[str, str]) -> str:
    often = f" ({edge.count} facts)" if edge.count > 1 else ""
    return f"{names[edge.source]} {edge.relation.replace('_', ' ')} {names[edge.target]}{often}"
