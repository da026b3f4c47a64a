"""Where the sources of a graph disagree, what became of it, and by which rule.

A contradiction is a pair of facts that cannot both hold. Most are settled: one gave way. What is
still open stands beside the other, waits for review, or ends before it starts.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest
from typing import Any, Literal

from graphrag.analysis.difference import Axis as TimeAxis
from graphrag.display.cards import fact_table, lifetime, triple
from graphrag.display.visible import Html, cut, escape, flatten
from graphrag.ingest.lifetimes.rivalry import Exclusion
from graphrag.model.values import Fact
from graphrag.search.sources import Quote
from graphrag.temporal.interval import Interval

Rule = Exclusion | Literal["correction", "by_hand", "arbiter"]
Outcome = Literal[
    "ended", "replaced", "overruled", "corrected", "open", "both", "waiting", "impossible"
]

SETTLED: frozenset[Outcome] = frozenset({"ended", "replaced", "overruled", "corrected"})
_GONE, _STANDS, _OPEN, _WAITS = "#7a8794", "#2a7f62", "#b5483a", "#b58900"
_COLUMNS = (
    *("outcome", "rule", "why", "at", "disputed_from", "disputed_until"),
    *("fact_id", "text", "valid_at", "invalid_at", "confidence", "source", "source_at"),
    *("other_id", "other", "other_valid_at", "other_invalid_at", "other_confidence"),
    *("other_source", "other_source_at"),
)
_WIDEST = 100
_SHOWN = 3
"""Sources of one fact that are shown; ``quotes`` has them all."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two facts that cannot both hold."""

    fact: Fact
    """The one that gave way; of an open pair the one added first, or the one that waits."""
    other: Fact | None
    """What stands against it; None for a fact whose own times are impossible."""
    outcome: Outcome
    """``ended``: it holds until the other begins. ``replaced``, ``corrected``: it was never true.
    ``overruled``: a more trusted source says otherwise.
    ``open``: both stand. ``both``: they do because one text says both. ``waiting``: it waits in
    ``edit.pending()``. ``impossible``: it ends before it starts."""
    rule: Rule | None
    """What is declared by which they exclude each other; None if nothing is any more."""
    disputed: Interval | None
    """World time for which both were stated; None for none at all."""
    at: datetime
    """System time: when it was settled, or when the later of the two was added."""
    quotes: tuple[Quote, ...] = ()
    """Where the fact is stated."""
    other_quotes: tuple[Quote, ...] = ()
    """Where the other one is."""

    @property
    def open(self) -> bool:
        """Tell whether nobody has decided yet."""
        return self.outcome not in SETTLED

    @property
    def why(self) -> str:
        """Say what they cannot both hold by, in words."""
        relation = self.fact.relation
        match self.rule:
            case "single_valued":
                return f"{relation} holds one value at a time"
            case "single_holder":
                return f"{relation} is held by one at a time"
            case "exclusive_with":
                against = relation if self.other is None else self.other.relation
                return f"{relation} and {against} exclude each other"
            case "correction":
                return "a text says that it was wrong"
            case "by_hand":
                return "a person corrected it"
            case "arbiter":
                return "an arbiter decided that they exclude each other"
        if self.outcome == "overruled":
            return "a more trusted source gives other dates"
        if self.outcome == "impossible":
            return "it ends before it starts"
        return f"{relation} is not declared to exclude it any more"

    @property
    def _sides(self) -> list[tuple[str, Fact, tuple[Quote, ...], str]]:
        """Return the role of each fact, the fact, where it is stated, and its colour."""
        colour = _WAITS if self.outcome == "waiting" else _OPEN if self.open else _GONE
        sides = [(str(self.outcome), self.fact, self.quotes, colour)]
        if self.other is not None:
            role = "beside" if self.open else "by"
            sides.append((role, self.other, self.other_quotes, _STANDS))
        return sides

    def __str__(self) -> str:
        """Write what stands against what, with the words that say so."""
        lines = []
        for role, fact, quotes, _ in self._sides:
            line = f"{triple(fact)} ({lifetime(fact)}), confidence {fact.confidence:.2f}"
            lines += [f"{role:<10} {line}", *(f"{'':<10} {text}" for text in shown_quotes(quotes))]
        return "\n".join((*lines, f"{'why':<10} {flatten(self.why)}"))


