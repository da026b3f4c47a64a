"""When a statement holds: the dates that the network found for it, read by the calendar's rules."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cached_property
from itertools import pairwise
from typing import Final

from graphrag.extract.neural.passage import Passage, Place, Statement
from graphrag.extract.rules.lifetime import Life, ends_of
from graphrag.extract.rules.sentence import looks_ahead, times_of
from graphrag.model.assertion import Kind
from graphrag.temporal.find import choose
from graphrag.temporal.period import Period
from graphrag.temporal.phrase import reference_of, resolve_phrase

_EVENTS = "founded created author_of fixed won had_procedure died_in died_on born_on takes_place_on"
_TIMELESS = "born_in comes_from parent_of sibling_of relative_of"
_KIND: Final[dict[str, Kind]] = {
    **dict.fromkeys(_EVENTS.split(), "event"),
    **dict.fromkeys(_TIMELESS.split(), "timeless"),
}
_UNTIL = frozenset({"valid_until", "due_on"})
"""Whose object is the end of it."""
_BOUNDS = {"since": "from", "after": "from", "until": "to", "before": "to"}
"""What a time that is bounded says of the relation, whatever the network took it for."""
_FORMERLY = re.compile(
    r"\b(?:until (?:now|recently|lately|then)|up to now|hitherto|formerly|previously|no longer|"
    r"used to)\b",
    re.IGNORECASE,
)
_JOINT = re.compile(r"\s*[-–—]?\s*")
_SINCE_THEN = re.compile(r"\b(?:since then|ever since|after that|from then on)\b", re.IGNORECASE)
_UNTIL_THEN = re.compile(r"\b(?:until|till|before) (?:then|that)\b", re.IGNORECASE)
_EACH = re.compile(r"\b(?:every|each|most)\s+$", re.IGNORECASE)
_BEGINNING = frozenset("take inherit become join acquire".split())
_LASTING = frozenset(
    "pay cost earn work live own keep run teach serve manage rent use spend".split()
)
_FLAGGED = 0.35
"""What a flag or a length must reach: at 0.5 a tenth of the ends that it finds are missed."""
_UNSURE = timedelta(days=365)
"""Lengths are rounded."""


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
        found: list[tuple[int, int, Period]] = []
        for offset, doc in self._passage.docs:
            for sentence in doc.sents:
                before = found[-1][2] if found else None
                for _, period, at in times_of(sentence, self._reference, before):
                    last = doc[max(at.stop - 1, at.start)]
                    place = offset + doc[at.start].idx, offset + last.idx + len(last)
                    found.append((*place, period))
        return found

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
        if _EACH.search(self._passage.text[: place.start]):
            return None  # "every Sunday"
        # What stands alone is read as the time that it was found to be: "2019", "the spring".
        ahead = any(start <= place.start < end for start, end in self._ahead)
        for phrase in (words, f"in {words}"):
            past = resolve_phrase(phrase, self._reference, prefer="past")
            future = resolve_phrase(phrase, self._reference, prefer="future")
            if past is not None and future is not None:
                counted = reference_of(self._reference, "future")
                return choose(past, future, None if ahead else "past", counted, vague=False)
        return None

    def _is_then(self, place: Place, statement: Statement) -> bool:
        """Tell whether a time is what "until then", "before that" in a later sentence points to."""
        start, end = self._passage.sentence(statement.later)
        return place.end <= start and bool(_UNTIL_THEN.search(self._passage.text, start, end))

    def _earliest(self, place: Place, period: Period) -> Period:
        """Return the first time of the sentence of a time: "before that" is before all of it."""
        start, end = self._passage.sentence(place)
        found = [one[2] for one in self._times if start <= one[0] and one[1] <= end]
        return min(found, key=lambda one: one.start, default=period)

    def _is_since(self, place: Place, statement: Statement) -> bool:
        """Tell whether it began at a time: "lived in Rome until 2019, since then in Oslo"."""
        there = max(statement.subject, statement.object, key=lambda one: one.start)
        return bool(_SINCE_THEN.search(self._passage.text, place.end, there.start))

    def _is_beginning(self, place: Place, statement: Statement) -> bool:
        """Tell whether what happened then is how it began: "Ann took over in 1988"."""
        verb = self._passage.root(place)
        while verb is not None and verb.pos_ != "VERB" and verb.head != verb:
            verb = verb.head
        if verb is None or verb.lemma_ not in _BEGINNING:
            return False
        subject = set(self._passage.words(statement.subject).split())
        return any(child.dep_ == "nsubj" and child.text in subject for child in verb.children)

    def _other_end(self, place: Place) -> tuple[str, Period] | None:
        """Return the other end of a range that a place names one end of: "2006-2012"."""
        for one, other in pairwise(self._times):
            closed = other[2].bound == "until" and one[2].bound in ("since", "in")
            if not closed or not _JOINT.fullmatch(self._passage.text, one[1], other[0]):
                continue
            if one[0] < place.end and place.start < one[1]:
                return "to", other[2]
            if other[0] < place.end and place.start < other[1]:
                return "from", one[2]
        return None

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

    def _length(
        self, place: Place, start: Period | None, end: Period | None
    ) -> tuple[Period | None, Period | None]:
        """Return the end or the start that a length gives where the other one is known."""
        words = self._passage.text[place.start : place.end]
        if start is None and end is not None:
            return resolve_phrase(f"{words} ago", end.start, prefer="past"), end
        if start is not None and end is None:
            found = resolve_phrase(f"in {words}", start.start, prefer="future")
            # Else it is that long today: "since 2010, so for eleven years".
            if found is not None and not found.start <= self._reference < found.end + _UNSURE:
                end = found
        return start, end

    def _only(self, statement: Statement, was: bool) -> dict[str, tuple[float, Period]]:
        """Return the one time of the sentence of a statement that the network gave none."""
        start, end = self._passage.sentence(statement.later)
        times = [one for one in self._times if start <= one[0] < end and one[1] <= end]
        if len(times) != 1:
            return {}
        at, to, period = times[0]
        if not self._passage.is_beside(Place(at, to, "date"), statement):
            return {}
        if any(place.start <= at < place.end for place in (statement.subject, statement.object)):
            return {}
        ends = was or period.bound in ("until", "before")
        if ends and period.bound in ("since", "after"):
            period = period.bounded("in")
        return {"to" if ends else "from": (0.0, period)}

    def _is_turned(self, statement: Statement) -> bool:
        verb = self._passage.verb(statement.subject, statement.object)
        return verb is not None and verb.lemma_ in ("turn", "become")

    def _is_past(self, statement: Statement) -> bool:
        """Tell whether a verb of what lasts is in the simple past: "she paid 780 euros a month"."""
        verb = self._passage.verb(statement.subject, statement.object)
        return verb is not None and verb.tag_ == "VBD" and verb.lemma_ in _LASTING

    def life(self, statement: Statement) -> Life | None:
        """Return when a statement holds; None if it is only to come, and nobody knows when."""
        best: dict[str, tuple[float, Period]] = {}
        for role, place, sure in statement.dates:
            if role != "to" and not self._passage.is_beside(place, statement):
                continue  # "I'm a baker, since it's already March": that is no start
            period = self.period(place)
            if period is not None:
                if role in ("from", "to"):
                    if self._is_then(place, statement):
                        role, period = "to", self._earliest(place, period)
                    elif role == "to" and self._is_beginning(place, statement):
                        role = "from"
                    elif role == "to" and self._is_since(place, statement):
                        role, period = "from", period.bounded("after")
                    else:
                        role = _BOUNDS.get(period.bound, role)
                if sure > best.get(role, (0.0, None))[0]:
                    best[role] = sure, period
                if role != "on" and (other := self._other_end(place)) and other[0] != role:
                    best.setdefault(other[0], (0.0, other[1]))
        was, planned, _ = (chance > _FLAGGED for chance in statement.flags)
        first, last = sorted((statement.subject, statement.object), key=lambda place: place.start)
        was = was or bool(_FORMERLY.search(self._passage.text, first.end, last.start))
        if not best and not statement.dates:
            was = was or self._is_past(statement)
            best = self._only(statement, was)
        first_date, last_date = best.get("from") or best.get("on"), best.get("to")
        if first_date and last_date and last_date[1].start <= first_date[1].start:
            if first_date[0] >= last_date[0]:
                last_date = None
            else:
                first_date = None
        start, end = first_date and first_date[1], last_date and last_date[1]
        if start is not None and end is None and len(both := ends_of(start)) > 1:
            start, end = both
        here = self._passage.sentence(statement.later)
        lengths = [
            at
            for role, at, sure in statement.dates
            if role == "for" and sure > _FLAGGED and self._passage.sentence(at) == here
        ]
        if lengths:
            start, end = self._length(lengths[0], start, end)
        if statement.relation == "has_age" and not self._is_turned(statement):
            start = None  # whoever is 54 in May turned that on some day before
        if statement.relation == "owns" and self._passage.is_own(statement):
            start = end = None  # "my laptop crashed last week" and was mine before
        named = self.day(statement) if statement.object.kind == "date" else None
        if statement.relation in _UNTIL:
            return Life().ending(replace(named, bound="until")) if named else None
        if named is not None:
            start = start or named
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
