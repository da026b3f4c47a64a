"""A sentence as a row of units: names and things, verbs, and the small words between them.

The row leans on tags and on the order of words, so that it stands where the parse goes astray: in
notes, lists and fragments. Times are taken out of it; who asks for them finds them beside it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.line import Line
from graphrag.extract.rules.name import Name
from graphrag.extract.rules.subjects import own_subjects
from graphrag.extract.rules.truth import is_stated
from graphrag.temporal.period import Period

if TYPE_CHECKING:
    from spacy.tokens import Token

_INSIDE = frozenset("DT PRP$ PDT CD JJ JJR JJS NN NNS NNP NNPS".split())
_HEADS = frozenset("NN NNS NNP NNPS".split())
_KEPT = frozenset("away back home off out up down over there here longer on in as".split())
"""Adverbs that a pattern may ask for."""
_DEFINITE = frozenset("the this that these our my their its his her your both".split())
_HELPERS = frozenset("aux auxpass neg".split())
_MONEY = frozenset("euro dollar pound franc krone".split())
_AMOUNT = re.compile(r"[€£$]\s?\d|\d\s?[€£$]|^\d[\d.,]*$")
_BORDER = re.compile(r"[;]|(?<=\s)[V?!][a-z-]+")
_PERSONS = {
    **dict.fromkeys("i we me us".split(), "i"),
    **dict.fromkeys("he she him her it they them you who which".split(), "h"),
}


@dataclass(frozen=True, slots=True)
class Unit:
    """A noun phrase, or a verb, of a sentence."""

    head: "Token"
    first: int
    """Index of the first word."""
    title: str = ""
    """The common nouns before a name: ``managing director`` of ``managing director Ann Lee``."""


@dataclass(frozen=True, slots=True)
class Row:
    """The units of a sentence, written out as a string for patterns."""

    text: str
    places: tuple[tuple[int, int], ...]
    """Where a piece of the string begins, and the index of its first word."""
    units: Mapping[str, Unit]
    clauses: Mapping[int, Clause]
    line: Line

    def unit(self, code: str) -> Unit:
        """Return the unit of a piece such as ``Np4``."""
        return self.units[code]

    def names(self, codes: str) -> Iterator[tuple[Name, Unit]]:
        """Yield who or what the noun phrases of a stretch stand for."""
        for code in re.findall(r"N[a-z]\d+", codes):
            unit = self.units[code]
            name = self.line.name(unit.head)
            if name is None and code[1] == "i":
                name = self.line.scene.implied
            if name is not None:
                yield name, unit

    def word_at(self, position: int) -> int:
        """Return the index of the word that stands at a position of the string."""
        found = 0
        for start, word in self.places:
            if start <= position:
                found = word
        return found

    def verb_in(self, found: re.Match[str]) -> "Token | None":
        """Return the verb that a stretch of the string states, if there is one."""
        if (verb := re.search(r"(?<!\S)V", found[0])) is None:
            return None
        return self.line.sentence.doc[self.word_at(found.start() + verb.start())]

    def periods(self, found: re.Match[str], clause: Clause | None) -> list[Period]:
        """Return the times of a construction: those of its verb, else those beside it."""
        if clause is not None and (own := self.line.periods(clause.verb)):
            return own
        first, last = self.word_at(found.start()), self.word_at(found.end() - 2)
        border = _BORDER.search(self.text, found.end())
        stop = self.word_at(border.start()) if border else self.line.sentence.end
        return self.times(first, max(stop, last + 1), self.verb_in(found))

    def times(self, start: int, end: int, verb: "Token | None" = None) -> list[Period]:
        """Return the times that stand in a stretch of words, but those of another verb's."""
        placed = zip(self.line.placed(), self.line.times, strict=True)
        return [
            period
            for (at, period), (owner, _) in placed
            if start <= at < end and (verb is None or not _is_below(owner, verb))
        ]


def _is_below(owner: "Token", verb: "Token") -> bool:
    """Tell whether a time is that of a clause inside another's: ``before that it was 22``."""
    return owner != verb and owner.pos_ in ("VERB", "AUX") and verb in owner.ancestors


