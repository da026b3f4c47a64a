"""Repeated meetings: when each of them takes place, as far as somebody wants to know.

A series is computed in its own time zone, so that "every Monday at nine" stays at nine when the
clocks change.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from graphrag.errors import InputError

MOST = 1_000
"""Meetings of one series."""
_TOO_OFTEN = re.compile(r"FREQ=(?:SECONDLY|MINUTELY)", re.IGNORECASE)
_UNTIL = re.compile(r"UNTIL=([^;]+)", re.IGNORECASE)


def occurrences(
    start: datetime,
    rule: str,
    *,
    since: datetime | None = None,
    until: datetime,
) -> Iterator[datetime]:
    """Yield the starts of a series, in UTC, from ``since`` to just before ``until``.

    Args:
        start: The first, in the time zone of the series.
        rule: The value of its RRULE.
        since: The earliest that is wanted; None for all.
        until: The first moment that is too late.

    Raises:
        InputError: if the rule is none, or there are more than 1,000.
    """
    from dateutil.rrule import rrulestr

    if _TOO_OFTEN.search(rule):
        raise InputError(f"RRULE {rule!r} repeats every minute or second: no meeting does")
    try:
        # In the time of the clock on the wall: a zone has gaps and repeated hours.
        wall = rrulestr(_on_the_wall(rule, start), dtstart=start.replace(tzinfo=None))
    except (ValueError, TypeError) as error:
        raise InputError(f"RRULE {rule!r} cannot be read: {error}") from None
    earliest = start if since is None else max(start, since.astimezone(start.tzinfo))
    # A day more on either side, because of clocks that are put back.
    after = earliest.replace(tzinfo=None) - timedelta(days=1)
    found = 0
    for local in wall.xafter(after, inc=True):
        moment = local.replace(tzinfo=start.tzinfo).astimezone(UTC)
        if moment >= until:
            return
        if moment < start or (since is not None and moment < since):
            continue
        found += 1
        if found > MOST:
            raise InputError(
                f"RRULE {rule!r} gives more than {MOST:,} meetings: pass a later since, or an "
                "earlier until"
            )
        yield moment


def _on_the_wall(rule: str, start: datetime) -> str:
    """Return the rule with its end as the wall clock of the series shows it."""

    def local(found: re.Match[str]) -> str:
        text = found[1].strip()
        if text.endswith("Z"):
            moment = datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            text = moment.astimezone(start.tzinfo).strftime("%Y%m%dT%H%M%S")
        elif len(text) == 8:
            text += "T235959"  # a day means all of it
        return f"UNTIL={text}"

    return _UNTIL.sub(local, rule)
