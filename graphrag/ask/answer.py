"""The answer to a question: its values, the facts that it rests on, and how it was worked out."""

from dataclasses import dataclass

from graphrag.ask.query import Query
from graphrag.display.bars import Axis
from graphrag.display.cards import lifetime, lifetime_bar, triple
from graphrag.display.visible import escape, flatten
from graphrag.model.values import Entity, Fact
from graphrag.temporal.moment import utc_now


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a graph answers to a question; false if it knows no answer."""

    question: str
    """The question as it was asked; empty for a query."""
    query: Query | None = None
    """What was asked of the facts; None if the question was not understood."""
    values: tuple[str, ...] = ()
    """Names, ISO dates as finely as known, numbers, or ``yes`` and ``no``; empty for no answer."""
    entities: tuple[Entity, ...] = ()
    """The entities of the answer, in the order of the values, if it is of entities."""
    facts: tuple[Fact, ...] = ()
    """The facts that say so."""
    bounds: tuple[Fact, ...] = ()
    """The facts that the answer is bounded by: those of "before she moved to Rome"."""
    steps: tuple[str, ...] = ()
    """How it was worked out, in order."""
    missing: str = ""
    """Why there is no answer; empty if there is one."""

    def __bool__(self) -> bool:
        """Tell whether there is an answer."""
        return bool(self.values)

    def __repr__(self) -> str:
        """Show the values, or why there are none."""
        what = ", ".join(map(repr, self.values)) or f"no answer: {flatten(self.missing)}"
        return f"Answer({what}; {len(self.facts)} facts)"

    def __str__(self) -> str:
        """Write the answer, and the facts that it rests on with their lifetimes."""
        head = "; ".join(self.values) or f"no answer: {self.missing}"
        lines = [f"  {triple(fact)}, {lifetime(fact)}" for fact in self.facts]
        lines += [f"  by {triple(fact)}, {lifetime(fact)}" for fact in self.bounds]
        return "\n".join((flatten(head), *lines))

    @property
    def how(self) -> str:
        """Say in words how the question was understood and worked out."""
        asked = self.question if self.query is None else self.query
        return "\n".join((f"asked: {asked}", *self.steps))

    def _repr_html_(self) -> str:
        facts = (*self.facts, *self.bounds)
        axis = Axis.around(
            [end for fact in facts for end in (fact.valid_at, fact.invalid_at)], now=utc_now()
        )
        rows = "".join(
            f"<tr><td>{lifetime_bar(fact, axis, now=utc_now())}</td><td>{escape(lifetime(fact))}"
            f'</td><td title="{escape(fact.text)}">{escape(triple(fact))}</td></tr>'
            for fact in facts
        )
        head = escape("; ".join(self.values) or f"no answer: {self.missing}")
        steps = "".join(f"<li>{escape(step)}</li>" for step in self.how.split("\n"))
        return f"<b>{head}</b><table>{rows}</table><ol>{steps}</ol>"
