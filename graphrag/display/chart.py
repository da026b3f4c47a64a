"""Figures as lines or bars on axes with round numbers: how much grew, and when."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import ceil, floor, log10
from typing import Any

from graphrag.display.bars import Axis
from graphrag.display.picture import COLOURS, Drawing, Picture, note, rule, shape, width_of, word
from graphrag.display.visible import cut

_WIDTH, _HEIGHT = 460, 220
"""Pixels of the field in which the lines are."""
_TOP, _LEFT, _BELOW = 44, 58, 44
_APART = 14
"""Pixels between the names at the ends of lines."""
_BAR, _ROW, _LONGEST = 230, 20, 26
"""Pixels of the longest bar and of a row, characters of what a bar is called."""
_PLAIN = "#5b7c99"
"""Colour of bars whose names have none."""

Point = tuple[float, float] | tuple[datetime, float]


@dataclass(frozen=True, slots=True, repr=False)
class Chart(Picture):
    """Lines, each named at its end."""

    title: str
    lines: Mapping[str, Sequence[Point]]
    """Points by the name of their line, from left to right."""
    across: str = ""
    """What is counted from left to right."""
    up: str = ""
    """What is counted from bottom to top; from 0."""
    most: float | None = None
    """Where it ends at the top; default: at a round number above all."""
    unit: str = ""
    """Behind the numbers of the upward axis: ``%``."""

    def __repr__(self) -> str:
        """Name the lines."""
        return f"Chart({self.title!r}: {', '.join(self.lines)})"

    def __str__(self) -> str:
        """Write a line of numbers for each line."""
        return "\n".join(
            f"{name}: {', '.join(f'{y:g}' for _, y in points)}"
            for name, points in self.lines.items()
        )

    def _draw(self) -> Drawing:
        points = [point for line in self.lines.values() for point in line]
        if not points:
            return note("nothing to draw")
        highest = max(y for _, y in points)
        upward = _round_steps(0, self.most or highest or 1)
        top = self.most or upward[-1]
        at, ticks = _scale([x for x, _ in points])
        bottom, right = _TOP + _HEIGHT, _LEFT + _WIDTH
        words = [
            word(12, 18, self.title, 13, bold=True),
            word(12, 34, self.up, 10, soft=True),
            word(_LEFT + _WIDTH / 2, bottom + 36, self.across, 10, anchor="middle", soft=True),
        ]
        shapes = []
        for step in upward:
            y = bottom - step / top * _HEIGHT
            shapes.append(rule(f"M{_LEFT} {y:.1f}H{right}", 0.12 if step else 0.5))
            name = f"{step:,.10g}{self.unit}"
            words.append(word(_LEFT - 8, y + 4, name, 10, anchor="end", soft=True))
        for x, name in ticks:
            shapes.append(rule(f"M{_LEFT + x:.1f} {bottom}v4", 0.5))
            words.append(word(_LEFT + x, bottom + 18, name, 10, anchor="middle", soft=True))
        ends: dict[str, float] = {}
        colours = dict(zip(self.lines, COLOURS * (1 + len(self.lines) // 10), strict=False))
        for name, line in self.lines.items():
            places = [(_LEFT + at(x), bottom - y / top * _HEIGHT) for x, y in line]
            path = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
            line_of = {"d": f"M{path}", "fill": "none", "stroke": colours[name]}
            shapes.append(shape("path", {**line_of, "stroke-width": 2.2}, name))
            shapes += [
                shape("circle", {"cx": x, "cy": y, "r": 2.6, "fill": colours[name]})
                for x, y in places[:60]
            ]
            if places:
                ends[name] = places[-1][1]
        for name, y in _spread(ends).items():
            dot = {"x": right + 8, "y": y - 4, "width": 8, "height": 8, "rx": 4}
            shapes.append(shape("rect", {**dot, "fill": colours[name]}))
            words.append(word(right + 21, y + 4, name, 11))
        width = right + 36 + max(width_of(name, 11) for name in self.lines)
        width = max(width, width_of(self.title, 13) + 30)
        return Drawing(width, bottom + _BELOW, "".join(shapes), "".join(words))


def _spread(ends: Mapping[str, float]) -> dict[str, float]:
    """Return places for the names of lines near their ends, none over another."""
    placed: dict[str, float] = {}
    for name, y in sorted(ends.items(), key=lambda end: -end[1]):
        last = next(reversed(placed.values()), None)
        placed[name] = y if last is None else min(y, last - _APART)
    return placed


def _round_steps(low: float, high: float, most: int = 6) -> list[float]:
    """Return round numbers from below the lowest to above the highest."""
    rough = (high - low) / (most - 1) or 1.0
    power = 10 ** floor(log10(rough))
    step = next(power * part for part in (1, 2, 2.5, 5, 10) if power * part >= rough * 0.999)
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    return [round(place * step, 12) for place in range(first, last + 1)]


def _scale(
    values: Sequence[float | datetime],
) -> tuple[Callable[[Any], float], list[tuple[float, str]]]:
    """Return where numbers, or moments, stand from left to right, and the marks of the axis."""
    moments = [value for value in values if isinstance(value, datetime)]
    if moments:
        axis = Axis(min(moments), max(moments), _WIDTH)
        # A few days have no month that begins: both ends are named instead.
        ends = [(axis.at(end), f"{end:%Y-%m-%d}") for end in (axis.start, axis.end)]
        return axis.at, axis.ticks() or ends
    numbers = [value for value in values if not isinstance(value, datetime)]
    low, high = min(numbers), max(numbers)

    def at(number: float) -> float:
        return _WIDTH * (number - low) / (high - low) if high > low else _WIDTH / 2

    steps = (step for step in _round_steps(low, high) if low <= step <= high)
    return at, [(at(step), f"{step:,.10g}") for step in steps]


def tally(
    title: str, counts: Mapping[str, int], colours: Mapping[str, str], at: tuple[float, float]
) -> Drawing:
    """Return bars for numbers by name, to stand at a place of a picture."""
    left, top = at
    most = max(counts.values(), default=1) or 1
    side = left + max((width_of(cut(name, _LONGEST), 11) for name in counts), default=0) + 8
    shapes, words, y = "", word(left, top, title, 12, bold=True), top + 10.0
    for name, number in counts.items():
        width = max(_BAR * number / most, 1.5)
        box = {"x": side, "y": y, "width": width, "height": 12, "rx": 2}
        shapes += shape("rect", {**box, "fill": colours.get(name, _PLAIN)})
        words += word(side - 8, y + 10, cut(name, _LONGEST), anchor="end")
        words += word(side + width + 6, y + 10, f"{number:,}", soft=True)
        y += _ROW
    return Drawing(800, y, shapes, words)
