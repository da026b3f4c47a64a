"""When the words of a sentence say that something was: each time with the word it belongs to."""

import re
from datetime import datetime
from typing import TYPE_CHECKING

from graphrag.extract.rules.lifetime import day_before
from graphrag.extract.rules.short_dates import short_times
from graphrag.temporal.find import TimeExpression
from graphrag.temporal.period import Period, Prefer, shift, unit_from
from graphrag.temporal.vocabulary import WEEKDAYS

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

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
            if period.granularity == "decade" and "ago" in expression.text:
                period = unit_from(shift(period.start, "year", 5), "year")  # its middle
            period = _bound(sentence, expression, owner, period)
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
    if verb.tag_ == "VBG" and verb.lemma_ in ("start", "begin") and verb.dep_ in ("advcl", "acl"):
        return _is_present(verb.head) or _has_chosen(verb.head)
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
    if verb.dep_ == "acomp" and verb.head.lemma_ == "get":
        return _is_present(verb.head)  # "are getting married"
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
    before = next((token for token in reversed(earlier) if token.pos_ not in ("NUM", "ADP")), time)
    if before.dep_ == "pobj" and before.head.lower_ == "of":
        before = before.head.head  # "mayor of Bonn from 2010 to 2014"
    if before.dep_ == "appos" and before.pos_ == "NOUN" and before.head.pos_ == "PROPN":
        return before
    for child in verb.children:
        if child.dep_ in ("nsubj", "nsubjpass") and child.i < time.i < verb.i:
            between = verb.doc[child.i : time.i]
            noun = [token for token in between if token.dep_ == "appos" and token.head == child]
            if noun and any(token.text == "," for token in between):
                return noun[0]
            where = [token for token in between if token.dep_ == "pobj"]
            hung = any(token.head.head == child and token.pos_ == "PROPN" for token in where)
            aside = time.lower_ == "since" and verb.doc[times[-1].i + 1].text == ","
            if where and (hung or aside) and between[1:2].text == ",":
                return child
    return None
