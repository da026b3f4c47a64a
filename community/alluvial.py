"""Communities through time as a picture: a column for each slice, ribbons for who goes where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.community.detect import LEAST
from graphrag.display.picture import COLOURS, Drawing, Labels, note, shape, width_of, word
from graphrag.display.visible import cut

if TYPE_CHECKING:
    from graphrag.community.flow import CommunityFlow, DynamicCommunity

_DRAWN = 24  # communities in one picture: more nobody tells apart
_WIDE, _NARROW, _BROAD = 760, 26, 190
"""Pixels of all columns together, if each then has between so many and so many."""
_HIGH = 380  # pixels of the tallest column without its gaps
_EACH = 16.0  # pixels of one member at most
_BLOCK, _GAP = 12, 14  # pixels of a block's width, and between two blocks of a column
_TOP, _SIDE, _BELOW = 22, 20, 34
_SIZE, _SMALL = 11, 10  # sizes of letters
_LONGEST = 30  # characters of a label
_NAMED = 12  # members that a block names when it is pointed at

_Box = tuple[float, float, float]  # left, top and height of a block


def drawn(flow: CommunityFlow) -> Drawing:
    """Return the picture; the same flow gives the same one."""
    shown = list(flow)[:_DRAWN]
    if not shown:
        return note("no communities: no facts hold in these slices")
    columns = len(flow.slices)
    step = min(max(_WIDE / columns, _NARROW), _BROAD)
    boxes = _placed(_ordered(shown), columns, step)
    bottom = max(top + height for _, top, height in boxes.values())
    width = 2 * _SIDE + step * (columns - 1) + _BLOCK + (0 if columns > 1 else _BROAD)
    picture = _Alluvial(flow, shown, boxes)
    words = [*_axis(flow.labels(), step, bottom + 18), *picture.names(width)]
    if len(flow) > len(shown):
        left = f"{len(flow) - len(shown)} smaller communities are left out"
        words.append(word(_SIDE, bottom + 34, left, _SMALL, soft=True))
    ribbons = (line for number in range(columns - 1) for line in picture.ribbons(number))
    return Drawing(
        width, bottom + _BELOW + 8, "".join((*ribbons, *picture.blocks())), "".join(words)
    )


def _ordered(shown: Sequence[DynamicCommunity]) -> list[DynamicCommunity]:
    """Return communities from top to bottom, those that exchange members side by side."""
    moved: Counter[frozenset[str]] = Counter()
    home = {
        (number, id_): community.id
        for community in shown
        for number, members in enumerate(community.members)
        for id_ in members
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
    order: Sequence[DynamicCommunity], columns: int, step: float
) -> dict[tuple[str, int], _Box]:
    sizes = [
        [size if size >= LEAST else 0 for size in (community.sizes[number] for community in order)]
        for number in range(columns)
    ]
    each = min(_EACH, _HIGH / max(1, *map(sum, sizes)))
    heights = [sum(column) * each + _GAP * (sum(map(bool, column)) - 1) for column in sizes]
    boxes = {}
    for number, column in enumerate(sizes):
        y = _TOP + (max(heights) - heights[number]) / 2
        for community, size in zip(order, column, strict=True):
            if size:
                boxes[community.id, number] = (_SIDE + step * number, y, size * each)
                y += size * each + _GAP
    return boxes


@dataclass(frozen=True, slots=True)
class _Alluvial:
    """What is drawn, with the blocks of communities by their ids and slices."""

    flow: CommunityFlow
    shown: Sequence[DynamicCommunity]
    boxes: Mapping[tuple[str, int], _Box]

    def ribbons(self, number: int) -> Iterator[str]:
        """Yield what flows from a slice to the next, in the colour of where it comes from."""
        there = {
            community.id: (COLOURS[place % len(COLOURS)], len(community.members[number]))
            for place, community in enumerate(self.shown)
            if (community.id, number) in self.boxes
        }
        goals: dict[str, dict[str, int]] = {id_: {} for id_ in there}
        for (source, target), count in self.flow.moves(number).items():
            if source in goals and (target, number + 1) in self.boxes:
                goals[source][target] = count
        arrived: Counter[str] = Counter()
        for source in sorted(there, key=lambda id_: self.boxes[id_, number][1]):
            x, y, height = self.boxes[source, number]
            colour, members = there[source]
            each, left = height / members, x + _BLOCK
            for target in sorted(goals[source], key=lambda id_: self.boxes[id_, number + 1][1]):
                wide = goals[source][target] * each
                right, up, _ = self.boxes[target, number + 1]
                up += arrived[target] * each
                arrived[target] += goals[source][target]
                middle = (left + right) / 2
                path = (
                    f"M{left:.1f} {y:.1f}C{middle:.1f} {y:.1f} {middle:.1f} {up:.1f} "
                    f"{right:.1f} {up:.1f}V{up + wide:.1f}C{middle:.1f} {up + wide:.1f} "
                    f"{middle:.1f} {y + wide:.1f} {left:.1f} {y + wide:.1f}z"
                )
                yield shape("path", {"d": path, "fill": colour, "fill-opacity": "0.35"})
                y += wide

    def blocks(self) -> Iterator[str]:
        """Yield a block for each community and slice."""
        labels = self.flow.labels()
        for place, community in enumerate(self.shown):
            for number, members in enumerate(community.members):
                if (community.id, number) not in self.boxes:
                    continue
                x, y, height = self.boxes[community.id, number]
                who = ", ".join(self.flow.names[id_] for id_ in members[:_NAMED])
                more = " …" if len(members) > _NAMED else ""
                box = {"x": x, "y": y, "width": _BLOCK, "height": max(height, 1.0), "rx": 2}
                title = f"{community.name}, {labels[number]}: {len(members)} members ({who}{more})"
                yield shape("rect", {**box, "fill": COLOURS[place % len(COLOURS)]}, title)

    def names(self, width: float) -> Iterator[str]:
        """Yield a name for each community that has room for it, at its tallest block that has."""
        labels = Labels()
        for community in self.shown:
            own = [box for (id_, _), box in self.boxes.items() if id_ == community.id]
            for name in (community.name, community.name.partition(":")[0]):
                text = cut(name, _LONGEST)
                half = width_of(text, _SIZE) / 2
                spots = (
                    (spot, y + height / 2 + _SIZE * 0.35)
                    for x, y, height in sorted(own, key=lambda box: (-box[2], box[0]))
                    for spot in (x + _BLOCK + 4 + half, x - 4 - half)
                    if half <= spot <= width - half
                )
                if (spot := labels.best(spots, text, _SIZE)) is not None:
                    yield word(*spot, text, _SIZE, anchor="middle")
                    break


def _axis(labels: Sequence[str], step: float, y: float) -> Iterator[str]:
    room = max(width_of(label, _SMALL) for label in labels) + 8
    every = max(1, -(-int(room) // max(1, int(step))))
    for number, label in enumerate(labels):
        if number % every == 0:
            x = _SIDE + step * number + _BLOCK / 2
            yield word(x, y, label, _SMALL, anchor="middle", soft=True)
