"""A part of the graph that can be drawn: entities, and arrows that stand for many facts."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from graphrag.models import Entity, Fact


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
class Subgraph:
    """A part of the graph that can be drawn."""

    entities: tuple[Entity, ...]
    """Nearest or best connected first."""
    edges: tuple[Edge, ...]
    """All visible facts between them, counted; those of the most facts first."""
    facts: tuple[Fact, ...]
    """These facts, told last first, as many as were asked for."""
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
                    "fact": fact.fact,
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

    def _repr_html_(self) -> str:
        from graphrag.walks.drawing import drawn

        return drawn(self)


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
