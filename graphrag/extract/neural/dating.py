"""When a statement holds: the dates that the network found for it, read by the calendar's rules."""

import re
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from typing import Final

from graphrag.extract.neural.passage import Passage, Place, Statement
from graphrag.extract.rules.lifetime import Life, ends_of
from graphrag.extract.rules.times import looks_ahead, times_of
from graphrag.model.assertion import Kind
from graphrag.temporal.find import choose
from graphrag.temporal.interval import Period, Prefer
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
        if start is not None and end is None and len(both := ends_of(start)) > 1:
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
