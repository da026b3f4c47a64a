"""The facts about one entity, from both sides."""

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

from graphrag.bars import Axis
from graphrag.cards import lifetime, lifetime_bar, triple
from graphrag.models import Entity, Fact
from graphrag.temporal.moment import utc_now


@dataclass(frozen=True, slots=True, repr=False)
class About:
    """What is said of an entity: the facts that it is the subject of, and those that point to it.

    ``timeline(entity)`` has those of all times with what ended each, ``identity(entity)`` the few
    that a prompt needs.
    """

    entity: Entity
    outgoing: tuple[Fact, ...]
    """Facts that it is the subject of, by their start."""
    incoming: tuple[Fact, ...]
    """Facts that it is the object of, by their start."""

    def __iter__(self) -> Iterator[Fact]:
        """Iterate over the facts, its own first."""
        return iter((*self.outgoing, *self.incoming))

    def __len__(self) -> int:
        """Count the facts."""
        return len(self.outgoing) + len(self.incoming)

    def __repr__(self) -> str:
        """Show whose they are and how many."""
        return f"About({self.entity.name!r}: {len(self.outgoing)} out, {len(self.incoming)} in)"

    def __str__(self) -> str:
        """Write one line a fact."""
        rows = [(triple(fact), lifetime(fact)) for fact in self]
        width = max((len(words) for words, _ in rows), default=0)
        lines = [f"{words:<{width}}  {time}" for words, time in rows]
        return "\n".join((f"{self.entity.name} ({self.entity.entity_type})", *lines))

    def _repr_html_(self) -> str:
        moments = [end for fact in self for end in (fact.valid_at, fact.invalid_at)]
        axis = Axis.around(moments, now=utc_now())
        parts = [f"<b>{escape(self.entity.name)}</b> ({escape(self.entity.entity_type)})"]
        if self.entity.summary:
            parts.append(f"<p>{escape(self.entity.summary)}</p>")
        for title, facts in (("out", self.outgoing), ("in", self.incoming)):
            rows = "".join(_row(axis, fact) for fact in facts)
            if rows:
                parts.append(f"<table><caption>{title}</caption>{rows}</table>")
        return "".join(parts)


def _row(axis: Axis, fact: Fact) -> str:
    drawn = lifetime_bar(fact, axis, now=utc_now())
    return (
        f'<tr><td>{drawn}</td><td style="text-align:left">{escape(lifetime(fact))}</td>'
        f'<td style="text-align:left" title="{escape(fact.fact)}">{escape(triple(fact))}</td></tr>'
    )
