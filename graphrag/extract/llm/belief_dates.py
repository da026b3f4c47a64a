"""The dates that a model gives, checked against the words of the text.

A wrong date poisons a temporal graph. What is no date is dropped. Where the quoted words themselves
name one time that our own rules can read, and the model's date lies in no time that the text names,
the words win; where they name several, nobody wins and the date is dropped.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import cached_property

from graphrag.errors import TimeError
from graphrag.model.values import Episode
from graphrag.temporal.find import find_times
from graphrag.temporal.moment import parse_moment
from graphrag.temporal.period import Period

_STARTS = ("in", "since", "after")
_STOPS = ("in", "until", "before")
_READ = 20_000
_HORIZON = timedelta(days=365 * 100)
"""Nothing that is said to end or begin later than this is meant literally."""


class Dating:
    """The times of one episode."""

    def __init__(self, episode: Episode) -> None:
        self._episode = episode

    @cached_property
    def _named(self) -> list[Period]:
        return self._periods(self._episode.content[:_READ])

    def start(self, given: str, quote: str) -> datetime | None:
        """Return the moment from which on something holds, or None if none is given.

        Raises:
            TimeError: if what the model gave is no date, or contradicts the text.
        """
        moment = self._read(given)
        if moment is None:
            return None
        said = [period for period in self._periods(quote) if period.bound in _STARTS]
        return self._checked(moment, said, quote, _first)

    def stop(self, given: str, quote: str) -> datetime | None:
        """Return the moment from which on something no longer holds, or None if none is given.

        Raises:
            TimeError: if what the model gave is no date, or contradicts the text.
        """
        moment = self._read(given)
        if moment is None:
            return None
        said = [period for period in self._periods(quote) if period.bound in _STOPS]
        for period in said:
            if period.bound == "until" and _within(moment, period):
                return period.end  # "until 2019" takes in 2019, whatever the model makes of it
        return self._checked(moment, said, quote, _last)

    def _read(self, given: str) -> datetime | None:
        if not given.strip():
            return None
        moment = parse_moment(given, reference=self._episode.valid_at)
        if moment > self._episode.valid_at + _HORIZON:
            raise TimeError(f"{given!r} is too far from the date of the text")
        return moment

    def _checked(
        self,
        moment: datetime,
        said: Sequence[Period],
        quote: str,
        edge: Callable[[Period], datetime],
    ) -> datetime:
        if not said or any(_within(moment, period) for period in (*said, *self._named)):
            return moment
        if len(said) > 1:
            raise TimeError(f"{moment:%Y-%m-%d} is none of the times in {quote[:80]!r}")
        return edge(said[0])

    def _periods(self, text: str) -> list[Period]:
        return [found.period for found in find_times(text, self._episode.valid_at)]


def _within(moment: datetime, period: Period) -> bool:
    return period.start <= moment <= period.end


def _first(period: Period) -> datetime:
    return period.end if period.bound == "after" else period.start


def _last(period: Period) -> datetime:
    return period.end if period.bound == "until" else period.start
