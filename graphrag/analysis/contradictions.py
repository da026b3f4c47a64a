"""Contradictions between sources: which facts conflict, the outcome, and the rule that decided.

A contradiction is a pair of facts that cannot both hold. Most are settled: one fact was closed or
retracted. In an open one both facts are valid, or one is pending or ends before it starts.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any, Literal

from graphrag.analysis.difference import Axis as TimeAxis
from graphrag.display.cards import fact_table, lifetime, triple
from graphrag.display.visible import Html, cut, escape, flatten
from graphrag.ingest.lifetimes.rivalry import Exclusion
from graphrag.model.values import Fact
from graphrag.search.frames import table_of
from graphrag.search.results import Quote
from graphrag.temporal.interval import Interval

Rule = Exclusion | Literal["correction", "by_hand", "arbiter"]
Outcome = Literal[
    "ended", "replaced", "overruled", "corrected", "open", "both", "waiting", "impossible"
]

SETTLED: frozenset[Outcome] = frozenset({"ended", "replaced", "overruled", "corrected"})
_WHY: Mapping[str, str] = {
    "single_valued": "{relation} holds one value at a time",
    "single_holder": "{relation} is held by one at a time",
    "exclusive_with": "{relation} and {against} exclude each other",
    "correction": "a text says that it was wrong",
    "by_hand": "a person corrected it",
    "arbiter": "an arbiter decided that they exclude each other",
    "overruled": "a more trusted source gives other dates",
    "impossible": "it ends before it starts",
}
"""Reasons by the rule, without one by the outcome."""
_UNDECLARED = "{relation} is not declared to exclude it any more"
_GONE, _STANDS, _OPEN, _WAITS = "#7a8794", "#2a7f62", "#b5483a", "#b58900"
_COLUMNS = (
    *("outcome", "rule", "why", "at", "disputed_from", "disputed_until"),
    *("fact_id", "text", "valid_at", "invalid_at", "confidence", "source", "source_at"),
    *("other_id", "other", "other_valid_at", "other_invalid_at", "other_confidence"),
    *("other_source", "other_source_at"),
)
_WIDEST = 100
_SHOWN = 3  # sources of one fact that are shown; quotes has them all


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both hold."""

    fact: Fact
    """The fact that was closed or retracted; of an open pair the older one, or the pending one."""
    other: Fact | None
    """The conflicting fact; None for a fact whose own dates are impossible."""
    outcome: Outcome
    """``ended``: it holds until the other begins. ``replaced``, ``corrected``: it was never true.
    ``overruled``: a more trusted source contradicts it. ``open``: both are valid. ``both``: both
    are valid because one text states both. ``waiting``: it waits in ``edit.pending()``.
    ``impossible``: it ends before it starts."""
    rule: Rule | None
    """The rule by which the facts exclude each other; None if no rule does any more."""
    disputed: Interval | None
    """World time in which both were stated to hold; None if there is none."""
    at: datetime
    """System time of the settlement, or of the later of the two facts if the pair is open."""
    quotes: tuple[Quote, ...] = ()
    """Quotes that state ``fact``."""
    other_quotes: tuple[Quote, ...] = ()
    """Quotes that state ``other``."""

    @property
    def open(self) -> bool:
        """Tell whether the contradiction is not settled yet."""
        return self.outcome not in SETTLED

    @property
    def why(self) -> str:
        """Return in words why the facts cannot both hold."""
        relation = self.fact.relation
        against = relation if self.other is None else self.other.relation
        reason = _WHY.get(self.rule or self.outcome, _UNDECLARED)
        return reason.format(relation=relation, against=against)

    @property
    def _sides(self) -> list[tuple[str, Fact, tuple[Quote, ...], str]]:
        """Return the role of each fact, the fact, where it is stated, and its colour."""
        colour = _WAITS if self.outcome == "waiting" else _OPEN if self.open else _GONE
        sides = [(str(self.outcome), self.fact, self.quotes, colour)]
        if self.other is not None:
            sides.append(("beside" if self.open else "by", self.other, self.other_quotes, _STANDS))
        return sides

    def __str__(self) -> str:
        lines = []
        for role, fact, quotes, _ in self._sides:
            line = f"{triple(fact)} ({lifetime(fact)}), confidence {fact.confidence:.2f}"
            lines += [f"{role:<10} {line}", *(f"{'':<10} {text}" for text in shown_quotes(quotes))]
        return "\n".join((*lines, f"{'why':<10} {flatten(self.why)}"))


