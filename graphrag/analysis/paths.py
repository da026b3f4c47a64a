"""Neighbours of an entity, and the k cheapest paths between two entities.

Paths are those of Yen (Management Science, 1971). Deviations are found by levels (Bellman-Ford), so
that the bound on facts is exact; costs are positive, so no path repeats an entity. Only entities
whose distances from both ends sum to at most the bound are looked at.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
import numpy.typing as npt

from graphrag.display.cards import lifetime
from graphrag.display.chart import DrawnLink, DrawnNode, network
from graphrag.display.picture import Drawing, Picture, legend, type_colours, width_of, word
from graphrag.display.visible import cut, flatten
from graphrag.model.values import Entity, Fact
from graphrag.search.near import Edges, Rows

_TOP, _RADIUS, _SIDE = 46, 9, 18  # pixels above the dots, of a dot, beside the outermost names


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity within some facts of another."""

    entity: Entity
    distance: int
    """Number of facts on the shortest path between the two."""
    count: int
    """Number of facts that link it to entities one step nearer."""
    facts: tuple[Fact, ...]
    """The latest added of those facts, up to the requested number."""


@dataclass(frozen=True, slots=True, repr=False)
class Path(Picture):
    """A chain of facts from one entity to another."""

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    """``facts[i]`` links ``entities[i]`` and ``entities[i + 1]``, in either direction."""
    cost: float
    """Sum of ``2 - confidence`` over the facts: confident facts cost less."""

    def __len__(self) -> int:
        return len(self.facts)

    def __repr__(self) -> str:
        return f"Path({self})"

    def __str__(self) -> str:
        words = [self.entities[0].name]
        for here, fact, there in zip(self.entities, self.facts, self.entities[1:], strict=False):
            arrow = f"-{fact.relation}->" if fact.subject_id == here.id else f"<-{fact.relation}-"
            words += [arrow, there.name]
        return flatten(" ".join(words))

    def _draw(self) -> Drawing:
        """Draw the entities in a row, and between them what joins them, and when."""
        names = [entity.name for entity in self.entities]
        halves = [width_of(cut(name, 28), 11) / 2 for name in names]
        colours = type_colours(entity.entity_type for entity in self.entities)
        x, places, links, words = _SIDE + max(halves[0], _RADIUS), [], {}, ""
        for place, fact in enumerate(self.facts):
            places.append(x)
            relation, time = fact.relation.replace("_", " "), lifetime(fact)
            label = max(width_of(cut(relation, 28), 9), width_of(time, 9)) + 2 * _RADIUS + 26
            step = max(90, label, halves[place] + halves[place + 1] + 14)
            words += word(x + step / 2, _TOP + 15, time, 9, anchor="middle", soft=True)
            forward = fact.subject_id == self.entities[place].id
            links[place, place + 1] = DrawnLink(
                1.6, fact.text, relation, opacity=1.0, arrows=(not forward, forward)
            )
            x += step
        nodes = {
            place: DrawnNode(
                spot,
                _TOP,
                _RADIUS,
                colours[entity.entity_type],
                f"{entity.name} ({entity.entity_type})",
                entity.name,
            )
            for place, (entity, spot) in enumerate(zip(self.entities, [*places, x], strict=True))
        }
        shapes, labels = network(nodes, links)
        width = max(x + max(halves[-1], _RADIUS) + _SIDE, 300.0)
        dots, meanings, height = legend(colours, _TOP + 34, width)
        return Drawing(width, height, shapes + dots, labels + words + meanings)


Costs = npt.NDArray[np.float64]
_Chain = tuple[int, ...]  # steps of a path, as numbers of _Between


@dataclass(frozen=True, slots=True)
class PathRows:
    """One path as rows: each fact joins the entity before it to the one after it."""

    entities: tuple[int, ...]
    facts: tuple[int, ...]
    cost: float


def shortest(
    edges: Edges, start: int, end: int, *, max_depth: int, k: int = 1, costs: Costs | None = None
) -> list[PathRows]:
    """Return up to ``k`` paths of at most ``max_depth`` facts, cheapest first; none if too far.

    A path is identified by its entities: where several facts join the same two, the cheapest is
    used. Of paths with equal costs, the one with fewer facts comes first. By default each fact
    costs 1, so that the shortest are the cheapest.
    """
    if start == end:
        return [PathRows((start,), (), 0.0)]
    near = edges.distances([start], max_depth)
    if not 0 < near[end] <= max_depth:
        return []
    if k == 1 and costs is None:  # one of the shortest: nothing beside these is looked at
        max_depth = int(near[end])
    far = edges.distances([end], max_depth)
    between = (near >= 0) & (far >= 0) & (near.astype(np.int16) + far <= max_depth)
    facts = edges.within(between)
    price = np.ones(len(facts)) if costs is None else costs[facts]
    return _Between.of(edges, facts, price, start, end).best(k, max_depth)


