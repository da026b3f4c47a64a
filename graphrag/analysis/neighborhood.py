"""What walking the graph gives: neighbours, paths, and who somebody is."""

from dataclasses import dataclass

from graphrag.display.cards import entity_title, lifetime, triple
from graphrag.display.visible import escape, flatten
from graphrag.model.values import Entity, Fact


@dataclass(frozen=True, slots=True)
class Neighbor:
    """An entity near another."""

    entity: Entity
    distance: int
    """Facts between the two on the shortest way."""
    count: int
    """Facts that join it to what is one step nearer."""
    facts: tuple[Fact, ...]
    """Those told last, as many as were asked for."""


@dataclass(frozen=True, slots=True, repr=False)
class Path:
    """A chain of facts from one entity to another."""

    entities: tuple[Entity, ...]
    facts: tuple[Fact, ...]
    """Each joins the entity of its place to the next one, in either direction."""
    cost: float
    """The sum over its facts of 2 minus their confidence: sure facts are shorter."""

    def __len__(self) -> int:
        """Count the facts."""
        return len(self.facts)

    def __repr__(self) -> str:
        """Show the chain: ``Ann -works_at-> Acme <-works_at- Bob``."""
        return f"Path({self})"

    def __str__(self) -> str:
        """Return the chain in one line."""
        words = [self.entities[0].name]
        for here, fact, there in zip(self.entities, self.facts, self.entities[1:], strict=False):
            arrow = f"-{fact.relation}->" if fact.subject_id == here.id else f"<-{fact.relation}-"
            words += [arrow, there.name]
        return flatten(" ".join(words))

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(triple(fact))}</td><td>{escape(lifetime(fact))}</td></tr>"
            for fact in self.facts
        )
        return f"<b>{escape(str(self))}</b><table>{rows}</table>"


@dataclass(frozen=True, slots=True, repr=False)
class EntityProfile:
    """Who or what an entity is, briefly: for a prompt, or for a person."""

    entity: Entity
    facts: tuple[Fact, ...]
    """What holds at the viewpoint, told last first."""
    changes: tuple[Fact, ...]
    """What ended last, latest first."""

    def __str__(self) -> str:
        """Return a few lines of text."""
        one = self.entity
        head = entity_title(one)
        if one.aliases:
            head += flatten(f", also called {', '.join(one.aliases)}")
        lines = [head]
        if one.attributes:
            told = (f"{key}: {value}" for key, value in one.attributes.items())
            lines.append(flatten("; ".join(told)))
        lines += [f"- {triple(fact)} ({lifetime(fact)})" for fact in self.facts]
        if self.changes:
            lines.append("before:")
            lines += [f"- {triple(fact)} ({lifetime(fact)})" for fact in self.changes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        """Show whose it is and how much it says."""
        holds, ended = len(self.facts), len(self.changes)
        return f"EntityProfile({self.entity.name!r}: {holds} facts, {ended} ended)"

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
