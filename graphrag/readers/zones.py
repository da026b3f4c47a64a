"""Time zones as calendars name them: of the tz database, of Windows, or described in the file."""

import io
import re
from collections.abc import Callable
from datetime import tzinfo
from functools import cached_property
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from graphrag.errors import InputError

_DEFINED = re.compile(r"^BEGIN:VTIMEZONE\r?$.*?^END:VTIMEZONE\r?$", re.MULTILINE | re.DOTALL)
_FOLD = re.compile(r"\r?\n[ \t]")
_DEFAULT = re.compile(r"^X-WR-TIMEZONE:(.+?)\r?$", re.MULTILINE)


class Zones:
    """The time zones of one calendar file."""

    def __init__(self, text: str = "", default: str | None = None) -> None:
        """Take the file's text and the zone of times that name none; default: the file's own."""
        self._text = _FOLD.sub("", text)
        own = _DEFAULT.search(self._text)
        self._default = default or (own[1].strip() if own else None)

    def of(self, name: str | None) -> tzinfo | None:
        """Return the zone of a name, that of times without one for None; None if there is none.

        Raises:
            InputError: if nobody knows the name.
        """
        name = self._default if name is None else name
        if name is None:
            return None
        for look in (_of_database, _of_windows, self._of_file):
            if (zone := look(name)) is not None:
                return zone
        raise InputError(f"the unknown time zone {name!r}")

    def _of_file(self, name: str) -> tzinfo | None:
        return None if self._defined is None else self._defined(name)

    @cached_property
    def _defined(self) -> Callable[[str], tzinfo | None] | None:
        from dateutil.tz import tzical

        found = "\n".join(match.group() for match in _DEFINED.finditer(self._text))
        if not found:
            return None
        try:
            zones = tzical(io.StringIO(found))
        except ValueError as error:
            raise InputError(f"time zones (VTIMEZONE) that cannot be read: {error}") from None
        known = frozenset(zones.keys())
        return lambda name: zones.get(name) if name in known else None


def _of_database(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name.removeprefix("/freeassociation.sourceforge.net/"))
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _of_windows(name: str) -> tzinfo | None:
    from tzlocal.windows_tz import win_tz

    found = win_tz.get(name)
    return None if found is None else ZoneInfo(found)
