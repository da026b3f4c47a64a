"""Lifetimes as small bars on a common axis: inline SVG, without scripts or styles of its own."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from graphrag.display.visible import Html, escape

AXIS = 240
"""Pixels of an axis in a table."""
_HEIGHT = 12
_LEAST = 2.5
"""Pixels of the shortest lifetime."""
_FADE = 14
"""Pixels in which a bar with no known end of its own fades out."""


_ENOUGH, _FAR, _SQUEEZED = 4, 8, 3
"""Of so many moments one in so many may be cut off, if the rest then has so many times the room."""
_TICKS = 6
_BETWEEN = 36.0
"""Pixels from the middle of one year, or month, to that of the next."""
_STEPS = (1, 3, 6, *(12 * years for years in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000)))
"""Months from one mark to the next."""


@dataclass(frozen=True, slots=True)
class Axis:
    """The stretch of time that all bars of a table share."""

    start: datetime
    end: datetime
    width: float = AXIS
    """Pixels."""

    @classmethod
    def around(
        cls, moments: Iterable[datetime | None], *, now: datetime, width: float = AXIS
    ) -> "Axis":
        """Return an axis that holds now and every known moment but for a few that are far off."""
        known = sorted(moment for moment in moments if moment is not None)
        start, end = min((*known, now)), max((*known, now))
        for few in range(1, max(1, len(known) // _FAR) + 1 if len(known) >= _ENOUGH else 1):
            # One fact from 1898 must not squeeze those of today: it points out of the axis.
            if (end - known[few]) * _SQUEEZED < end - start and known[few] <= now:
                start = known[few]
                break
        for few in range(1, max(1, len(known) // _FAR) + 1 if len(known) >= _ENOUGH else 1):
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
        step = next((one for one in _STEPS if whole < one * _TICKS), _STEPS[-1])
        found = []
        for month in range(-(-first // step) * step, last + 1, step):
            if not 12 <= month < 12 * 10_000:
                continue
            moment = datetime(month // 12, month % 12 + 1, 1, tzinfo=self.start.tzinfo)
            if self.start <= moment <= self.end:
                form = f"{moment.year}" if step % 12 == 0 else f"{moment:%Y-%m}"
                found.append((self.at(moment), form))
        return found

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
    width = max(right - left, _LEAST)
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
        f'<rect x="{x:.1f}" y="2" width="{w:.1f}" height="{_HEIGHT - 4}" rx="2" '
        f'fill="{colour}" fill-opacity="{opacity}"/>'
        for x, w, opacity in pieces
    )
    middle, known = _HEIGHT // 2, [moment for moment in (start, end) if moment is not None]
    arrows = [f"M0 {middle}l6 -5v10z"] if any(moment < axis.start for moment in known) else []
    if any(moment > axis.end for moment in known):
        arrows.append(f"M{axis.width:.0f} {middle}l-6 -5v10z")
    pointers = "".join(f'<path d="{arrow}" fill="currentColor"/>' for arrow in arrows)
    return Html(
        f'<svg width="{axis.width:.0f}" height="{_HEIGHT}" role="img">'
        f"<title>{escape(title)}</title>"
        f'<rect x="0" y="{middle}" width="{axis.width:.0f}" height="1" fill="#8a8a8a" '
        f'fill-opacity="0.3"/>{rects}{pointers}</svg>'
    )
