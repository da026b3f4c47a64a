"""Communities through time as a picture: a column for each slice, ribbons for who goes where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from graphrag.community.detect import LEAST
from graphrag.display.picture import COLOURS, Drawing, Labels, note, shape, width_of, word
from graphrag.display.visible import cut

if TYPE_CHECKING:
    from graphrag.community.flow import CommunityFlow, DynamicCommunity

_DRAWN = 24
"""Communities in one picture: more nobody tells apart."""
_WIDE, _NARROW, _BROAD = 760, 26, 190
"""Pixels of all columns together, if each then has between so many and so many."""
_HIGH = 380
"""Pixels of the tallest column without its gaps."""
_EACH = 16.0
"""Pixels of one member at most."""
_BLOCK, _GAP = 12, 14
"""Pixels of a block's width, and between two blocks of a column."""
_TOP, _SIDE, _BELOW = 22, 20, 34
_SIZE, _SMALL = 11, 10
"""Sizes of letters."""
_LONGEST = 30
"""Characters of a label."""

_NAMED = 12
"""Members that a block names when it is pointed at."""

_Box = tuple[float, float, float]
"""Left, top and height of a block."""


def drawn(flow: CommunityFlow) -> Drawing:
    """Return the picture; the same flow gives the same one."""
    shown = list(flow)[:_DRAWN]
    if not shown:
        return note("no communities: no facts hold in these slices")
    columns = len(flow.slices)
    step = min(max(_WIDE / columns, _NARROW), _BROAD)
    boxes = _placed(flow, _ordered(shown), step)
    bottom = max(top + height for _, top, height in boxes.values())
    width = 2 * _SIDE + step * (columns - 1) + _BLOCK + (0 if columns > 1 else _BROAD)
    colours = {community.id: COLOURS[place % len(COLOURS)] for place, community in enumerate(shown)}
    shapes = [
        *(
            line
            for number in range(columns - 1)
            for line in _ribbons(flow, shown, number, boxes, colours)
        ),
        *_blocks(flow, shown, boxes, colours),
    ]
    words = [*_axis(flow, step, bottom + 18), *_names(shown, boxes, width)]
    if len(flow) > len(shown):
        left = f"{len(flow) - len(shown)} smaller communities are left out"
        words.append(word(_SIDE, bottom + 34, left, _SMALL, soft=True))
    return Drawing(width, bottom + _BELOW + 8, "".join(shapes), "".join(words))


def _ordered(shown: Sequence[DynamicCommunity]) -> list[DynamicCommunity]:
    """Return communities from top to bottom, those that exchange members side by side."""
    moved: Counter[frozenset[str]] = Counter()
    home: dict[tuple[int, str], str] = {}
    for community in shown:
        home |= {
            (number, id_): community.id
            for number, some in enumerate(community.members)
            for id_ in some
        }
    for (number, id_), there in home.items():
        if (then := home.get((number + 1, id_), there)) != there:
            moved[frozenset((there, then))] += 1
    row: list[DynamicCommunity] = []
    for community in shown:
        ties = [moved[frozenset((community.id, other.id))] for other in row]
        # Beside the one it exchanges most with, on the side where it exchanges more.
        place = max(range(len(row)), key=lambda spot: (ties[spot], spot), default=0)
        if row and ties[place]:
            upper, lower = sum(ties[:place]), sum(ties[place + 1 :])
            row.insert(place if upper > lower else place + 1, community)
        else:
            row.append(community)
    return row


def _placed(
    flow: CommunityFlow, order: Sequence[DynamicCommunity], step: float
) -> dict[tuple[str, int], _Box]:
    """Return the block of each community in each slice in which it is drawn."""
    sizes = [
        [size if size >= LEAST else 0 for size in (community.sizes[number] for community in order)]
        for number in range(len(flow.slices))
    ]
    each = min(_EACH, _HIGH / max(1, *map(sum, sizes)))
    tall = max(sum(column) * each + _GAP * (sum(map(bool, column)) - 1) for column in sizes)
    boxes = {}
    for number, column in enumerate(sizes):
        high = sum(column) * each + _GAP * (sum(map(bool, column)) - 1)
        y = _TOP + (tall - high) / 2
        for community, size in zip(order, column, strict=True):
            if size:
                boxes[community.id, number] = (_SIDE + step * number, y, size * each)
                y += size * each + _GAP
    return boxes


