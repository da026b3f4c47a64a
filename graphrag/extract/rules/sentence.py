"""One sentence being read: its names, its times, and claims with its words."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.lifetime import ALWAYS, Life, day_before
from graphrag.extract.rules.name import CandidateClaim, Name
from graphrag.extract.rules.scene import Discourse
from graphrag.extract.rules.short_dates import short_times
from graphrag.temporal.find import TimeExpression
from graphrag.temporal.period import Period, Prefer
from graphrag.temporal.vocabulary import WEEKDAYS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_SUCCEEDING = frozenset({"replace", "succeed"})
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
        self.scene.time = own[-1] if own else self.scene.time

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

    def _bounding(self, verb: "Token") -> list[Period]:
        """Return the time of ``until she retired in 1985``, as a bound of what lasted so long."""
        marks = {child.lower_ for child in verb.children if child.dep_ in ("mark", "prep")}
        inner = [period for owner, period in self.times if owner == verb and period.bound == "in"]
        if not inner or not marks & {"until", "till", "since"}:
            return []
        # It ended when that happened, and that was some day in the period.
        return [inner[0].bounded("since" if "since" in marks else "before")]

    def periods_of(self, verb: "Token") -> list[Period]:
        """Return the times of a verb, else those of the one that it is joined to."""
        before = verb.head if verb.dep_ == "conj" and verb.lemma_ in _SUCCEEDING else verb
        return self.periods(verb) or self.periods(before)  # "left in May and was replaced by"

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


_PRESENT = frozenset({"VBZ", "VBP", "MD"})
_EDGE = re.compile(r"\bend(?:ing)?(?: of)?\b", re.IGNORECASE)
_WEEKLY = re.compile(
    rf"\b(?:the|our|a|my) (?:{'|'.join(WEEKDAYS)}) "
    r"(?:choir|club|group|class|team|market|band|league|quiz)\b",
    re.IGNORECASE,
)
_RANGE = 4
"""Words of ``mayor from 2010 to 2014`` before its last one."""


def times_of(
    sentence: "Span", reference: datetime, before: Period | None
) -> list[tuple["Token", Period, range]]:
    """Return the time expressions of a sentence, each with the word that it belongs to.

    That word is the nearest verb or role noun above it in the parse ("its chair since 2017"); and
    with the indices of its own words.
    """
    found = []
    ahead = looks_ahead(sentence)
    present = any(token.tag_ in _PRESENT for token in sentence)
    leaning: Prefer | None = "future" if ahead and present else None
    expressions = short_times(sentence.text, reference, before, ahead=ahead, leaning=leaning)
    coming: dict[int, Period] = {}
    unsure: list[TimeExpression] = []
    if not ahead and present:
        later = short_times(sentence.text, reference, before, ahead=True, leaning="future")
        coming = {expression.start: expression.period for expression in later}
        taken = [range(expression.start, expression.end) for expression in expressions]
        unsure = [
            expression for expression in later if not any(expression.start in at for at in taken)
        ]
    for expression in sorted((*expressions, *unsure), key=lambda expression: expression.start):
        if _is_weekly(sentence.text, expression):
            continue
        owner = _owner(sentence, expression)
        if owner is not None and expression in unsure:
            if not _lies_ahead(owner, expression.period):
                continue  # "said that he starts on 1 March": of what is to come, whatever was said
        if owner is not None:
            period = expression.period
            if expression.start in coming and _lies_ahead(owner, expression.period):
                period = coming[expression.start]
            if _EDGE.search(expression.text) and period.granularity != "day":
                period = day_before(period)
            start = sentence.start_char + expression.start
            stop = sentence.start_char + expression.end
            inside = [token.i for token in sentence if start <= token.idx < stop]
            first = next(token.i for token in sentence if token.idx >= start)
            found.append((owner, period, range(first, inside[-1] + 1 if inside else first)))
    return found


def _is_weekly(text: str, time: TimeExpression) -> bool:
    """Tell whether a day of the week is a part of a name: ``the Tuesday choir``."""
    return any(match.start() <= time.start < match.end() for match in _WEEKLY.finditer(text))


def _lies_ahead(verb: "Token", period: Period) -> bool:
    """Tell whether a date without a year is still to come: ``has been appointed from May``."""
    chosen = period.bound in ("since", "after") and _has_chosen(verb)
    return chosen or _is_present(verb)


def _has_chosen(verb: "Token") -> bool:
    """Tell whether somebody has just got a post: ``has been appointed``, ``have hired``."""
    has = any(child.tag_ in ("VBZ", "VBP") for child in verb.children if child.dep_ == "aux")
    return has and verb.lemma_ in _CHOOSING


_CHOOSING = frozenset(
    "appoint elect name choose hire recruit promote sign accept take get land".split()
)


def _is_present(verb: "Token") -> bool:
    """Tell whether a verb is in the present or the future: of its dates, undated ones lie ahead."""
    helpers = {child.tag_ for child in verb.children if child.dep_ in ("aux", "auxpass")}
    if verb.tag_ in ("VBZ", "VBP") or "MD" in helpers:
        return True
    return (
        verb.tag_ in ("VBG", "VBN")
        and bool(helpers & {"VBZ", "VBP"})
        and not any(
            child.lemma_ in ("have", "'ve") for child in verb.children if child.dep_ == "aux"
        )
    )


def looks_ahead(sentence: "Span") -> bool:
    """Tell whether no verb of the sentence is in a past tense."""
    for token in sentence:
        if token.tag_ == "VBD":
            return False
        if token.tag_ == "VBN" and token.dep_ != "amod":  # "the state-owned firm starts"
            helpers = [child for child in token.children if child.dep_ in ("aux", "auxpass")]
            if not helpers or any(helper.lemma_ in ("have", "'ve") for helper in helpers):
                return False
    return True


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
    return _apposed_to(token, inside) or token


def _apposed_to(verb: "Token", times: "list[Token]") -> "Token | None":
    """Return the subject of ``Ann, mayor from 1990 to 1998, has died``: the times are no verb's.

    Nor are those of ``Ann, at Acme since 2013, moved to Rome`` or ``met Bob, mayor since 2014``.
    """
    time = times[0]
    earlier = verb.doc[max(0, time.i - _RANGE) : time.i]
    before = next((token for token in reversed(earlier) if token.pos_ not in ("NUM", "ADP")), time)
    if before.dep_ == "pobj" and before.head.lower_ == "of":
        before = before.head.head  # "mayor of Bonn from 2010 to 2014"
    if before.dep_ == "appos" and before.pos_ == "NOUN" and before.head.pos_ == "PROPN":
        return before
    return None
