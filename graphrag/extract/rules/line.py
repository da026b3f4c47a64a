"""One sentence being read: its names, its times, and claims with its words."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.lifetime import ALWAYS, Life, spanned
from graphrag.extract.rules.name import CandidateClaim, Name
from graphrag.extract.rules.scene import Discourse
from graphrag.extract.rules.when import times_of
from graphrag.temporal.period import Period

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SUCCEEDING = frozenset({"replace", "succeed"})
_BORDERS = frozenset({",", ";", "and", "but"})
_BLANKS = re.compile(r" (?=[.,;:!?)](?: |$))")
"""Left by what stood before a mark, as the end of a link."""


@dataclass(slots=True)
class Sentence:
    """A sentence in its scene."""

    sentence: "Span"
    offset: int
    """Where its paragraph starts in the episode."""
    scene: Discourse
    reference: datetime
    prefix: str = ""
    """Put before the sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False
    times: list[tuple["Token", Period]] = field(default_factory=list)
    _places: list[range] = field(default_factory=list)
    """The indices of the words of each of them."""

    def __post_init__(self) -> None:
        """Note the names and the times of the sentence."""
        self.scene.enter(self.sentence, self.offset)
        placed = times_of(self.sentence, self.reference, self.scene.time)
        self.times = [(owner, period) for owner, period, _ in placed]
        self._places = [at for _, _, at in placed]
        doc = self.sentence.doc
        own = [
            period for _, period, at in placed if doc[at.stop - 1].lower_ not in ("then", "that")
        ]
        self.scene.time = spanned(own) or self.scene.time

    def name(self, token: "Token") -> Name | None:
        """Return what a word stands for, or None if that is not clear; a time is nobody."""
        if token.pos_ == "PROPN" and any(token.i in at for at in self._places):
            return None
        return self.scene.name_of(token, self.offset)

    def periods(self, *owners: "Token") -> list[Period]:
        """Return the times that belong to one of these words."""
        found = [period for owner, period in self.times if owner in owners]
        for owner in owners:
            for child in owner.children:
                if child.dep_ == "advcl" and not any(period.bound == "until" for period in found):
                    found += self._bounding(child)
        return found

    def timed(self) -> frozenset[int]:
        """Return the indices of the words that name times."""
        return frozenset(index for at in self._places for index in at)

    def periods_of(self, verb: "Token", target: "Token") -> list[Period]:
        """Return the times of a verb with one of its arguments.

        In ``until 2019 in Oslo, then until 2021 in Rome`` each has its own, and the second begins
        where the first ends.
        """
        if self.times and (apart := self._apart(verb, target)) is not None:
            return apart
        timed = self.timed()  # "since then" is a time
        then = (token.i for token in self.sentence if token.lower_ == "then")
        turns = [at for at in then if at not in timed]
        if not turns:
            before = verb.head if verb.dep_ == "conj" and verb.lemma_ in _SUCCEEDING else verb
            return self.periods(verb) or self.periods(before)  # "left in May and was replaced by"
        parts: dict[int, list[Period]] = {}
        for (owner, period), at in zip(self.times, self._places, strict=True):
            if owner == verb:
                parts.setdefault(sum(turn < at.start for turn in turns), []).append(period)
        part = sum(turn < target.i for turn in turns)
        found = list(parts.get(part, ()))
        ended = [period for period in parts.get(part - 1, ()) if period.bound == "until"]
        if ended and not any(period.bound in ("since", "in") for period in found):
            found.append(ended[-1].bounded("after"))
        return found

    def _apart(self, verb: "Token", target: "Token") -> list[Period] | None:
        """Return the times beside an argument where "before that" or "since then" has one apart.

        ``lived in Rome since 2020, before that in Oslo``: of Oslo only that, of Rome the rest.
        """
        borders = [token.i for token in self.sentence if token.lower_ in _BORDERS]
        doc, there = self.sentence.doc, set[int]()
        parts: dict[int, list[Period]] = {}
        for (owner, period), at in zip(self.times, self._places, strict=True):
            if owner == verb:
                part = sum(border < at.start for border in borders)
                parts.setdefault(part, []).append(period)
                if doc[at.stop - 1].lower_ in ("then", "that"):
                    there.add(part)
        if not there or there == parts.keys():
            return None
        here = sum(border < target.i for border in borders)
        if here in there:
            return parts[here]
        return [period for part, some in parts.items() if part not in there for period in some]

    def _bounding(self, verb: "Token") -> list[Period]:
        """Return the time of ``until she retired in 1985``, as a bound of what lasted so long."""
        marks = {child.lower_ for child in verb.children if child.dep_ in ("mark", "prep")}
        bound = next((word for word in ("until", "till", "since") if word in marks), None)
        inner = [period for owner, period in self.times if owner == verb and period.bound == "in"]
        if bound is None or not inner:
            return []
        if bound == "since":
            return [inner[0].bounded("since")]
        # It ended when that happened, and that was some day in the period.
        return [inner[0].bounded("before")]

    def draft(
        self, one: Name, relation: str, other: Name | None, life: Life = ALWAYS
    ) -> CandidateClaim:
        """Return a claim of this sentence."""
        return CandidateClaim(
            one,
            relation,
            other,
            self.prefix + _BLANKS.sub("", " ".join(self.sentence.text.split())),
            self.offset + self.sentence.start_char,
            self.offset + self.sentence.end_char,
            life,
            self.corrects,
        )
