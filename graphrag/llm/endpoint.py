"""Where a model is asked: its URL, and what its headers say about waiting."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit, urlunsplit

from graphrag.errors import InputError


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a server asks to wait, given as seconds or as a date."""
    given = headers.get("retry-after")
    if given is None:
        return None
    try:
        return max(0.0, float(given))
    except ValueError:
        try:
            moment = parsedate_to_datetime(given)
        except ValueError:
            return None
    return max(0.0, (moment.astimezone(UTC) - datetime.now(UTC)).total_seconds())


def checked_url(url: str) -> str:
    """Return the URL, or say that it is none."""
    if urlsplit(url).scheme not in ("http", "https"):
        raise InputError(f"{shown_url(url)!r} is no http(s) URL: write http://HOST:PORT/v1")
    return url


def shown_url(url: str) -> str:
    """Return the URL without what may be secret in it."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
