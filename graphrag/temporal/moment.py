"""Conversion of a caller's time into one aware UTC instant, or a TimeError.

Inside the library every time is a UTC datetime. A day, month or year stands for its first instant.
A time of day without an offset is refused: it could be in any time zone.
"""

import re
from datetime import UTC, date, datetime, timedelta

from graphrag.errors import TimeError
from graphrag.model.assertion import Precision
from graphrag.model.checks import shown

Moment = datetime | date | str  # words as parse_moment reads them; datetimes are aware
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO = timedelta(microseconds=1)
_FORMS = 'such as "2024-03-05T10:00:00Z", "2024-03-05", "2024-03", "March 2024" or "last month"'
_LONGEST = 200
_ISO = re.compile(r"(\d{4})(?:-(\d\d?)(?:-(\d\d?)(?P<clock>[Tt ].+)?)?)?", re.ASCII)


def utc_now() -> datetime:
    """Return the current moment as an aware datetime."""
    return _plain(datetime.now(UTC))


def parse_moment(
    value: Moment, *, what: str = "time", reference: datetime | None = None
) -> datetime:
    """Convert a datetime, a date, or a string into a UTC instant, or raise ``TimeError``.

    The string is ISO 8601, or English such as "5 May 2023" or "last month", counted from
    ``reference``, by default now; ``what`` names the argument in the error.
    """
    if isinstance(value, date) and value != value:  # pandas' NaT
        raise TimeError(f"{what} is no time (NaT): leave it out if it is unknown")
    if isinstance(value, datetime):
        return _aware(value, value, what)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, str):
        raise TimeError(
            f"{what} {shown(value)} is not a time: pass an aware datetime, a date or a string"
        )
    if len(value) > _LONGEST:
        raise TimeError(f"{what} {shown(value)} is not a time we can place: pass one {_FORMS}")
    text = value.strip()
    if iso := _ISO.fullmatch(text):
        return _from_iso(iso, value, what)
    base = utc_now() if reference is None else _aware(reference, reference, "reference")
    # Imported here: its patterns cost 20 ms, and most moments are ISO 8601.
    from graphrag.temporal.phrase import resolve_phrase

    period = resolve_phrase(text, base)
    if period is None or period.bound != "in":
        raise TimeError(f"{what} {value!r} is not a time we can place: pass one {_FORMS}")
    return period.start


def precision_of(value: Moment) -> Precision:
    """Return how finely a date is written; words and moments with a time of day are exact."""
    if isinstance(value, str):
        iso = _ISO.fullmatch(value.strip())
        if iso is None or iso["clock"] is not None:
            return "exact"
        year: Precision = "year"
        return "day" if iso[3] else "month" if iso[2] else year
    return "exact" if isinstance(value, datetime) else "day"


def to_micros(moment: datetime | None, default: int) -> int:
    """Count whole microseconds since 1970 in UTC, exactly; give the default for None."""
    return default if moment is None else (_aware(moment, moment, "moment") - EPOCH) // _MICRO


def from_micros(micros: int) -> datetime:
    """Give the UTC instant that many microseconds after 1970, exactly."""
    try:
        return EPOCH + micros * _MICRO
    except OverflowError as error:
        raise TimeError(f"{micros} microseconds since 1970 is outside years 1-9999") from error


def _from_iso(match: re.Match[str], value: str, what: str) -> datetime:
    year, month, day = (int(part) if part else 1 for part in match.group(1, 2, 3))
    try:
        if match["clock"] is None:
            return datetime(year, month, day, tzinfo=UTC)
        moment = datetime.fromisoformat(match.string.upper())
    except ValueError as error:
        raise TimeError(f"{what} {value!r} is not a possible date: {error}") from error
    return _aware(moment, value, what)


def _plain(moment: datetime) -> datetime:
    """Return a datetime of Python's own kind: the database knows neither pandas' nor a test's."""
    kind = type(EPOCH)  # "datetime" itself may have been replaced, to stop the clock
    return moment if type(moment) is kind else kind.combine(moment.date(), moment.time(), UTC)


def _aware(moment: datetime, shown: datetime | str, what: str) -> datetime:
    if moment.utcoffset() is None:
        text = shown if isinstance(shown, str) else shown.isoformat()
        raise TimeError(f"{what} {text!r} has no time zone: add Z or an offset such as +02:00")
    try:
        return _plain(moment.astimezone(UTC))
    except OverflowError as error:
        raise TimeError(f"{what} {str(shown)!r} is outside years 1-9999 in UTC") from error