def _ribbons(
    flow: CommunityFlow,
    shown: Sequence[DynamicCommunity],
    number: int,
    boxes: dict[tuple[str, int], _Box],
    colours: dict[str, str],
) -> Iterator[str]:
    """Yield what flows from one slice to the next, in the colour of where it comes from."""
    there = [community for community in shown if (community.id, number) in boxes]
    goals: dict[str, dict[str, int]] = {community.id: {} for community in there}
    for (source, target), count in flow.moves(number).items():
        if source in goals and (target, number + 1) in boxes:
            goals[source][target] = count
    arrived: Counter[str] = Counter()
    top = {community.id: boxes[community.id, number][1] for community in there}
    for community in sorted(there, key=lambda community: top[community.id]):
        x, y, height = boxes[community.id, number]
        each, left = height / len(community.members[number]), x + _BLOCK
        for target in sorted(goals[community.id], key=lambda id_: boxes[id_, number + 1][1]):
            wide = goals[community.id][target] * each
            right, up, _ = boxes[target, number + 1]
            up += arrived[target] * each
            arrived[target] += goals[community.id][target]
            middle = (left + right) / 2
            path = (
                f"M{left:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {up:.1f} "
                f"{right:.1f} {up:.1f}V{up + wide:.1f}C{middle:.1f} {up + wide:.1f} "
                f"{middle:.1f} {y + wide:.1f} {left:.1f} {y + wide:.1f}z"
            )
            yield shape("path", {"d": path, "fill": colours[community.id], "fill-opacity": "0.35"})
            y += wide


def _blocks(
    flow: CommunityFlow,
    shown: Sequence[DynamicCommunity],
    boxes: dict[tuple[str, int], _Box],
    colours: dict[str, str],
) -> Iterator[str]:
    for community in shown:
        for number, (label, members) in enumerate(
            zip(flow.labels(), community.members, strict=True)
        ):
            if (community.id, number) not in boxes:
                continue
            x, y, height = boxes[community.id, number]
            who = ", ".join(flow.names[id_] for id_ in members[:_NAMED])
            more = " …" if len(members) > _NAMED else ""
            box = {"x": x, "y": y, "width": _BLOCK, "height": max(height, 1.0), "rx": 2}
            title = f"{community.name}, {label}: {len(members)} members ({who}{more})"
            yield shape("rect", {**box, "fill": colours[community.id]}, title)


def _axis(flow: CommunityFlow, step: float, y: float) -> Iterator[str]:
    """Yield the years, or months, as many as have room."""
    labels = flow.labels()
    room = max(width_of(label, _SMALL) for label in labels) + 8
    every = max(1, -(-int(room) // max(1, int(step))))
    for number, label in enumerate(labels):
        if number % every == 0:
            x = _SIDE + step * number + _BLOCK / 2
            yield word(x, y, label, _SMALL, anchor="middle", soft=True)


def _names(
    shown: Sequence[DynamicCommunity], boxes: dict[tuple[str, int], _Box], width: float
) -> Iterator[str]:
    """Yield a name for each community that has room for it, at its tallest block that has."""
    labels = Labels()
    for community in shown:
        own = [box for (id_, _), box in boxes.items() if id_ == community.id]
        for text in (
            cut(community.name, _LONGEST),
            cut(community.name.partition(":")[0], _LONGEST),
        ):
            half = width_of(text, _SIZE) / 2
            spots = (
                (spot, y + height / 2 + _SIZE * 0.35)
                for x, y, height in sorted(own, key=lambda box: (-box[2], box[0]))
                for spot in (x + _BLOCK + 4 + half, x - 4 - half)
                if half <= spot <= width - half
            )
            found = next((spot for spot in spots if labels.room(*spot, text, _SIZE)), None)
            if found is not None:
                yield word(*found, text, _SIZE, anchor="middle")
                break
