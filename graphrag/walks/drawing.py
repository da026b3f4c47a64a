"""A small graph as inline SVG: force-directed places, no script."""

from html import escape

from graphrag.cards import lifetime, triple
from graphrag.walks.found import Subgraph

_SIZE = 640
_MARGIN = 60
_COLD, _HOT = (90, 130, 190), (200, 70, 60)


def drawn(subgraph: Subgraph) -> str:
    """Return the picture; the more facts an entity has inside, the larger and warmer it is."""
    if not subgraph.entities:
        return "<p>nothing to draw</p>"
    import igraph

    number = {entity.id: place for place, entity in enumerate(subgraph.entities)}
    edges = [(number[fact.subject_id], number[fact.object_id]) for fact in subgraph.facts]
    graph = igraph.Graph(n=len(number), edges=edges).simplify()
    # Seeded places: the same graph is drawn the same way.
    places = graph.layout_fruchterman_reingold(seed=graph.layout_circle().coords, niter=300)
    places.fit_into((_MARGIN, _MARGIN, _SIZE - _MARGIN, _SIZE - _MARGIN), keep_aspect_ratio=False)
    lines = []
    for fact in subgraph.facts:
        (x1, y1), (x2, y2) = places[number[fact.subject_id]], places[number[fact.object_id]]
        said = escape(f"{triple(fact)} ({lifetime(fact)})")
        lines.append(
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="#bbb">'
            f"<title>{said}</title></line>"
        )
    dots = []
    for entity in subgraph.entities:
        (x, y), heat = places[number[entity.id]], subgraph.heat[entity.id]
        colour = ",".join(
            f"{cold + heat * (hot - cold):.0f}" for cold, hot in zip(_COLD, _HOT, strict=True)
        )
        said = escape(f"{entity.name} ({entity.entity_type}, {subgraph.degrees[entity.id]} facts)")
        dots.append(
            f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{4 + 8 * heat:.1f}" fill="rgb({colour})">'
            f"<title>{said}</title></circle>"
            f'<text x="{x:.0f}" y="{y - 8 - 8 * heat:.0f}" font-size="11" text-anchor="middle">'
            f"{escape(entity.name)}</text>"
        )
    return (
        f'<svg viewBox="0 0 {_SIZE} {_SIZE}" width="{_SIZE}" height="{_SIZE}" role="img">'
        + "".join((*lines, *dots))
        + "</svg>"
    )
