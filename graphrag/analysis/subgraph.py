"""Drawable part of a graph: the choice of entities, and arrows that stand for many facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from graphrag.display.picture import Drawing, Picture
from graphrag.index.group import BEGINNING
from graphrag.model.values import Entity, Fact
from graphrag.search.edges import Counts, Distances, Edges, Rows
from graphrag.search.times import Micros
from graphrag.search.visibility import Mask, Visible


@dataclass(frozen=True, slots=True)
class Edge:
    """All facts of one relation from one entity to another."""

    source: str
    """Id of the subject."""
    relation: str
    target: str
    """Id of the object."""
    count: int
    """How many facts."""


@dataclass(frozen=True, slots=True, repr=False)
class Subgraph(Picture):
    """A part of the graph that can be drawn."""

    entities: tuple[Entity, ...]
    """Nearest or best connected first."""
    edges: tuple[Edge, ...]
    """All visible facts between them, counted; those of the most facts first."""
    facts: tuple[Fact, ...]
    """These facts, added last first, as many as were asked for."""
    degrees: Mapping[str, int]
    """By entity id: its facts in the whole graph."""
    heat: Mapping[str, float]
    """By entity id, 0 to 1: how often one comes by who follows facts from the centre, or from
    anywhere; the most is 1."""
    changed: Mapping[str, datetime | None]
    """By entity id: when a fact about it last began or ended, None if no time is known."""
    left_out: int
    """Entities that were in reach and had no room."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can carry it: nodes, edges and facts, as explorers want them."""
        return {
            "nodes": [
                {
                    "id": one.id,
                    "name": one.name,
                    "type": one.entity_type,
                    "summary": one.summary,
                    "facts": self.degrees[one.id],
                    "heat": round(self.heat[one.id], 4),
                    "changed": _iso(self.changed[one.id]),
                }
                for one in self.entities
            ],
            "edges": [
                {
                    "source": edge.source,
                    "target": edge.target,
                    "relation": edge.relation,
                    "count": edge.count,
                }
                for edge in self.edges
            ],
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
        """Show the counts."""
        facts = sum(edge.count for edge in self.edges)
        return f"Subgraph({len(self.entities)} entities, {facts} facts, {self.left_out} left out)"

    def _draw(self) -> Drawing:
        from graphrag.analysis.drawing import drawn

        return drawn(self)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()


_FOLLOWS = 0.85
"""Probability of following a fact rather than starting anew, as of PageRank."""
_CLOSE = 1e-6


def nearest(distance: Distances, degrees: Counts, wanted: Mask, limit: int) -> Rows:
    """Return the first of the wanted entities: the nearest, of those the best connected."""
    found = np.flatnonzero(wanted)
    return _first(found, distance[found], degrees[found], limit)


def best_connected(degrees: Counts, wanted: Mask, limit: int) -> Rows:
    """Return the first of the wanted entities: those with the most facts."""
    found = np.flatnonzero(wanted)
    return _first(found, np.zeros(len(found), dtype=np.int8), degrees[found], limit)


def _first(rows: Rows, distance: Distances, degrees: Counts, limit: int) -> Rows:
    """Return the first rows by distance, then by degree, then in their order; only these sorted."""
    # One number a row, all different: the smallest are found without sorting the rest.
    most = int(degrees.max(initial=0)) + 1
    place = (distance.astype(np.int64) * most + (most - 1 - degrees)) * len(rows)
    place += np.arange(len(rows))
    if len(rows) > limit:
        place = np.partition(place, limit)[:limit]
    return np.asarray(rows[np.sort(place) % max(1, len(rows))])


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
    """Return how often a walker comes by each node, as a share of the most.

    PageRank (Page et al., 1999) along facts in both directions, personalised to the centre.

    Args:
        subject: One end of each fact, as the number of a node.
        object_: The other end.
        nodes: How many there are.
        centre: Where the walker starts anew; None: anywhere.
    """
    source, target = np.concatenate((subject, object_)), np.concatenate((object_, subject))
    degree = np.bincount(source, minlength=nodes)
    start = np.full(nodes, 1 / max(1, nodes))
    if centre is not None:
        start = (np.arange(nodes) == centre).astype(np.float64)
    visits, stuck = start, degree == 0
    share = _FOLLOWS / np.maximum(degree, 1)
    change = np.inf
    while change > _CLOSE:
        moved = np.bincount(target, (visits * share)[source], nodes)
        later = moved + (1 - _FOLLOWS + _FOLLOWS * float(visits[stuck].sum())) * start
        change, visits = float(np.abs(later - visits).sum()), later
    return np.asarray(visits / max(float(visits.max(initial=0.0)), 1e-12))


def changed(edges: Edges, rows: Rows, seen: Visible, now: int) -> Micros:
    """Return when a fact about each entity last began or ended; ``BEGINNING`` for never.

    Args:
        edges: The facts that count.
        rows: The entities.
        seen: The times of facts.
        now: What comes later does not count.
    """
    chosen = np.zeros(edges.nodes, dtype=np.bool_)
    chosen[rows] = True
    facts = edges.about(chosen)
    latest = np.full(edges.nodes, BEGINNING, dtype=np.int64)
    for moments in (seen.valid[facts], seen.invalid[facts]):
        past = np.where(moments <= now, moments, BEGINNING)
        for end in (edges.subject[facts], edges.object[facts]):
            np.maximum.at(latest, end, past)
    return np.asarray(latest[rows])
