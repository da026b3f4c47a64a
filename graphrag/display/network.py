"""Dots, the lines between them, and names beside them: what all drawn networks share."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from typing import TypeVar

from graphrag.display.picture import Labels, shape, word
from graphrag.display.visible import cut

GREY = "#8a8a8a"
RING = "#c8463c"
_LONGEST = 28
"""Characters of a label."""
_TITLE, _NAME, _RELATION = 12, 11, 9
"""Sizes of letters."""
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    f'<path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker></defs>'
)
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Node:
    """A dot."""

    x: float
    y: float
    radius: float
    colour: str
    title: str
    """Shown when somebody points at it."""
    label: str = ""
    ring: float = 0.0
    """Opacity of the ring around it."""


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two dots."""

    width: float
    title: str = ""
    label: str = ""
    colour: str = GREY
    opacity: float = 0.6
    arrows: tuple[bool, bool] = (False, False)
    """Whether it points at the first, and at the second."""


Title = tuple[float, float, str]
"""The middle of a line, and the words that stand on it."""


def network(
    nodes: Mapping[Key, Node],
    links: Mapping[tuple[Key, Key], Link],
    titles: Sequence[Title] = (),
) -> tuple[str, str]:
    """Return lines under dots, and what has room of the titles, then of the labels, in order."""
    labels = Labels()
    for node in nodes.values():
        labels.keep_free(node.x, node.y, node.radius)
    lines = {ends: _line(*(nodes[end] for end in ends)) for ends in links}
    shapes = [_ARROW] if any(any(link.arrows) for link in links.values()) else []
    shapes += [_drawn(link, lines[ends]) for ends, link in links.items()]
    shapes += [
        shape(
            "circle",
            {"cx": node.x, "cy": node.y, "r": node.radius, "fill": node.colour, "stroke": RING}
            | {"stroke-width": 2.5, "stroke-opacity": f"{node.ring:.2f}"},
            node.title,
        )
        for node in nodes.values()
    ]
    words = [
        word(x, y, text, _TITLE, anchor="middle", bold=True)
        for x, y, text in titles
        if labels.room(x, y, text, _TITLE)
    ]
    words += [_name(node, labels) for node in nodes.values() if node.label]
    words += [_relation(link, lines[ends], labels) for ends, link in links.items() if link.label]
    return "".join(shapes), "".join(words)


def _line(start: Node, end: Node) -> tuple[float, float, float, float]:
    """Return the line from the edge of one dot to the edge of another."""
    length = max(hypot(end.x - start.x, end.y - start.y), 1e-6)
    right, down = (end.x - start.x) / length, (end.y - start.y) / length
    first, last = min(start.radius + 1, length / 2), min(end.radius + 1, length / 2)
    return (
        *(start.x + first * right, start.y + first * down),
        *(end.x - last * right, end.y - last * down),
    )


def _drawn(link: Link, line: Sequence[float]) -> str:
    markers = {
        f"marker-{side}": "url(#arrow)"
        for side, points in zip(("start", "end"), link.arrows, strict=True)
        if points
    }
    stroke = {"stroke": link.colour, "stroke-opacity": f"{link.opacity:.2f}"}
    ends = dict(zip(("x1", "y1", "x2", "y2"), line, strict=True))
    return shape("line", {**ends, **stroke, "stroke-width": link.width, **markers}, link.title)


def _name(node: Node, labels: Labels) -> str:
    text = cut(node.label, _LONGEST)
    place = labels.beside(node.x, node.y, node.radius, text, _NAME)
    return "" if place is None else word(*place, text, _NAME, anchor="middle")


def _relation(link: Link, line: Sequence[float], labels: Labels) -> str:
    """Return the label of a line, where it has room along it."""
    text = cut(link.label, _LONGEST)
    x1, y1, x2, y2 = line
    shares = (0.5, 0.4, 0.6, 0.3, 0.7)
    places = ((x1 + at * (x2 - x1), y1 + at * (y2 - y1) + _RELATION / 3) for at in shares)
    place = labels.best(places, text, _RELATION)
    return "" if place is None else word(*place, text, _RELATION, anchor="middle", soft=True)
