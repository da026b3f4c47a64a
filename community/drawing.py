"""The map of communities: the same picture for the same map."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import count
from math import cos, hypot, pi, sin, sqrt
from typing import TYPE_CHECKING

from graphrag.display.picture import COLOURS, Drawing, Labels, cut, note, word
from graphrag.display.visible import escape
from graphrag.model.values import Community

if TYPE_CHECKING:
    from graphrag.community.map import CommunityMap, Place

_ROOM = 17.0
"""Pixels for the radius of an entity's share of its disc."""
_GAP = 26.0
"""Pixels between discs: room for a title."""
_MARGIN = 70.0
"""Pixels beside them: a title may be wider than its disc."""
_INNER = 0.86
"""Share of a disc's radius in which its members lie."""
_STRIDE, _WIDE = 6.0, 1.5
"""Pixels of a step of the spiral on which a place is looked for; how much wider than high it is."""
_TURN = pi * (3 - sqrt(5))
"""The angle of a sunflower: seeds one after another, evenly spread."""
_LABELS = 5
"""Members of a community that are labelled."""
_TITLE, _LABEL = 30, 22
"""Characters."""
_TITLE_SIZE, _SIZE = 12, 10

_Point = tuple[float, float]
_Disc = tuple[float, float, float]
"""Centre and radius."""


def drawn(chart: CommunityMap) -> Drawing:
    """Return the picture."""
    if not chart.communities:
        return note("no communities: communities.build() makes them")
    inside: list[list[int]] = [[] for _ in chart.communities]
    for place, entity in enumerate(chart.entities):
        inside[entity.community].append(place)
    discs, width, height = _packed(chart, [_ROOM * sqrt(len(places) + 1) for places in inside])
    spots: dict[int, _Point] = {}
    for (x, y, radius), places in zip(discs, inside, strict=True):
        for number, place in enumerate(places):
            away, turn = _INNER * radius * sqrt(number / len(places)), number * _TURN
            spots[place] = x + away * cos(turn), y + away * sin(turn)
    labels = Labels()
    for place, (x, y) in spots.items():
        labels.keep_free(x, y, _size(chart.entities[place]))
    ties = [_ties(chart, spots, across=across) for across in (True, False)]
    shapes = [
        *ties[0],
        *map(_disc, chart.communities, discs, _colours()),
        *ties[1],
        *(_dot(chart, place, spot) for place, spot in spots.items()),
    ]
    words = [
        _title(one.name, disc, labels) for one, disc in zip(chart.communities, discs, strict=True)
    ]
    words += [_label(chart, place, spots[place], labels) for place in _labelled(chart, inside)]
    return Drawing(width, height, "".join(shapes), "".join(words))


def _packed(chart: CommunityMap, radii: Sequence[float]) -> tuple[list[_Disc], float, float]:
    """Return where discs lie, near those that facts tie them to, none over another."""
    ties: dict[tuple[int, int], int] = defaultdict(int)
    for (one, other), facts in chart.ties.items():
        ends = chart.entities[one].community, chart.entities[other].community
        ties[ends] += facts
        ties[ends[::-1]] += facts
    discs: list[_Disc] = []
    for number, radius in enumerate(radii):
        pulls = [ties[number, other] for other in range(number)]
        whole = sum(pulls) or 1
        x = sum(pull * disc[0] for pull, disc in zip(pulls, discs, strict=True)) / whole
        y = sum(pull * disc[1] for pull, disc in zip(pulls, discs, strict=True)) / whole
        for step in count():  # outwards in a spiral: there is room further out
            away, turn = _STRIDE * sqrt(step), step * _TURN
            spot = x + _WIDE * away * cos(turn), y + away * sin(turn)
            if all(
                hypot(spot[0] - there[0], spot[1] - there[1]) >= radius + there[2] + _GAP
                for there in discs
            ):
                discs.append((*spot, radius))
                break
    left = min(x - radius for x, _, radius in discs) - _MARGIN
    top = min(y - radius for _, y, radius in discs) - _GAP
    width = max(x + radius for x, _, radius in discs) + _MARGIN - left
    height = max(y + radius for _, y, radius in discs) + _GAP / 2 - top
    return [(x - left, y - top, radius) for x, y, radius in discs], width, height


def _colours() -> Iterator[str]:
    return (COLOURS[number % len(COLOURS)] for number in count())


def _ties(chart: CommunityMap, spots: dict[int, _Point], *, across: bool) -> Iterator[str]:
    for (one, other), facts in chart.ties.items():
        home = chart.entities[one].community
        if (home != chart.entities[other].community) is not across:
            continue
        (x1, y1), (x2, y2) = spots[one], spots[other]
        colour = "#8a8a8a" if across else COLOURS[home % len(COLOURS)]
        yield (
            f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" stroke="{colour}" '
            f'stroke-opacity="{0.35 if across else 0.5}" '
            f'stroke-width="{min(1 + 0.4 * (facts - 1), 3):.1f}"/>'
        )


def _disc(community: Community, disc: _Disc, colour: str) -> str:
    x, y, radius = disc
    label = escape(f"{community.name} ({len(community.members)} members). {community.summary}")
    return (
        f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{radius:.0f}" fill="{colour}" fill-opacity="0.14" '
        f'stroke="{colour}" stroke-opacity="0.6"><title>{label}</title></circle>'
    )


def _dot(chart: CommunityMap, place: int, spot: _Point) -> str:
    entity = chart.entities[place]
    colour = COLOURS[entity.community % len(COLOURS)]
    size = _size(entity)
    label = escape(f"{entity.name} ({entity.entity_type}, {entity.facts} facts)")
    return (
        f'<circle cx="{spot[0]:.0f}" cy="{spot[1]:.0f}" r="{size:.1f}" fill="{colour}">'
        f"<title>{label}</title></circle>"
    )


def _size(entity: Place) -> float:
    return min(2.5 + 0.9 * sqrt(entity.facts), 8) if entity.named else 2


def _labelled(chart: CommunityMap, inside: Sequence[Sequence[int]]) -> Iterator[int]:
    """Yield who is labelled: the best tied of every community before the second of any."""
    named = [[place for place in places if chart.entities[place].named] for places in inside]
    for rank in range(_LABELS):
        yield from (places[rank] for places in named if rank < len(places))


def _label(chart: CommunityMap, place: int, spot: _Point, labels: Labels) -> str:
    entity = chart.entities[place]
    text = cut(entity.name, _LABEL)
    found = labels.beside(*spot, _size(entity), text, _SIZE)
    return "" if found is None else word(*found, text, _SIZE, anchor="middle")


def _title(name: str, disc: _Disc, labels: Labels) -> str:
    room = max(_TITLE, int(disc[2] / 3))
    text = name if len(name) <= room else cut(name.partition(":")[0], room)
    x, y = disc[0], disc[1] - disc[2] - 6
    if not labels.room(x, y, text, _TITLE_SIZE):
        return ""
    return word(x, y, text, _TITLE_SIZE, anchor="middle", bold=True)