@dataclass(frozen=True, slots=True, repr=False)
class Contradictions:
    """The contradictions of a group: the open ones first, then the settled ones, latest first."""

    group: str
    found: tuple[Contradiction, ...] = ()
    left_out: int = 0
    """The number of further contradictions beyond the requested limit."""

    @property
    def open(self) -> tuple[Contradiction, ...]:
        """Return the contradictions that are not settled yet."""
        return tuple(pair for pair in self.found if pair.open)

    @property
    def settled(self) -> tuple[Contradiction, ...]:
        """Return the contradictions in which one fact was closed or retracted."""
        return tuple(pair for pair in self.found if not pair.open)

    def __iter__(self) -> Iterator[Contradiction]:
        return iter(self.found)

    def __len__(self) -> int:
        return len(self.found)

    def __repr__(self) -> str:
        more = f", {self.left_out} left out" if self.left_out else ""
        return (
            f"Contradictions({self.group!r}: {len(self.open)} open, "
            f"{len(self.settled)} settled{more})"
        )

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.found)) or "no contradictions"

    def to_dataframe(self) -> Any:
        """Return one row for each contradiction as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        return table_of([_row(pair) for pair in self.found], _COLUMNS)

    def _repr_html_(self) -> str:
        if not self.found:
            return "<p>no contradictions</p>"
        rows = []
        for contradiction in self.found:
            why = contradiction.why
            for role, fact, quotes, colour in contradiction._sides:
                lines = Html("<br>".join(map(escape, shown_quotes(quotes))))
                rows.append((fact, colour, (role, f"{fact.confidence:.2f}", lines, why)))
                why = ""
        latest = max(contradiction.at for contradiction in self.found)
        table = fact_table(("outcome", "confidence", "source", "why"), rows, now=latest)
        return f"{table}<p>and {self.left_out} more</p>" if self.left_out else table


@dataclass(frozen=True, slots=True)
class ContradictionFilter:
    """Which contradictions are wanted."""

    since: datetime | None = None
    until: datetime | None = None
    axis: TimeAxis = "system"
    at: datetime | None = None  # world time that both facts must have been stated for; None for any
    limit: int = 100
    outcomes: frozenset[Outcome] = frozenset()  # those wanted; empty for any

    def wants(self, pair: Contradiction) -> bool:
        """Tell whether a contradiction is one of those."""
        if self.outcomes and pair.outcome not in self.outcomes:
            return False
        if self.at is not None and not (pair.disputed and pair.disputed.contains(self.at)):
            return False
        window = interval(self.since, self.until)
        if self.axis == "system":
            return window is not None and window.contains(pair.at)
        disputed = window and pair.disputed and window.overlaps(pair.disputed)
        return bool(disputed) or (self.since is None and self.until is None)


def interval(start: datetime | None, end: datetime | None) -> Interval | None:
    """Return a stretch of time, None for an empty one."""
    return None if start is not None and end is not None and start >= end else Interval(start, end)


def shown_quotes(quotes: tuple[Quote, ...]) -> list[str]:
    """Return the first few sources of a fact for people, and how many more there are."""
    lines = []
    for quote in quotes[:_SHOWN]:
        named = flatten(quote.episode.name), f"{quote.episode.valid_at:%Y-%m-%d}"
        words = cut(flatten(quote.shown), _WIDEST)
        lines.append(f"“{words}” ({', '.join(filter(None, named))})")
    return [*lines, *([f"and {len(quotes) - _SHOWN} more"] if len(quotes) > _SHOWN else [])]


def _row(contradiction: Contradiction) -> dict[str, Any]:
    disputed = contradiction.disputed
    cells: list[Any] = [getattr(contradiction, name) for name in _COLUMNS[:4]]
    cells += (None, None) if disputed is None else (disputed.start, disputed.end)
    for _, fact, quotes, _ in contradiction._sides:
        cells += (fact.id, triple(fact), fact.valid_at, fact.invalid_at, fact.confidence)
        cells += (quotes[0].shown, quotes[0].episode.valid_at) if quotes else (None, None)
    return dict(zip_longest(_COLUMNS, cells))
