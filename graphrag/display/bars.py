"""Lifetimes as small bars on a common axis: inline SVG, without scripts or styles of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphrag.display.visible import escape

_WIDTH = 240
_HEIGHT = 12
_FADE = 14
"""Pixels in which a bar with no known end of its own fades out."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The stretch of time that all bars of a table share."""

    start: datetime
    end: datetime

    @classmethod
    def around(cls, moments: Iterable[datetime | None], *, now: datetime) -> "Axis":
        """Return an axis that holds every known moment, and now."""
        known = [moment for moment in moments if moment is not None] + [now]
        start, end = min(known), max(known)
        room = max((end - start) / 20, timedelta(days=1))
        return cls(
            start, end + room if end <= datetime.max.replace(tzinfo=end.tzinfo) - room else end
        )

    def at(self, moment: datetime) -> float:
        """Return the place of a moment, in pixels."""
        whole = (self.end - self.start) / timedelta(seconds=1)
        share = (moment - self.start) / timedelta(seconds=1) / whole if whole else 0.0
        return round(min(max(share, 0.0), 1.0) * _WIDTH, 1)


def bar(
    axis: Axis, start: datetime | None, end: datetime | None, *, colour: str, title: str
) -> str:
    """Draw one lifetime; an open side reaches the edge of the axis and fades."""
    left = 0.0 if start is None else axis.at(start)
    right = float(_WIDTH) if end is None else axis.at(end)
    width = max(right - left, 2.0)
    pieces = [(left, width, 1.0)]
    if start is None or end is None:
        fade = min(float(_FADE), width / 2)
        solid_left = left + (fade if start is None else 0.0)
        solid_right = left + width - (fade if end is None else 0.0)
        pieces = [(solid_left, solid_right - solid_left, 1.0)]
        pieces += [(left, fade, 0.35)] if start is None else []
        pieces += [(solid_right, fade, 0.35)] if end is None else []
    rects = "".join(
        f'<rect x="{x:.1f}" y="2" width="{w:.1f}" height="{_HEIGHT - 4}" rx="2" '
        f'fill="{colour}" fill-opacity="{opacity}"/>'
        for x, w, opacity in pieces
    )
    return (
        f'<svg width="{_WIDTH}" height="{_HEIGHT}" role="img"><title>{escape(title)}</title>'
        f'<rect x="0" y="{_HEIGHT // 2}" width="{_WIDTH}" height="1" fill="#ddd"/>{rects}</svg>'
    )
