"""Time expressions in running English text.

The longest run of time words that `phrase` reads is an expression unless `context` doubts it ("she
may", "Chapter 12"). A range gives two, "from 2015" and "to 2019", with bounds since and until;
their intersection is the range.

An undated day takes its side of the reference from tense and wording ("met on Friday", "see you on
Friday"). Without a hint a day of a month counts if near; a weekday or whole month is left alone,
since most are plans or habits ("it is dry in June").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from graphrag.temporal.dates import MONTHS, WEEKDAYS, YEAR
from graphrag.temporal.interval import Period, Prefer, Reference
from graphrag.temporal.phrase import normalise, read_pair, read_phrase, reference_of
from graphrag.temporal.sense import (
    DAY_WORDS,
    DIRECTIONS,
    Candidate,
    TimeToken,
    hints,
    is_meant,
    tokenise,
)

_AROUND: Final = 150  # characters looked at on each side, within the sentence
_SENTENCE_END: Final = re.compile(r"[.!?;\n]")
_FUTURE: Final = re.compile(
    r"\b(?:will|won't|shall|should|gonna|(?:go|look)ing (?:to|forward)|can't wait|let's|upcoming|"
    r"(?:see|catch|join|invite|meet) (?:you|us|me)|(?:how|what) about|want to|wanna|"
    r"plan(?:s|ning)?|(?:can|could|would) (?:you|we|i)|excited (?:for|about|to)|free|available|"
    r"tomorrow|deadline|ready for|due|hope|next|"
    r"(?:am|are|is) (?:getting|having|moving|starting|joining|leaving|retiring|flying|opening))\b|"
    r"\w['’](?:m|re) (?:getting|having|moving|starting|joining|leaving|retiring|flying|opening)\b|"
    r"\w'll\b",
    re.IGNORECASE,
)
_PAST: Final = re.compile(
    r"\b(?:was|were|did|didn't|had|went|saw|said|told|met|got|made|took|came|won|lost|left|bought|"
    r"found|gave|began|became|held|led|ran|sold|wrote|been|felt|kept|spent|heard|brought|fell|ago|"
    # "is closed" and "remains closed" look at nothing past
    r"(?<!\bis )(?<!\bare )(?<!\bam )(?<!\bbe )(?<!\bstays )(?<!\bremains )(?<!'re )"
    r"(?!excited|planned|scheduled|need|interested|indeed|speed|tired)[a-z]{3,}ed)\b",
    re.IGNORECASE,
)
_NEAR: Final = timedelta(days=60)
_HALF_YEAR: Final = timedelta(days=183)


def tense(text: str, start: int, end: int) -> Prefer | None:
    """Tell whether the sentence around a stretch of text looks back, ahead, or does not say."""
    before = _SENTENCE_END.split(text[max(0, start - _AROUND) : start])[-1]
    after = _SENTENCE_END.split(text[end : end + _AROUND])[0]
    sentence = f"{before} {after}"
    back, ahead = bool(_PAST.search(sentence)), bool(_FUTURE.search(sentence))
    if back == ahead:
        return None
    return "past" if back else "future"


def choose(
    past: Period, future: Period, leaning: Prefer | None, reference: Reference, *, vague: bool
) -> Period | None:
    """Pick one of the two readings of an undated expression, or neither.

    ``past`` is the nearest that has begun, ``future`` the nearest that is not over. ``leaning`` is
    what the sentence says. Weekdays, equally near on both sides, and whole months are ``vague``.
    """
    if past == future and not vague:
        return past
    far = not vague and reference.moment - past.start > _HALF_YEAR
    soon = future.start - reference.moment <= _NEAR
    if leaning == "past":
        # "It was wise to choose May 12", written on May 5: two signs that disagree.
        return None if far and soon else past
    if leaning == "future" or reference.prefer == "future":
        just = not vague and timedelta(0) <= reference.moment - past.end <= _NEAR
        if just and future.start - reference.moment > _HALF_YEAR:
            # "I hope the walk of July 10 helps", written on July 20.
            return None if leaning == "future" else past
        return future
    if vague or (far and not soon):
        return None
    return future if far else past


_LONGEST = 12  # words: "three weeks before the end of the third quarter of 2021" has eleven
_NOT_FIRST = frozenset({",", "-", "of", "to", "and", "ago", "back"})
_NOT_LAST = frozenset({",", "-", "of", "the"})
_LISTING: Final = frozenset({",", "and", "or", ", and", ", or"})
_JOINTS: Final = frozenset({"to", "until", "till", "through", "and", "-"})
_OPENERS: Final = frozenset({"from", "since", "between", "starting"})
_POINTING: Final = DAY_WORDS | DIRECTIONS | {"ago"}
"""With these "from" tells where a thing is from, "a photo from last week", not since when."""
_NAMED: Final = MONTHS.keys() | WEEKDAYS.keys() | {"q1", "q2", "q3", "q4"}
_YEAR: Final = re.compile(r"\d{4}")
_FULL_YEAR: Final = re.compile(rf"(?<!\d){YEAR}(?!\d)", re.ASCII)
_NEARBY: Final = 300  # characters in which another year claims a day: "on August 6 and 9, 1945"


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A stretch of a text, ``text[start:end]``, that names a time."""

    start: int
    end: int
    text: str
    period: Period


