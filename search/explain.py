"""Where the time of one search went and what each step found."""

from dataclasses import dataclass
from time import perf_counter

from graphrag.display.cards import table
from graphrag.protocols import Tracer


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a search."""

    name: str
    """Such as ``embed``, ``facts: graph`` or ``read``."""
    ms: float
    found: int | None = None
    """How many candidates or rows it gave."""
    note: str = ""
    """What it did, in words."""


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """The steps of one search in order; print it, or show it in a notebook."""

    steps: tuple[Step, ...]

    @property
    def ms(self) -> float:
        """Return the time of all steps."""
        return sum(step.ms for step in self.steps)

    def __repr__(self) -> str:
        """Show a table."""
        rows = [_HEADER, *map(_cells, self.steps), ("all", f"{self.ms:.2f}", "", "")]
        wide = [max(len(row[column]) for row in rows) for column in range(3)]
        return "\n".join(
            f"{name:<{wide[0]}}  {ms:>{wide[1]}}  {found:>{wide[2]}}  {note}".rstrip()
            for name, ms, found, note in rows
        )

    def _repr_html_(self) -> str:
        rows = [*map(_cells, self.steps), ("all", f"{self.ms:.2f}", "", "")]
        return table(_HEADER, rows)


_HEADER = ("step", "ms", "found", "note")


def _cells(step: Step) -> tuple[str, str, str, str]:
    found = "" if step.found is None else str(step.found)
    return step.name, f"{step.ms:.2f}", found, step.note


class Trace:
    """Collect the steps of a search; one that is off costs a test of a flag a step."""

    __slots__ = ("_last", "_steps", "on", "tracer")

    def __init__(self, *, on: bool = False, tracer: Tracer | None = None) -> None:
        self.on = on
        self.tracer = tracer
        self._steps: list[Step] = []
        self._last = perf_counter()

    def step(self, name: str, found: int | None = None, note: str = "") -> None:
        """Note the step that has just ended: it began where the last one ended."""
        if self.on:
            now = perf_counter()
            self._steps.append(Step(name, 1000 * (now - self._last), found, note))
            self._last = perf_counter()

    def explanation(self) -> Explanation | None:
        """Return what was noted, None if nothing was to be."""
        return Explanation(tuple(self._steps)) if self.on else None
