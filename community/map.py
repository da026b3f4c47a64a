"""Communities for display: one with its facts and subcommunities, and a level drawn as a map."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from math import cos, hypot, pi, sin, sqrt
from operator import itemgetter

import numpy as np

from graphrag.display.cards import bullets, community_card, fact_table, lifetime, triple
from graphrag.display.chart import GREY, DrawnLink, DrawnNode, network
from graphrag.display.lists import listed
from graphrag.display.picture import COLOURS, Drawing, Picture, note, shape
from graphrag.display.visible import cut, escape, flatten, visible
from graphrag.index.group import GroupIndex
from graphrag.model.values import CONCEPT, Community, Entity, Fact
from graphrag.search.rewind import Rewind
from graphrag.search.visibility import VisibleRows
from graphrag.temporal.moment import utc_now

_SHOWN = 15  # members, facts and parts of a community in a notebook
_DISCS = 24  # communities on one map: more nobody tells apart
_ROOM, _GAP, _MARGIN = 17.0, 26.0, 70.0
"""Pixels for the radius of an entity's share of its disc, between discs, and beside them: room for
titles."""
_INNER = 0.86  # share of a disc's radius in which its members lie
_STRIDE, _WIDE = 6.0, 1.5  # pixels of a step of the spiral, and how much wider than high it is
_TURN = pi * (3 - sqrt(5))  # the angle of a sunflower: seeds one after another, evenly spread
_LABELS = 5  # members of a community that are labelled
_TITLE = 30  # characters
_Disc = tuple[float, float, float]  # centre and radius


@dataclass(frozen=True, slots=True)
class MapEntity:
    """An entity on a map."""

    id: str
    name: str
    entity_type: str
    community: int  # number of its community among those of the map
    facts: int  # how many it has, whoever is at their other end

    @property
    def named(self) -> bool:
        """Tell whether it has a name of its own, and is not only a common noun."""
        return self.entity_type != CONCEPT


@dataclass(frozen=True, slots=True, repr=False)
class CommunityMap(Picture):
    """Map of the communities of one level; notebooks show it as a picture."""

    communities: tuple[Community, ...]
    """Communities, largest first."""
    entities: tuple[MapEntity, ...]
    """Entities grouped by community, best connected first."""
    ties: Mapping[tuple[int, int], int]
    """Number of facts between two entities, by their indexes in ``entities``."""
    left_out: int
    """Number of members beyond the requested limit."""

    def __repr__(self) -> str:
        return (
            f"CommunityMap({len(self.communities)} communities, {len(self.entities)} entities, "
            f"{self.left_out} left out)"
        )

    def __str__(self) -> str:
        lines = (
            f"{len(community.members):5}  {flatten(community.name)}"
            for community in self.communities
        )
        return "\n".join(lines) or "no communities"

    def _draw(self) -> Drawing:
        """Draw each community as a disc with its members, the best tied in the middle."""
        if not self.communities:
            return note("no communities: communities.build() makes them")
        inside: list[list[int]] = [[] for _ in self.communities]
        for place, entity in enumerate(self.entities):
            inside[entity.community].append(place)
        discs, width, height = self._packed([_ROOM * sqrt(len(part) + 1) for part in inside])
        ranked: list[tuple[int, int, DrawnNode]] = []
        for disc, places in zip(discs, inside, strict=True):
            ranked += self._dots(disc, places)
        # The first named member of every community is labelled before the second of any.
        nodes = {place: node for _, place, node in sorted(ranked, key=itemgetter(0))}
        titles = []
        for community, (x, y, radius) in zip(self.communities, discs, strict=True):
            name, room = community.name, max(_TITLE, int(radius / 3))
            if len(name) > room:
                name = cut(name.partition(":")[0], room)
            titles.append((x, y - radius - 6, name))
        shapes, words = network(nodes, self._links(), titles)
        colours = (COLOURS[number % len(COLOURS)] for number in count())
        return Drawing(
            width, height, "".join(map(_drawn, self.communities, discs, colours)) + shapes, words
        )

    def _dots(self, disc: _Disc, places: Sequence[int]) -> Iterator[tuple[int, int, DrawnNode]]:
        """Yield for each member how many named ones come before it, its place, and its dot."""
        x, y, radius = disc
        named = 0
        for number, place in enumerate(places):
            entity = self.entities[place]
            away, turn = _INNER * radius * sqrt(number / len(places)), number * _TURN
            node = DrawnNode(
                x + away * cos(turn),
                y + away * sin(turn),
                min(2.5 + 0.9 * sqrt(entity.facts), 8.0) if entity.named else 2.0,
                COLOURS[entity.community % len(COLOURS)],
                f"{entity.name} ({entity.entity_type}, {entity.facts} facts)",
                entity.name if entity.named and named < _LABELS else "",
            )
            yield named, place, node
            named += entity.named

    def _links(self) -> dict[tuple[int, int], DrawnLink]:
        links = {}
        for ends, facts in self.ties.items():
            home, other = (self.entities[end].community for end in ends)
            width = min(1 + 0.4 * (facts - 1), 3.0)
            if home == other:
                links[ends] = DrawnLink(width, colour=COLOURS[home % len(COLOURS)], opacity=0.5)
            else:
                links[ends] = DrawnLink(width, colour=GREY, opacity=0.35)
        return links

    def _packed(self, radii: Sequence[float]) -> tuple[list[_Disc], float, float]:
        """Return where discs lie, near those that facts tie them to, none over another."""
        ties: dict[tuple[int, int], int] = defaultdict(int)
        for (start, end), facts in self.ties.items():
            ends = self.entities[start].community, self.entities[end].community
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


def _drawn(community: Community, disc: _Disc, colour: str) -> str:
    centre = dict(zip(("cx", "cy", "r"), disc, strict=True))
    ink = {"fill": colour, "fill-opacity": "0.14", "stroke": colour, "stroke-opacity": "0.6"}
    label = f"{community.name} ({len(community.members)} members). {community.summary}"
    return shape("circle", {**centre, **ink}, label)


def mapped(
    communities: Sequence[Community],
    index: GroupIndex,
    past: Rewind,
    seen: VisibleRows,
    *,
    limit: int,
) -> CommunityMap:
    """Return the map of the largest of some communities that share no member."""
    row_of = index.entities.row_of
    whole = sum(len(community.members) for community in communities)
    communities = communities[:_DISCS]
    share = min(1.0, limit / max(1, whole))
    subject, object_ = seen.ends
    facts = np.flatnonzero(seen.facts & (subject != object_))
    subject, object_ = subject[facts], object_[facts]
    degrees = np.bincount(np.concatenate((subject, object_)), minlength=len(index.entities))
    places: list[MapEntity] = []
    place_of = np.full(len(index.entities), -1, dtype=np.int64)
    for number, community in enumerate(communities):
        # Each has room for its share; those of two or three are not made invisible by it.
        for id_ in community.members[: max(2, round(share * len(community.members)))]:
            if id_ in row_of:
                row = row_of[id_]
                place_of[row] = len(places)
                type_ = past.type_of(id_, index)
                places.append(
                    MapEntity(id_, past.name(id_, index), type_, number, int(degrees[row]))
                )
    ends = np.sort(np.stack((place_of[subject], place_of[object_])), axis=0)
    pairs, counts = np.unique(ends[:, ends[0] >= 0], axis=1, return_counts=True)
    ties = {
        (int(row), int(near)): int(count) for row, near, count in zip(*pairs, counts, strict=True)
    }
    return CommunityMap(tuple(communities), tuple(places), ties, whole - len(places))


@dataclass(frozen=True, slots=True, repr=False)
class CommunityView:
    """A community with its members and facts, as seen from a viewpoint."""

    community: Community
    entities: tuple[Entity, ...]
    """Its members, best connected first, up to the requested number."""
    facts: tuple[Fact, ...]
    """Facts between its members, best connected members first, up to the requested number."""
    fact_count: int
    """Number of all facts between its members."""
    parts: tuple[Community, ...]
    """Its subcommunities one level below, largest first."""
    parent: Community | None
    """The community one level above that contains it; None on the coarsest level."""
    map: CommunityMap
    """Map of its subcommunities, or of itself if it has none."""

    @property
    def name(self) -> str:
        """Return the name of the community."""
        return self.community.name

    @property
    def summary(self) -> str:
        """Return the summary of the community."""
        return self.community.summary

    def __str__(self) -> str:
        lines = [f"{flatten(self.name)} ({len(self.community.members)} members)", self.summary]
        if self.parent is not None:
            lines.append(f"part of: {flatten(self.parent.name)}")
        lines += [f"- {triple(fact)} ({lifetime(fact)})" for fact in self.facts]
        if self.parts:
            lines.append("parts:")
            lines += [f"- {flatten(part.name)} ({len(part.members)})" for part in self.parts]
        return visible("\n".join(lines))

    def __repr__(self) -> str:
        return (
            f"CommunityView({self.name!r}: {len(self.community.members)} members, "
            f"{self.fact_count} facts, {len(self.parts)} parts)"
        )

    def _repr_html_(self) -> str:
        members = listed([entity.name for entity in self.entities[:_SHOWN]] or ["nobody"])
        more = len(self.community.members) - len(self.entities[:_SHOWN])
        members += f" … and {more} more" if more > 0 else ""
        above = f"<p>part of {escape(self.parent.name)}</p>" if self.parent else ""
        facts = fact_table((), ((fact, "", ()) for fact in self.facts[:_SHOWN]), now=utc_now())
        parts = [f"{part.name} ({len(part.members)})" for part in self.parts[:_SHOWN]]
        return (
            f"{community_card(self.community)}{above}<p>{escape(members)}</p>"
            f"{self.map.to_svg()}{facts}{bullets('parts', parts) if parts else ''}"
        )


def between(community: Community, index: GroupIndex, seen: VisibleRows) -> list[int]:
    """Return the rows of the visible facts between members, those of the best tied first."""
    row_of = index.entities.row_of
    place = np.full(len(index.entities), -1, dtype=np.int64)
    for number, id_ in enumerate(community.members):
        if id_ in row_of:
            place[row_of[id_]] = number
    subject, object_ = (place[end] for end in seen.ends)
    rows = np.flatnonzero(seen.facts & (subject >= 0) & (object_ >= 0))
    order = np.lexsort((rows, subject[rows] + object_[rows]))
    return [int(row) for row in rows[order]]
