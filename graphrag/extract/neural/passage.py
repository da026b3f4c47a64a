"""The network's reading of one text, over all its windows: named mentions and their links."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.extract.neural.annotation import KINDS, Span
from graphrag.extract.neural.features import Words, words_of
from graphrag.extract.neural.transformer import Network
from graphrag.extract.rules.speakers import quoted
from graphrag.names.key import name_key

if TYPE_CHECKING:
    from spacy.tokens import Token

_LONGEST = 250
"""Pieces of words in a window: as many as the texts had that it was trained with."""
_MOST_PIECES = 100
"""Of one word: what is longer is no word of a language with blanks."""
_LIKELY = 0.1
NAMED = frozenset({"person", "organization", "place", "thing"})
"""Kinds of spans that have names of their own; all others are common nouns."""
_NAME = 0.5
"""What a name in no statement must reach."""
_DENSITY = 0.13
"""From what on a statement counts, and how many a word the training texts had."""
_BORDERS = frozenset(".\n")
_STARTING = frozenset({"start", "begin"})
_PRONOUN = re.compile(
    r"(?:i|me|my|mine|myself|we|us|our|ours|you|your|he|him|his|himself|she|her|hers|herself|it|"
    r"its|itself|they|them|their|theirs|who|whom|whose|which|that|this|these|those|both|one|here|"
    r"there|u|ur|im|ive)",
    re.IGNORECASE,
)
_LEADING = re.compile(
    r"^(?:the|a|an|my|our|your|his|her|its|their|this|that|these|those|some|any|each)\s+"
    r"(?:own\s+)?(?=\S)|^own\s+(?=\S)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Characters of the text that mean something."""

    start: int
    end: int
    kind: str


@dataclass(frozen=True, slots=True)
class Statement:
    """A relation that the text states, by the places of its ends."""

    subject: Place
    relation: str
    object: Place
    sure: float
    flags: tuple[float, ...]
    dates: tuple[tuple[str, Place, float], ...]

    @property
    def later(self) -> Place:
        """Return the end that comes later in the text: its sentence states it."""
        return max(self.subject, self.object, key=lambda place: place.start)


