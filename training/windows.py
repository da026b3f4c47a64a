"""Examples: the words of an annotated text with what the network is to say of them."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from graphrag.extract.neural.annotation import FLAGS, ROLES
from graphrag.extract.neural.features import WIDEST, Ints, Tree, Words, words_of
from training.annotated import RELATIONS, WRITER, Fact, Mention, Text

Pieces = Sequence[Sequence[int]]
"""The pieces of each word."""
LONGEST: Final = 250
"""Pieces of a text, as many as the library reads at once."""
_SWAPPED: Final = "pl"
"""Persons and places: the ids of what gets other names."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A fact where the text states it, by the numbers of its spans."""

    subject: int
    object: int
    flags: tuple[int, ...]
    """0 or 1 for each of the network's."""
    dates: tuple[tuple[int, int], ...]
    """The span of a date, and which of the network's roles it has."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """One text with its labels; spans are counted as they stand in the text."""

    words: Words
    pieces: Pieces
    roots: Ints
    """The highest word of the span of each first word and each width."""
    joins: Ints
    """The lowest word above each two words; -1: none."""
    ways: Ints
    """The class of the ways to it."""
    spans: tuple[tuple[int, int, int], ...]
    """First word, last word and kind."""
    links: tuple[tuple[int, int, int], ...]
    """Subject, object and relation, at the mentions that state it."""
    unscored: tuple[tuple[int, int, int], ...]
    """The same between other mentions of the same two, which is neither right nor wrong."""
    same: tuple[tuple[int, int], ...]
    """A span and an earlier one that means the same."""
    stated: tuple[Stated, ...]
    names: tuple[tuple[int, str], ...]
    """Words that are names, with the first letter of what they name."""
    meanings: Mapping[tuple[int, int], str]
    """The id of the words from a first to a last one."""
    facts: Mapping[tuple[str, int, str], Mapping[str, str]]
    """What the text states by ids, with the ids of its dates by their roles."""

    def size(self) -> int:
        """Return how many pieces it has."""
        return sum(map(len, self.pieces))

    def renamed(self, pool: Mapping[str, Sequence[Sequence[int]]]) -> "Window":
        """Return it with other names: what is to be learnt is grammar, not who there was.

        Args:
            pool: The pieces of names to choose from, by the first letter of what they name.
        """
        chosen: dict[tuple[str, tuple[int, ...]], Sequence[int]] = {}
        pieces = list(self.pieces)
        for word, kind in self.names:
            old = kind, tuple(pieces[word])
            if old not in chosen:
                chosen[old] = random.choice(pool[kind])
            pieces[word] = chosen[old]
        return replace(self, pieces=pieces)


def names_of(windows: Iterable[Window]) -> dict[str, list[Sequence[int]]]:
    """Return the pieces of all names, by the first letter of what they name."""
    found: dict[str, list[Sequence[int]]] = {kind: [] for kind in _SWAPPED}
    for window in windows:
        for word, kind in window.names:
            found[kind].append(window.pieces[word])
    return found


def window_of(text: Text, pieces_of: Callable[[list[str]], Pieces]) -> Window:
    """Return the example that a text makes; its author's name stands before it.

    Args:
        text: What was annotated.
        pieces_of: Returns the pieces of words.

    Raises:
        ValueError: if the text is longer than what is read at once.
    """
    lead = f"{text.author}: " if text.author else ""
    whole = lead + text.text
    words, _ = words_of(whole, len(lead))
    ends = zip(words.starts, words.ends, strict=True)
    strings = [whole[start:end] for start, end in ends]
    pieces = pieces_of(strings)
    if sum(map(len, pieces)) > LONGEST:
        raise ValueError(f"{text.where}: the text is longer than {LONGEST} pieces; part it")
    marks = _Marks(text, words, len(lead))
    placed = [(fact, place) for fact in text.facts if (place := marks.place(fact)) is not None]
    numbers = [RELATIONS.index(fact.relation) for fact, _ in placed]
    links = {
        (one, other, number)
        for (_, (one, other)), number in zip(placed, numbers, strict=True)
        if one != other
    }
    unscored = {
        (one, other, number)
        for (fact, _), number in zip(placed, numbers, strict=True)
        for one in marks.by_id[fact.subject]
        for other in marks.by_id[fact.object]
    }
    stated = (marks.stated(fact, *place) for fact, place in placed if place[0] != place[1])
    return Window(
        words,
        pieces,
        *shape_of(words),
        tuple(marks.spans),
        tuple(sorted(links)),
        tuple(sorted(unscored - links)),
        tuple(sorted(marks.same())),
        tuple(stated),
        tuple(sorted(marks.names(strings))),
        {span[:2]: id for span, id in marks.found},
        {
            (fact.subject, number, fact.object): {
                role: date for role, date in fact.dates if marks.near(date, fact)
            }
            for (fact, _), number in zip(placed, numbers, strict=True)
        },
    )


def plain(words: Words, pieces: Pieces) -> Window:
    """Return a window without labels, for what teachers say of it."""
    return Window(words, pieces, *shape_of(words), (), (), (), (), (), (), {}, {})


def shape_of(words: Words) -> tuple[Ints, Ints, Ints]:
    """Return the roots, joins and ways of a window, in as few bytes as they need."""
    tree = Tree.of(words.heads)
    joins, ways = tree.join(np.arange(len(words)))
    roots = np.zeros((len(words), WIDEST), dtype=np.int64)
    for start in range(len(words)):
        for end in range(start, min(start + WIDEST, len(words))):
            roots[start, end - start] = tree.root(start, end)
    few: Any = np.int16
    return roots.astype(few), joins.astype(few), ways.astype(few)


class _Marks:
    """The mentions of a text by its words; two with the same words are one span."""

    def __init__(self, text: Text, words: Words, lead: int) -> None:
        self._words = words
        self._lead = lead
        mentions = [
            replace(one, start=one.start + lead, end=one.end + lead) for one in text.mentions
        ]
        if text.author:
            mentions.append(Mention(0, len(text.author), WRITER))
        found = set()
        for mention in mentions:
            first = int(np.searchsorted(words.ends, mention.start, side="right"))
            last = int(np.searchsorted(words.starts, mention.end)) - 1
            if first <= last < first + WIDEST:
                found.add(((first, last, mention.kind), mention.id))
        self.found = sorted(found, key=lambda one: (one[0][:2], one[1]))
        self.spans: list[tuple[int, int, int]] = []
        self.by_id: dict[str, list[int]] = {}
        for span, id in self.found:
            if not self.spans or self.spans[-1][:2] != span[:2]:
                self.spans.append(span)
            self.by_id.setdefault(id, []).append(len(self.spans) - 1)

    def near(self, id: str, fact: Fact) -> list[int]:
        """Return the spans that mean something in a fact's line; else the last one before it."""
        start, end = fact.start + self._lead, fact.end + self._lead
        at = {span: self._words.starts[self.spans[span][0]] for span in self.by_id.get(id, ())}
        here = [span for span, place in at.items() if start <= place < end]
        return here or [span for span, place in at.items() if place < start][-1:]

    def place(self, fact: Fact) -> tuple[int, int] | None:
        """Return the two spans that state a fact, the nearest ones; None for what is denied.

        They are one span where the same words mean both: nothing can be learnt of it there.
        """
        if fact.denied:
            return None
        pairs = [
            (abs(self.spans[one][0] - self.spans[other][0]), one, other)
            for one in self.near(fact.subject, fact)
            for other in self.near(fact.object, fact)
        ]
        return min(pairs)[1:] if pairs else None

    def stated(self, fact: Fact, subject: int, object: int) -> Stated:
        """Return a fact with its flags, and with its dates nearest to its two spans."""
        dates = []
        ends = [self.spans[one][0] for one in (subject, object)]
        for role, date in fact.dates:
            if near := self.near(date, fact):
                best = min(near, key=lambda one: min(abs(self.spans[one][0] - at) for at in ends))
                dates.append((best, ROLES.index(role)))
        return Stated(
            subject, object, tuple(int(flag in fact.flags) for flag in FLAGS), tuple(dates)
        )

    def same(self) -> set[tuple[int, int]]:
        """Return each span with each earlier one that means the same."""
        return {
            (later, earlier)
            for spans in self.by_id.values()
            for later in spans
            for earlier in spans
            if earlier < later
        }

    def names(self, strings: list[str]) -> set[tuple[int, str]]:
        """Return the words that are names."""
        return {
            (word, id[0])
            for (first, last, _), id in self.found
            if id[0] in _SWAPPED
            for word in range(first, last + 1)
            if strings[word][0].isupper() and len(strings[word]) > 1
        }
