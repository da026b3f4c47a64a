"""A question as a structure: what it wants, of which clause, bounded by which other clause or time.

``str()`` of it says how it was understood. It holds nothing of the graph but which of its words
name entities.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

from graphrag.ask.senses import is_light
from graphrag.display.visible import flatten
from graphrag.search.query_time import Said
from graphrag.temporal.vocabulary import MONTHS

Wants = Literal[
    "entities",
    "when",
    "since",
    "until",
    "how long",
    "how many",
    "how often",
    "which",
    "whether",
    "age",
]
"""``which``: one of the choices that the question names."""
Unit = Literal["day", "week", "month", "year"]
Link = Literal["before", "after", "while", "since", "until"]


_MONTH: Final = re.compile(rf"\b(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b")
_YEAR: Final = re.compile(r"\d{4}|['’]\d\d|\b(?:last|next|this|past|coming|previous|ago)\b")


def is_yearless(said: Said | None) -> bool:
    """Tell whether a time is a day or month of any year."""
    if said is None:
        return False
    words = said.words.casefold()
    return _MONTH.search(words) is not None and _YEAR.search(words) is None


@dataclass(frozen=True, slots=True)
class Named:
    """An entity as a question names it."""

    name: str
    ids: tuple[str, ...]
    """Ids of the entities that bear the name, several if nothing tells them apart."""
    body: "Named | None" = None
    """Of a post that is no entity what it is a post of: the ids are those of its role."""


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


@dataclass(frozen=True, slots=True)
class Order:
    """Which of several, by their beginning or their length."""

    kind: Literal["first", "last", "longest", "shortest"]
    n: int = 1
    """Counted from 1: the second is ``first`` with 2, the last but one ``last`` with 2."""

    def __str__(self) -> str:
        """Say it in words."""
        return self.kind if self.n == 1 else f"number {self.n} from the {self.kind}"


@dataclass(frozen=True, slots=True)
class Lasting:
    """How long facts must have lasted: "for more than two years"."""

    bound: Literal["more", "least", "less", "most", "exactly"]
    number: int
    unit: Unit

    def __str__(self) -> str:
        """Say it in words."""
        words = {"more": "more than", "least": "at least", "less": "less than", "most": "at most"}
        return f"for {words.get(self.bound, self.bound)} {self.number} {self.unit}s"


@dataclass(frozen=True)
class Clause:
    """A part of a question that speaks of one relation: its words, in order."""

    tokens: tuple[Token, ...]
    order: Order | None = None
    """``first`` in "before A first visited B"."""

    @cached_property
    def names(self) -> tuple[Named, ...]:
        """Return the entities that it names, in order."""
        return tuple(token.named for token in self.tokens if token.named is not None)

    @cached_property
    def words(self) -> frozenset[str]:
        """Return its other words."""
        return frozenset(token.word for token in self.tokens if token.word not in "ET")

    def __str__(self) -> str:
        """Show its words."""
        return flatten(" ".join(token.text for token in self.tokens).replace(" 's", "'s"))


@dataclass(frozen=True, slots=True)
class Limits:
    """What a question says of the facts that it asks for, beside the time and the other clause."""

    lasting: Lasting | None = None
    excluded: tuple[Named, ...] = ()
    """Entities that are no answer: "other than A"."""
    ended: bool = False
    """Only what is over: "former", "no longer", "used to"."""
    planned: bool = False
    """Only what is to come: "will"."""
    ago: bool = False
    """The length from then to now: "how long ago"."""
    beside: bool = False
    """Who has the same at the same time: "with whom did A live"."""
    minus: Clause | None = None
    """What an answer never did: "who led A but never B"."""

    plus: Clause | None = None
    """What an answer did, too: "who led A and led B"."""
    aged: Literal["", "eldest", "youngest"] = ""
    """Of several only who was born first, or last."""
    inverted: bool = False
    """Whether "yes" is "no": "is it true that A never led B"."""

    def __str__(self) -> str:
        """Say in words what is said; nothing for nothing."""
        parts = [str(self.lasting)] if self.lasting else []
        parts += [f"other than {', '.join(one.name for one in self.excluded)}"] * bool(
            self.excluded
        )
        parts += ["ended"] * self.ended + ["to come"] * self.planned + ["ago"] * self.ago
        parts += ["who had the same"] * self.beside
        parts += [f"never “{self.minus}”"] * bool(self.minus)
        parts += [f"and “{self.plus}”"] * bool(self.plus)
        parts += [self.aged] * bool(self.aged)
        parts += ["the opposite"] * self.inverted
        return "; ".join(parts)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, taken apart."""

    text: str
    wants: Wants
    main: Clause
    """What is asked for, with the entities that it names."""
    link: Link | None = None
    anchor: Clause | None = None
    """The other clause, that bounds the answer: "before A moved to B"."""
    also: tuple[tuple[Link, Clause], ...] = ()
    """More clauses that bound the answer: "but before C came"."""
    neighbor: bool = False
    """Only the one next to the anchor: "right before", "succeeded"."""
    apart: bool = False
    """The time between the main clause and the anchor is asked for."""
    choices: tuple[Clause, ...] = ()
    order: Order | None = None
    during: Said | None = None
    """The time that the question speaks of."""
    known: Said | None = None
    """The time up to which knowledge counts: "as the records stood in 1990"."""
    unit: Unit | None = None
    """What dates and durations are asked in."""
    present: bool = False
    """Only what holds now: "who is", without a time."""
    limits: Limits = Limits()

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """Return all that it says something of."""
        anchor = (self.anchor,) if self.anchor else ()
        return (self.main, *anchor, *(clause for _, clause in self.also), *self.choices)

    def __str__(self) -> str:
        """Say in words how the question was understood."""
        parts = [f"{self.wants} of “{self.main}”"]
        parts += [f"{self.order} by beginning"] if self.order else []
        parts += [f"among {' / '.join(map(str, self.choices))}"] if self.choices else []
        if self.anchor is not None:
            near = "next to it, " if self.neighbor else "time apart, " if self.apart else ""
            parts.append(f"{near}{self.link} “{self.anchor}”")
            parts += [f"{link} “{clause}”" for link, clause in self.also]
        if self.during is not None:
            time = "of some year" if is_yearless(self.during) else repr(self.during.interval)
            parts.append(f"in {self.during.words!r} {time}")
        parts += ["now"] if self.present else []
        parts += [f"as known at {self.known.words!r}"] if self.known else []
        parts += [f"in {self.unit}s"] if self.unit else []
        parts += [str(self.limits)] if self.limits != Limits() else []
        return "; ".join(parts)