def row_of(line: Line, clauses: Mapping[int, Clause]) -> Row:
    """Return the units of a sentence; verbs that are not stated as true are marked ``?``."""
    timed = line.timed()
    pieces: list[str] = []
    places: list[tuple[int, int]] = []
    units: dict[str, Unit] = {}
    length = 0

    def put(piece: str, word: int) -> None:
        nonlocal length
        places.append((length, word))
        pieces.append(piece)
        length += len(piece) + 1

    tokens = [token for token in line.sentence if not token.is_space]
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.i in timed or token.text in ("'", '"', "."):
            at += 1
            continue
        stop = _phrase(tokens, at, timed)
        if stop > at:
            unit = _unit(tokens[at:stop])
            code = f"N{_kind(tokens[at:stop], unit.head)}{unit.head.i}"
            units[code] = unit
            put(code, unit.first)
            at = stop
            continue
        if token.tag_ in ("PRP", "WP", "WDT"):
            code = f"N{_PERSONS.get(token.lower_, 'h')}{token.i}"
            units[code] = Unit(token, token.i)
            put(code, token.i)
        elif token.pos_ in ("VERB", "AUX") and token.dep_ not in _HELPERS:
            put(_verb(token, clauses), token.i)
        elif not _passing(token):
            put(token.lower_, token.i)
        at += 1
    return Row(" ".join(pieces) + " ", tuple(places), units, clauses, line)


def _verb(token: "Token", clauses: Mapping[int, Clause]) -> str:
    clause = clauses.get(token.i)
    if clause is None:
        alone = token.tag_ in ("VBN", "VBG") and not own_subjects(token) and is_stated(token)
        return f"{'F' if alone else '?'}{token.lemma_.lower()}"
    mark = "!" if clause.negated and not clause.no_longer else "V"
    return f"{mark}{token.lemma_.lower()}{'.p' if clause.passive else ''}"


def _passing(token: "Token") -> bool:
    """Tell whether a word says nothing to a pattern: helpers and most adverbs."""
    if token.dep_ in ("aux", "auxpass") and token.pos_ in ("AUX", "VERB"):
        return True
    return token.pos_ == "ADV" and token.lower_ not in _KEPT


def _phrase(tokens: "list[Token]", at: int, timed: frozenset[int]) -> int:
    """Return where the noun phrase ends that begins at a word; the same place if none does."""
    stop = last = at
    while stop < len(tokens) and tokens[stop].i not in timed:
        token = tokens[stop]
        inside = token.tag_ in _INSIDE or token.text == "&"
        glued = token.text in "-/" and stop > at and not tokens[stop - 1].whitespace_
        part = token.tag_ in ("VBN", "VBG") and stop + 1 < len(tokens)
        part = part and token.dep_ == "amod" and tokens[stop + 1].tag_ in _HEADS
        if not (inside or part or (glued and not token.whitespace_)):
            break
        if stop > last and token.tag_ in ("DT", "PRP$") and last > at:
            break  # "gave the man the key"
        stop += 1
        if token.tag_ in _HEADS or token.tag_ == "CD" or _AMOUNT.search(token.text):
            last = stop
    return last if last > at else at


def _unit(tokens: "list[Token]") -> Unit:
    head = tokens[-1]
    if head.tag_ not in _HEADS:
        head = next((one for one in reversed(tokens) if one.tag_ in _HEADS), head)
    if head.tag_ not in ("NNP", "NNPS"):
        return Unit(head, tokens[0].i)
    title = [one.lower_ for one in tokens if one.tag_ in ("NN", "JJ", "VBG") and one.i < head.i]
    return Unit(head, tokens[0].i, " ".join(title))


def _kind(tokens: "list[Token]", head: "Token") -> str:
    """Return ``p`` for a name, ``a`` for an amount, ``t`` for that thing, ``c`` for any."""
    text = "".join(one.text_with_ws for one in tokens).strip()
    counted = head.lemma_.lower() in _MONEY and any(one.tag_ == "CD" for one in tokens)
    if counted or any(mark in text for mark in "€£$") or all(one.tag_ == "CD" for one in tokens):
        return "a"
    if head.tag_ in ("NNP", "NNPS"):
        return "p"
    if any(one.tag_ in ("NNP", "NNPS") for one in tokens):
        return "p"
    first = tokens[0].lower_
    return "t" if first in _DEFINITE else "c"