class Passage:
    """What the network read in a text."""

    def __init__(self, text: str, network: Network, floor: float, lead: int = 0) -> None:
        """Read it, in windows that overlap.

        Args:
            text: What is to be read.
            network: What reads it.
            floor: What a statement must reach, from 0 to 1.
            lead: Characters before the text that name its author.
        """
        self.text = text
        words, self.docs = words_of(text, lead)
        self.statements: dict[tuple[Place, str, Place], Statement] = {}
        self.names: list[Place] = []
        """Proper names in the order of the text."""
        self._before: dict[Place, Place] = {}
        self._sentences = [
            (offset + sentence.start_char, offset + sentence.end_char)
            for offset, doc in self.docs
            for sentence in doc.sents
        ]
        self._starts = [start for start, _ in self._sentences]
        self._offsets = [offset for offset, _ in self.docs]
        self.quotes = [quoted(doc.text) for _, doc in self.docs]
        """Where quoted words stand in each of the docs."""
        strings = [text[start:end] for start, end in zip(words.starts, words.ends, strict=True)]
        pieces = [some[:_MOST_PIECES] for some in network.pieces(strings)] if strings else []
        for first, last in _windows(strings, pieces):
            self._read(network, words.part(first, last), pieces[first:last], floor)

    def _read(self, network: Network, words: Words, pieces: list[list[int]], floor: float) -> None:
        reading = network.read(words, pieces, floor)

        def place(span: Span) -> Place:
            start, end = int(words.starts[span.start]), int(words.ends[span.end])
            return Place(start, end, KINDS[span.kind])

        places = [place(span) for span in reading.spans]
        self.names += (
            place
            for place, span in zip(places, reading.spans, strict=True)
            if span.sure >= _NAME and place.kind in NAMED and self.is_proper(place)
        )
        for later, earlier in reading.same.items():
            self._before.setdefault(places[later], places[earlier])
        for link in reading.links:
            dates = tuple((role, places[at], sure) for role, at, sure in link.dates)
            key = places[link.subject], network.relations[link.relation], places[link.object]
            found = Statement(*key, link.sure, link.flags, dates)
            if key not in self.statements or self.statements[key].sure < found.sure:
                self.statements[key] = found

    def chain(self, place: Place) -> list[Place]:
        """Return a place and those before it that mean the same, the nearest first."""
        places = [place]
        while (before := self._before.get(places[-1])) is not None and before not in places:
            places.append(before)
        return places

    def words(self, place: Place) -> str:
        """Return its words, without an article or an owner before them."""
        end = min(place.end, self.sentence(place)[1])  # no name goes on in the next one
        shown = " ".join(self.text[place.start : end].split())
        shown = shown if end == place.end else shown.rstrip(".")
        if place.kind == "place":
            shown = shown.partition(", ")[0]  # "Paris, France"
        return _LEADING.sub("", shown.removesuffix("'s").removesuffix("’s"))

    def name(self, place: Place) -> Place | None:
        """Return the place that names best what a place means; None for a pronoun of nobody.

        The first proper name along the chain, else the first noun.
        """
        chain = [earlier for earlier in self.chain(place) if not self.is_pronoun(earlier)]
        proper = [earlier for earlier in chain if self.is_proper(earlier)]
        return next(iter(proper or chain), None)

    def is_pronoun(self, place: Place) -> bool:
        """Tell whether a place only points to another."""
        return _PRONOUN.fullmatch(self.text[place.start : place.end]) is not None

    def is_proper(self, place: Place) -> bool:
        """Tell whether a place is a proper name: it begins with a capital."""
        words = self.words(place).split()
        return bool(words) and words[0][:1].isupper() and bool(name_key(self.words(place)))

    def sentence(self, place: Place) -> tuple[int, int]:
        """Return where the sentence of a place stands; its line if nothing was parsed there."""
        at = bisect_right(self._starts, place.start) - 1
        if at >= 0 and place.start < self._sentences[at][1]:
            return self._sentences[at]
        start = self.text.rfind("\n", 0, place.start) + 1
        end = self.text.find("\n", place.end)
        return start, len(self.text) if end < 0 else end

    def verb(self, statement: Statement) -> "Token | None":
        """Return the lowest verb above both ends; None if they stand in two sentences."""
        first, second = self.root(statement.subject), self.root(statement.object)
        sentences = {self.sentence(statement.subject), self.sentence(statement.object)}
        if first is None or second is None or len(sentences) > 1:
            return None
        above = {token.i for token in (second, *second.ancestors) if token.pos_ in ("VERB", "AUX")}
        return next((token for token in (first, *first.ancestors) if token.i in above), None)

    def density(self) -> float:
        """Return what a text seems to state as a share of what those stated that it learnt from.

        They state a fact in eight words. In a story or small talk the same signs mean one less
        often: the odds are lower by that share (Saerens et al. 2002).
        """
        expected = sum(
            statement.sure for statement in self.statements.values() if statement.sure > _LIKELY
        )
        return min(1.0, expected / (len(self.text.split()) or 1) / _DENSITY)

    def is_beside(self, time: Place, statement: Statement) -> bool:
        """Tell whether a time stands in the clause that states something, or in none of its own.

        What another sentence dates is for the network to say.
        """
        if self.sentence(time) != self.sentence(statement.later):
            return True
        between = sorted((time, statement.later), key=lambda place: place.start)
        if ";" in self.text[between[0].end : between[1].start]:
            return False
        token, at = self.root(statement.later), self.root(time)
        above = self.verb(statement)
        if above is None or at is None or token is None or token.doc is not at.doc:
            return True
        verbs = (word for word in (at, *at.ancestors) if word.pos_ in ("VERB", "AUX"))
        verb = next(
            (word for word in verbs if word == above or word.lemma_ not in _STARTING), above
        )
        way = {word.i for word in (token, *token.ancestors) if word in above.subtree}
        while above.dep_ == "xcomp":
            above = above.head
            way.add(above.i)
        return verb.i in way

    def is_quoted(self, statement: Statement) -> bool:
        """Tell whether it is said within quotes."""
        first, last = sorted((statement.subject, statement.object), key=lambda place: place.start)
        at = bisect_right(self._offsets, first.start) - 1
        offset = self._offsets[at] if at >= 0 else 0
        quotes = self.quotes[at] if at >= 0 else ()
        return any(
            offset + start <= first.start and last.end <= offset + end for start, end in quotes
        )

    def root(self, place: Place) -> "Token | None":
        """Return the word that the others of a place depend on; None if nothing is parsed."""
        at = bisect_right(self._offsets, place.start) - 1
        if at < 0 or place.end > self._offsets[at] + len(self.docs[at][1].text):
            return None
        offset, doc = self.docs[at]
        span = doc.char_span(place.start - offset, place.end - offset, alignment_mode="expand")
        return None if span is None else span.root


def words_of_name(name: str) -> frozenset[str]:
    """Return the words of a name, each once."""
    return frozenset(name_key(name).split())


def _windows(words: list[str], pieces: list[list[int]]) -> Iterator[tuple[int, int]]:
    """Yield where windows begin and end, whole sentences if they fit, each third read twice."""
    first = 0
    while first < len(words):
        last, size = first, 0
        while last < len(words) and (size + len(pieces[last]) <= _LONGEST or last == first):
            size += len(pieces[last])
            last += 1
        yield first, last
        if last == len(words):
            return
        middle = first + (last - first) * 2 // 3
        cut = middle
        while cut > first + 1 and words[cut - 1] not in _BORDERS:
            cut -= 1
        first = max(cut if cut > first + (last - first) // 3 else middle, first + 1)
