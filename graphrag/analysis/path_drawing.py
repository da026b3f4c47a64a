"""A path as a picture: its entities in a row, and between them what joins them, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graphrag.display.cards import lifetime
from graphrag.display.picture import Drawing, cut, legend, type_colours, width_of, word
from graphrag.display.visible import escape

if TYPE_CHECKING:
    from graphrag.analysis.paths import Path

_TOP, _RADIUS, _SIDE = 46, 9, 18
"""Pixels above the middle of the dots, of a dot, and beside the outermost names."""
_LONGEST = 28
"""Characters of a name."""
_COLOUR = "#8a8a8a"


def drawn(path: Path) -> Drawing:
    """Return the picture: names over dots, relations over arrows, lifetimes under them."""
    names = [cut(entity.name, _LONGEST) for entity in path.entities]
    halves = [width_of(name, 11) / 2 for name in names]
    said = [cut(fact.relation.replace("_", " "), _LONGEST) for fact in path.facts]
    times = [lifetime(fact) for fact in path.facts]
    spots = [_SIDE + max(halves[0], _RADIUS)]
    for place, (relation, time) in enumerate(zip(said, times, strict=True)):
        label = max(width_of(relation, 10), width_of(time, 9)) + 2 * _RADIUS + 26
        spots.append(spots[-1] + max(90, label, halves[place] + halves[place + 1] + 14))
    colours = type_colours(entity.entity_type for entity in path.entities)
    shapes, words = [], []
    for place, (fact, relation, time) in enumerate(zip(path.facts, said, times, strict=True)):
        left, right = spots[place] + _RADIUS + 3, spots[place + 1] - _RADIUS - 3
        forward = fact.subject_id == path.entities[place].id
        tip, back = (right, -7) if forward else (left, 7)
        shapes.append(
            f'<path d="M{left:.1f} {_TOP}H{right:.1f}" stroke="{_COLOUR}" stroke-width="1.6">'
            f"<title>{escape(fact.text)}</title></path>"
            f'<path d="M{tip:.1f} {_TOP}l{back} -4v8z" fill="{_COLOUR}"/>'
        )
        middle = (left + right) / 2
        words.append(word(middle, _TOP - 6, relation, 10, anchor="middle"))
        words.append(word(middle, _TOP + 15, time, 9, anchor="middle", soft=True))
    for entity, name, x in zip(path.entities, names, spots, strict=True):
        shapes.append(
            f'<circle cx="{x:.1f}" cy="{_TOP}" r="{_RADIUS}" fill="{colours[entity.entity_type]}">'
            f"<title>{escape(f'{entity.name} ({entity.entity_type})')}</title></circle>"
        )
        words.append(word(x, _TOP - 20, name, 11, anchor="middle", bold=True))
    width = max(spots[-1] + max(halves[-1], _RADIUS) + _SIDE, 300)
    dots, meanings, height = legend(colours, _TOP + 34, width)
    return Drawing(width, height, "".join((*shapes, dots)), "".join((*words, meanings)))
