"""A small graph as a picture: force-directed places, arrows that say what they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from math import hypot, sqrt
from typing import TYPE_CHECKING

from graphrag.display.picture import Drawing, Labels, cut, legend, note, type_colours, word
from graphrag.display.visible import escape
from graphrag.model.values import Entity

if TYPE_CHECKING:
    from graphrag.analysis.subgraph import Edge, Subgraph

_WIDTH, _TALLEST = 860, 640
_LEAST, _EACH = 150, 20
"""Pixels of height, and what each entity adds to them."""
_SIDE, _TOP = 66, 34
"""Pixels around the outermost entities: room for their names."""
_KINDS = 12
"""Kinds of facts that a line names when it is pointed at."""
_NAME, _SAID = 11, 9
"""Sizes of letters."""
_LONGEST = 28
"""Characters of a label."""
_CLOSE = 80
"""Entities that are laid out by their distances in the graph; more by forces alone."""
_RING = "#c8463c"
_RINGED = 0.35
"""Heat from which a ring is seen, and explained."""
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    '<path d="M0 0L8 4L0 8z" fill="#8a8a8a"/></marker></defs>'
)

_Point = tuple[float, float]
_Line = tuple[float, float, float, float]


def drawn(subgraph: Subgraph) -> Drawing:
    """Return the picture: what has more facts is larger, what is come by more often has a ring."""
    if not subgraph.entities:
        return note("nothing to draw")
    height = min(_TALLEST, _LEAST + _EACH * len(subgraph.entities))
    spots = _places(subgraph, height)
    most = max(1, *subgraph.degrees.values())
    radii = {one.id: 4 + 8 * sqrt(subgraph.degrees[one.id] / most) for one in subgraph.entities}
    colours = type_colours(entity.entity_type for entity in subgraph.entities)
    labels = Labels()
    for id_, (x, y) in spots.items():
        labels.keep_free(x, y, radii[id_])
    pairs = _pairs(subgraph)
    lines = {pair: _line(pair, spots, radii) for pair in pairs}
    for line in lines.values():
        labels.avoid(*line)
    shapes = [_ARROW, *_arrows(subgraph, pairs, lines)]
    shapes += [
        _dot(one, spots[one.id], radii[one.id], colours, subgraph) for one in subgraph.entities
    ]
    words = [_name(one, spots[one.id], radii[one.id], labels) for one in subgraph.entities]
    words += [_label(some, lines[pair], labels) for pair, some in pairs.items()]
    dots, meanings, bottom = legend(colours, height + 4, _WIDTH)
    if max(subgraph.heat.values()) >= _RINGED:
        meanings += _ring_means(bottom)
        dots += (
            f'<rect x="13" y="{bottom + 1:.1f}" width="8" height="8" rx="4" fill="none" '
            f'stroke="{_RING}" stroke-width="2"/>'
        )
        bottom += 22
    return Drawing(_WIDTH, bottom, "".join((*shapes, dots)), "".join((*words, meanings)))


def _ring_means(y: float) -> str:
    return word(27, y + 9, "often come by, following facts", soft=True)


def _places(subgraph: Subgraph, height: float) -> dict[str, _Point]:
    """Return where entities lie, by id."""
    import igraph

    number = {entity.id: place for place, entity in enumerate(subgraph.entities)}
    edges = [(number[edge.source], number[edge.target]) for edge in subgraph.edges]
    graph = igraph.Graph(n=len(number), edges=edges).simplify()
    # Seeded places: the same graph is drawn the same way.
    places = graph.layout_fruchterman_reingold(seed=graph.layout_circle().coords, niter=300)
    if 2 < len(number) <= _CLOSE and graph.is_connected():
        places = graph.layout_kamada_kawai(seed=places.coords)
    places.fit_into((_SIDE, _TOP, _WIDTH - _SIDE, height - _TOP), keep_aspect_ratio=False)
    return {id_: (places[place][0], places[place][1]) for id_, place in number.items()}


def _pairs(subgraph: Subgraph) -> dict[tuple[str, str], list[Edge]]:
    """Return what joins each two entities."""
    between: defaultdict[tuple[str, str], list[Edge]] = defaultdict(list)
    for edge in subgraph.edges:
        if edge.source != edge.target:
            between[min(edge.source, edge.target), max(edge.source, edge.target)].append(edge)
    return between


def _line(pair: tuple[str, str], spots: Mapping[str, _Point], radii: Mapping[str, float]) -> _Line:
    """Return the line from the edge of one dot to the edge of the other."""
    one, other = pair
    (x1, y1), (x2, y2) = spots[one], spots[other]
    length = max(hypot(x2 - x1, y2 - y1), 1e-6)
    right, down = (x2 - x1) / length, (y2 - y1) / length
    begin, end = min(radii[one] + 1, length / 2), min(radii[other] + 1, length / 2)
    return x1 + begin * right, y1 + begin * down, x2 - end * right, y2 - end * down


def _arrows(
    subgraph: Subgraph,
    pairs: Mapping[tuple[str, str], list[Edge]],
    lines: Mapping[tuple[str, str], _Line],
) -> Iterator[str]:
    """Yield a line between each two entities, with arrows from subjects to objects."""
    names = {entity.id: entity.name for entity in subgraph.entities}
    for (one, other), some in pairs.items():
        x1, y1, x2, y2 = lines[one, other]
        arrows = "".join(
            f' marker-{side}="url(#arrow)"'
            for side, target in (("start", one), ("end", other))
            if any(edge.target == target for edge in some)
        )
        width = min(5.0, sqrt(sum(edge.count for edge in some)))
        said = escape("\n".join(_said(edge, names) for edge in some[:_KINDS]))
        yield (
            f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#8a8a8a" '
            f'stroke-opacity="0.6" stroke-width="{width:.1f}"{arrows}><title>{said}</title></line>'
        )


def _label(some: list[Edge], line: _Line, labels: Labels) -> str:
    """Return what a line says, where it has room."""
    more = len({edge.relation for edge in some}) - 1
    text = cut(some[0].relation.replace("_", " "), _LONGEST) + (f" +{more}" if more else "")
    x1, y1, x2, y2 = line
    places = (0.5, 0.4, 0.6, 0.3, 0.7)
    spots = ((x1 + at * (x2 - x1), y1 + at * (y2 - y1) + _SAID / 3) for at in places)
    found = labels.best(spots, text, _SAID)
    return "" if found is None else word(*found, text, _SAID, anchor="middle", soft=True)


def _dot(
    entity: Entity, spot: _Point, radius: float, colours: Mapping[str, str], subgraph: Subgraph
) -> str:
    facts, heat = subgraph.degrees[entity.id], subgraph.heat[entity.id]
    said = escape(f"{entity.name} ({entity.entity_type}, {facts} facts)")
    return (
        f'<circle cx="{spot[0]:.1f}" cy="{spot[1]:.1f}" r="{radius:.1f}" '
        f'fill="{colours[entity.entity_type]}" stroke="{_RING}" stroke-width="2.5" '
        f'stroke-opacity="{heat:.2f}"><title>{said}</title></circle>'
    )


def _name(entity: Entity, spot: _Point, radius: float, labels: Labels) -> str:
    text = cut(entity.name, _LONGEST)
    found = labels.beside(*spot, radius, text, _NAME)
    return "" if found is None else word(*found, text, _NAME, anchor="middle")


def _said(edge: Edge, names: Mapping[str, str]) -> str:
    often = f" ({edge.count} facts)" if edge.count > 1 else ""
    return f"{names[edge.source]} {edge.relation.replace('_', ' ')} {names[edge.target]}{often}"
