"""The words of a question: tokens, the clauses that they make, and the frame around them."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from graphrag.ask.query import Link, Named, Order, Unit, Wants
from graphrag.ask.senses import is_light
from graphrag.display.visible import flatten
from graphrag.search.query_time import Said


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question, or several that name an entity or a time."""

    text: str
    word: str
    """The word in small letters; ``E`` for an entity, ``T`` for a time."""
    named: Named | None = None
    said: Said | None = None

    @property
    def says(self) -> bool:
        """Tell whether it may say something of a relation."""
        return self.named is None and self.said is None and not is_light(self.word)


Tokens = tuple[Token, ...]


@dataclass(frozen=True)
class Clause:
    """A part of a question that speaks of one relation: its words, in order."""

    tokens: Tokens
    order: Order | None = None
    """``first`` in "before A first visited B"."""
    during: Said | None = None
    """The time that it speaks of."""

    @cached_property
    def names(self) -> tuple[Named, ...]:
        """Return the entities that it names, in order."""
        return tuple(token.named for token in self.tokens if token.named is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return its other words."""
        return frozenset(token.word for token in self.tokens if token.word not in "ET")

    @cached_property
    def content(self) -> tuple[str, ...]:
        """Return the words that may say something of a relation, in order."""
        return tuple(token.word for token in self.tokens if token.says)

    def __str__(self) -> str:
        """Show its words."""
        return flatten(" ".join(token.text for token in self.tokens).replace(" 's", "'s"))


@dataclass(frozen=True, slots=True)
class Condition:
    """A clause that bounds what is asked for."""

    link: Link
    clause: Clause
    nearest: bool = False


@dataclass(frozen=True, slots=True)
class Frame:
    """A question as its grammar reads: operation, times and clauses, nothing of the graph."""

    text: str
    wants: Wants
    main: Clause
    unit: Unit | None = None
    conditions: tuple[Condition, ...] = ()
    among: tuple[Named, ...] = ()
    apart: Clause | None = None
    from_end: bool = False
    """Whether the time apart counts from the end of the first: a vacancy."""
    known: Said | None = None
    present: bool = False
    ended: bool = False
    planned: bool = False
    ago: bool = False
    without: tuple[Named, ...] = ()
    unread: tuple[str, ...] = ()
    """Words that change what is asked, of which nothing was made."""

    @property
    def known_at(self) -> datetime | None:
        """Return the last moment of the time that knowledge is asked of."""
        end = None if self.known is None else self.known.interval.end
        return None if end is None else end - datetime.resolution

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Return all that it says something of."""
        apart = () if self.apart is None else (self.apart,)
        return (self.main, *(condition.clause for condition in self.conditions), *apart)
