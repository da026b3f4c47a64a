"""One sentence being read: its names, its times, and claims with its words."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.lifetime import ALWAYS, Life, day_before, spanned
from graphrag.extract.rules.name import Draft, Name
from graphrag.extract.rules.scene import Scene
from graphrag.extract.rules.short_dates import short_times
from graphrag.temporal.find import TimeExpression
from graphrag.temporal.period import Period, Prefer, shift, unit_from

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_PRESENT = frozenset({"VBZ", "VBP", "MD"})
_EDGE = re.compile(r"\bend(?:ing)?(?: of)?\b", re.IGNORECASE)
_SPAN = re.compile(r"^[^()]*\d{4}[^()-]*-[^()-]*\d{4}[^()]*$")
_YOUNG = 15
"""Years that somebody lives at least of whom a text gives the span; shorter ones are of a post."""
_SUCCEEDING = frozenset({"replace", "succeed"})
_RANGE = 4
"""Words of ``mayor from 2010 to 2014`` before its last one."""
_BORDERS = frozenset({",", ";", "and", "but"})
_BLANKS = re.compile(r" (?=[.,;:!?)](?: |$))")
"""Left by what stood before a mark, as the end of a link."""


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
        coming = {one.start: one.period for one in later}
        taken = [range(one.start, one.end) for one in expressions]
        unsure = [one for one in later if not any(one.start in at for at in taken)]
    for expression in sorted((*expressions, *unsure), key=lambda one: one.start):
        owner = _owner(sentence, expression)
        if owner is not None and expression in unsure and not _is_present(owner):
            continue  # "said that he starts on 1 March": of what is to come, whatever was said
        if owner is not None:
            period = expression.period
            if expression.start in coming and _is_present(owner):
                period = coming[expression.start]
            if period.granularity == "decade" and "ago" in expression.text:
                period = unit_from(shift(period.start, "year", 5), "year")  # its middle
            period = _bound(sentence, expression, owner, period)
            if _is_lifespan(sentence, expression, owner):
                continue
            if _EDGE.search(expression.text) and period.granularity != "day":
                period = day_before(period)
            start = sentence.start_char + expression.start
            stop = sentence.start_char + expression.end
            inside = [token.i for token in sentence if start <= token.idx < stop]
            first = next(token.i for token in sentence if token.idx >= start)
            found.append((owner, period, range(first, inside[-1] + 1 if inside else first)))
    return found


def _is_lifespan(sentence: "Span", expression: TimeExpression, owner: "Token") -> bool:
    """Tell whether a time is one of ``Tomas Reyk (1888-1951)``: of his life, not of what he did."""
    text = sentence.text
    opened = text.rfind("(", 0, expression.start + 1)
    closed = text.find(")", expression.end)
    if opened < 0 or closed < 0 or ")" in text[opened : expression.start]:
        return False
    inner = text[opened + 1 : closed]
    named = any(
        token.idx + len(token) - sentence.start_char == len(text[:opened].rstrip())
        and token.pos_ == "PROPN"
        for token in sentence
    )
    years = [int(year) for year in re.findall(r"\d{4}", inner)]
    return named and len(years) > 1 and years[-1] - years[0] > _YOUNG and bool(_SPAN.search(inner))


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


def _bound(sentence: "Span", expression: TimeExpression, owner: "Token", period: Period) -> Period:
    """Return the period as ``until her retirement in 2014`` bounds it."""
    if period.bound != "in":
        return period
    token = next(token for token in sentence if token.idx - sentence.start_char >= expression.start)
    while token != owner and token.dep_ != "ROOT":
        token = token.head
        if token.idx - sentence.start_char < expression.start:
            if token.lower_ in ("until", "till"):
                return period.bounded("before")
            if token.lower_ in ("since", "after") and token.dep_ == "prep":
                return period.bounded("since")
    return period


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
    before = next((one for one in reversed(earlier) if one.pos_ not in ("NUM", "ADP")), time)
    if before.dep_ == "pobj" and before.head.lower_ == "of":
        before = before.head.head  # "mayor of Bonn from 2010 to 2014"
    if before.dep_ == "appos" and before.pos_ == "NOUN" and before.head.pos_ == "PROPN":
        return before
    for child in verb.children:
        if child.dep_ in ("nsubj", "nsubjpass") and child.i < time.i < verb.i:
            between = verb.doc[child.i : time.i]
            noun = [one for one in between if one.dep_ == "appos" and one.head == child]
            if noun and any(one.text == "," for one in between):
                return noun[0]
            where = [one for one in between if one.dep_ == "pobj"]
            hung = any(one.head.head == child and one.pos_ == "PROPN" for one in where)
            aside = time.lower_ == "since" and verb.doc[times[-1].i + 1].text == ","
            if where and (hung or aside) and between[1:2].text == ",":
                return child
    return None


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
    _places: list[range] = field(default_factory=list)
    """The indices of the words of each of them."""

    def __post_init__(self) -> None:
        """Note the names and the times of the sentence."""
        self.scene.enter(self.sentence, self.offset)
        placed = times_of(self.sentence, self.reference, self.scene.time)
        self.times = [(owner, period) for owner, period, _ in placed]
        self._places = [at for _, _, at in placed]
        doc = self.sentence.doc
        own = [one for _, one, at in placed if doc[at.stop - 1].lower_ not in ("then", "that")]
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

    def placed(self) -> list[tuple[int, Period]]:
        """Return the times with the index of the first word of each."""
        return [(at.start, time[1]) for time, at in zip(self.times, self._places, strict=True)]

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

    def draft(self, one: Name, relation: str, other: Name | None, life: Life = ALWAYS) -> Draft:
        """Return a claim of this sentence."""
        return Draft(
            one,
            relation,
            other,
            self.prefix + _BLANKS.sub("", " ".join(self.sentence.text.split())),
            self.offset + self.sentence.start_char,
            self.offset + self.sentence.end_char,
            life,
            self.corrects,
        )
