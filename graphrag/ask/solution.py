"""What comes out of a question: facts in order, with the steps that were taken."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from graphrag.ask.asked import Order
from graphrag.ask.lookup import CannotAnswer
from graphrag.ask.world import Line, World, by_start
from graphrag.index.group import BEGINNING


@dataclass(slots=True)
class Solution:
    """What came out: values in words, the facts that they rest on, and the steps."""

    values: list[str] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)
    """The facts of the answer."""
    support: list[Line] = field(default_factory=list)
    """Facts of what bounds it."""
    steps: list[str] = field(default_factory=list)
    entities: list[int] = field(default_factory=list)

    def step(self, words: str) -> None:
        """Note what was done."""
        self.steps.append(words)


def in_order_of(lines: Sequence[Line], order: Order, world: World) -> list[Line]:
    """Return the first, the last, the nth or the longest; several if they begin together."""
    if not lines:
        return []
    if order.kind in ("longest", "shortest"):
        known = [line for line in lines if line.start != BEGINNING]
        if not known:
            raise CannotAnswer("no beginning is known, so no length is")
        length: Callable[[Line], int] = lambda line: min(line.end, world.now) - line.start  # noqa: E731
        most = (max if order.kind == "longest" else min)(map(length, known))
        return [line for line in known if length(line) == most]
    ordered = by_start(lines)
    if order.n > len(ordered):
        raise CannotAnswer(f"only {len(ordered)} are known, no number {order.n}")
    if order.n == 1:
        edge = ordered[0 if order.kind == "first" else -1].start
        return [line for line in ordered if line.start == edge]
    return [ordered[order.n - 1 if order.kind == "first" else -order.n]]


def pick(lines: Sequence[Line], order: Order | None, world: World) -> Line:
    """Return the fact that stands for several: the first one, or what the order says."""
    if not lines:
        raise CannotAnswer("no such fact is known")
    return in_order_of(by_start(lines), order or Order("first"), world)[0]


def counted(lines: Sequence[Line]) -> str:
    """Return how many facts there are, in words."""
    return f"{len(lines)} {'fact' if len(lines) == 1 else 'facts'}"
