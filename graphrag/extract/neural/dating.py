"""Whether a statement of the network stands, and when: what grammar and the calendar say of it."""

import re
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from graphrag.extract.neural.passage import Passage, Place, Statement
from graphrag.extract.rules import truth
from graphrag.extract.rules.times import looks_ahead, times_of
from graphrag.model.assertion import Kind, Precision
from graphrag.temporal.find import choose
from graphrag.temporal.interval import Granularity, Period, Prefer
from graphrag.temporal.phrase import reference_of, resolve_phrase

_EVENTS = "founded created author_of fixed won had_procedure died_in died_on born_on takes_place_on"
_TIMELESS = "born_in comes_from parent_of sibling_of relative_of"
_KIND: Final[dict[str, Kind]] = {
    **dict.fromkeys(_EVENTS.split(), "event"),
    **dict.fromkeys(_TIMELESS.split(), "timeless"),
}
_UNTIL = frozenset({"valid_until", "due_on"})
"""Whose object is the end of it."""
_FLAGGED = 0.35
"""What a flag must reach: at 0.5 a tenth of the ends that it finds are missed."""
_NOW = re.compile(r"\b(?:now|nowadays|currently|these days)\b", re.IGNORECASE)
_PRECISION: dict[Granularity, Precision] = {
    "instant": "exact",
    "part_of_day": "day",
    "day": "day",
    "weekend": "month",
    "week": "month",
    "month": "month",
    "quarter": "year",
    "season": "year",
    "year": "year",
    "decade": "year",
    "century": "year",
}
"""The finest that is not finer than what was said: a season is somewhere in a year."""


@dataclass(frozen=True, slots=True)
class Life:
    """What a text says of when a relation holds."""

    start: datetime | None = None
    end: datetime | None = None
    kind: Kind = "state"
    current: bool = False
    start_precision: Precision = "exact"
    end_precision: Precision = "exact"
    over: bool = False
    """True if all it says is that it holds no more: the relation's end."""

    def beginning(self, period: Period) -> "Life":
        """Return it with a start."""
        late = period.bound in ("after", "until")
        moment = period.end if late else period.start
        precision = "exact" if late else _PRECISION[period.granularity]
        return replace(self, start=moment, start_precision=precision)

    def ending(self, period: Period) -> "Life":
        """Return it with an end; what lasts until a year takes in that year."""
        last = period.bound == "until"
        return replace(
            self,
            end=period.end if last else period.start,
            end_precision="exact" if last else _PRECISION[period.granularity],
        )


class Calendar:
    """The times of a text by their places."""

    def __init__(self, passage: Passage, reference: datetime) -> None:
        """Take the text.

        Args:
            passage: The text.
            reference: When it was written.
        """
        self._passage = passage
        self._reference = reference

    @cached_property
    def _times(self) -> list[tuple[int, int, Period]]:
        """Return the times of the text; looked for where something is stated, not in every text."""
        return [
            (offset + start, offset + end, period)
            for offset, doc in self._passage.docs
            for sentence in doc.sents
            for start, end, period in times_of(sentence, self._reference)
        ]

    @cached_property
    def _ahead(self) -> list[tuple[int, int]]:
        """Return where sentences stand that do not speak of the past."""
        return [
            (offset + sentence.start_char, offset + sentence.end_char)
            for offset, doc in self._passage.docs
            for sentence in doc.sents
            if looks_ahead(sentence)
        ]

    def period(self, place: Place) -> Period | None:
        """Return what a place names; None if that is no time that the rules can read."""
        for start, end, period in self._times:
            if start < place.end and place.start < end:
                return period
        words = self._passage.text[place.start : place.end]
        # What stands alone is read as the time that it was found to be: "2019", "the spring".
        ahead = any(start <= place.start < end for start, end in self._ahead)
        for phrase in (words, f"in {words}"):
            past = resolve_phrase(phrase, self._reference, prefer="past")
            future = resolve_phrase(phrase, self._reference, prefer="future")
            if past is not None and future is not None:
                counted = reference_of(self._reference, "future")
                side: Prefer | None = None if ahead else "past"
                return choose(past, future, side, counted, vague=False) or future
        return None

    def _is_of_now(self, place: Place, statement: Statement) -> bool:
        """Tell whether the sentence of a statement says how it is now, and another has the time."""
        start, end = self._passage.sentence(statement.later)
        return not start <= place.start < end and bool(_NOW.search(self._passage.text, start, end))

    def day(self, statement: Statement) -> Period | None:
        """Return the time that is the object, by its own words: of what is to come, the near one.

        "I was asked to a dinner on 3 June": the tense is not the dinner's.
        """
        place, relation = statement.object, statement.relation
        found = self.period(place)
        if found is None and relation in ("takes_place_on", "due_on"):
            words = self._passage.text[place.start : place.end]
            return resolve_phrase(words, self._reference, prefer="future")
        return found

    def life(self, statement: Statement) -> Life | None:
        """Return when a statement holds; None if it is only to come, and nobody knows when."""
        best: dict[str, tuple[float, Period]] = {}
        present = False
        for role, place, sure in statement.dates:
            if role == "for":
                continue  # a length alone dates nothing
            if role != "to" and not self._passage.is_beside(place, statement):
                continue  # "I'm a baker, since it's already March": that is no start
            if role != "to" and self._is_of_now(place, statement):
                present = True
                continue  # "She left Acme in May. She now works at Globex."
            period = self.period(place)
            if period is not None and sure > best.get(role, (0.0, None))[0]:
                best[role] = sure, period
        was, planned, _ = (chance > _FLAGGED for chance in statement.flags)
        planned = planned and not present
        first_date, last_date = best.get("from") or best.get("on"), best.get("to")
        if first_date and last_date and last_date[1].start <= first_date[1].start:
            if first_date[0] >= last_date[0]:
                last_date = None
            else:
                first_date = None
        start, end = first_date and first_date[1], last_date and last_date[1]
        if start is not None and end is None and len(both := _ends_of(start)) > 1:
            start, end = both
        named = self.day(statement) if statement.object.kind == "date" else None
        if statement.relation in _UNTIL:
            return Life().ending(replace(named, bound="until")) if named else None
        if named is not None:
            start = start or named.bounded("in")  # the end of a range is a day as well
        if planned and start is None and end is None:
            return None
        life = Life(kind=_KIND.get(statement.relation, "state"))
        if start is not None:
            life = life.beginning(start)
        if life.kind != "state":
            return life
        if end is not None:
            life = life.ending(end)
        elif was:
            return replace(life, kind="was")
        elif life.start is not None and life.start <= self._reference:
            return replace(life, current=True)
        return life


