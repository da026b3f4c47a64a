"""A part of a graph to draw: the choice of entities, and edges that combine several facts."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.display.chart import RING, DrawnLink, DrawnNode, network
from graphrag.display.picture import Drawing, Picture, legend, note, type_colours, word
from graphrag.index.group import BEGINNING, GroupIndex
from graphrag.model.values import Entity, Fact
from graphrag.search.near import Counts, Distances, Edges, Rows
from graphrag.search.visibility import Mask, Micros, VisibleRows

_WIDTH, _TALLEST = 860, 640
_LEAST, _EACH = 150, 20  # pixels of height, and what each entity adds to them
_SIDE, _TOP = 66, 34  # pixels around the outermost entities: room for their names
_KINDS = 12  # kinds of facts that a line names when somebody points at it
_CLOSE = 80  # entities that are laid out by their distances in the graph; more by forces alone
_RINGED = 0.35  # heat from which a ring is seen, and explained


@dataclass(frozen=True, slots=True)
class Edge:
    """All facts of one relation from one entity to another."""

    source: str
    """Id of the subject."""
    relation: str
    target: str
    """Id of the object."""
    count: int
    """Number of facts."""


@dataclass(frozen=True, slots=True, repr=False)
class Subgraph(Picture):
    """A part of the graph that can be drawn."""

    entities: tuple[Entity, ...]
    """Entities, nearest to the center first; without a center best connected first."""
    edges: tuple[Edge, ...]
    """All visible facts between the entities, by relation, largest count first."""
    facts: tuple[Fact, ...]
    """The latest added of these facts, up to the requested number."""
    degrees: Mapping[str, int]
    """Number of facts of each entity in the whole graph, by entity id."""
    heat: Mapping[str, float]
    """PageRank by entity id, personalised to the center if there is one; the maximum is 1."""
    changed: Mapping[str, datetime | None]
    """When a fact about each entity last began or ended, by entity id; None if unknown."""
    left_out: int
    """Number of entities within reach that exceeded the limit."""

    def to_dict(self) -> dict[str, Any]:
        """Return nodes, edges and facts as JSON values, in the form that graph viewers expect."""
        return {
            "nodes": [
                {
                    "id": entity.id,
                    "name": entity.name,
                    "type": entity.entity_type,
                    "summary": entity.summary,
                    "facts": self.degrees[entity.id],
                    "heat": round(self.heat[entity.id], 4),
                    "changed": _iso(self.changed[entity.id]),
                }
                for entity in self.entities
            ],
            "edges": [asdict(edge) for edge in self.edges],
            "facts": [
                {
                    "id": fact.id,
                    "source": fact.subject_id,
                    "target": fact.object_id,
                    "relation": fact.relation,
                    "text": fact.text,
                    "confidence": fact.confidence,
                    "valid_at": _iso(fact.valid_at),
                    "invalid_at": _iso(fact.invalid_at),
                }
                for fact in self.facts
            ],
            "left_out": self.left_out,
        }

    def __repr__(self) -> str:
        facts = sum(edge.count for edge in self.edges)
        return f"Subgraph({len(self.entities)} entities, {facts} facts, {self.left_out} left out)"

    def _draw(self) -> Drawing:
        """Draw entities with more facts larger, and those often passed on walks with a ring."""
        if not self.entities:
            return note("nothing to draw")
        height = min(_TALLEST, _LEAST + _EACH * len(self.entities))
        colours = type_colours(entity.entity_type for entity in self.entities)
        most = max(1, *self.degrees.values())
        nodes = {
            entity.id: DrawnNode(
                *place,
                4 + 8 * sqrt(self.degrees[entity.id] / most),
                colours[entity.entity_type],
                f"{entity.name} ({entity.entity_type}, {self.degrees[entity.id]} facts)",
                entity.name,
                self.heat[entity.id],
            )
            for entity, place in zip(self.entities, self._places(height), strict=True)
        }
        shapes, words = network(nodes, self._links())
        dots, meanings, bottom = legend(colours, height + 4, _WIDTH)
        if max(self.heat.values()) >= _RINGED:
            meanings += word(27, bottom + 9, "often come by, following facts", soft=True)
            dots += (
                f'<rect x="13" y="{bottom + 1:.1f}" width="8" height="8" rx="4" fill="none" '
                f'stroke="{RING}" stroke-width="2"/>'
            )
            bottom += 22
        return Drawing(_WIDTH, bottom, shapes + dots, words + meanings)

    def _places(self, height: float) -> list[tuple[float, float]]:
        import igraph

        number = {entity.id: place for place, entity in enumerate(self.entities)}
        edges = [(number[edge.source], number[edge.target]) for edge in self.edges]
        graph = igraph.Graph(n=len(number), edges=edges).simplify()
        # Seeded places: the same graph is drawn the same way.
        places = graph.layout_fruchterman_reingold(seed=graph.layout_circle().coords, niter=300)
        if 2 < len(number) <= _CLOSE and graph.is_connected():
            places = graph.layout_kamada_kawai(seed=places.coords)
        places.fit_into((_SIDE, _TOP, _WIDTH - _SIDE, height - _TOP), keep_aspect_ratio=False)
        return [(x, y) for x, y in places]

    def _links(self) -> dict[tuple[str, str], DrawnLink]:
        names = {entity.id: entity.name for entity in self.entities}
        between: defaultdict[tuple[str, str], list[Edge]] = defaultdict(list)
        for edge in self.edges:
            if edge.source != edge.target:
                between[min(edge.source, edge.target), max(edge.source, edge.target)].append(edge)
        return {
            ends: DrawnLink(
                min(5.0, sqrt(sum(edge.count for edge in edges))),
                "\n".join(
                    f"{names[edge.source]} {edge.relation.replace('_', ' ')} {names[edge.target]}"
                    + (f" ({edge.count} facts)" if edge.count > 1 else "")
                    for edge in edges[:_KINDS]
                ),
                edges[0].relation.replace("_", " ")
                + (f" +{more}" if (more := len({edge.relation for edge in edges}) - 1) else ""),
                arrows=(
                    any(edge.target == ends[0] for edge in edges),
                    any(edge.target == ends[1] for edge in edges),
                ),
            )
            for ends, edges in between.items()
        }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


def nearest(distance: Distances, degrees: Counts, wanted: Mask, limit: int) -> Rows:
    """Return the first of the wanted entities: the nearest, of those the best connected."""
    rows = np.flatnonzero(wanted)
    return rows[np.lexsort((-degrees[rows], distance[rows]))[:limit]]


def nearer(edges: Edges, distance: Distances, rows: Rows) -> dict[int, Rows]:
    """Return the facts that lead from entities to what is one step nearer, added last first."""
    chosen = np.zeros(edges.nodes, dtype=np.bool_)
    chosen[rows] = True
    about = edges.about(chosen)
    ends, facts = [], []
    for here, there in ((edges.subject, edges.object), (edges.object, edges.subject)):
        near, far = there[about], here[about]
        inward = chosen[far] & (distance[near] == distance[far] - 1)
        ends.append(far[inward])
        facts.append(about[inward])
    end, fact = np.concatenate(ends), np.concatenate(facts)
    order = np.lexsort((-fact, end))
    end, fact = end[order], fact[order]
    first, last = np.searchsorted(end, rows), np.searchsorted(end, rows, side="right")
    bounds = zip(rows.tolist(), first.tolist(), last.tolist(), strict=True)
    return {row: fact[low:high] for row, low, high in bounds}


def heat(subject: Rows, object_: Rows, nodes: int, centre: int | None) -> npt.NDArray[np.float64]:
    """Return PageRank (Page et al., 1999) along facts in both directions, as a share of the most.

    It is personalised to the centre, if there is one.
    """
    import igraph

    graph = igraph.Graph(n=nodes, edges=np.column_stack((subject, object_)).tolist())
    start = None if centre is None else [float(node == centre) for node in range(nodes)]
    visits = np.array(graph.personalized_pagerank(reset=start) if nodes else [])
    return np.asarray(visits / max(float(visits.max(initial=0.0)), 1e-12))


def changed(edges: Edges, rows: Rows, seen: VisibleRows, now: int) -> Micros:
    """Return when a fact about each entity last began or ended by now; ``BEGINNING`` for never."""
    chosen = np.zeros(edges.nodes, dtype=np.bool_)
    chosen[rows] = True
    facts = edges.about(chosen)
    latest = np.full(edges.nodes, BEGINNING, dtype=np.int64)
    for moments in (seen.valid[facts], seen.invalid[facts]):
        past = np.where(moments <= now, moments, BEGINNING)
        for end in (edges.subject[facts], edges.object[facts]):
            np.maximum.at(latest, end, past)
    return np.asarray(latest[rows])


def counted(index: GroupIndex, edges: Edges, facts: Rows) -> tuple[Edge, ...]:
    """Return the facts as edges, those of the most facts first."""
    columns = (edges.subject[facts], index.facts["relation"][facts], edges.object[facts])
    kinds, counts = np.unique(np.stack(columns), axis=1, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    ids, relations = index.entities.ids, index.relations
    rows = zip(*kinds[:, order].tolist(), counts[order].tolist(), strict=True)
    return tuple(
        Edge(ids[subject], relations[relation], ids[object_], count)
        for subject, relation, object_, count in rows
    )
