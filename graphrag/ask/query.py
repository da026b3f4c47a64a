"""A typed query: a pattern of facts, the value wanted from those that match, and its limits.

The answer is the end of the pattern (subject or object) that is left open. An end may be another
query: it then matches the entities that answer that query.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, Literal, TypeVar

from graphrag.display.visible import flatten
from graphrag.errors import QueryError
from graphrag.model.arguments import checked
from graphrag.model.checks import checked_number
from graphrag.temporal.interval import Interval

_Dated = Literal["when", "since", "until", "how long"]
Wants = Literal["entities", _Dated, "how many", "how often", "which", "whether", "age"]
"""The value wanted from the facts; ``which``: the first or last of ``Query.among``."""
Unit = Literal["day", "week", "month", "year"]
Link = Literal["before", "after", "while", "since", "until"]
Edge = Literal["start", "end"]
Holds = Literal["", "now", "ended", "planned"]
Value = TypeVar("Value", bound=type)


def _checked(value: Value) -> Value:
    """Let a class check its fields against their annotations, as methods do their arguments."""
    setattr(value, "__init__", checked(QueryError)(vars(value)["__init__"]))  # noqa: B010
    return value


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a question names it."""

    name: str
    ids: tuple[str, ...]
    """Ids of the entities that the name may mean."""
    short: bool = False
    """Whether it is only a part of their names: then one of them must fit."""
    full: int = 0
    """How many of the ids, from the first, have it as their whole name: they come first."""

    def __str__(self) -> str:
        return self.name

    @property
    def whole(self) -> "Named":
        """Return it for those alone that have it as their whole name, if any has."""
        return replace(self, ids=self.ids[: self.full]) if self.full else self


@_checked
@dataclass(frozen=True, slots=True)
class Order:
    """Selection of one of several facts by its start or its length."""

    kind: Literal["first", "last", "longest", "shortest"]
    n: int = 1
    """Position from 1: the second fact is ``first`` with 2, the last but one ``last`` with 2."""

    def __post_init__(self) -> None:
        checked_number("n", self.n, least=1)

    def __str__(self) -> str:
        return self.kind if self.n == 1 else f"number {self.n} from the {self.kind}"


@_checked
@dataclass(frozen=True, slots=True)
class Bound:
    """Limit of the answer by the facts of another query: before, after or during them."""

    link: Link
    query: "Query"
    nearest: bool = False
    """True for only the facts directly before or after them: "right before", "succeeded"."""

    def __str__(self) -> str:
        return f"{'right ' * self.nearest}{self.link} ({self.query})"


Term = str | Named
"""An entity, by name, alias or id, or as a question names it."""
_OPEN: Final = "?"


@_checked
@dataclass(frozen=True, slots=True, repr=False)
class Query:
    """A typed query on the facts of a graph."""

    subject: "Term | Query | None" = None
    """Subject of the facts; None: the query asks for it."""
    relation: str | tuple[str, ...] = ()
    """Relations of the facts, any of which matches; empty: any relation."""
    object: "Term | Query | None" = None
    kind: str = ""
    """Type word for the entities of the answer, such as ``city``; untyped entities match too."""
    wants: Wants = "entities"
    interval: Interval | None = None
    """The time in which the facts held; with ``edge``, in which they began or ended."""
    holds: Holds = ""
    """Only facts that hold now, have ended, or are planned."""
    order: Order | None = None
    bounds: tuple[Bound, ...] = ()
    edge: Edge | None = None
    unit: Unit | None = None
    """Unit of dates and lengths in the answer; default: as precise as the dates of the facts."""
    without: tuple[Term, ...] = ()
    """Entities excluded from the answer."""
    among: tuple[Term, ...] = ()
    """The choices, for ``which``."""
    apart: "Query | None" = None
    """For ``how long``: measure the time from the facts to those of this query."""
    ago: bool = False
    """For ``how long``: measure the time from the facts to now."""
    known_at: datetime | None = None
    """System time: use only what was known by then (aware); None: now."""
    words: str = field(default="", compare=False)
    """The words of the question that the query was parsed from."""

    @property
    def relations(self) -> tuple[str, ...]:
        """Return the relations that match."""
        return (self.relation,) if isinstance(self.relation, str) else self.relation

    @property
    def pattern(self) -> str:
        """Return the pattern of facts in words: ``Ada · lives_in · ?``."""
        ends = (self.subject, " or ".join(self.relations) or "any relation", self.object)
        return " · ".join(_term(end) for end in ends)

    def __str__(self) -> str:
        parts = [f"{self.wants} of {self.pattern}"]
        parts += [f"{self.order} by beginning"] if self.order else []
        parts += [f"among {' / '.join(map(str, self.among))}"] if self.among else []
        parts += map(str, self.bounds)
        parts += [f"time to ({self.apart})"] if self.apart else []
        parts += [f"in {self.interval!r}"] if self.interval else []
        parts += [f"by their {self.edge}"] if self.edge else []
        parts += [self.holds] * bool(self.holds)
        parts += ["ago"] * self.ago
        parts += [f"other than {', '.join(map(str, self.without))}"] * bool(self.without)
        parts += [f"as known at {self.known_at.isoformat()}"] if self.known_at else []
        parts += [f"in {self.unit}s"] if self.unit else []
        return flatten("; ".join(parts))

    def __repr__(self) -> str:
        return f"Query({self})"


def _term(term: "Term | Query | None") -> str:
    return f"({term.pattern})" if isinstance(term, Query) else _OPEN if term is None else str(term)
