"""The dates that a model gives, read as it means them, and the gaps that its quotes fill.

A date of the model stands if it is one: a good model reads a text better than our rules of time do.
Where it gives none and its quote names exactly one time that the rules read, that time is taken.
What the two disagree about is said, and left as the model has it.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cached_property

from graphrag.errors import TimeError
from graphrag.model.assertion import Date, Precision
from graphrag.model.values import Episode
from graphrag.temporal.find import find_times
from graphrag.temporal.moment import parse_moment, precision_of
from graphrag.temporal.period import Period
from graphrag.temporal.phrase import resolve_phrase

_STARTS = ("in", "since", "after")
_STOPS = ("in", "until", "before")
_READ = 20_000
_HORIZON = timedelta(days=365 * 100)
"""Nothing that is said to end or begin later than this is meant literally."""
_NOTHING = frozenset(
    "now present today's ongoing current currently unknown unclear none null n/a na - ? never "
    "unspecified undated".split()
)
_ABOUT = re.compile(r"^(?:~|≈|c\.|ca\.?|circa|about|around|approx\.?)\s*|[?~]$", re.IGNORECASE)
_DATE = re.compile(
    r"(\d{4})(?:[-/.](\d\d?|[Xx?]{2}))?(?:[-/.](\d\d?|[Xx?]{2}))?(?:[Tt ][\d:.,+Zz-]*)?"
)
_GRAIN: dict[str, Precision] = {"year": "year", "month": "month", "day": "day"}
_SINCE = re.compile(
    r"\b(?:since|ever since|seit|seitdem|desde|depuis|dal|dalla|sinds|siden|sedan|od)\b",
    re.IGNORECASE,
)
"""Words that say that what began then still holds."""


class Dating:
    """The times of one episode."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode
        self.doubts: list[str] = []
        """Dates that stand although their quote names another time, in words."""

    @cached_property
    def _named(self) -> list[Period]:
        return self._periods(self._episode.content[:_READ])

    def start(self, given: str, quote: str) -> datetime | None:
        """Return the moment from which on something holds, or None if none is given.

        Raises:
            TimeError: if what the model gave is no date.
        """
        date = self.start_date(given, quote)
        return None if date is None else date.moment

    def stop(self, given: str, quote: str) -> datetime | None:
        """Return the moment from which on something no longer holds, or None if none is given.

        Raises:
            TimeError: if what the model gave is no date.
        """
        date = self.stop_date(given, quote)
        return None if date is None else date.moment

    def start_date(self, given: str, quote: str) -> Date | None:
        """Return the same as ``start``, as finely as it was given."""
        date = self._read(given)
        if date is not None:
            self._compare(date, quote, _STARTS)
        return date

    def stop_date(self, given: str, quote: str) -> Date | None:
        """Return the same as ``stop``, as finely as it was given."""
        date = self._read(given)
        if date is None:
            return None
        for period in self._periods(quote):
            if period.bound == "until" and _within(date.moment, period):
                return Date(period.end, "day")  # "until 2019" takes in 2019
        self._compare(date, quote, _STOPS)
        return date

    def only_time(self, quote: str) -> tuple[Date | None, Date | None]:
        """Return the one time that a quote names, as a start or as an end; the other is None."""
        named = self._periods(quote)
        if len(named) != 1 or named[0].granularity not in _GRAIN:
            return None, None
        [period] = named
        precision = _GRAIN[period.granularity]
        if period.bound == "until":
            return None, Date(period.end, "day")
        if period.bound == "before":
            return None, Date(period.start, precision)
        return Date(period.end if period.bound == "after" else period.start, precision), None

    def lasts(self, quote: str) -> bool:
        """Tell whether a quote says that what began at its date still holds."""
        return _SINCE.search(quote) is not None

    def _read(self, given: str) -> Date | None:
        words = _ABOUT.sub("", given.strip()).strip()
        if not words or words.casefold() in _NOTHING:
            return None
        if parts := _DATE.fullmatch(words):
            known = [parts[1]]
            for part in parts.group(2, 3):
                if part is None or not part.isdigit() or int(part) == 0:
                    break
                known.append(part.zfill(2))
            words = "-".join(known)
        reference = self._episode.valid_at
        moment = parse_moment(words, reference=reference)
        if moment > reference + _HORIZON:
            raise TimeError(f"{given!r} is too far from the date of the text")
        precision = precision_of(words)
        if precision == "exact" and (period := resolve_phrase(words, reference)) is not None:
            precision = _GRAIN.get(period.granularity, "exact")
        return Date(moment, precision)

    def _compare(self, date: Date, quote: str, bounds: Sequence[str]) -> None:
        """Note a date that lies in none of the times that its quote or the text names."""
        said = [period for period in self._periods(quote) if period.bound in bounds]
        if said and not any(_within(date.moment, period) for period in (*said, *self._named)):
            named = " or ".join(f"{period.start:%Y-%m-%d}" for period in said)
            self.doubts.append(f"{date.moment:%Y-%m-%d} stands, though its words name {named}")

    def _periods(self, text: str) -> list[Period]:
        return [found.period for found in find_times(text, self._episode.valid_at)]


def _within(moment: datetime, period: Period) -> bool:
    return period.start <= moment <= period.end
