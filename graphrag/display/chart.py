"""Parts of pictures as inline SVG: time axes with bars, and dots joined by lines."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import hypot
from typing import TypeVar

from graphrag.display.picture import Labels, shape, word
from graphrag.display.visible import Html, cut, escape

AXIS, _BAR_HEIGHT = 240, 12  # pixels, in a table
_SHORTEST = 2.5  # pixels that even the shortest lifetime has, so that it is seen
_FADE = 14  # pixels in which a bar with an open side fades out
_ENOUGH, _FAR, _SQUEEZED = 4, 8, 3
"""Of so many moments one in so many may be cut off, if the rest then has so many times the room."""
_TICKS = 6
_BETWEEN = 36.0  # pixels from the middle of one year, or month, to that of the next
_STEPS = (1, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)))


@dataclass(frozen=True, slots=True)
class Axis:
    """The stretch of time that all bars of a table share."""

    start: datetime
    end: datetime
    width: float = AXIS  # pixels

    @classmethod
    def around(
        cls, moments: Iterable[datetime | None], *, now: datetime, width: float = AXIS
    ) -> "Axis":
        """Return an axis that holds now and every known moment but for a few that are far off."""
        known = sorted(moment for moment in moments if moment is not None)
        start, end = min((*known, now)), max((*known, now))
        cut_off = range(1, max(1, len(known) // _FAR) + 1 if len(known) >= _ENOUGH else 1)
        for few in cut_off:
            # One fact from 1898 must not squeeze those of today: it points out of the axis.
            if (end - known[few]) * _SQUEEZED < end - start and known[few] <= now:
                start = known[few]
                break
        for few in cut_off:
            last = max(known[-few - 1], now)
            if (last - start) * _SQUEEZED < end - start:
                end = last
                break
        room = max((end - start) / 20, timedelta(days=1))
        last = end + room if end <= datetime.max.replace(tzinfo=end.tzinfo) - room else end
        return cls(start, last, width)

    def at(self, moment: datetime) -> float:
        """Return the place of a moment, in pixels."""
        whole = (self.end - self.start) / timedelta(seconds=1)
        share = (moment - self.start) / timedelta(seconds=1) / whole if whole else 0.0
        return round(min(max(share, 0.0), 1.0) * self.width, 1)

    def ticks(self) -> list[tuple[float, str]]:
        """Return places, in pixels, with their year or month, a handful of round ones."""
        first, last = (moment.year * 12 + moment.month - 1 for moment in (self.start, self.end))
        whole = last - first
        step = next((months for months in _STEPS if whole < months * _TICKS), _STEPS[-1])
        ticks = []
        for month in range(-(-first // step) * step, last + 1, step):
            if not 12 <= month < 12 * 10_000:
                continue
            moment = datetime(month // 12, month % 12 + 1, 1, tzinfo=self.start.tzinfo)
            if self.start <= moment <= self.end:
                form = f"{moment.year}" if step % 12 == 0 else f"{moment:%Y-%m}"
                ticks.append((self.at(moment), form))
        return ticks

    def ruler(self) -> Html:
        """Draw the axis: its years, or months, to stand above the bars."""
        marks, last = "", -_BETWEEN
        for x, name in self.ticks():
            marks += f'<path d="M{x} 11v4" stroke="currentColor" stroke-opacity="0.5"/>'
            middle = min(max(x, 16.0), self.width - 16.0)
            if middle - last >= _BETWEEN:
                last = middle
                marks += (
                    f'<text x="{middle}" y="9" font-size="9" fill-opacity="0.66" '
                    f'text-anchor="middle">{name}</text>'
                )
        return Html(
            f'<svg width="{self.width:.0f}" height="16" role="img" fill="currentColor">'
            f'<path d="M0 15h{self.width:.0f}" stroke="currentColor" stroke-opacity="0.5"/>'
            f"{marks}</svg>"
        )


def bar(
    axis: Axis, start: datetime | None, end: datetime | None, *, colour: str, title: str
) -> Html:
    """Draw one lifetime.

    An open side reaches the edge of the axis and fades; arrows show where it leads out of the axis.
    """
    left = 0.0 if start is None else axis.at(start)
    right = axis.width if end is None else axis.at(end)
    # What is over in a day is still seen, at the very edge, too.
    width = max(right - left, _SHORTEST)
    left = min(left, axis.width - width)
    pieces = [(left, width, 1.0)]
    if start is None or end is None:
        fade = min(float(_FADE), width / 2)
        solid_left = left + (fade if start is None else 0.0)
        solid_right = left + width - (fade if end is None else 0.0)
        pieces = [(solid_left, solid_right - solid_left, 1.0)]
        pieces += [(left, fade, 0.35)] if start is None else []
        pieces += [(solid_right, fade, 0.35)] if end is None else []
    rects = "".join(
        f'<rect x="{x:.1f}" y="2" width="{w:.1f}" height="{_BAR_HEIGHT - 4}" rx="2" '
        f'fill="{colour}" fill-opacity="{opacity}"/>'
        for x, w, opacity in pieces
    )
    middle, known = _BAR_HEIGHT // 2, [moment for moment in (start, end) if moment is not None]
    arrows = [f"M0 {middle}l6 -5v10z"] if any(moment < axis.start for moment in known) else []
    if any(moment > axis.end for moment in known):
        arrows.append(f"M{axis.width:.0f} {middle}l-6 -5v10z")
    pointers = "".join(f'<path d="{arrow}" fill="currentColor"/>' for arrow in arrows)
    return Html(
        f'<svg width="{axis.width:.0f}" height="{_BAR_HEIGHT}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect x="0" y="{middle}" width="{axis.width:.0f}" height="1" fill="#8a8a8a" '
        f'fill-opacity="0.3"/>{rects}{pointers}</svg>'
    )


GREY = "#8a8a8a"
RING = "#c8463c"
_LONGEST = 28  # characters of a label
_TITLE, _NAME, _RELATION = 12, 11, 9  # sizes of letters
_ARROW = (
    '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" '
    'markerHeight="8" markerUnits="userSpaceOnUse" orient="auto-start-reverse">'
    f'<path d="M0 0L8 4L0 8z" fill="{GREY}"/></marker></defs>'
)
Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A dot."""

    x: float
    y: float
    radius: float
    colour: str
    title: str  # shown when somebody points at it
    label: str = ""
    ring: float = 0.0  # opacity of the ring around it


