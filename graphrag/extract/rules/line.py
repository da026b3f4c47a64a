"""One sentence being read: its names, its times, and claims with its words.

When a clause's relation began and ended, from its verb, its tense and its time expressions.
"""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.clauses import Clause
from graphrag.extract.rules.lexicon import Kind
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.scene import Scene
from graphrag.temporal.find import TimeExpression, find_times
from graphrag.temporal.phrase import Period

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_BLANKS = re.compile(r" (?=[.,;:!?)](?: |$))")
"""Left by what stood before a mark, as the end of a link."""
Lifetime = tuple[datetime | None, datetime | None]


def times_of(sentence: "Span", reference: datetime) -> list[tuple["Token", Period]]:
    """Return the time expressions of a sentence, each with the word that it belongs to.

    That word is the nearest verb or role noun above it in the parse ("its chair since 2017").
    """
    found = []
    for expression in find_times(sentence.text, reference):
        owner = _owner(sentence, expression)
        if owner is not None:
            found.append((owner, expression.period))
    return found


def lifetime(kind: Kind, clause: Clause | None, periods: list[Period], said: datetime) -> Lifetime:
    """Return the stated start and end of a relation; None where the text says nothing."""
    start: datetime | None = None
    end: datetime | None = None
    past_state = kind == "state" and clause is not None and clause.past and not clause.perfect
    for period in periods:
        if period.bound == "until":
            end = period.end
        elif period.bound == "before":
            end = period.start if kind == "end" else end
        elif kind == "end":
            end = period.start
        elif period.bound in ("since", "after") or not past_state:
            start = period.start if period.bound != "after" else period.end
        else:  # "worked at Acme in 2019": known to hold in that time only
            start, end = period.start, period.end
    if kind == "state" and start is not None and start > said and clause is not None:
        if not clause.future and not periods[0].bound == "since":
            start = None  # "lives there tomorrow" is no start that we can vouch for
    if kind == "end" and end is None and start is not None:
        start, end = None, start
    return start, end


def _owner(sentence: "Span", expression: TimeExpression) -> "Token | None":
    inside = [
        token
        for token in sentence
        if expression.start <= token.idx - sentence.start_char < expression.end
    ]
    if not inside:
        return None
    token = inside[-1]
    tokens = {part.i for part in inside}
    while token.dep_ != "ROOT":
        if token.i not in tokens:
            if token.pos_ == "VERB" or (
                token.pos_ == "AUX" and token.dep_ not in ("aux", "auxpass")
            ):
                break
            if token.dep_ in ("appos", "attr") and token.pos_ == "NOUN":
                break
        token = token.head
    return token


if TYPE_CHECKING:
    from spacy.tokens import Span, Token


@dataclass(slots=True)
class Line:
    """A sentence in its scene."""

    sentence: "Span"
    offset: int
    """Where its paragraph starts in the episode."""
    scene: Scene
    reference: datetime
    prefix: str = ""
    """Put before the sentence to make it readable alone: ``Caroline: ``."""
    corrects: bool = False
    times: list[tuple["Token", Period]] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Note the names and the times of the sentence."""
        self.scene.enter(self.sentence, self.offset)
        self.times = times_of(self.sentence, self.reference)

    def name(self, token: "Token") -> Name | None:
        """Return what a word stands for, or None if that is not clear."""
        return self.scene.name_of(token, self.offset)

    def periods(self, *owners: "Token") -> list[Period]:
        """Return the times that belong to one of these words."""
        return [period for owner, period in self.times if owner in owners]

    def draft(
        self,
        one: Name,
        relation: str,
        other: Name,
        life: tuple[datetime | None, datetime | None] = (None, None),
        *,
        ends: bool = False,
    ) -> Draft:
        """Return a claim of this sentence."""
        start, end = life
        if start is not None and end is not None and start >= end:
            start = None
        return Draft(
            one,
            relation,
            other,
            self.prefix + _BLANKS.sub("", " ".join(self.sentence.text.split())),
            self.offset + self.sentence.start_char,
            self.offset + self.sentence.end_char,
            None if ends else start,
            end,
            ends,
            self.corrects,
        )
