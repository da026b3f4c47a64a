"""Where the sources of a graph disagree, what became of it, and by which rule.

A contradiction is a pair of facts that cannot both hold. Most are settled: one gave way. What is
still open stands beside the other, waits for review, or ends before it starts.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, get_args

from graphrag.analysis.difference import Axis as TimeAxis
from graphrag.display.bars import Axis, bar
from graphrag.display.cards import lifetime, triple
from graphrag.display.visible import escape, flatten
from graphrag.errors import QueryError
from graphrag.ingest.lifetimes.rivalry import Exclusion
from graphrag.model.assertion import held_from
from graphrag.model.values import Fact
from graphrag.search.sources import Quote
from graphrag.temporal.interval import Interval

Rule = Exclusion | Literal["correction", "by_hand", "arbiter"]
Outcome = Literal[
    "ended", "replaced", "overruled", "corrected", "open", "both", "waiting", "impossible"
]

SETTLED: frozenset[Outcome] = frozenset({"ended", "replaced", "overruled", "corrected"})
_COLOURS: Mapping[Outcome, str] = {
    "ended": "#7a8794",
    "replaced": "#7a8794",
    "overruled": "#7a8794",
    "corrected": "#7a8794",
    "waiting": "#b58900",
}
_STANDS, _OPEN = "#2a7f62", "#b5483a"
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

    def __str__(self) -> str:
        """Write what stands against what, with the words that say so."""
        lines = [f"{self.outcome:<10} {_line(self.fact)}", *_said(self.quotes)]
        if self.other is not None:
            lines += [f"{'by' if not self.open else 'beside':<10} {_line(self.other)}"]
            lines += _said(self.other_quotes)
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
        return tuple(one for one in self.found if one.open)

    @property
    def settled(self) -> tuple[Contradiction, ...]:
        """Return those of which one fact gave way."""
        return tuple(one for one in self.found if not one.open)

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

        return table_of([_row(one) for one in self.found], _COLUMNS)

    def _repr_html_(self) -> str:
        facts = [fact for one in self.found for fact in (one.fact, one.other) if fact is not None]
        if not facts:
            return "<p>no contradictions</p>"
        moments = [end for fact in facts for end in (fact.valid_at, fact.invalid_at)]
        axis = Axis.around(moments, now=max(one.at for one in self.found))
        names = ("", "", "valid", "fact", "confidence", "source")
        head = "".join(f"<th>{name}</th>" for name in names)
        body = "".join(_rows(axis, one) for one in self.found)
        more = f"<p>and {self.left_out} more</p>" if self.left_out else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


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

    def wants(self, one: Contradiction) -> bool:
        """Tell whether a contradiction is one of those."""
        if self.outcomes and one.outcome not in self.outcomes:
            return False
        if self.at is not None and not (one.disputed and one.disputed.contains(self.at)):
            return False
        if self.since is None and self.until is None:
            return True
        if self.axis == "system":
            early = self.since is not None and one.at < self.since
            return not early and (self.until is None or one.at < self.until)
        window = interval(self.since, self.until)
        return bool(window and one.disputed and window.overlaps(one.disputed))


def interval(start: datetime | None, end: datetime | None) -> Interval | None:
    """Return a stretch of time, None for an empty one."""
    return None if start is not None and end is not None and start >= end else Interval(start, end)


def checked_outcomes(outcomes: Sequence[Outcome] | None) -> frozenset[Outcome]:
    """Return outcomes, none for any, or say which there are.

    Raises:
        QueryError: for another one.
    """
    if outcomes is None:
        return frozenset()
    named = {*outcomes}
    known: tuple[Outcome, ...] = get_args(Outcome)
    if not named or named - {*known}:
        raise QueryError(f"outcomes {outcomes!r}: choose from {', '.join(known)}")
    return frozenset(one for one in known if one in named)


def _line(fact: Fact) -> str:
    return f"{triple(fact)} ({lifetime(fact)}), confidence {fact.confidence:.2f}"


def _said(quotes: tuple[Quote, ...]) -> list[str]:
    return [f"{'':<10} {words}" for words in shown_quotes(quotes)]


def shown_quotes(quotes: tuple[Quote, ...]) -> list[str]:
    """Return the first few sources of a fact for people, and how many more there are."""
    more = len(quotes) - _SHOWN
    return [*map(quoted, quotes[:_SHOWN]), *([f"and {more} more"] if more > 0 else [])]


def quoted(quote: Quote) -> str:
    """Return the words of a source with the name and the date of its episode."""
    words = flatten(quote.shown)
    words = words if len(words) <= _WIDEST else words[: _WIDEST - 1].rstrip() + "…"
    named = flatten(quote.episode.name), f"{quote.episode.valid_at:%Y-%m-%d}"
    place = ", ".join(filter(None, named))
    return f"“{words}” ({place})"


def _row(one: Contradiction) -> dict[str, Any]:
    disputed = (None, None) if one.disputed is None else (one.disputed.start, one.disputed.end)
    sides = []
    for fact, quotes in ((one.fact, one.quotes), (one.other, one.other_quotes)):
        first = next(iter(quotes), None)
        where = (None, None) if first is None else (first.shown, first.episode.valid_at)
        cells = (
            (None,) * 5
            if fact is None
            else (fact.id, triple(fact), fact.valid_at, fact.invalid_at, fact.confidence)
        )
        sides += [*cells, *where]
    values = (one.outcome, one.rule, one.why, one.at, *disputed, *sides)
    return dict(zip(_COLUMNS, values, strict=True))


def _rows(axis: Axis, one: Contradiction) -> str:
    cells = []
    for role, fact, quotes, colour in (
        (one.outcome, one.fact, one.quotes, _COLOURS.get(one.outcome, _OPEN)),
        ("by" if not one.open else "beside", one.other, one.other_quotes, _STANDS),
    ):
        if fact is None:
            continue
        title = f"{triple(fact)}: {lifetime(fact)}"
        drawn = bar(axis, held_from(fact), fact.invalid_at, colour=colour, title=title)
        said = "<br>".join(map(escape, shown_quotes(quotes)))
        shown = (lifetime(fact), triple(fact), f"{fact.confidence:.2f}")
        cells.append(
            f"<tr><td><b>{role}</b></td><td>{drawn}</td>"
            + "".join(f'<td style="text-align:left">{escape(cell)}</td>' for cell in shown)
            + f'<td style="text-align:left">{said}</td></tr>'
        )
    why = f'<tr><td></td><td colspan="5" style="text-align:left"><i>{escape(one.why)}</i></td></tr>'
    return "".join(cells) + why