@dataclass(frozen=True, slots=True, repr=False)
class Contradictions:
    """The contradictions of a group: open ones first, then the settled, the latest first."""

    group: str
    found: tuple[Contradiction, ...] = ()
    left_out: int = 0
    """How many more there are than were asked for."""

    @property
    def open(self) -> tuple[Contradiction, ...]:
        """Return those that nobody has decided yet."""
        return tuple(pair for pair in self.found if pair.open)

    @property
    def settled(self) -> tuple[Contradiction, ...]:
        """Return those of which one fact gave way."""
        return tuple(pair for pair in self.found if not pair.open)

    def __iter__(self) -> Iterator[Contradiction]:
        """Iterate over all of them."""
        return iter(self.found)

    def __len__(self) -> int:
        """Count those that are here."""
        return len(self.found)

    def __repr__(self) -> str:
        """Show the counts."""
        more = f", {self.left_out} left out" if self.left_out else ""
        return (
            f"Contradictions({self.group!r}: {len(self.open)} open, "
            f"{len(self.settled)} settled{more})"
        )

    def __str__(self) -> str:
        """Write a few lines for each."""
        return "\n\n".join(map(str, self.found)) or "no contradictions"

    def to_dataframe(self) -> Any:
        """Return one row for each as a pandas data frame.

        Raises:
            MissingExtraError: if pandas is not installed.
        """
        from graphrag.search.frames import table_of

        return table_of([_row(pair) for pair in self.found], _COLUMNS)

    def _repr_html_(self) -> str:
        if not self.found:
            return "<p>no contradictions</p>"
        rows = (
            (
                fact,
                colour,
                (
                    role,
                    f"{fact.confidence:.2f}",
                    Html("<br>".join(map(escape, shown_quotes(quotes)))),
                    "" if place else contradiction.why,
                ),
            )
            for contradiction in self.found
            for place, (role, fact, quotes, colour) in enumerate(contradiction._sides)
        )
        latest = max(contradiction.at for contradiction in self.found)
        table = fact_table(("outcome", "confidence", "source", "why"), rows, now=latest)
        return f"{table}<p>and {self.left_out} more</p>" if self.left_out else table


@dataclass(frozen=True, slots=True)
class Asked:
    """Which contradictions are wanted."""

    since: datetime | None = None
    until: datetime | None = None
    axis: TimeAxis = "system"
    at: datetime | None = None
    """World time that both facts must have been stated for; None for any."""
    limit: int = 100
    outcomes: frozenset[Outcome] = frozenset()
    """Those wanted; empty for any."""

    def wants(self, pair: Contradiction) -> bool:
        """Tell whether a contradiction is one of those."""
        if self.outcomes and pair.outcome not in self.outcomes:
            return False
        if self.at is not None and not (pair.disputed and pair.disputed.contains(self.at)):
            return False
        if self.since is None and self.until is None:
            return True
        if self.axis == "system":
            early = self.since is not None and pair.at < self.since
            return not early and (self.until is None or pair.at < self.until)
        window = interval(self.since, self.until)
        return bool(window and pair.disputed and window.overlaps(pair.disputed))


def interval(start: datetime | None, end: datetime | None) -> Interval | None:
    """Return a stretch of time, None for an empty one."""
    return None if start is not None and end is not None and start >= end else Interval(start, end)


def shown_quotes(quotes: tuple[Quote, ...]) -> list[str]:
    """Return the first few sources of a fact for people, and how many more there are."""
    more = len(quotes) - _SHOWN
    return [*map(quoted, quotes[:_SHOWN]), *([f"and {more} more"] if more > 0 else [])]


def quoted(quote: Quote) -> str:
    """Return the words of a source with the name and the date of its episode."""
    named = flatten(quote.episode.name), f"{quote.episode.valid_at:%Y-%m-%d}"
    return f"“{cut(flatten(quote.shown), _WIDEST)}” ({', '.join(filter(None, named))})"


def _row(contradiction: Contradiction) -> dict[str, Any]:
    disputed = contradiction.disputed
    cells: list[Any] = [getattr(contradiction, name) for name in _COLUMNS[:4]]
    cells += (None, None) if disputed is None else (disputed.start, disputed.end)
    for _, fact, quotes, _ in contradiction._sides:
        cells += (fact.id, triple(fact), fact.valid_at, fact.invalid_at, fact.confidence)
        cells += (quotes[0].shown, quotes[0].episode.valid_at) if quotes else (None, None)
    return dict(zip_longest(_COLUMNS, cells))