def _ends_of(period: Period) -> tuple[Period, ...]:
    """Return both ends of ``from 8 to 20 August``, a stretch of days; any other time as it is."""
    day = timedelta(days=1)
    if period.bound != "in" or period.granularity != "day" or period.end - period.start <= day:
        return (period,)
    first = Period(period.start, period.start + day, "day", "since")
    return first, Period(period.end - day, period.end, "day", "until")


def is_stated(statement: Statement, passage: Passage) -> bool:
    """Tell whether it is stated: in no question, condition, wish, denial or quote."""
    start, end = passage.sentence(statement.later)
    sentence = passage.text[start:end]
    asked = sentence.rstrip(" \"'’”").endswith("?")
    if asked or passage.is_quoted(statement) or truth.is_unreal(sentence):
        return False
    verbs = {passage.verb(statement)}
    for root in map(passage.root, (statement.subject, statement.object)):
        if root is not None:
            verbs.add(next((word for word in (root, *root.ancestors) if word.pos_ == "VERB"), None))
            if any(map(truth.is_ruled_out, (root, *root.ancestors))):
                return False  # "neither Ann nor Bo works at Acme"
    return all(
        truth.is_asserted(verb) and not any(map(truth.is_negated, truth.joined(verb)))
        for verb in verbs
        if verb is not None
    )


def relation_of(statement: Statement, passage: Passage) -> str:
    """Return the relation that a text states: who volunteers at a place is not employed there."""
    other = passage.root(statement.object)
    if statement.relation == "has_name":
        sentence = passage.text[slice(*passage.sentence(statement.later))]
        if _FORMER.search(sentence):
            return "formerly_known_as"
        changed = _RENAMED if statement.subject.kind == "person" else _CALLED
        return "renamed_to" if changed.search(sentence) else "also_known_as"
    if other is not None and statement.relation == "has_size" and other.lemma_.lower() in _STAFF:
        return "has_employees"
    if statement.relation != "works_at" or other is None:
        return statement.relation
    words = (word for above in other.ancestors for word in (above, *above.lefts))
    freely = any(word.lemma_.lower().startswith("volunteer") for word in words)
    return "volunteers_at" if freely else statement.relation


_FORMER = re.compile(
    r"\b(?:formerly|previously|originally|erstwhile|(?:used to be|once) \w+)\b", re.I
)
_RENAMED = re.compile(
    r"\b(?:renamed?|rebrand(?:s|ed)?|chang\w+ (?:its|her|his|their) name)\b", re.IGNORECASE
)
_CALLED = re.compile(
    rf"{_RENAMED.pattern}|\b(?:(?:now|today|since)\b.*\b(?:called|known)|"
    r"(?:called|known)\b.*\b(?:now|today|since))\b",
    re.IGNORECASE,
)
"""Of somebody, that is a nickname: "Robert Smith has been called Bob since 2001"."""
_STAFF = frozenset({"employee", "staff", "worker"})