@dataclass(frozen=True, slots=True)
class _Between:
    """The steps that lead from entity to entity, each fact in both directions, by where they end.

    ``source``, ``target``, ``fact`` and ``price`` have one entry a step; entities are numbered.
    """

    nodes: Rows
    source: Rows
    target: Rows
    fact: Rows
    price: Costs
    first: Rows  # where the steps to each entity begin, and last the number of steps
    start: int
    end: int

    @classmethod
    def of(cls, edges: Edges, facts: Rows, price: Costs, start: int, end: int) -> "_Between":
        ends = np.stack((edges.subject[facts], edges.object[facts]))
        nodes, number = np.unique(ends.astype(np.intp), return_inverse=True)
        low, high = np.sort(number.reshape(2, -1), axis=0)
        order = np.lexsort((facts, price, high, low))
        pair = low[order] * len(nodes) + high[order]
        kept = order[np.flatnonzero(np.diff(pair, prepend=-1))]
        source = np.concatenate((low[kept], high[kept]))
        target = np.concatenate((high[kept], low[kept]))
        by_target = np.lexsort((source, target))
        return cls(
            nodes=nodes,
            source=source[by_target],
            target=target[by_target],
            fact=np.tile(facts[kept], 2)[by_target],
            price=np.tile(price[kept], 2)[by_target],
            first=np.searchsorted(target[by_target], np.arange(len(nodes) + 1)),
            start=int(np.searchsorted(nodes, start)),
            end=int(np.searchsorted(nodes, end)),
        )

    def best(self, k: int, longest: int) -> list[PathRows]:
        """Return the ``k`` cheapest ways that come to no entity twice."""
        found: list[_Chain] = []
        waiting: list[tuple[float, int, _Chain]] = []
        known: set[_Chain] = set()

        def offer(begun: _Chain, taken: Iterable[int]) -> None:
            """Add the cheapest way that begins so, and goes on by a step not taken yet."""
            chain = (*begun, *self._cheapest(begun, taken, longest - len(begun)))
            if len(chain) > len(begun) and chain not in known:
                known.add(chain)
                heappush(waiting, (round(self._cost(chain), 9), len(chain), chain))

        offer((), ())
        while waiting and len(found) < k:
            _, _, chain = heappop(waiting)
            found.append(chain)
            for place in range(len(chain)):
                begun = chain[:place]
                offer(begun, {way[place] for way in found if way[:place] == begun != way})
        return [
            PathRows(
                tuple(int(self.nodes[row]) for row in (self.start, *self.target[list(chain)])),
                tuple(int(self.fact[step]) for step in chain),
                self._cost(chain),
            )
            for chain in found
        ]

    def _cheapest(self, begun: _Chain, taken: Iterable[int], longest: int) -> _Chain:
        """Return the cheapest, then fewest steps from where a chain has come to the end, if any."""
        price = self.price.copy()
        price[list(taken)] = np.inf
        passed = np.zeros(len(self.nodes), dtype=np.bool_)
        passed[self.source[list(begun)]] = True
        price[passed.take(self.source) | passed.take(self.target)] = np.inf
        cost = np.full(len(self.nodes), np.inf)
        cost[int(self.target[begun[-1]]) if begun else self.start] = 0.0
        came: list[Costs] = []
        levels = [cost]
        for _ in range(longest):
            came.append(levels[-1][self.source] + price)
            levels.append(np.minimum(levels[-1], np.minimum.reduceat(came[-1], self.first[:-1])))
        chain: list[int] = []
        here, level = self.end, longest
        while 0 < levels[level][here] < np.inf:
            if levels[level - 1][here] == levels[level][here]:  # fewer steps do it
                level -= 1
                continue
            first, last = self.first[here : here + 2].tolist()
            step = first + int(np.argmin(came[level - 1][first:last]))
            chain.append(step)
            here, level = int(self.source[step]), level - 1
        return tuple(reversed(chain))

    def _cost(self, chain: _Chain) -> float:
        return float(self.price[list(chain)].sum())