def find_times(
    text: str, reference: datetime, *, prefer: Prefer = "past", leaning: Prefer | None = None
) -> list[TimeExpression]:
    """Find the expressions of time in an English text, in order, none overlapping another.

    The ``reference`` is when it was written. An undated "3 May" lies on the side of ``leaning``, or
    where its sentence points, or else on the side of ``prefer``. An undated "Friday" or "May" that
    neither of the first two places is left out, unless ``prefer`` is the future.
    """
    counted_from = reference_of(reference, prefer)
    return _Finder(text, tokenise(text), counted_from, leaning).find() if hints(text) else []


@dataclass(frozen=True, slots=True)
class _Finder:
    _text: str
    _tokens: Sequence[TimeToken]
    _reference: Reference
    _leaning: Prefer | None

    def find(self) -> list[TimeExpression]:
        found: list[TimeExpression] = []
        at = 0
        while at < len(self._tokens):
            readings = self._readings(at)
            if pair := next(filter(None, (self._range(at, stop) for stop, _ in readings)), None):
                found.extend(pair[0])
                at = pair[1]
                continue
            if not readings or self._tokens[at].key == "between":
                at += 1
                continue
            stop, read = readings[0]
            listed = bool(found) and self._continues(found[-1], at)
            # Doubted words are passed over whole: a part of them is no better ("the next week").
            if is_meant(Candidate(self._text, self._tokens, at, stop, read, listed)):
                period = self._placed(at, stop, read)
                if period is not None:
                    found.append(self._expression(at, stop, period))
            at = stop
        return found

    def _placed(self, at: int, stop: int, read: Period) -> Period | None:
        """Settle what the words alone leave open: the side of an undated day, the sense of from."""
        keys = {token.key for token in self._tokens[at:stop]}
        old = read.granularity in ("decade", "century")
        if read.bound == "since" and "from" in keys and (old or keys & _POINTING):
            return read.bounded("in")
        weekday = not keys.isdisjoint(WEEKDAYS)
        named = weekday or not keys.isdisjoint(_NAMED)
        if not named or keys & _POINTING or self._dated(at, stop):
            return read
        if self._elsewhere(at, stop):
            return None
        words = self._words(at, stop)
        moment = self._reference.moment
        past = read_phrase(words, Reference(moment, "past"))
        future = read_phrase(words, Reference(moment, "future"))
        if past is None or future is None:
            return None
        if keys & {"since", "after"}:
            return past
        # Months recur in what they are said of: "it is dry in June".
        vague = weekday or not any(token.numeric for token in self._tokens[at:stop])
        start, end = self._tokens[at].start, self._tokens[stop - 1].end
        leaning = self._leaning or tense(self._text, start, end)
        if leaning == "past" and read.bound == "until":
            leaning = None  # "they asked for answers by May 15": what was asked may lie ahead
        return choose(past, future, leaning, self._reference, vague=vague)

    def _dated(self, at: int, stop: int) -> bool:
        return any(_YEAR.search(t.key) or t.key.startswith("'") for t in self._tokens[at:stop])

    def _elsewhere(self, at: int, stop: int) -> bool:
        """Tell whether a year nearby is not the reference's or next to it."""
        start, end = self._tokens[at].start, self._tokens[stop - 1].end
        near = self._text[max(0, start - _NEARBY) : start], self._text[end : end + _NEARBY]
        years = (int(year) for part in near for year in _FULL_YEAR.findall(part))
        return any(abs(year - self._reference.moment.year) > 1 for year in years)

    def _readings(self, at: int) -> list[tuple[int, Period]]:
        """Read the windows that start here, longest first."""
        tokens, last = self._tokens, at
        if tokens[at].key in _NOT_FIRST:
            return []
        while last < min(len(tokens), at + _LONGEST) and tokens[last].timely:
            if last > at and "\n\n" in self._text[tokens[last - 1].end : tokens[last].start]:
                break
            last += 1
        triggers = [index for index in range(at, last) if tokens[index].triggering]
        if not triggers:
            return []
        readings = []
        for stop in range(last, triggers[0], -1):
            if tokens[stop - 1].key not in _NOT_LAST:
                period = read_phrase(self._words(at, stop), self._reference)
                if period is not None:
                    readings.append((stop, period))
        return readings

    def _range(self, at: int, stop: int) -> tuple[list[TimeExpression], int] | None:
        """Read "from A to B", "between A and B" or "A-B" whose first part ends at the stop."""
        tokens = self._tokens
        if stop + 1 >= len(tokens) or tokens[stop].key not in _JOINTS:
            return None
        opened, joint = tokens[at].key in _OPENERS, tokens[stop].key
        if (joint == "and") != (tokens[at].key == "between"):
            return None
        first = self._words(at + opened, stop)
        for end, _ in self._readings(stop + 1):
            last = self._words(stop + 1, end)
            if {token.key for token in tokens[at:end]} & _NAMED and not self._dated(at, end):
                pair = self._undated(at, end, first, last)
            else:
                pair = read_pair(first, last, self._reference)
            if pair is None or not (opened or pair[0].granularity == pair[1].granularity):
                continue
            since, until = pair[0].bounded("since"), pair[1].bounded("until")
            closing = stop if joint != "-" else stop + 1
            parts = Candidate(self._text, tokens, at, end, since)
            if not is_meant(parts):
                return None
            return [self._expression(at, stop, since), self._expression(closing, end, until)], end
        return None

    def _undated(self, at: int, end: int, first: str, last: str) -> tuple[Period, Period] | None:
        """Read "1 March to 15 April": what is going on, else what is meant; whole months recur."""
        tokens = self._tokens
        days = self._leaning or any(token.numeric for token in tokens[at:end])
        if self._elsewhere(at, end) or not days:
            return None
        moment = self._reference.moment
        past, future = (
            self._following(first, last, Reference(moment, prefer)) for prefer in ("past", "future")
        )
        if past is None or future is None:
            return None
        if past[1].end > moment:
            return past
        leaning = tense(self._text, tokens[at].start, tokens[end - 1].end)
        start = choose(past[0], future[0], leaning, self._reference, vague=False)
        return None if start is None else past if start == past[0] else future

    def _following(
        self, first: str, last: str, reference: Reference
    ) -> tuple[Period, Period] | None:
        """Read a day or a month, and the next one of another name after it."""
        start = read_phrase(first, reference)
        if start is None or start.bound != "in":
            return None
        end = read_phrase(last, Reference(start.start, "future"))
        return None if end is None or end.bound != "in" or end.end <= start.end else (start, end)

    def _continues(self, previous: TimeExpression, at: int) -> bool:
        between = self._text[previous.end : self._tokens[at].start]
        return previous.period.granularity == "year" and between.strip(" \n") in _LISTING

    def _words(self, at: int, stop: int) -> str:
        if at >= stop:
            return ""
        return normalise(self._text[self._tokens[at].start : self._tokens[stop - 1].end])

    def _expression(self, at: int, stop: int, period: Period) -> TimeExpression:
        start, end = self._tokens[at].start, self._tokens[stop - 1].end
        return TimeExpression(start, end, self._text[start:end], period)
