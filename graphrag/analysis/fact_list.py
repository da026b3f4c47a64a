"""Facts that hold, of one entity from both sides, or of several."""

from collections.abc import Iterable

from graphrag.display.bars import Axis
from graphrag.display.cards import entity_title, lifetime, lifetime_bar, triple
from graphrag.display.lists import Listed
from graphrag.display.visible import escape
from graphrag.model.values import Entity, Fact
from graphrag.temporal.moment import utc_now


class FactList(Listed[Fact]):
    """Facts by their start: a list that a notebook shows with their lifetimes.

    Of one entity: those that it is the subject of, and those that point to it. ``timeline(entity)``
    has those of all times with what ended each, ``profile(entity)`` the few that a prompt needs.
    """

    def __init__(self, facts: Iterable[Fact] = (), *, entity: Entity | None = None) -> None:
        super().__init__(facts)
        self.entity = entity
        """Whose facts they are; None if they are of several."""

    @property
    def outgoing(self) -> tuple[Fact, ...]:
        """Return the facts that the entity is the subject of; all, if they are of several."""
        whose = self.entity
        return tuple(fact for fact in self if whose is None or fact.subject_id == whose.id)

    @property
    def incoming(self) -> tuple[Fact, ...]:
        """Return the facts that point to the entity from another one."""
        whose = self.entity
        return tuple(fact for fact in self if whose is not None and fact.subject_id != whose.id)

    def __repr__(self) -> str:
        """Show whose they are and how many, or each in a line."""
        if self.entity is None:
            return super().__repr__()
        ways = f"{len(self.outgoing)} out, {len(self.incoming)} in"
        return f"FactList({self.entity.name!r}: {ways})"

    def __str__(self) -> str:
        """Write one line a fact."""
        rows = [(triple(fact), lifetime(fact)) for fact in self]
        width = max((len(words) for words, _ in rows), default=0)
        lines = [f"{words:<{width}}  {time}" for words, time in rows]
        head = () if self.entity is None else (entity_title(self.entity),)
        return "\n".join((*head, *lines))

    def _repr_html_(self) -> str:
        moments = [end for fact in self for end in (fact.valid_at, fact.invalid_at)]
        axis = Axis.around(moments, now=utc_now())
        if self.entity is None:
            return f"<table>{_years(axis)}{''.join(_row(axis, fact) for fact in self)}</table>"
        parts = [f"<b>{escape(self.entity.name)}</b> ({escape(self.entity.entity_type)})"]
        if self.entity.summary:
            parts.append(f"<p>{escape(self.entity.summary)}</p>")
        for title, facts in (("out", self.outgoing), ("in", self.incoming)):
            rows = "".join(_row(axis, fact) for fact in facts)
            if rows:
                parts.append(f"<table><caption>{title}</caption>{_years(axis)}{rows}</table>")
        return "".join(parts)


def _years(axis: Axis) -> str:
    return f"<tr><td>{axis.ruler()}</td><td></td><td></td></tr>"


def _row(axis: Axis, fact: Fact) -> str:
    drawn = lifetime_bar(fact, axis, now=utc_now())
    return (
        f'<tr><td>{drawn}</td><td style="text-align:left">{escape(lifetime(fact))}</td>'
        f'<td style="text-align:left" title="{escape(fact.fact)}">{escape(triple(fact))}</td></tr>'
    )