@dataclass(frozen=True, slots=True)
class DrawnLink:
    """A line between two dots."""

    width: float
    title: str = ""
    label: str = ""
    colour: str = GREY
    opacity: float = 0.6
    arrows: tuple[bool, bool] = (False, False)  # whether it points at the first, and at the second


def network(
    nodes: Mapping[Key, DrawnNode],
    links: Mapping[tuple[Key, Key], DrawnLink],
    titles: Sequence[tuple[float, float, str]] = (),
) -> tuple[str, str]:
    """Return lines under dots, and what has room of the titles, then of the labels, in order.

    A title is the middle of a line and the words on it.
    """
    labels = Labels((node.x, node.y, node.radius) for node in nodes.values())
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
        if labels.best(((x, y),), text, _TITLE)
    ]
    words += [_name(node, labels) for node in nodes.values() if node.label]
    words += [_relation(link, lines[ends], labels) for ends, link in links.items() if link.label]
    return "".join(shapes), "".join(words)


def _line(start: DrawnNode, end: DrawnNode) -> tuple[float, float, float, float]:
    length = max(hypot(end.x - start.x, end.y - start.y), 1e-6)
    right, down = (end.x - start.x) / length, (end.y - start.y) / length
    first, last = min(start.radius + 1, length / 2), min(end.radius + 1, length / 2)
    return (
        *(start.x + first * right, start.y + first * down),
        *(end.x - last * right, end.y - last * down),
    )


def _drawn(link: DrawnLink, line: Sequence[float]) -> str:
    markers = {
        f"marker-{side}": "url(#arrow)"
        for side, points in zip(("start", "end"), link.arrows, strict=True)
        if points
    }
    stroke = {"stroke": link.colour, "stroke-opacity": f"{link.opacity:.2f}"}
    ends = dict(zip(("x1", "y1", "x2", "y2"), line, strict=True))
    return shape("line", {**ends, **stroke, "stroke-width": link.width, **markers}, link.title)


def _name(node: DrawnNode, labels: Labels) -> str:
    text = cut(node.label, _LONGEST)
    place = labels.beside(node.x, node.y, node.radius, text, _NAME)
    return "" if place is None else word(*place, text, _NAME, anchor="middle")


def _relation(link: DrawnLink, line: Sequence[float], labels: Labels) -> str:
    text = cut(link.label, _LONGEST)
    x1, y1, x2, y2 = line
    shares = (0.5, 0.4, 0.6, 0.3, 0.7)
    places = ((x1 + at * (x2 - x1), y1 + at * (y2 - y1) + _RELATION / 3) for at in shares)
    place = labels.best(places, text, _RELATION)
    return "" if place is None else word(*place, text, _RELATION, anchor="middle", soft=True)
